import { describe, expect, test } from "vitest";
import type { ReplayLogFile } from "../../src/conversation/turn/replay-log-file.ts";
import { OakError } from "../../src/shared/errors.ts";
import type { TurnEvent } from "../../src/conversation/turn/machine/turn-state.ts";
import { LOUD, scriptedCall, type Script } from "../support/scripted-call.ts";

const BUG = new TypeError("a bug");

/** A greeting, a turn, an interruption, a reply that is played to its end, a reply that fails. */
async function talk(call: ReturnType<typeof scriptedCall>): Promise<void> {
  const { session, stream } = call;
  session.configure({ emotionDetection: { updates: "on-turn-end" } });
  await stream(0, 1500);
  await stream(LOUD, 1600);
  await stream(0, 1500);
  await stream(LOUD, 1500);
  await stream(0, 5000);
  await stream(LOUD, 700);
  await stream(0, 5000);
}

/** The model fails in the third reply. */
function script(over: Script): Script {
  let replies = 0;
  return {
    greeting: "Hello.",
    async *generate() {
      replies += 1;
      if (replies === 3) throw new OakError("gone", { code: "ENGINE_TIMEOUT" });
      yield "One two three four five. Six seven eight nine ten.";
    },
    ...over,
  };
}

/** Throws when it is called with `wanted` for the nth time. */
function bugAt(wanted: string, nth = 1): (name: string) => void {
  let left = nth;
  return (name) => {
    if (name !== wanted) return;
    left -= 1;
    if (left === 0) throw BUG;
  };
}

async function endsInOnePlace(call: ReturnType<typeof scriptedCall>): Promise<void> {
  const { clock, sent, faults, session, settle, open } = call;
  expect(faults).toEqual([BUG]);
  const count = sent.length;
  session.pushAudio(new Int16Array(24_000));
  clock.advance(10_000);
  await settle();
  expect(sent).toHaveLength(count);
  await session.close();
  expect(open()).toBe(0);
  expect(clock.pendingTimers).toBe(0);
  expect(faults).toHaveLength(1);
}

describe("a programming error anywhere in a session is reported once and stops the session", () => {
  test("a call without an error reports none", async () => {
    const call = scriptedCall(script({}));
    await talk(call);
    expect(call.faults).toEqual([]);
    expect(new Set(call.types())).toEqual(
      new Set([
        "status", "turn_start", "turn_end", "turn_interrupted", "transcription", "emotion_update", "voice_activity",
        "llm_response_chunk", "tts_chunk", "tts_interruption", "error",
      ]),
    ); // prettier-ignore
  });

  test.each([
    ["status", 1], ["status", 2], ["turn_start", 1], ["turn_end", 1], ["turn_interrupted", 1], ["transcription", 1],
    ["transcription", 3], ["emotion_update", 1], ["voice_activity", 1], ["voice_activity", 9], ["llm_response_chunk", 1],
    ["llm_response_chunk", 3], ["tts_chunk", 1], ["tts_chunk", 5], ["tts_interruption", 1], ["error", 1],
  ] as const)("an error while %s is sent (occurrence %i)", async (type, nth) => {
    const call = scriptedCall(script({ onSend: bugAt(type, nth) }));
    await talk(call);
    await endsInOnePlace(call);
  }); // prettier-ignore

  test.each([
    "frame", "prepared", "final", "overlap-decoded", "greet", "reply-audible", "reply-finished", "reply-failed",
  ] as const)("an error in the turn machine at %s", async (type) => {
    const step = bugAt(type);
    const replayLog = {
      write: (line: { event?: TurnEvent }) => line.event && step(line.event.type),
      close: async () => undefined,
    } as unknown as ReplayLogFile;
    const call = scriptedCall(script({ replayLog }));
    await talk(call);
    await endsInOnePlace(call);
  }); // prettier-ignore

  test("an error in a burst of audio, whose later frames come from a callback", async () => {
    const call = scriptedCall({ onSend: bugAt("voice_activity", 3) });
    await call.stream(0, 1000, 1000);
    await endsInOnePlace(call);
  });

  test("an error in the silence that replaces the audio of a client that stopped sending", async () => {
    const call = scriptedCall({ onSend: bugAt("turn_end") });
    await call.stream(LOUD, 700);
    for (let passed = 0; passed < 5000; passed += 100) {
      call.clock.advance(100);
      await call.settle();
    }
    await endsInOnePlace(call);
  });
});

test("any value that an engine throws is reported as the failure of its stage", async () => {
  for (const [stage, over] of [
    ["stt", { transcribe: () => Promise.reject(BUG) }],
    ["llm", { generate: () => { throw BUG; } }],
    ["tts", { synthesize: () => Promise.reject(BUG) }],
    ["emotion", { classify: () => Promise.reject(BUG) }],
  ] as const satisfies [string, Script][]) {
    const call = scriptedCall(over);
    call.session.configure({ emotionDetection: { updates: "on-turn-end" } });
    await call.stream(LOUD, 1500);
    await call.stream(0, 2000);
    expect(call.all("error")).not.toEqual([]);
    for (const error of call.all("error")) expect(error).toMatchObject({ details: { stage, cause: "INTERNAL" } });
    expect(call.faults).toEqual([]);
  }
}); // prettier-ignore

test("a session whose parts fail to close releases its engines", async () => {
  const call = scriptedCall({
    replayLog: { write: () => undefined, close: () => Promise.reject(BUG) } as unknown as ReplayLogFile,
  });
  await expect(call.session.close()).rejects.toBe(BUG);
  expect(call.open()).toBe(0);
});
