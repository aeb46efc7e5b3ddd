import type { EmotionClassifier } from "../emotion/contract.ts";
import type { EndOfTurnModel } from "../endpoint/contract.ts";
import type { LanguageModel, LanguageSession } from "../llm/contract.ts";
import { mergeSettings } from "../protocol/merge-settings.ts";
import {
  DEFAULT_SESSION_SETTINGS,
  type SessionSettings,
  type SessionSettingsPatch,
} from "../protocol/session-settings.ts";
import type { Clock } from "../shared/clock.ts";
import { errorCode, stackFrames } from "../shared/errors.ts";
import type { Log } from "../shared/log.ts";
import { Serial } from "../shared/serial.ts";
import type { SpeechRecognizer, SpeechToText } from "../stt/contract.ts";
import type { TextToSpeech } from "../tts/contract.ts";
import { initialTurnState, type TurnEffect, type TurnEvent } from "../turn/contract.ts";
import { expectedAnswer } from "../turn/expectation.ts";
import { step } from "../turn/machine.ts";
import { overheardWords, type Overheard } from "../turn/overheard.ts";
import { turnPolicy, type TurnPolicy } from "../turn/policy.ts";
import { soundsUnfinished } from "../turn/unfinished.ts";
import type { VadEngine } from "../vad/contract.ts";
import { Announcer, type Stage } from "./announcer.ts";
import { Answering } from "./answering.ts";
import type { ClientPort, SessionRequest, VoiceSession } from "./contract.ts";
import { EndOfTurnWatch } from "./end-of-turn-watch.ts";
import { EmotionWatch } from "./emotion-watch.ts";
import { Hearing, HEARING_HZ, type HeardFrame } from "./hearing.ts";
import { Overhearing } from "./overhearing.ts";
import { PartialBudget } from "./partial-budget.ts";
import type { SpeculationCounts } from "./speculation-counts.ts";
import type { TraceFile } from "./trace-file.ts";
import { TurnTranscriber, type Hypothesis } from "./turn-transcriber.ts";

export interface SessionExtras {
  /** Counts what is prepared before a turn is over; without it nothing is. */
  readonly speculation?: SpeculationCounts | undefined;
  /** Where the session's turn events go, when the operator wants them. */
  readonly trace?: TraceFile | undefined;
}

export interface Engines {
  readonly vad: VadEngine;
  readonly stt: SpeechToText;
  readonly llm: LanguageModel;
  readonly tts: TextToSpeech;
  readonly emotion: EmotionClassifier;
  /** Undefined when it could not be loaded: then turns end by silence alone. */
  readonly endOfTurn: EndOfTurnModel | undefined;
}

/** One `voice_activity` message per this much audio. */
const ACTIVITY_MS = 200;

/**
 * One caller's conversation. The data flow: audio -> Hearing -> turn machine -> effects
 * (transcriber, reply, messages), whose results come back to the machine as events.
 */
export class Session implements VoiceSession {
  readonly #request: SessionRequest;
  readonly #log: Log;
  readonly #scope = new AbortController();
  readonly #trace: TraceFile | undefined;
  #tracedPolicy: TurnPolicy | undefined;
  readonly #announcer: Announcer;
  readonly #answering: Answering;
  readonly #hearing: Hearing;
  readonly #emotion: EmotionWatch;
  readonly #endOfTurn: EndOfTurnWatch;
  readonly #overhearing: Overhearing;
  readonly #recognizer: SpeechRecognizer;
  readonly #recognizing = new Serial();
  readonly #partials: PartialBudget;
  readonly #language: LanguageSession;
  readonly #turns = new Map<number, TurnTranscriber>();
  readonly #tasks = new Set<Promise<unknown>>();
  #settings: SessionSettings;
  #policy: TurnPolicy;
  #state = initialTurnState;
  #ready = false;
  /** Where the last committed turn's audio ends: the next turn's begins after it. */
  #committedSample = 0;
  #activityDueMs = 0;
  readonly #onQuiet: (() => void)[] = [];

