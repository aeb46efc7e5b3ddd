import { expect, test } from "vitest";
import { DEFAULT_SETTINGS } from "../../../../src/config/settings/session-settings.ts";
import {
  INITIAL_SESSION,
  sessionPatchSchema,
  updateSession,
  type SessionConfig,
} from "../../../../src/doors/realtime/session/session-config.ts";
import { decodeSession, encodeTurnDetection } from "../../../../src/doors/realtime/session/session-settings.ts";
import { deepMerge } from "../../../../src/shared/deep-merge.ts";

const update = (patch: object, config: SessionConfig = INITIAL_SESSION) =>
  updateSession(config, sessionPatchSchema.parse(patch));
const settings = (config: SessionConfig) => deepMerge(DEFAULT_SETTINGS, decodeSession(config, DEFAULT_SETTINGS));
const detecting = (turn_detection: object | null) => ({ audio: { input: { turn_detection } } });

test("without any update the voice configuration's settings stay", () => {
  expect(settings(INITIAL_SESSION)).toEqual(DEFAULT_SETTINGS);
});

test("noise_reduction switches noise suppression, null switches it off", () => {
  const reducing = (noise_reduction: object | null, config?: SessionConfig) =>
    update({ audio: { input: { noise_reduction } } }, config);
  const quiet = deepMerge(DEFAULT_SETTINGS, { turnDetection: { noiseSuppression: false } });
  const suppresses = (config: SessionConfig, base = DEFAULT_SETTINGS) =>
    decodeSession(config, base).turnDetection?.noiseSuppression;
  expect(suppresses(reducing({ type: "far_field" }), quiet)).toBe(true);
  expect(suppresses(reducing({ type: "near_field" }))).toBe(true);
  const off = reducing(null, reducing({ type: "near_field" }));
  expect(suppresses(off)).toBe(false);
  expect(suppresses(update({ instructions: "Be brief." }, off))).toBe(false);
  expect(suppresses(INITIAL_SESSION, quiet)).toBe(false);
});

test("named silence alone ends a turn; otherwise the end-of-turn model decides", () => {
  const named = settings(update(detecting({ type: "server_vad", silence_duration_ms: 900, threshold: 0.6 })));
  expect(named.turnDetection).toMatchObject({
    silenceThresholdMs: 900,
    naturalPauses: false,
    speakingRateAdaptation: false,
    speechThreshold: 0.6,
  });
  expect(settings(update(detecting({ type: "server_vad" }))).turnDetection.naturalPauses).toBe(true);
});

test.each([
  ["low", "conservative"],
  ["medium", "adaptive"],
  ["auto", "adaptive"],
  ["high", "aggressive"],
])("eagerness %s is mode %s", (eagerness, mode) => {
  expect(settings(update(detecting({ type: "semantic_vad", eagerness }))).turnDetection.mode).toBe(mode);
});

test.each([
  ["Keywords: Dr. Novak, Quenby; coq au vin\nRoom 12", ["Keywords", "Dr. Novak", "Quenby", "coq au vin", "Room 12"]],
  ["The caller speaks of Lindenhof. They may spell.", ["The caller speaks of Lindenhof", "They may spell"]],
  [`${"a".repeat(101)}, Quenby`, ["Quenby"]],
  [Array.from({ length: 300 }, (_, number) => `n${String(number)}`).join(), 200],
  ["", []],
  [null, []],
])("a transcription's prompt %j becomes phrases", (prompt, wanted) => {
  const { phrases } = settings(update({ audio: { input: { transcription: { prompt } } } }));
  expect(typeof wanted === "number" ? phrases.length : phrases).toEqual(wanted);
});

test("push to talk and back", () => {
  const pushed = update(detecting(null));
  expect(settings(pushed).turnDetection.endedBy).toBe("client");
  const back = update(detecting({ type: "server_vad" }), pushed);
  expect(settings(back).turnDetection.endedBy).toBe("voice");
});

test("an update of the same kind of detection keeps its other fields, one of another kind does not", () => {
  const first = update(detecting({ type: "server_vad", prefix_padding_ms: 100, create_response: false }));
  const second = update(detecting({ type: "server_vad", threshold: 0.7 }), first);
  expect(encodeTurnDetection(second.audio.input.turn_detection, settings(second))).toEqual({
    type: "server_vad",
    threshold: 0.7,
    prefix_padding_ms: 100,
    silence_duration_ms: 500,
    idle_timeout_ms: null,
    create_response: false,
    interrupt_response: true,
  });
  const other = update(detecting({ type: "semantic_vad" }), second);
  expect(settings(other).turnDetection).toMatchObject({ answers: true, leadInMs: 300, speechThreshold: 0.3 });
});

test("instructions, voice, speed and length reach the reply, and are cleared again", () => {
  const set = update({
    instructions: "Be brief.",
    max_output_tokens: 20,
    output_modalities: ["text"],
    audio: { output: { voice: "3", speed: 1.2 } },
  });
  const reply = {
    instructions: "Be brief.",
    maxTokens: 20,
    speaks: false,
    voice: "3",
    speed: 1.2,
    tools: [],
    toolChoice: "auto",
  };
  expect(settings(set).reply).toEqual(reply);
  const cleared = update({ instructions: "", max_output_tokens: null, audio: { output: { voice: "marin" } } }, set);
  expect(settings(cleared).reply).toEqual({ ...reply, instructions: null, maxTokens: null, voice: null });
});

test("functions reach the reply, and other tools do not", () => {
  const tools = [
    { type: "function", name: "weather", parameters: { type: "object" } },
    { type: "mcp", server_label: "shop", server_url: "https://example.org" },
  ];
  const set = update({ tools, tool_choice: { type: "function", name: "weather" } });
  expect(set.tools).toEqual(tools);
  expect(settings(set).reply).toMatchObject({
    tools: [{ name: "weather", description: "", parameters: { type: "object" } }],
    toolChoice: { name: "weather" },
  });
});

test("a function needs a proper name", () => {
  expect(sessionPatchSchema.safeParse({ tools: [{ type: "function", name: "not a name" }] }).success).toBe(false);
});

test.each([
  ["of a wrong type", { type: "array" }],
  ["too large", { type: "object", description: "a".repeat(20_000) }],
])("a function whose parameters are %s is refused with its place", (_, parameters) => {
  const tools = [{ type: "function", name: "weather", parameters }];
  const { error } = sessionPatchSchema.safeParse({ type: "realtime", tools });
  expect(error?.issues[0]).toMatchObject({
    path: ["tools", 0, "parameters"],
    message: expect.stringContaining("weather") as unknown,
  });
});
