import { DEFAULT_LANGUAGE, tagsOf } from "../../src/language/language-setting.ts";
import { english } from "../../src/language/packs/en/en.ts";
import { CALL_HZ, MODEL_HZ } from "../../src/audio/format.ts";
import { resampleAll } from "../../src/audio/resampler.ts";
import type { VoiceConfiguration } from "../../src/config/voice-configuration.ts";
import { History } from "../../src/conversation/reply/text/history.ts";
import { systemPrompt } from "../../src/conversation/reply/text/prompt.ts";
import { DEFAULT_SETTINGS } from "../../src/config/settings/session-settings.ts";
import { ClauseSplitter, type Clause } from "../../src/conversation/reply/text/clause-splitter.ts";
import { noTools, textOf } from "../../src/engines/llm/language-model.ts";
import { speakable } from "../../src/language/packs/en/speakable.ts";
import type { Utterance } from "../../src/simulated-callers/scenario.ts";
import { summarise, type Summary } from "../../src/simulated-callers/statistics.ts";
import type { EnginesAlone } from "./engines.ts";

/** Silence after which the pipeline first queries the end-of-turn model, ms. */
const SILENT_MS = 200;

/** Times of each engine without other load, on the same clips. */
export interface Floor {
  /** Time for each frame, ms. */
  readonly vad: Summary | undefined;
  readonly vadFactor: number;
  /** Time for each request, ms. */
  readonly sttFinal: Summary | undefined;
  readonly sttFactor: number;
  readonly endOfTurn: Summary | undefined;
  readonly emotion: Summary | undefined;
  readonly llmFirstPiece: Summary | undefined;
  readonly llmReply: Summary | undefined;
  readonly llmPiecesPerSecond: number;
  /** Time to the text of the first clause. */
  readonly llmFirstClause: Summary | undefined;
  readonly ttsFirstClause: Summary | undefined;
  readonly ttsClause: Summary | undefined;
  readonly ttsFactor: number;
}

export async function measureFloor(
  engines: EnginesAlone,
  voice: VoiceConfiguration,
  utterances: readonly Utterance[],
): Promise<Floor> {
  const [first] = utterances;
  // The first measurement is not used, because it fills caches and reads pages.
  if (first !== undefined) await measureClip(engines, voice, first, new Times());
  const times = new Times();
  for (const utterance of utterances) await measureClip(engines, voice, utterance, times);
  const { lists, audioMs, pieces } = times;
  const factor = (work: readonly number[], engine: string) => sum(work) / (audioMs.get(engine) ?? NaN);
  const rest = sum(lists.llmReply) - sum(lists.llmFirstPiece);
  return {
    vad: summarise(lists.vad),
    vadFactor: factor(lists.vad, "vad"),
    sttFinal: summarise(lists.sttFinal),
    sttFactor: factor(lists.sttFinal, "stt"),
    endOfTurn: summarise(lists.endOfTurn),
    emotion: summarise(lists.emotion),
    llmFirstPiece: summarise(lists.llmFirstPiece),
    llmReply: summarise(lists.llmReply),
    llmPiecesPerSecond: (1000 * (pieces - lists.llmReply.length)) / rest,
    llmFirstClause: summarise(lists.llmFirstClause),
    ttsFirstClause: summarise(lists.ttsFirstClause),
    ttsClause: summarise(lists.ttsClause),
    ttsFactor: factor(lists.ttsClause, "tts"),
  };
}

/** Times of all requests, ms. */
class Times {
  readonly lists = {
    vad: [] as number[],
    sttFinal: [] as number[],
    endOfTurn: [] as number[],
    emotion: [] as number[],
    llmFirstPiece: [] as number[],
    llmReply: [] as number[],
    llmFirstClause: [] as number[],
    ttsFirstClause: [] as number[],
    ttsClause: [] as number[],
  };
  readonly audioMs = new Map<string, number>();
  pieces = 0;

  async take<Result>(list: keyof Times["lists"], work: () => Promise<Result>): Promise<Result> {
    const startedMs = performance.now();
    const result = await work();
    this.lists[list].push(performance.now() - startedMs);
    return result;
  }

  heard(engine: string, samples: number, rateHz: number): void {
    this.audioMs.set(engine, (this.audioMs.get(engine) ?? 0) + (samples * 1000) / rateHz);
  }
}

async function measureClip(
  engines: EnginesAlone,
  voice: VoiceConfiguration,
  { speech, voiced, text }: Utterance,
  times: Times,
): Promise<void> {
  const { vad, stt, endOfTurn, emotion } = engines;
  const { signal } = new AbortController();
  const said = resampleAll(speech.subarray(voiced.from, voiced.to), CALL_HZ, MODEL_HZ);

  const detector = vad.open();
  for (let at = 0; at + detector.frameSamples <= said.length; at += detector.frameSamples)
    await times.take("vad", async () => detector.speechProbability(said.subarray(at, at + detector.frameSamples)));
  times.heard("vad", said.length, MODEL_HZ);

  const recognizer = stt.open();
  const { text: heard } = await times.take("sttFinal", async () =>
    recognizer.transcribe(
      { samples: said, kind: "final", language: tagsOf(voice.language)[0] ?? DEFAULT_LANGUAGE },
      signal,
    ),
  );
  recognizer.close();
  times.heard("stt", said.length, MODEL_HZ);

  await times.take("endOfTurn", async () => endOfTurn.probabilityOver(said, SILENT_MS));
  if (said.length >= emotion.minSeconds * MODEL_HZ)
    await times.take("emotion", async () => emotion.classify(said, signal));

  const clauses = await write(engines, voice, text ?? heard, times);
  for (const [place, { text: clause }] of clauses.entries()) {
    const spoken = speakable(clause);
    if (spoken === "") continue;
    const sound = await times.take("ttsClause", async () =>
      engines.tts.synthesize({ text: spoken, voice: voice.voice, speed: voice.speed }, signal),
    );
    times.heard("tts", sound.length, engines.tts.sampleRateHz);
    if (place === 0) times.lists.ttsFirstClause.push(times.lists.ttsClause.at(-1) ?? NaN);
  }
}

/** Generates a reply and splits it into clauses like the pipeline. The system prompt is prefilled, as in a call. */
async function write({ llm }: EnginesAlone, voice: VoiceConfiguration, said: string, times: Times): Promise<Clause[]> {
  const { signal } = new AbortController();
  const { lists } = times;
  const system = systemPrompt(voice, DEFAULT_SETTINGS);
  const note = english.timeNote(new Date(), voice.timezone);
  const history = new History();
  const session = llm.open();
  await session.prefill({ ...noTools, messages: history.promptAhead(system, "", note) }, signal);
  const messages = history.promptAhead(system, said, note);
  const splitter = new ClauseSplitter();
  const clauses: Clause[] = [];
  let isFirst = true;
  const startedMs = performance.now();
  const request = { ...noTools, messages, maxTokens: voice.max_reply_tokens, temperature: voice.temperature ?? 0 };
  for await (const piece of textOf(session.generate(request, signal))) {
    if (isFirst) lists.llmFirstPiece.push(performance.now() - startedMs);
    isFirst = false;
    times.pieces += 1;
    const before = clauses.length;
    clauses.push(...splitter.push(piece));
    if (before === 0 && clauses.length > 0) lists.llmFirstClause.push(performance.now() - startedMs);
  }
  lists.llmReply.push(performance.now() - startedMs);
  if (clauses.length === 0) lists.llmFirstClause.push(performance.now() - startedMs);
  session.close();
  return [...clauses, ...splitter.flush()];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
