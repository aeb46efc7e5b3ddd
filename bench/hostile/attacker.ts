import { connect, type Socket } from "node:net";
import { serverMessageSchema } from "../../src/doors/voice/server-messages.ts";
import type { Chance } from "./chance.ts";
import { badHandshake, breach, fragmented, frame, goodHandshake, OPCODE, pingFlood } from "./frames.ts";
import { hostilePcm, hostileText } from "./messages.ts";

/** Longest time for a server to answer or close. Later it counts as hung. */
const PATIENCE_MS = 20_000;
const SETTINGS = Buffer.from(
  '{"type":"session_settings","timestamp":1,"message_id":"s","data":{"turn_detection":{"silence_threshold":0.5}}}',
);
const LAST_WORD = "last-word";
const GOODBYE = Buffer.from(`{"type":"keep_alive","timestamp":1,"message_id":"${LAST_WORD}"}`);

export interface Attack {
  /** Number of messages, control frames and broken frames that were sent. */
  readonly sent: number;
  /** How the connection ended: "answered", "closed <code>", "dropped", "left" (by the attacker), "hung". */
  readonly end: string;
  /** Answers that break the schema of the protocol. */
  readonly faults: readonly string[];
}

/** One hostile connection of at most `most` frames. Equal chances give equal frames. */
export async function attack(url: URL, chance: Chance, most: number): Promise<Attack> {
  const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
  const faults: string[] = [];
  const answers = new Answers(socket, faults);
  try {
    if (chance.happens(0.06)) {
      await write(socket, badHandshake(url, chance), chance);
      socket.end();
      return { sent: 1, end: await answers.end(), faults };
    }
    const early = chance.happens(0.5);
    if (!early) socket.write(goodHandshake(url));
    if (!early) await answers.upgraded;
    const frames = plan(chance, most);
    // These frames arrive with the handshake, before the server accepted the connection.
    const bytes = Buffer.concat([...(early ? [goodHandshake(url)] : []), ...frames]);
    const reads = chance.happens(0.92);
    if (!reads) socket.pause();
    await write(socket, bytes, chance);
    if (!reads || chance.happens(0.1)) {
      if (chance.happens(0.5)) socket.resetAndDestroy();
      return { sent: frames.length, end: "left", faults };
    }
    return { sent: frames.length, end: await answers.end(), faults };
  } finally {
    socket.destroy();
  }
}

function plan(chance: Chance, most: number): Buffer[] {
  const frames: Buffer[] = [];
  const count = 1 + chance.int(most - 1);
  if (chance.happens(0.7)) frames.push(frame(OPCODE.text, SETTINGS));
  while (frames.length < count) {
    const kind = chance.int(100);
    if (kind < 62) frames.push(frame(OPCODE.text, hostileText(chance)));
    else if (kind < 80) frames.push(frame(OPCODE.binary, hostilePcm(chance)));
    else if (kind < 90) frames.push(fragmented(OPCODE.text, hostileText(chance), chance));
    else if (kind < 93) frames.push(fragmented(OPCODE.binary, hostilePcm(chance), chance));
    else frames.push(...pingFlood(chance));
  }
  if (chance.happens(0.25)) frames.push(breach(chance));
  frames.push(frame(OPCODE.text, GOODBYE));
  return frames;
}

/** Divides bytes at any places, as a network may do. */
async function write(socket: Socket, bytes: Buffer, chance: Chance): Promise<void> {
  for (let at = 0; at < bytes.length && socket.writable;) {
    const piece = bytes.subarray(at, at + (chance.happens(0.2) ? 1 + chance.int(40) : 65_536));
    at += piece.length;
    if (!socket.write(piece)) await Promise.race([drained(socket), closed(socket), after(PATIENCE_MS)]);
  }
}

const drained = (socket: Socket) => new Promise<void>((resolve) => socket.once("drain", resolve));
const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once("close", () => resolve()));
const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());

/** Checks the server's messages against the schema, and records how the connection ends. */
class Answers {
  readonly upgraded: Promise<void>;
  readonly #faults: string[];
  readonly #over: Promise<string>;
  #data = Buffer.alloc(0);
  #isUpgraded = false;
  #closeCode: number | undefined;
  #upgrade!: () => void;
  #answer!: (end: string) => void;

  constructor(socket: Socket, faults: string[]) {
    this.#faults = faults;
    this.upgraded = new Promise((resolve) => {
      this.#upgrade = resolve;
    });
    this.#over = new Promise((resolve) => {
      this.#answer = resolve;
    });
    socket.on("data", (data) => this.#take(data));
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#upgrade();
      this.#answer(this.#closeCode === undefined ? "dropped" : `closed ${String(this.#closeCode)}`);
    });
  }

  /** Resolves when the last message is answered or the connection is closed. */
  end(): Promise<string> {
    return Promise.race([this.#over, after(PATIENCE_MS).then(() => "hung")]);
  }

  #take(data: Buffer): void {
    this.#data = Buffer.concat([this.#data, data]);
    if (!this.#isUpgraded) {
      const end = this.#data.indexOf("\r\n\r\n");
      if (end < 0) return;
      this.#isUpgraded = this.#data.subarray(0, 12).toString() === "HTTP/1.1 101";
      this.#data = this.#data.subarray(end + 4);
      this.#upgrade();
    }
    if (!this.#isUpgraded) return;
    for (let next = readFrame(this.#data); next !== undefined; next = readFrame(this.#data)) {
      this.#data = this.#data.subarray(next.size);
      if (next.opcode === OPCODE.close && next.payload.length >= 2) this.#closeCode = next.payload.readUInt16BE(0);
      else if (next.opcode === OPCODE.text) this.#check(next.payload.toString());
    }
  }

  #check(text: string): void {
    const parsed = serverMessageSchema.safeParse(JSON.parse(text));
    if (!parsed.success) this.#faults.push(`${text.slice(0, 300)}: ${parsed.error.message}`);
    else if (parsed.data.type === "status" && parsed.data.data.status === "alive") {
      if (parsed.data.data.details.reply_to === LAST_WORD) this.#answer("answered");
    }
  }
}

/** Reads one unmasked frame of the server. Undefined until the frame is complete. */
function readFrame(data: Buffer): { opcode: number; payload: Buffer; size: number } | undefined {
  if (data.length < 2) return undefined;
  const short = (data[1] ?? 0) & 0x7f;
  const head = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (data.length < head) return undefined;
  const length = short === 126 ? data.readUInt16BE(2) : short === 127 ? Number(data.readBigUInt64BE(2)) : short;
  if (data.length < head + length) return undefined;
  return { opcode: (data[0] ?? 0) & 0x0f, payload: data.subarray(head, head + length), size: head + length };
}
