import { createHash } from "node:crypto";
import { createServer, type AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { VoiceClient } from "../../src/client/voice-client.ts";
import { encodeServerMessage } from "../../src/protocol/server-messages.ts";

const ACCEPT_SALT = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const undo of cleanUp.splice(0)) undo();
});

/** A server that answers the handshake with one write; its address. */
function answering(answer: (key: string) => Buffer): Promise<string> {
  const server = createServer((socket) => {
    cleanUp.push(() => socket.destroy());
    socket.once("data", (request) => {
      socket.write(answer(/sec-websocket-key: (.*)\r\n/i.exec(request.toString())?.[1] ?? ""));
    });
  });
  cleanUp.push(() => server.close());
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(`ws://127.0.0.1:${String((server.address() as AddressInfo).port)}/`));
  });
}

function upgradeWithMessage(key: string): Buffer {
  const accept = createHash("sha1")
    .update(key + ACCEPT_SALT)
    .digest("base64");
  const head = `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`;
  const message = Buffer.from(encodeServerMessage("tts_interruption", { content: "" }, 0));
  return Buffer.concat([Buffer.from(head), Buffer.of(0x81, 126, message.length >> 8, message.length & 255), message]);
}

test("a message that comes with the handshake waits until the caller holds the client", async () => {
  const url = await answering(upgradeWithMessage);
  const seen = await new Promise((resolve) => {
    let client: VoiceClient | undefined;
    const connecting = VoiceClient.connect({ url, onMessage: () => resolve(client), onClose: () => undefined });
    void connecting.then((connected) => (client = connected));
  });
  expect(seen).toBeInstanceOf(VoiceClient);
});

test("a refused handshake is told once: connect rejects, and nothing was open that could close", async () => {
  const url = await answering(() => Buffer.from("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"));
  let closed = 0;
  const connecting = VoiceClient.connect({ url, onMessage: () => undefined, onClose: () => (closed += 1) });
  await expect(connecting).rejects.toThrow("404");
  await new Promise((resolve) => setImmediate(resolve));
  expect(closed).toBe(0);
});
