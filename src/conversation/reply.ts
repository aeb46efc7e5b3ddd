import { randomUUID } from "node:crypto";
import { floatToPcm16 } from "../audio/pcm16.ts";
import { resampleAll } from "../audio/resampler.ts";
import { trimSilence } from "../audio/trim-silence.ts";
import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import type { ChatMessage, LanguageSession } from "../llm/contract.ts";
import type { Clock } from "../shared/clock.ts";
import { Channel } from "../shared/channel.ts";
import { ClauseSplitter, type Clause } from "../tts/clause-splitter.ts";
import type { TextToSpeech } from "../tts/contract.ts";
import { speakable } from "../tts/speakable.ts";
import type { ClientPort } from "./contract.ts";
import { Player } from "./player.ts";

const WIRE_HZ = 24_000;
/** Silence put back between clauses after their own was trimmed, ms. */
const SENTENCE_GAP_MS = 200;
const CLAUSE_GAP_MS = 80;
/** Clauses the language model may be ahead of the voice. */
const CLAUSES_AHEAD = 64;

export interface ReplyEvents {
  /** Speech (PCM 16-bit mono 24 kHz) that the client plays from `playsAtMs` of the clock on. */
  sent(pcm: Uint8Array, playsAtMs: number): void;
  audible(): void;
  finished(): void;
  failed(stage: "llm" | "tts", error: unknown): void;
}

export interface ReplyOptions {
  /** What to say: a prompt for the model, or a fixed text (the greeting). */
  readonly source: { readonly messages: readonly ChatMessage[] } | { readonly text: string };
  readonly language: LanguageSession;
  readonly speech: TextToSpeech;
  readonly voice: VoiceConfiguration;
  readonly client: ClientPort;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly events: ReplyEvents;
}

/** One reply on its way: text streams from the model to the client and, clause by clause, through the voice to the player. */
export class Reply {
  readonly #options: ReplyOptions;
  readonly #player: Player;
  readonly #generationId = randomUUID();
  #chunkIndex = 0;
  #text = "";
  /** True when all of it is written and synthesised. */
  #complete = false;

  constructor(options: ReplyOptions) {
    const { client, clock, events } = options;
    this.#options = options;
    this.#player = new Player(clock, {
      send: (pcm, playsAtMs) => {
        client.send("tts_chunk", { content: Buffer.from(pcm).toString("base64") });
        events.sent(pcm, playsAtMs);
      },
      audible: () => events.audible(),
      finished: () => events.finished(),
    });
  }

  /** Resolves when everything is synthesised, failed or aborted; never rejects. */
  async run(): Promise<void> {
    const { signal, events } = this.#options;
    // Taken back while it waited for the model: what never began has no end to announce.
    if (signal.aborted) return;
    const clauses = new Channel<Clause>(CLAUSES_AHEAD);
    const writing = this.#write(clauses).catch((error: unknown) => {
      if (!signal.aborted) events.failed("llm", error);
      return "failed" as const;
    });
    const speaking = this.#speak(clauses).catch((error: unknown) => {
      clauses.close();
      if (!signal.aborted) events.failed("tts", error);
      return "failed" as const;
    });
    const outcomes = await Promise.all([writing, speaking]);
    this.#complete = true;
    if (!signal.aborted && !outcomes.includes("failed")) this.#player.finish();
  }

  hold(): void {
    this.#player.hold();
  }

  resume(): void {
    this.#player.resume();
  }

  /** Stops sending at once. Abort the signal as well. */
  cancel(): void {
    this.#player.cancel();
  }

  /** The part of the reply that has been heard by now. */
  heard(): string {
    return this.#text.slice(0, this.#player.heardChars(this.#text)).trim();
  }

  /** What is written of it so far. */
  get text(): string {
    return this.#text;
  }

  /** True when all that is left is the end of a question, `withinMs` of speech at most. */
  endsAsking(withinMs: number): boolean {
    return this.#complete && this.#text.trimEnd().endsWith("?") && this.#player.remainingMs <= withinMs;
  }

  async #write(clauses: Channel<Clause>): Promise<void> {
    const { signal } = this.#options;
    const splitter = new ClauseSplitter();
    try {
      for await (const piece of this.#pieces()) {
        this.#text += piece;
        this.#sendText(piece, false);
        for (const clause of splitter.push(piece)) await clauses.push(clause, signal);
      }
      for (const clause of splitter.flush()) await clauses.push(clause, signal);
    } finally {
      this.#sendText("", true);
      clauses.close();
    }
  }

  async *#pieces(): AsyncIterable<string> {
    const { source, language, voice, signal } = this.#options;
    if ("text" in source) yield source.text;
    else {
      const { temperature, max_reply_tokens: maxTokens } = voice;
      yield* language.generate({ messages: source.messages, maxTokens, temperature }, signal);
    }
  }

  async #speak(clauses: Channel<Clause>): Promise<void> {
    const { speech, voice, signal } = this.#options;
    let end = 0;
    for await (const { text, start, end: toChar } of clauses) {
      const spoken = speakable(text);
      if (spoken === "") continue;
      await this.#player.room();
      const request = { text: spoken, voice: voice.voice, speed: voice.speed };
      const samples = await speech.synthesize(request, signal);
      signal.throwIfAborted();
      const gapMs = /[.!?]\W*$/.test(text) ? SENTENCE_GAP_MS : CLAUSE_GAP_MS;
      this.#player.enqueue({
        pcm: toWire(samples, speech.sampleRateHz, gapMs),
        fromChar: Math.max(start, end),
        toChar,
      });
      end = toChar;
    }
  }

  #sendText(content: string, isFinal: boolean): void {
    this.#options.client.send("llm_response_chunk", {
      content,
      is_final: isFinal,
      generation_id: this.#generationId,
      chunk_index: this.#chunkIndex,
    });
    this.#chunkIndex += 1;
  }
}

/** Synthesised clip to wire bytes: silence trimmed, 24 kHz PCM16, `gapMs` of silence after it. */
function toWire(samples: Float32Array, sampleRateHz: number, gapMs: number): Uint8Array {
  const speech = resampleAll(trimSilence(samples, sampleRateHz), sampleRateHz, WIRE_HZ);
  const pcm = new Uint8Array(2 * (speech.length + Math.round((gapMs * WIRE_HZ) / 1000)));
  floatToPcm16(speech, pcm);
  return pcm;
}
