// From a folder with a data file to a project.
import { html, useEffect, useState } from "./preact.js";
import { ask } from "./api.js";
import { Empty, Whole, perLine } from "./parts.js";

export function Setup({ setProject }) {
  const [files, setFiles] = useState(null);
  const [form, setForm] = useState(null);
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const take = (file) => setForm({ file: file.file, text: file.text ?? Object.keys(file.columns)[0], id: file.id ?? "", gold: file.gold ?? "", classes: file.classes.join("\n") });
  useEffect(() => { ask("setup", {}).then((found) => { setFiles(found.files); const good = found.files.find((one) => one.columns); if (good) take(good); }, (error) => setProblem(error.message)); }, []);
  if (!files) return html`<${Empty}>Looking for data files…<//>`;
  if (!form) return html`<section class="card"><h1>A new project</h1><p class="lead">Put a csv, tsv, jsonl or parquet file with one row per example into this folder, then load this page again.</p>${files.map((one) => html`<p class="wrong">${one.file}: ${one.problem}</p>`)}</section>`;
  const file = files.find((one) => one.file === form.file);
  const classes = perLine(form.classes);
  const set = (part) => setForm({ ...form, ...part });
  const make = async (event) => {
    event.preventDefault();
    setBusy(true);
    try { setProject(await ask("setup", { file: form.file, text: form.text, id: form.id || null, gold: form.gold || null, classes })); location.hash = "rows"; } catch (error) { setProblem(error.message); }
    setBusy(false);
  };
  const pick = (title, name, none) => html`<label class="field"><span>${title}</span><select id=${`setup-${name}`} value=${form[name]} onChange=${(event) => set({ [name]: event.target.value })}>${none && html`<option value="">none</option>`}${Object.keys(file.columns).map((column) => html`<option value=${column}>${column}</option>`)}</select></label>`;
  return html`<section class="card editor setup"><form onSubmit=${make}><h1>A new project</h1>
      <label class="field"><span>The file with the rows</span><select id="setup-file" value=${form.file} onChange=${(event) => take(files.find((one) => one.file === event.target.value))}>${files.map((one) => html`<option value=${one.file} disabled=${!one.columns}>${one.file}</option>`)}</select></label>
      ${pick("The column of text", "text")}${pick("The column that tells rows apart", "id", true)}${pick("The column of known classes, if there is one", "gold", true)}
      <label class="field"><span>The classes, one on each line</span><textarea id="setup-classes" rows="5" value=${form.classes} onInput=${(event) => set({ classes: event.target.value })}></textarea><${Whole} text=${form.classes} what="name" /></label>
      ${problem && html`<div class="alarm" role="alert">${problem}</div>`}
      <div class="actions"><button class="button main" disabled=${busy || classes.length < 2}>${busy ? "Reading the rows…" : "Make the project"}</button><span class="quiet">It writes shortlist.toml, and nothing else.</span></div></form>
    <div class="effect"><h3>The first rows</h3><ul class="examples">${file.first.map((line) => html`<li class="example"><dl class="fields">${Object.entries(line).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></li>`)}</ul></div></section>`;
}
