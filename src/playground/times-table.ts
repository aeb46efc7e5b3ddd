import type { Call } from "./call.ts";
import { byId, element } from "./dom.ts";
import type { TurnTimes } from "./turn-times.ts";

const STAGES = [
  { name: "waiting", read: (times: TurnTimes) => times.waitMs },
  { name: "thinking", read: (times: TurnTimes) => times.textMs },
  { name: "voice", read: (times: TurnTimes) => times.speechMs },
  { name: "playing", read: (times: TurnTimes) => times.soundMs },
] as const;
const MOST_ROWS = 50;

/** A table of the delay of each answer by stage. */
export class TimesTable {
  readonly #body = byId("times", HTMLTableSectionElement);
  readonly #empty = byId("times-empty");

  attach(call: Call): void {
    this.#body.replaceChildren();
    this.#empty.hidden = false;
    call.on("turnTimes", (times) => {
      this.#empty.hidden = true;
      this.#body.prepend(rowOf(times));
      if (this.#body.rows.length > MOST_ROWS) this.#body.deleteRow(-1);
      this.#scale();
    });
  }

  /** All bars have the scale of the slowest turn. */
  #scale(): void {
    const bars = [...this.#body.querySelectorAll("svg")];
    const longest = Math.max(...bars.map((bar) => Number(bar.dataset["total"])));
    for (const bar of bars) bar.setAttribute("viewBox", `0 0 ${String(longest)} 10`);
  }
}

function rowOf(times: TurnTimes): HTMLElement {
  const parts = STAGES.map(({ name, read }) => ({ name, ms: Math.max(0, Math.round(read(times))) }));
  const words = parts.map(({ name, ms }) => `${name} ${String(ms)} ms`).join(", ");
  return element(
    "tr",
    { title: words },
    element("th", { scope: "row" }, times.transcript),
    element("td", { class: "number" }, `${(times.totalMs / 1000).toFixed(2)} s`),
    element("td", {}, barOf(parts, times.totalMs), element("span", { class: "hidden" }, words)),
  );
}

/** An SVG, because the page's policy forbids style attributes. */
function barOf(parts: readonly { readonly name: string; readonly ms: number }[], totalMs: number): SVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  svg.dataset["total"] = String(totalMs);
  let at = 0;
  for (const { name, ms } of parts) {
    const bar = document.createElementNS(space, "rect");
    for (const [key, value] of Object.entries({ x: at, y: 0, width: ms, height: 10 }))
      bar.setAttribute(key, String(value));
    bar.setAttribute("class", `stage-${name}`);
    svg.append(bar);
    at += ms;
  }
  return svg;
}
