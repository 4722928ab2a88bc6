// Draws the lines of a figure anew: values under the pointer, a legend of switches, zoom, log axes.
"use strict";
const AND = " · ";
const FEW_POINTS = 20; // of a line, which are then marked
const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};
const shown = (value) => {
  if (value === null) return "";
  const isTiny = value && Math.abs(value) < 1e-3;
  return isTiny ? value.toExponential().replace(/(\.\d{3})\d*/, "$1") : String(+value.toPrecision(4));
};

// What an axis shows at first: as on the printed figure, above 0 if it is logarithmic.
const limitsOf = (axis, isLog, values) => {
  const positive = values.filter((value) => value > 0);
  const low = isLog && !(axis.limits[0] > 0) ? Math.min(...positive) : axis.limits[0];
  return { min: low, max: axis.limits[1] };
};

class Panel {
  constructor(panel, labels) {
    this.panel = panel;
    this.labels = labels;
    this.title = element("div", { className: "panel-title", textContent: panel.title });
    this.tip = element("div", { className: "tip", hidden: true });
    this.box = element("div", { className: "panel" }, this.title);
  }

  draw(logs, off) {
    this.plot?.destroy();
    const series = [{}];
    const bands = [];
    const tables = this.panel.lines.map((line) => {
      const show = !line.label.split(AND).some((part) => off.has(part));
      const isShort = line.x.length <= FEW_POINTS;
      const points = {
        show: line.marks || isShort, size: line.marks ? 7 : 5, width: 1.5, stroke: line.colour,
        fill: line.marks ? "#fff" : line.colour,
      };
      series.push({
        show, points, spanGaps: true, stroke: line.colour, width: line.width, dash: line.dashes,
        ...(line.marks && { paths: () => null }),
      });
      if (!line.low) return [line.x, this.#above(line.y, logs.y)];
      const edge = { show, spanGaps: true, points: { show: false }, stroke: "transparent" };
      series.push(edge, { ...edge });
      bands.push({ series: [series.length - 1, series.length - 2], fill: line.colour + "26" });
      return [line.x, line.y, line.low, line.high].map((ys, i) => (i ? this.#above(ys, logs.y) : ys));
    });
    const scale = (name) => {
      const values = this.panel.lines.flatMap((line) => line[name]);
      const limits = limitsOf(this.panel[name], logs[name], values);
      return { time: false, distr: logs[name] ? 3 : 1, range: (_, min, max) => [min, max], ...limits };
    };
    const scales = { x: scale("x"), y: scale("y") };
    this.whole = (plot) => {
      for (const name of ["x", "y"]) plot.setScale(name, { min: scales[name].min, max: scales[name].max });
    };
    const axis = (name, size) => {
      const filter = logs[name] ? { filter: (plot, at) => this.#spread(plot, name, at) } : {};
      return {
        size, label: this.labels[name] || null, labelSize: 16, stroke: "#333", gap: 4,
        font: "11px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif",
        grid: { stroke: "#e4e4e4", width: 1, ...filter },
        ticks: { size: 3, stroke: "#999", ...filter },
        values: (_, ticks) => ticks.map(shown), ...filter,
      };
    };
    const width = Math.max(200, this.box.clientWidth);
    this.plot = new uPlot(
      {
        width, height: Math.round(Math.min(300, Math.max(200, 0.7 * width))), scales, series, bands,
        axes: [axis("x", 32), axis("y", 42)],
        legend: { show: false },
        cursor: {
          drag: { x: true, y: true, uni: 24 },
          points: { show: false },
          bind: { dblclick: (plot) => () => (this.whole(plot), null) },
        },
        hooks: { setCursor: [(plot) => this.#tell(plot, off)], ready: [this.whole] },
      },
      uPlot.join(tables),
      this.box,
    );
    this.box.append(this.tip);
  }

  fit() {
    this.plot.setSize({ width: Math.max(200, this.box.clientWidth), height: this.plot.height });
  }

  #above(values, isLog) {
    return isLog ? values.map((value) => (value > 0 ? value : null)) : values;
  }

  // Of the ticks of a log axis those that stand apart.
  #spread(plot, name, ticks) {
    const { min, max } = plot.scales[name];
    const digits = max > 1e4 * min ? "1" : "125";
    let last = Infinity;
    return ticks.map((tick) => {
      const at = plot.valToPos(tick, name);
      const room = name === "x" ? 10 + 7 * shown(tick).length : 14;
      const [digit] = tick.toExponential(6).split(".");
      if (!digits.includes(digit) || +tick.toPrecision(1) !== +tick.toPrecision(6)) return null;
      if (Math.abs(at - last) < room) return null;
      last = at;
      return tick;
    });
  }

  // The values of the visible lines at the point that is nearest to the pointer.
  #tell(plot, off) {
    const { left, top } = plot.cursor;
    const rows = [];
    for (const line of left >= 0 ? this.panel.lines : []) {
      if (line.label.split(AND).some((part) => off.has(part))) continue;
      const away = line.x.map((x) => Math.abs(plot.valToPos(x, "x") - left));
      const at = away.indexOf(Math.min(...away));
      if (away[at] < 14 && line.y[at] !== null) rows.push({ line, at });
    }
    this.tip.hidden = !rows.length;
    if (!rows.length) return;
    rows.sort((a, b) => b.line.y[b.at] - a.line.y[a.at]);
    const table = element("table");
    for (const { line, at } of rows) {
      const band = line.low ? ` (${shown(line.low[at])} to ${shown(line.high[at])})` : "";
      const name = element("td", {}, swatch(line), line.label);
      table.append(element("tr", {}, name, element("td", {}, shown(line.y[at]) + band)));
    }
    const x = rows[0].line.x[rows[0].at];
    this.tip.replaceChildren(element("b", {}, `${this.labels.x || "x"} ${shown(x)}`), table);
    const over = plot.over.getBoundingClientRect();
    const room = (start, size, all) => Math.max(4, start + size > all ? all - size - 4 : start);
    this.tip.style.left = `${room(over.left + left + 14, this.tip.offsetWidth, innerWidth)}px`;
    this.tip.style.top = `${room(over.top + top + 14, this.tip.offsetHeight, innerHeight)}px`;
  }
}

function swatch(line, isPlain) {
  const drawn = line.marks && !isPlain
    ? `<circle cx="13" cy="5" r="3" fill="none" stroke-width="1.5" stroke="${line.colour}"/>`
    : `<path d="M1 5h24" stroke-width="2" stroke="${line.colour}"
        stroke-dasharray="${isPlain ? "" : line.dashes}"/>`;
  return element("span", { className: "swatch", innerHTML: `<svg width="26" height="10">${drawn}</svg>` });
}

function drawChart(figure) {
  const panels = JSON.parse(figure.querySelector("script").textContent);
  const chart = figure.querySelector(".chart");
  const lines = panels.flatMap((panel) => panel.lines);
  for (const line of lines) if (typeof line.x === "number") line.x = lines[line.x].x;
  const off = new Set();
  const logs = { x: panels[0].x.log, y: panels[0].y.log };
  const label = (axis) => panels.map((panel) => panel[axis].label).find(Boolean) ?? "";
  const labels = { x: label("x"), y: label("y").split("\n").at(-1).replace(", log scale", "") };
  const made = panels.map((panel) => new Panel(panel, labels));
  const drawAll = () => made.forEach((panel) => panel.draw(logs, off));
  const button = (text, isOn, click) => {
    const its = element("button", { type: "button" }, ...text);
    if (isOn !== null) its.setAttribute("aria-pressed", isOn);
    its.addEventListener("click", () => {
      if (isOn !== null) its.setAttribute("aria-pressed", its.getAttribute("aria-pressed") !== "true");
      click();
    });
    return its;
  };
  const legend = element("div", { className: "switches" });
  for (const place of [0, 1]) {
    const parts = new Map();
    for (const line of lines) {
      const part = line.label.split(AND)[place];
      if (part && !parts.has(part)) parts.set(part, line);
    }
    if (place && parts.size < 2) continue;
    for (const [part, line] of parts) {
      const shownAs = place ? { ...line, colour: "#555555" } : line;
      legend.append(button([swatch(shownAs, !place && line.label.includes(AND)), part], true, () => {
        off.has(part) ? off.delete(part) : off.add(part);
        drawAll();
      }));
    }
  }
  const scale = (axis) =>
    button([`log ${axis}`], logs[axis], () => { logs[axis] = !logs[axis]; drawAll(); });
  legend.append(scale("x"), scale("y"), button(["whole"], null, drawAll));
  const grid = element("div", { className: "panels" });
  made.forEach((panel, place) => {
    const heading = panels[place].y.label.split("\n").slice(0, -1).join(" ");
    if (heading) grid.append(element("div", { className: "row-title", textContent: heading }));
    grid.append(panel.box);
  });
  chart.append(legend, grid);
  figure.classList.add("live");
  drawAll();
  new ResizeObserver(() => made.forEach((panel) => panel.fit())).observe(grid);
}
document.querySelectorAll("figure:has(.chart)").forEach(drawChart);
