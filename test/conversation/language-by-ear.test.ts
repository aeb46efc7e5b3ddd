import { describe, expect, test } from "vitest";
import type { LanguageScores } from "../../src/engines/stt/speech-to-text.ts";
import { speechChoice } from "../../src/engines/tts/speech-choice.ts";
import { OakError } from "../../src/shared/errors.ts";
import { silentLog } from "../../src/shared/log.ts";
import { LOUD, scriptedCall, type Script } from "../support/scripted-call.ts";
import { scriptedRealtime } from "../support/scripted-realtime.ts";

const GERMAN = { de: 0.98, en: 0.02 };
const ENGLISH = { de: 0.02, en: 0.98 };

/** `answers`: the recogniser's answers in turn; the last one stays. */
function call(answers: readonly (LanguageScores | OakError)[], script: Partial<Script> = {}) {
  const asked: { kind: string; language: string }[] = [];
  const queriedSeconds: number[] = [];
  const waiting = [...answers];
  const made = scriptedCall({
    voice: { language: ["en", "de"] },
    transcribe: async ({ kind, language }) => {
      asked.push({ kind, language });
      return language === "de" ? "wie viele Tische sind frei" : "how many tables are free";
    },
    identifyLanguage: async (samples) => {
      queriedSeconds.push(samples.length / 16_000);
      const answer = waiting.length > 1 ? waiting.shift()! : waiting[0]!;
      if (answer instanceof OakError) throw answer;
      return answer;
    },
    ...script,
  });
  const turn = async (ms: number) => {
    asked.length = 0;
    await made.stream(LOUD, ms);
    await made.stream(0, 6_000);
  };
  const finals = () => made.all("transcription").filter(({ is_speech_final: final }) => final);
  return Object.assign(made, { asked, queriedSeconds, turn, finals });
}

test("the recogniser, the events, the prompt and the voice follow the language that is heard", async () => {
  const spokenIn: string[] = [];
  const { engines } = { engines: { sampleRateHz: 24_000, close: async () => undefined } };
  const german = call([GERMAN], {
    speechIn: (language) => ({
      ...engines,
      synthesize: async () => {
        spokenIn.push(language);
        return new Float32Array(24_000).fill(0.5);
      },
    }),
  });
  await german.turn(2_000);
  expect(new Set(german.asked.map(({ language }) => language))).toEqual(new Set(["de"]));
  expect(german.finals()).toEqual([
    expect.objectContaining({ transcript: "wie viele Tische sind frei", language: "de" }),
  ]);
  expect(german.all("status").filter(({ status }) => status === "language")).toEqual([
    { status: "language", details: { language: "de" } },
  ]);
  const [system, note, ...rest] = german.prompts[0]?.messages ?? [];
  expect(system?.content).not.toContain("German");
  expect(note?.content).toBe("(Answer in German.)");
  expect(JSON.stringify(rest)).toContain("Es ist");
  expect(new Set(spokenIn)).toEqual(new Set(["de"]));
  const queries = german.queriedSeconds.length;
  await german.turn(1_500);
  expect(german.queriedSeconds).toHaveLength(queries);
  await german.session.close();
});

test("an unsure recogniser is queried again, and the first language stands meanwhile", async () => {
  const unsure = call([{ de: 0.5, en: 0.5 }]);
  await unsure.turn(2_500);
  expect(unsure.queriedSeconds.length).toBeGreaterThanOrEqual(2);
  expect(unsure.asked.at(-1)?.language).toBe("en");
  expect(unsure.finals()[0]).not.toHaveProperty("language");
  expect(JSON.stringify(unsure.prompts)).not.toContain("Answer in English");
  await unsure.turn(2_500);
  expect(unsure.queriedSeconds.length).toBeGreaterThanOrEqual(4);
  await unsure.session.close();
});

test("a whole turn in the other language switches before its final, and partials begin anew", async () => {
  const caller = call([ENGLISH, GERMAN]);
  await caller.turn(1_500);
  expect(caller.finals().at(-1)).toMatchObject({ language: "en" });
  await caller.turn(3_000);
  expect(caller.asked.filter(({ kind }) => kind === "final").at(-1)?.language).toBe("de");
  expect(caller.finals().at(-1)).toMatchObject({ transcript: "wie viele Tische sind frei", language: "de" });
  await caller.session.close();
});

