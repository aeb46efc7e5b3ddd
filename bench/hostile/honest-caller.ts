import { CALL_BYTES_PER_MS } from "../../src/audio/format.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { floatToPcm16 } from "../../src/audio/pcm16.ts";
import { readWav } from "../../src/audio/wav.ts";
import { onNode } from "../../src/client/node.ts";
import { VoiceClient } from "../../src/client/voice-client.ts";
import { packageRoot } from "../../src/shared/package-root.ts";

const CHUNK_MS = 100;
/** Length of a chunk. The server detects silence by chunks, so larger ones would round the delays. */
const SMALL_CHUNK_MS = 20;
/** Level below which the last 0.28 s of the recording are. */
const VOICED_LEVEL = 0.02;
/** Longest delay of an answer. A later answer counts as missing. */
const PATIENCE_MS = 25_000;

export interface Answer {
  readonly transcript: string;
  /** Time from the question's last sample to the reply's first speech. Infinity without a reply. */
  readonly delayMs: number;
  /** Codes of the errors that arrived during the question. */
  readonly errors: readonly string[];
}

/** A caller who repeats a question and listens to each reply. */
export class HonestCaller {
  readonly client: VoiceClient;
  readonly #samples: Float32Array;
  readonly #question: Buffer;
  readonly #errors: string[] = [];
  #transcript = "";
  #spokenAtMs = Infinity;
  #firstSpeechMs = Infinity;
  #turnEndedAtMs = Infinity;
  #playsUntilMs = 0;

  private constructor(address: (connectionId: string) => string) {
    const { samples } = readWav(readFileSync(join(packageRoot, "scripts", "talk-sample.wav")));
    this.#samples = samples;
    this.#question = Buffer.alloc(samples.length * 2);
    floatToPcm16(samples, this.#question);
    this.client = new VoiceClient({ address, ...onNode(), reconnect: false, keepAliveMs: 0 });
    this.client.on("error", ({ code }) => this.#errors.push(code));
    this.client.on("closed", (error) => error !== undefined && this.#errors.push(`closed: ${error.code}`));
    this.client.on("turn_end", ({ transcript }) => {
      this.#transcript ||= transcript;
      this.#turnEndedAtMs = Math.min(this.#turnEndedAtMs, performance.now());
    });
    this.client.on("speech", (pcm) => {
      const nowMs = performance.now();
      if (nowMs > this.#spokenAtMs) this.#firstSpeechMs = Math.min(this.#firstSpeechMs, nowMs);
      this.#playsUntilMs = Math.max(this.#playsUntilMs, nowMs) + pcm.length / CALL_BYTES_PER_MS;
    });
  }

  static async connect(address: (connectionId: string) => string): Promise<HonestCaller> {
    const caller = new HonestCaller(address);
    await caller.client.connect();
    return caller;
  }

  /** One question in real time, and its reply played to the end. */
  async ask(): Promise<Answer> {
    // A closed connection keeps the error that closed it.
    if (this.client.state === "ready") this.#errors.length = 0;
    this.#transcript = "";
    this.#firstSpeechMs = Infinity;
    this.#spokenAtMs = Infinity;
    await this.say();
    this.#spokenAtMs = performance.now();
    const isOver = () => this.#firstSpeechMs < Infinity && performance.now() > this.#playsUntilMs + 600;
    const failed = () =>
      this.#errors.length > 0 && this.#transcript !== "" && performance.now() > this.#spokenAtMs + 3_000;
    while (
      !isOver() &&
      !failed() &&
      this.client.state === "ready" &&
      performance.now() < this.#spokenAtMs + PATIENCE_MS
    )
      await this.#send(Buffer.alloc(CHUNK_MS * CALL_BYTES_PER_MS));
    const delayMs = this.#firstSpeechMs - this.#spokenAtMs;
    return { transcript: this.#transcript, delayMs, errors: [...this.#errors] };
  }

  /** Asks without listening to the reply. Returns the time from the last voiced sample to `turn_end`, or Infinity without it. */
  async turnEndMs(): Promise<number> {
    this.#turnEndedAtMs = Infinity;
    const voicedBytes = 2 * (this.#samples.findLastIndex((sample) => Math.abs(sample) > VOICED_LEVEL) + 1);
    await this.#speak(this.#question.subarray(0, voicedBytes), SMALL_CHUNK_MS);
    const spokenAtMs = performance.now();
    while (
      this.#turnEndedAtMs === Infinity &&
      this.client.state === "ready" &&
      performance.now() < spokenAtMs + PATIENCE_MS
    )
      await this.#send(Buffer.alloc(SMALL_CHUNK_MS * CALL_BYTES_PER_MS));
    return this.#turnEndedAtMs - spokenAtMs;
  }

  /** Sends the question without waiting for the reply. */
  async say(): Promise<void> {
    await this.#speak(this.#question, CHUNK_MS);
  }

  async #speak(pcm: Buffer, chunkMs: number): Promise<void> {
    const chunkBytes = chunkMs * CALL_BYTES_PER_MS;
    for (let at = 0; at < pcm.length; at += chunkBytes) await this.#send(pcm.subarray(at, at + chunkBytes));
  }

  close(): void {
    this.client.close();
  }

  #dueMs = 0;
  async #send(pcm: Buffer): Promise<void> {
    const nowMs = performance.now();
    // After a delay of more than a second the pace continues from here, as with a sound card.
    this.#dueMs = this.#dueMs < nowMs - 1_000 ? nowMs : this.#dueMs;
    this.client.sendAudio(pcm);
    this.#dueMs += pcm.length / CALL_BYTES_PER_MS;
    await sleep(Math.max(0, this.#dueMs - performance.now()));
  }
}

export const isAnswered = ({ transcript, delayMs, errors }: Answer): boolean =>
  transcript !== "" && delayMs < Infinity && errors.length === 0;
