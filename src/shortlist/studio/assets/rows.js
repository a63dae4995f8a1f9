// Search, filter and read rows, label them in place, and start a rule from words of a row.
import { html, useEffect, useLayoutEffect, useRef, useState } from "./preact.js";
import { Beliefs, Empty, Gold, KEYS, Marked, Problem, Votes, Why, ask, link, oneLine, painted, percent, plural, rowName, useKeys } from "./parts.js";
import { startRule } from "./rules.js";

const HEIGHT = 64; // pixels of a line
const TALLEST = 8_000_000; // pixels: browsers do not scroll through more
const ASIDE = 20; // rows to load above and below those in view

function parse(name) {
  try { return name ? JSON.parse(name) : {}; } catch { return { text: name }; }
}

export function Rows({ project, at, say }) {
  const query = parse(at.name);
  const [found, setFound] = useState(null);
  const [rows, setRows] = useState({});
  const [problem, setProblem] = useState(null);
  const [first, setFirst] = useState(0);
  const [chosen, setChosen] = useState(0);
  const started = useRef(performance.now());
  const key = JSON.stringify(query);

  const change = (part, start) => {
    started.current = start ?? performance.now();
    const next = { ...query, ...part };
    for (const name of Object.keys(next)) if (!next[name]) delete next[name];
    history.replaceState(null, "", link("rows", next));
    dispatchEvent(new HashChangeEvent("hashchange"));
  };

  useEffect(() => { setFirst(0); setChosen(0); }, [key]);
  useEffect(() => {
    const offset = Math.max(0, first - ASIDE);
    const start = started.current;
    let gone = false;
    ask("rows", { query, offset, limit: 100 }).then((answer) => {
      if (gone) return;
      setProblem(null);
      setFound(answer.found);
      setRows(Object.fromEntries(answer.rows.map((row, place) => [offset + place, row])));
      painted("rows", start);
    }, (error) => { if (!gone) { setProblem(error.message); setFound(0); setRows({}); } });
    return () => { gone = true; };
  }, [key, project.revision, Math.floor(first / 40)]);

  const row = rows[chosen];
  const label = async (classes) => {
    if (!row) return;
    const start = performance.now();
    try {
      const answer = await ask("label", { row: row.row, classes });
      setRows((now) => Object.fromEntries(Object.entries(now).map(([place, one]) => [place, one.row === row.row ? answer.row : one])));
      say(`${rowName(row)} is ${classes.join(" or ")}`);
      painted("label", start);
    } catch (error) { say(error.message); }
  };
  useKeys((event, writing) => {
    if (event.key === "/" && !writing) { event.preventDefault(); document.getElementById("search")?.focus(); return; }
    if (writing) { if (event.key === "Escape") event.target.blur(); return; }
    const move = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (move && found) {
      event.preventDefault();
      const next = Math.min(found - 1, Math.max(0, chosen + move));
      setChosen(next);
      const seen = Math.max(1, Math.floor((document.getElementById("list")?.clientHeight ?? 600) / HEIGHT));
      if (next < first) setFirst(next);
      else if (next >= first + seen - 1) setFirst(Math.max(0, next - seen + 2));
    }
    const digit = "123456789".indexOf(event.key);
    if (digit >= 0 && digit < project.classes.length) label([project.classes[digit]]);
  });

  return html`
    <form class="filters" role="search" onSubmit=${(event) => event.preventDefault()}>
      ${project.text && html`<input id="search" type="search" placeholder="Search ( / )" aria-label="Search the text" value=${query.text ?? ""} onInput=${(event) => change({ text: event.target.value }, event.timeStamp)} />`}
      <output class="found" id="found">${found === null ? "…" : plural(found, "row")}</output>
      ${project.bare || html`<${Pick} title="Labeler" value=${query.labeler} options=${project.labelers.filter((one) => one.on).map((one) => one.name)} change=${(labeler) => change({ labeler, votes: "", conflict: labeler ? query.conflict : "" })} />
      ${query.labeler && html`<${Pick} title="vote" value=${query.votes} options=${(project.labelers.find((one) => one.name === query.labeler)?.says ?? []).map((says) => says.join(", "))} change=${(votes) => change({ votes })} />
        <${Pick} title="in conflict with" value=${query.conflict} options=${project.labelers.filter((one) => one.on && one.name !== query.labeler).map((one) => one.name)} change=${(conflict) => change({ conflict })} />`}
      <${Pick} title="Class" value=${query.believed} options=${project.classes} change=${(believed) => change({ believed })} />`}
      ${project.gold.rows > 0 && html`<${Pick} title="Gold" value=${query.gold} options=${[["?", "any class"], ...project.classes]} change=${(gold) => change({ gold })} />`}
      ${project.bare || [["uncovered", "without votes"], ["unsure", "least certain first"], ...(project.run ? [["disagree", "votes and text disagree"]] : []), ...(project.gold.rows ? [["wrong", "wrong on gold rows"]] : [])].map(([name, title]) => html`<button type="button" class="toggle" aria-pressed=${Boolean(query[name])} onClick=${() => change({ [name]: !query[name] })}>${title}</button>`)}
      ${query.like !== undefined && html`<button type="button" class="toggle" aria-pressed="true" onClick=${() => change({ like: "" })}>like row ${query.like} ✕</button>`}
    </form>
    <${Problem} text=${problem} />
    <div class="split">
      ${found === 0 ? html`<${Empty}>No rows match. <a href="#rows">Show all rows</a><//>` : html`<${List} found=${found ?? 0} rows=${rows} first=${first} setFirst=${setFirst} chosen=${chosen} setChosen=${setChosen} project=${project} />`}
      ${row && html`<aside class="card detail" aria-label="The selected row"><${Detail} row=${row} project=${project} label=${label} /></aside>`}
    </div>`;
}

// Words of a row that was given a class: rules that would find more rows like it.
export function AfterLabel({ row, project }) {
  const [words, setWords] = useState([]);
  const known = row.gold.length === 1 ? row.gold[0] : null;
  useEffect(() => {
    let gone = false;
    setWords([]);
    if (known && project.text) ask("suggest", { classes: [known], row: row.row }).then((answer) => gone || setWords(answer.words), () => {});
    return () => { gone = true; };
  }, [row.row, known]);
  return words.length > 0 && html`<div class="suggested" id="proposed" role="group" aria-label="Rules proposed from this row"><span class="quiet">${rowName(row)} is ${known}. Rules from its words:</span>
    ${words.map((one) => html`<button type="button" class="suggestion" onClick=${() => startRule({ words: one.word }, known)}>${one.word}<small>${percent(one.precision, 0)} ${known}, ${plural(one.rows, "row")}</small></button>`)}</div>`;
}

function Pick({ title, value, options, change }) {
  return html`<label class="pick"><span>${title}</span><select value=${value ?? ""} onChange=${(event) => change(event.target.value)}><option value="">any</option>${options.map((one) => (Array.isArray(one) ? html`<option value=${one[0]}>${one[1]}</option>` : html`<option value=${one}>${one}</option>`))}</select></label>`;
}

// A list of any length: only the rows in view are in the page. Very long lists scroll in larger steps.
function List({ found, rows, first, setFirst, chosen, setChosen, project }) {
  const box = useRef(null);
  const whole = Math.min(found * HEIGHT, TALLEST);
  const scaled = found * HEIGHT > TALLEST;
  const [seen, setSeen] = useState(12);
  useLayoutEffect(() => {
    const measure = () => setSeen(Math.ceil((box.current?.clientHeight ?? 600) / HEIGHT) + 1);
    measure();
    addEventListener("resize", measure);
    return () => removeEventListener("resize", measure);
  }, []);
  const top = scaled ? (first / Math.max(1, found - seen)) * (whole - seen * HEIGHT) : first * HEIGHT;
  useLayoutEffect(() => {
    const now = box.current;
    if (now && Math.abs(now.scrollTop - top) > HEIGHT) now.scrollTop = top;
  }, [first]);
  const scrolled = (event) => {
    const y = event.currentTarget.scrollTop;
    const next = scaled ? Math.round((y / (whole - seen * HEIGHT)) * (found - seen)) : Math.floor(y / HEIGHT);
    const clean = Math.min(Math.max(0, next), Math.max(0, found - 1));
    if (clean !== first) setFirst(clean);
  };
  const shown = Array.from({ length: Math.min(seen, found - first) }, (_, place) => first + place);
  const columns = project.text ? [] : project.shown.slice(0, 7); // of a table; the selected row has all
  return html`<div class="table">${columns.length > 0 && html`<div class="cells heads">${columns.map((name) => html`<span title=${name}>${name}</span>`)}</div>`}<div class="list" id="list" ref=${box} onScroll=${scrolled} tabindex="0" role="listbox" aria-label="Rows" aria-activedescendant=${`row${chosen}`}>
    <div class="whole" style=${{ height: `${whole}px` }}><div class="pane" style=${{ transform: `translateY(${top}px)` }}>
      ${shown.map((place) => html`<div key=${place} id=${`row${place}`} class="line" role="option" aria-selected=${place === chosen} onClick=${() => setChosen(place)}>
        ${rows[place] ? html`${project.text ? html`<div class="text"><${Marked} row=${rows[place]} before=${24} /></div>` : html`<div class="cells">${columns.map((name) => html`<span title=${`${name}: ${rows[place].fields[name]}`}>${rows[place].fields[name]}</span>`)}</div>`}
          <div class="meta"><span>${rowName(rows[place])}</span><b>${rows[place].class ?? "no votes"}</b>${rows[place].class && html`<span>${Math.round(100 * rows[place].beliefs[rows[place].class])}%</span>`}<${Gold} row=${rows[place]} /></div>` : html`<div class="text quiet">…</div>`}
      </div>`)}</div></div></div></div>`;
}

function Detail({ row, project, label }) {
  const [words, setWords] = useState("");
  useEffect(() => { // the first match is in view
    const box = document.getElementById("reading");
    const mark = box?.querySelector("mark:not([class*=lab])") ?? box?.querySelector("mark");
    if (box) box.scrollTop = mark ? mark.offsetTop - box.offsetTop - 60 : 0;
  }, [row.row]);
  useEffect(() => {
    const marked = () => {
      const selection = getSelection();
      const inside = selection.anchorNode && document.getElementById("reading")?.contains(selection.anchorNode);
      setWords(inside ? oneLine(selection.toString()).slice(0, 80) : "");
    };
    document.addEventListener("selectionchange", marked);
    return () => document.removeEventListener("selectionchange", marked);
  }, []);
  return html`
    <div class="head"><h2>${rowName(row)}</h2><${Gold} row=${row} /></div>
    <div id="reading" class="reading" tabindex="0" role="region" aria-label="Text of the row"><${Marked} row=${row} /></div>
    <div class="begin">${words ? html`<button type="button" class="button" onMouseDown=${(event) => event.preventDefault()} onClick=${() => startRule({ words }, row.gold[0])}>New rule from “${words}”</button>` : html`<span class="quiet">${project.text ? "Select words in the text to start a rule from them." : ""}</span>`}<span class="chips"><a class="button" href=${link("rows", { like: String(row.row) })}>Rows like this</a>${project.text && project.encoder && html`<button type="button" class="button" onClick=${() => startRule({ kind: "similar", examples: oneLine(row.pieces.map(([text]) => text).join("")).slice(0, 1000) }, row.gold[0])}>Rule of similarity</button>`}</span></div>
    <${AfterLabel} row=${row} project=${project} />
    <div class="keys" role="group" aria-label="Label this row">${project.classes.map((name, place) => html`<button type="button" class="key" aria-pressed=${row.gold.includes(name)} onClick=${() => label([name])}>${place < 9 && html`<kbd>${KEYS[place]}</kbd>`}${name}</button>`)}</div>
    <${Beliefs} row=${row} classes=${project.classes} />
    <${Votes} row=${row} classes=${project.classes} />
    ${row.class && html`<${Why} row=${row.row} classes=${project.classes} revision=${project.revision} />`}`;
}
