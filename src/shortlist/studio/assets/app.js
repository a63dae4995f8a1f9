// The studio: which view is shown, what the project is now, and what happens to it.
import { html, render, useCallback, useEffect, useRef, useState } from "./preact.js";
import { ask, listen } from "./api.js";
import { Empty, percent, plural } from "./parts.js";
import { Overview } from "./overview.js";
import { Rows } from "./rows.js";
import { Rules } from "./rules.js";
import { Label } from "./label.js";
import { Compare } from "./compare.js";
import { Setup } from "./setup.js";

const VIEWS = { overview: ["Overview", Overview], rows: ["Rows", Rows], rules: ["Rules", Rules], label: ["Label", Label], compare: ["Compare and export", Compare] };

const WAIT = 250; // milliseconds

function place() {
  const [view, ...rest] = location.hash.slice(1).split("/");
  const name = rest.join("/");
  return { view: view in VIEWS ? view : "overview", name: name ? decodeURIComponent(name) : "" };
}

export const go = (view, given) => { location.hash = given === undefined ? view : `${view}/${encodeURIComponent(typeof given === "string" ? given : JSON.stringify(given))}`; };

function Studio() {
  const [at, setAt] = useState(place);
  const [project, setProject] = useState(null);
  const [news, setNews] = useState(null); // what is being done, or what is wrong
  const shown = useRef(-1);
  if (project) shown.current = project.revision;
  const [said, setSaid] = useState(""); // for screen readers, and for a moment for everybody
  const load = useCallback(() => ask("overview").then((found) => {
    setProject(found);
    setNews((now) => (found.problem ? { kind: "problem", message: found.problem } : now?.kind === "working" && !found.open ? now : null));
    return found;
  }, (error) => setNews({ kind: "problem", message: error.message })), []);

  useEffect(() => {
    const moved = () => setAt(place());
    addEventListener("hashchange", moved);
    load();
    const end = listen((event) => {
      if (event.kind === "hello") load();
      else if (event.kind === "changed") setTimeout(() => shown.current < event.revision && load(), WAIT); // the answer of this page may come first
      else setNews(event.kind === "lost" ? { kind: "lost", message: "The studio does not answer. Is it still running in the terminal?" } : event);
    });
    return () => { removeEventListener("hashchange", moved); end(); };
  }, []);
  useEffect(() => { document.title = project?.name ? `${project.name} · Shortlist studio` : "Shortlist studio"; }, [project?.name]);
  useEffect(() => {
    if (!said) return undefined;
    const timer = setTimeout(() => setSaid(""), 6000);
    return () => clearTimeout(timer);
  }, [said]);

  const [, View] = VIEWS[at.view];
  return html`
    <header class="bar">
      <a class="brand" href="#overview">${project?.name ?? "Shortlist"}</a>
      ${project?.open && html`<nav aria-label="Views">${Object.entries(VIEWS).map(([name, [title]]) => html`<a href=${`#${name}`} aria-current=${name === at.view ? "page" : undefined}>${title}</a>`)}</nav>`}
      <${Pulse} project=${project} news=${news} />
    </header>
    ${news && (news.kind === "problem" || news.kind === "lost") && html`<div class="alarm" role="alert"><b>${news.kind === "lost" ? "No connection" : "The files cannot be used as they are"}</b> ${news.message}${project?.open && news.kind === "problem" && " What you see is the last state that worked."}</div>`}
    <p class=${`said ${said ? "on" : ""}`} role="status">${said}</p>
    <main class=${`view ${at.view}`}>
      ${!project ? html`<${Empty}>Opening the project…<//>`
        : project.open ? html`<${View} key=${at.view} project=${project} at=${at} setProject=${setProject} reload=${load} say=${setSaid} />`
        : project.setup ? html`<${Setup} setProject=${setProject} />`
        : html`<${Empty}>${project.problem ? "Mend the files in an editor; this page goes on by itself." : "Reading the rows and asking the labelers…"}<//>`}
    </main>`;
}

function Pulse({ project, news }) {
  if (news?.kind === "working") {
    const share = news.rows ? ` ${percent(news.done / news.rows, 0)}` : "";
    return html`<span class="pulse" aria-live="off"><i class="spin"></i>${news.stage}${share}</span>`;
  }
  if (!project?.open) return null;
  const right = project.gold?.model;
  return html`<span class="pulse">${plural(project.rows, "row")}${right !== undefined && ` · ${percent(right)} right on ${plural(project.gold.voted, "gold row")}${project.gold.voted < project.gold.rows ? " with a vote" : ""}`}</span>`;
}

render(html`<${Studio} />`, document.getElementById("studio"));
