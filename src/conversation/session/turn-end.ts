import type { Language } from "../../language/language.ts";
import { rethrowFault } from "../../shared/errors.ts";
import type { Tasks } from "../../shared/tasks.ts";
import type { SessionSettings } from "../../config/settings/session-settings.ts";
import type { Ear } from "../ear/ear.ts";
import { voiceEndMs } from "../ear/voice-end.ts";
import type { Emit } from "../events.ts";
import type { Hypothesis } from "../hypothesis.ts";
import type { Responder } from "../reply/responder.ts";
import type { SilenceTimer } from "../reply/silence-timer.ts";
import type { Transcripts } from "../transcripts/transcripts.ts";
import { GROUP_PAUSE_MS } from "../turn/evidence/end-of-turn.ts";
import type { TurnEffect } from "../turn/machine/turn-state.ts";
import { toMs } from "../session-time.ts";
import type { TurnController } from "../turn/turn-controller.ts";

export interface TurnEndParts {
  readonly turn: TurnController;
  readonly transcripts: Transcripts;
  readonly ear: Ear;
  readonly responder: Responder;
  readonly idle: SilenceTimer;
  readonly tasks: Tasks;
  readonly signal: AbortSignal;
  readonly emit: Emit;
  readonly settings: () => SessionSettings;
  readonly language: () => Language;
  /** The turn's words are decoded. Empty: no word counts. */
  readonly heard: (turn: number, text: string) => void;
}

/** From the first silence in a turn to its final words. */
export class TurnEnd {
  readonly #parts: TurnEndParts;

  constructor(parts: TurnEndParts) {
    this.#parts = parts;
  }

  /** The turn may be over: its words are decoded, and what follows its end is prepared. */
  async prepare(turn: number, endMs: number): Promise<void> {
    const awaited = { type: "words-awaited", turn, pauseMs: endMs } as const;
    this.#parts.turn.dispatchNow({ ...awaited, awaited: true });
    const { user: speaker } = this.#parts.turn.state;
    if (speaker.name === "pausing") this.#parts.transcripts.spoken.pause(turn, speaker.startMs, endMs);
    // A decode that was dropped or failed is not reported here: the commit tries again and reports.
    const prepared = await this.#parts.transcripts.turns
      .prepare(turn, endMs, (text, confidence) => this.#onPauseWords(turn, endMs, { text, confidence, early: true }))
      ?.catch(rethrowFault);
    if (prepared === undefined) return this.#parts.turn.dispatchNow({ ...awaited, awaited: false });
    this.#onPauseWords(turn, endMs, { text: wordsHeard(prepared), confidence: prepared.confidence });
  }

  /** The words of a turn that may end at `pauseMs`. Prepares what follows its end. */
  #onPauseWords(
    turn: number,
    pauseMs: number,
    { text, confidence, ...early }: { readonly text: string; readonly confidence: number; readonly early?: true },
  ): void {
    const user = this.#parts.turn.pausing(turn, pauseMs);
    if (user === undefined) return;
    this.#parts.ear.prepareTurnEnd(user.startMs, pauseMs, this.#parts.settings().emotionDetection);
    const isAnswer = this.#parts.responder.history.unanswered.endsWith("?");
    const wordOdds = this.#parts.ear.oddsByWords(text, confidence, isAnswer);
    const remainder = this.#parts.language().remainder(this.#parts.responder.history.unanswered, text);
    const unfinished = remainder === "digits" || this.#parts.language().isUnfinished(text);
    const leastWaitMs = remainder === "nothing" ? 0 : GROUP_PAUSE_MS;
    this.#parts.turn.dispatchNow({ type: "prepared", turn, pauseMs, unfinished, wordOdds, leastWaitMs, ...early });
    if (text === "" || !this.#parts.settings().turnDetection.answers || !this.#parts.turn.mayEnd(turn, pauseMs)) return;
    this.#parts.tasks.own(this.#parts.responder.prepareReply(turn, text, pauseMs - user.startMs));
  }

  /** Asks the end-of-turn model about a pause. */
  async judgePause({ turn, startMs, pauseMs, atMs }: TurnEffect & { type: "judge-pause" }): Promise<void> {
    const probability = await this.#parts.ear.judgePause(startMs, pauseMs, atMs);
    if (probability !== undefined) this.#parts.turn.dispatchNow({ type: "pause-judged", turn, pauseMs, probability });
  }

  /** The turn is over: its words enter the conversation, and the machine hears whether there are any. */
  async finish({ turn, startMs, endMs, cause, confidence }: TurnEffect & { type: "commit-turn" }): Promise<void> {
    const { ring } = this.#parts.ear;
    const heardMs = toMs(ring.end);
    const voicedUntilMs = voiceEndMs(ring, startMs, endMs);
    this.#parts.emit({ type: "turn-committed", turn, startMs, endMs, voicedUntilMs, cause, heardMs });
    if (cause === "silence-timeout" || cause === "max-duration")
      this.#parts.emit({ type: "turn-timed-out", turn, cause });
    const { spoken } = this.#parts.transcripts;
    spoken.pause(turn, startMs, endMs);
    const transcript = await this.#parts.transcripts.turns.commit(turn, endMs, cause === "client");
    if (this.#parts.signal.aborted) return;
    const text = wordsHeard(transcript);
    if (text === "") spoken.forget(turn);
    else this.#parts.ear.turnHadWords(startMs, endMs);
    this.#parts.heard(turn, text);
    const { heard: language } = spoken;
    this.#parts.emit({
      type: "turn-ended",
      turn,
      cause,
      durationMs: endMs - startMs,
      confidence,
      transcript,
      language,
    });
    // Clients expect the emotion of a turn before its reply.
    await this.#parts.ear.turnEnded(startMs, endMs, this.#parts.settings().emotionDetection);
    if (this.#parts.signal.aborted) return;
    const { answers, endedBy } = this.#parts.settings().turnDetection;
    if (text === "") this.#parts.idle.start(this.#parts.settings().turnDetection.idleMs);
    const answered = answers && endedBy === "voice" && cause !== "client";
    this.#parts.turn.dispatch({ type: "final", turn, empty: text === "", ...(answered ? {} : { unanswered: true }) });
  }
}

/** The words that count as the caller's. Doubtful ones do not. */
const wordsHeard = ({ accumulated, isDoubtful }: Hypothesis): string => (isDoubtful === true ? "" : accumulated);
