// Two states of the project side by side, and files to export.
import { html, useEffect, useState } from "./preact.js";
import { Downloads, Empty, Field, Gold, Marked, Problem, Scores, Totals, ask, count, editsOf, relabelled, rowName, useTask } from "./parts.js";

export function Compare({ project }) {
  const { states } = project;
  const [pair, setPair] = useState(() => [states[Math.max(0, states.length - 2)]?.number, states[states.length - 1]?.number]);
  const [answer, setAnswer] = useState(null);
  const [offset, setOffset] = useState(0);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    if (states.length < 2) return;
    ask("compare", { before: pair[0], after: pair[1], offset }).then((found) => { setAnswer(found); setProblem(null); }, (error) => setProblem(error.message));
  }, [pair[0], pair[1], offset, project.revision]);
  const choose = (place) => (event) => { setOffset(0); setPair((now) => now.map((one, i) => (i === place ? Number(event.target.value) : one))); };
  const title = (state) => `${state.number}. ${state.title} (${new Date(state.at).toLocaleTimeString()})`;
  return html`<section class="card long"><div class="head"><h2>Compare</h2>
      ${states.length > 1 && [0, 1].map((place) => html`<label class="pick"><span>${place ? "with" : "State"}</span><select value=${pair[place]} onChange=${choose(place)}>${states.map((state) => html`<option value=${state.number}>${title(state)}</option>`)}</select></label>`)}</div>
      <${Problem} text=${problem} />
      ${states.length < 2 ? html`<${Empty}>There is only one state so far. Every change adds one to compare with.<//>` : !answer ? html`<${Empty}>Comparing…<//>` : html`<${Difference} answer=${answer} offset=${offset} setOffset=${setOffset} />`}
    </section>
    <section class="card long" id="export"><h2>Export</h2><p class="lead">${project.bare ? "Write a rule first: there is nothing to export yet." : "Files are written to the project folder. The command does the same."}</p><${Files} project=${project} /><${CustomExport} project=${project} /></section>`;
}

function Difference({ answer, offset, setOffset }) {
  const page = 20; // rows
  return html`<div class="two"><div><${Totals} totals=${answer.totals} /><p class="quiet">${editsOf(answer)}</p></div>
      <div><h3 id="flipped">${relabelled(answer.flipped)}, of ${count(answer.rows)}</h3>
      ${!answer.same_rows && html`<p class="quiet">The rows or the classes changed: labels are not compared.</p>`}
      <table class="wide"><tbody>${answer.flips.slice(0, 8).map((flip) => html`<tr><td>${flip.before}</td><td>→ ${flip.after}</td><td>${count(flip.rows)}</td></tr>`)}</tbody></table></div></div>
    <ul class="examples">${answer.examples.map((row) => html`<li class="example" key=${row.row}><div class="text"><${Marked} row=${row} before=${60} /></div><div class="meta"><span>${rowName(row)}</span><b>${row.was} → ${row.is}</b><${Gold} row=${row} right=${row.gold.includes(row.is)} /></div></li>`)}</ul>
    ${answer.flipped > page && html`<div class="actions"><button type="button" class="button" disabled=${offset === 0} onClick=${() => setOffset(offset - page)}>Previous</button><span class="quiet">${count(offset + 1)} to ${count(Math.min(offset + page, answer.flipped))}</span><button type="button" class="button" disabled=${offset + page >= answer.flipped} onClick=${() => setOffset(offset + page)}>Next</button></div>`}`;
}

const FILES = [
  ["labels", "Labels", "class, belief and shortlist of every row", "shortlist export"],
  ["votes", "Votes", "every vote on every row", "shortlist vote"],
  ["report", "Report", "one page with all figures", "shortlist report --open"],
  ["everything", "Everything", "all of these, and a trained classifier", "shortlist run"],
];

function Files({ project }) {
  const [written, setWritten] = useState({});
  const [done, setDone] = useState(null); // the end of a run
  const { busy, problem, run } = useTask();
  const write = (what) => run(async () => {
    const answer = await ask("export", { what });
    setWritten((now) => ({ ...now, [what]: answer.files }));
    if (answer.lines) setDone(answer);
  }, what);
  return html`<${Problem} text=${problem} />
    <div class="scroll" tabindex="0" role="region" aria-label="Files to write"><table class="wide"><tbody>${FILES.map(([what, title, note, command]) => html`<tr><td><button type="button" class="button" disabled=${busy !== null || project.bare} onClick=${() => write(what)}>${busy === what ? "Writing…" : title}</button></td><td>${note}</td><td><code>${command}</code></td><td>${written[what]?.map((file) => html`<div><code>${file}</code></div>`)}</td></tr>`)}</tbody></table></div>
    ${done && html`<div id="ran">${done.scores && html`<${Scores} scores=${done.scores} />`}${done.lines.map((line) => html`<p>${line}</p>`)}</div>`}
    <${Downloads} run=${project.run} />`;
}

function CustomExport({ project }) {
  const [form, setForm] = useState({ to: "labels.csv", columns: [], belief: "" });
  const [done, setDone] = useState(null);
  const { busy, problem, run } = useTask();
  const set = (part) => setForm((now) => ({ ...now, ...part }));
  const toggle = (name) => set({ columns: form.columns.includes(name) ? form.columns.filter((one) => one !== name) : [...form.columns, name] });
  const write = (event) => {
    event.preventDefault();
    setDone(null);
    const request = { to: form.to, columns: form.columns, min_belief: form.belief === "" ? null : Number(form.belief) };
    run(async () => setDone(await ask("export_own", request)));
  };
  return html`<form class="own" onSubmit=${write}><h3>Custom export of the labels</h3>
    <${Field} title="File (.csv, .jsonl or .parquet)"><input id="own-to" value=${form.to} required onInput=${(event) => set({ to: event.target.value })} /><//>
    <fieldset class="checks"><legend>Data columns to include</legend>${project.columns.map((name) => html`<label><input type="checkbox" name="own-column" value=${name} checked=${form.columns.includes(name)} onChange=${() => toggle(name)} /> ${name || "(column without a name)"}</label>`)}</fieldset>
    <${Field} title="Only rows with at least this belief (0 to 1)"><input id="own-belief" type="number" min="0" max="1" step="any" placeholder="all rows" value=${form.belief} onInput=${(event) => set({ belief: event.target.value })} /><//>
    <${Problem} text=${problem} />
    <div class="actions"><button id="own-write" class="button" disabled=${busy || project.bare}>${busy ? "Writing…" : "Write"}</button></div>
    ${done && html`<p id="own-done" role="status">${done.lines.join("; ")} → <code>${done.files[0]}</code><br /><code>${done.command}</code></p>`}</form>`;
}
