import { setMaxListeners } from "node:events";
import type { LanguageSession } from "../engines/llm/language-model.ts";
import { mergeSettings } from "../doors/voice/merge-settings.ts";
import type { MessageId } from "../doors/voice/message-id.ts";
import {
  DEFAULT_SESSION_SETTINGS,
  type SessionSettings,
  type SessionSettingsPatch,
} from "../doors/voice/session-settings.ts";
import type { Clock } from "../shared/clock.ts";
import { errorCode, rethrowFault } from "../shared/errors.ts";
import { FaultBoundary } from "../shared/fault-boundary.ts";
import type { Log } from "../shared/log.ts";
import { Tasks } from "../shared/tasks.ts";
import type { SpeechRecognizer } from "../engines/stt/speech-to-text.ts";
import type { FrameEvent, TurnEffect } from "./turn/turn-state.ts";
import { expectedAnswer } from "../language/en/expectation.ts";
import type { OverlapKind } from "./turn/judge-overlap.ts";
import { turnPolicy } from "./turn/policy.ts";
import { soundsUnfinished } from "../language/en/unfinished.ts";
import { Announcer, type Stage } from "./announcer.ts";
import { Responder } from "./reply/responder.ts";
import type { Engines, SessionRequest, VoiceSession } from "./session-interface.ts";
import { Decoder } from "./transcripts/decoder.ts";
import { EndOfTurnWatch } from "./ear/end-of-turn-watch.ts";
import { EmotionWatch } from "./ear/emotion-watch.ts";
import { AudioInput } from "./ear/audio-input.ts";
import { OverlapListener } from "./transcripts/overlap-listener.ts";
import { PartialBudget } from "./transcripts/partial-budget.ts";
import { sharedPrompt } from "./reply/prompt.ts";
import { toSamples } from "./session-time.ts";
import type { SpeculationCounts } from "./reply/speculation-counts.ts";
import { SpeechPace } from "./reply/speech-pace.ts";
import type { TraceFile } from "./turn/trace-file.ts";
import { TurnController } from "./turn/turn-controller.ts";
import { TurnTranscripts } from "./transcripts/turn-transcripts.ts";

export interface SessionExtras {
  /** Counts what is prepared before a turn is over; without it nothing is. */
  readonly speculation?: SpeculationCounts | undefined;
  /** What earlier calls measured. */
  readonly pace?: SpeechPace;
  /** Where the session's turn events go, when the operator wants them. */
  readonly trace?: TraceFile | undefined;
}

/**
 * One caller's conversation. The data flow: audio -> Hearing -> turn machine (TurnController) -> effects
 * (TurnTranscripts and OverlapListener, Responder, messages), whose results come back to the machine as events.
 */
export class Session implements VoiceSession {
  readonly #request: SessionRequest;
  readonly #log: Log;
  readonly #scope = new AbortController();
  readonly #trace: TraceFile | undefined;
  readonly #taking: TurnController;
  readonly #announcer: Announcer;
  readonly #answering: Responder;
  readonly #hearing: AudioInput;
  readonly #emotion: EmotionWatch;
  readonly #endOfTurn: EndOfTurnWatch;
  readonly #overhearing: OverlapListener;
  readonly #recognizer: SpeechRecognizer;
  /** Decodes what is settled of a long turn, beside the other one. */
  readonly #background: SpeechRecognizer;
  readonly #language: LanguageSession;
  readonly #turns: TurnTranscripts;
  /** Every callback of the session runs inside: audio frames, timers, promises. */
  readonly #faults = new FaultBoundary((error) => this.#onFault(error));
  readonly #tasks = new Tasks(this.#faults.report);
  #settings: SessionSettings;
  #ready = false;

