import { existsSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/shared/package-root.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { loadEndOfTurn } from "../../src/engines/end-of-turn/onnx-end-of-turn.ts";
import { DEFAULT_SETTINGS } from "../../src/config/settings/session-settings.ts";
import { errorMessage } from "../../src/shared/errors.ts";
import { silentLog } from "../../src/shared/log.ts";
import { engineStarters } from "../../src/service/engine-starters.ts";
import type { Expectation } from "../../src/language/expectation.ts";
import { loadSilero } from "../../src/engines/vad/silero.ts";
import { quantile } from "../../src/simulated-callers/statistics.ts";
import { answerDelays } from "./answer-delay.ts";
import { AFTER_SECONDS } from "./call.ts";
import { delayAt, measure, WAYS, type Curve, type HeardCalls } from "./curve.ts";
import { hear } from "./hearing.ts";
import { cutHesitations, hesitating } from "./hesitations.ts";
import { assistantTurns, briefAnswers, recordedTurns, trainedOn, type TurnSet } from "./sets.ts";
import { readOptions } from "../options.ts";
import { overTelephone } from "../telephone-line.ts";

const USAGE = `npm run bench:turns -- [--data DIR]... [--config FILE] [--limit N] [--all] [--no-assistant] [--answers N]
                       [--words short|all|none] [--telephone] [--hesitations]
End of turn. Prints how often the caller is cut off and how long the server waits, for each mode and
silence_threshold. Each recording with a transcript is a turn, each folder one caller's call. Callers of the model's
training data are skipped unless --all is given. The default of --data is ../shared/data/librispeech-mini and
kathleen, if they exist. Short turns to an assistant by flite and espeak-ng are added. The delay is measured from the
recording's last voiced sample (by its level, not by a detector) to the decision, and includes the lag of the voice
activity detector. Room noise of the recording follows each turn for 4 s. Brief answers ("yes", "two people") are
measured at the default settings, after a question and without one. The cost for answers in whole sentences with
pauses is printed beside them. --words: the sets in which the recogniser's words count, as late as this machine writes
them. By default these are sets with a mean below 6 s. --hesitations prints another table alone, at the default
silence_threshold: turns that end in 0.7 s of the recording's own room noise, which is put into the quietest place of a
random half second inside each turn, and the wait at the end of the unchanged turns. --limit uses
the first N turns of each caller. --answers: the last table has the time from the end of a turn to the first speech of
its reply over real sockets, for N questions (default 20) to a server that prepares replies in the silence, and to a
server that does not. --telephone: every call after a telephone line (300 to 3,400 Hz, mu-law).`;

const DEFAULT_DATA = ["librispeech-mini", "kathleen"].map((name) => join(packageRoot, "..", "shared", "data", name));
const THRESHOLDS = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1, 1.2, 1.4, 1.6, 1.8, 2.1, 2.5, 3, 3.6, 5, 7, 10];
const CUT_OFF_SHARE = 0.05;
const SHORT_SECONDS = 6;

