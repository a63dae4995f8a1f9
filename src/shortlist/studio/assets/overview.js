// The project at a glance: totals, what to do next, the effect of the last change, and the labelers.
import { html, useEffect, useState } from "./preact.js";
import { Agreement, Downloads, Scores, Shortlist, Tile, Totals, ask, colour, count, editsOf, link, painted, percent, plural, relabelled, tint, useTask } from "./parts.js";

export function Overview({ project, setProject, say }) {
  const [figures, setFigures] = useState(null);
  const [scores, setScores] = useState(undefined); // undefined: not computed yet
  useEffect(() => {
    let gone = false;
    if (!project.bare) {
      ask("scores").then((answer) => gone || setScores(answer.scores), () => gone || setScores(null));
      ask("figures").then((answer) => gone || setFigures(answer), () => {});
    }
    return () => { gone = true; };
  }, [project.revision, project.bare]);
  return html`
    <${Tiles} project=${project} scores=${scores} />
    <div class="two"><${ToDo} project=${project} figures=${figures} />${!project.bare && html`<${LastChange} project=${project} />`}</div>
    ${!project.bare && html`<${Labelers} project=${project} figures=${figures} setProject=${setProject} say=${say} />
      <div class="three"><${Classifier} project=${project} scores=${scores} /><${People} gold=${project.gold} /><${Shares} project=${project} />
      <${Drawing} title="Confidence" lead="Rows by the belief in their most likely class." drawing=${figures?.drawings.beliefs} />
      <${Drawing} title="Calibration" lead="Accuracy on gold rows with a vote, by belief. Below the diagonal, the model is overconfident." drawing=${figures?.drawings.calibration} /></div>`}`;
}

const FINAL = "votes and text"; // the labels that a run writes

