import { setMaxListeners } from "node:events";
import type { LanguageSession, ToolCall } from "../../engines/llm/language-model.ts";
import type { Language } from "../../language/language.ts";
import { languageOf } from "../../language/packs/languages.ts";
import type { Clock } from "../../shared/clock.ts";
import { deepMerge } from "../../shared/deep-merge.ts";
import { errorCode } from "../../shared/errors.ts";
import { FaultBoundary } from "../../shared/fault-boundary.ts";
import type { Log } from "../../shared/log.ts";
import { Tasks } from "../../shared/tasks.ts";
import { Absence } from "./absence.ts";
import { Ear } from "../ear/ear.ts";
import { STAGE_FAILURES, type Emit, type RequestNumber, type Stage, type ToolOutcome } from "../events.ts";
import { Responder } from "../reply/responder.ts";
import { SilenceTimer } from "../reply/silence-timer.ts";
import { Initiative } from "../reply/initiative.ts";
import type { Recording, Restored, SessionRequest, TypedBy, VoiceSession } from "./session-interface.ts";
import type { PlaybackReport } from "../reply/speech/playback-report.ts";
import { ReplyRequests, type ReplyRequest, type SayWhen } from "../reply/reply-requests.ts";
import type { Engines } from "../../engines/engines.ts";
import type { SessionSnapshot } from "./session-snapshot.ts";
import { toMs, toSamples } from "../session-time.ts";
import { ClientTools } from "../tool-calls/client-tools.ts";
import { ToolRunner } from "../tool-calls/tool-runner.ts";
import type { KeptState, KeptTimers, Tool } from "../tool-calls/tool.ts";
import {
  DEFAULT_SETTINGS,
  type SessionSettings,
  type SessionSettingsPatch,
} from "../../config/settings/session-settings.ts";
import { Transcripts } from "../transcripts/transcripts.ts";
import type { OverlapKind } from "../turn/evidence/judge-overlap.ts";
import { LONGEST_LEAD_IN_MS, turnPolicy } from "../turn/evidence/policy.ts";
import type { ReplayLogFile } from "../turn/replay-log-file.ts";
import { TurnController } from "../turn/turn-controller.ts";
import type { FrameEvent, TurnEffect } from "../turn/machine/turn-state.ts";
import { makeParts, type SessionExtras, type SessionHost } from "./session-parts.ts";
import { TurnEnd } from "./turn-end.ts";

/**
 * One caller's conversation. Audio flows through the ear to the turn machine. The machine's effects go to the transcripts and to
 * the responder, and their results return to the machine as events.
 */
export class Session implements VoiceSession {
  readonly #request: SessionRequest;
  readonly #emit: Emit;
  readonly #log: Log;
  readonly #replayLog: ReplayLogFile | undefined;
  readonly languages: readonly string[] | undefined;
  readonly identifiesLanguage: boolean;
  readonly recording: Recording | undefined;
  readonly #ended: (() => void) | undefined;
  readonly #scope = new AbortController();
  /** Every callback of the session runs inside: audio frames, timers, promises. */
  readonly #faults = new FaultBoundary((error) => this.#onFault(error));
  readonly #tasks = new Tasks(this.#faults.report);
  readonly #ear: Ear;
  readonly #turn: TurnController;
  readonly #transcripts: Transcripts;
  readonly #chat: LanguageSession;
  readonly #responder: Responder;
  readonly #idle: SilenceTimer;
  readonly #initiative: Initiative;
  readonly #clientTools: ClientTools;
  readonly #tools: ToolRunner;
  readonly #serverTools: readonly Tool[];
  readonly #absence: Absence;
  readonly #turnEnd: TurnEnd;
  #toolState: KeptState | undefined;
  #timers: KeptTimers | undefined;
  /** The words so far of the turn under way. */
  #openWords = "";
  /** The first settings name the caller. */
  readonly #onReady: ((callerId: string) => void)[] = [];
  #settings: SessionSettings;
  /** The events of the turn machine hold no words, only their numbers. */
  readonly #texts = new Map<number, { readonly text: string; readonly by: TypedBy }>();
  #lastText = 0;
  readonly #requests: ReplyRequests;
  #ready = false;

