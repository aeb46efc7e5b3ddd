import type { Call } from "./call.ts";
import { byId, element } from "./dom.ts";

const SHOWN = 4;

/** The strongest emotions of the last update, as bars with their numbers. */
export class Emotions {
  readonly #list = byId("emotions");

  attach(call: Call): void {
    this.#list.replaceChildren(element("li", { class: "hint" }, "Nothing yet: it takes a second of speech."));
    call.client.on("emotion_update", ({ emotions }) => {
      const strongest = Object.entries(emotions)
        .toSorted(([, a], [, b]) => b - a)
        .slice(0, SHOWN);
      this.#list.replaceChildren(
        ...strongest.map(([name, score]) => {
          const percent = Math.round(score * 100);
          return element(
            "li",
            {},
            element("span", {}, name),
            element("meter", { min: "0", max: "100", value: String(percent), "aria-label": name }),
            element("span", { class: "number" }, `${String(percent)} %`),
          );
        }),
      );
    });
  }
}
