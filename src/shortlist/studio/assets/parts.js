// Requests to the studio, and the components that several views share. All text is inserted as text, never as HTML.
import { html, useEffect, useRef, useState } from "./preact.js";

// -- requests ---------------------------------------------------------------------------------------

const SILENT = "The studio is not responding. Is it still running in the terminal?";

// The key of this page, which only this port can read. Cookies are sent to all ports of a machine.
const given = location.hash.match(/^#key=([\w-]+)$/);
if (given) {
  localStorage.setItem("key", given[1]);
  history.replaceState(null, "", "/");
}
const keyed = (more) => ({ "x-shortlist-key": localStorage.getItem("key") ?? "", ...more });

export async function ask(name, request) {
  const options = request === undefined ? { headers: keyed() } : { method: "POST", headers: keyed({ "content-type": "application/json" }), body: JSON.stringify(request) };
  const response = await fetch(`/api/${name}`, options).catch(() => { throw new Error(SILENT); });
  const answer = (response.headers.get("content-type") ?? "").includes("json") ? await response.json() : null;
  if (response.ok && answer && !answer.error) return answer;
  throw Object.assign(new Error(answer?.error?.message ?? `the studio answered ${response.status}`), { facts: answer?.error ?? {} });
}

// Of several requests in a row, only the last one gets its answer; the others get null.
export function latest(name) {
  const tab = Math.random().toString(36).slice(2);
  let last = 0;
  return async (request) => {
    const number = ++last;
    try {
      const answer = await ask(name, { ...request, tab, number });
      return number === last && !answer.superseded ? answer : null;
    } catch (error) {
      if (number !== last) return null;
      throw error;
    }
  };
}

// The stream of events. (EventSource cannot send the key.)
export function listen(receive) {
  const end = new AbortController();
  const read = async () => {
    const response = await fetch("/api/events", { headers: keyed(), signal: end.signal });
    if (!response.ok) throw new Error(SILENT);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = "", part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (text + part.value).split("\n\n");
      text = lines.pop();
      for (const line of lines) if (line.startsWith("data: ")) receive(JSON.parse(line.slice(6)));
    }
  };
  const follow = async () => {
    while (!end.signal.aborted) {
      await read().catch(() => {});
      if (end.signal.aborted) return;
      receive({ kind: "lost", message: SILENT });
      await new Promise((done) => { setTimeout(done, 1000); });
    }
  };
  follow();
  return () => end.abort();
}

// A request with its state: `busy` is the name of the work that goes on, `problem` what went wrong.
export function useTask() {
  const [busy, setBusy] = useState(null);
  const [problem, setProblem] = useState(null);
  const run = async (work, name = true) => {
    setBusy(name);
    setProblem(null);
    try { await work(); } catch (error) { setProblem(error.message); }
    setBusy(null);
  };
  return { busy, problem, setProblem, run };
}

// Milliseconds from an action to its paint: performance.getEntriesByName("studio:…").
export function painted(name, start) {
  requestAnimationFrame(() => requestAnimationFrame(() => performance.measure(`studio:${name}`, { start, end: performance.now() })));
}

// -- places of the page -----------------------------------------------------------------------------

export const link = (view, value) => (value === undefined ? `#${view}` : `#${view}/${encodeURIComponent(typeof value === "string" ? value : JSON.stringify(value))}`);
export const go = (view, value) => { location.hash = link(view, value); };

export function useKeys(pressed) {
  const last = useRef(pressed);
  last.current = pressed;
  useEffect(() => {
    const on = (event) => {
      const target = event.target instanceof Element ? event.target : document.body;
      const writing = target.closest("input, textarea, select, [contenteditable]");
      if (!event.ctrlKey && !event.metaKey && !event.altKey) last.current(event, Boolean(writing));
    };
    addEventListener("keydown", on);
    return () => removeEventListener("keydown", on);
  }, []);
}

// -- words and numbers ------------------------------------------------------------------------------

