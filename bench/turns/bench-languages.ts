import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { MODEL_HZ } from "../../src/audio/format.ts";
import { loadModelCatalog, modelAt } from "../../src/config/model-catalog.ts";
import { packageRoot } from "../../src/shared/package-root.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { DEFAULT_SETTINGS } from "../../src/config/settings/session-settings.ts";
import { turnPolicy } from "../../src/conversation/turn/evidence/policy.ts";
import type { EndOfTurnModel } from "../../src/engines/end-of-turn/end-of-turn-model.ts";
import { loadEndOfTurn } from "../../src/engines/end-of-turn/onnx-end-of-turn.ts";
import { loadSilero } from "../../src/engines/vad/silero.ts";
import type { Language } from "../../src/language/language.ts";
import { languageOf } from "../../src/language/packs/languages.ts";
import { sayWith } from "../callers/synthetic-voice.ts";
import { quantile } from "../../src/simulated-callers/statistics.ts";
import { readOptions } from "../options.ts";
import { seededRandom } from "../../src/simulated-callers/random.ts";
import { callOf, type Call } from "./call.ts";
import { hear, type HeardCall } from "./hearing.ts";
import { lastVoiceSample } from "./last-voice.ts";
import { replay } from "./replay.ts";
import { roomTone } from "./room-tone.ts";
import { inARoom } from "./sets.ts";

const USAGE = `npm run bench:languages -- [--held-out] [--list]
End of turn in English, German and French: sentences of bench/turns/languages.yaml, spoken by espeak-ng. A finished sentence is
followed by 4 s of room: the delay counts from its last voiced sample. In an unfinished sentence the caller stops for
1.2 s: the turn is cut off when it ends there. The detector and the end-of-turn model hear the audio; the words are
the true ones, because the starter recogniser knows only English. --held-out takes the other half of the sentences.
--list names the sentences that are cut off or answered late. The lines "English rules" take German and French as English.`;

const VOICES = { en: "en-us", de: "de", fr: "fr-fr" } as const;
const VARIANTS = ["m3", "f4"];
const STOP_SECONDS = 1.2;
const CONFIDENCE = 0.9;
const LATE_MS = 1_000;
/** Time of a decode on an idle machine. */
const DECODE_MS = 200;

/** A sentence as its caller says it: `first`, and `rest` after a stop. */
interface Said {
  readonly first: string;
  readonly rest: string;
  /** From the start of the turn; Infinity without a stop. */
  readonly stopMs: number;
}

type Engines = {
  readonly vad: Awaited<ReturnType<typeof loadSilero>>;
  readonly model: EndOfTurnModel;
  readonly modelPath: string;
};

const flag = { type: "boolean", default: false } as const;
const values = readOptions(USAGE, { "held-out": flag, list: flag });
const { config } = loadServerConfig(undefined, process.env);
const engines: Engines = {
  vad: await loadSilero(config.models.vad.path),
  model: await loadEndOfTurn(
    config.models.turn.path,
    modelAt(loadModelCatalog(), "turn", config.models.turn.path)?.languages,
  ),
  modelPath: config.models.turn.path,
};
try {
  console.log(
    `| language | rules and model | finished | delay ms, mean / p90 | over ${String(LATE_MS)} ms | cut off, % | stopped | cut off, % |`,
  );
  console.log("|---|---|---|---|---|---|---|---|");
  for (const code of Object.keys(VOICES) as (keyof typeof VOICES)[]) {
    const sentences = sentencesOf(code);
    await report(code, languageOf(code), sentences);
    if (code !== "en") await report(code, languageOf("en"), sentences);
  }
} finally {
  await Promise.all([engines.vad.close(), engines.model.close()]);
}

function sentencesOf(code: string): readonly string[] {
  const lists = z.record(z.string(), z.array(z.string()));
  const all =
    lists.parse(parse(readFileSync(join(packageRoot, "bench", "turns", "languages.yaml"), "utf8")))[code] ?? [];
  return all.filter((_, index) => (index % 2 === 1) === values["held-out"]);
}

