// Write rules, and see their effect while typing.
import { html, useEffect, useRef, useState } from "./preact.js";
import { CommaHint, Empty, Field, Gold, Marked, Problem, Shortlist, Tile, ask, colour, count, go, latest, link, oneLine, painted, perLine, percent, plural, relabelled, rightRows, rowName, tint, useTask } from "./parts.js";

let started = null; // a rule that was started from a row: some fields of its form
export function startRule(fields, name) { started = { ...fields, chosen: name ? [name] : [] }; go("rules", "+"); }

const KINDS = { keywords: "Keywords", pattern: "Pattern", attribute: "Threshold", similar: "Similarity", ask: "Yes/no question to a model", choose: "Multiple choice for a model" };
const PROMPTS = ["ask", "choose"];
const FRESH = { kind: "keywords", name: "", words: "", regex: "", examples: "", above: 0.4, question: "{text}", answers: "", model: "", chosen: [], inverted: false, two_sided: false, ignore_case: true, whole_words: true, column: "", from: "", below: "", extra: {} };

// A record of shortlist.toml as the fields of the form, and back. Settings that the form does not know are kept.
export function toForm(record, classes) {
  const { kind, name, words, regex, examples, above, question, prompt, answers, model, says, yes, no, ignore_case, whole_words, yes_from, no_below, ...extra } = record;
  const said = kind === "keywords" ? says : yes ?? no;
  const inverted = Boolean(said && typeof said === "object" && !Array.isArray(said));
  const listed = inverted ? said.not : said;
  const chosen = [listed ?? []].flat();
  const form = { ...FRESH, kind, name: name ?? "", words: [words ?? []].flat().join("\n"), regex: regex ?? "", chosen, inverted, extra };
  Object.assign(form, { examples: [examples ?? []].flat().map(oneLine).join("\n"), above: above ?? FRESH.above });
  form.question = question ?? prompt ?? "{text}";
  form.answers = Object.entries(answers ?? {}).map(([choice, classes]) => `${choice.trim()} = ${written(classes)}`).join("\n");
  form.model = model ?? "";
  if (kind === "attribute") {
    const { on, ...rest } = extra;
    return { ...form, column: on, from: String(yes_from ?? 0.5), below: no_below === undefined || no_below === yes_from ? "" : String(no_below), extra: rest, two_sided: true, odd: JSON.stringify(no) === JSON.stringify(answer(chosen, !inverted)) ? null : { no } };
  }
  form.ignore_case = ignore_case ?? kind === "keywords";
  form.whole_words = whole_words ?? true;
  form.two_sided = no !== undefined && (kind === "keywords" || yes !== undefined);
  form.odd = (kind === "pattern" || kind === "ask") && yes === undefined || (form.two_sided && JSON.stringify(toRecord({ ...form, odd: false }, classes).no) !== JSON.stringify(no)) ? { yes, no } : null;
  return form;
}

// Classes separated by commas; one that contains a comma stands in double quotes.
const listed = (names) => [names ?? []].flat().map((name) => (/,|^"/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join(", ");
const named = (text) => [...text.matchAll(/\s*"((?:[^"]|"")*)"\s*(?:,|$)|([^,]+)/g)].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain.trim()).filter(Boolean);
const written = (classes) => (classes && typeof classes === "object" && !Array.isArray(classes) ? `not ${listed(classes.not)}` : listed(classes));

// Lines such as "number = sports, world" or "other = not sports" as the answers of a prompt; choices begin with a space.
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
  } else if (form.kind === "attribute") {
    Object.assign(record, { on: form.column, yes: says, no: form.odd?.no ?? other, yes_from: Number(form.from), no_below: Number(form.below === "" ? form.from : form.below) });
  } else if (form.kind === "choose") {
    Object.assign(record, { model: form.model, prompt: form.question, answers: choices(form.answers) });
  } else {
    Object.assign(record, form.kind === "ask" ? { model: form.model, question: form.question } : form.kind === "similar" ? { examples: perLine(form.examples), above: Number(form.above) } : { regex: form.regex });
    Object.assign(record, form.odd ? Object.fromEntries(Object.entries(form.odd).filter(([, value]) => value !== undefined)) : { yes: says, ...(form.two_sided ? { no: other } : {}) });
    if (form.ignore_case && form.kind === "pattern") record.ignore_case = true;
  }
  if (form.kind === "keywords" && form.odd) record.no = form.odd.no;
  return { ...record, ...form.extra };
}

