import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/shared/package-root.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { loadEndOfTurn } from "../../src/engines/end-of-turn/onnx-end-of-turn.ts";
import { silentLog } from "../../src/shared/log.ts";
import type { TranscribeRequest, Transcript } from "../../src/engines/stt/speech-to-text.ts";
import { engineStarters } from "../../src/service/engine-starters.ts";
import { loadSilero } from "../../src/engines/vad/silero.ts";
import { readOptions } from "../options.ts";
import { seededRandom } from "../../src/simulated-callers/random.ts";
import { plainWords, wordErrors } from "../../src/simulated-callers/words/word-errors.ts";
import { hearOverSockets } from "./over-socket.ts";
import { clauses, missing } from "./text-differences.ts";
import { hearTurn, type Ears, type HeardTurn } from "./hear-turn.ts";
import { CHOICES, longTurns, type LongTurn } from "./material.ts";

const USAGE = `npm run bench:long-turns -- [--data DIR] [--config FILE] [--choose] [--runs N] [--slow] [--lengths 4,10,...]
                             [--only NAME] [--verbose] [--sockets [--busy N]]
Turns of 4 to 60 s, with and without pauses, each in N sessions (10) with the real detector, recogniser and turn machine. The
assistant's sentences are spoken by flite and espeak-ng. Readings join LibriSpeech sentences of one speaker (DIR: ../shared/data). Decodes
take a random time by a virtual clock, about 40 ms and 20 ms for each second of the clip, and 0.5 to 4 s with --slow. --choose: the voices
and speakers for choosing the rules, instead of those for the report.
errors: words of the finals. lost, invented: runs of four words and more that only one of the texts has. texts: different final texts in
the N runs, for each turn. retracted: words of the last partial that the final does not have. delay: last voiced sample to turn_end;
silence_threshold is 0.8 s. after: seconds of audio in final decodes that were not done by the last voiced sample. clip: longest clip.
total: decoded seconds for each second of the turn.
--sockets: streams each turn N times in real time to a server of its own (run \`npm run build\` first) and prints how many different final
texts it returned. --busy: number of processes that each keep one core busy during the calls.`;

const values = readOptions(USAGE, {
  data: { type: "string", default: join(packageRoot, "..", "shared", "data") },
  config: { type: "string" },
  choose: { type: "boolean", default: false },
  runs: { type: "number", default: 10 },
  slow: { type: "boolean", default: false },
  lengths: { type: "numbers", default: "4,10,18,25,60" },
  only: { type: "string", default: "" },
  verbose: { type: "boolean", default: false },
  sockets: { type: "boolean", default: false },
  busy: { type: "number", default: 0 },
});

/** With these settings, the pauses inside these turns do not end them. */
const SETTINGS = {
  turn_detection: {
    silence_threshold: 0.8,
    natural_pauses: false,
    speaking_rate_adaptation: false,
    max_turn_duration: 120,
  },
} as const;

async function main(): Promise<void> {
  const { config } = loadServerConfig(values.config, process.env);
  const cacheDir = join(packageRoot, "build", "bench-turns");
  mkdirSync(cacheDir, { recursive: true });
  const model = createHash("sha256").update(readFileSync(config.models.stt.path)).digest("hex").slice(0, 16);
  const cacheFile = join(cacheDir, `long.${model}.json`);
  const known = new Map<string, Transcript>(
    existsSync(cacheFile) ? (JSON.parse(readFileSync(cacheFile, "utf8")) as [string, Transcript][]) : [],
  );
  const vad = await loadSilero(config.models.vad.path);
  const endOfTurn = await loadEndOfTurn(config.models.turn.path);
  const stt = await engineStarters(config, 1, silentLog).stt();
  const recognizer = stt.open();
  const transcribe = async (request: TranscribeRequest): Promise<Transcript> => {
    const { samples, kind } = request;
    const sound = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
    const key = `${kind}:${createHash("sha256").update(sound).digest("hex").slice(0, 24)}`;
    const answer =
      known.get(key) ?? (await recognizer.transcribe({ ...request, kind: request.kind }, new AbortController().signal));
    known.set(key, answer);
    return answer;
  };
  const rows = new Map<string, Row[]>();
  try {
    for (const turn of wantedTurns()) {
      const row = await measure(turn, { vad, endOfTurn, transcribe });
      const kind = turn.name.replace(/ \S+/, "");
      rows.set(kind, [...(rows.get(kind) ?? []), row]);
    }
  } finally {
    writeFileSync(cacheFile, JSON.stringify([...known]));
    await Promise.all([stt.close(), vad.close(), endOfTurn.close()]);
  }
  console.log(
    "kind".padEnd(34) +
      "words errors lost+invented  texts  takenback/shown  segs turns delay ms  after s  clip s  total x",
  );
  for (const [kind, list] of rows) print(kind, list);
}

