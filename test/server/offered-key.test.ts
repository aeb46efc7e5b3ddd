import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { startWireServer } from "./support.ts";

test.each([
  ["alone", []],
  ["after an unknown one", ["audio"]],
  ["before an unknown one", ["", "audio"]],
])("a key that is offered %s is never the answer", async (_, others) => {
  const { server, key } = await startWireServer();
  const own = `openai-insecure-api-key.${key}`;
  const offered = others[0] === "" ? [own, ...others.slice(1)] : [...others, own];
  const socket = new WebSocket(`${server.url}/v1/realtime?model=default`, offered);
  const answer = await new Promise<string>((resolve) => {
    socket.once("upgrade", (response) => resolve(response.headers["sec-websocket-protocol"] ?? ""));
    socket.once("error", (error) => resolve(error.message));
  });
  socket.terminate();
  expect(answer).not.toContain(key);
});
