"use strict";
const { methods, sets, noises, measures, clean } = JSON.parse(document.getElementById("data").textContent);
const form = document.getElementById("filters");
const board = document.getElementById("board");
const numbers = document.getElementById("numbers");
const percent = (rate) => `${Number((100 * rate).toPrecision(3))} %`;
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
let decimals = 1;
const shown = (value) => value.toFixed(decimals);

// Choices that the data does not have are left out, with their labels.
const fill = (name, options) => {
  for (const [value, words] of options) form.elements[name].add(new Option(words, value));
  form.elements[name].parentElement.hidden = form.elements[name].length < 2;
};
fill("measure", measures.map((each, place) => [place, each.words]));
fill("noise", [...new Set(noises.map((each) => each.model))].filter((model) => model !== "none").map((model) => [model, model]));
fill("rate", [...new Set(noises.map((each) => each.rate))].sort((a, b) => a - b).map((rate) => [rate, percent(rate)]));
form.elements.classes.parentElement.hidden = new Set(sets.map((each) => each.classes === 2)).size < 2;

// The choices are kept in the address, so that a link leads to the same view.
const start = new URLSearchParams(location.hash.slice(1));
for (const [name, value] of start) if (form.elements[name]) form.elements[name].value = value;
for (const field of form.elements) if (field.tagName === "SELECT" && field.selectedIndex < 0) field.selectedIndex = 0;
let detail = methods.indexOf(start.get("of"));
let order = { column: 1, sign: 1 };

