// The studio: the current view and project, what happens to the project, and the form for a new one.
import { html, render, useCallback, useEffect, useRef, useState } from "./preact.js";
import { CommaHint, Empty, Field, Fields, Problem, ask, listen, perLine, percent, plural, tint, useTask } from "./parts.js";
import { Overview } from "./overview.js";
import { Rows } from "./rows.js";
import { Rules } from "./rules.js";
import { Label } from "./label.js";
import { Compare } from "./compare.js";

const VIEWS = { overview: ["Overview", Overview], rows: ["Rows", Rows], rules: ["Rules", Rules], label: ["Label", Label], compare: ["Compare and export", Compare, "Export"] };

function place() {
  const [view, ...rest] = location.hash.slice(1).split("/");
  return { view: view in VIEWS ? view : "overview", name: decodeURIComponent(rest.join("/")) };
}

function Studio() {
  const [at, setAt] = useState(place);
  const [project, setProject] = useState(null);
  const [news, setNews] = useState(null); // the work that goes on, or what is wrong
  const [said, setSaid] = useState(""); // for screen readers, and for a moment for everybody
  const shown = useRef(-1); // the revision on the page
  if (project) shown.current = project.revision;
  const load = useCallback(() => ask("overview").then((answer) => {
    answer.labelers?.forEach((one) => tint(one.name)); // in their order, whatever is read first
    setProject(answer);
    setNews((now) => (answer.problem ? { kind: "problem", message: answer.problem } : now?.kind === "working" && !answer.open ? now : null));
  }, (error) => setNews({ kind: "problem", message: error.message })), []);

  useEffect(() => {
    const moved = () => setAt(place());
    addEventListener("hashchange", moved);
    load();
    const end = listen((event) => {
      if (event.kind === "hello") load();
      else if (event.kind === "changed") setTimeout(() => (shown.current < event.revision ? load() : setNews((now) => (now?.kind === "working" ? null : now))), 250); // the answer to this page may come first
      else setNews(event);
    });
    return () => { removeEventListener("hashchange", moved); end(); };
  }, []);
  useEffect(() => scrollTo(0, 0), [at.view]);
  useEffect(() => { document.title = project?.name ? `${project.name} · Shortlist studio` : "Shortlist studio"; }, [project?.name]);
  useEffect(() => {
    const timer = setTimeout(() => setSaid(""), 6000);
    return () => clearTimeout(timer);
  }, [said]);

  const [, View] = VIEWS[at.view];
  const wrong = news?.kind === "problem" || news?.kind === "lost";
  return html`
    <header class="bar">
      <a class="brand" href="#overview">${project?.name ?? "Shortlist"}</a>
      ${project?.open && html`<nav aria-label="Views">${Object.entries(VIEWS).map(([name, [title, , short]]) => html`<a href=${`#${name}`} aria-current=${name === at.view ? "page" : undefined}>${short ? html`<span class="full">${title}</span><span class="short">${short}</span>` : title}</a>`)}</nav>`}
      <${Pulse} project=${project} news=${news} />
    </header>
    ${wrong && html`<div class="alarm" role="alert"><b>${news.kind === "lost" ? "No connection." : "The project cannot be loaded."}</b> ${news.message.replace(/([^.?!])$/, "$1.")}${project?.open && news.kind === "problem" && " Shown below is the last state that worked."}</div>`}
    <p class=${`said ${said ? "on" : ""}`} role="status">${said}</p>
    <main class=${`view ${at.view}`}>
      ${!project ? html`<${Empty}>Opening the project…<//>`
        : project.open ? html`<${View} key=${at.view} project=${project} at=${at} setProject=${setProject} say=${setSaid} />`
        : project.setup ? html`<${Setup} setProject=${setProject} />`
        : html`<${Empty}>${project.problem ? "Fix the files in an editor; this page reloads by itself." : "Reading rows and applying labelers…"}<//>`}
    </main>`;
}

function Pulse({ project, news }) {
  if (news?.kind === "working") {
    return html`<span class="pulse" aria-live="off"><i class="spin"></i>${news.stage}${news.rows ? ` ${percent(news.done / news.rows, 0)}` : ""}${news.stops && html` <button type="button" class="button" id="stop" onClick=${() => ask("stop", {})}>Stop</button>`}</span>`;
  }
  if (!project?.open) return null;
  const { model, voted, rows } = project.gold;
  return html`<span class="pulse">${plural(project.rows, "row")}${model !== undefined && html`<span class="full">· by votes alone, ${percent(model)} right on ${plural(voted, "gold row")}${voted < rows ? " with a vote" : ""}</span>`}</span>`;
}

// From a folder with a data file to a project.
function Setup({ setProject }) {
  const [files, setFiles] = useState(null);
  const [form, setForm] = useState(null);
  const [missing, setMissing] = useState(false); // the gold column has values that are no classes yet
  const { busy, problem, setProblem, run } = useTask();
  const choose = (file) => setForm({ file: file.file, text: file.text ?? "", id: file.id ?? "", gold: file.gold ?? "", classes: file.classes.join("\n") });
  useEffect(() => {
    ask("setup", {}).then((answer) => {
      setFiles(answer.files);
      const usable = answer.files.find((one) => one.columns);
      if (usable) choose(usable);
    }, (error) => setProblem(error.message));
  }, []);
  if (!files) return html`<${Empty}>Looking for data files…<//>`;
  if (!form) return html`<section class="card setup"><h1>New project</h1><p class="lead">Put a csv, tsv, jsonl or parquet file with one row per example into this folder, then reload this page.</p>${files.map((one) => html`<p class="wrong">${one.file}: ${one.problem}</p>`)}</section>`;
  const file = files.find((one) => one.file === form.file);
  const classes = perLine(form.classes);
  const set = (part) => setForm((now) => ({ ...now, ...part }));
  const chooseGold = (gold, kept = []) => {
    set({ gold });
    if (gold) run(async () => set({ classes: [...new Set([...kept, ...(await ask("setup", { file: form.file, gold })).classes])].join("\n") }));
  };
  const create = (event) => {
    event.preventDefault();
    setMissing(false);
    run(async () => {
      try {
        setProject(await ask("setup", { file: form.file, text: form.text || null, id: form.id || null, gold: form.gold || null, classes }));
        location.hash = "rows";
      } catch (error) { setMissing(Boolean(error.facts?.column)); throw error; }
    });
  };
  const pick = (title, name, none, change = (value) => set({ [name]: value })) => html`<${Field} title=${title}><select id=${`setup-${name}`} value=${form[name]} onChange=${(event) => change(event.target.value)}>${none && html`<option value="">${none}</option>`}${Object.keys(file.columns).map((column) => html`<option value=${column}>${column}</option>`)}</select><//>`;
  const lacking = classes.length < 2 ? "Name at least two classes first." : new Set(classes).size < classes.length ? "A class is named twice." : null;
  return html`<section class="card editor setup"><form onSubmit=${create}><h1>New project</h1><p class="lead">Columns and classes are guessed from the file. Check them.</p>
      <${Field} title="Data file"><select id="setup-file" value=${form.file} onChange=${(event) => choose(files.find((one) => one.file === event.target.value))}>${files.map((one) => html`<option value=${one.file} disabled=${!one.columns}>${one.file}</option>`)}</select><//>
      ${pick("Text column", "text", "none: a table of columns")}${pick("Id column", "id", "none")}${pick("Column of known classes, if any", "gold", "none", chooseGold)}
      <${Field} title="Classes, one per line"><textarea id="setup-classes" rows=${Math.min(14, Math.max(5, classes.length + 1))} value=${form.classes} onInput=${(event) => set({ classes: event.target.value })}></textarea><${CommaHint} text=${form.classes} what="name" /><//>
      <${Problem} text=${problem} />
      ${missing && html`<button type="button" class="button" onClick=${() => { setMissing(false); chooseGold(form.gold, classes); }}>Add them to the classes</button>`}
      <div class="actions"><button class="button main" disabled=${Boolean(busy || lacking)} aria-describedby="setup-hint">${busy ? "Reading the rows…" : "Create the project"}</button><span class="quiet" id="setup-hint">${lacking ?? "This writes shortlist.toml, and nothing else."}</span></div></form>
    <div class="effect"><h3>First rows</h3><ul class="examples">${file.first.map((line) => html`<li class="example"><${Fields} fields=${line} /></li>`)}</ul></div></section>`;
}

render(html`<${Studio} />`, document.getElementById("studio"));