/** Runs the turn machine with the pack and the model of `language`, and prints one row. */
async function report(code: keyof typeof VOICES, language: Language, sentences: readonly string[]): Promise<void> {
  const delays: number[] = [];
  const counts = { finished: 0, finishedCut: 0, stopped: 0, stoppedCut: 0 };
  const usesModel = engines.model.languages?.includes(language.code) !== false;
  for (const variant of VARIANTS) {
    const { call, said } = callBy(`${VOICES[code]}+${variant}`, sentences);
    const model = usesModel ? engines.model : undefined;
    const heard = await hear(call, { ...engines, model }, join(packageRoot, "build", "bench-turns"));
    const outcomes = await replay(
      call,
      withTrueWords(heard, call, said, language),
      turnPolicy(DEFAULT_SETTINGS.turnDetection),
    );
    heard.save();
    for (const [index, outcome] of outcomes.entries()) {
      const { rest } = said[index]!;
      if (outcome.kind === "unheard") continue;
      const isCut = outcome.kind === "cut-off";
      const isLate = rest === "" && outcome.kind === "ended" && outcome.delayMs > LATE_MS;
      if (values.list && (isCut || isLate))
        console.log(`${isCut ? "cut off" : "late"} (${language.code}): ${sentences[index]!}`);
      if (rest !== "") {
        counts.stopped += 1;
        if (isCut) counts.stoppedCut += 1;
        continue;
      }
      counts.finished += 1;
      if (outcome.kind === "ended") delays.push(outcome.delayMs);
      else counts.finishedCut += 1;
    }
  }
  const share = (part: number, whole: number) => (whole === 0 ? "-" : ((100 * part) / whole).toFixed(1));
  const mean = delays.reduce((sum, delay) => sum + delay, 0) / Math.max(1, delays.length);
  const cells = [
    code,
    language.code === code ? `${code}${usesModel ? "" : ", no model"}` : "English rules",
    counts.finished,
    `${mean.toFixed(0)} / ${quantile(delays, 0.9).toFixed(0)}`,
    delays.filter((delay) => delay > LATE_MS).length,
    share(counts.finishedCut, counts.finished),
    counts.stopped,
    share(counts.stoppedCut, counts.stopped),
  ];
  console.log(`| ${cells.join(" | ")} |`);
}

function callBy(voice: string, sentences: readonly string[]): { readonly call: Call; readonly said: readonly Said[] } {
  const random = seededRandom(17);
  const spoken = sentences.map((sentence) => {
    const [first = "", rest = ""] = sentence.split("|").map((part) => part.trim());
    const beginning = inARoom(sayWith(voice, first, MODEL_HZ), random);
    if (rest === "") return { said: { first, rest, stopMs: Infinity }, name: sentence, samples: beginning };
    const whole = beginning.subarray(0, lastVoiceSample(beginning));
    const stop = roomTone(beginning, STOP_SECONDS * MODEL_HZ, random);
    const end = inARoom(sayWith(voice, rest, MODEL_HZ), random);
    const stopMs = (whole.length * 1000) / MODEL_HZ;
    return { said: { first, rest, stopMs }, name: sentence, samples: Float32Array.from([...whole, ...stop, ...end]) };
  });
  return { call: callOf(voice, spoken), said: spoken.map(({ said }) => said) };
}

/** The judgement of the words that were spoken before each pause. */
function withTrueWords(heard: HeardCall, call: Call, said: readonly Said[], language: Language): HeardCall {
  return {
    ...heard,
    words: async (_, pauseMs, isAnswer) => {
      const index = call.turns.findIndex(({ untilMs }) => pauseMs < untilMs);
      const { first, rest, stopMs } = said[index]!;
      const isInStop = pauseMs - call.turns[index]!.startMs < stopMs + STOP_SECONDS * 500;
      const text = isInStop ? first : `${first} ${rest}`;
      const wordOdds = language.hasSentenceEndOdds ? engines.model.oddsByWords(text, CONFIDENCE, isAnswer) : 0;
      return [{ afterMs: DECODE_MS, unfinished: language.isUnfinished(text), wordOdds }];
    },
  };
}