  constructor(request: SessionRequest, engines: Engines, clock: Clock, log: Log, extras: SessionExtras = {}) {
    const { voice } = request;
    this.#request = request;
    this.#trace = extras.trace;
    this.#log = log;
    this.#settings = mergeSettings(DEFAULT_SESSION_SETTINGS, {
      turn_detection: voice.turn_detection,
      emotion_detection: voice.emotion_detection,
    });
    this.#policy = turnPolicy(this.#settings.turn_detection);
    this.#announcer = new Announcer(request.client, request.connectionId, () => this.#settings.turn_detection.enabled);
    this.#recognizer = engines.stt.open();
    this.#partials = new PartialBudget(clock, engines.stt.threads);
    this.#language = engines.llm.open();
    const { signal } = this.#scope;
    this.#answering = new Answering({
      language: this.#language,
      speech: engines.tts,
      voice,
      client: request.client,
      clock,
      signal,
      settings: () => this.#settings,
      counts: extras.speculation,
      events: {
        sent: (pcm, playsAtMs) => this.#hearing.sent(pcm, playsAtMs),
        audible: (turn) => this.#dispatch({ type: "reply-audible", turn }),
        finished: (turn) => this.#dispatch({ type: "reply-finished", turn }),
        failed: (turn, stage, error) => {
          this.#fail(stage, error, turn);
          this.#dispatch({ type: "reply-failed", turn });
        },
      },
    });
    this.#hearing = new Hearing({
      detector: engines.vad.open(),
      clock,
      signal,
      needsTime: () => this.#state.user.name !== "silent",
      onFrame: (frame) => this.#onFrame(frame),
      onFailure: (error) => this.#fail("vad", error),
    });
    this.#overhearing = new Overhearing({
      recognizer: this.#recognizer,
      serial: this.#recognizing,
      partials: this.#partials,
      ring: this.#hearing.ring,
      language: voice.language,
      signal,
      ownWords: () => new Set(this.#hearing.suspectsEcho ? overheardWords(this.#answering.speech) : []),
    });
    this.#emotion = new EmotionWatch({
      classifier: engines.emotion,
      ring: this.#hearing.ring,
      connectionId: request.connectionId,
      signal,
      onUpdate: (update) => this.#client.send("emotion_update", update),
      onFailure: (error) => this.#fail("emotion", error),
    });
    this.#endOfTurn = new EndOfTurnWatch({
      model: engines.endOfTurn,
      ring: this.#hearing.ring,
      signal,
      onFailure: (error) => this.#fail("end of turn", error),
    });
  }

  get ready(): boolean {
    return this.#ready;
  }

  configure(patch: SessionSettingsPatch): void {
    this.#settings = mergeSettings(this.#settings, patch);
    this.#policy = turnPolicy(this.#settings.turn_detection);
    this.#client.send("status", {
      status: "ready",
      details: { session_settings: this.#settings.audio, applied_settings: this.#settings },
    });
    if (this.#ready) return;
    this.#ready = true;
    if (this.#request.voice.greeting !== undefined) this.#dispatch({ type: "greet" });
  }

  pushAudio(pcm: Buffer): void {
    this.#hearing.push(pcm);
  }

  quiet(): Promise<void> {
    return new Promise((resolve) => {
      this.#onQuiet.push(resolve);
      this.#tellQuiet();
    });
  }

  async close(): Promise<void> {
    this.#scope.abort();
    this.#tellQuiet();
    this.#answering.stop();
    this.#answering.dropSpeculation();
    await Promise.allSettled([this.#hearing.idle(), this.#emotion.idle(), this.#endOfTurn.idle(), ...this.#tasks]);
    await this.#trace?.close();
    this.#recognizer.close();
    this.#language.close();
  }

  get #client(): ClientPort {
    return this.#request.client;
  }

  #onFrame({ endSample, frameMs, probability, echo }: HeardFrame): void {
    const atMs = toMs(endSample);
    const { levelDbfs, noiseFloorDbfs } = this.#hearing.meter;
    const aboveNoiseDb = levelDbfs - noiseFloorDbfs;
    this.#dispatch({ type: "frame", atMs, frameMs, probability, echo, aboveNoiseDb, noiseFloorDbfs });
    const { user } = this.#state;
    if (user.name === "talking") this.#turns.get(user.turn)?.advance(endSample);
    this.#emotion.onFrame(endSample, user.name === "talking", this.#settings.emotion_detection);
    if (atMs >= this.#activityDueMs) {
      this.#activityDueMs = atMs + ACTIVITY_MS;
      const { activityLevel, backgroundNoiseLevel } = this.#hearing.meter;
      this.#announcer.turnEvent("voice_activity", {
        activity_level: activityLevel,
        background_noise_level: backgroundNoiseLevel,
      });
    }
  }

  #dispatch(event: TurnEvent): void {
    const { state, effects } = step(this.#state, event, this.#policy);
    this.#state = state;
    if (this.#trace !== undefined) {
      if (this.#tracedPolicy !== this.#policy) this.#trace.write({ policy: this.#policy });
      this.#tracedPolicy = this.#policy;
      this.#trace.write({ event, effects });
    }
    for (const effect of effects) this.#perform(effect);
    this.#tellQuiet();
  }

  #tellQuiet(): void {
    if (this.#onQuiet.length === 0) return;
    const { user, pendingFinals, unanswered, reply } = this.#state;
    // A sound that is no turn yet ("arming") may be nothing.
    const isTurn = user.name !== "silent" && user.name !== "arming";
    const isOwed = pendingFinals.length > 0 || unanswered || reply.name !== "none";
    if (!this.#scope.signal.aborted && (isTurn || isOwed)) return;
    for (const resolve of this.#onQuiet.splice(0)) resolve();
  }

  #perform(effect: TurnEffect): void {
    switch (effect.type) {
      case "open-turn":
        return this.#openTurn(effect.turn, effect.startMs, effect.interrupts);
      case "prepare-final":
        return this.#prepareFinal(effect.turn, effect.endMs);
      case "drop-final":
        return this.#turns.get(effect.turn)?.drop();
      case "judge-pause":
        return this.#own(this.#judgePause(effect.turn, effect.pauseMs, effect.atMs));
      case "commit-turn":
        return this.#own(this.#finishTurn(effect));
      case "start-reply":
        return this.#own(this.#answering.start(effect.turn));
      case "hold-reply":
        return this.#answering.hold();
      case "listen-in":
        return this.#own(this.#listenIn(effect.startMs, effect.untilMs, effect.ended));
      case "dismiss-sound":
        return this.#dismissSound();
      case "resume-reply":
        return this.#answering.resume();
      case "cancel-reply":
        return this.#cancelReply(effect.audible);
    }
  }

  async #listenIn(startMs: number, untilMs: number, ended: boolean): Promise<void> {
    const sorted = await this.#overhearing.listen(toSamples(startMs), toSamples(untilMs), ended);
    if (sorted === undefined) return;
    this.#dispatch({ type: "overheard", startMs, untilMs, ended, heard: this.#inContext(sorted, ended) });
  }

  #inContext(heard: Overheard, ended: boolean): Overheard {
    if (heard === "backchannel" && this.#answering.awaitsAnswer) return "word";
    if (!this.#hearing.suspectsEcho) return heard;
    // A single word, or the half of one, may be the echo, misheard.
    return heard === "word" || (heard === "command" && !ended) ? "unclear" : heard;
  }

  /** Words that did not ask for the floor are told, but are no turn and are not answered. */
  #dismissSound(): void {
    const overheard = this.#overhearing.stop();
    if (overheard !== undefined) this.#announcer.transcription(overheard, true, false);
  }

  #openTurn(turn: number, startMs: number, interrupts: boolean): void {
    this.#policy = turnPolicy(this.#settings.turn_detection, expectedAnswer(this.#answering.history.unanswered));
    this.#overhearing.stop();
    this.#answering.dropSpeculation();
    this.#announcer.turnEvent("turn_start", { turn_id: this.#announcer.turnId(turn), interrupted_tts: interrupts });
    const send = (hypothesis: Hypothesis, isFinal: boolean) =>
      this.#announcer.transcription(hypothesis, isFinal, false);
    const transcriber = new TurnTranscriber({
      recognizer: this.#recognizer,
      serial: this.#recognizing,
      partials: this.#partials,
      ring: this.#hearing.ring,
      language: this.#request.voice.language,
      startSample: toSamples(startMs),
      notBeforeSample: this.#committedSample,
      signal: this.#scope.signal,
      events: {
        partial: (hypothesis) => send(hypothesis, false),
        segment: (hypothesis) => send(hypothesis, true),
        failed: (error) => this.#fail("stt", error, turn),
      },
    });
    this.#turns.set(turn, transcriber);
    const readAhead = this.#answering.readAhead();
    this.#own(
      readAhead.catch((error: unknown) => this.#log.debug({ code: errorCode(error) }, "read-ahead did not finish")),
    );
  }

  #prepareFinal(turn: number, endMs: number): void {
    const prepared = this.#turns.get(turn)?.prepare(toSamples(endMs));
    // A decode that was dropped or failed is nobody's concern here: the commit tries again and reports.
    prepared?.then(
      ({ accumulated, confidence }) => {
        const isAnswer = this.#answering.history.unanswered.endsWith("?");
        const wordOdds = this.#endOfTurn.oddsByWords(accumulated, confidence, isAnswer);
        this.#dispatch({ type: "prepared", turn, unfinished: soundsUnfinished(accumulated), wordOdds });
        if (accumulated !== "") this.#speculate(turn, accumulated);
      },
      () => undefined,
    );
  }

  /** The turn may be over: its reply is prepared. */
  #speculate(turn: number, text: string): void {
    const { user, pendingFinals } = this.#state;
    if (user.name !== "pausing" || user.turn !== turn || user.unfinished || pendingFinals.length > 0) return;
    this.#own(this.#answering.speculate(turn, text, user.lastVoicedMs - user.startMs));
  }

  async #judgePause(turn: number, pauseMs: number, atMs: number): Promise<void> {
    const probability = await this.#endOfTurn.judge(toSamples(pauseMs), toSamples(atMs));
    if (probability !== undefined) this.#dispatch({ type: "pause-judged", turn, pauseMs, probability });
  }

  async #finishTurn(commit: TurnEffect & { type: "commit-turn" }): Promise<void> {
    const { turn, startMs, endMs, cause, confidence } = commit;
    /** The box took the turn without thinking that all was said. */
    const incomplete = cause !== "silence";
    const endSample = toSamples(endMs);
    this.#committedSample = endSample;
    if (incomplete) {
      const interruption_type = cause === "max-duration" ? "system_timeout" : "silence_timeout";
      this.#announcer.turnEvent("turn_interrupted", { interruption_type });
    }
    const final = await this.#finalTranscript(turn, endSample);
    if (this.#scope.signal.aborted) return;
    const text = final.accumulated;
    if (text !== "") this.#announcer.transcription(final, true, true, incomplete);
    if (text !== "") this.#answering.history.addUser(text);
    this.#own(this.#emotion.onTurnEnd(toSamples(startMs), endSample, this.#settings.emotion_detection));
    this.#announcer.turnEvent("turn_end", {
      turn_id: this.#announcer.turnId(turn),
      duration: (endMs - startMs) / 1000,
      is_complete: !incomplete && text !== "",
      confidence,
      transcript: text,
    });
    this.#dispatch({ type: "final", turn, empty: text === "" });
  }

  async #finalTranscript(turn: number, endSample: number): Promise<Hypothesis> {
    const nothing = { text: "", confidence: 0, words: [] };
    const transcriber = this.#turns.get(turn);
    try {
      return (await transcriber?.commit(endSample)) ?? { ...nothing, accumulated: "" };
    } catch (error) {
      this.#fail("stt", error, turn);
      return { ...nothing, accumulated: transcriber?.segments ?? "" };
    } finally {
      this.#turns.delete(turn);
      this.#log.debug({ connection: this.#request.connectionId, turn, ...transcriber?.counts }, "partials");
      transcriber?.[Symbol.dispose]();
    }
  }

  #cancelReply(audible: boolean): void {
    if (audible) {
      this.#client.send("tts_interruption", { content: "" });
      this.#announcer.turnEvent("turn_interrupted", { interruption_type: "user_speech" });
    }
    this.#answering.stop();
  }

  #fail(stage: Stage, error: unknown, turn?: number): void {
    if (this.#scope.signal.aborted) return;
    const code = errorCode(error);
    this.#log.warn({ connection: this.#request.connectionId, stage, code, turn }, "stage failed");
    this.#announcer.failure(stage, code, turn);
  }

  /** Work the session answers for until it settles. */
  #own(work: Promise<unknown>): void {
    const owned = work
      .catch((error: unknown) => {
        if (!this.#scope.signal.aborted)
          this.#log.error({ code: errorCode(error), stack: stackFrames(error) }, "session task failed");
      })
      .finally(() => this.#tasks.delete(owned));
    this.#tasks.add(owned);
  }
}

const toMs = (samples: number): number => (samples * 1000) / HEARING_HZ;
const toSamples = (ms: number): number => Math.round((ms * HEARING_HZ) / 1000);
