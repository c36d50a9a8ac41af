// The sections with their tables.

function detectSection(data) {
  const one = (d) => [
    h("h3", null, capital(d.facet), " ", badge(toneOf(d.status), d.status)),
    prose(d.why),
    sweepFigure(d),
    h("dl.facts", null, facts(detectionFacts(d).slice(0, 4))),
    h(
      "details",
      null,
      h("summary", null, "More about this probe"),
      h("dl.facts", null, facts(detectionFacts(d).slice(4))),
    ),
    d.baselines.length
      ? table(
          `Does it beat the words? ${capital(d.facet)}`,
          [
            { name: "baseline", get: (b) => b.name },
            { name: "AUROC", number: true, get: (b) => num(b.auroc) },
            { name: "concordance", number: true, get: (b) => num(b.concordance) },
            { name: "the probe is better by", number: true, get: (b) => interval(figureOf(b, "gain")) },
          ],
          d.baselines,
        )
      : null,
  ];
  return section(
    "detect",
    "Was it decodable?",
    prose(
      "Before anything is pushed: can the two kinds of reply be told apart from the model's inner states, in scenarios " +
        "that took no part in finding the direction, and better than from the words alone? 0.5 is chance, 1 is always.",
    ),
    data.detection.length ? data.detection.map(one) : prose("Detection was not part of this run."),
  );
}

function detectionFacts(d) {
  const rows = [
    ["nested AUROC", num(d.auroc, 3)],
    ["nested concordance", interval(figureOf(d, "concordance"), 3, num)],
    [
      "permutation p",
      `${num(d.p, 4)} (${plural(d.n_permutations, "permutation")} of the whole pipeline; it cannot fall below ${num(1 / (d.n_permutations + 1), 4)})`,
    ],
    ["held-out concordance", interval(figureOf(d, "held_out"), 3, num) + ", fitted on fit, scored on test"],
    ["before any reply token", `AUROC ${num(d.prompt_position_auroc)} (one prompt for both: anything but 0.50 is a fault)`],
    ["on the other facet's texts", `AUROC ${num(d.cross_facet_auroc)}`],
    ["cosine with the other facet", `${num(d.cosine_other)} (descriptive only)`],
    [
      `at layer ${d.steer_layer}`,
      `class gap ${num(d.class_gap, 1)}, median norm ${num(d.median_norm, 1)}, spread on neutral text ${num(d.sd_neutral, 1)}`,
    ],
  ];
  for (const n of d.nulls)
    rows.push([
      NULLS[n.kind] || n.kind,
      `mean ${num(n.mean)}, 95th percentile ${num(n.p95)}, 99th ${num(n.p99)} (n = ${whole(n.n)})`,
    ]);
  return rows;
}

const facts = (rows) =>
  rows
    .filter(([, value]) => value !== "" && value !== null)
    .map(([name, value]) => [h("dt", null, name), h("dd", null, value)]);

const toneOf = (code) => (WORDS.get(code) || { tone: "open" }).tone;
const WORDS = new Map(); // code → {plain, tone}, from the verdict that the page was written with

// ---- dose and response

function doseSection(data) {
  const facets = Object.keys(data.verdict);
  const of = (facet) => {
    const witnesses = data.instruments.filter((c) => c.facet === facet && !c.control_only);
    const panels = d3
      .sort(witnesses, (c) => !c.certified)
      .map((c) => doseFigure(data, facet, c))
      .filter(Boolean);
    const chosen = data.chosen_dose[facet];
    return [
      h("h3", null, `${capital(facet)} direction`),
      prose(
        chosen === undefined
          ? "No dose passed the side-effect gates."
          : `The confirmatory dose is ${dose(chosen)} class gaps, ${doseOrigin(data)}.`,
      ),
      panels.length
        ? h("div.grid", null, panels)
        : prose(
            `No instrument was certified for the ${facet} facet, so nothing was scored and nothing is drawn. A flat line would have looked like "no effect"; it would have shown only a blind instrument.`,
          ),
    ];
  };
  return section(
    "dose",
    "Does pushing it move the scores?",
    prose(
      "While the model writes, its inner state is pushed along the direction. A dose of 1 is the distance between the two kinds " +
        "of reply inside the model. The shift is a share of the natural gap: 0 is the unsteered reply, and 1 would be as far as from " +
        "a neutral to a fully empathic reply.",
    ),
    doseKey(data.delta),
    facets.map(of),
    placeboTable(data),
  );
}

function doseOrigin(data) {
  return typeof planOf(data)?.steer?.dose === "number"
    ? "as the plan says"
    : "the largest one without side effects on the development scenarios";
}