export const KEYS = "123456789abcdefghilnoprtvwxyz"; // of the classes
export const percent = (value, digits = 1) => (value === null || value === undefined ? "–" : `${(100 * value).toFixed(digits)}%`);
export const signed = (value, digits) => `${value < 0 && Number(value.toFixed(digits)) !== 0 ? "−" : "+"}${Math.abs(value).toFixed(digits)}`; // never −0.00
export const fixed = (value, digits) => signed(value, digits).replace("+", "");
export const count = (value) => (value ?? 0).toLocaleString("en");
export const plural = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;
export const relabelled = (n) => `${plural(n, "label")} by votes alone changed`;
export const perLine = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);
export const oneLine = (text) => text.trim().replace(/\s+/g, " ");
export const rowName = (row) => row.id ?? `row ${row.row}`;
export const colour = (names, name) => `hue${Math.max(0, names.indexOf(name)) % 8}`; // of a class
const tints = new Map();
export function tint(name) { // of a labeler: by its name, or the next that is free. It stays
  const first = ([...name].reduce((hash, sign) => Math.imul(hash ^ sign.codePointAt(0), 16777619), 2166136261) >>> 10) % 12;
  const free = Array.from({ length: 12 }, (_, step) => (first + step) % 12).find((one) => ![...tints.values()].includes(one));
  if (!tints.has(name)) tints.set(name, free ?? first);
  return `lab${tints.get(name)}`;
}
export const rightRows = ({ rows, margin }) => `${Math.round(rows) === 0 ? "no more" : signed(rows, 0)} ${Math.abs(Math.round(rows)) === 1 ? "row" : "rows"} right (± ${count(Math.max(1, Math.round(margin)))})`;

// -- components -------------------------------------------------------------------------------------

export const Empty = ({ children }) => html`<p class="empty">${children}</p>`;
export const Problem = ({ text }) => text && html`<div class="alarm" role="alert">${text}</div>`;
export const Field = ({ title, children }) => html`<label class="field"><span>${title}</span>${children}</label>`;
export const Tile = ({ title, id, note, children }) => html`<div class="tile"><dt>${title}</dt><dd id=${id}>${children}</dd>${note && html`<dd class="note">${note}</dd>`}</div>`;

export const Agreement = ({ text }) => html`<ul class="quiet agreement" id="agreement">${text.replace(/\.$/, "").split("; ").map((one) => html`<li>${one}</li>`)}</ul>`;

// How often each way of labelling is right, as the command line prints it.
export const Scores = ({ scores: { title, headers, lines } }) => html`<h3>${title}</h3><table class="wide scores"><thead><tr>${headers.map((one) => html`<th scope="col">${one}</th>`)}</tr></thead><tbody>${lines.map((line) => html`<tr>${line.map((one) => html`<td>${one}</td>`)}</tr>`)}</tbody></table>`;

// Files of the last run.
export const Downloads = ({ run }) => run?.files.length > 0 && html`<p class="downloads" id="downloads"><span class="quiet">Download, as of the last run:</span> ${run.files.map((name) => html`<button type="button" class="button" onClick=${() => download(name)}>${name}</button> `)}</p>`;

