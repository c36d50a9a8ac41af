// The charts. They show stored figures; what is drawn was computed by the study.

const text = (data, options) =>
  Plot.text(data, { fill: INK, stroke: PAPER, strokeWidth: 4, fontSize: 12, ...options });

const tip = (rows, options) => Plot.tip(rows, { ...options, fill: "var(--raised)", stroke: "var(--line)" });

function plot(width, options) {
  return Plot.plot({
    width,
    marginLeft: 44,
    marginBottom: 40,
    marginTop: 28,
    marginRight: 20,
    style: { background: "none", color: "var(--ink)", fontSize: "12px", fontFamily: "var(--sans)" },
    ...options,
  });
}

// ---- dose and response, one chart for a facet and an instrument

function doseMarks(panel) {
  const { steer, placebos, prompt, chosen } = panel;
  const colour = panel.certified ? COLOURS[0] : MUTED;
  return [
    Plot.rect([0], {
      x1: panel.x[0],
      x2: panel.x[1],
      y1: -panel.delta,
      y2: panel.delta,
      fill: MUTED,
      fillOpacity: 0.13,
    }),
    Plot.ruleY([0], { stroke: MUTED }),
    Plot.ruleY([1], { stroke: INK, strokeWidth: 1.5 }),
    text([0], {
      x: panel.x[0],
      y: 1,
      text: () => "a fully empathic reply: 1",
      dy: -9,
      dx: 4,
      textAnchor: "start",
    }),
    Plot.ruleY(prompt, { y: "theta", stroke: COLOURS[1], strokeDasharray: "7 4", strokeWidth: 1.8 }),
    text(prompt, {
      x: panel.x[0],
      y: "theta",
      text: (e) => `one sentence of prompt ${signed(e.theta)}`,
      dy: -8,
      dx: 4,
      textAnchor: "start",
      fill: COLOURS[1],
    }),
    Plot.lineY(steer, {
      x: "dose",
      y: "theta",
      stroke: colour,
      strokeWidth: 1.5,
      strokeDasharray: panel.certified ? null : "3 3",
    }),
    Plot.ruleX(steer, { x: "dose", y1: "lo95", y2: "hi95", stroke: colour, strokeWidth: 2 }),
    Plot.dot(steer, {
      x: "dose",
      y: "theta",
      symbol: "circle",
      r: 5,
      fill: (e) => (panel.bad.has(e.arm) ? "var(--raised)" : colour),
      stroke: colour,
      strokeWidth: 2,
    }),
    Plot.dot(
      steer.filter((e) => e.dose === chosen),
      { x: "dose", y: "theta", r: 10, stroke: INK, strokeWidth: 1.5 },
    ),
    Plot.dot(placebos, {
      x: (e) => e.dose + panel.nudge,
      y: "theta",
      symbol: "diamond",
      r: 4.5,
      stroke: INK,
      strokeWidth: 1.3,
      fill: "var(--raised)",
    }),
    tip(
      [...steer, ...placebos],
      Plot.pointer({
        x: "dose",
        y: "theta",
        title: (e) =>
          `${e.arm}\n${interval(figureOf(e, "theta", ""))}${panel.bad.has(e.arm) ? "\nnot admissible: " + panel.bad.get(e.arm) : ""}`,
      }),
    ),
  ];
}

function dosePanel(data, facet, certificate) {
  const own = data.effects.filter(
    (e) =>
      e.direction === facet &&
      e.facet === certificate.facet &&
      e.instrument === certificate.name &&
      e.theta !== null,
  );
  const bad = new Map(data.side_effects.filter((s) => !s.admissible).map((s) => [s.arm, s.why_not]));
  const of = (kind) => own.filter((e) => e.kind === kind);
  const steer = d3.sort(of("steer"), (e) => e.dose);
  const doses = steer.map((e) => e.dose);
  const x = [Math.min(0, ...doses), Math.max(0, ...doses)];
  const pad = (x[1] - x[0] || 1) * 0.06;
  return {
    steer,
    placebos: of("placebo"),
    prompt: of("prompt"),
    chosen: data.chosen_dose[facet],
    certified: certificate.certified,
    bad,
    delta: data.delta,
    x: [x[0] - pad, x[1] + pad * 1.8],
    nudge: pad * 0.7,
    certificate,
  };
}

