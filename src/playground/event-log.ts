import { CALL_BYTES_PER_MS } from "../audio/format.ts";
import type { ServerMessage } from "../doors/voice/server-messages.ts";
import type { Call } from "./call.ts";
import { byId, element } from "./dom.ts";

const MOST_KEPT = 10_000;
const MOST_SHOWN = 200;
/** Five messages a second would hide all others. */
const NOISY = ["voice_activity", "tts_chunk"];

interface Entry {
  /** Time since the call began. */
  readonly seconds: number;
  readonly event: Readonly<Record<string, unknown>>;
}

/** Every message of the call, to read and to save. Speech is replaced by its length. */
export class EventLog {
  readonly #list = byId("events");
  readonly #withNoisy = byId("events-noisy", HTMLInputElement);
  readonly #count = byId("events-count");
  #entries: Entry[] = [];
  #startMs = 0;

  constructor() {
    this.#withNoisy.addEventListener("change", () => this.#showAll());
    byId("events-export").addEventListener("click", () => this.#export());
  }

  attach(call: Call): void {
    this.#entries = [];
    this.#startMs = performance.now();
    this.#showAll();
    call.client.on("message", (message) => this.add(withoutSpeech(message)));
    call.client.on("state", (state) => this.add({ type: "client_state", state }));
    call.client.on("retry", ({ attempt, delayMs, error }) =>
      this.add({ type: "client_retry", attempt, delay_ms: Math.round(delayMs), code: error.code }),
    );
    let gaps = 0;
    call.on("report", (report) => {
      if (report.gaps > gaps) this.add({ type: "client_gap", gaps: report.gaps });
      ({ gaps } = report);
    });
    call.on("turnTimes", (times) => this.add({ type: "client_turn_times", ...times }));
  }

  add(event: Entry["event"]): void {
    const entry = { seconds: (performance.now() - this.#startMs) / 1000, event };
    this.#entries.push(entry);
    if (this.#entries.length > MOST_KEPT) this.#entries.shift();
    this.#count.textContent = String(this.#entries.length);
    if (!this.#isShown(entry)) return;
    this.#list.prepend(lineOf(entry));
    if (this.#list.childElementCount > MOST_SHOWN) this.#list.lastElementChild?.remove();
  }

  #isShown({ event }: Entry): boolean {
    return this.#withNoisy.checked || !NOISY.includes(String(event["type"]));
  }

  #showAll(): void {
    const shown = this.#entries.filter((entry) => this.#isShown(entry)).slice(-MOST_SHOWN);
    this.#list.replaceChildren(...shown.toReversed().map(lineOf));
    this.#count.textContent = String(this.#entries.length);
  }

  #export(): void {
    const lines = this.#entries.map(({ seconds, event }) =>
      JSON.stringify({ at: Number(seconds.toFixed(3)), ...event }),
    );
    const url = URL.createObjectURL(new Blob([`${lines.join("\n")}\n`], { type: "application/jsonl" }));
    element("a", { href: url, download: "oakvoice-events.jsonl" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }
}

function lineOf({ seconds, event: { type, ...rest } }: Entry): HTMLElement {
  const { timestamp: _, message_id: _id, data = rest } = rest as Record<string, unknown>;
  return element(
    "li",
    {},
    element("time", {}, seconds.toFixed(2)),
    element("b", {}, String(type)),
    element("code", {}, JSON.stringify(data)),
  );
}

function withoutSpeech(message: ServerMessage): Entry["event"] {
  if (message.type !== "tts_chunk") return message;
  const { content, ...rest } = message;
  return { ...rest, speech_ms: Math.round((content.length * 3) / 4 / CALL_BYTES_PER_MS) };
}
