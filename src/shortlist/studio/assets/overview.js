// The project at a glance, what to do next, and its labelers.
import { html, useEffect, useState } from "./preact.js";
import { ask, painted } from "./api.js";
import { Shortlist, Totals, colour, count, percent, plural } from "./parts.js";

const place = (item) => item.place ?? (item.query ? `#rows/${encodeURIComponent(JSON.stringify(item.query))}` : item.kind === "label" ? "#label" : item.labeler ? `#rules/${encodeURIComponent(item.labeler)}` : "#rules");

export function Overview({ project, setProject, say }) {
  const [figures, setFigures] = useState(null);
  useEffect(() => {
    let gone = false;
    if (!project.bare) ask("figures").then((found) => gone || setFigures(found), () => {});
    return () => { gone = true; };
  }, [project.revision, project.bare]);
  return html`
    <${Tiles} project=${project} />
    <div class="two">
      <${ToDo} project=${project} figures=${figures} />
      <${Since} project=${project} />
    </div>
    ${!project.bare && html`<${Labelers} project=${project} figures=${figures} setProject=${setProject} say=${say} />`}
    ${!project.bare && html`<div class="three"><${Shares} project=${project} />
      <${Drawing} title="How sure the model is" lead="Rows by how much is believed in their most likely class." drawing=${figures?.drawings.beliefs} />
      <${Drawing} title="Calibration" lead="How often the model is right, by how sure it is, on gold rows with a vote. Below the diagonal, it is too sure." drawing=${figures?.drawings.calibration} /></div>`}`;
}

function Tiles({ project }) {
  const { totals, gold } = project;
  const tiles = [["rows", count(project.rows), `${plural(project.labelers.filter((one) => one.on).length, "labeler")}, ${project.classes.length} classes`]];
  if (!project.bare) {
    tiles.push(["covered", percent(totals.covered), "rows with a vote"], ["in conflict", percent(totals["in conflict"]), "rows where two labelers exclude each other"], ["mean belief", percent(totals["mean belief"]), "in the most likely class, over all rows"]);
  }
  if (gold.model !== undefined) tiles.push(["right", percent(gold.model), `of ${count(gold.voted)} gold rows${gold.voted < gold.rows ? ` with a vote (${count(gold.rows - gold.voted)} have none)` : ""}; by counting votes ${percent(gold.counting)}`]);
  else if (gold.rows) tiles.push(["gold rows", count(gold.rows), "rows with a known class"]);
  return html`<dl class="tiles">${tiles.map(([name, value, note]) => html`<div class="tile"><dt>${name}</dt><dd>${value}</dd><dd class="note">${note}</dd></div>`)}</dl>`;
}

function ToDo({ project, figures }) {
  const items = project.bare
    ? [{ kind: "rule", what: "Write the first rule.", why: "Read some rows, mark a word that tells the class, and begin a rule with it.", place: "#rows" }, { kind: "label", what: "Label some rows.", why: "Some dozens of known classes show how good the rules are.", place: "#label" }]
    : figures?.todo ?? null;
  return html`<section class="card"><h2>What to do next</h2>
    ${items === null ? html`<p class="quiet" aria-busy="true">Looking for what would help most…</p>`
      : items.length === 0 ? html`<p class="quiet">Nothing stands out.</p>`
      : html`<ol class="todo">${items.map((item) => html`<li><a href=${place(item)}>${item.what}</a>${item.why && html`<p>${item.why}</p>`}${item.gain && html`<p class="quiet">${item.gain}</p>`}</li>`)}</ol>`}
    ${project.notes.length > 0 && html`<details><summary>Notes of the last fit</summary>${project.notes.map((note) => html`<p class="quiet">${note}</p>`)}</details>`}
  </section>`;
}

function Since({ project }) {
  const { change, states } = project;
  const last = states.find((state) => state.number === 0);
  if (change) {
    const edits = Object.entries(change.edits).map(([name, how]) => `${name} ${how}`).join(", ");
    const before = Object.fromEntries(Object.entries(change.totals).map(([name, step]) => [name, step.before]));
    const now = Object.fromEntries(Object.entries(change.totals).map(([name, step]) => [name, step.after]));
    return html`<section class="card"><h2>What the last change did</h2><p class="lead">${edits || "No labeler changed"}. ${plural(change.flipped, "row")} got another label. <a href="#compare">Compare</a></p><${Totals} totals=${now} before=${before} /></section>`;
  }
  if (last && states.length > 1) {
    return html`<section class="card"><h2>Since last time</h2><p class="lead">The studio was last used ${new Date(last.at).toLocaleString()}. <a href="#compare">Compare</a></p><${Totals} totals=${project.totals} before=${last.totals} /></section>`;
  }
  return html`<section class="card"><h2>How it works</h2><ol class="todo"><li><a href="#rows">Read rows</a><p>Search, filter, mark a word to begin a rule.</p></li><li><a href="#rules">Write rules</a><p>See what a rule does while you type.</p></li><li><a href="#label">Label some rows</a><p>One key each; they show how good the rules are.</p></li></ol></section>`;
}

