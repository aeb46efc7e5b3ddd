import { CALL_HZ } from "../audio/format.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { floatToPcm16, pcm16ToFloat } from "../audio/pcm16.ts";
import { onNode } from "../client/node.ts";
import { Playback } from "../client/playback.ts";
import { VoiceClient } from "../client/voice-client.ts";
import type { ServerMessage } from "../doors/voice/server-messages.ts";
import { DEFAULT_SESSION_SETTINGS } from "../config/settings/settings-form.ts";
import type { SessionSettingsPatch } from "../config/settings/settings-schema.ts";
import { errorMessage, OakError } from "../shared/errors.ts";
import type { CallBreak, CallEvent, CallRecord, HeardChunk, SpokenUtterance } from "./call-figures.ts";
import type { CallRecorder } from "./call-recorder.ts";
import type { CallerScript, Scenario, Utterance } from "./scenario.ts";
import { seededRandom } from "./random.ts";
import { firstAudible, lastAudible } from "./sound.ts";

const MS = CALL_HZ / 1000;
/** Silence after which the reply counts as complete. */
const REST_MS = 600;

/** Carries out a call of a tool that the client has. */
export type AnswerCall = (
  name: string,
  args: Readonly<Record<string, unknown>>,
) => { readonly output: string; readonly isError: boolean };

export interface CallerOptions {
  readonly answerCall?: AnswerCall | undefined;
  readonly recorder?: CallRecorder | undefined;
}

/**
 * One caller with a microphone that never stops, in real time. A chunk is sent when its last sample has been spoken, as a
 * microphone does it. The length of a chunk is therefore part of the measured delay.
 */
export class SimulatedCaller {
  readonly #index: number;
  readonly #script: CallerScript;
  readonly #scenario: Scenario;
  readonly #random: () => number;
  readonly #playback = new Playback();
  readonly #events: CallEvent[] = [];
  readonly #audio: HeardChunk[] = [];
  readonly #spoken: SpokenUtterance[] = [];
  #playedToMs = -Infinity;
  #replyAudibleMs: number | undefined;
  #turnsOpen = 0;
  #repliesDue = 0;
  readonly #toolsRunning = new Set<string>();
  /** The last reply that had words. */
  #replyInWords: string | undefined;
  /** The reply under way made a call. */
  #hasCalled = false;
  #activeMs = 0;
  /** When the first sample was spoken: session time 0. */
  #beganMs = NaN;
  #silenceThresholdMs = NaN;
  #client: VoiceClient | undefined;
  #closed: string | undefined;
  readonly #breaks: CallBreak[] = [];
  #lostMs: number | undefined;
  #isResumed = false;
  /** Ids of the connections of this call. */
  readonly #ids: string[] = [];
  readonly #options: CallerOptions;

  constructor(index: number, script: CallerScript, scenario: Scenario, options: CallerOptions = {}) {
    this.#index = index;
    this.#script = script;
    this.#scenario = scenario;
    this.#options = options;
    this.#random = seededRandom(index + 1);
  }

