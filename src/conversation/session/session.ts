import { setMaxListeners } from "node:events";
import type { LanguageSession, ToolCall } from "../../engines/llm/language-model.ts";
import type { Language } from "../../language/language.ts";
import { languageOf } from "../../language/packs/languages.ts";
import type { Clock } from "../../shared/clock.ts";
import { deepMerge } from "../../shared/deep-merge.ts";
import { errorCode, rethrowFault } from "../../shared/errors.ts";
import { FaultBoundary } from "../../shared/fault-boundary.ts";
import type { Log } from "../../shared/log.ts";
import { Tasks } from "../../shared/tasks.ts";
import { Absence } from "./absence.ts";
import { Ear } from "../ear/ear.ts";
import { STAGE_FAILURES, type Emit, type Stage, type ToolOutcome } from "../events.ts";
import { sharedPrompt } from "../reply/text/prompt.ts";
import { Responder } from "../reply/responder.ts";
import type { SpeculationCounts } from "../reply/speculation-counts.ts";
import { SpeechPace } from "../reply/speech/speech-pace.ts";
import { SilenceTimer } from "../reply/silence-timer.ts";
import { Initiative } from "../reply/initiative.ts";
import type { Recording, Restored, SessionRequest, VoiceSession } from "./session-interface.ts";
import type { PlaybackReport } from "../reply/speech/playback-report.ts";
import type { ReplyRequest, SayWhen } from "../reply/reply-requests.ts";
import type { Engines } from "../../engines/engines.ts";
import type { SessionSnapshot } from "./session-snapshot.ts";
import { toMs, toSamples } from "../session-time.ts";
import { ClientTools, clientToolsOf } from "../tool-calls/client-tools.ts";
import { ToolRunner } from "../tool-calls/tool-runner.ts";
import type { KeptState, KeptTimers, OpenTools, Tool } from "../tool-calls/tool.ts";
import { DEFAULT_LANGUAGE, tagsOf } from "../../language/language-setting.ts";
import {
  DEFAULT_SETTINGS,
  type SessionSettings,
  type SessionSettingsPatch,
} from "../../config/settings/session-settings.ts";
import { speechContext } from "../transcripts/speech-context.ts";
import { Transcripts } from "../transcripts/transcripts.ts";
import type { Hypothesis } from "../hypothesis.ts";
import { GROUP_PAUSE_MS } from "../turn/evidence/end-of-turn.ts";
import type { OverlapKind } from "../turn/evidence/judge-overlap.ts";
import { LONGEST_LEAD_IN_MS, turnPolicy } from "../turn/evidence/policy.ts";
import type { TraceFile } from "../turn/replay-log-file.ts";
import { TurnController } from "../turn/turn-controller.ts";
import type { FrameEvent, TurnEffect } from "../turn/machine/turn-state.ts";

export interface SessionExtras {
  /** Counts replies that are prepared before the turn is over. Without it none is. */
  readonly speculation?: SpeculationCounts | undefined;
  /** Measured in earlier calls. */
  readonly pace?: SpeechPace;
  /** Where the session's turn events go, when the operator wants them. */
  readonly trace?: TraceFile | undefined;
  /** The tools that the server carries out. */
  readonly openTools?: OpenTools;
  readonly recording?: Recording | undefined;
  /** The call is over. */
  readonly ended?: (() => void) | undefined;
}

/**
 * One caller's conversation. Audio flows through the ear to the turn machine. The machine's effects go to the transcripts and to
 * the responder, and their results return to the machine as events.
 */
export class Session implements VoiceSession {
  readonly #request: SessionRequest;
  readonly #emit: Emit;
  readonly #log: Log;
  readonly #trace: TraceFile | undefined;
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
  #toolState: KeptState | undefined;
  #timers: KeptTimers | undefined;
  /** The words so far of the turn under way. */
  #openWords = "";
  /** The first settings name the caller. */
  readonly #onReady: ((callerId: string) => void)[] = [];
  #settings: SessionSettings;
  /** They wait for the turn machine, whose events hold no words. */
  readonly #givenTexts: string[] = [];
  /** The client's request for a reply, until the audio before it is heard. */
  #asked: ReplyRequest | undefined;
  #ready = false;

