"use strict";
// Rows of a labeler open when they are linked to; tables sort by a column.
(() => {
  const open = () => { const target = document.getElementById(location.hash.slice(1)); if (target instanceof HTMLDetailsElement) target.open = true; };
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