function Tiles({ project: { bare, classes, gold, labelers, rows, totals }, scores }) {
  const silent = gold.rows - gold.voted;
  const final = scores?.lines.find(([way]) => way === FINAL);
  return html`<dl class="tiles"><${Tile} title="rows" note=${`${plural(labelers.filter((one) => one.on).length, "labeler")}, ${classes.length} classes`}>${count(rows)}<//>
    ${!bare && html`<${Tile} title="covered" note="rows with a vote">${percent(totals.covered)}<//>
      <${Tile} title="in conflict" note="rows with conflicting votes">${percent(totals["in conflict"])}<//>
      <${Tile} title="mean belief" note="in the most likely class">${percent(totals["mean belief"])}<//>`}
    ${(final || scores === undefined) && gold.rows > 0 && !bare && html`<${Tile} title="final labels right" id="final" note=${`${gold.fits === false ? "votes and text" : "votes, text and gold labels"} together${final ? `; ${final[2]}, by ${count(gold.rows)} gold rows` : ""}`}>${final?.[1] ?? "…"}<//>`}
    ${gold.model !== undefined ? html`<${Tile} title="by votes alone" note=${`right on ${count(gold.voted)} gold rows${silent ? ` with a vote (${count(silent)} have none)` : ""}; counting votes: ${percent(gold.counting)}`}>${percent(gold.model)}<//>`
      : gold.rows > 0 && html`<${Tile} title="gold rows" note="rows with a known class">${count(gold.rows)}<//>`}</dl>`;
}

const firstSteps = ({ text, gold }) => [
  text ? { what: "Write the first rule.", why: "Read some rows, select a word that indicates the class, and start a rule from it.", href: "#rows" }
    : { what: "Write the first rule.", why: "Choose a column, and a value from which on the class is likely.", href: "#rules/+" },
  ...(gold.rows < 30 ? [{ what: "Label some rows.", why: "A few dozen gold labels show how good the rules are.", href: "#label" }] : []),
];

function ToDo({ project, figures }) {
  const items = project.bare ? firstSteps(project) : figures?.todo ?? null;
  const place = (item) => item.href ?? (item.query ? link("rows", item.query) : item.kind === "label" ? "#label" : link("rules", item.labeler ?? undefined));
  return html`<section class="card"><h2>What to do next</h2>
    ${items === null ? html`<p class="quiet wait" aria-busy="true">Computing what would help most…</p>`
      : items.length === 0 ? html`<p class="quiet">Nothing to improve was found.</p>`
      : html`<ol class="todo">${items.map((item) => html`<li><a href=${place(item)}>${item.what}</a>${item.why && html`<p>${item.why}</p>`}${item.gain && html`<p class="quiet">${item.gain}</p>`}</li>`)}</ol>`}
    ${["promise", "to_add"].map((name) => figures?.[name] && html`<p class="quiet" id=${name.replace("_", "-")}>${figures[name].split("`").map((part, place) => (place % 2 ? html`<code>${part}</code>` : part))}</p>`)}
    ${project.notes.length > 0 && html`<details><summary>Notes on the last fit</summary>${project.notes.map((note) => html`<p class="quiet">${note}</p>`)}</details>`}
  </section>`;
}

function LastChange({ project: { change } }) {
  if (change) {
    return html`<section class="card"><h2>Effect of the last change</h2><p class="lead">${editsOf(change) || "No labeler changed"}. ${relabelled(change.flipped)}. <a href="#compare">Compare</a></p><${Totals} totals=${change.totals} /></section>`;
  }
  return html`<section class="card"><h2>How it works</h2><ol class="todo"><li><a href="#rows">Read rows</a><p>Search, filter, select a word to start a rule.</p></li><li><a href="#rules">Write rules</a><p>See the effect of a rule as you type.</p></li><li><a href="#label">Label some rows</a><p>One key per row. The labels show how good the rules are.</p></li></ol></section>`;
}

function Labelers({ project, figures, setProject, say }) {
  const [[column, order], setSort] = useState(["name", 1]);
  const [filter, setFilter] = useState("");
  const { busy, run } = useTask();
  const lines = project.labelers.map((one) => ({ ...one, ...figures?.labelers?.[one.name] }));
  const value = (one) => (column === "name" ? one.name : one[column] ?? -Infinity);
  const shown = lines.filter((one) => one.name.toLowerCase().includes(filter.toLowerCase()));
  shown.sort((a, b) => order * (column === "name" ? a.name.localeCompare(b.name) : value(a) - value(b)));
  const toggle = (one) => run(async () => {
    const start = performance.now();
    try {
      const answer = await ask("switch", { name: one.name, on: !one.on });
      setProject(answer);
      painted("switch", start);
      say(`${one.name} is ${one.on ? "off" : "on"}: ${relabelled(answer.change?.flipped ?? 0)}`);
    } catch (error) { say(error.message); }
  });
  return html`<section class="card long" id="labelers"><div class="head"><h2>Labelers</h2>
    <input type="search" placeholder="Filter" aria-label="Filter labelers by name" value=${filter} onInput=${(event) => setFilter(event.target.value)} />
    <a class="button" href="#rules/+">New rule</a></div>
    <div class="scroll" tabindex="0" role="region" aria-label="Table of labelers"><table class="wide" id="table-labelers">
    <thead><tr><th scope="col">On</th>${[{ name: "name", title: "Labeler" }, ...project.table].map(({ name, title, help }) => html`<th scope="col" title=${help} aria-sort=${column === name ? (order > 0 ? "ascending" : "descending") : undefined}><button onClick=${() => setSort([name, column === name ? -order : name === "name" ? 1 : -1])}>${title}</button></th>`)}</tr></thead>
    <tbody>${shown.map((one) => html`<tr key=${one.name} class=${one.on ? "" : "off"}>
      <td><input type="checkbox" role="switch" checked=${one.on} disabled=${busy} aria-label=${`Use ${one.name}`} onChange=${() => toggle(one)} /></td>
      <td><a class="name" href=${link("rules", one.name)}><span class="dot ${tint(one.name)}"></span>${one.name}</a> <a class="rowsof" href=${link("rows", { labeler: one.name })}>rows</a><div class="sayings">${one.says.map((says) => html`<${Shortlist} says=${says} classes=${project.classes} />`)}</div>${one.failed ? html`<div class="wrong">failed on ${plural(one.failed, "row")}</div>` : null}</td>
      ${project.table.map(({ name }) => html`<td key=${name}><${Drawn} drawing=${one.cells?.[name] ?? (one.on && !figures ? "…" : "–")} /></td>`)}</tr>`)}</tbody></table></div>
    <details><summary>What the columns mean</summary><dl class="defs">${project.table.map(({ title, help }) => html`<dt>${title}</dt><dd>${help}</dd>`)}</dl></details></section>`;
}

// Drawings are made by the server, as for the report: they contain numbers, and no text of users.
function Drawn({ drawing }) {
  return html`<div dangerouslySetInnerHTML=${{ __html: drawing }}></div>`;
}

// What the last run trained, beside what it would be now.
function Classifier({ project: { run }, scores }) {
  return html`<section class="card" id="classifier"><h2>Labels and classifier</h2>
    ${scores === undefined ? html`<p class="quiet" aria-busy="true">Scoring the labels…</p>` : scores && html`<${Scores} scores=${scores} />`}
    ${!run ? html`<p class="lead">Votes, text and gold labels are combined into the final labels, and a classifier learns from them.</p><p><a href="#compare">Label all rows and train it</a></p>`
      : html`<p class="lead">Trained on ${plural(run.trained_on, "row")} at the last run. ${run.reason}</p>
        <p><a href=${link("rows", { disagree: true })}>Rows where votes and text disagree</a> · <a href="#compare">Run again</a></p><${Downloads} run=${run} />`}</section>`;
}

function People({ gold: { agreement, differ } }) {
  return agreement && html`<section class="card" id="people"><h2>People</h2><${Agreement} text=${agreement} />
    ${differ > 0 && html`<p><a href="#label/differ">${plural(differ, "row")} on which people differ</a></p>`}</section>`;
}

function Drawing({ title, lead, drawing }) {
  return drawing && html`<section class="card"><h2>${title}</h2><p class="lead">${lead}</p><${Drawn} drawing=${drawing} /></section>`;
}

function Shares({ project }) {
  return html`<section class="card"><h2>Estimated class shares</h2><div class="shares">${Object.entries(project.shares).map(([name, share]) => html`
    <a class="label" href=${link("rows", { believed: name })} title=${name}>${name}</a><span class="track"><i class=${colour(project.classes, name)} style=${{ width: `${100 * share}%` }}></i></span><span>${percent(share)}</span>`)}</div></section>`;
}
