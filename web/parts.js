// Small parts: elements, numbers, tables, figures. Text enters the page only through text nodes.

const SVG = new Set(["svg", "line", "path", "circle", "rect", "g"]);

// h("p.note", {id: "x"}, "text", element, [more])
function h(what, attributes, ...children) {
  const [tag, ...classes] = what.split(".");
  const element = SVG.has(tag)
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  if (classes.length) element.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

// ---- numbers, as read: a true minus sign, no "−0.00"

function num(value, digits = 2) {
  if (value === null || value === undefined) return "–";
  const text = value.toFixed(digits);
  return /[1-9]/.test(text) ? text.replace("-", "−") : text.replace("-", "");
}

function signed(value, digits = 2) {
  const text = num(value, digits);
  return /[1-9]/.test(text) && !text.startsWith("−") && text !== "–" ? "+" + text : text;
}

const whole = (value) => value.toLocaleString("en");
const dose = (value) => (value === 0 ? "0" : (value > 0 ? "+" : "−") + Math.abs(value));
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const plural = (n, one, many = one + "s") => `${whole(n)} ${n === 1 ? one : many}`;

// A figure lies flat in its owner: {k, k_lo95, …} or {k: null, k_missing}. An effect's theta has bare names.
function figureOf(owner, key, prefix = key + "_") {
  if (owner[key] === null) return { missing: owner[prefix + "missing"] };
  return { value: owner[key], lo: owner[prefix + "lo95"], hi: owner[prefix + "hi95"] };
}

function interval(figure, digits = 2, write = signed) {
  if (figure.missing) return "missing: " + figure.missing;
  return `${write(figure.value, digits)} [${write(figure.lo, digits)}, ${write(figure.hi, digits)}]`;
}

// ---- tables

// columns: [{name, get(row) -> text | node, number?, title?}]; the first column names the row.
function table(caption, columns, rows, style = "") {
  const head = h(
    "tr",
    null,
    columns.map((c) => h("th", { scope: "col", class: c.number && "number", title: c.title }, c.name)),
  );
  const body = rows.map((row) =>
    h(
      "tr",
      { class: row.class },
      columns.map((c, i) => {
        const cell = c.get(row);
        const attributes = { class: c.number && "number", "data-name": c.name };
        return i === 0 ? h("th", { ...attributes, scope: "row" }, cell) : h("td", attributes, cell);
      }),
    ),
  );
  return h(
    "div.scroll",
    { tabindex: 0, role: "region", "aria-label": caption },
    h("table", { class: style }, h("caption", null, caption), h("thead", null, head), h("tbody", null, body)),
  );
}

const badge = (tone, text) =>
  h("span", { class: "badge " + tone }, h("span", { "aria-hidden": "true" }, SIGNS[tone]), " " + text);
const SIGNS = { yes: "●", part: "◐", no: "○", open: "◇", bad: "✕" };

// ---- figures: a chart, its summary in words for those who do not see it, and its numbers

function figure({ title, summary, draw, key, note, data }) {
  const plot = h("div.plot", { role: "img", "aria-label": summary });
  const element = h(
    "figure",
    null,
    title && h("figcaption", null, title),
    key && h("ul.key", null, key.map(keyEntry)),
    plot,
    note && h("p.note", null, note),
    data && h("details.data", null, h("summary", null, "The numbers"), data),
  );
  figures.push({ plot, draw });
  return element;
}

const figures = [];

function drawFigures() {
  for (const f of figures) {
    const width = Math.floor(f.plot.getBoundingClientRect().width);
    if (!width || f.width === width) continue;
    f.width = width;
    const drawn = f.draw(width);
    for (const node of drawn.querySelectorAll ? [drawn, ...drawn.querySelectorAll("svg")] : []) {
      if (node.tagName === "svg") node.setAttribute("aria-hidden", "true");
    }
    f.plot.replaceChildren(drawn);
  }
}

// {label, colour, dash?, symbol?, band?, line?}
function keyEntry(entry) {
  const sample = h("svg", { width: 30, height: 14, viewBox: "0 0 30 14", "aria-hidden": "true" });
  if (entry.band)
    sample.append(
      h("rect", {
        x: 1,
        y: 2,
        width: 28,
        height: 10,
        style: `fill:${entry.colour};opacity:${entry.opacity || 0.25}`,
      }),
    );
  if (entry.line !== false && !entry.band)
    sample.append(
      h("line", {
        x1: 0,
        x2: 30,
        y1: 7,
        y2: 7,
        style: `stroke:${entry.colour};stroke-width:${entry.width || 2}`,
        "stroke-dasharray": entry.dash,
      }),
    );
  if (entry.symbol)
    sample.append(
      h("path", {
        transform: "translate(15,7)",
        d: d3.symbol(SHAPES[entry.symbol], 40)(),
        style: symbolStyle(entry),
      }),
    );
  return h("li", null, sample, entry.label);
}

const symbolStyle = (entry) =>
  entry.hollow ? `fill:var(--paper);stroke:${entry.colour};stroke-width:1.5` : `fill:${entry.colour}`;

const SHAPES = {
  circle: d3.symbolCircle,
  square: d3.symbolSquare,
  triangle: d3.symbolTriangle,
  diamond: d3.symbolDiamond,
  star: d3.symbolStar,
  plus: d3.symbolCross,
  wye: d3.symbolWye,
};

// Places for labels at the heights `ys`, at least `room` apart; returns the shift of each.
function apart(ys, room = 14) {
  const order = ys.map((y, i) => ({ y, i, at: y })).sort((a, b) => a.y - b.y);
  for (let round = 0; round < 60; ++round) {
    for (let k = 1; k < order.length; ++k) {
      const lack = room - (order[k].at - order[k - 1].at);
      if (lack > 0.01) {
        order[k].at += lack / 2;
        order[k - 1].at -= lack / 2;
      }
    }
  }
  const shifts = [];
  for (const o of order) shifts[o.i] = o.at - o.y;
  return shifts;
}

const INK = "var(--ink)",
  MUTED = "var(--muted)",
  PAPER = "var(--paper)";
const COLOURS = ["var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)"];
const DASHES = [null, "7 3", "2 3", "8 3 2 3"];
const SYMBOLS = ["circle", "square", "triangle", "diamond"];

const look = (i) => ({
  colour: COLOURS[i % COLOURS.length],
  dash: DASHES[i % DASHES.length],
  symbol: SYMBOLS[i % SYMBOLS.length],
});

const section = (id, title, ...children) =>
  h("section", { id, "aria-labelledby": id + "-title" }, h("h2", { id: id + "-title" }, title), children);
const prose = (...text) => h("p.prose", null, text);
