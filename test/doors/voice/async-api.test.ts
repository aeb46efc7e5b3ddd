import { readFileSync } from "node:fs";
import { join } from "node:path";
import { schemas } from "@asyncapi/specs";
import { describe, expect, it } from "vitest";
import { packageRoot } from "../../../src/shared/package-root.ts";
import { parseClientMessage } from "../../../src/doors/voice/client-messages.ts";
import { encodeServerMessage } from "../../../src/doors/voice/server-messages.ts";
import { DEFAULT_SESSION_SETTINGS } from "../../../src/config/settings/settings-form.ts";
import { checkOf, document, validator } from "./async-api-validator.ts";

const errorsOf = (name: string, message: unknown) => {
  const check = checkOf(name);
  check(message);
  return check.errors ?? [];
};
const envelope = (type: string, data?: unknown) => ({ type, timestamp: 1.5, message_id: "1", data });

describe("the AsyncAPI document", () => {
  it("is equal to docs/asyncapi.json and valid", () => {
    const file = readFileSync(join(packageRoot, "docs", "asyncapi.json"), "utf8");
    expect(file, "run npm run asyncapi").toBe(`${JSON.stringify(document, null, 2)}\n`);
    const check = validator().compile(schemas["3.0.0"] as object);
    check(document);
    expect(check.errors ?? []).toEqual([]);
  });

  it("accepts and refuses the same client messages as the server", () => {
    const messages: [name: string, message: unknown, isRight: boolean][] = [
      ["session_settings", envelope("session_settings", DEFAULT_SESSION_SETTINGS), true],
      ["session_settings", envelope("session_settings", { unknown: 1 }), true],
      ["session_settings", envelope("session_settings", { turn_detection: { silence_threshold: 99 } }), false],
      ["session_settings", envelope("session_settings", { turn_detection: { mode: "quick" } }), false],
      ["audio_input", envelope("audio_input", { audio: "AAA=" }), true],
      ["audio_input", envelope("audio_input", {}), false],
      ["keep_alive", envelope("keep_alive"), true],
      ["keep_alive", { type: "keep_alive" }, false],
    ];
    for (const [name, message, isRight] of messages) {
      const text = JSON.stringify(message);
      expect(parseClientMessage(text).failure === undefined, text).toBe(isRight);
      expect(errorsOf(name, JSON.parse(text)).length === 0, text).toBe(isRight);
    }
  });

  it("describes the messages that the server sends", () => {
    const sent = {
      tts_chunk: encodeServerMessage("tts_chunk", { content: "AAA=" }, 1000),
      tts_interruption: encodeServerMessage("tts_interruption", { content: "" }, 1000),
      turn_start: encodeServerMessage("turn_start", { turn_id: "1.1", interrupted_tts: false }, 1000),
      status: encodeServerMessage("status", { status: "alive", details: { reply_to: "1" } }, 1000),
      error: encodeServerMessage("error", { error_code: "X", error_message: "y", details: { field: "z" } }, 1000),
    };
    for (const [name, text] of Object.entries(sent)) expect(errorsOf(name, JSON.parse(text))).toEqual([]);
    expect(errorsOf("turn_start", JSON.parse(sent.error)).length).toBeGreaterThan(0);
    const actions = Object.values(document.operations).map(({ action }) => action);
    expect(actions.filter((action) => action === "receive")).toHaveLength(8);
    expect(actions.filter((action) => action === "send")).toHaveLength(16);
  });
});