function isComplete(form) {
  if (form.kind === "choose") return Boolean(form.model && form.question.trim() && Object.keys(choices(form.answers)).length > 1);
  const filled = { attribute: form.column && form.from !== "" && Number.isFinite(Number(form.from)), keywords: form.words.trim(), similar: form.examples.trim(), pattern: form.regex, ask: form.model && form.question.trim() }[form.kind];
  return Boolean(filled) && form.chosen.length > 0;
}
const proposed = (form) => (form.kind === "attribute" ? form.column : form.kind === "keywords" ? (perLine(form.words)[0] ?? "") : form.kind === "similar" ? `like ${perLine(form.examples)[0] ?? ""}` : form.kind === "pattern" ? form.regex : form.question.replace(/\{\w+\}/g, " ")).toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "_").slice(0, 30).replace(/^_|_$/g, "");

const free = (name, taken) => (taken.includes(name) ? free(/_\d+$/.test(name) ? name.replace(/\d+$/, (n) => Number(n) + 1) : `${name}_2`, taken) : name);

export function Rules({ project, at, setProject, say }) {
  const [found, setFound] = useState(null);
  const [saved, setSaved] = useState(0); // new rules so far: each one gets a fresh form
  useEffect(() => { ask("rules").then(setFound, (error) => say(error.message)); }, [project.revision]);
  if (!found) return html`<${Empty}>Reading the rules…<//>`;
  const rule = found.rules.find((one) => one.name === at.name);
  const fresh = at.name === "+" || (!rule && !found.rules.length);
  return html`<div class="split rulesplit">
    <nav class="card rulelist" aria-label="Rules"><a class="button" href="#rules/+" aria-current=${fresh ? "page" : undefined}>New rule</a>
      <ul>${found.rules.map((one) => html`<li class=${one.on ? "" : "off"}><a href=${link("rules", one.name)} title=${one.name} aria-current=${one.name === at.name ? "page" : undefined}><span class="dot ${tint(one.name)}"></span>${one.name}<span class="quiet"> ${one.kind === "attribute" ? "threshold" : one.kind}</span></a></li>`)}</ul></nav>
    ${fresh ? html`<${Editor} key=${`+${saved}`} project=${project} rule=${null} setProject=${setProject} say=${say} onSaved=${() => setSaved(saved + 1)} />`
      : !rule ? html`<section class="card"><${Empty}>Choose a rule, or write a new one.<//></section>`
      : rule.record && rule.kind in KINDS ? html`<${Editor} key=${rule.name} project=${project} rule=${rule} source=${found.source} setProject=${setProject} say=${say} />`
      : html`<${Code} rule=${rule} source=${found.source} project=${project} />`}
  </div>`;
}

function Editor({ project, rule, source, setProject, say, onSaved }) {
  const [form, setForm] = useState(() => {
    if (rule) return toForm(rule.record, project.classes);
    const start = started;
    started = null;
    const kind = project.text ? "keywords" : "attribute"; // a table has no text to search
    return start ? { ...FRESH, ...start } : { ...FRESH, kind, column: project.numbers[0] ?? "", two_sided: kind === "attribute" };
  });
  const [seen, setSeen] = useState(null);
  const [trial, setTrial] = useState(null); // the effect on the final labels
  const [price, setPrice] = useState(null); // … if it also said the opposite, or no longer did
  const [problem, setProblem] = useState(null);
  const [clash, setClash] = useState(null);
  const [busy, setBusy] = useState(false);
  const base = useRef(rule?.record ?? null);
  const pressed = useRef(performance.now());
  const look = useRef(null);
  look.current ??= { preview: latest("preview"), effect: latest("effect"), price: latest("effect") };
  const named = form.name.trim() || free(proposed(form), project.labelers.map((one) => one.name).filter((name) => name !== rule?.name));
  const record = toRecord({ ...form, name: named });
  const changed = JSON.stringify(record) !== JSON.stringify(rule ? toRecord(toForm(rule.record, project.classes)) : null);
  const set = (part, event) => { pressed.current = event?.timeStamp ?? performance.now(); setForm((now) => ({ ...now, ...(typeof part === "function" ? part(now) : part) })); };

  useEffect(() => {
    setTrial(null);
    setPrice(null);
    if (!isComplete(form)) { setSeen(null); setProblem(null); return undefined; }
    const start = pressed.current;
    const replaces = base.current?.name ?? null;
    const timer = setTimeout(async () => {
      try {
        const answer = await look.current.preview({ record, replaces });
        if (!answer) return;
        setSeen(answer);
        setProblem(null);
        painted("preview", start);
        if (answer.plan) return;
        const effect = await look.current.effect({ record, replaces });
        if (!effect) return;
        setTrial(effect);
        painted("effect", start);
        if (form.odd || form.kind === "attribute") return;
        const other = await look.current.price({ record: toRecord({ ...form, name: named, two_sided: !form.two_sided }), replaces });
        if (other) setPrice(other);
      } catch (error) { setProblem(error.message); setSeen(null); }
    }, 30);
    return () => clearTimeout(timer);
  }, [JSON.stringify(record), project.revision]);
  const add = (one) => set((now) => ({ words: [...perLine(now.words), one.word].join("\n"), chosen: now.chosen.length ? now.chosen : one.says }));

  const failed = (error) => (error.facts?.conflict ? setClash(error.facts) : setProblem(error.message));
  const save = async (start) => {
    setBusy(true);
    try {
      const answer = await ask("save", { record, before: base.current });
      setProject(answer);
      base.current = record;
      setClash(null);
      say(`${record.name} is saved.${answer.change ? ` ${relabelled(answer.change.flipped)}.` : ""}`);
      if (location.hash.startsWith("#rules")) go("rules", record.name); // asking a model takes long: the user may be elsewhere
      onSaved?.();
      painted("keep", start);
    } catch (error) { failed(error); }
    setBusy(false);
  };
  const remove = async () => {
    try {
      setProject(await ask("remove", { before: base.current }));
      say(`${base.current.name} is removed`);
      go("rules");
    } catch (error) { failed(error); }
  };
  const toggle = (name) => set(({ chosen }) => ({ chosen: project.classes.filter((one) => chosen.includes(one) !== (one === name)) }));

  const kinds = Object.keys(KINDS).filter((kind) => kind === form.kind || (PROMPTS.includes(kind) ? project.models.length : kind === "attribute" ? project.numbers.length : project.text && (kind !== "similar" || project.encoder)));
  return html`<section class="card editor" aria-label=${rule ? `Rule ${rule.name}` : "New rule"}>
    <form onSubmit=${(event) => { event.preventDefault(); if (isComplete(form) && !busy) save(event.timeStamp); }}>
      ${kinds.length > 1 && html`<div class="fieldset" role="radiogroup" aria-label="Kind of rule">${kinds.map((kind) => html`<label class="toggle"><input type="radio" name="kind" checked=${form.kind === kind} onChange=${() => set({ kind, ignore_case: kind === "keywords", two_sided: kind === "attribute", column: form.column || (project.numbers[0] ?? ""), model: form.model || (project.models[0] ?? "") })} />${KINDS[kind]}</label>`)}</div>`}
      ${form.kind === "keywords" ? html`<${Field} title="Words or phrases, one per line"><textarea id="words" rows=${Math.min(12, Math.max(3, form.words.split("\n").length + 1))} spellcheck="false" value=${form.words} onInput=${(event) => set({ words: event.target.value }, event)}></textarea><${CommaHint} text=${form.words} what="phrase" /><//>${form.inverted || !project.text ? null : html`<${Suggested} project=${project} form=${form} add=${add} />`}`
        : form.kind === "attribute" ? html`<${Field} title="Column"><select id="column" value=${form.column} onChange=${(event) => set({ column: event.target.value }, event)}>${project.numbers.map((name) => html`<option value=${name}>${name}</option>`)}</select><${Range} column=${form.column} /><//>
          <div class="pairs"><${Field} title="At or above: the class"><input id="from" inputmode="decimal" value=${form.from} onInput=${(event) => set({ from: event.target.value }, event)} /><//>
          <${Field} title="Below: the opposite"><input id="below" inputmode="decimal" placeholder=${form.from || "the same"} value=${form.below} onInput=${(event) => set({ below: event.target.value }, event)} /><//></div>`
        : form.kind === "similar" ? html`<${Field} title="Texts like one of these, one per line"><textarea id="examples" rows="5" value=${form.examples} onInput=${(event) => set({ examples: event.target.value }, event)}></textarea><//>
          <${Field} title=${`At least this close (cosine): ${Number(form.above).toFixed(2)}`}><input id="above" type="range" min="0" max="1" step="0.01" value=${form.above} onInput=${(event) => set({ above: event.target.value }, event)} /><//>`
        : PROMPTS.includes(form.kind) ? html`<${Field} title=${`A ${form.kind === "ask" ? "yes/no question" : "prompt"}; {text} stands for the text of the row`}><textarea id="question" rows="4" value=${form.question} onInput=${(event) => set({ question: event.target.value }, event)}></textarea><//>
          ${form.kind === "choose" && html`<${Field} title="Possible answers, one per line: answer = classes"><textarea id="answers" rows="4" placeholder="number = sports, world" value=${form.answers} onInput=${(event) => set({ answers: event.target.value }, event)}></textarea><//>`}
          <${Field} title="Model"><select id="model" value=${form.model} onChange=${(event) => set({ model: event.target.value })}>${project.models.map((name) => html`<option value=${name}>${name}</option>`)}</select><//>`
        : html`<${Field} title="Regular expression"><input id="regex" spellcheck="false" autocomplete="off" class="code" value=${form.regex} onInput=${(event) => set({ regex: event.target.value }, event)} /><//>`}
      ${form.kind !== "choose" && html`<div class="field"><span id="sayslabel">${form.kind === "ask" ? "If the answer is yes, the class is" : form.kind === "attribute" ? "At or above the value, the class is" : "If it matches, the class is"}</span>
        <div class="fieldset" role="radiogroup" aria-labelledby="sayslabel">${[[false, "one of these"], [true, "none of these"]].map(([inverted, title]) => html`<label class="toggle"><input type="radio" name="inverted" checked=${form.inverted === inverted} onChange=${() => set({ inverted })} />${title}</label>`)}</div>
        <div class="classes" role="group" aria-labelledby="sayslabel">${project.classes.map((name) => html`<button type="button" class="pickclass ${colour(project.classes, name)}" aria-pressed=${form.chosen.includes(name)} onClick=${() => toggle(name)}>${name}</button>`)}</div></div>`}
      <div class="fieldset checks">
        ${form.kind !== "choose" && form.kind !== "attribute" && html`<label><input type="checkbox" checked=${form.two_sided} onChange=${(event) => set({ two_sided: event.target.checked, odd: null })} /> ${form.kind === "ask" ? "vote for the opposite if the answer is no" : "vote for the opposite if nothing matches"}</label>
          <span class="quiet price">${price && html`<span id="price">${form.two_sided ? "Without it" : "With it"}: <b class=${Math.abs(price.rows) <= price.margin ? "" : price.rows > 0 ? "right" : "wrong"}>${rightRows(price)}</b></span>`}</span>`}
        ${["keywords", "pattern"].includes(form.kind) && html`<label><input type="checkbox" checked=${form.ignore_case} onChange=${(event) => set({ ignore_case: event.target.checked })} /> ignore case</label>`}
        ${form.kind === "keywords" && html`<label><input type="checkbox" checked=${form.whole_words} onChange=${(event) => set({ whole_words: event.target.checked })} /> whole words only</label>`}
      </div>
      <${Field} title="Name"><input id="name" value=${form.name} placeholder=${named} autocomplete="off" onInput=${(event) => set({ name: event.target.value })} /><//>
      <${Problem} text=${problem} />
      ${clash && html`<div class="alarm" role="alert">${clash.message} ${clash.now && html`<pre>${JSON.stringify(clash.now, null, 1)}</pre>`}<button type="button" class="button" onClick=${() => { base.current = clash.now; setClash(null); }}>${clash.now ? "Overwrite it with mine when I save" : "Save mine as a new rule"}</button></div>`}
      <div class="actions"><button class="button main" disabled=${!isComplete(form) || busy || !changed} id="keep">${busy ? (seen?.plan?.calls ? "Asking the model…" : "Fitting…") : `${rule ? "Save the change" : "Save the rule"}${seen?.plan?.calls ? ` (${plural(seen.plan.calls, "model call")})` : ""}`}</button>
        ${rule && rule.origin === "toml" && html`<button type="button" class="button" onClick=${remove}>Remove</button>`}<span class="quiet">${rule?.origin === "python" ? `Stored in ${source.file}, line ${rule.line}: only this call is rewritten.` : "Rules are stored in shortlist.toml."}</span></div>
    </form>
    <div class="effect" aria-live="polite" aria-busy=${busy}>${seen?.plan ? html`<${Cost} plan=${seen.plan} record=${record} replaces=${base.current?.name ?? null} />` : seen ? html`<${Effect} seen=${seen} trial=${trial} project=${project} column=${form.column} same=${rule && !changed} />` : html`<${Empty}>${problem ? "No effect to show: see the message." : isComplete(form) ? "Computing…" : `${form.kind === "attribute" ? "Enter a value" : form.kind === "similar" ? "Enter texts" : "Enter words or a pattern"} and choose classes: the effect of the rule is shown here as you type.`}<//>`}</div>
  </section>`;
}

// Where a threshold may lie: values of the column in the first rows.
function Range({ column }) {
  const [rows, setRows] = useState([]);
  useEffect(() => { ask("rows", { query: {}, offset: 0, limit: 100 }).then((answer) => setRows(answer.rows), () => {}); }, []);
  const values = rows.map((row) => Number.parseFloat(row.fields[column])).filter(Number.isFinite).sort((a, b) => a - b);
  const at = (share) => String(Number(values[Math.floor(share * (values.length - 1))].toPrecision(4)));
  return values.length > 1 && html`<span class="quiet" id="range">In the first ${plural(rows.length, "row")}: ${at(0)} to ${at(1)}, median ${at(0.5)}</span>`;
}

// The cost of a prompt, before anything is sent, and a trial on some rows.
function Cost({ plan, record, replaces }) {
  const [tried, setTried] = useState(null);
  const { busy, problem, run } = useTask();
  const attempt = () => run(async () => setTried((await ask("tried", { record, replaces, rows: 5 })).rows));
  return html`<h3>Cost</h3><dl class="tiles small" id="cost">
      <${Tile} title="calls" note=${`to ${plan.model}`}>${count(plan.calls)}<//>
      <${Tile} title="tokens, about" note=${plan.money === null ? null : `price: about ${plan.money.toFixed(4)}`}>${count(plan.tokens)}<//>
      <${Tile} title="known rows" note=${`of ${count(plan.rows - plan.skipped)}: not asked again`}>${count(plan.known)}<//></dl>
    <p class="quiet">Nothing was sent yet. The model is asked when you try or save the rule.</p>
    <button type="button" class="button" disabled=${busy} onClick=${attempt}>${busy ? "Asking…" : "Try it on 5 rows"}</button>
    <${Problem} text=${problem} />
    ${tried && html`<ul class="examples">${tried.map((row) => html`<li class="example" key=${row.row}><div class="text"><${Marked} row=${row} /></div><div class="meta">${Object.entries(row.answer).map(([name, value]) => html`<span>${name}: <b>${typeof value === "number" ? percent(value, 0) : String(value ?? "–")}</b></span>`)}<${Gold} row=${row} /></div></li>`)}</ul>`}`;
}

// What the rule matches, and a moment later its effect on the final labels.
function Effect({ seen, trial, project, column, same }) {
  return html`
    <${Gain} trial=${trial} same=${same} />
    <dl class="tiles small" id="effect">
      <${Tile} title="votes" id="matches" note=${`${percent(seen.coverage)} of the rows`}>${count(seen.votes)}<//>
      <${Tile} title="new rows" note="where no other labeler votes">${count(seen.new)}<//>
      <${Tile} title="overlap" note="where others vote, too">${percent(seen.votes ? 1 - seen.new / seen.votes : null, 0)}<//>
    </dl>
    <${Answers} seen=${seen} trial=${trial} project=${project} />
    ${seen.engine !== "polars" && html`<p class="quiet">This pattern is slow (it needs ${seen.engine}). It stops with an error if a row takes more than 5 seconds.</p>`}
    <h3>${seen.examples.length ? "Examples" : "No row matches."}</h3><ul class="examples">${seen.examples.map((row) => html`<li class="example" key=${row.row}><div class="text"><${Marked} row=${row} before=${60} column=${column} /></div><div class="meta">${rowName(row)} ${row.draft && html`<${Shortlist} says=${row.draft} classes=${project.classes} />`} <${Gold} row=${row} right=${row.right ?? undefined} /></div></li>`)}</ul>
    ${seen.conflicts.length > 0 && html`<details><summary>Compared with other labelers</summary><table class="wide conflicts"><thead><tr><th scope="col">Labeler</th><th scope="col">Both vote</th><th scope="col">Conflict</th></tr></thead><tbody>${seen.conflicts.slice(0, 8).map((one) => html`<tr><td><a href=${link("rows", { labeler: one.labeler })}>${one.labeler}</a></td><td>${count(one.together)}</td><td>${count(one.conflict)} <span class="quiet">${percent(one.conflict / one.together, 0)}</span></td></tr>`)}</tbody></table></details>`}`;
}

// Expected change of the final labels. Within one error of nothing, it is nothing.
function Gain({ trial, same }) {
  if (same) return html`<p class="gain quiet" id="gain">This rule is saved. Change it to see the expected effect of the change.</p>`;
  if (trial?.rows_without_gold === 0) return html`<p class="gain quiet" id="gain">Every row has a gold label, which is its final label: no rule can change it. Precision and recall show how good the rule is.</p>`;
  if (!trial || trial.problem) return html`<p class="gain quiet" id="gain" aria-busy=${!trial}>${trial?.problem ?? "Trying the rule on a sample…"}</p>`;
  const clear = Math.abs(trial.rows) > trial.margin;
  const by = trial.gold ? `measured on ${plural(trial.gold, "gold row")} and a sample` : "estimated from the other labelers and the text; label rows for a measured one";
  return html`<p class=${`gain ${clear ? (trial.rows > 0 ? "right" : "wrong") : ""}`} id="gain"><b>${rightRows(trial)}</b>
    <span>Expected effect on the final labels of ${plural(trial.rows_without_gold, "row")}. ${trial.changed === 0 ? "None changes" : `About ${count(trial.changed)} change${trial.changed === 1 ? "s" : ""}`}. ${!clear && Math.round(trial.rows) !== 0 ? "The effect is within the margin: it may be none. " : ""}${by[0].toUpperCase()}${by.slice(1)}.</span></p>`;
}

// Precision and recall of each answer, on gold rows if there are enough, beside what chance would bring.
function Answers({ seen, trial, project }) {
  const lines = seen.says.map((one, place) => ({ ...one, ...(one.judged >= 5 ? {} : trial?.estimated?.[place]), gold: one.judged >= 5 }));
  const guess = lines.some((one) => !one.gold);
  const named = (says) => (2 * says.length > project.classes.length ? project.classes.filter((name) => !says.includes(name)) : says).join(", ");
  const figure = (value, chance, gold) => html`<b>${gold || value === null || value === undefined ? "" : "≈ "}${percent(value, 0)}</b> <span class="quiet">chance ${percent(chance, 0)}</span>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Precision and recall"><table class="wide answers" id="answers-table"><thead><tr><th scope="col">It says</th><th scope="col">Rows</th><th scope="col" title="Of the rows on which it says this, so many are of these classes">Precision</th><th scope="col" title="Of the rows of these classes, so many are found">Recall</th></tr></thead><tbody>
    ${lines.map((one) => {
      const excludes = 2 * one.classes.length > project.classes.length;
      const lost = (one.recall_chance * (1 - one.precision)) / (1 - one.chance);
      return html`<tr><td><${Shortlist} says=${one.classes} classes=${project.classes} /></td><td>${count(one.votes)}</td><td>${figure(one.precision, one.chance, one.gold)}</td>
        <td>${excludes ? (Number.isFinite(lost) ? html`wrongly excludes <b>${percent(lost, 0)}</b> of ${named(one.classes)}` : "–") : figure(one.recall, one.recall_chance, one.gold)}</td></tr>`;
    })}</tbody></table></div>
    <p class="quiet">${guess ? "≈: estimated from the other labelers and the text, with too few votes on gold rows." : `Measured on the ${count(seen.gold.votes)} of ${plural(seen.gold.rows, "gold row")} on which the rule votes.`}</p>`;
}

// Words of the rows at hand that would help; a click adds one.
function Suggested({ project, form, add }) {
  const [found, setFound] = useState({}); // the words, and the classes that they are for
  const taken = perLine(form.words);
  const about = form.chosen.join("\n");
  const words = found.about === about ? found.words : null;
  const wanted = JSON.stringify([form.chosen, taken, project.revision]);
  const look = useRef(null);
  look.current ??= latest("suggest");
  useEffect(() => {
    const timer = setTimeout(() => look.current({ classes: form.chosen, words: taken }).then((answer) => answer && setFound({ about, words: answer.words }), () => setFound({ about, words: [] })), 200);
    return () => clearTimeout(timer);
  }, [wanted]);
  if (!words?.length) return html`<p class="quiet suggested" aria-busy=${!words}>${words ? "No more words to suggest." : "Looking for words that would help…"}</p>`;
  return html`<div class="suggested" role="group" aria-label="Suggested words"><span class="quiet">Suggested words, and how many of their rows have the class</span>
    ${words.map((one) => html`<button type="button" class="suggestion" key=${`${one.says}/${one.word}`} title=${`${plural(one.rows, "row")}, ${count(one.new)} of them undecided`} onClick=${() => add(one)}>+ ${one.word} ${form.chosen.length === 0 && html`<${Shortlist} says=${one.says} classes=${project.classes} />`}<small>${one.precision === null ? plural(one.rows, "row") : `${percent(one.precision, 0)} of ${count(one.rows)}`}</small></button>`)}</div>`;
}

function Code({ rule, source, project }) {
  const lines = (source.text ?? "").split("\n");
  const box = useRef(null);
  useEffect(() => { box.current?.querySelector(".here")?.scrollIntoView({ block: "center" }); }, [rule.name]);
  return html`<section class="card editor"><div class="head"><h2>${rule.name}</h2><a class="button" href=${link("rows", { labeler: rule.name })}>Its rows</a></div>
    <p class="lead">${rule.origin === "python" ? `Defined in ${source.file}. Edit it in an editor; the studio reloads it when you save.` : rule.origin === "people" ? "The labels of a person, as votes (people = \"votes\" in shortlist.toml)." : `Defined in shortlist.toml. Edit rules of kind ${rule.kind} there.`}</p>
    <div class="sayings">${rule.says.map((says) => html`<${Shortlist} says=${says} classes=${project.classes} />`)}</div>
    ${rule.origin === "python" ? html`<pre class="source" ref=${box} tabindex="0" aria-label=${`Source of ${source.file}`}>${lines.map((line, place) => html`<span class=${place + 1 === rule.line ? "here" : ""}><i>${place + 1}</i>${line}\n</span>`)}</pre>` : rule.origin === "toml" && html`<pre class="source" tabindex="0">${JSON.stringify(rule.record, null, 2)}</pre>`}</section>`;
}
