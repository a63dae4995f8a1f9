"use strict";
// Tips for marks and cells, by mouse, touch or keyboard; and tables that sort by a column.
(() => {
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.setAttribute("aria-hidden", "true");
  document.body.append(tip);
  const show = (mark) => {
    tip.textContent = mark.dataset.tip;
    tip.classList.add("on");
    const box = mark.getBoundingClientRect();
    const x = Math.min(Math.max(8, box.left + box.width / 2 - tip.offsetWidth / 2), innerWidth - tip.offsetWidth - 8);
    const above = box.top - tip.offsetHeight - 8;
    tip.style.left = `${x}px`;
    tip.style.top = `${above > 4 ? above : box.bottom + 8}px`;
  };
  const hide = () => tip.classList.remove("on");
  const marked = (event) => (event.target instanceof Element ? event.target.closest("[data-tip]") : null);
  for (const kind of ["pointerover", "focusin", "click"])
    document.addEventListener(kind, (event) => { const mark = marked(event); if (mark) show(mark); else hide(); });
  addEventListener("scroll", hide, { passive: true, capture: true });
  addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });

  const open = () => { const found = document.getElementById(location.hash.slice(1)); if (found instanceof HTMLDetailsElement) found.open = true; };
  addEventListener("hashchange", open);
  open();

  for (const button of document.querySelectorAll("th button")) {
    button.addEventListener("click", () => {
      const head = button.closest("th"), table = head.closest("table"), body = table.tBodies[0];
      const down = head.getAttribute("aria-sort") !== "descending";
      const text = head.dataset.sort === "text";
      const value = (line) => line.cells[head.cellIndex].dataset.value ?? "";
      const order = (a, b) => text ? value(b).localeCompare(value(a)) : (parseFloat(value(a)) || -1) - (parseFloat(value(b)) || -1);
      const lines = [...body.rows].sort((a, b) => (down ? -1 : 1) * order(a, b));
      for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      body.append(...lines);
    });
  }
})();