async function main(): Promise<void> {
  const values = readOptions(USAGE, {
    data: { type: "string", multiple: true },
    config: { type: "string" },
    limit: { type: "number", default: 100_000 },
    all: { type: "boolean", default: false },
    assistant: { type: "boolean", default: true },
    answers: { type: "number", default: 20 },
    words: { type: "string", default: "short" },
    telephone: { type: "boolean", default: false },
    hesitations: { type: "boolean", default: false },
  });
  const { config } = loadServerConfig(values.config, process.env);
  const modelPath = config.models.turn.path;
  const learned = values.all ? [] : trainedOn(modelPath);
  const limit = values.limit;
  const folders = values.data ?? DEFAULT_DATA.filter((folder) => existsSync(folder));
  const vad = await loadSilero(config.models.vad.path);
  const model = await loadEndOfTurn(modelPath).catch((error: unknown) => {
    console.log(`Without a model: ${errorMessage(error)}`);
    return undefined;
  });
  const stt = values.words === "none" ? undefined : await engineStarters(config, 1, silentLog).stt();
  const recognizer = stt?.open();
  const recognizerPath = config.models.stt.path;
  const cacheDir = join(packageRoot, "build", "bench-turns");
  const hearAll = async (set: TurnSet, hasWords: boolean): Promise<readonly HeardCalls[]> => {
    const ears = { vad, model, modelPath, ...(hasWords ? { recognizer, recognizerPath } : {}) };
    const calls: HeardCalls[] = [];
    for (const call of set.calls) calls.push({ call, heard: await hear(call, ears, cacheDir) });
    return calls;
  };
  const wordsCount = (set: TurnSet) => values.words === "all" || meanSeconds(set) < SHORT_SECONDS;
  try {
    if (values.hesitations) {
      for (const folder of folders) {
        const set = onTheLine(recordedTurns(folder, learned, limit), values.telephone);
        const stopping = onTheLine(recordedTurns(folder, learned, limit, hesitating), values.telephone);
        const hasWords = wordsCount(set);
        await reportHesitations(set.name, await hearAll(set, hasWords), await hearAll(stopping, hasWords));
      }
      return;
    }
    const sets = [
      ...folders.map((folder) => () => recordedTurns(folder, learned, limit)),
      ...(values.assistant ? [() => assistantTurns(limit)] : []),
    ];
    for (const load of sets) {
      const set = onTheLine(load(), values.telephone);
      const calls = await hearAll(set, wordsCount(set));
      const curves: Curve[] = [];
      for (const { name, ...settings } of WAYS) {
        curves.push({ name, points: await measure(calls, settings, THRESHOLDS) });
        for (const { heard } of calls) heard.save();
      }
      report(set, curves);
      reportVoice(calls);
    }
    if (values.assistant) {
      console.log("\nAt the default settings, cut off % / delay ms, mean and p90:");
      console.log(row("", ["answering", "otherwise"], 16));
      for (const set of [briefAnswers(), assistantTurns(limit)].map((said) => onTheLine(said, values.telephone))) {
        const calls = await hearAll(set, true);
        const cells = [await asked(calls, "answer"), await asked(calls, "anything")];
        for (const { heard } of calls) heard.save();
        console.log(row(set.name, cells, 16));
      }
    }
  } finally {
    recognizer?.close();
    await Promise.all([vad.close(), model?.close(), stt?.close()]);
  }
  if (values.answers > 0) await reportAnswers(values.answers);
}

const onTheLine = (set: TurnSet, isTelephone: boolean): TurnSet => ({
  ...set,
  calls: set.calls.map((call) => (isTelephone ? { ...call, samples: overTelephone(call.samples) } : call)),
});

async function asked(calls: readonly HeardCalls[], expectation: Expectation): Promise<string> {
  const threshold = DEFAULT_SETTINGS.turnDetection.silenceThresholdMs / 1000;
  const [point] = await measure(calls, {}, [threshold], expectation);
  const { cutOffs, meanDelayMs, outcomes } = point!;
  const delays = outcomes.flatMap((outcome) => (outcome.kind === "ended" ? [outcome.delayMs] : []));
  return `  ${(100 * cutOffs).toFixed(1)} / ${meanDelayMs.toFixed(0)}, ${quantile(delays, 0.9).toFixed(0)}`;
}

async function reportHesitations(
  name: string,
  calls: readonly HeardCalls[],
  stopping: readonly HeardCalls[],
): Promise<void> {
  const threshold = DEFAULT_SETTINGS.turnDetection.silenceThresholdMs / 1000;
  console.log(`\n${name}: ${String(stopping.flatMap(({ call }) => call.turns).length)} hesitations`);
  console.log(row("", ["end the turn, %", "cut off, %", "mean wait, ms", "p50", "p95"], 14));
  for (const { name: way, ...settings } of WAYS) {
    const cut = await cutHesitations(stopping, settings);
    const [point] = await measure(calls, settings, [threshold]);
    const { cutOffs, meanDelayMs, outcomes } = point!;
    const waits = outcomes.flatMap((outcome) => (outcome.kind === "ended" ? [outcome.delayMs] : []));
    const times = [meanDelayMs, quantile(waits, 0.5), quantile(waits, 0.95)].map((ms) => ms.toFixed(0));
    console.log(row(way, [(100 * cut).toFixed(0), (100 * cutOffs).toFixed(1), ...times], 14));
    for (const { heard } of [...calls, ...stopping]) heard.save();
  }
}