function* wantedTurns(): Iterable<LongTurn> {
  const choice = CHOICES[values.choose ? "choose" : "report"];
  for (const turn of longTurns(choice, values.data, values.lengths)) if (turn.name.includes(values.only)) yield turn;
}

interface Row {
  readonly words: number;
  readonly errors: number;
  readonly lost: number;
  readonly invented: number;
  readonly texts: number;
  readonly takenBack: number;
  readonly shown: number;
  readonly heard: readonly HeardTurn[];
  readonly seconds: number;
}

function print(kind: string, rows: readonly Row[]): void {
  const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0);
  const all = rows.flatMap(({ heard }) => heard);
  const mean = (of: (heard: HeardTurn) => number) => all.reduce((total, heard) => total + of(heard), 0) / all.length;
  console.log(
    kind.padEnd(34),
    String(sum(({ words }) => words)).padStart(5),
    `${((100 * sum(({ errors }) => errors)) / sum(({ words }) => words)).toFixed(1)} %`.padStart(7),
    `${String(sum(({ lost }) => lost))}+${String(sum(({ invented }) => invented))}`.padStart(8),
    rows
      .map(({ texts }) => texts)
      .join(",")
      .padStart(10),
    `${String(sum(({ takenBack }) => takenBack))}/${String(sum(({ shown }) => shown))}`.padStart(10),
    mean(({ segments }) => segments).toFixed(1),
    mean(({ turns }) => turns).toFixed(1),
    mean(({ delayMs }) => delayMs)
      .toFixed(0)
      .padStart(6),
    mean(({ decodedAfterSeconds }) => decodedAfterSeconds)
      .toFixed(2)
      .padStart(7),
    Math.max(...all.map(({ longestClipSeconds }) => longestClipSeconds)).toFixed(2),
    (mean(({ decodedSeconds }) => decodedSeconds) / (rows[0]?.seconds ?? 1)).toFixed(1),
  );
}

async function measure(turn: LongTurn, ears: Ears): Promise<Row> {
  const heard: HeardTurn[] = [];
  for (let run = 0; run < values.runs; run++) {
    const random = seededRandom(run);
    const decodeMs = ({ samples }: TranscribeRequest) => {
      const seconds = samples.length / 16_000;
      return values.slow ? 500 + 3500 * random() ** 2 : (40 + 20 * seconds) * (0.7 + 0.8 * random());
    };
    heard.push(await hearTurn(turn.samples, turn.voiceEnd, ears, decodeMs, SETTINGS));
  }
  const truth = plainWords(turn.text);
  const first = heard[0]!;
  const said = plainWords(first.text);
  const { lost, invented } = clauses(truth, said);
  if (values.verbose)
    console.log(
      `${turn.name}\n  ${truth.join(" ")}\n  ${[...new Set(heard.map(({ text }) => text))].join("\n  ")}\n  (${first.lastPartial})`,
    );
  const takenBack = heard.map(({ lastPartial, text }) => missing(plainWords(lastPartial), plainWords(text)));
  return {
    words: truth.length,
    errors: wordErrors(truth, said),
    lost,
    invented,
    texts: new Set(heard.map(({ text }) => text)).size,
    takenBack: takenBack.reduce((sum, count) => sum + count, 0) / heard.length,
    shown: heard.reduce((sum, { lastPartial }) => sum + plainWords(lastPartial).length, 0) / heard.length,
    heard,
    seconds: turn.seconds,
  };
}

const { config, runs, busy, verbose } = values;
await (values.sockets ? hearOverSockets(wantedTurns(), SETTINGS, { config, runs, busy, verbose }) : main());
