// Real replies: one scenario at a time, every arm side by side, searched by text. Only the chosen one is in the page.

async function readReplies() {
  const packed = document.getElementById("replies-data").textContent.trim();
  const letters = atob(packed);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

const ARM = 0,
  REPEAT = 1,
  STOP = 2,
  TEXT = 3,
  SCORES = 4; // places in a row of replies
const MOST_HITS = 60;

// The words of `needle` in `text`, marked.
function marked(text, needle) {
  if (!needle) return [text];
  const parts = [],
    low = text.toLowerCase();
  let from = 0;
  for (let at = low.indexOf(needle); at >= 0; at = low.indexOf(needle, from)) {
    parts.push(text.slice(from, at), h("mark", null, text.slice(at, at + needle.length)));
    from = at + needle.length;
  }
  return [...parts, text.slice(from)];
}

function around(text, needle, room = 50) {
  const at = text.toLowerCase().indexOf(needle);
  const from = Math.max(0, at - room),
    to = Math.min(text.length, at + needle.length + room);
  return (from > 0 ? "…" : "") + text.slice(from, to) + (to < text.length ? "…" : "");
}

function symbolOf(kind) {
  const k = kindOf(kind);
  const svg = h("svg", { width: 14, height: 14, viewBox: "-7 -7 14 14", "aria-hidden": "true" });
  svg.append(h("path", { d: d3.symbol(SHAPES[k.symbol], 48)(), style: symbolStyle(k) }));
  return svg;
}

function replySection(data, store) {
  const kinds = new Map([...data.effects, ...data.side_effects].map((e) => [e.arm, e.kind]));
  const kindsOf = (arm) => kinds.get(arm) || arm.split(" ")[0];
  const present = [...new Set(store.arms.map(kindsOf))];
  const state = {
    at: 0,
    needle: "",
    kinds: new Set(["base", "steer", "prompt"].filter((k) => present.includes(k))),
  };
  if (!state.kinds.size) present.forEach((k) => state.kinds.add(k));
  const shown = h("div", { id: "scenario" });
  const status = h("p.note", { role: "status" });
  const hits = h("ul.hits", { "aria-label": "Found" });

  const replyCard = (row) =>
    h(
      "article.reply",
      null,
      h(
        "h4",
        null,
        symbolOf(kindsOf(store.arms[row[ARM]])),
        store.arms[row[ARM]] + (row[REPEAT] ? `, repeat ${row[REPEAT] + 1}` : ""),
      ),
      row[TEXT]
        ? h(
            "p",
            null,
            marked(row[TEXT], state.needle),
            store.stops[row[STOP]] === "limit" ? h("span.cut", null, " … (cut at the limit)") : null,
          )
        : h("p.cut", null, "(an empty reply)"),
      store.keys.length
        ? h(
            "ul",
            null,
            store.keys.map((key, i) => {
              const score = row[SCORES + i];
              return h(
                "li",
                null,
                h("span", null, key.replace("/", ", ")),
                h("span", null, score === null || score === undefined ? "missing" : num(score)),
              );
            }),
          )
        : null,
    );

  const exemplar = (title, words) =>
    words &&
    h("article.reply.exemplar", null, h("h4", null, title), h("p", null, marked(words, state.needle)));

  function show() {
    const s = store.scenarios[state.at];
    pick.value = String(state.at);
    const rows = s.replies.filter((row) => state.kinds.has(kindsOf(store.arms[row[ARM]])));
    shown.replaceChildren(
      h("h3", null, [s.id, s.area, s.split && s.split + " split"].filter(Boolean).join(" · ")),
      s.message ? h("blockquote.message", null, marked(s.message, state.needle)) : "",
      h(
        "div.replies",
        null,
        exemplar("Exemplar, neutral: 0 by definition", s.neu),
        Object.entries(s.emp).map(([facet, words]) => exemplar(`Exemplar, ${facet}: 1 by definition`, words)),
        rows.map(replyCard),
      ),
      rows.length ? "" : h("p.note", null, "No reply of the chosen kinds in this scenario."),
    );
  }

  function search(needle) {
    state.needle = needle;
    const found = [];
    let scenarios = 0,
      replies = 0;
    store.scenarios.forEach((s, i) => {
      let any = false;
      const see = (where, words) => {
        if (!words || !words.toLowerCase().includes(needle)) return false;
        any = true;
        if (found.length < MOST_HITS) found.push({ i, where, words });
        return true;
      };
      see("message", s.message);
      see("neutral exemplar", s.neu);
      for (const [facet, words] of Object.entries(s.emp)) see(`${facet} exemplar`, words);
      for (const row of s.replies) if (see(store.arms[row[ARM]], row[TEXT])) ++replies;
      scenarios += any;
    });
    hits.replaceChildren(
      ...found.map((f) =>
        h(
          "li",
          null,
          h(
            "button",
            {
              type: "button",
              onclick: () => {
                reveal(f.where);
                state.at = f.i;
                show();
                shown.scrollIntoView({ block: "start" });
              },
            },
            h("b", null, `${store.scenarios[f.i].id}, ${f.where}`),
            marked(around(f.words, needle), needle),
          ),
        ),
      ),
    );
    status.textContent =
      `${plural(replies, "reply", "replies")} in ${plural(scenarios, "scenario")}` +
      (found.length === MOST_HITS ? `; the first ${MOST_HITS} places are listed.` : ".");
    show();
  }

  function clear() {
    state.needle = "";
    hits.replaceChildren();
    status.textContent = "";
    show();
  }

  function reveal(arm) {
    const kind = kindsOf(arm);
    if (!present.includes(kind) || state.kinds.has(kind)) return;
    state.kinds.add(kind);
    boxes.get(kind).checked = true;
  }

  const step = (by) => {
    state.at = (state.at + by + store.scenarios.length) % store.scenarios.length;
    show();
  };
  const pick = h(
    "select",
    {
      id: "pick",
      onchange: (e) => {
        state.at = Number(e.target.value);
        show();
      },
    },
    store.scenarios.map((s, i) =>
      h("option", { value: i }, `${s.id}${s.message ? ": " + s.message.slice(0, 60) : ""}`),
    ),
  );
  let wait = 0;
  const box = h("input", {
    type: "search",
    id: "search",
    autocomplete: "off",
    spellcheck: "false",
    oninput: (e) => {
      clearTimeout(wait);
      const needle = e.target.value.trim().toLowerCase();
      wait = setTimeout(() => (needle.length > 1 ? search(needle) : clear()), 150);
    },
  });
  const boxes = new Map(
    present.map((kind) => [
      kind,
      h("input", {
        type: "checkbox",
        checked: state.kinds.has(kind),
        onchange: (e) => {
          if (e.target.checked) state.kinds.add(kind);
          else state.kinds.delete(kind);
          show();
        },
      }),
    ]),
  );

  const total = d3.sum(store.scenarios, (s) => s.replies.length);
  const element = section(
    "replies",
    "Read the replies",
    prose(
      `${plural(total, "reply", "replies")} to ${plural(store.scenarios.length, "message")}. Scores are shares of the natural gap: ` +
        "0 is where the neutral exemplars lie, 1 the empathic ones.",
    ),
    h(
      "div.controls",
      null,
      h("div", null, h("label", { for: "search" }, "Search in all texts"), box),
      h("div", null, h("label", { for: "pick" }, "Scenario"), pick),
      h(
        "div",
        null,
        h("button", { type: "button", onclick: () => step(-1) }, "← previous"),
        " ",
        h("button", { type: "button", onclick: () => step(1) }, "next →"),
      ),
    ),
    h(
      "fieldset",
      null,
      h("legend", null, "Arms"),
      h(
        "div.chips",
        null,
        present.map((kind) => h("label", null, boxes.get(kind), symbolOf(kind), kindOf(kind).label)),
      ),
    ),
    status,
    hits,
    shown,
  );
  if (store.scenarios.length) show();
  return element;
}