  constructor(request: SessionRequest, engines: Engines, wallClock: Clock, log: Log, extras: SessionExtras = {}) {
    const { voice, emit } = request;
    const { signal } = this.#scope;
    // Every turn, reply and decode adds an abort listener. Node warns above ten.
    setMaxListeners(0, signal);
    this.#request = request;
    this.#emit = emit;
    this.#log = log;
    this.#trace = extras.trace;
    this.recording = extras.recording;
    this.#ended = extras.ended;
    this.languages = engines.languages;
    this.#settings = deepMerge(DEFAULT_SETTINGS, {
      language: voice.language,
      turnDetection: voice.turn_detection,
      emotionDetection: voice.emotion_detection,
    });
    const shared = { clock: this.#faults.clock(wallClock), tasks: this.#tasks, signal, emit };

    this.#idle = new SilenceTimer(shared.clock, signal, (idleMs) => this.#onIdle(idleMs));
    this.#initiative = new Initiative({
      ...shared,
      isQuiet: () => this.#isQuiet,
      speak: (reply) => this.#respond(reply),
      end: (ending) => emit({ type: "call-ended", ending }),
      tools: () => this.#tools,
      filler: (spoken) => this.#filler(spoken),
    });
    this.#clientTools = new ClientTools(clientToolsOf(voice), shared.clock, (call) =>
      emit({ type: "client-tool-call", call }),
    );
    this.#serverTools =
      extras.openTools?.({
        voice,
        language: () => this.#language,
        signal,
        onReady: (callback) => this.#onReady.push(callback),
        show: (shown) => emit({ type: "tool-state", ...shown }),
        keepState: (state) => (this.#toolState = state),
        keepTimers: (timers) => (this.#timers = timers),
        // A session whose caller does not come back loses its texts.
        say: (text, said) => !this.#turn.state.isAway && this.say(text, "next", said),
        stopRecording: () => this.recording?.withdraw() ?? false,
        end: (ending) => this.#initiative.endAfterReply(ending),
      }) ?? [];
    this.#tools = new ToolRunner({
      ...shared,
      ...this.#request,
      limits: voice.tool_limits,
      log,
      events: {
        started: ({ id, name }) => {
          emit({ type: "tool-started", callId: id, name, isClients: this.#clientTools.has(name) });
          this.#initiative.toolStarted();
        },
        ended: (call, result, outcome, durationMs) => this.#onToolResult(call, result, outcome, durationMs),
        refused: ({ id }, result) => {
          this.#responder.history.setResult(id, result);
          this.#initiative.oweAnswer();
        },
      },
    });
    this.#ear = new Ear({
      ...shared,
      engines,
      language: () => this.#language,
      faults: this.#faults,
      onFrame: (frame) => this.#onFrame(frame),
      onFailure: (stage, error) => this.#fail(stage, error),
    });
    this.#turn = new TurnController({
      policy: turnPolicy(this.#settings.turnDetection),
      trace: extras.trace,
      signal,
      perform: (effect) => this.#perform(effect),
      stepped: () => this.#initiative.next(),
    });
    this.#transcripts = new Transcripts({
      ...shared,
      stt: engines.stt,
      language: () => this.#language,
      context: (language) => speechContext(voice, this.#settings, language, this.#responder.history.unanswered),
      spoken: {
        setting: this.#settings.language,
        first: tagsOf(voice.language)[0] ?? DEFAULT_LANGUAGE,
        changed: (language, isOther) => this.#onLanguage(language, isOther),
      },
      ring: this.#ear.ring,
      echo: this.#ear.echo,
      events: {
        heard: (turn, transcript, settled) => {
          this.#openWords = transcript.accumulated;
          emit({ type: "transcript", turn, transcript, settled });
        },
        failed: (turn, error) => this.#fail("stt", error, turn),
        closed: (turn, counts) => log.debug({ connection: request.connectionId, turn, ...counts }, "partials"),
      },
    });
    this.identifiesLanguage = this.#transcripts.identifiesLanguage;
    this.#chat = engines.llm.open({
      system: sharedPrompt(voice),
      tools: this.#serverTools.map(({ definition }) => definition),
    });
    this.#responder = new Responder({
      ...shared,
      chat: this.#chat,
      speech: () => {
        const { heard } = this.#transcripts.spoken;
        return heard === undefined ? engines.tts : (engines.speechIn?.(heard) ?? engines.tts);
      },
      language: () => this.#language,
      heardLanguage: () => this.#transcripts.spoken.heard,
      voice,
      pace: extras.pace ?? new SpeechPace(),
      jitterMs: () => this.#ear.jitterMs,
      settings: () => this.#settings,
      counts: extras.speculation,
      tools: this.#tools,
      log,
      events: {
        asked: () => {
          this.#initiative.answered();
          this.#tools.answered();
        },
        sent: (pcm, playsAtMs) => this.#ear.replySent(pcm, playsAtMs),
        audible: (turn) => {
          this.#initiative.audible();
          this.#turn.dispatch({ type: "reply-audible", turn });
        },
        finished: (turn) => {
          this.#idle.start(this.#settings.turnDetection.idleMs);
          this.#initiative.replyEnded();
          this.#turn.dispatch({ type: "reply-finished", turn });
        },
        failed: (turn, stage, error) => {
          this.#fail(stage, error, turn);
          this.#initiative.replyEnded();
          this.#turn.dispatch({ type: "reply-failed", turn });
        },
      },
    });
    this.#absence = new Absence({
      turn: this.#turn,
      responder: this.#responder,
      initiative: this.#initiative,
      clientTools: this.#clientTools,
      tools: this.#tools,
      ear: this.#ear,
      toolState: () => this.#toolState,
      timers: () => this.#timers,
      settings: () => this.#settings,
      openWords: () => this.#openWords,
    });
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

  addText(text: string): void {
    this.#faults.run(() => {
      this.#givenTexts.push(text);
      this.#turn.dispatch({ type: "text-given" });
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

  respond(request: ReplyRequest = {}): void {
    this.#asked = request;
    this.#faults.run(() => {
      // A turn that the client has just ended comes first.
      this.#ear.whenHeard(() => {
        if (this.#asked !== request) return;
        this.#asked = undefined;
        this.#respond(request);
      });
    });
  }

  stopReply(): void {
    this.#asked = undefined;
    this.#faults.run(() => {
      this.#responder.request(undefined);
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
      if (reply.name === "thinking" && !reply.aside) this.#initiative.postpone();
      this.#turn.dispatch({ type: "stop-reply" });
    });
    return isTaken;
  }

  giveToolResult(callId: string, output: string, isError: boolean): boolean {
    return this.#clientTools.give(callId, output, isError);
  }

  detach(aliveMs: number): void {
    this.#asked = undefined;
    this.#faults.run(() => {
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
      await this.#trace?.close();
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
        return this.#tasks.own(this.#prepareFinal(effect.turn, effect.endMs));
      case "drop-final":
        return this.#transcripts.turns.drop(effect.turn);
      case "judge-pause":
        return this.#tasks.own(this.#judgePause(effect));
      case "commit-turn":
        return this.#tasks.own(this.#finishTurn(effect));
      case "take-text":
        return this.#takeText();
      case "drop-turn":
        return this.#transcripts.turns.discard(effect.turn, 0);
      case "start-reply":
        this.#idle.stop();
        return this.#tasks.own(this.#responder.start(effect.turn));
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

  #takeText(): void {
    this.#responder.dropSpeculation();
    for (const text of this.#givenTexts.splice(0)) this.#addUser(text);
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
    const { user, reply } = this.#turn.state;
    if (user.name === "arming" || this.#tools.isBusy) return this.#idle.start(idleMs);
    if (user.name !== "silent" || reply.name !== "none") return;
    this.#ear.whenHeard((atMs) => {
      this.#emit({ type: "caller-idle", startMs: Math.max(0, atMs - idleMs), endMs: atMs });
      this.#respond({});
    });
  }

  #respond(request: ReplyRequest): void {
    if (this.#turn.state.reply.name !== "none") return;
    this.#responder.request(request);
    this.#turn.dispatch({ type: "respond", ...(request.isKept === false ? { aside: true } : {}) });
  }

  /** Neither the caller nor the service speaks, and the caller waits for no answer. */
  get #isQuiet(): boolean {
    const { user, voiced, reply, replyOwed, pendingFinals, isAway } = this.#turn.state;
    const isAnswered = reply.name === "none" && !replyOwed && pendingFinals.length === 0 && this.#asked === undefined;
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
    this.#emit({ type: "tool-ended", callId: id, name, arguments: args, outcome, durationMs, result });
    // The words that cancelled a call are answered in any case.
    if (outcome !== "cancelled" && !this.#scope.signal.aborted) this.#initiative.oweAnswer();
  }

  #openTurn(turn: number, startMs: number, interrupts: boolean): void {
    this.#idle.stop();
    this.#updatePolicy();
    this.#transcripts.overlaps.stop();
    this.#responder.dropSpeculation();
    this.#emit({ type: "turn-started", turn, startMs, interrupts });
    const { endedBy, leadInMs } = this.#settings.turnDetection;
    this.#transcripts.turns.open(turn, startMs, endedBy === "client" ? LONGEST_LEAD_IN_MS : leadInMs);
    this.#responder.listen();
  }

  async #prepareFinal(turn: number, endMs: number): Promise<void> {
    const awaited = { type: "words-awaited", turn, pauseMs: endMs } as const;
    this.#turn.dispatchNow({ ...awaited, awaited: true });
    const { user: speaker } = this.#turn.state;
    if (speaker.name === "pausing") this.#transcripts.spoken.pause(turn, speaker.startMs, endMs);
    // A decode that was dropped or failed is not reported here: the commit tries again and reports.
    const prepared = await this.#transcripts.turns
      .prepare(turn, endMs, (text, confidence) => this.#onPauseWords(turn, endMs, { text, confidence, early: true }))
      ?.catch(rethrowFault);
    if (prepared === undefined) return this.#turn.dispatchNow({ ...awaited, awaited: false });
    this.#onPauseWords(turn, endMs, { text: wordsHeard(prepared), confidence: prepared.confidence });
  }

  /** The words of a turn that may end at `pauseMs`. Prepares what follows its end. */
  #onPauseWords(
    turn: number,
    pauseMs: number,
    { text, confidence, ...early }: { readonly text: string; readonly confidence: number; readonly early?: true },
  ): void {
    const user = this.#turn.pausing(turn, pauseMs);
    if (user === undefined) return;
    this.#ear.prepareTurnEnd(user.startMs, pauseMs, this.#settings.emotionDetection);
    const isAnswer = this.#responder.history.unanswered.endsWith("?");
    const wordOdds = this.#ear.oddsByWords(text, confidence, isAnswer);
    const remainder = this.#language.remainder(this.#responder.history.unanswered, text);
    const unfinished = remainder === "digits" || this.#language.isUnfinished(text);
    const leastWaitMs = remainder === "nothing" ? 0 : GROUP_PAUSE_MS;
    this.#turn.dispatchNow({ type: "prepared", turn, pauseMs, unfinished, wordOdds, leastWaitMs, ...early });
    if (text === "" || !this.#settings.turnDetection.answers || !this.#turn.mayEnd(turn, pauseMs)) return;
    this.#tasks.own(this.#responder.speculate(turn, text, pauseMs - user.startMs));
  }

  async #judgePause({ turn, startMs, pauseMs, atMs }: TurnEffect & { type: "judge-pause" }): Promise<void> {
    const probability = await this.#ear.judgePause(startMs, pauseMs, atMs);
    if (probability !== undefined) this.#turn.dispatchNow({ type: "pause-judged", turn, pauseMs, probability });
  }

  async #finishTurn({ turn, startMs, endMs, cause, confidence }: TurnEffect & { type: "commit-turn" }): Promise<void> {
    this.#emit({ type: "turn-committed", turn, startMs, endMs, cause, heardMs: toMs(this.#ear.ring.end) });
    if (cause === "silence-timeout" || cause === "max-duration") this.#emit({ type: "turn-timed-out", turn, cause });
    const { spoken } = this.#transcripts;
    spoken.pause(turn, startMs, endMs);
    const transcript = await this.#transcripts.turns.commit(turn, endMs, cause === "client");
    if (this.#scope.signal.aborted) return;
    const text = wordsHeard(transcript);
    this.#openWords = "";
    if (text === "") spoken.forget(turn);
    else this.#addUser(text, turn);
    const { heard: language } = spoken;
    this.#emit({ type: "turn-ended", turn, cause, durationMs: endMs - startMs, confidence, transcript, language });
    // Clients expect the emotion of a turn before its reply.
    await this.#ear.turnEnded(startMs, endMs, this.#settings.emotionDetection);
    if (this.#scope.signal.aborted) return;
    const { answers, endedBy } = this.#settings.turnDetection;
    if (text === "") this.#idle.start(this.#settings.turnDetection.idleMs);
    const answered = answers && endedBy === "voice" && cause !== "client";
    this.#turn.dispatch({ type: "final", turn, empty: text === "", ...(answered ? {} : { unanswered: true }) });
  }

  /** Words that were decoded in another language are void, and so is a reply to them. */
  #onLanguage(language: string, isOther: boolean): void {
    if (isOther) this.#transcripts.turns.restart();
    this.#responder.dropSpeculation();
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

/** The words that count as the caller's. Doubtful ones do not. */
const wordsHeard = ({ accumulated, isDoubtful }: Hypothesis): string => (isDoubtful === true ? "" : accumulated);