function placeboTable(data) {
  if (!data.placebos.length) return prose("No placebo was played.");
  return table(
    "Steering against placebos of the same size, at the chosen dose",
    [
      { name: "facet, instrument", get: (p) => `${p.facet}, ${p.instrument}` },
      { name: "steering minus mean placebo", number: true, get: (p) => interval(figureOf(p, "contrast")) },
      { name: "placebos", number: true, get: (p) => String(p.n) },
      { name: "p", number: true, get: (p) => num(p.p, 3) },
      { name: "lowest p possible", number: true, get: (p) => `1/(${p.n}+1) = ${num(1 / (p.n + 1), 3)}` },
    ],
    data.placebos,
    "cards",
  );
}

// ---- certificates

const GATES = { V1: "anchor", V2: "order within", V4: "known change", V5: "stays still", V6: "room to move" };

function gateCell(gate) {
  if (!gate) return "–";
  const state = !gate.taken
    ? badge("open", "not taken")
    : gate.passed
      ? badge("yes", "passed")
      : badge("bad", "failed");
  return h(
    "span",
    null,
    state,
    h("small", null, gate.failure ? h("b", null, gate.failure + " ") : null, gate.detail),
  );
}

function instrumentSection(data) {
  const codes = [...new Set(data.instruments.flatMap((c) => c.gates.map((g) => g.code)))].sort();
  const gateName = (code) =>
    GATES[code] || (data.instruments.flatMap((c) => c.gates).find((g) => g.code === code) || {}).name || "";
  const columns = [
    { name: "instrument", get: (c) => h("span", null, c.name, h("small", null, `${c.family} · ${c.facet}`)) },
    {
      name: "certificate",
      get: (c) =>
        c.control_only
          ? h("span", null, badge("no", "control only"), h("small", null, "reported, never a witness"))
          : h(
              "span",
              null,
              c.certified ? badge("yes", "certified") : badge("bad", "not certified"),
              h(
                "small",
                null,
                `natural gap ${num(c.natural_gap, 2)} ${c.unit}; ${plural(c.n_scenarios, "scenario")}${c.missing_share > 0 ? `; ${num(100 * c.missing_share, 1)} % missing` : ""}`,
              ),
            ),
    },
    ...codes.map((code) => ({
      name: `${code} ${gateName(code)}`,
      get: (c) => gateCell(c.gates.find((g) => g.code === code)),
    })),
  ];
  return section(
    "instruments",
    "Could the instruments have seen it?",
    prose(
      "Before its result is looked at, every instrument must show that it tells the two exemplars apart (V1), orders four degrees of " +
        "support inside supportive text (V2), sees the change that a plain request makes (V4), stays still when the same thing is said in " +
        "other words (V5), and has room to move (V6). One that fails proves nothing, neither an effect nor its absence.",
    ),
    table("Certificates", columns, data.instruments, "cards gates"),
    h("h3", null, "The ladder"),
    prose(
      "Mean score of the neutral exemplar, of the four graded versions of one supportive reply, and of the empathic exemplar, with " +
        "one standard error either way. Steering acts between the rungs: an instrument whose rungs lie level cannot see it.",
    ),
    h("div.grid", null, data.instruments.filter((c) => !c.control_only).map(ladderFigure)),
  );
}

// ---- all effects, side effects, length, manipulation

function effectSection(data) {
  const certified = data.instruments.filter((c) => c.certified && !c.control_only);
  const forests = certified.map((c) => forestFigure(data, c)).filter(Boolean);
  return section(
    "effects",
    "All arms, side by side",
    prose(
      "Every arm on every certified instrument. The grey band holds shifts too small to claim; the line at 1 is a fully empathic reply.",
    ),
    forests.length
      ? [kindKey(data), h("div.grid", null, forests)]
      : prose("No instrument was certified, so there is nothing to show here."),
  );
}

function sideSection(data) {
  return section(
    "side",
    "What else changed?",
    prose(
      "A push that moves scores by breaking the text is no control. A dose is admissible only if the model stays close to itself on " +
        "unrelated prompts (KL), keeps its fluency, and does not begin to repeat or to break.",
    ),
    table(
      "Side effects by arm",
      [
        { name: "arm", get: (s) => s.arm },
        {
          name: "admissible",
          get: (s) =>
            s.admissible
              ? badge("yes", "yes")
              : h("span", null, badge("bad", "no"), h("small", null, s.why_not)),
        },
        { name: "KL, nats", number: true, get: (s) => num(s.kl, 3) },
        {
          name: "fluency ratio",
          number: true,
          title: "perplexity against the unsteered replies, under the unsteered model",
          get: (s) => interval(figureOf(s, "fluency"), 2, num),
        },
        { name: "repetition, points", number: true, get: (s) => signed(100 * s.repetition, 1) },
        { name: "broken, points", number: true, get: (s) => signed(100 * s.broken, 1) },
        { name: "distinct-2", number: true, get: (s) => num(s.distinct2) },
      ],
      data.side_effects,
    ),
  );
}

