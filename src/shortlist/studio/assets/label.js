// Label rows with one key each: the most helpful rows, or random ones. Everything works without a mouse.
import { html, useEffect, useRef, useState } from "./preact.js";
import { AfterLabel } from "./rows.js";
import { Agreement, Beliefs, Empty, Field, KEYS, Marked, Problem, Tile, Votes, ask, count, painted, percent, plural, rowName, signed, useKeys } from "./parts.js";

const GOLD_IS_FOR = [["null", "label their rows and teach the classifier"], ["true", "… and fit the label model, too"], ["false", "score only"]];

export function hardRows(gold) {
  const picked = `${count(gold.hard)} of the gold rows ${gold.hard === 1 ? "was picked because it is" : "were picked because they are"} hard`;
  return `${picked}${gold.model === undefined ? "" : ", so the accuracy may be too low"}. For a fair score, label random rows.`;
}

export function savedRows(gold) {
  const several = gold.several > 0 ? `; ${plural(gold.several, "row")} ${gold.several === 1 ? "has" : "have"} several classes` : "";
  const skipped = gold.skipped > 0 ? `; ${count(gold.skipped)} ${gold.skipped === 1 ? "was" : "were"} skipped` : "";
  return `Labels are saved in gold.jsonl${gold.votes ? " as votes" : ""}${gold.by ? `, under the name ${gold.by}` : ""}${several}${skipped}.`;
}

