import { pino } from "pino";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { startWireServer } from "./support.ts";

const START = { event: "MEDIA_START", format: "slin24", optimal_frame_size: 960 };
const cases: Record<string, object[]> = {
  "the text of an error": [
    { ...START, channel_id: "x" },
    { event: "ERROR", error_text: "my pin is 1234" },
  ],
  "a channel's name": [{ ...START, channel_id: "Ada Example, my pin is 1234" }],
};

const open = async (path: string, protocols: string[], messages: readonly object[]) => {
  const lines: string[] = [];
  const log = pino({ level: "debug" }, { write: (line: string) => void lines.push(line) });
  const { server, key } = await startWireServer({ log });
  const socket = new WebSocket(`${server.url}${path}?api_key=${key}`, protocols);
  await new Promise((resolve) => socket.once("open", resolve));
  for (const message of messages) socket.send(JSON.stringify(message));
  await expect.poll(() => lines.some((line) => line.includes("telephone"))).toBe(true);
  socket.terminate();
  return lines.join("");
};

test.each(Object.entries(cases))("%s is not logged", async (_, messages) => {
  expect(await open("/ws/asterisk", ["media"], messages)).not.toContain("1234");
});

test.each(["callSid", "call_control_id", "callId"])("free text in %s is not logged, and an id is", async (field) => {
  const start = (name: string) => [{ event: "start", streamSid: "MZ1", start: { [field]: name } }];
  expect(await open("/ws/media-stream", [], start("my pin is 1234"))).not.toContain("1234");
  expect(await open("/ws/media-stream", [], start("v3:CA-1_a.b/c+d="))).toContain('"call":"v3:CA-1_a.b/c+d="');
});
