import { expect, onTestFinished } from "vitest";
import { WebSocket, type ClientOptions } from "ws";
import { z } from "zod";
import { CALL_BYTES_PER_MS } from "../../src/audio/format.ts";
import {
  SERVER_EVENTS,
  type ServerEventData,
  type ServerEventType,
} from "../../src/doors/realtime/server/server-events.ts";

const CHUNK_BYTES = 100 * CALL_BYTES_PER_MS;

type EventOf<Type extends ServerEventType> = ServerEventData<Type> & { readonly type: Type; readonly event_id: string };
type RealtimeEvent = { [Type in ServerEventType]: EventOf<Type> }[ServerEventType];

/** A client of the OpenAI Realtime door that checks every event against its schema. */
export class RealtimeCaller {
  readonly events: RealtimeEvent[] = [];
  readonly socket: WebSocket;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  #read = 0;
  #isClosed = false;
  #wake = () => {};

  constructor(url: string, key?: string, protocols: string[] = [], options: ClientOptions = {}) {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    this.socket = new WebSocket(url, protocols, { headers, ...options });
    onTestFinished(() => this.socket.terminate());
    this.socket.on("error", () => {});
    this.socket.on("message", (data: Buffer) => {
      this.events.push(JSON.parse(data.toString()) as RealtimeEvent);
      this.#wake();
    });
    this.closed = new Promise((resolve) =>
      this.socket.once("close", (code, reason) => {
        this.#isClosed = true;
        this.#wake();
        resolve({ code, reason: reason.toString() });
      }),
    );
  }

  send(type: string, fields: object = {}): void {
    this.socket.send(JSON.stringify({ type, ...fields }));
  }

  append(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 96_000)
      this.send("input_audio_buffer.append", {
        audio: Buffer.from(bytes.subarray(at, at + 96_000)).toString("base64"),
      });
  }

  /** Sends audio at 24 kHz in real time, in chunks of 100 ms. */
  async speak(pcm: Buffer): Promise<void> {
    const startMs = performance.now();
    for (let at = 0; at < pcm.length; at += CHUNK_BYTES) {
      this.append(pcm.subarray(at, at + CHUNK_BYTES));
      const dueMs = startMs + (at + CHUNK_BYTES) / CALL_BYTES_PER_MS;
      await new Promise((resolve) => setTimeout(resolve, dueMs - performance.now()));
    }
  }

  /** The next event of this type after the last returned one. Others are skipped. */
  async next<Type extends ServerEventType>(type: Type): Promise<EventOf<Type>> {
    for (;;) {
      while (this.#read < this.events.length) {
        const event = this.events[this.#read++];
        if (event?.type === type) return event as EventOf<Type>;
      }
      if (this.#isClosed) throw new Error(`closed while waiting for ${type}: ${this.types().join(" ")}`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  all<Type extends ServerEventType>(type: Type): EventOf<Type>[] {
    return this.events.filter((event): event is EventOf<Type> & RealtimeEvent => event.type === type);
  }

  /** The types in order, repetitions left out. */
  types(from = 0): string[] {
    const types = this.events.slice(from).map(({ type }) => type);
    return types.filter((type, at) => type !== types[at - 1]);
  }

  /** Every event so far has a known type, a fresh id and exactly the fields of its schema. */
  check(): void {
    const ids = this.events.map((event) => event.event_id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { type, event_id, ...fields } of this.events) {
      expect(Object.keys(SERVER_EVENTS)).toContain(type);
      const parsed = z.strictObject(SERVER_EVENTS[type].shape).safeParse(fields);
      expect(parsed.error, `${type} ${event_id}`).toBeUndefined();
    }
  }
}
