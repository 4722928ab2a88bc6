"use strict";
// A link to something folded unfolds it.
const unfold = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  for (const its of target.querySelectorAll(":scope > details")) its.open = true;
  target.scrollIntoView();
};
addEventListener("hashchange", unfold);
document.addEventListener("click", (event) => event.target.closest("a")?.hash === location.hash && unfold());
addEventListener("DOMContentLoaded", unfold);
// In print nothing is folded.
addEventListener("beforeprint", () => document.querySelectorAll("section > details").forEach((its) => { its.open = true; }));

// The part in sight is marked in the table of contents.
const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
const watch = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    links.forEach((link) => { link.classList.remove("here"); link.removeAttribute("aria-current"); });
    links.get(target.id).classList.add("here");
    links.get(target.id).setAttribute("aria-current", "true");
  }
}, { rootMargin: "-10% 0px -80% 0px" });
for (const id of links.keys()) if (document.getElementById(id)) watch.observe(document.getElementById(id));

// Click a column's head to sort by it, again to turn round, a third time for the order of the paper.
const key = (row, column) => {
  const text = row.cells[column].textContent.trim();
  const number = parseFloat(text);
  return { number: /^[-+]?[\d.]/.test(text) ? number : NaN, text };
};
const compare = (a, b) => {
  if (isNaN(a.number) !== isNaN(b.number)) return isNaN(a.number) ? 1 : -1;
  return isNaN(a.number) ? a.text.localeCompare(b.text) : a.number - b.number;
};
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const asWritten = [...body.rows];
  const repeated = [...body.querySelectorAll(".again")];
  const heads = [...table.tHead.rows[0].cells];
  // On a narrow screen a cell shows the name of its column.
  for (const row of table.querySelectorAll(":is(tbody, tfoot) tr"))
    for (const cell of row.cells) if (cell.tagName === "TD") cell.dataset.h = heads[cell.cellIndex].textContent;
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const order = { null: "ascending", ascending: "descending" }[head.getAttribute("aria-sort")];
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      repeated.forEach((cell) => cell.classList.toggle("again", !order));
      const rows = [...asWritten];
      if (order) {
        head.setAttribute("aria-sort", order);
        const sign = order === "ascending" ? 1 : -1;
        rows.sort((a, b) => sign * compare(key(a, column), key(b, column)));
      }
      body.append(...rows);
    });
  });
}