function doseFigure(data, facet, certificate) {
  const panel = dosePanel(data, facet, certificate);
  if (!panel.steer.length) return null;
  const all = [...panel.steer, ...panel.placebos, ...panel.prompt];
  const y = [
    Math.min(-0.3, ...all.map((e) => Math.max(e.lo95, -2) - 0.05)),
    Math.max(1.1, ...all.map((e) => Math.min(e.hi95, 3))),
  ];
  const at = panel.steer.find((e) => e.dose === panel.chosen);
  const name = `${certificate.name}${panel.certified ? "" : " (not certified: proves nothing)"}`;
  return figure({
    title: name,
    summary:
      `Shift of the ${certificate.facet} score by dose of the ${facet} direction, on the instrument ${name}. ` +
      panel.steer.map((e) => `dose ${dose(e.dose)}: ${interval(figureOf(e, "theta", ""))}`).join("; ") +
      ". " +
      (panel.placebos.length
        ? `Placebos lie between ${signed(d3.min(panel.placebos, (e) => e.theta))} and ${signed(d3.max(panel.placebos, (e) => e.theta))}. `
        : "") +
      (panel.prompt.length ? `One sentence of prompt: ${signed(panel.prompt[0].theta)}.` : ""),
    draw: (width) =>
      plot(width, {
        height: Math.max(320, Math.min(400, width * 0.8)),
        x: {
          label: "dose, class gaps",
          domain: panel.x,
          ticks: [...new Set([0, ...panel.steer.map((e) => e.dose)])],
          tickFormat: dose,
        },
        y: {
          label: "shift, share of the natural gap",
          domain: y,
          grid: true,
          ticks: 7,
          tickFormat: (v) => num(v, 1),
        },
        marks: doseMarks(panel),
      }),
    note: at
      ? `At the chosen dose ${dose(panel.chosen)}: ${interval(figureOf(at, "theta", ""))}${at.local ? ", " + at.local.toLowerCase().replaceAll("_", " ") : ""}.`
      : null,
    data: effectTable(`Shifts on ${name}, ${facet} direction`, all),
  });
}

const doseKey = (delta) =>
  h(
    "ul.key",
    null,
    [
      { label: "steered, with its 95 % interval", colour: COLOURS[0], symbol: "circle" },
      {
        label: "steered at a dose with side effects: not admissible",
        colour: COLOURS[0],
        symbol: "circle",
        hollow: true,
        line: false,
      },
      { label: "chosen dose", colour: INK, symbol: "circle", hollow: true, line: false },
      { label: "placebos of the same size", colour: INK, symbol: "diamond", hollow: true, line: false },
      { label: "one sentence of prompt", colour: COLOURS[1], dash: "7 4" },
      { label: `too small to claim: within ±${num(delta)}`, colour: MUTED, band: true },
    ].map(keyEntry),
  );

// ---- ladder: can it order degrees inside supportive text?

function ladderFigure(certificate) {
  if (!certificate.ladder.length) return null;
  const names = ["neutral", "1", "2", "3", "4", "empathic"];
  const rows = certificate.ladder.map((l) => ({ ...l, lo: l.mean - l.se, hi: l.mean + l.se }));
  const steps = rows.filter((l) => l.level > 0 && l.level < 5);
  const colour = certificate.certified ? COLOURS[0] : MUTED;
  const y = [Math.min(-0.2, ...rows.map((l) => l.lo)), Math.max(1.2, ...rows.map((l) => l.hi))];
  return figure({
    title: `${certificate.name}, ${certificate.facet}${certificate.certified ? "" : " (not certified)"}`,
    note: (certificate.gates.find((g) => g.code === "V2") || {}).detail,
    summary:
      `Mean score by level on ${certificate.name} for the ${certificate.facet} facet: ` +
      rows.map((l) => `${names[l.level] || l.level} ${num(l.mean)}`).join(", ") +
      ".",
    draw: (width) =>
      plot(width, {
        height: 230,
        x: {
          type: "point",
          domain: rows.map((l) => l.level),
          label: null,
          tickFormat: (l) => names[l] ?? String(l),
          padding: 0.3,
        },
        y: {
          label: "share of the natural gap",
          domain: y,
          grid: true,
          ticks: 5,
          tickFormat: (v) => num(v, 1),
        },
        marks: [
          Plot.ruleY([0, 1], { stroke: MUTED }),
          Plot.line(steps, {
            x: "level",
            y: "mean",
            stroke: colour,
            strokeWidth: 2,
            strokeDasharray: certificate.certified ? null : "3 3",
          }),
          Plot.ruleX(rows, { x: "level", y1: "lo", y2: "hi", stroke: colour, strokeWidth: 2 }),
          Plot.dot(rows, {
            x: "level",
            y: "mean",
            r: 4.5,
            fill: colour,
            symbol: (l) => (l.level === 0 || l.level === 5 ? "square" : "circle"),
          }),
        ],
      }),
  });
}

// ---- forest: every arm on one instrument

const KINDS = {
  base: { label: "unsteered", ...look(4), symbol: "plus" },
  prompt: { label: "asked in the prompt", ...look(1), symbol: "square" },
  steer: { label: "steered", ...look(0) },
  placebo: { label: "placebo", colour: MUTED, symbol: "diamond" },
  ablate: { label: "direction removed", ...look(3), symbol: "triangle" },
  random_ablate: { label: "random direction removed", colour: MUTED, symbol: "triangle", hollow: true },
  pad: { label: "padded", colour: MUTED, symbol: "wye" },
  rephrase: { label: "rephrased", colour: MUTED, symbol: "star" },
};
const kindOf = (kind) => KINDS[kind] || { label: kind, colour: MUTED, symbol: "plus" };

