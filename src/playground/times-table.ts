import type { Call } from "./call.ts";
import { byId, element } from "./dom.ts";
import type { TurnTimes } from "./turn-times.ts";

/** The stages between the caller's last sound and the first sound of the answer. */
const STAGES = [
  { id: "silence", name: "silence", read: (times: TurnTimes) => times.silenceMs },
  { id: "decode", name: "decode", read: (times: TurnTimes) => times.decodeMs },
  { id: "words", name: "first words", read: (times: TurnTimes) => times.textMs },
  { id: "sound", name: "first sound", read: (times: TurnTimes) => times.speechMs + times.soundMs },
] as const;
const SPACE = "http://www.w3.org/2000/svg";
const MOST_ROWS = 50;
/** A long speech would leave the stages of the answer no room in the picture. */
const LONGEST_SPEECH_MS = 1_500;

interface Part {
  readonly id: string;
  readonly name: string;
  readonly ms: number;
}

/** The last turn as a picture with its milliseconds, and a table of all turns. */
export class TimesTable {
  readonly #body = byId("times", HTMLTableSectionElement);
  readonly #empty = byId("times-empty");
  readonly #turn = byId("turn-picture");
  readonly #stages = byId("stages");

  attach(call: Call): void {
    this.#body.replaceChildren();
    this.#turn.replaceChildren();
    this.#stages.replaceChildren();
    this.#empty.hidden = false;
    call.on("turnTimes", (times) => {
      this.#empty.hidden = true;
      this.#showTurn(times);
      this.#body.prepend(rowOf(times));
      if (this.#body.rows.length > MOST_ROWS) this.#body.deleteRow(-1);
      this.#scale();
    });
  }

  #showTurn(times: TurnTimes): void {
    const speech = { id: "speech", name: "speech", ms: Math.round(times.spokenMs) };
    const parts = [speech, ...partsOf(times)];
    const drawn = parts.map((part) => (part === speech ? { ...part, ms: Math.min(part.ms, LONGEST_SPEECH_MS) } : part));
    const bar = barOf(drawn);
    bar.setAttribute("viewBox", `0 0 ${String(totalOf(drawn))} 10`);
    this.#turn.replaceChildren(bar);
    this.#stages.replaceChildren(
      ...parts.map(({ id, name, ms }) => element("li", { class: `stage-${id}` }, `${name} ${String(ms)} ms`)),
    );
  }

  /** All bars have the scale of the slowest turn. */
  #scale(): void {
    const bars = [...this.#body.querySelectorAll("svg")];
    const longest = Math.max(...bars.map((bar) => Number(bar.dataset["total"])));
    for (const bar of bars) bar.setAttribute("viewBox", `0 0 ${String(longest)} 10`);
  }
}

const partsOf = (times: TurnTimes): readonly Part[] =>
  STAGES.map(({ id, name, read }) => ({ id, name, ms: Math.max(0, Math.round(read(times))) }));

const totalOf = (parts: readonly Part[]): number => parts.reduce((sum, { ms }) => sum + ms, 0);

function rowOf(times: TurnTimes): HTMLElement {
  const parts = partsOf(times);
  const words = parts.map(({ name, ms }) => `${name} ${String(ms)} ms`).join(", ");
  return element(
    "tr",
    { title: words },
    element("th", { scope: "row" }, times.transcript),
    element("td", { class: "number" }, `${(times.totalMs / 1000).toFixed(2)} s`),
    element("td", {}, barOf(parts), element("span", { class: "hidden" }, words)),
  );
}

/** An SVG, because the page's policy forbids style attributes. */
function barOf(parts: readonly Part[]): SVGElement {
  const svg = document.createElementNS(SPACE, "svg");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  svg.dataset["total"] = String(totalOf(parts));
  let at = 0;
  for (const { id, ms } of parts) {
    const bar = document.createElementNS(SPACE, "rect");
    for (const [key, value] of Object.entries({ x: at, y: 0, width: ms, height: 10 }))
      bar.setAttribute(key, String(value));
    bar.setAttribute("class", `stage-${id}`);
    svg.append(bar);
    at += ms;
  }
  return svg;
}
