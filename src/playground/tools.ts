import type { ServerData } from "../doors/voice/server-messages.ts";
import type { Call } from "./call.ts";
import { byId, element } from "./dom.ts";

const MOST_SHOWN = 12;
/** Of a result. */
const MOST_CHARACTERS = 300;

const OUTCOMES: Readonly<Record<ServerData["tool_call_end"]["outcome"], string>> = {
  done: "done",
  failed: "failed",
  cancelled: "cancelled",
  refused: "refused",
};

interface Room {
  readonly light: boolean;
  readonly brightness: number;
  readonly degrees: number;
}

/** Shows the tools that the assistant uses, as they run, and the demonstration house. A key that may inspect calls shows arguments and results. */
export class Tools {
  readonly #card = byId("tools-card");
  readonly #calls = byId("tools");
  readonly #house = byId("house");
  readonly #rows = new Map<string, HTMLElement>();

  attach(call: Call): void {
    this.#card.hidden = true;
    this.#calls.replaceChildren();
    this.#house.replaceChildren();
    this.#rows.clear();
    call.client.on("tool_call", ({ call_id, name, arguments: args }) =>
      this.#show(call_id, args === undefined ? name : `${name} ${JSON.stringify(args)}`, "running …"),
    );
    call.client.on("tool_call_end", ({ call_id, name, outcome, duration, output }) => {
      const result = output === undefined ? "" : `: ${output.slice(0, MOST_CHARACTERS)}`;
      this.#show(call_id, name, `${OUTCOMES[outcome]} after ${duration.toFixed(1)} s${result}`);
    });
    call.client.on("tool_state", ({ tool, state }) => {
      if (tool === "demo_house") this.#showHouse(state as Readonly<Record<string, Room>>);
    });
  }

  /** The end of a call keeps the arguments of its beginning. */
  #show(callId: string, name: string, status: string): void {
    this.#card.hidden = false;
    const known = this.#rows.get(callId);
    const row = known ?? element("li");
    const shown = known?.querySelector("code")?.textContent ?? name;
    row.replaceChildren(element("code", {}, shown), element("span", { class: "aside" }, ` ${status}`));
    this.#rows.set(callId, row);
    this.#calls.prepend(row);
    while (this.#calls.childElementCount > MOST_SHOWN) this.#calls.lastElementChild?.remove();
  }

  #showHouse(rooms: Readonly<Record<string, Room>>): void {
    this.#card.hidden = false;
    this.#house.replaceChildren(
      ...Object.entries(rooms).map(([name, { light, brightness, degrees }]) =>
        element(
          "li",
          { class: light ? "lit" : "dark" },
          element("b", {}, name),
          ` light ${light ? `on, ${String(brightness)} %` : "off"} · ${String(degrees)} °C`,
        ),
      ),
    );
  }
}