function Labelers({ project, figures, setProject, say }) {
  const [sort, setSort] = useState(["name", 1]);
  const [wanted, setWanted] = useState("");
  const [busy, setBusy] = useState(null);
  const names = project.labelers.map((one) => one.name);
  const lines = project.labelers.map((one) => ({ ...one, ...(figures?.labelers?.[one.name] ?? {}) }));
  const value = (one) => (sort[0] === "name" ? one.name : one[sort[0]] ?? -Infinity);
  const shown = lines.filter((one) => one.name.toLowerCase().includes(wanted.toLowerCase()));
  shown.sort((a, b) => sort[1] * (typeof value(a) === "string" ? value(a).localeCompare(value(b)) : value(a) - value(b)));
  const toggle = async (one) => {
    const start = performance.now();
    setBusy(one.name);
    try {
      const found = await ask("switch", { name: one.name, on: !one.on });
      setProject(found);
      painted("switch", start);
      const flipped = found.change?.flipped ?? 0;
      say(`${one.name} is ${one.on ? "off" : "on"}: ${plural(flipped, "row")} got another label`);
    } catch (error) { say(error.message); }
    setBusy(null);
  };
  return html`<section class="card long" id="labelers"><div class="head"><h2>Labelers</h2>
    <input type="search" placeholder="Filter" aria-label="Filter labelers by name" value=${wanted} onInput=${(event) => setWanted(event.target.value)} />
    <a class="button" href="#rules/+">New rule</a></div>
    <div class="scroll" tabindex="0" role="region" aria-label="Table of labelers"><table class="wide" id="table-labelers">
    <thead><tr><th scope="col">On</th>${[{ name: "name", title: "Labeler" }, ...project.table].map(({ name, title, help }) => html`<th scope="col" title=${help} aria-sort=${sort[0] === name ? (sort[1] > 0 ? "ascending" : "descending") : undefined}><button onClick=${() => setSort([name, sort[0] === name ? -sort[1] : name === "name" ? 1 : -1])}>${title}</button></th>`)}</tr></thead>
    <tbody>${shown.map((one) => html`<tr key=${one.name} class=${one.on ? "" : "off"}>
      <td><input type="checkbox" role="switch" checked=${one.on} disabled=${busy !== null} aria-label=${`Ask ${one.name}`} onChange=${() => toggle(one)} /></td>
      <td><a class="name" href=${`#rules/${encodeURIComponent(one.name)}`}><span class="dot ${colour(names, one.name)}"></span>${one.name}</a> <a class="rowsof" href=${`#rows/${encodeURIComponent(JSON.stringify({ labeler: one.name }))}`}>rows</a><div class="sayings">${one.says.map((says) => html`<${Shortlist} says=${says} classes=${project.classes} />`)}</div>${one.failed ? html`<div class="wrong">failed on ${plural(one.failed, "row")}</div>` : null}</td>
      ${project.table.map(({ name }) => html`<td key=${name}><${Drawn} drawing=${one.cells?.[name] ?? (one.on && !figures ? "…" : "–")} /></td>`)}</tr>`)}</tbody></table></div>
    <details><summary>What the columns mean</summary><dl class="defs">${project.table.map(({ title, help }) => html`<dt>${title}</dt><dd>${help}</dd>`)}</dl></details></section>`;
}

// Drawings are made by the report: numbers only, no text of users.
function Drawn({ drawing }) {
  return html`<div dangerouslySetInnerHTML=${{ __html: drawing }}></div>`;
}

function Drawing({ title, lead, drawing }) {
  return drawing && html`<section class="card"><h2>${title}</h2><p class="lead">${lead}</p><${Drawn} drawing=${drawing} /></section>`;
}

function Shares({ project }) {
  return html`<section class="card"><h2>Classes, as believed</h2><div class="shares">${Object.entries(project.shares).map(([name, share]) => html`
    <a class="label" href=${`#rows/${encodeURIComponent(JSON.stringify({ believed: name }))}`} title=${name}>${name}</a><span class="track"><i class=${colour(project.classes, name)} style=${{ width: `${100 * share}%` }}></i></span><span>${percent(share)}</span>`)}</div></section>`;
}