function lengthSection(data) {
  return section(
    "length",
    "Is it only length?",
    prose(
      "Longer replies often score higher. So the shift is taken again on replies cut to the same length, and again less what padding " +
        "alone would have done.",
    ),
    data.lengths.length
      ? table(
          "Shift at the chosen dose, three ways",
          [
            { name: "facet, instrument", get: (l) => `${l.facet}, ${l.instrument}` },
            { name: "as written", number: true, get: (l) => interval(figureOf(l, "raw")) },
            { name: "cut to equal length", number: true, get: (l) => interval(figureOf(l, "truncated")) },
            { name: "less padding's effect", number: true, get: (l) => interval(figureOf(l, "adjusted")) },
            { name: "slope per word", number: true, get: (l) => signed(l.slope, 4) },
            {
              name: "length rule",
              get: (l) =>
                h(
                  "span",
                  null,
                  l.fires ? badge("bad", "fires") : badge("yes", "does not fire"),
                  l.detail && h("small", null, l.detail),
                ),
            },
          ],
          data.lengths,
          "cards",
        )
      : prose("No length check was taken in this run."),
  );
}

function manipulationSection(data) {
  const worst = d3.greatest(data.manipulations, (m) => m.relative_error);
  return section(
    "manipulation",
    "Did the push arrive?",
    prose(
      "The shift that was captured inside the model is compared with the one that was asked for. A push that does not arrive stops the run.",
    ),
    worst
      ? [
          prose(
            `${plural(data.manipulations.length, "arm")} checked; the largest relative error is ${worst.relative_error.toExponential(1)} (${worst.arm}).`,
          ),
          h(
            "details",
            null,
            h("summary", null, "Every arm"),
            table(
              "Asked and captured shift, residual units",
              [
                { name: "arm", get: (m) => m.arm },
                { name: "asked", number: true, get: (m) => num(m.asked, 3) },
                { name: "captured", number: true, get: (m) => num(m.got, 3) },
                { name: "relative error", number: true, get: (m) => m.relative_error.toExponential(1) },
                { name: "KL, nats", number: true, get: (m) => num(m.kl, 3) },
              ],
              data.manipulations,
            ),
          ),
        ]
      : prose("Nothing was pushed in this run."),
  );
}

// ---- methods, plan, hashes, times

// The plan as an object; null when the text is no JSON.
function planOf(data) {
  try {
    return JSON.parse(data.provenance.plan);
  } catch {
    return null;
  }
}

function methodSection(data) {
  const p = data.provenance;
  const code = (value) => value && h("code", null, value);
  return section(
    "methods",
    "How it was made",
    prose(
      "The plan and its hash were stored before the first token. The scenario is the unit of inference: scores are averaged within a " +
        "scenario, intervals of shifts are Fieller's, paired by scenario, and every text of the test split took no part in finding the " +
        "direction or in choosing the dose. The instruments see a message and a reply; arm and dose cannot reach them.",
    ),
    h(
      "dl.facts",
      null,
      facts([
        ["started", p.started],
        ["finished", p.finished],
        [
          "model",
          [p.model_name, p.model_architecture, `${p.n_layers} layers, width ${p.n_embd}`, p.model_format]
            .filter(Boolean)
            .join(" · "),
        ],
        ["model, SHA-256", code(p.model_sha256)],
        ["bank", p.bank_name],
        ["bank, SHA-256", code(p.bank_sha256)],
        ["plan, SHA-256", code(p.plan_hash)],
        ["Sonder", p.sonder_version],
        ["llama.cpp", p.llama_version],
        ["compiler", p.compiler],
        ["machine", [p.machine, p.threads && plural(p.threads, "thread")].filter(Boolean).join(" · ")],
        ["smallest shift worth claiming", `${num(data.delta)} of the natural gap`],
        ["controls from", `${num(data.tau)} of the natural gap`],
      ]),
    ),
    h(
      "div.grid",
      null,
      table(
        "Counts",
        [
          { name: "what", get: ([name]) => name },
          { name: "how many", number: true, get: ([, n]) => whole(n) },
        ],
        Object.entries(data.counts),
      ),
      p.times.length
        ? table(
            "Time",
            [
              { name: "step", get: (t) => t.step },
              { name: "seconds", number: true, get: (t) => num(t.seconds, 1) },
            ],
            p.times,
          )
        : null,
    ),
    p.plan
      ? h(
          "details",
          { id: "plan" },
          h("summary", null, "The whole plan"),
          h("pre", { tabindex: 0 }, planOf(data) ? JSON.stringify(planOf(data), null, 2) : p.plan),
        )
      : null,
  );
}
