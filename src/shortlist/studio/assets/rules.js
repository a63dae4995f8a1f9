// Rules: write one, and see what it does while typing.
import { html, useEffect, useRef, useState } from "./preact.js";
import { ask, latest, painted } from "./api.js";
import { Empty, Known, Marked, Shortlist, Whole, colour, count, perLine, percent, plural } from "./parts.js";
import { go } from "./app.js";

let begun = null; // a rule that was begun by marking words
export function beginRule(words, name) { begun = { words, name }; }

const KINDS = { keywords: "Words", pattern: "Pattern", ask: "Question to a model", choose: "Choice of a model" };
const PROMPTS = ["ask", "choose"];
const FRESH = { kind: "keywords", name: "", words: "", regex: "", question: "{text}", answers: "", model: "", chosen: [], inverted: false, two_sided: false, ignore_case: true, whole_words: true, extra: {} };

// A record of shortlist.toml as what the form holds, and back. Settings that the form does not know are kept.
export function toForm(record, classes) {
  const { kind, name, words, regex, question, prompt, answers, model, says, yes, no, ignore_case, whole_words, ...extra } = record;
  const answer = kind === "keywords" ? says : yes ?? no;
  const inverted = Boolean(answer && typeof answer === "object" && !Array.isArray(answer));
  const listed = inverted ? answer.not : answer;
  const chosen = [listed ?? []].flat();
  const form = { ...FRESH, kind, name: name ?? "", words: [words ?? []].flat().join("\n"), regex: regex ?? "", chosen, inverted, extra };
  form.question = question ?? prompt ?? "{text}";
  form.answers = Object.entries(answers ?? {}).map(([choice, classes]) => `${choice.trim()} = ${written(classes)}`).join("\n");
  form.model = model ?? "";
  form.ignore_case = ignore_case ?? kind === "keywords";
  form.whole_words = whole_words ?? true;
  form.two_sided = no !== undefined && (kind === "keywords" || yes !== undefined);
  form.odd = (kind === "pattern" || kind === "ask") && yes === undefined || (form.two_sided && JSON.stringify(toRecord({ ...form, odd: false }, classes).no) !== JSON.stringify(no)) ? { yes, no } : null;
  return form;
}

// Classes with commas between; one that holds a comma stands in quotation marks.
const listed = (names) => [names ?? []].flat().map((name) => (/,|^"/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join(", ");
const named = (text) => [...text.matchAll(/\s*"((?:[^"]|"")*)"\s*(?:,|$)|([^,]+)/g)].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain.trim()).filter(Boolean);
const written = (classes) => (classes && typeof classes === "object" && !Array.isArray(classes) ? `not ${listed(classes.not)}` : listed(classes));

// Lines such as "number = sports, world" or "other = not sports" as answers of a prompt; choices begin with a blank.
function choices(text) {
  const lines = text.split("\n").map((line) => line.split("=")).filter((parts) => parts.length === 2 && parts[0].trim());
  return Object.fromEntries(lines.map(([choice, classes]) => {
    const not = classes.trim().startsWith("not ");
    return [` ${choice.trim()}`, answer(named(classes.trim().replace(/^not /, "")), not)];
  }));
}

function answer(chosen, inverted) {
  const listed = chosen.length === 1 ? chosen[0] : chosen;
  return inverted ? { not: listed } : listed;
}

export function toRecord(form) {
  const says = answer(form.chosen, form.inverted);
  const other = answer(form.chosen, !form.inverted);
  const record = { kind: form.kind, name: form.name.trim() };
  if (form.kind === "keywords") {
    record.words = perLine(form.words);
    record.says = says;
    if (form.two_sided) record.no = other;
    if (!form.whole_words) record.whole_words = false;
    if (!form.ignore_case) record.ignore_case = false;
  } else if (form.kind === "choose") {
    Object.assign(record, { model: form.model, prompt: form.question, answers: choices(form.answers) });
  } else {
    Object.assign(record, form.kind === "ask" ? { model: form.model, question: form.question } : { regex: form.regex });
    Object.assign(record, form.odd ? Object.fromEntries(Object.entries(form.odd).filter(([, value]) => value !== undefined)) : { yes: says, ...(form.two_sided ? { no: other } : {}) });
    if (form.ignore_case && form.kind === "pattern") record.ignore_case = true;
  }
  if (form.kind === "keywords" && form.odd) record.no = form.odd.no;
  return { ...record, ...form.extra };
}

function isWhole(form) {
  if (form.kind === "choose") return Boolean(form.model && form.question.trim() && Object.keys(choices(form.answers)).length > 1);
  const filled = { keywords: form.words.trim(), pattern: form.regex, ask: form.model && form.question.trim() }[form.kind];
  return Boolean(filled) && form.chosen.length > 0;
}
const proposed = (form) => (form.kind === "keywords" ? (perLine(form.words)[0] ?? "") : form.kind === "pattern" ? form.regex : form.question.replace(/\{\w+\}/g, " ")).toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "_").replace(/^_|_$/g, "").slice(0, 30);