// Quantile 0.975 of the t distribution, from 3 degrees of freedom by its Cornish-Fisher expansion.
const t975 = (df) => {
  if (df < 3) return [12.706205, 4.302653][df - 1];
  const z = 1.959964, at = [z, (z ** 3 + z) / 4, (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96, (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384];
  return at.reduce((sum, term, power) => sum + term / df ** power, 0);
};

// Methods with values, and the data sets and noises of the choice on which all of them have one.
const choose = () => {
  const { measure, classes, noise, rate } = Object.fromEntries(new FormData(form));
  const { values, higher, words, unit } = measures[measure || 0];
  decimals = measures[measure || 0].decimals;
  const inKind = (each) => each.name === clean ? !noise || rate === "0" || !rate : !noise || each.model === noise;
  const columns = noises.map((each, n) => [each, n]).filter(([each]) => inKind(each) && (!rate || String(each.rate) === rate)).map(([, n]) => n);
  const rows = sets.map((each, d) => [each, d]).filter(([each]) => !classes || (each.classes === 2) === (classes === "two")).map(([, d]) => d);
  const present = methods.map((_, m) => m).filter((m) => rows.some((d) => columns.some((n) => values[m][d][n])));
  const complete = rows.map((d) => [d, columns.filter((n) => present.every((m) => values[m][d][n]))]).filter(([, its]) => its.length);
  return { values, higher, words, unit, rows, columns, present, complete };
};

const score = ({ values, higher, present, complete }) => {
  const sign = higher ? -1 : 1;
  const each = present.map((m) => ({ m, bySet: complete.map(([d, its]) => mean(its.map((n) => values[m][d][n][0]))), ranks: [], best: 0 }));
  for (const [d, its] of complete)
    for (const n of its) {
      const own = each.map(({ m }) => sign * values[m][d][n][0]);
      each.forEach((one, place) => {
        const lower = own.filter((value) => value < own[place]).length;
        one.ranks.push(lower + (own.filter((value) => value === own[place]).length + 1) / 2);
        one.best += lower === 0;
      });
    }
  for (const one of each) one.mean = mean(one.bySet);
  each.sort((a, b) => sign * (a.mean - b.mean));
  const first = each[0];
  each.forEach((one, place) => {
    const gaps = one.bySet.map((value, s) => value - first.bySet[s]);
    const gap = mean(gaps), k = gaps.length;
    const half = k > 1 ? t975(k - 1) * Math.sqrt(mean(gaps.map((g) => (g - gap) ** 2)) / (k - 1)) : NaN;
    Object.assign(one, { place: place + 1, gap, half, rank: mean(one.ranks) });
  });
  return each;
};

const make = (tag, text, attributes = {}) => Object.assign(document.createElement(tag), { textContent: text }, attributes);

const write = () => {
  const choice = choose();
  const { words, unit, higher, rows, columns, present, complete } = choice;
  const n = complete.reduce((sum, [, its]) => sum + its.length, 0);
  const each = n ? score(choice) : [];
  const signed = (value) => `${value < 0 ? "−" : "+"}${shown(Math.abs(value))}`;
  const columnsOf = [
    ["method", (one) => methods[one.m]],
    [`mean ${words}${unit && ` (${unit})`}`, (one) => one.mean, (one) => shown(one.mean)],
    ["behind the best", (one) => one.gap, (one) => one.place === 1 ? "–" : `${signed(one.gap)}${isNaN(one.half) ? "" : ` [${signed(one.gap - one.half)},\u00a0${signed(one.gap + one.half)}]`}`],
    ["mean rank", (one) => one.rank, (one) => one.rank.toFixed(1)],
    [`best of ${n}`, (one) => -one.best, (one) => one.best],
  ];
  const head = document.createElement("tr");
  columnsOf.forEach(([name, key], column) => {
    const cell = make("th", "", { scope: "col", className: column ? "number" : "" });
    const button = make("button", name, { type: "button" });
    button.addEventListener("click", () => {
      order = { column, sign: order.column === column ? -order.sign : 1 };
      write();
      board.tHead.rows[0].cells[column].firstChild.focus();
    });
    if (order.column === column) cell.setAttribute("aria-sort", order.sign > 0 ? "ascending" : "descending");
    cell.append(button);
    head.append(cell);
  });
  board.tHead.replaceChildren(head);
  const key = columnsOf[order.column][1];
  const turned = order.column === 1 && higher ? -order.sign : order.sign;
  const sorted = [...each].sort((a, b) => turned * (typeof key(a) === "string" ? key(a).localeCompare(key(b)) : key(a) - key(b)));
  const search = form.elements.search.value.trim().toLowerCase();
  const found = sorted.filter((one) => methods[one.m].toLowerCase().includes(search));
  board.tBodies[0].replaceChildren(...found.map((one) => {
    const row = document.createElement("tr");
    columnsOf.forEach(([name, , text], column) => {
      const cell = make(column ? "td" : "th", column ? text(one) : "");
      cell.dataset.h = name;
      if (!column) {
        const button = make("button", `${one.place}. ${methods[one.m]}`, { type: "button", className: "method", title: "its numbers by data set" });
        cell.scope = "row";
        cell.append(button);
      }
      if (column === 2 && one.place > 1 && one.gap - one.half <= 0 !== one.gap + one.half < 0) cell.className = "even";
      row.append(cell);
    });
    row.className = one.m === detail ? "here" : "";
    row.addEventListener("click", () => { detail = one.m; write(); document.getElementById("numbers").scrollIntoView({ block: "nearest" }); });
    return row;
  }));
  const [first, second] = each;
  document.getElementById("leader").textContent = first ? `${methods[first.m]} has the ${higher ? "highest" : "lowest"} mean ${words}, ${shown(first.mean)}${unit && ` ${unit}`}${second ? `; ${methods[second.m]} follows with ${shown(second.mean)}${unit && ` ${unit}`}` : ""}.` : "No data set and noise of this choice has a value of every method.";
  const all = rows.length * columns.length;
  document.getElementById("chosen").textContent = `${present.length} methods on ${complete.length} of ${sets.length} data sets under ${columns.length} of ${noises.length} kinds and rates of noise${n < all ? `; ${all - n} of ${all} cells lack a value of some method and are left out` : ""}. ${search ? `${found.length} shown.` : "Choose a method for its numbers."}`;
  writeNumbers(choice, each);
  const kept = new URLSearchParams([...new FormData(form)].filter(([, value]) => value && value !== "0"));
  if (form.elements.rate.value === "0") kept.set("rate", "0");
  if (detail >= 0) kept.set("of", methods[detail]);
  history.replaceState(null, "", kept.size ? `#${kept}` : location.pathname + location.search);
};

const writeNumbers = ({ values, higher, rows, columns, words, unit }, each) => {
  const m = detail >= 0 ? detail : each[0]?.m ?? 0;
  numbers.querySelector("h2").textContent = `${methods[m]} by data set: ${words}${unit && ` (${unit})`}`;
  const head = document.createElement("tr");
  for (const name of ["data set", "classes", ...columns.map((n) => noises[n].name)])
    head.append(make("th", name, { scope: "col", className: name === "data set" ? "" : "number" }));
  const table = numbers.querySelector("table");
  table.tHead.replaceChildren(head);
  table.tBodies[0].replaceChildren(...rows.map((d) => {
    const row = document.createElement("tr");
    row.append(make("th", sets[d].name, { scope: "row" }), make("td", sets[d].classes));
    for (const n of columns) {
      const cell = values[m][d][n];
      const others = values.map((its) => its[d][n]?.[0]).filter((value) => value !== undefined);
      const isBest = cell && cell[0] === (higher ? Math.max(...others) : Math.min(...others));
      const spread = cell?.[1] === undefined ? "" : ` ± ${shown(cell[1])}`;
      row.append(make("td", cell ? shown(cell[0]) + spread : "–", { className: isBest ? "best" : "" }));
    }
    [...row.cells].forEach((cell, column) => { if (cell.tagName === "TD") cell.dataset.h = head.cells[column].textContent; });
    return row;
  }));
};

form.addEventListener("input", write);
form.addEventListener("submit", (event) => event.preventDefault());
write();