export function Label({ project, at, setProject, say }) {
  const [row, setRow] = useState(undefined); // undefined: not loaded yet; null: none left
  const [gold, setGold] = useState(project.gold);
  const [done, setDone] = useState([]); // the labels of this session, for undo
  const [several, setSeveral] = useState(null); // the classes chosen so far, if several are possible
  const [problem, setProblem] = useState(null);
  const [picked, setPicked] = useState(at.name === "differ" ? "differ" : "gain"); // how rows are picked: "gain", "random" or "differ"
  const before = useRef(project.gold.model);
  const busy = useRef(false);
  const next = async (start, how = picked) => {
    const answer = await ask("next", { picked: how });
    setRow(answer.row && { ...answer.row, picked: how });
    setGold(answer.gold);
    if (start) painted("label", start);
  };
  const run = async (work) => {
    if (busy.current) return;
    busy.current = true;
    try { await work(); setProblem(null); } catch (error) { setProblem(error.message); }
    busy.current = false;
  };
  useEffect(() => { run(() => next()); }, []);
  const put = (classes, start = performance.now()) => row && run(async () => {
    const answer = await ask("label", { row: row.row, classes, picked: row.picked });
    setDone((now) => [...now, { row: answer.row, entry: answer.entry, classes }]);
    setSeveral(null);
    await next(start);
    say(classes.length ? `${rowName(row)} is ${classes.join(" or ")}` : "skipped");
  });
  const undo = () => done.length && run(async () => {
    const last = done[done.length - 1];
    const answer = await ask("undo", { entry: last.entry });
    setDone((now) => now.slice(0, -1));
    setGold(answer.gold);
    setRow({ ...last.row, gold: [], picked });
    setSeveral(null);
    say("undone");
  });
  const choose = (name, start) => {
    if (several === null) put([name], start);
    else setSeveral(several.includes(name) ? several.filter((one) => one !== name) : [...several, name]);
  };
  const pick = (event) => { const how = event.target.value; setPicked(how); setSeveral(null); if (row && how === "random") setRow({ ...row, pieces: row.text ? [[row.text, []]] : [], picked: how }); run(() => next(undefined, how)); };
  const useGold = (event) => {
    event.target.blur(); // keys are classes again, also while the fit goes on
    ask("use_gold", { fits: JSON.parse(event.target.value) }).then(setProject, (error) => setProblem(error.message));
  };
  useKeys((event, writing) => {
    if (writing && !["checkbox", "radio"].includes(event.target.type)) return;
    const place = KEYS.indexOf(event.key);
    if (event.key === "u") undo();
    else if (event.key === "s") put([], event.timeStamp);
    else if (event.key === "m") setSeveral(several === null ? [] : null);
    else if (event.key === "Escape") setSeveral(null);
    else if (event.key === "Enter" && several?.length && !(event.target instanceof HTMLButtonElement)) put(several, event.timeStamp);
    else if (place >= 0 && place < project.classes.length) choose(project.classes[place], event.timeStamp);
  });
  const step = gold.model !== undefined && before.current !== undefined ? gold.model - before.current : 0;
  const radio = (value, title) => html`<label class="check"><input type="radio" name="picked" value=${value} checked=${picked === value} onChange=${pick} /> ${title}</label>`;
  return html`<div class="split labelsplit">
    <section class="card" aria-label="The row to label">
      <${Problem} text=${problem} />
      ${row === undefined ? html`<${Empty}>Looking for the next row…<//>` : row === null ? html`<${Empty}>${picked === "differ" ? "People differ on no row." : "Every row is labelled or skipped."}<//>` : html`
        <div class="meta"><span id="asked">${rowName(row)}</span></div>
        ${row.people?.length > 0 && html`<p class="several" id="said-by">${row.people.map(([by, names]) => html`<span>${by}: <b>${names.join(" or ") || "skipped"}</b></span> `)}</p>`}
        <div class="reading large" tabindex="0" role="region" aria-label="Text of the row"><${Marked} row=${row} /></div>
        <div class="keys" role="group" aria-label="Classes">${project.classes.map((name, place) => html`<button type="button" class="key" aria-pressed=${several ? several.includes(name) : undefined} onClick=${() => choose(name)}>${place < KEYS.length && html`<kbd>${KEYS[place]}</kbd>`}${name}</button>`)}</div>
        ${several !== null && html`<p class="several">One of these classes: <b>${several.join(" or ") || "choose them"}</b> <button type="button" class="button main" disabled=${!several.length} onClick=${() => put(several)}><kbd>Enter</kbd> save</button></p>`}
        <div class="keys rest"><button type="button" class="key" aria-pressed=${several !== null} onClick=${() => setSeveral(several === null ? [] : null)}><kbd>m</kbd>several</button><button type="button" class="key" onClick=${() => put([])}><kbd>s</kbd>skip</button><button type="button" class="key" disabled=${!done.length} onClick=${undo}><kbd>u</kbd>undo</button></div>
        ${!project.bare && row.picked !== "random" && html`<details><summary>Votes and beliefs</summary><${Beliefs} row=${row} classes=${project.classes} /><${Votes} row=${row} classes=${project.classes} /></details>`}`}
    </section>
    <aside class="card"><h2>Which rows</h2>
      <div role="radiogroup" aria-label="Which rows">${radio("gain", "most helpful")}${radio("random", "random, for a fair score")}${(gold.differ > 0 || picked === "differ") && radio("differ", `on which people differ (${count(gold.differ)})`)}</div>
      ${picked === "random" && html`<p class="quiet">Random rows are shown without votes, beliefs and marks, so that these do not sway you.</p>`}
      <h2>So far</h2>
      <dl class="tiles small"><${Tile} title="gold rows" id="labelled">${count(gold.rows)}<//>
        ${gold.model !== undefined && html`<${Tile} title="by votes alone" note=${`right on gold rows${Math.abs(step) < 0.0005 ? "" : `; ${signed(100 * step, 1)} this session`}`}>${percent(gold.model)}<//><${Tile} title="counting votes" note="right on gold rows">${percent(gold.counting)}<//>`}</dl>
      ${!project.bare && html`<${Field} title="Gold labels"><select id="use-gold" value=${String(project.gold.fits)} onChange=${useGold}>${GOLD_IS_FOR.map(([value, title]) => html`<option value=${value}>${title}</option>`)}</select><//>`}
      ${gold.agreement && html`<${Agreement} text=${gold.agreement} />`}
      ${gold.hard > 0 && html`<p class="quiet" id="hard">${hardRows(gold)}</p>`}
      <p class="quiet" id="kept">${savedRows(gold)}</p>
      ${done.length > 0 && html`<${AfterLabel} row=${done[done.length - 1].row} project=${project} /><h3>Latest</h3><ol class="latest" reversed>${done.slice(-8).reverse().map((one) => html`<li>${rowName(one.row)}: ${one.classes.join(" or ") || "skipped"}</li>`)}</ol>`}
    </aside></div>`;
}