const free = (name, taken) => (taken.includes(name) ? free(/_\d+$/.test(name) ? name.replace(/\d+$/, (n) => Number(n) + 1) : `${name}_2`, taken) : name);

export function Rules({ project, at, setProject, say }) {
  const [found, setFound] = useState(null);
  const [kept, setKept] = useState(0); // new rules so far: the form of a new one is never that of the one before
  useEffect(() => { ask("rules").then(setFound, (error) => say(error.message)); }, [project.revision]);
  if (!found) return html`<${Empty}>Reading the rules…<//>`;
  const names = project.labelers.map((one) => one.name);
  const rule = found.rules.find((one) => one.name === at.name);
  const fresh = at.name === "+" || (!rule && !found.rules.length);
  return html`<div class="split rulesplit">
    <nav class="card rulelist" aria-label="Rules"><a class="button" href="#rules/+" aria-current=${fresh ? "page" : undefined}>New rule</a>
      <ul>${found.rules.map((one) => html`<li class=${one.on ? "" : "off"}><a href=${`#rules/${encodeURIComponent(one.name)}`} aria-current=${one.name === at.name ? "page" : undefined}><span class="dot ${colour(names, one.name)}"></span>${one.name}<span class="quiet"> ${one.kind}${one.origin === "python" ? ", Python" : ""}</span></a></li>`)}</ul></nav>
    ${fresh ? html`<${Editor} key=${`+${kept}`} project=${project} rule=${null} setProject=${setProject} say=${say} onKept=${() => setKept(kept + 1)} />`
      : !rule ? html`<section class="card"><${Empty}>Choose a rule, or write a new one.<//></section>`
      : rule.origin === "toml" && rule.kind in KINDS ? html`<${Editor} key=${rule.name} project=${project} rule=${rule} setProject=${setProject} say=${say} />`
      : html`<${Code} rule=${rule} source=${found.source} project=${project} />`}
  </div>`;
}

function Editor({ project, rule, setProject, say, onKept }) {
  const [form, setForm] = useState(() => {
    if (rule) return toForm(rule.record, project.classes);
    const start = begun;
    begun = null;
    return start ? { ...FRESH, words: start.words, name: "", chosen: start.name ? [start.name] : [] } : FRESH;
  });
  const [seen, setSeen] = useState(null);
  const [problem, setProblem] = useState(null);
  const [clash, setClash] = useState(null);
  const [busy, setBusy] = useState(false);
  const base = useRef(rule?.record ?? null);
  const pressed = useRef(performance.now());
  const look = useRef(null);
  look.current ??= latest("preview");
  const named = form.name.trim() || free(proposed(form), project.labelers.map((one) => one.name).filter((name) => name !== rule?.name));
  const record = toRecord({ ...form, name: named });
  const changed = JSON.stringify(record) !== JSON.stringify(rule ? toRecord(toForm(rule.record, project.classes)) : null);
  const set = (part, event) => { pressed.current = event?.timeStamp ?? performance.now(); setForm((now) => ({ ...now, ...(typeof part === "function" ? part(now) : part) })); };

  useEffect(() => {
    if (!isWhole(form)) { setSeen(null); setProblem(null); return undefined; }
    const start = pressed.current;
    const timer = setTimeout(async () => {
      try {
        const answer = await look.current({ record, replaces: base.current?.name ?? null });
        if (answer) { setSeen(answer); setProblem(null); painted("preview", start); }
      } catch (error) { setProblem(error.message); }
    }, 30);
    return () => clearTimeout(timer);
  }, [JSON.stringify(record), project.revision]);

  const keep = async (start) => {
    setBusy(true);
    try {
      const answer = await ask("save", { record, before: base.current });
      setProject(answer);
      base.current = record;
      setClash(null);
      const flipped = answer.change?.flipped;
      say(`${record.name} is kept.${flipped === undefined ? "" : ` ${plural(flipped, "row")} got another label.`}`);
      go("rules", record.name);
      onKept?.();
      painted("keep", start);
    } catch (error) {
      if (error.conflict) setClash(error.facts);
      else setProblem(error.message);
    }
    setBusy(false);
  };
  const remove = async () => {
    try { setProject(await ask("remove", { before: base.current })); say(`${base.current.name} is removed`); go("rules"); } catch (error) { if (error.conflict) setClash(error.facts); else setProblem(error.message); }
  };
  const toggle = (name) => set(({ chosen }) => ({ chosen: project.classes.filter((one) => chosen.includes(one) !== (one === name)) }));

  return html`<section class="card editor" aria-label=${rule ? `Rule ${rule.name}` : "New rule"}>
    <form onSubmit=${(event) => { event.preventDefault(); if (isWhole(form) && !busy) keep(event.timeStamp); }}>
      <div class="fieldset" role="radiogroup" aria-label="Kind of rule">${Object.entries(KINDS).filter(([kind]) => !PROMPTS.includes(kind) || project.models.length).map(([kind, title]) => html`<label class="toggle"><input type="radio" name="kind" checked=${form.kind === kind} onChange=${() => set({ kind, ignore_case: kind === "keywords", model: form.model || (project.models[0] ?? "") })} />${title}</label>`)}</div>
      ${form.kind === "keywords" ? html`<label class="field"><span>Words or phrases, one on each line</span><textarea id="words" rows="4" spellcheck="false" value=${form.words} onInput=${(event) => set({ words: event.target.value }, event)}></textarea><${Whole} text=${form.words} what="phrase" /></label>`
        : PROMPTS.includes(form.kind) ? html`<label class="field"><span>${form.kind === "ask" ? "A question that is answered by yes or no; {text} is the text of the row" : "A prompt; {text} is the text of the row"}</span><textarea id="question" rows="4" value=${form.question} onInput=${(event) => set({ question: event.target.value }, event)}></textarea></label>
          ${form.kind === "choose" && html`<label class="field"><span>What the model may answer, one on each line: answer = classes</span><textarea id="answers" rows="4" placeholder="number = sports, world" value=${form.answers} onInput=${(event) => set({ answers: event.target.value }, event)}></textarea></label>`}
          <label class="field"><span>Model</span><select id="model" value=${form.model} onChange=${(event) => set({ model: event.target.value })}>${project.models.map((name) => html`<option value=${name}>${name}</option>`)}</select></label>`
        : html`<label class="field"><span>Regular expression</span><input id="regex" spellcheck="false" autocomplete="off" class="code" value=${form.regex} onInput=${(event) => set({ regex: event.target.value }, event)} /></label>`}
      ${form.kind !== "choose" && html`<div class="field"><span id="sayslabel">${form.kind === "ask" ? "Where the answer is yes, the class is" : "Where it is found, the class is"}</span>
        <div class="fieldset" role="radiogroup" aria-labelledby="sayslabel">${[[false, "one of these"], [true, "none of these"]].map(([inverted, title]) => html`<label class="toggle"><input type="radio" name="inverted" checked=${form.inverted === inverted} onChange=${() => set({ inverted })} />${title}</label>`)}</div>
        <div class="classes" role="group" aria-labelledby="sayslabel">${project.classes.map((name) => html`<button type="button" class="pickclass ${colour(project.classes, name)}" aria-pressed=${form.chosen.includes(name)} onClick=${() => toggle(name)}>${name}</button>`)}</div></div>`}
      <div class="fieldset checks">
        ${form.kind !== "choose" && html`<label><input type="checkbox" checked=${form.two_sided} onChange=${(event) => set({ two_sided: event.target.checked, odd: null })} /> ${form.kind === "ask" ? "say the opposite where the answer is no" : "say the opposite where it is not found"}</label>`}
        ${!PROMPTS.includes(form.kind) && html`<label><input type="checkbox" checked=${form.ignore_case} onChange=${(event) => set({ ignore_case: event.target.checked })} /> capitals do not matter</label>`}
        ${form.kind === "keywords" && html`<label><input type="checkbox" checked=${form.whole_words} onChange=${(event) => set({ whole_words: event.target.checked })} /> whole words only</label>`}
      </div>
      <label class="field"><span>Name</span><input id="name" value=${form.name} placeholder=${named} autocomplete="off" onInput=${(event) => set({ name: event.target.value })} /></label>
      ${problem && html`<div class="alarm" role="alert">${problem}</div>`}
      ${clash && html`<div class="alarm" role="alert">${clash.message} ${clash.now && html`<pre>${JSON.stringify(clash.now, null, 1)}</pre>`}<button type="button" class="button" onClick=${() => { base.current = clash.now; setClash(null); }}>${clash.now ? "Keep mine the next time I save" : "Save mine as a new rule"}</button></div>`}
      <div class="actions"><button class="button main" disabled=${!isWhole(form) || busy || !changed} id="keep">${busy ? (seen?.plan?.calls ? "Asking the model…" : "Fitting…") : `${rule ? "Keep the change" : "Keep the rule"}${seen?.plan?.calls ? ` and ask ${count(seen.plan.calls)} times` : ""}`}</button>
        ${rule && html`<button type="button" class="button" onClick=${remove}>Remove</button>`}<span class="quiet">It is written to shortlist.toml.</span></div>
    </form>
    <div class="effect" aria-live="polite" aria-busy=${busy}>${seen?.plan ? html`<${Cost} plan=${seen.plan} record=${record} replaces=${base.current?.name ?? null} />` : seen ? html`<${Effect} seen=${seen} project=${project} />` : html`<${Empty}>${isWhole(form) ? "Looking…" : "Give a word or a pattern, and choose classes: what the rule does is shown here while you type."}<//>`}</div>
  </section>`;
}

// What a prompt would cost, before anything is sent; and a trial on some rows.
function Cost({ plan, record, replaces }) {
  const [tried, setTried] = useState(null);
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const attempt = async () => {
    setBusy(true);
    try { setTried((await ask("tried", { record, replaces, rows: 5 })).rows); setProblem(null); } catch (error) { setProblem(error.message); }
    setBusy(false);
  };
  return html`<h3>What it costs</h3><dl class="tiles small" id="cost">
      <div class="tile"><dt>calls</dt><dd>${count(plan.calls)}</dd><dd class="note">of ${plan.model}${plan.trials ? `, and at most ${plan.trials} to find out how to ask` : ""}</dd></div>
      <div class="tile"><dt>tokens, about</dt><dd>${count(plan.tokens)}</dd>${plan.money !== null && html`<dd class="note">about ${plan.money.toFixed(4)} of money</dd>`}</div>
      <div class="tile"><dt>rows known</dt><dd>${count(plan.known)}</dd><dd class="note">of ${count(plan.rows - plan.skipped)}: not asked again</dd></div></dl>
    <p class="quiet">Nothing was sent yet. The model is asked when you try or keep the rule.</p>
    <button type="button" class="button" disabled=${busy} onClick=${attempt}>${busy ? "Asking…" : "Try it on 5 rows"}</button>
    ${problem && html`<div class="alarm" role="alert">${problem}</div>`}
    ${tried && html`<ul class="examples">${tried.map((row) => html`<li class="example" key=${row.row}><div class="text"><${Marked} row=${row} labelers=${[]} /></div><div class="meta">${Object.entries(row.answer).map(([name, value]) => html`<span>${name}: <b>${typeof value === "number" ? percent(value, 0) : String(value ?? "–")}</b></span>`)}<${Known} row=${row} /></div></li>`)}</ul>`}`;
}

function Effect({ seen, project }) {
  const rows = (query) => `#rows/${encodeURIComponent(JSON.stringify(query))}`;
  return html`
    <dl class="tiles small" id="effect">
      <div class="tile"><dt>votes</dt><dd id="matches">${count(seen.votes)}</dd><dd class="note">${percent(seen.coverage)} of the rows</dd></div>
      <div class="tile"><dt>new rows</dt><dd>${count(seen.new)}</dd><dd class="note">no other labeler votes there</dd></div>
      ${seen.gold && html`<div class="tile"><dt>right</dt><dd>${percent(seen.gold.accuracy, 0)}</dd><dd class="note">${seen.gold.votes ? `${count(seen.gold.right)} of ${count(seen.gold.votes)} gold rows` : "it votes on no gold row"}</dd></div>`}
    </dl>
    ${seen.engine !== "polars" && html`<p class="quiet">This pattern is slow: it runs with ${seen.engine}. It is given up where a row takes more than 5 seconds.</p>`}
    ${seen.says.length > 1 && html`<ul class="votes">${seen.says.map((one) => html`<li><${Shortlist} says=${one.classes} classes=${project.classes} /> ${plural(one.votes, "row")}</li>`)}</ul>`}
    ${seen.conflicts.length > 0 && html`<h3>Beside the others</h3><table class="wide conflicts"><thead><tr><th scope="col">Labeler</th><th scope="col">Both vote</th><th scope="col">Contradict each other</th></tr></thead><tbody>${seen.conflicts.slice(0, 8).map((one) => html`<tr><td><a href=${rows({ labeler: one.labeler })}>${one.labeler}</a></td><td>${count(one.together)}</td><td>${count(one.conflict)} <span class="quiet">${percent(one.conflict / one.together, 0)}</span></td></tr>`)}</tbody></table>`}
    <h3>Rows</h3><ul class="examples">${seen.examples.map((row) => html`<li class="example" key=${row.row}><div class="text"><${Marked} row=${row} labelers=${[]} /></div><div class="meta">${row.id ?? `row ${row.row}`} ${row.draft && html`<${Shortlist} says=${row.draft} classes=${project.classes} />`} ${row.right === false && html`<span class="wrong">✗ is ${row.gold.join(" or ")}</span>`}${row.right === true && html`<span class="right">✓ is ${row.gold.join(" or ")}</span>`}${row.right === null && html`<${Known} row=${row} />`}</div></li>`)}</ul>`;
}

function Code({ rule, source, project }) {
  const lines = (source.text ?? "").split("\n");
  const box = useRef(null);
  useEffect(() => { box.current?.querySelector(".here")?.scrollIntoView({ block: "center" }); }, [rule.name]);
  return html`<section class="card editor"><div class="head"><h2>${rule.name}</h2><a class="button" href=${`#rows/${encodeURIComponent(JSON.stringify({ labeler: rule.name }))}`}>Its rows</a></div>
    <p class="lead">${rule.origin === "python" ? html`Written in ${source.file}. Code is edited in an editor; the studio takes it in when the file is saved.` : html`Written in shortlist.toml. Rules of the kind ${rule.kind} are edited there.`}</p>
    <div class="sayings">${rule.says.map((says) => html`<${Shortlist} says=${says} classes=${project.classes} />`)}</div>
    ${rule.origin === "python" ? html`<pre class="source" ref=${box} tabindex="0" aria-label=${`Source of ${source.file}`}>${lines.map((line, place) => html`<span class=${place + 1 === rule.line ? "here" : ""}><i>${place + 1}</i>${line}\n</span>`)}</pre>` : html`<pre class="source" tabindex="0">${JSON.stringify(rule.record, null, 2)}</pre>`}</section>`;
}
