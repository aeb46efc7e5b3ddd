import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../src/shared/package-root.ts";
import { parseClientMessage } from "../src/doors/voice/client-messages.ts";
import { serverMessageSchema } from "../src/doors/voice/server-messages.ts";

const page = readFileSync(join(packageRoot, "docs/protocol.md"), "utf8");
const examples = [...page.matchAll(/```json\n(.*?)```/gsu)].map(([, text = ""]) => text);
const clientTypes = [
  "session_settings",
  "audio_input",
  "keep_alive",
  "tool_result",
  "say",
  "text_input",
  "recording_consent",
];
const serverTypes = serverMessageSchema.options.map(({ shape }) => shape.type.value);
const typeOf = (text: string) => (JSON.parse(text) as { type: string }).type;

test("protocol.md shows every message of both directions", () => {
  expect(new Set(examples.map(typeOf))).toEqual(new Set([...clientTypes, ...serverTypes]));
});

test.each(examples.map((text, index) => [index + 1, typeOf(text), text] as const))(
  "example %i of protocol.md, %s, is a valid message",
  (_, type, text) => {
    if (clientTypes.includes(type)) {
      const { ok, failure } = parseClientMessage(text);
      expect(failure).toBeUndefined();
      expect(ok).toMatchObject({ type, ...(type === "session_settings" ? { misplaced: [] } : {}) });
    } else {
      expect(serverMessageSchema.parse(JSON.parse(text))).toEqual(JSON.parse(text));
    }
  },
);

test("the sequence diagrams name messages that exist", () => {
  const named = [...page.matchAll(/^ {4}[CS]->>[CS]: (\w+_\w+)/gmu)].map(([, name]) => name);
  expect(named.length).toBeGreaterThan(10);
  expect([...clientTypes, ...serverTypes]).toEqual(expect.arrayContaining([...new Set(named)]));
});