// Fetched by the page, since a link cannot send its key.
async function download(name) {
  const response = await fetch(`/api/files/${encodeURIComponent(name)}`, { headers: keyed() });
  if (!response.ok) throw new Error(`${name} is no longer there`);
  const url = URL.createObjectURL(await response.blob());
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export function CommaHint({ text, what }) {
  return text.includes(",") && html`<span class="quiet whole">A comma is part of the ${what}. Put each ${what} on its own line.</span>`;
}

// A shortlist as chips: its classes, or "not" and the others, whichever is shorter.
export function Shortlist({ says, classes }) {
  const rest = classes.filter((name) => !says.includes(name));
  const inverted = rest.length && rest.length < says.length && classes.length > 3;
  return html`<span class="chips">${inverted && html`<i class="not">not</i>`}${(inverted ? rest : says).map((name) => html`<span class="chip ${colour(classes, name)}">${name}</span>`)}</span>`;
}

// Text with its matches marked. `before`: so many characters are kept before the first match, which may be far down.
export function Marked({ row, before = Infinity, column = null }) {
  if (!row.pieces.length) return html`<${Fields} fields=${column in row.fields ? { [column]: row.fields[column], ...row.fields } : row.fields} />`;
  return html`<span class="words">${excerpt(row.pieces, before).map(([text, who]) =>
    who.length ? html`<mark class=${who[0] === SEARCH ? "" : tint(who[0])} title=${who.filter((one) => one !== SEARCH).join(", ") || undefined}>${text}</mark>` : text)}</span>`;
}

const SEARCH = ""; // stands for the search among the labelers that match
function excerpt(pieces, before) {
  const sought = pieces.findIndex(([, who]) => who[0] === SEARCH);
  const first = sought >= 0 ? sought : pieces.findIndex(([, who]) => who.length);
  const ahead = pieces.slice(0, Math.max(0, first)).map(([text]) => text).join("");
  if (ahead.length <= before) return pieces;
  const kept = ahead.slice(-before);
  return [[`… ${kept.slice(kept.search(/\s/) + 1)}`, []], ...pieces.slice(first)];
}

export const Fields = ({ fields }) => html`<dl class="fields">${Object.entries(fields).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;

export function Beliefs({ row, classes }) {
  if (!row.class) return html`<p class="quiet">No labeler votes on this row.</p>`;
  const shown = Object.entries(row.beliefs).slice(0, 4).filter(([, belief], place) => place === 0 || belief >= 0.005);
  return html`${row.final && html`<p id="final-label">By votes and text: <b>${row.final[0]}</b> ${percent(row.final[1], 0)}</p>`}<p class="quiet">By votes alone:</p><div class="beliefs" role="img" aria-label=${`Beliefs by votes alone: ${shown.map(([name, belief]) => `${name} ${percent(belief, 0)}`).join(", ")}`}>
    ${shown.map(([name, belief]) => html`<span class="label" title=${name}>${name}</span>
      <span class="track"><i class=${colour(classes, name)} style=${{ width: `${100 * belief}%` }}></i></span><span class="figure">${percent(belief, 0)}</span>`)}
  </div>`;
}

// The known class of a row; `right` says whether its label, or a vote, is right. Several classes are possible, or a tie of people.
export function Gold({ row, right = row.class ? row.gold.includes(row.class) : null }) {
  if (!row.gold.length) return null;
  if (row.gold.length > 1) return html`<span class="known">? ${row.gold.join(" or ")}</span>`;
  return html`<span class=${`known ${right === null ? "" : right ? "right" : "wrong"}`}>${right === null ? "" : right ? "✓ " : "✗ "}gold: ${row.gold.join(" or ")}</span>`;
}

export function Votes({ row, classes }) {
  const votes = Object.entries(row.votes);
  return votes.length > 0 && html`<ul class="votes">${votes.map(([name, says]) => html`<li><span class="dot ${tint(name)}"></span><span class="who">${name}</span> <${Shortlist} says=${says} classes=${classes} /></li>`)}</ul>`;
}

// How much each labeler added to the label: bars to the right favor it, bars to the left do not.
export function Why({ row, classes, revision }) {
  const [answer, setAnswer] = useState(null);
  useEffect(() => {
    let gone = false;
    setAnswer(null);
    ask("why", { row }).then((found) => gone || setAnswer(found), (error) => gone || setAnswer({ problem: error.message }));
    return () => { gone = true; };
  }, [row, revision]);
  if (!answer || answer.problem) return html`<p class="quiet" aria-busy=${!answer}>${answer?.problem ?? "Computing…"}</p>`;
  const most = Math.max(0.1, ...answer.moves.map((move) => Math.abs(move.added)), Math.abs(answer.start), Math.abs(answer.log_odds));
  const line = (name, says, added) => html`<tr><th scope="row">${name}</th><td class="says">${says}</td>
    <td class="move"><span class="axis"><i class=${added >= 0 ? "for" : "against"} style=${{ width: `${(50 * Math.abs(added)) / most}%` }}></i></span></td>
    <td class="figure">${signed(added, 2)}</td></tr>`;
  return html`<table class="why"><caption>Why <b>${answer.of}</b> rather than <b>${answer.against}</b> (log-odds; bars to the right favor ${answer.of})</caption>
    <tbody>${Math.abs(answer.start) > 0.005 && line("class balance", "before any vote", answer.start)}${answer.moves.map((move) => line(move.labeler, move.labeler in answer.votes ? html`<${Shortlist} says=${answer.votes[move.labeler]} classes=${classes} />` : move.says, move.added))}
    ${line("total", "", answer.log_odds)}</tbody></table>`;
}

// Totals before and now: {name: {before, after}}.
export function Totals({ totals }) {
  return html`<table class="wide totals"><thead><tr><th scope="col">Share of rows</th><th scope="col">Before</th><th scope="col">Now</th><th scope="col">Change</th></tr></thead>
    <tbody>${Object.entries(totals).map(([name, { before, after }]) => {
      const step = before === undefined || before === null ? null : 100 * (after - before);
      return html`<tr><td>${name}</td><td>${percent(before)}</td><td>${percent(after)}</td><td class=${step === null || Math.abs(step) < 0.05 ? "quiet" : ""}>${step === null ? "–" : signed(step, 1)}</td></tr>`;
    })}</tbody></table>`;
}

export const editsOf = (change) => Object.entries(change.edits).map(([name, how]) => `${name} ${{ new: "added", gone: "removed" }[how] ?? how}`).join(", ");