function forestFigure(data, certificate) {
  const order = Object.keys(KINDS);
  const rows = d3.sort(
    data.effects.filter(
      (e) => e.instrument === certificate.name && e.facet === certificate.facet && e.theta !== null,
    ),
    (e) => (order.includes(e.kind) ? order.indexOf(e.kind) : order.length),
  );
  if (!rows.length) return null;
  const lost = data.effects.filter(
    (e) => e.instrument === certificate.name && e.facet === certificate.facet && e.theta === null,
  );
  const reach = (v) => Math.max(-3, Math.min(3, v));
  const x = [
    Math.min(-0.3, ...rows.map((e) => reach(e.lo95))),
    Math.max(1.05, ...rows.map((e) => reach(e.hi95))),
  ];
  const kinds = [...new Set(rows.map((e) => e.kind))];
  const dotsOf = (kind) => {
    const k = kindOf(kind),
      own = rows.filter((e) => e.kind === kind);
    return [
      Plot.ruleY(own, {
        y: "arm",
        x1: (e) => reach(e.lo95),
        x2: (e) => reach(e.hi95),
        stroke: k.colour,
        strokeWidth: 2,
        clip: true,
      }),
      Plot.dot(own, {
        y: "arm",
        x: "theta",
        symbol: SHAPES[k.symbol],
        r: 4.5,
        fill: k.hollow ? "var(--raised)" : k.colour,
        stroke: k.colour,
        strokeWidth: 1.5,
      }),
    ];
  };
  return figure({
    title: `${certificate.name}, ${certificate.facet}`,
    summary:
      `Forest plot of all arms on ${certificate.name} for the ${certificate.facet} facet, as shares of the natural gap. ` +
      rows
        .filter((e) => e.chosen || e.kind === "prompt")
        .map((e) => `${e.arm}: ${interval(figureOf(e, "theta", ""))}`)
        .join("; ") +
      ".",
    draw: (width) =>
      plot(width, {
        height: 58 + rows.length * 21,
        marginLeft: Math.min(220, width * 0.44),
        marginTop: 6,
        x: {
          label: "shift, share of the natural gap",
          domain: x,
          grid: true,
          ticks: Math.max(4, Math.min(8, width / 90)),
          tickFormat: (v) => num(v, 1),
        },
        y: { label: null, domain: rows.map((e) => e.arm), tickSize: 0 },
        marks: [
          Plot.rect([0], { x1: -data.delta, x2: data.delta, fill: MUTED, fillOpacity: 0.13 }),
          Plot.ruleX([0], { stroke: MUTED }),
          Plot.ruleX([1], { stroke: INK, strokeWidth: 1.5 }),
          kinds.map(dotsOf),
          text(
            rows.filter((e) => e.chosen),
            {
              y: "arm",
              x: (e) => reach(e.hi95),
              text: () => "chosen dose",
              dx: 8,
              textAnchor: "start",
              fill: "var(--accent)",
            },
          ),
          tip(
            rows,
            Plot.pointerY({
              y: "arm",
              x: "theta",
              title: (e) => `${e.arm}\n${interval(figureOf(e, "theta", ""))}\n${signed(e.words, 1)} words`,
            }),
          ),
        ].flat(Infinity),
      }),
    note: lost.length ? "Not drawn: " + lost.map((e) => `${e.arm} (${e.missing})`).join("; ") + "." : null,
    data: effectTable(`All arms on ${certificate.name}, ${certificate.facet}`, [...rows, ...lost]),
  });
}

const kindKey = (data) =>
  h(
    "ul.key",
    null,
    [...new Set(data.effects.filter((e) => e.theta !== null).map((e) => e.kind))].map((kind) =>
      keyEntry({ ...kindOf(kind), dash: null }),
    ),
  );

function effectTable(caption, effects) {
  return table(
    caption,
    [
      { name: "arm", get: (e) => e.arm },
      { name: "shift, 95 % interval", number: true, get: (e) => interval(figureOf(e, "theta", "")) },
      {
        name: "90 % interval",
        number: true,
        get: (e) => (e.theta === null ? "–" : `[${signed(e.lo90)}, ${signed(e.hi90)}]`),
      },
      {
        name: "own units",
        number: true,
        title: "mean difference in the instrument's own units",
        get: (e) => (e.theta === null ? "–" : signed(e.raw, 3)),
      },
      { name: "words", number: true, title: "mean difference in length", get: (e) => signed(e.words, 1) },
      { name: "alone it says", get: (e) => (e.local ? e.local.toLowerCase().replaceAll("_", " ") : "–") },
    ],
    effects.map((e) => ({ ...e, class: e.chosen ? "chosen" : null })),
  );
}
