// The project at a glance, what to do next, and its labelers.
import { html, useEffect, useState } from "./preact.js";
import { ask, painted } from "./api.js";
import { Shortlist, Totals, colour, count, fixed, percent, plural } from "./parts.js";

const COLUMNS = [["name", "Labeler"], ["coverage", "Coverage"], ["conflict", "Conflict"], ["accuracy", "Accuracy, estimated"], ["gold_accuracy", "On gold rows"], ["worth", "Worth"]];
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
    ${!project.bare && html`<${Shares} project=${project} />`}`;
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
    <thead><tr><th scope="col">On</th>${COLUMNS.map(([key, title]) => html`<th scope="col" aria-sort=${sort[0] === key ? (sort[1] > 0 ? "ascending" : "descending") : undefined}><button onClick=${() => setSort([key, sort[0] === key ? -sort[1] : key === "name" ? 1 : -1])}>${title}</button></th>`)}</tr></thead>
    <tbody>${shown.map((one) => html`<tr key=${one.name} class=${one.on ? "" : "off"}>
      <td><input type="checkbox" role="switch" checked=${one.on} disabled=${busy !== null} aria-label=${`Ask ${one.name}`} onChange=${() => toggle(one)} /></td>
      <td><a class="name" href=${`#rules/${encodeURIComponent(one.name)}`}><span class="dot ${colour(names, one.name)}"></span>${one.name}</a> <a class="rowsof" href=${`#rows/${encodeURIComponent(JSON.stringify({ labeler: one.name }))}`}>rows</a><div class="sayings">${one.says.map((says) => html`<${Shortlist} says=${says} classes=${project.classes} />`)}</div>${one.failed ? html`<div class="wrong">failed on ${plural(one.failed, "row")}</div>` : null}</td>
      <td>${one.on && html`<span class="meter"><i style=${{ width: `${100 * one.coverage}%` }}></i></span>`}${one.on ? percent(one.coverage) : "–"}</td>
      <td>${one.on && html`<span class="meter conflict"><i style=${{ width: `${100 * one.conflict}%` }}></i></span>`}${one.on ? percent(one.conflict) : "–"}</td>
      <td><${Accuracy} one=${one} figures=${figures} /></td>
      <td>${one.gold_votes ? html`${percent(one.gold_accuracy, 0)} <span class="quiet">of ${count(one.gold_votes)}</span>` : "–"}</td>
      <td>${one.worth === undefined || one.worth === null ? (one.on && !figures ? "…" : "–") : fixed(one.worth, 2)}</td></tr>`)}</tbody></table></div>
    <p class="quiet">Worth: how much a labeler helps to predict the votes of the others (log score per row; 0 = not at all).</p></section>`;
}

function Accuracy({ one, figures }) {
  if (!one.on) return "–";
  if (one.accuracy === null || one.accuracy === undefined) return html`<span class="quiet">not known</span>`;
  if (one.not_known) return html`<span title="Votes cannot show it: label some of its rows">not known</span>`;
  const range = one.accuracy_low !== null && one.accuracy_low !== undefined ? html` <span class="quiet">${Math.round(100 * one.accuracy_low)}–${Math.round(100 * one.accuracy_high)}</span>` : figures ? null : html` <span class="quiet">…</span>`;
  return html`${percent(one.accuracy, 0)}${range}`;
}

function Shares({ project }) {
  return html`<section class="card"><h2>Classes, as believed</h2><div class="shares">${Object.entries(project.shares).map(([name, share]) => html`
    <a class="label" href=${`#rows/${encodeURIComponent(JSON.stringify({ believed: name }))}`} title=${name}>${name}</a><span class="track"><i class=${colour(project.classes, name)} style=${{ width: `${100 * share}%` }}></i></span><span>${percent(share)}</span>`)}</div></section>`;
}
