// The chart of detection: one line a method over the layers, against baselines and random directions.

const METHODS = { dom: "difference of means", lda: "LDA", logistic: "logistic" };
const NULLS = { isotropic: "random directions", "variance-matched": "random directions, variance-matched" };
const NULL_LABELS = { isotropic: "99 % of random", "variance-matched": "99 % of matched" };

function sweepData(d, score) {
  const methods = [...new Set(d.sweep.map((s) => s.method))];
  return { methods, rows: d.sweep.map((s) => ({ ...s, score: s[score], i: methods.indexOf(s.method) })) };
}

function drawSweep(d, score, width) {
  const { methods, rows } = sweepData(d, score);
  const layers = d.sweep.map((s) => s.layer);
  const last = Math.max(...layers, d.layer, d.steer_layer);
  const height = Math.max(300, Math.min(400, width * 0.5));
  const marginRight = 108;
  const nulls = score === "auroc" ? d.nulls : [];
  const rules = d.baselines.map((b) => ({ name: b.name.replace(/,.*/, ""), at: b[score] }));
  const values = [...rows.map((r) => r.score), ...rules.map((r) => r.at), ...nulls.map((n) => n.p99), 0.5];
  const nested = score === "auroc" ? { value: d.auroc } : figureOf(d, "concordance");
  if (!nested.missing) values.push(nested.value, nested.lo ?? nested.value);
  const domain = [Math.min(0.45, ...values), 1];
  const y = d3.scaleLinear(domain, [height - 40, 28]);
  const hardest = d3.greatest(nulls, (n) => n.p99);
  const labels = [...rules, ...nulls.map((n) => ({ name: NULL_LABELS[n.kind] || n.kind, at: n.p99 }))];
  const shift = apart(
    labels.map((l) => y(l.at)),
    14,
  );
  return plot(width, {
    height,
    marginRight,
    x: {
      label: "layer",
      domain: [0, last],
      ticks: Math.min(last + 1, width > 560 ? 10 : 5),
      tickFormat: "d",
    },
    y: { label: score === "auroc" ? "AUROC" : "concordance", domain, grid: true, ticks: 6 },
    marks: [
      hardest
        ? [
            Plot.rect([hardest], { x1: 0, x2: last, y1: 0.5, y2: "p99", fill: MUTED, fillOpacity: 0.09 }),
            Plot.rect([hardest], { x1: 0, x2: last, y1: 0.5, y2: "p95", fill: MUTED, fillOpacity: 0.11 }),
          ]
        : [],
      Plot.ruleY(
        nulls.filter((n) => n !== hardest),
        { y: "p99", x1: 0, x2: last, stroke: MUTED, strokeDasharray: "8 4", strokeOpacity: 0.7 },
      ),
      Plot.ruleY([0.5], { stroke: MUTED, strokeWidth: 1 }),
      Plot.ruleY(rules, {
        y: "at",
        x1: 0,
        x2: last,
        stroke: MUTED,
        strokeDasharray: "2 4",
        strokeWidth: 1.5,
      }),
      labels.map((l, i) =>
        Plot.text([l], {
          x: last,
          y: "at",
          text: "name",
          dx: 8,
          dy: shift[i],
          textAnchor: "start",
          fill: MUTED,
          fontSize: 11.5,
        }),
      ),
      Plot.ruleX([d.steer_layer], { stroke: "var(--accent)", strokeWidth: 1.5 }),
      methods.map((m, i) => {
        const own = rows.filter((r) => r.method === m);
        const { colour, dash, symbol } = look(i);
        return [
          Plot.lineY(own, { x: "layer", y: "score", stroke: colour, strokeDasharray: dash, strokeWidth: 2 }),
          Plot.dot(own, { x: "layer", y: "score", fill: colour, symbol, r: width > 560 ? 3 : 2 }),
        ];
      }),
      nested.missing
        ? []
        : [
            nested.lo === undefined
              ? []
              : Plot.ruleX([nested], { x: d.layer, y1: "lo", y2: "hi", stroke: INK, strokeWidth: 2 }),
            Plot.dot([nested], {
              x: d.layer,
              y: "value",
              symbol: "star",
              r: 8,
              fill: INK,
              stroke: PAPER,
              strokeWidth: 1.5,
            }),
          ],
      text([d], {
        x: "steer_layer",
        y: domain[1],
        text: () => `pushed at layer ${d.steer_layer}`,
        dy: 8,
        dx: d.steer_layer > last * 0.6 ? -6 : 6,
        textAnchor: d.steer_layer > last * 0.6 ? "end" : "start",
      }),
      tip(
        rows,
        Plot.pointer({
          x: "layer",
          y: "score",
          title: (r) =>
            `layer ${r.layer} · ${METHODS[r.method] || r.method}\nAUROC ${num(r.auroc, 3)}\nconcordance ${num(r.concordance, 3)}`,
        }),
      ),
    ].flat(Infinity),
  });
}

function sweepFigure(d) {
  if (!d.sweep.length) return h("p.note", null, "No layer was swept for this facet.");
  const { methods } = sweepData(d, "auroc");
  const best = d3.greatest(d.sweep, (s) => s.auroc);
  let score = "auroc";
  const element = figure({
    summary:
      `Line chart of decodability by layer for the ${d.facet} facet. The highest cross-validated AUROC is ` +
      `${num(best.auroc)} at layer ${best.layer} (${METHODS[best.method] || best.method}). The nested score, chosen without ` +
      `looking, is ${num(d.auroc)}; that search prefers layer ${d.layer}, and the study pushes at layer ${d.steer_layer}. Baselines: ${d.baselines.map((b) => `${b.name} ${num(b.auroc)}`).join(", ") || "none"}.`,
    key: [
      ...methods.map((m, i) => ({ label: METHODS[m] || m, ...look(i) })),
      { label: "nested score: the honest one", colour: INK, symbol: "star", line: false },
      { label: "baselines", colour: MUTED, dash: "2 4" },
      ...(d.nulls.length
        ? [
            {
              label: "AUROC of random directions of matched variance, to the 95th and 99th percentile",
              colour: MUTED,
              band: true,
            },
          ]
        : []),
    ],
    draw: (width) => drawSweep(d, score, width),
    note:
      "The lines choose their best layer after looking at it. The star does not: layer and method were chosen without " +
      `the scenarios on which it is scored. Believe the star. It stands at layer ${d.layer}, which that search prefers; ` +
      `the study pushes at layer ${d.steer_layer}.`,
    data: table(
      "Cross-validated score by layer and method",
      [
        { name: "layer", get: (s) => String(s.layer) },
        { name: "method", get: (s) => METHODS[s.method] || s.method },
        { name: "AUROC", number: true, get: (s) => num(s.auroc, 3) },
        { name: "concordance", number: true, get: (s) => num(s.concordance, 3) },
      ],
      d.sweep,
    ),
  });
  const mine = figures[figures.length - 1];
  const choose = (value) => {
    score = value;
    mine.width = 0;
    drawFigures();
  };
  const radio = (value, label) =>
    h(
      "label",
      null,
      h("input", {
        type: "radio",
        name: "score-" + d.facet,
        value,
        checked: value === score,
        onchange: () => choose(value),
      }),
      label,
    );
  element.prepend(
    h(
      "fieldset",
      null,
      h("legend", null, "Score"),
      h("div.chips", null, radio("auroc", "AUROC"), radio("concordance", "within-scenario concordance")),
    ),
  );
  return element;
}
