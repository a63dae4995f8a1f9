// Small parts that several views share. All text is put in as text, never as HTML.
import { html, useEffect, useRef, useState } from "./preact.js";
import { ask } from "./api.js";

export const percent = (value, digits = 1) => (value === null || value === undefined ? "–" : `${(100 * value).toFixed(digits)}%`);
// A number with a sign, and one that may have one; never −0.00.
export const signed = (value, digits) => `${value < 0 && Number(value.toFixed(digits)) !== 0 ? "−" : "+"}${Math.abs(value).toFixed(digits)}`;
export const fixed = (value, digits) => signed(value, digits).replace("+", "");
export const count = (value) => (value ?? 0).toLocaleString("en");
export const plural = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;
export const perLine = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);
const COLOURS = 8;
export const colour = (names, name) => `hue${Math.max(0, names.indexOf(name)) % COLOURS}`;

// A comma is a sign like any other; said where somebody may have meant it to separate.
export function Whole({ text, what }) {
  return text.includes(",") && html`<span class="quiet whole">A comma is part of the ${what}. Write each ${what} on a line of its own.</span>`;
}

// A shortlist as chips: one class, several, or all but some, whichever is shorter.
export function Shortlist({ says, classes }) {
  const rest = classes.filter((name) => !says.includes(name));
  const inverted = rest.length && rest.length < says.length && classes.length > 3;
  const shown = inverted ? rest : says;
  return html`<span class="chips">${inverted && html`<i class="not">not</i>`}${shown.map((name) => html`<span class="chip ${colour(classes, name)}">${name}</span>`)}</span>`;
}

export function Marked({ row, labelers }) {
  if (!row.pieces.length) {
    return html`<dl class="fields">${Object.entries(row.fields).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
  }
  return html`<span class="words">${row.pieces.map(([text, who]) =>
    who.length ? html`<mark class=${colour(labelers, who[0])} title=${who.join(", ")}>${text}</mark>` : text)}</span>`;
}

export function Beliefs({ row, classes, most = 4 }) {
  if (!row.class) return html`<p class="quiet">No labeler votes on this row.</p>`;
  const shown = Object.entries(row.beliefs).slice(0, most).filter(([, belief], place) => place === 0 || belief >= 0.005);
  return html`<div class="beliefs" role="img" aria-label=${`Believed: ${shown.map(([name, belief]) => `${name} ${percent(belief, 0)}`).join(", ")}`}>
    ${shown.map(([name, belief]) => html`<span class="label" title=${name}>${name}</span>
      <span class="track"><i class=${colour(classes, name)} style=${{ width: `${100 * belief}%` }}></i></span><span class="figure">${percent(belief, 0)}</span>`)}
  </div>`;
}

export function Known({ row }) {
  if (!row.gold.length) return null;
  const right = row.class && row.gold.includes(row.class);
  return html`<span class=${`known ${row.class ? (right ? "right" : "wrong") : ""}`}>${right || !row.class ? "✓" : "✗"} is ${row.gold.join(" or ")}</span>`;
}

export function Votes({ row, classes, labelers }) {
  const said = Object.entries(row.votes);
  if (!said.length) return null;
  return html`<ul class="votes">${said.map(([name, says]) => html`<li><span class="dot ${colour(labelers, name)}"></span><span class="who">${name}</span> <${Shortlist} says=${says} classes=${classes} /></li>`)}</ul>`;
}

// Why a row has its label: what each labeler added, to the right for the class and to the left against it.
export function Why({ row, revision }) {
  const [found, setFound] = useState(null);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    let gone = false;
    setFound(null);
    setProblem(null);
    ask("why", { row }).then((answer) => gone || setFound(answer), (error) => gone || setProblem(error.message));
    return () => { gone = true; };
  }, [row, revision]);
  if (problem) return html`<p class="quiet">${problem}</p>`;
  if (!found) return html`<p class="quiet" aria-busy="true">Working out why…</p>`;
  const most = Math.max(0.1, ...found.moves.map((move) => Math.abs(move.added)), Math.abs(found.start));
  const line = (name, says, added) => html`<tr><th scope="row">${name}</th><td class="says">${says}</td>
    <td class="move"><span class="axis"><i class=${added >= 0 ? "for" : "against"} style=${{ width: `${(50 * Math.abs(added)) / most}%` }}></i></span></td>
    <td class="figure">${signed(added, 2)}</td></tr>`;
  return html`<table class="why"><caption>Why <b>${found.of}</b> and not <b>${found.against}</b> (log-odds; to the right speaks for ${found.of})</caption>
    <tbody>${Math.abs(found.start) > 0.005 && line("class balance", "before any vote", found.start)}${found.moves.map((move) => line(move.labeler, move.says, move.added))}
    ${line("together", "", found.log_odds)}</tbody></table>`;
}

export function Totals({ totals, before }) {
  return html`<table class="wide totals"><thead><tr><th scope="col">Share of rows</th><th scope="col">Before</th><th scope="col">Now</th><th scope="col">Change</th></tr></thead>
    <tbody>${Object.keys(totals).map((name) => {
      const old = before?.[name];
      const step = old === undefined || old === null ? null : 100 * (totals[name] - old);
      return html`<tr><td>${name}</td><td>${percent(old)}</td><td>${percent(totals[name])}</td><td class=${step === null || Math.abs(step) < 0.05 ? "quiet" : ""}>${step === null ? "–" : signed(step, 1)}</td></tr>`;
    })}</tbody></table>`;
}

export function Empty({ children }) {
  return html`<p class="empty">${children}</p>`;
}

export function useKeys(pressed, deps) {
  const last = useRef(pressed);
  last.current = pressed;
  useEffect(() => {
    const on = (event) => {
      const where = event.target instanceof Element ? event.target : document.body;
      const writing = where.closest("input, textarea, select, [contenteditable]");
      if (!event.ctrlKey && !event.metaKey && !event.altKey) last.current(event, Boolean(writing));
    };
    addEventListener("keydown", on);
    return () => removeEventListener("keydown", on);
  }, deps ?? []);
}

export const KEYS = "123456789abcdefghilnoprtvwxyz";