async function reportAnswers(questions: number): Promise<void> {
  const { speculating, waiting } = await answerDelays(questions);
  console.log("\nTurn over to first speech of the reply, ms:");
  for (const [name, delays] of [
    ["with speculation", speculating],
    ["without", waiting],
  ] as const) {
    const [p50, p95] = [0.5, 0.95].map((share) => quantile(delays, share).toFixed(0));
    console.log(`${name.padEnd(18)}p50 ${String(p50)}  p95 ${String(p95)}  (${String(delays.length)} answers)`);
  }
}

function meanSeconds({ calls }: TurnSet): number {
  const turns = calls.flatMap((call) => call.turns);
  return turns.reduce((sum, { startMs, endMs }) => sum + (endMs - startMs) / 1000, 0) / turns.length;
}

function report(set: TurnSet, curves: readonly Curve[]): void {
  const turns = set.calls.flatMap(({ turns: all }) => all);
  const seconds = meanSeconds(set);
  console.log(
    `\n${set.name}: ${String(turns.length)} turns of ${seconds.toFixed(1)} s by ${String(set.calls.length)} callers. ` +
      "Cut off % / mean delay ms, by silence_threshold:",
  );
  console.log(
    row(
      "s",
      curves.map(({ name }) => name),
    ),
  );
  for (const [index, threshold] of THRESHOLDS.entries()) {
    const cells = curves.map(({ name, points }) => {
      const { cutOffs, meanDelayMs } = points[index]!;
      if (name === WAYS[0]!.name && threshold > AFTER_SECONDS) return "-"; // The next turn begins earlier.
      return `${(100 * cutOffs).toFixed(1)} / ${meanDelayMs.toFixed(0)}`;
    });
    console.log(row(threshold.toFixed(1), cells));
  }
  const plain = delayAt(curves[0]!.points, CUT_OFF_SHARE);
  const delays = curves.map(({ points }) => delayAt(points, CUT_OFF_SHARE));
  console.log(
    row(
      "5 %",
      delays.map((delay) => (delay === undefined ? "-" : `${delay.toFixed(0)} ms`)),
    ),
  );
  console.log(
    row(
      "ratio",
      delays.map((delay) => (delay === undefined || plain === undefined ? "-" : (delay / plain).toFixed(2))),
    ),
  );
  const unheard = curves[0]!.points[0]!.outcomes.filter(({ kind }) => kind === "unheard").length;
  if (unheard > 0) console.log(`${String(unheard)} turns without a detected voice are not counted.`);
}

/** How often the detector finds a voice in a turn, and in the silence after it. */
function reportVoice(calls: readonly HeardCalls[]): void {
  const counts = { inside: [0, 0], outside: [0, 0] } as Record<"inside" | "outside", [number, number]>;
  for (const { call, heard } of calls)
    for (const [index, probability] of heard.probabilities.entries()) {
      const atMs = (index + 0.5) * heard.frameMs;
      const turn = call.turns.find(({ untilMs }) => atMs < untilMs);
      const count = counts[turn !== undefined && atMs < turn.endMs ? "inside" : "outside"];
      count[0] += probability >= DEFAULT_SETTINGS.turnDetection.speechThreshold ? 1 : 0;
      count[1] += 1;
    }
  const percent = ([voiced, all]: [number, number]) => ((100 * voiced) / Math.max(1, all)).toFixed(1);
  console.log(`Frames with voice: ${percent(counts.inside)} % of the turns, ${percent(counts.outside)} % after them.`);
}

const row = (head: string, cells: readonly string[], width = 6): string =>
  head.padEnd(width) + cells.map((cell) => cell.padStart(16)).join("");

await main();