  /**
   * Resolves when the session is ready. `urlOf`: the address for a connection id. With `reconnects` the client connects again
   * after a loss, as it does by default.
   */
  async connect(
    urlOf: (connectionId: string) => string,
    openSocket = onNode().openSocket,
    reconnects = false,
  ): Promise<void> {
    const { settings } = this.#script;
    const address = (id: string) => {
      this.#ids.push(id);
      return urlOf(id);
    };
    const client = new VoiceClient({
      address,
      // A turn with a call is over when the answer to its result is, not with the empty text before the call.
      settings: { tool_calls: true, ...settings },
      ...onNode(),
      openSocket,
      ...(!reconnects && { reconnect: false }),
    });
    client.on("retry", () => this.#onLoss(performance.now()));
    client.on("state", (state) => state === "ready" && this.#onReady(performance.now()));
    client.on("message", (message) => this.#onMessage(message, performance.now()));
    // The client asks once for each call, also after it has reconnected.
    client.on("tool_call", (call) => call.run_by === "client" && this.#answer(call.call_id, call.name, call.arguments));
    client.on("closed", (error) => (this.#closed ??= error?.code ?? "closed"));
    this.#client = client;
    try {
      await client.connect();
    } catch (cause) {
      throw new OakError(`The server closed the connection: ${errorMessage(cause)}`, { code: "BENCH_FAILED", cause });
    }
  }

  /** Speaks the script once, and again until `untilMs`. Ends when the last reply has been heard. */
  async run(untilMs: number): Promise<CallRecord> {
    const { chunk_ms: chunkMs } = this.#scenario.network;
    const beganMs = performance.now();
    this.#beganMs = beganMs;
    this.#activeMs = beganMs;
    this.#options.recorder?.begin(beganMs);
    const chunk = new Float32Array(chunkMs * MS);
    let next = 0;
    let speaking: { readonly utterance: Utterance; readonly fromSample: number } | undefined;
    for (let sent = 0; this.#closed === undefined; sent += 1) {
      const from = sent * chunk.length;
      const nowMs = beganMs + from / MS;
      if (speaking === undefined) {
        const round = Math.floor(next / this.#script.utterances.length);
        const utterance = this.#script.utterances[next % this.#script.utterances.length];
        if (utterance === undefined || (round > 0 && nowMs >= untilMs && this.#isAtRest(nowMs, REST_MS))) break;
        const isWanted = round === 0 || nowMs < untilMs;
        if (isWanted && this.#isTimeFor(utterance, nowMs)) {
          speaking = { utterance, fromSample: from };
          next += 1;
          this.#begin(utterance, nowMs);
        }
      }
      this.#fill(chunk, from, speaking);
      if (speaking !== undefined && from + chunk.length >= speaking.fromSample + speaking.utterance.speech.length)
        speaking = undefined;
      await this.#send(chunk, beganMs + (from + chunk.length) / MS, sent);
    }
    // The lists are copied, because messages after the client closed do not belong to the call.
    const record = { utterances: [...this.#spoken], events: [...this.#events], audio: [...this.#audio] };
    const closed = this.#closed;
    this.#client?.close();
    const { secrets } = this.#script;
    const breaks = [...this.#breaks];
    if (this.#lostMs !== undefined) breaks.push({ lostMs: this.#lostMs, backMs: undefined, isResumed: false });
    return { caller: this.#index, silenceThresholdMs: this.#silenceThresholdMs, secrets, ...record, breaks, closed };
  }

  #onLoss(nowMs: number): void {
    this.#lostMs ??= nowMs;
  }

  #onReady(nowMs: number): void {
    if (this.#lostMs === undefined) return;
    this.#breaks.push({ lostMs: this.#lostMs, backMs: nowMs, isResumed: this.#isResumed });
    this.#lostMs = undefined;
    if (this.#isResumed) return;
    // A new session knows nothing of turns and replies under way.
    this.#turnsOpen = 0;
    this.#repliesDue = 0;
    this.#toolsRunning.clear();
  }

  #isTimeFor({ intoReplySeconds, pauseSeconds }: Utterance, nowMs: number): boolean {
    if (intoReplySeconds === undefined) return this.#isAtRest(nowMs, Math.max(REST_MS, pauseSeconds * 1000));
    const audibleMs = this.#replyAudibleMs;
    if (audibleMs !== undefined && this.#playback.isPlaying(nowMs)) return nowMs - audibleMs >= intoReplySeconds * 1000;
    // The reply was shorter or missing. Speak anyway, and count it as not spoken over a reply.
    return this.#isAtRest(nowMs, Math.max(REST_MS, pauseSeconds * 1000));
  }

  /** Resolves after some silence without a pending answer, or when an answer is overdue. */
  #isAtRest(nowMs: number, forMs: number): boolean {
    const last = this.#spoken.at(-1);
    if (last !== undefined && nowMs < last.endMs + forMs) return false;
    const overdueMs = 1000 * this.#scenario.answerSeconds;
    if (last !== undefined && nowMs > last.endMs + overdueMs && !this.#playback.isPlaying(nowMs)) return true;
    return (
      this.#turnsOpen <= 0 &&
      this.#repliesDue <= 0 &&
      this.#toolsRunning.size === 0 &&
      !this.#playback.isPlaying(nowMs - forMs) &&
      nowMs - this.#activeMs >= forMs
    );
  }

  #begin({ text, meantAs, voiced, isTyped = false }: Utterance, nowMs: number): void {
    this.#spoken.push({
      text,
      meantAs,
      overReply: this.#playback.isPlaying(nowMs),
      startMs: nowMs + voiced.from / MS,
      endMs: nowMs + voiced.to / MS,
      ...(isTyped && { isTyped }),
    });
    this.#replyAudibleMs = undefined;
    this.#repliesDue = 0;
    if (!isTyped || text === undefined) return;
    this.#client?.typeText(text);
    this.#repliesDue = 1;
  }

  #fill(chunk: Float32Array, from: number, speaking: { utterance: Utterance; fromSample: number } | undefined): void {
    const { noise } = this.#scenario;
    for (let at = 0; at < chunk.length; at += 1) {
      const speech = speaking?.utterance.speech[from + at - speaking.fromSample] ?? 0;
      chunk[at] = speech + (noise?.[(from + at) % noise.length] ?? 0);
    }
  }

  /** Sends a chunk when it is full, or later by the simulated network delay. */
  async #send(chunk: Float32Array, dueMs: number, sent: number): Promise<void> {
    const { chunk_ms, jitter_ms, stall } = this.#scenario.network;
    let delayMs = this.#random() * jitter_ms;
    if (stall !== undefined) {
      const every = Math.max(1, Math.round((stall.every_seconds * 1000) / chunk_ms));
      delayMs += Math.max(0, stall.for_ms - ((sent + 1) % every) * chunk_ms);
    }
    const pcm = new Uint8Array(chunk.length * 2);
    floatToPcm16(chunk, pcm);
    this.#options.recorder?.said(chunk);
    await sleep(Math.max(0, dueMs + delayMs - performance.now()));
    this.#client?.sendAudio(pcm);
  }

  #onMessage(message: ServerMessage, atMs: number): void {
    if (message.type !== "voice_activity" && message.type !== "emotion_update") this.#activeMs = atMs;
    switch (message.type) {
      case "turn_start":
        this.#turnsOpen += 1;
        this.#own(message.data.turn_id);
        return this.#note({ atMs, type: "turn_start" });
      case "turn_end":
        this.#turnsOpen -= 1;
        if (message.data.transcript !== "") this.#repliesDue = 1;
        this.#own(message.data.turn_id);
        return this.#note({ atMs, type: "turn_end", transcript: message.data.transcript });
      case "transcription": {
        const { is_final, is_speech_final, accumulated_transcript, session_id, words } = message.data;
        this.#own(session_id);
        return this.#note({
          atMs,
          type: "transcription",
          isFinal: is_final,
          isSpeechFinal: is_speech_final,
          accumulated: accumulated_transcript,
          wordsSaidMs: words.map(({ end }) => this.#beganMs + end * 1000),
        });
      }
      case "llm_response_chunk": {
        const { is_final, generation_id: reply, content } = message.data;
        if (!is_final) {
          this.#replyInWords = reply;
          return this.#note({ atMs, type: "llm_chunk", reply, text: content });
        }
        // After a reply without words, or with a call, comes another one.
        if (this.#replyInWords === reply && !this.#hasCalled) this.#repliesDue = 0;
        this.#hasCalled = false;
        return;
      }
      case "tts_chunk":
        return this.#hear(Buffer.from(message.content, "base64"), atMs);
      case "tts_interruption":
        this.#playback.interrupt(atMs);
        this.#options.recorder?.interrupted(atMs);
        this.#playedToMs = atMs;
        return this.#note({ atMs, type: "interruption" });
      case "error":
        this.#repliesDue = 0;
        return this.#note({ atMs, type: "error", code: message.data.error_code });
      case "status":
        if (message.data.status === "language")
          return this.#note({ atMs, type: "language", language: message.data.details.language });
        this.#silenceThresholdMs = silenceThresholdOf(message, this.#script.settings);
        return;
      case "connection_metadata": {
        const { resumed = false } = message.data;
        this.#isResumed = resumed !== false;
        return;
      }
      case "tool_call": {
        const { call_id: callId, name, arguments: args } = message.data;
        this.#toolsRunning.add(callId);
        this.#hasCalled = true;
        this.#note({ atMs, type: "tool_call", callId, name, arguments: args });
        return;
      }
      case "tool_call_end": {
        const { call_id: callId, outcome, output } = message.data;
        this.#toolsRunning.delete(callId);
        // The answer follows.
        if (outcome !== "cancelled") this.#repliesDue = 1;
        return this.#note({ atMs, type: "tool_end", callId, outcome, output });
      }
      case "call_end":
        return this.#note({ atMs, type: "call_end", transferTo: message.data.transfer_to });
      case "tool_state":
      case "emotion_update":
      case "turn_interrupted":
      case "voice_activity":
        return;
    }
  }

  #answer(callId: string, name: string, args: Readonly<Record<string, unknown>>): void {
    const { output, isError } = this.#options.answerCall?.(name, args) ?? {
      output: "no program carries it out.",
      isError: true,
    };
    this.#client?.giveToolResult(callId, output, isError);
  }

  #hear(pcm: Uint8Array, receivedMs: number): void {
    this.#playback.add(pcm, receivedMs);
    const samples = new Float32Array(pcm.length / 2);
    pcm16ToFloat(pcm, samples);
    const playMs = Math.max(receivedMs, this.#playedToMs);
    const durationMs = samples.length / MS;
    this.#options.recorder?.heard(samples, playMs);
    const playedAt = (sample: number | undefined) => (sample === undefined ? undefined : playMs + sample / MS);
    const audibleMs = playedAt(firstAudible(samples));
    const audibleToMs = playedAt(lastAudible(samples));
    this.#playedToMs = playMs + durationMs;
    this.#replyAudibleMs ??= audibleMs;
    this.#audio.push({ receivedMs, playMs, durationMs, audibleMs, audibleToMs });
  }

  /** Ids of a session begin with its connection id. */
  #own(id: string): void {
    if (!this.#ids.some((own) => id.startsWith(own))) this.#note({ atMs: performance.now(), type: "leak" });
  }

  #note(event: CallEvent): void {
    this.#events.push(event);
  }
}

/** The active threshold. A server that does not report it has accepted the requested one. */
function silenceThresholdOf({ data }: Extract<ServerMessage, { type: "status" }>, asked: SessionSettingsPatch): number {
  const applied = data.status === "ready" ? data.details.applied_settings?.turn_detection : undefined;
  const { silence_threshold: standard } = DEFAULT_SESSION_SETTINGS.turn_detection;
  return 1000 * (applied?.silence_threshold ?? asked.turn_detection?.silence_threshold ?? standard);
}
