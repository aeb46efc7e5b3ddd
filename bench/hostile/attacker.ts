import { connect, type Socket } from "node:net";
import type { Chance } from "./chance.ts";
import { hostileDoor, type HostileDoor } from "./doors.ts";
import { badHandshake, breach, fragmented, frame, goodHandshake, OPCODE, pingFlood } from "./frames.ts";
import { hostilePcm } from "./messages.ts";

/** Longest time for a server to answer or close. Later it counts as hung. */
const PATIENCE_MS = 20_000;

export interface Attack {
  /** Number of messages, control frames and broken frames that were sent. */
  readonly sent: number;
  /** How the connection ended: "answered", "closed <code>", "dropped", "left" (by the attacker), "hung". */
  readonly end: string;
  /** Answers that break the schema of the protocol. */
  readonly faults: readonly string[];
}

/** One hostile connection, to the door of its address, of at most `most` frames. Equal chances give equal frames. */
export async function attack(url: URL, chance: Chance, most: number): Promise<Attack> {
  const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
  const faults: string[] = [];
  const door = hostileDoor(url);
  const answers = new Answers(socket, door, faults);
  try {
    if (chance.happens(0.06)) {
      await write(socket, badHandshake(url, chance), chance);
      socket.end();
      return { sent: 1, end: await answers.end(), faults };
    }
    const early = chance.happens(0.5);
    if (!early) socket.write(goodHandshake(url));
    if (!early) await answers.upgraded;
    const frames = plan(door, chance, most);
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

function plan(door: HostileDoor, chance: Chance, most: number): Buffer[] {
  const frames: Buffer[] = [];
  const count = 1 + chance.int(most - 1);
  if (chance.happens(0.7)) frames.push(door.first(chance));
  while (frames.length < count) {
    const kind = chance.int(100);
    if (kind < 62) frames.push(frame(OPCODE.text, door.text(chance)));
    else if (kind < 80) frames.push(frame(OPCODE.binary, hostilePcm(chance)));
    else if (kind < 90) frames.push(fragmented(OPCODE.text, door.text(chance), chance));
    else if (kind < 93) frames.push(fragmented(OPCODE.binary, hostilePcm(chance), chance));
    else frames.push(...pingFlood(chance));
  }
  if (chance.happens(0.25)) frames.push(breach(chance));
  frames.push(door.last);
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
  readonly #door: HostileDoor;
  readonly #faults: string[];
  readonly #over: Promise<string>;
  #data = Buffer.alloc(0);
  #isUpgraded = false;
  #closeCode: number | undefined;
  #upgrade!: () => void;
  #answer!: (end: string) => void;

  constructor(socket: Socket, door: HostileDoor, faults: string[]) {
    this.#door = door;
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
    const fault = this.#door.fault(text);
    if (fault !== undefined) this.#faults.push(`${text.slice(0, 300)}: ${fault}`);
    else if (this.#door.isLast(text)) this.#answer("answered");
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
