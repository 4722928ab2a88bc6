// Draws the lines of a figure anew: values under the pointer, a legend of switches, zoom, log axes.
"use strict";
const AND = " · ";
const FEW_POINTS = 20; // of a line, which then all have its mark; else every MARKED-th part
const MARKED = 5;
// Marks by matplotlib's names, as SVG paths of radius 1; of those in HOLLOW only the outline is drawn.
const HOLLOW = "Dx";
const MARKS = {
  o: "M1 0A1 1 0 1 1-1 0A1 1 0 1 1 1 0Z", s: "M-.85-.85H.85V.85H-.85Z", D: "M0-1.2 1.2 0 0 1.2-1.2 0Z",
  d: "M0-1.2.75 0 0 1.2-.75 0Z", x: "M-.9-.9.9.9M-.9.9.9-.9", "^": "M0-1.1 1 .8H-1Z", v: "M0 1.1 1-.8H-1Z",
  "<": "M-1.1 0 .8-1V1Z", ">": "M1.1 0-.8-1V1Z", P: "M-.35-1H.35V-.35H1V.35H.35V1H-.35V.35H-1V-.35H-.35Z",
  X: "M-1-.6-.6-1 0-.4.6-1 1-.6.4 0 1 .6.6 1 0 .4-.6 1-1 .6-.4 0Z", p: "M0-1.1 1.05-.3.65.9H-.65L-1.05-.3Z",
  "*": "M0-1.2.3-.4 1.15-.37.48.15.7 1 0 .5-.7 1-.48.15-1.15-.37-.3-.4Z", h: "M0-1.1.95-.55V.55L0 1.1-.95.55V-.55Z",
};
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
      series.push({
        show, points: { show: false }, spanGaps: true, stroke: line.colour, width: line.width,
        dash: line.dashes, ...(line.marks && { paths: () => null }),
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
    const width = Math.max(140, this.box.clientWidth);
    const isWide = width > 400;
    const axis = (name, size) => {
      const filter = logs[name] ? { filter: (plot, at) => this.#spread(plot, name, at) } : {};
      return {
        size, label: (isWide && this.labels[name]) || null, labelSize: 16, stroke: "#333", gap: 4,
        font: "11px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif",
        grid: { stroke: "#e4e4e4", width: 1, ...filter },
        ticks: { size: 3, stroke: "#999", ...filter },
        values: (_, ticks) => ticks.map(shown), ...filter,
      };
    };
    this.plot = new uPlot(
      {
        width, height: Math.round(Math.min(300, Math.max(150, 0.7 * width))), scales, series, bands,
        padding: [8, 8, 0, 0], axes: [axis("x", isWide ? 32 : 24), axis("y", 40)],
        legend: { show: false },
        cursor: {
          drag: { x: true, y: true, uni: 24 },
          points: { show: false },
          bind: { dblclick: (plot) => () => (this.whole(plot), null) },
        },
        hooks: {
          setCursor: [(plot) => this.#tell(plot, off)], ready: [this.whole],
          draw: [(plot) => this.#mark(plot, off)],
        },
      },
      uPlot.join(tables),
      this.box,
    );
    this.box.append(this.tip);
  }

  fit() {
    this.plot?.setSize({ width: Math.max(140, this.box.clientWidth), height: this.plot.height });
  }

  // Draws the marks of the visible lines, those of neighbouring lines apart.
  #mark(plot, off) {
    const { ctx, bbox } = plot;
    this.panel.lines.forEach((line, place) => {
      if (!line.mark || line.label.split(AND).some((part) => off.has(part))) return;
      const n = line.x.length;
      const few = line.marks || n <= FEW_POINTS;
      const step = few ? 1 : Math.ceil(n / MARKED);
      for (let at = few ? 0 : (3 * place) % step; at < n; at += step) {
        if (line.y[at] === null) continue;
        const x = plot.valToPos(line.x[at], "x", true);
        const y = plot.valToPos(line.y[at], "y", true);
        if (!(x >= bbox.left - 1 && x <= bbox.left + bbox.width + 1 && y >= bbox.top - 1 && y <= bbox.top + bbox.height + 1)) continue;
        const radius = (line.marks ? 4 : 3) * devicePixelRatio;
        ctx.save();
        ctx.translate(x, y);
        ctx.scale(radius, radius);
        ctx.lineWidth = 1.5 * devicePixelRatio / radius;
        ctx.strokeStyle = line.colour;
        ctx.fillStyle = HOLLOW.includes(line.mark) ? "#fff" : line.colour;
        const path = new Path2D(MARKS[line.mark] ?? MARKS.o);
        if (line.mark !== "x") ctx.fill(path);
        ctx.stroke(path);
        ctx.restore();
      }
    });
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
      if (away[at] < 40 && line.y[at] !== null) rows.push({ line, at });
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

// The look of a line in the legend: its stroke, its mark, or both.
function swatch(line, withStroke = !line.marks, withMark = true) {
  const stroke = `<path d="M1 6h24" stroke-width="2" stroke="${line.colour}" stroke-dasharray="${line.dashes}"/>`;
  const fill = line.mark === "x" ? "none" : HOLLOW.includes(line.mark) ? "#fff" : line.colour;
  const mark = `<path transform="translate(13 6) scale(4)" d="${MARKS[line.mark] ?? ""}" fill="${fill}"
    stroke="${line.colour}" stroke-width=".35"/>`;
  const drawn = (withStroke ? stroke : "") + (withMark && line.mark ? mark : "");
  return element("span", { className: "swatch", innerHTML: `<svg width="26" height="12">${drawn}</svg>` });
}

function drawChart(figure) {
  const panels = JSON.parse(figure.querySelector("script").textContent);
  const chart = figure.querySelector(".chart");
  const lines = panels.flatMap((panel) => panel.lines);
  lines.forEach((line, place) => line.x ??= lines[place - 1].x);
  const off = new Set();
  const logs = { x: panels[0].x.log, y: panels[0].y.log };
  const label = (axis) => panels.map((panel) => panel[axis].label).find(Boolean) ?? "";
  const labels = { x: label("x"), y: label("y").split("\n").at(-1).replace(", log scale", "") };
  const made = panels.map((panel) => new Panel(panel, labels));
  // Panels in sight are drawn, and the others when they come into sight.
  const inSight = new Set();
  const stale = new Set(made);
  const drawStale = () => {
    for (const panel of inSight) if (stale.delete(panel)) panel.draw(logs, off);
  };
  const drawAll = () => {
    made.forEach((panel) => stale.add(panel));
    drawStale();
  };
  const watch = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const panel = made.find((its) => its.box === target);
      isIntersecting ? inSight.add(panel) : inSight.delete(panel);
    }
    drawStale();
  }, { rootMargin: "200px" });
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
      const isPart = line.label.includes(AND);
      const look = place ? swatch({ ...line, colour: "#555555" }, !line.marks, line.marks)
        : swatch(isPart ? { ...line, dashes: [] } : line, isPart || !line.marks, !isPart || !line.marks);
      legend.append(button([look, part], true, () => {
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
  const isSmall = panels.length > 1 && (labels.x || labels.y);
  const against = isSmall ? [element("p", { className: "footer", textContent: `${labels.y} against ${labels.x}` })] : [];
  chart.append(legend, ...against, grid);
  figure.classList.add("live");
  made.forEach((panel) => watch.observe(panel.box));
  new ResizeObserver(() => made.forEach((panel) => panel.fit())).observe(grid);
}
document.querySelectorAll("figure:has(.chart)").forEach(drawChart);
