import type { ServerData } from "../doors/voice/server-messages.ts";
import type { Call } from "./call.ts";
import { byId, element } from "./dom.ts";

const MOST_SHOWN = 12;

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

/** Shows the tools that the assistant uses, as they run, and the demonstration house. */
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
    call.client.on("tool_call", ({ call_id, name }) => this.#show(call_id, name, "running …"));
    call.client.on("tool_call_end", ({ call_id, name, outcome, duration }) =>
      this.#show(call_id, name, `${OUTCOMES[outcome]} after ${duration.toFixed(1)} s`),
    );
    call.client.on("tool_state", ({ tool, state }) => {
      if (tool === "demo_house") this.#showHouse(state as Readonly<Record<string, Room>>);
    });
  }

  #show(callId: string, name: string, status: string): void {
    this.#card.hidden = false;
    const row = this.#rows.get(callId) ?? element("li");
    row.replaceChildren(element("code", {}, name), element("span", { class: "aside" }, ` ${status}`));
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
