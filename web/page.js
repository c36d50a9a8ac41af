// The order of the page.

const SECTIONS = [
  ["dose", "Dose and response"],
  ["detect", "Detection"],
  ["instruments", "Instruments"],
  ["effects", "All arms"],
  ["side", "Side effects"],
  ["length", "Length"],
  ["manipulation", "Manipulation"],
  ["replies", "Replies"],
  ["methods", "Methods"],
];

async function build() {
  const data = JSON.parse(document.getElementById("findings").textContent);
  for (const element of document.querySelectorAll(".badge[data-code]"))
    WORDS.set(element.dataset.code, { tone: element.dataset.tone });
  const rest = document.getElementById("rest");
  rest.append(
    doseSection(data),
    detectSection(data),
    instrumentSection(data),
    effectSection(data),
    sideSection(data),
    lengthSection(data),
    manipulationSection(data),
  );
  const place = h("div");
  rest.append(place, methodSection(data));
  document.getElementById("contents").append(
    h(
      "ul",
      null,
      [["meaning", "What it shows"], ...SECTIONS].map(([id, name]) =>
        h("li", null, h("a", { href: "#" + id }, name)),
      ),
    ),
  );
  drawFigures();
  new ResizeObserver(drawFigures).observe(rest);
  addEventListener("beforeprint", () => {
    for (const d of document.querySelectorAll("details:not(.data)")) d.open = true;
    drawFigures();
  });

  if (typeof DecompressionStream === "undefined") {
    place.append(
      section(
        "replies",
        "Read the replies",
        prose("This browser is too old to unpack the replies. A current one shows them."),
      ),
    );
  } else {
    place.append(replySection(data, await readReplies()));
  }
  document.documentElement.dataset.ready = "yes";
}

build();
