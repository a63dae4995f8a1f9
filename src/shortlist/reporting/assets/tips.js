"use strict";
// Tips for marks and cells, by mouse, touch or keyboard.
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
})();