  constructor(request: SessionRequest, engines: Engines, wallClock: Clock, log: Log, extras: SessionExtras = {}) {
    const { voice, emit } = request;
    const { signal } = this.#scope;
    // Every turn, reply and decode adds an abort listener. Node warns above ten.
    setMaxListeners(0, signal);
    this.#request = request;
    this.#emit = emit;
    this.#log = log;
    this.#replayLog = extras.replayLog;
    this.recording = extras.recording;
    this.#ended = extras.ended;
    this.languages = engines.languages;
    this.#settings = deepMerge(DEFAULT_SETTINGS, {
      language: voice.language,
      turnDetection: voice.turn_detection,
      emotionDetection: voice.emotion_detection,
    });
    const parts = makeParts(this.#host(signal), request, engines, wallClock, log, extras);
    this.#requests = new ReplyRequests({
      whenHeard: (step) => parts.ear.whenHeard(step),
      ask: (event) => parts.turn.dispatch(event),
      emit,
    });
    this.#idle = parts.idle;
    this.#initiative = parts.initiative;
    this.#clientTools = parts.clientTools;
    this.#serverTools = parts.serverTools;
    this.#tools = parts.tools;
    this.#ear = parts.ear;
    this.#turn = parts.turn;
    this.#transcripts = parts.transcripts;
    this.#chat = parts.chat;
    this.#responder = parts.responder;
    this.identifiesLanguage = this.#transcripts.identifiesLanguage;
    this.#turnEnd = new TurnEnd({
      ...parts,
      tasks: this.#tasks,
      signal,
      emit,
      settings: () => this.#settings,
      language: () => this.#language,
      heard: (turn, text) => {
        this.#openWords = "";
        if (text !== "") this.#addUser(text, turn);
      },
    });
    this.#absence = new Absence({
      ...parts,
      requests: this.#requests,
      toolState: () => this.#toolState,
      timers: () => this.#timers,
      settings: () => this.#settings,
      openWords: () => this.#openWords,
    });
  }

  #host(signal: AbortSignal): SessionHost {
    return {
      faults: this.#faults,
      tasks: this.#tasks,
      signal,
      settings: () => this.#settings,
      isQuiet: () => this.#isQuiet,
      onFrame: (frame) => this.#onFrame(frame),
      perform: (effect) => this.#perform(effect),
      onIdle: (idleMs) => this.#onIdle(idleMs),
      onLanguage: (language, isOther) => this.#onLanguage(language, isOther),
      wordsSoFar: (words) => (this.#openWords = words),
      fail: (stage, error, turn) => this.#fail(stage, error, turn),
      respond: (request) => this.#requests.ask(request),
      filler: (spoken) => this.#filler(spoken),
      say: (text, said) => this.say(text, "next", said),
      toolEnded: (call, result, outcome, durationMs) => this.#onToolResult(call, result, outcome, durationMs),
      onReady: (callback) => this.#onReady.push(callback),
      keepState: (state) => (this.#toolState = state),
      keepTimers: (timers) => (this.#timers = timers),
    };
  }

  get #language(): Language {
    return languageOf(this.#transcripts.spoken.code);
  }

  get ready(): boolean {
    return this.#ready;
  }

  configure(patch: SessionSettingsPatch): void {
    this.#faults.run(() => this.#configure(patch));
  }

  #configure(patch: SessionSettingsPatch): void {
    this.#apply(deepMerge(this.#settings, patch));
    this.#emit({ type: "ready", settings: this.#settings });
    if (this.#ready) return;
    this.#begin();
    // Texts that wait, such as a timer that was due meanwhile, come after the greeting.
    if (this.#request.voice.greeting !== undefined) this.#turn.dispatch({ type: "greet" });
    this.#nameCaller();
    this.#initiative.next();
  }

  #apply(settings: SessionSettings): void {
    this.#settings = settings;
    this.#transcripts.spoken.configure(settings.language);
    this.#updatePolicy();
    this.#tools.offer([...this.#serverTools, ...(settings.runsTools ? this.#clientTools.tools : [])]);
  }

  #begin(): void {
    this.#ready = true;
    this.#responder.readAhead();
  }

  #nameCaller(): void {
    const callerId = JSON.stringify([this.#request.owner, this.#settings.callerId ?? this.#request.connectionId]);
    for (const callback of this.#onReady) callback(callerId);
  }

  pushAudio(pcm: Int16Array): void {
    this.#faults.run(() => {
      this.recording?.heard(pcm, toMs(this.#ear.ring.end));
      this.#ear.push(pcm);
    });
  }

  addText(text: string, by: TypedBy = "text"): void {
    this.#faults.run(() => {
      this.#lastText += 1;
      this.#texts.set(this.#lastText, { text, by });
      this.#turn.dispatch({ type: "text-given", text: this.#lastText });
    });
  }

  reportPlayback(report: PlaybackReport): void {
    this.#faults.run(() => this.#responder.reportPlayback(report));
  }

  endTurn(): void {
    this.#faults.run(() =>
      this.#ear.whenHeard((atMs) =>
        this.#turn.dispatch({ type: "end-turn", fromMs: this.#transcripts.turns.takenMs, atMs }),
      ),
    );
  }

  dropTurn(): void {
    this.#faults.run(() =>
      this.#ear.whenHeard((atMs) => {
        this.#transcripts.turns.discard(undefined, atMs);
        this.#turn.dispatch({ type: "drop-turn" });
      }),
    );
  }

  respond(request: ReplyRequest = {}): RequestNumber | undefined {
    let number: RequestNumber | undefined;
    this.#faults.run(() => (number = this.#requests.askWhenHeard(request)));
    return number;
  }

  stopReply(): void {
    this.#faults.run(() => {
      this.#requests.endUnheard("stopped");
      this.#initiative.replyEnded();
      this.#turn.dispatch({ type: "stop-reply" });
    });
  }

  say(text: string, when: SayWhen, said?: () => void): boolean {
    let isTaken = false;
    this.#faults.run(() => {
      const { reply } = this.#turn.state;
      isTaken = this.#initiative.announce(text, when, said);
      if (!isTaken || when === "next" || reply.name === "none") return;
      if (reply.name === "thinking" && !reply.isSide) this.#initiative.postpone();
      this.#turn.dispatch({ type: "stop-reply" });
    });
    return isTaken;
  }

  giveToolResult(callId: string, output: string, isError: boolean): boolean {
    return this.#clientTools.give(callId, output, isError);
  }

  detach(aliveMs: number): void {
    this.#faults.run(() => {
      this.#requests.endUnheard("stopped");
      this.#idle.stop();
      this.recording?.lost(true);
      this.#absence.begin(aliveMs);
    });
  }

  snapshot(): SessionSnapshot {
    return { ...this.#absence.snapshot(), language: this.#transcripts.spoken.choice };
  }

  restore(snapshot: SessionSnapshot, ageMs: number): void {
    // An older version's snapshot lacks newer settings.
    this.#apply(deepMerge(DEFAULT_SETTINGS, snapshot.settings));
    this.#transcripts.spoken.restore(snapshot.language);
    // A timer that is due rings when the caller is back.
    this.#turn.dispatch({ type: "caller-left" });
    this.#nameCaller();
    this.#absence.restore(snapshot, ageMs);
    this.#begin();
  }

  forgetTimers(): void {
    this.recording?.endsBy("moved");
    this.#timers?.clear();
  }

  recover(pieces: number | undefined): Restored {
    return this.#absence.recover(pieces);
  }

  attach(): void {
    this.#faults.run(() => {
      this.recording?.lost(false);
      this.#emit({ type: "ready", settings: this.#settings });
      this.#idle.start(this.#settings.turnDetection.idleMs);
      this.#absence.end();
    });
  }

  get history(): VoiceSession["history"] {
    return this.#responder.history;
  }

  quiet(): Promise<void> {
    return this.#turn.quiet();
  }

  async close(): Promise<void> {
    this.recording?.ended();
    this.#ended?.();
    this.#scope.abort();
    try {
      this.#responder.close();
      await this.#tasks.settled();
      await this.#replayLog?.close();
    } finally {
      try {
        this.#transcripts.close();
      } finally {
        this.#chat.close();
      }
    }
  }

  /** Returns true while a turn may be under way. */
  #onFrame(frame: FrameEvent): boolean {
    this.#turn.dispatch(frame);
    const { user } = this.#turn.state;
    const isTalking = user.name === "talking";
    if (isTalking) {
      this.#transcripts.spoken.follow(user.turn, user.startMs, frame.atMs);
      this.#transcripts.turns.advance(user.turn, toSamples(frame.atMs));
    }
    if (user.name === "overlapping") this.#transcripts.overlaps.follow(frame.atMs, this.#responder);
    this.#ear.report(frame.atMs, isTalking, this.#settings.emotionDetection);
    // A client that ends its turns itself may stop sending audio at any time.
    return (
      !this.#turn.state.isAway &&
      this.#turn.state.user.name !== "silent" &&
      this.#settings.turnDetection.endedBy === "voice"
    );
  }

  #perform(effect: TurnEffect): void {
    switch (effect.type) {
      case "open-turn":
        return this.#openTurn(effect.turn, effect.startMs, effect.interrupts);
      case "prepare-final":
        return this.#tasks.own(this.#turnEnd.prepare(effect.turn, effect.endMs));
      case "drop-final":
        return this.#transcripts.turns.drop(effect.turn);
      case "judge-pause":
        return this.#tasks.own(this.#turnEnd.judgePause(effect));
      case "commit-turn":
        return this.#tasks.own(this.#turnEnd.finish(effect));
      case "take-text":
        return this.#takeText(effect.text);
      case "drop-turn":
        return this.#transcripts.turns.discard(effect.turn, 0);
      case "start-reply":
        this.#idle.stop();
        return this.#startReply(effect.turn, effect.request);
      case "end-request":
        return this.#requests.end(effect.request, effect.how);
      case "hold-reply":
        return this.#responder.hold();
      case "decode-overlap":
        return this.#tasks.own(this.#decodeOverlap(effect));
      case "dismiss-sound":
        return this.#dismissSound(effect.heard);
      case "resume-reply":
        return this.#responder.resume();
      case "cancel-reply":
        return this.#responder.cancel(effect);
    }
  }

  #startReply(turn: number, number: RequestNumber | undefined): void {
    const request = number === undefined ? undefined : this.#requests.get(number);
    this.#tasks.own(this.#responder.start(turn, request));
  }

  #takeText(number = 0): void {
    const given = this.#texts.get(number);
    this.#texts.delete(number);
    if (given === undefined) return;
    this.#responder.dropPrepared();
    this.recording?.typed(given.text, given.by);
    this.#addUser(given.text);
  }

  #addUser(text: string, turn?: number): void {
    this.#tools.newTurn();
    this.#initiative.newTurn();
    this.#responder.addUser(text, turn);
  }

  /** The policy depends on the settings and on the answer that the service's last words ask for. */
  #updatePolicy(): void {
    this.#turn.policy = turnPolicy(
      this.#settings.turnDetection,
      this.#language.expectedAnswer(this.#responder.history.unanswered),
    );
  }

  #onIdle(idleMs: number): void {
    const { user, reply, owed } = this.#turn.state;
    // Hold music does not count as silence.
    if (user.name === "arming" || this.#tools.isBusy || this.#ear.hearsMusic) return this.#idle.start(idleMs);
    if (user.name !== "silent" || reply.name !== "none" || owed !== undefined) return;
    this.#ear.whenHeard((atMs) => {
      this.#emit({ type: "caller-idle", startMs: Math.max(0, atMs - idleMs), endMs: atMs });
      this.#requests.ask({});
    });
  }

  /** Neither the caller nor the service speaks, and the caller waits for no answer. */
  get #isQuiet(): boolean {
    const { user, voiced, reply, owed, pendingFinals, isAway } = this.#turn.state;
    const isAsked = owed !== undefined || this.#requests.isUnheard;
    const isAnswered = reply.name === "none" && !isAsked && pendingFinals.length === 0;
    // A client that ends its turns itself may stop sending audio in mid-voice.
    const isVoiced = voiced && this.#settings.turnDetection.endedBy === "voice";
    return this.#ready && !isAway && user.name === "silent" && !isVoiced && isAnswered;
  }

  #filler(spoken: number): string {
    const { fillers } = this.#language;
    return this.#tools.filler ?? fillers[(this.#turn.state.nextTurn + spoken) % fillers.length] ?? "";
  }

  #onToolResult(
    { id, name, arguments: args }: ToolCall,
    result: string,
    outcome: ToolOutcome,
    durationMs: number,
  ): void {
    this.#responder.history.setResult(id, result);
    this.#emit({ type: "tool-ended", callId: id, name, arguments: args, result, outcome, durationMs });
    // The words that cancelled a call are answered in any case.
    if (outcome !== "cancelled" && !this.#scope.signal.aborted) this.#initiative.oweAnswer();
  }

  #openTurn(turn: number, startMs: number, interrupts: boolean): void {
    this.#idle.stop();
    this.#updatePolicy();
    this.#transcripts.overlaps.stop();
    this.#responder.dropPrepared();
    this.#emit({ type: "turn-started", turn, startMs, interrupts });
    const { endedBy, leadInMs } = this.#settings.turnDetection;
    this.#transcripts.turns.open(turn, startMs, endedBy === "client" ? LONGEST_LEAD_IN_MS : leadInMs);
    this.#responder.listen();
  }

  /** Words that were decoded in another language are void, and so is a reply to them. */
  #onLanguage(language: string, isOther: boolean): void {
    if (isOther) this.#transcripts.turns.restart();
    this.#responder.dropPrepared();
    this.#updatePolicy();
    this.#emit({ type: "language-heard", language });
    this.#responder.listen();
  }

  async #decodeOverlap(sound: TurnEffect & { type: "decode-overlap" }): Promise<void> {
    const decoded = await this.#transcripts.overlaps.listen(sound.startMs, sound, this.#responder);
    if (decoded !== undefined) this.#turn.dispatch({ type: "overlap-decoded", ...decoded });
  }

  /**
   * Words that did not take the turn are reported and not answered, unclear ones as doubtful. Unclear content reaches the model with
   * the next turn. The reply's own echo is not reported.
   */
  #dismissSound(heard: OverlapKind): void {
    const sound = this.#transcripts.overlaps.stop();
    if (sound === undefined || heard === "nothing") return;
    const { transcript } = sound;
    if (sound.mayBeContent) this.#responder.keepForNextTurn(transcript.text);
    const isDoubtful = transcript.isDoubtful === true || heard === "unclear";
    this.#emit({ type: "overlap-transcript", transcript: { ...transcript, isDoubtful } });
  }

  #fail(stage: Stage, error: unknown, turn?: number): void {
    if (this.#scope.signal.aborted) return;
    const cause = errorCode(error);
    this.#log.warn({ connection: this.#request.connectionId, stage, code: cause, turn }, "stage failed");
    this.#emit({ type: "failure", stage, code: STAGE_FAILURES[stage], cause, turn });
  }

  #onFault(error: unknown): void {
    if (this.#scope.signal.aborted) return;
    this.#scope.abort();
    this.#request.onFault(error);
  }
}