test("a query that never answers delays the final by half a second at most, and a failed one changes nothing", async () => {
  const late = call([GERMAN], {
    identifyLanguage: (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      }),
  });
  await late.turn(2_000);
  expect(late.finals()).toHaveLength(1);
  await late.session.close();
  const failed = call([new OakError("busy", { code: "STT_BUSY" })]);
  await failed.turn(2_000);
  expect(failed.finals()).toHaveLength(1);
  expect([failed.faults, failed.all("error")]).toEqual([[], []]);
  await failed.session.close();
});

test("the answers about a doubtful turn do not count", async () => {
  const noise = call([GERMAN], { transcribe: async () => ({ text: "Ha.", isDoubtful: true }) });
  await noise.turn(2_000);
  const languages = noise.all("status").filter(({ status }) => status === "language");
  expect(languages.map(({ details }) => details)).toEqual([{ language: "de" }, { language: "en" }]);
  await noise.session.close();
});

test("a fixed language is never queried and nothing about it is sent", async () => {
  const fixed = call([GERMAN], { voice: { language: "de" } });
  await fixed.turn(2_000);
  expect([fixed.queriedSeconds, fixed.asked.at(-1)?.language]).toEqual([[], "de"]);
  expect(fixed.finals()[0]).not.toHaveProperty("language");
  fixed.session.configure({ language: "auto" });
  await fixed.turn(2_000);
  expect(fixed.queriedSeconds.length).toBeGreaterThan(0);
  await fixed.session.close();
});

test("another box goes on in the language of the call", async () => {
  const moved = call([GERMAN]);
  await moved.turn(2_000);
  await moved.move();
  moved.session.recover(undefined);
  moved.session.attach();
  const queries = moved.queriedSeconds.length;
  await moved.turn(1_500);
  expect([moved.queriedSeconds.length, moved.asked.at(-1)?.language]).toEqual([queries, "de"]);
  await moved.session.close();
});

describe("Realtime", () => {
  const update = (language: string, script: Partial<Script> = {}) => {
    const realtime = scriptedRealtime(script);
    realtime.update({ audio: { input: { transcription: { language } } } });
    return realtime;
  };

  test("a recogniser that cannot identify languages refuses a choice", async () => {
    const realtime = update("auto");
    const errors = realtime.events.filter(({ type }) => type === "error");
    expect(errors).toEqual([
      expect.objectContaining({ error: expect.objectContaining({ code: "invalid_value" }) as unknown }),
    ]);
    await realtime.session.close();
  });

  test("the completed transcription names the language", async () => {
    const realtime = update("en, de", { identifyLanguage: async () => GERMAN });
    await realtime.stream(LOUD, 2_000);
    await realtime.stream(0, 2_000);
    const completed = realtime.events.filter(({ type }) => type.endsWith("transcription.completed"));
    expect(completed).toEqual([
      expect.objectContaining({ oakvoice: expect.objectContaining({ language: "de" }) as unknown }),
    ]);
    await realtime.session.close();
  });
});

test("the voice of a language is another running model, or the configured one with one warning", () => {
  const warnings: unknown[] = [];
  const log = { ...silentLog, warn: (...text: unknown[]) => void warnings.push(text) };
  const voice = { sampleRateHz: 24_000, synthesize: async () => new Float32Array(0), close: async () => undefined };
  const [english, german, unknown] = [{ ...voice }, { ...voice }, { ...voice }];
  const choose = speechChoice(
    [
      { speech: english, languages: ["en"] },
      { speech: german, languages: ["de"] },
      { speech: unknown, languages: undefined },
    ],
    log,
  );
  expect([choose("en", english), choose("de", english), choose("fr", english)]).toEqual([english, german, english]);
  expect(choose("de", english)).toBe(german);
  expect(choose("fr", english)).toBe(english);
  expect(choose("fr", unknown)).toBe(unknown);
  expect(warnings).toHaveLength(1);
});
