// Two states of the project side by side, and files to take away.
import { html, useEffect, useState } from "./preact.js";
import { ask } from "./api.js";
import { Empty, Marked, Totals, count, plural } from "./parts.js";

const FILES = [["labels", "Labels", "class, belief and shortlist of every row"], ["votes", "Votes", "what every labeler says about every row"], ["report", "Report", "one page about all of it"], ["everything", "Everything", "with a trained classifier"]];

export function Compare({ project }) {
  const { states } = project;
  const [pair, setPair] = useState(() => [states[Math.max(0, states.length - 2)]?.number, states[states.length - 1]?.number]);
  const [found, setFound] = useState(null);
  const [offset, setOffset] = useState(0);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    if (states.length < 2) return;
    ask("compare", { before: pair[0], after: pair[1], offset }).then((answer) => { setFound(answer); setProblem(null); }, (error) => setProblem(error.message));
  }, [pair[0], pair[1], offset, project.revision]);
  const choose = (place) => (event) => { setOffset(0); setPair((now) => now.map((one, i) => (i === place ? Number(event.target.value) : one))); };
  const title = (state) => `${state.number === 0 ? "last time" : `${state.number}. ${state.title}`} (${new Date(state.at).toLocaleTimeString()})`;
  const names = project.labelers.map((one) => one.name);
  const before = found && Object.fromEntries(Object.entries(found.totals).map(([name, step]) => [name, step.before]));
  const now = found && Object.fromEntries(Object.entries(found.totals).map(([name, step]) => [name, step.after]));
  return html`<section class="card long"><div class="head"><h2>Compare</h2>
      ${states.length > 1 && [0, 1].map((place) => html`<label class="pick"><span>${place ? "with" : "State"}</span><select value=${pair[place]} onChange=${choose(place)}>${states.map((state) => html`<option value=${state.number}>${title(state)}</option>`)}</select></label>`)}</div>
      ${problem && html`<div class="alarm" role="alert">${problem}</div>`}
      ${states.length < 2 ? html`<${Empty}>There is one state so far. Every change makes another one to compare with.<//>` : !found ? html`<${Empty}>Comparing…<//>` : html`
        <div class="two"><div><${Totals} totals=${now} before=${before} />${Object.keys(found.edits).length > 0 && html`<p class="quiet">${Object.entries(found.edits).map(([name, how]) => `${name} ${how}`).join(", ")}</p>`}</div>
          <div><h3 id="flipped">${plural(found.flipped, "row")} of ${count(found.rows)} got another label</h3>
          ${!found.same_rows && html`<p class="quiet">The rows or the classes are others: labels are not compared.</p>`}
          <table class="wide"><tbody>${found.flips.slice(0, 8).map((flip) => html`<tr><td>${flip.before}</td><td>→ ${flip.after}</td><td>${count(flip.rows)}</td></tr>`)}</tbody></table></div></div>
        <ul class="examples">${found.examples.map((row) => html`<li class="example" key=${row.row}><div class="text"><${Marked} row=${row} labelers=${names} /></div><div class="meta"><span>${row.id ?? `row ${row.row}`}</span><b>${row.was} → ${row.is}</b>${row.gold.length > 0 && html`<span class=${row.gold.includes(row.is) ? "right" : "wrong"}>is ${row.gold.join(" or ")}</span>`}</div></li>`)}</ul>
        ${found.flipped > 20 && html`<div class="actions"><button type="button" class="button" disabled=${offset === 0} onClick=${() => setOffset(offset - 20)}>Previous</button><span class="quiet">${count(offset + 1)} to ${count(Math.min(offset + 20, found.flipped))}</span><button type="button" class="button" disabled=${offset + 20 >= found.flipped} onClick=${() => setOffset(offset + 20)}>Next</button></div>`}`}
    </section><${Files} project=${project} />`;
}

function Files({ project }) {
  const [busy, setBusy] = useState(null);
  const [done, setDone] = useState({});
  const [problem, setProblem] = useState(null);
  const write = async (what) => {
    setBusy(what);
    setProblem(null);
    try { const answer = await ask("export", { what }); setDone((now) => ({ ...now, [what]: answer })); } catch (error) { setProblem(error.message); }
    setBusy(null);
  };
  return html`<section class="card long" id="export"><h2>Export</h2><p class="lead">Files are written to the folder of the project. The command does the same without a browser.</p>
    ${problem && html`<div class="alarm" role="alert">${problem}</div>`}
    <div class="scroll" tabindex="0" role="region" aria-label="Files to write"><table class="wide"><tbody>${FILES.map(([what, title, note]) => html`<tr><td><button type="button" class="button" disabled=${busy !== null || project.bare} onClick=${() => write(what)}>${busy === what ? "Writing…" : title}</button></td><td>${note}</td><td><code>${{ labels: "shortlist export", votes: "shortlist vote", report: "shortlist report --open", everything: "shortlist run" }[what]}</code></td><td>${done[what]?.files.map((file) => html`<div><code>${file}</code></div>`)}</td></tr>`)}</tbody></table></div>
    <${OwnFile} project=${project} /></section>`;
}

// Labels in a file of one's own: with columns of the data, of believed rows only, with names a database takes.
function OwnFile({ project }) {
  const [form, setForm] = useState({ to: "labels.csv", columns: [], belief: "", plain: false });
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState(null);
  const [problem, setProblem] = useState(null);
  const set = (part) => setForm((now) => ({ ...now, ...part }));
  const tick = (name) => set({ columns: form.columns.includes(name) ? form.columns.filter((one) => one !== name) : [...form.columns, name] });
  const write = async (event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    setDone(null);
    const min_belief = form.belief === "" ? null : Number(form.belief);
    try { setDone(await ask("export_own", { to: form.to, columns: form.columns, min_belief, plain_names: form.plain })); } catch (error) { setProblem(error.message); }
    setBusy(false);
  };
  return html`<form class="own" onSubmit=${write}><h3>Labels in a file of your own</h3>
    <label class="field"><span>File (.csv, .jsonl or .parquet)</span><input id="own-to" value=${form.to} required onInput=${(event) => set({ to: event.target.value })} /></label>
    <fieldset class="checks"><legend>Columns of the data to add</legend>${project.columns.map((name) => html`<label><input type="checkbox" name="own-column" value=${name} checked=${form.columns.includes(name)} onChange=${() => tick(name)} /> ${name || "(column without a name)"}</label>`)}</fieldset>
    <label class="field"><span>Only rows believed at least (0 to 1)</span><input id="own-belief" type="number" min="0" max="1" step="any" placeholder="all rows" value=${form.belief} onInput=${(event) => set({ belief: event.target.value })} /></label>
    <label class="check"><input id="own-plain" type="checkbox" checked=${form.plain} onChange=${() => set({ plain: !form.plain })} /> Column names that a database takes without quotes</label>
    ${problem && html`<div class="alarm" role="alert">${problem}</div>`}
    <div class="actions"><button id="own-write" class="button" disabled=${busy || project.bare}>${busy ? "Writing…" : "Write"}</button></div>
    ${done && html`<p id="own-done" role="status">${done.lines.join("; ")} → <code>${done.files[0]}</code><br /><code>${done.command}</code></p>`}</form>`;
}
