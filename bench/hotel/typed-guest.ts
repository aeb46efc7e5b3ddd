import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { z } from "zod";
import type { Hotel } from "./hotel.ts";

/** After this much silence without a call, no reply follows. */
const NO_REPLY_MS = 6_000;
/** A reply is whole when nothing more came for this time. */
const QUIET_MS = 500;
const LONGEST_TURN_MS = 40_000;
const event = z.looseObject({ type: z.string(), delta: z.string().optional() });

/** A caller who types over the OpenAI Realtime door of the server. */
export class TypedGuest {
  readonly #socket: WebSocket;
  readonly #hotel: Hotel;
  #sessionId = "";
  #reply = "";
  #isAnswering = false;
  #lastEventMs = 0;
  #lastTextMs = 0;
  #isClosed = false;

  constructor(url: string, key: string, hotel: Hotel) {
    this.#hotel = hotel;
    this.#socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } });
    this.#socket.on("close", () => (this.#isClosed = true));
    this.#socket.on("message", (data: Buffer) => this.#take(JSON.parse(data.toString())));
  }

  async connect(): Promise<void> {
    await once(this.#socket, "open");
    while (this.#sessionId === "") await sleep(10);
    this.#send("session.update", { session: { type: "realtime", output_modalities: ["text"] } });
  }

  /** The name of the call for `/v1/calls/`. */
  get id(): string {
    return this.#sessionId;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The reply, with what came after its calls. `until`: the next words come as soon as the reply begins. */
  async say(words: string, until: "end" | "beginning"): Promise<string> {
    if (this.#isAnswering) this.#send("response.cancel");
    while (this.#isAnswering && !this.#isClosed) await sleep(10);
    this.#reply = "";
    const content = [{ type: "input_text", text: words }];
    this.#send("conversation.item.create", { item: { type: "message", role: "user", content } });
    this.#send("response.create");
    const beganMs = performance.now();
    this.#lastEventMs = beganMs;
    while (!this.#isClosed && performance.now() - beganMs < LONGEST_TURN_MS && !this.#isOver(beganMs, until))
      await sleep(20);
    return this.#reply.trim();
  }

  close(): void {
    this.#socket.close();
  }

  #isOver(beganMs: number, until: "end" | "beginning"): boolean {
    if (until === "beginning" && this.#reply !== "") return true;
    const quietMs = performance.now() - this.#lastEventMs;
    if (this.#isAnswering || this.#hotel.running > 0 || quietMs < QUIET_MS) return false;
    const isAnswered = this.#reply !== "" && this.#lastTextMs > Math.max(beganMs, this.#hotel.answeredMs);
    return isAnswered || quietMs > NO_REPLY_MS;
  }

  #take(data: unknown): void {
    const { type, delta, ...more } = event.parse(data);
    this.#lastEventMs = performance.now();
    if (type === "session.created") this.#sessionId = z.looseObject({ id: z.string() }).parse(more["session"]).id;
    if (type === "response.created") this.#isAnswering = true;
    if (type === "response.done") {
      this.#isAnswering = false;
      this.#reply += " ";
    }
    if (type !== "response.output_text.delta") return;
    this.#reply += delta ?? "";
    this.#lastTextMs = this.#lastEventMs;
  }

  #send(type: string, fields: object = {}): void {
    if (!this.#isClosed) this.#socket.send(JSON.stringify({ type, ...fields }));
  }
}