  constructor(request: SessionRequest, engines: Engines, wallClock: Clock, log: Log, extras: SessionExtras = {}) {
    const { voice } = request;
    const clock = this.#faults.clock(wallClock);
    // Every turn, reply and decode adds an abort listener. Node warns above ten.
    setMaxListeners(0, this.#scope.signal);
    const detector = engines.vad.open();
    this.#request = request;
    this.#trace = extras.trace;
    this.#log = log;
    this.#settings = mergeSettings(DEFAULT_SESSION_SETTINGS, {
      turn_detection: voice.turn_detection,
      emotion_detection: voice.emotion_detection,
    });
    this.#taking = new TurnController({
      policy: turnPolicy(this.#settings.turn_detection),
      trace: extras.trace,
      signal: this.#scope.signal,
      perform: (effect) => this.#perform(effect),
    });
    this.#announcer = new Announcer(request.client, request.connectionId, () => this.#settings.turn_detection.enabled);
    this.#recognizer = engines.stt.open();
    this.#background = engines.stt.open();
    this.#language = engines.llm.open(sharedPrompt(voice));
    const { signal } = this.#scope;
    this.#answering = new Responder({
      language: this.#language,
      speech: engines.tts,
      voice,
      client: request.client,
      clock,
      pace: extras.pace ?? new SpeechPace(),
      signal,
      settings: () => this.#settings,
      counts: extras.speculation,
      events: {
        sent: (pcm, playsAtMs) => this.#hearing.sent(pcm, playsAtMs),
        audible: (turn) => this.#taking.dispatch({ type: "reply-audible", turn }),
        finished: (turn) => this.#taking.dispatch({ type: "reply-finished", turn }),
        failed: (turn, stage, error) => {
          this.#fail(stage, error, turn);
          this.#taking.dispatch({ type: "reply-failed", turn });
        },
      },
    });
    this.#hearing = new AudioInput({
      detector,
      clock,
      signal,
      needsTime: () => this.#taking.state.user.name !== "silent",
      onFrame: (frame) => this.#onFrame(frame),
      onFailure: (error) => this.#fail("vad", error),
      faults: this.#faults,
    });
    const { ring } = this.#hearing;
    const decoding = {
      decoder: new Decoder(this.#recognizer, ring, voice.language),
      partials: new PartialBudget(clock, engines.stt.threads),
      signal,
    };
    this.#turns = new TurnTranscripts({
      ...decoding,
      background: new Decoder(this.#background, ring, voice.language),
      ring,
      clock,
      tasks: this.#tasks,
      events: {
        heard: (hypothesis, isFinal) => this.#announcer.transcription(hypothesis, isFinal, false),
        failed: (turn, error) => this.#fail("stt", error, turn),
        closed: (turn, counts) => log.debug({ connection: request.connectionId, turn, ...counts }, "partials"),
      },
    });
    this.#overhearing = new OverlapListener({
      ...decoding,
      reply: this.#answering,
      echo: this.#hearing,
    });
    this.#emotion = new EmotionWatch({
      classifier: engines.emotion,
      ring: this.#hearing.ring,
      connectionId: request.connectionId,
      clock,
      tasks: this.#tasks,
      signal,
      onUpdate: (update) => this.#request.client.send("emotion_update", update),
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

  configure(patch: SessionSettingsPatch, replyTo?: MessageId): void {
    this.#faults.run(() => this.#configure(patch, replyTo));
  }

  #configure(patch: SessionSettingsPatch, replyTo?: MessageId): void {
    this.#settings = mergeSettings(this.#settings, patch);
    this.#updatePolicy();
    this.#announcer.ready(this.#settings, replyTo);
    if (this.#ready) return;
    this.#ready = true;
    this.#prefill(this.#answering.readAhead());
    if (this.#request.voice.greeting !== undefined) this.#taking.dispatch({ type: "greet" });
  }

  pushAudio(pcm: Buffer): void {
    this.#faults.run(() => this.#hearing.push(pcm));
  }

  quiet(): Promise<void> {
    return this.#taking.quiet();
  }

  async close(): Promise<void> {
    this.#scope.abort();
    try {
      this.#answering.stop();
      this.#answering.dropSpeculation();
      await this.#hearing.idle();
      await this.#tasks.settled();
      await this.#trace?.close();
    } finally {
      try {
        this.#recognizer.close();
        this.#background.close();
      } finally {
        this.#language.close();
      }
    }
  }

  #onFrame(frame: FrameEvent): void {
    this.#taking.dispatch(frame);
    const { atMs } = frame;
    const endSample = toSamples(atMs);
    const { user } = this.#taking.state;
    if (user.name === "talking") this.#turns.advance(user.turn, endSample);
    if (user.name === "overlapping") this.#overhearing.follow(atMs);
    this.#emotion.onFrame(endSample, user.name === "talking", this.#settings.emotion_detection);
    this.#announcer.activity(atMs, this.#hearing.meter);
  }

  #perform(effect: TurnEffect): void {
    switch (effect.type) {
      case "open-turn":
        return this.#openTurn(effect.turn, effect.startMs, effect.interrupts);
      case "prepare-final":
        return this.#tasks.own(this.#prepareFinal(effect.turn, effect.endMs));
      case "drop-final":
        return this.#turns.drop(effect.turn);
      case "judge-pause":
        return this.#tasks.own(this.#judgePause(effect.turn, effect.pauseMs, effect.atMs));
      case "commit-turn":
        return this.#tasks.own(this.#finishTurn(effect));
      case "start-reply":
        return this.#tasks.own(this.#answering.start(effect.turn));
      case "hold-reply":
        return this.#answering.hold();
      case "listen-in":
        return this.#tasks.own(this.#listenIn(effect));
      case "dismiss-sound":
        return this.#dismissSound(effect.heard);
      case "resume-reply":
        return this.#answering.resume();
      case "cancel-reply":
        return this.#cancelReply(effect.audible);
    }
  }

  async #listenIn(sound: TurnEffect & { type: "listen-in" }): Promise<void> {
    const hearsay = await this.#overhearing.listen(sound.startMs, sound);
    if (hearsay !== undefined) this.#taking.dispatch({ type: "overheard", ...hearsay });
  }

  /** Words that did not ask for the floor are told, but are no turn and are not answered. The reply's own echo is nobody's words. */
  #dismissSound(heard: OverlapKind): void {
    const overheard = this.#overhearing.stop();
    if (overheard !== undefined && heard !== "nothing") this.#announcer.transcription(overheard, true, false, false);
  }

  /** By the settings, and by what the box's last words let it expect. */
  #updatePolicy(): void {
    this.#taking.policy = turnPolicy(this.#settings.turn_detection, expectedAnswer(this.#answering.history.unanswered));
  }

  #openTurn(turn: number, startMs: number, interrupts: boolean): void {
    this.#updatePolicy();
    this.#overhearing.stop();
    this.#answering.dropSpeculation();
    this.#announcer.turnStart(turn, interrupts);
    this.#turns.open(turn, startMs);
    this.#prefill(this.#answering.listen());
  }

  #prefill(work: Promise<void>): void {
    this.#tasks.own(
      work.catch((error: unknown) => {
        rethrowFault(error);
        this.#log.debug({ code: errorCode(error) }, "prefill did not finish");
      }),
    );
  }

  async #prepareFinal(turn: number, endMs: number): Promise<void> {
    const awaited = { type: "words-awaited", turn, pauseMs: endMs } as const;
    this.#taking.dispatch({ ...awaited, awaited: true });
    // A decode that was dropped or failed is nobody's concern here: the commit tries again and reports.
    const prepared = await this.#turns.prepare(turn, endMs)?.catch(rethrowFault);
    if (prepared === undefined) return this.#taking.dispatch({ ...awaited, awaited: false });
    const { accumulated, confidence } = prepared;
    const isAnswer = this.#answering.history.unanswered.endsWith("?");
    const wordOdds = this.#endOfTurn.oddsByWords(accumulated, confidence, isAnswer);
    const unfinished = soundsUnfinished(accumulated);
    this.#taking.dispatch({ type: "prepared", turn, pauseMs: endMs, unfinished, wordOdds });
    if (accumulated !== "") this.#speculate(turn, endMs, accumulated);
  }

  /** The turn may be over: its reply is prepared. */
  #speculate(turn: number, endMs: number, text: string): void {
    const { user, pendingFinals } = this.#taking.state;
    if (user.name !== "pausing" || user.turn !== turn || user.lastVoicedMs !== endMs) return;
    if (user.unfinished || pendingFinals.length > 0) return;
    this.#tasks.own(this.#answering.speculate(turn, text, endMs - user.startMs));
  }

  async #judgePause(turn: number, pauseMs: number, atMs: number): Promise<void> {
    const probability = await this.#endOfTurn.judge(toSamples(pauseMs), toSamples(atMs));
    if (probability !== undefined) this.#taking.dispatch({ type: "pause-judged", turn, pauseMs, probability });
  }

  async #finishTurn(commit: TurnEffect & { type: "commit-turn" }): Promise<void> {
    const { turn, startMs, endMs } = commit;
    this.#announcer.timedOut(commit);
    const final = await this.#turns.commit(turn, endMs);
    if (this.#scope.signal.aborted) return;
    const text = final.accumulated;
    if (text !== "") this.#answering.addUser(text);
    this.#announcer.turnEnd(commit, final);
    // The interface's order: a turn's emotion comes before its reply.
    await this.#emotion.onTurnEnd(toSamples(startMs), toSamples(endMs), this.#settings.emotion_detection);
    if (this.#scope.signal.aborted) return;
    this.#taking.dispatch({ type: "final", turn, empty: text === "" });
  }

  #cancelReply(audible: boolean): void {
    if (audible) this.#announcer.replyInterrupted();
    this.#answering.stop();
  }

  #fail(stage: Stage, error: unknown, turn?: number): void {
    if (this.#scope.signal.aborted) return;
    const code = errorCode(error);
    this.#log.warn({ connection: this.#request.connectionId, stage, code, turn }, "stage failed");
    this.#announcer.failure(stage, code, turn);
  }

  #onFault(error: unknown): void {
    if (this.#scope.signal.aborted) return;
    this.#scope.abort();
    this.#request.onFault(error);
  }
}
