import type { Chance } from "./chance.ts";

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface FrameOptions {
  readonly fin?: boolean;
  /** Reserved bits at their place in the first byte. */
  readonly reserved?: number;
  readonly masked?: boolean;
  /** A false length in the header. */
  readonly length?: bigint;
}

/** One WebSocket frame of a client, optionally with an error in its header. */
export function frame(opcode: number, payload: Buffer, options: FrameOptions = {}): Buffer {
  const { fin = true, reserved = 0, masked = true, length = BigInt(payload.length) } = options;
  const mask = Buffer.from([0x12, 0x34, 0x56, 0x78]);
  const first = (fin ? 0x80 : 0) | reserved | opcode;
  const maskBit = masked ? 0x80 : 0;
  const extended = Buffer.alloc(length < 126n ? 0 : length < 65_536n ? 2 : 8);
  if (extended.length === 2) extended.writeUInt16BE(Number(length));
  if (extended.length === 8) extended.writeBigUInt64BE(length);
  const short = extended.length === 0 ? Number(length) : extended.length === 2 ? 126 : 127;
  const body = Buffer.from(payload);
  if (masked) for (let at = 0; at < body.length; at += 1) body[at] = (body[at] ?? 0) ^ (mask[at % 4] ?? 0);
  return Buffer.concat([Buffer.from([first, maskBit | short]), extended, masked ? mask : Buffer.alloc(0), body]);
}

/** A message in many frames, with control frames in between, as the protocol allows. */
export function fragmented(opcode: number, payload: Buffer, chance: Chance): Buffer {
  const pieces: Buffer[] = [];
  const step = 1 + chance.int(Math.max(1, payload.length));
  for (let at = 0; at < payload.length || pieces.length === 0; at += Math.max(step, payload.length / 200)) {
    const part = payload.subarray(at, at + Math.max(step, payload.length / 200));
    pieces.push(frame(pieces.length === 0 ? opcode : OPCODE.continuation, part, { fin: false }));
    if (chance.happens(0.1)) pieces.push(frame(OPCODE.ping, chance.bytes(chance.int(126))));
  }
  return Buffer.concat([...pieces, frame(OPCODE.continuation, Buffer.alloc(0))]);
}

/** Many control frames. */
export function pingFlood(chance: Chance): Buffer[] {
  const payload = chance.bytes(chance.int(126));
  return Array.from({ length: 1 + chance.size(100) }, () =>
    frame(chance.happens(0.7) ? OPCODE.ping : OPCODE.pong, payload),
  );
}

/** Frames that break the WebSocket protocol, so that the server must close the connection. */
export function breach(chance: Chance): Buffer {
  const some = chance.bytes(chance.int(100));
  const text = Buffer.from('{"type":"keep_alive"}');
  const closeWith = (code: number, reason: Buffer) => {
    const head = Buffer.alloc(2);
    head.writeUInt16BE(code);
    return frame(OPCODE.close, Buffer.concat([head, reason]));
  };
  const kinds: readonly [() => Buffer, ...(() => Buffer)[]] = [
    () => frame(OPCODE.text, Buffer.concat([Buffer.from("{"), Buffer.from([0xc3, 0x28, 0xf0, 0x9f]), some])),
    () => frame(OPCODE.text, Buffer.from([0xed, 0xa0, 0x80])),
    () => frame(OPCODE.text, text, { reserved: chance.pick([0x40, 0x20, 0x10, 0x70]) }),
    () => frame(chance.pick([3, 4, 5, 6, 7, 11, 12, 13, 14, 15]), some),
    () => frame(OPCODE.text, text, { masked: false }),
    () => frame(OPCODE.ping, Buffer.alloc(126 + chance.int(1000))),
    () => frame(OPCODE.ping, some, { fin: false }),
    () => frame(OPCODE.continuation, some),
    () => Buffer.concat([frame(OPCODE.text, text, { fin: false }), frame(OPCODE.text, text)]),
    () => frame(OPCODE.binary, some, { length: 600_000n }),
    () => frame(OPCODE.binary, some, { length: 2n ** 40n }),
    () => frame(OPCODE.binary, some, { length: 2n ** 63n }),
    () => frame(OPCODE.close, Buffer.from([3])),
    () => closeWith(chance.pick([0, 999, 1004, 1005, 1006, 1015, 2999, 5000, 65_535]), Buffer.alloc(0)),
    () => closeWith(1000, Buffer.from([0xff, 0xfe])),
    () => Buffer.concat([closeWith(1000, Buffer.alloc(0)), frame(OPCODE.text, text)]),
    // More fragments than one message may have.
    () => Buffer.concat([frame(OPCODE.text, some, { fin: false }), ...Array.from({ length: 1_200 }, () => frame(0, Buffer.alloc(0), { fin: false }))]),
  ]; // prettier-ignore
  return chance.pick(kinds)();
}

/** A handshake that must not lead to an upgrade. */
export function badHandshake(url: URL, chance: Chance): Buffer {
  const target = `${url.pathname}${url.search}`;
  const upgrade = `Host: ${url.host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n`;
  const clientHello = Buffer.concat([Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]), chance.bytes(200)]);
  return Buffer.from(
    chance.pick<string | Buffer>([
      chance.bytes(1 + chance.size(4_000)),
      clientHello,
      `GET ${target}\r\n\r\n`,
      `GET ${target} HTTP/1.1\r\n\r\n`,
      `POST ${target} HTTP/1.1\r\n${upgrade}Content-Length: 5\r\n\r\nhello`,
      `GET ${target} HTTP/1.1\r\n${upgrade.replace("13", "12")}\r\n`,
      `GET ${target} HTTP/1.1\r\n${upgrade.replace("MDEyMzQ1Njc4OWFiY2RlZg==", "short")}\r\n`,
      `GET ${target} HTTP/1.1\r\n${upgrade.replace("websocket", "h2c")}\r\n`,
      `GET ${target} HTTP/1.1\r\n${upgrade}X-Large: ${"a".repeat(chance.size(100_000))}\r\n\r\n`,
      `GET ${target} HTTP/1.1\r\n${"X-Many: 1\r\n".repeat(chance.size(5_000))}\r\n`,
      `GET ${target} HTTP/1.1\r\n${upgrade}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
      `GET ${target}${"&a=1".repeat(chance.size(5_000))}&api_key=oak_no HTTP/1.1\r\n${upgrade}\r\n`,
      `GET ${url.pathname.replace(/[^/]*$/u, "%2e%2e%2f".repeat(40))} HTTP/1.1\r\n${upgrade}\r\n`,
      `GET http://[::1 HTTP/1.1\r\n${upgrade}\r\n`,
      `GET ${target.replace("api_key=oak_", "api_key=oak_x")} HTTP/1.1\r\n${upgrade}\r\n`,
      Buffer.concat([frame(OPCODE.text, Buffer.from("{}")), Buffer.from(`GET ${target} HTTP/1.1\r\n${upgrade}\r\n`)]),
      `GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(1 + chance.int(20)),
      `GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: ${chance.pick(["x", "100-continue"])}\r\n\r\n`.repeat(1 + chance.int(2_000)),
      `GET /healthz HTTP/1.${chance.pick(["0", "1"])}\r\n\r\n`.repeat(1 + chance.int(2_000)),
      `GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(chance.size(10_000))}`,
      `CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n`,
    ]),
  ); // prettier-ignore
}

export const goodHandshake = (url: URL): Buffer =>
  Buffer.from(
    `GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n`,
  );
