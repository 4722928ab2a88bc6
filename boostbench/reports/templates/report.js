// Click a column's head to sort by it, again to turn round, a third time for the order of the paper.
"use strict";
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
