import type { Clock } from "../../shared/clock.ts";
import type { ReplyRequest, SayWhen } from "./reply-requests.ts";
import type { ToolRunner } from "../tool-calls/tool-runner.ts";
import type { CallEnding } from "../events.ts";
import { SilenceTimer } from "./silence-timer.ts";

/** Texts that wait to be spoken. */
const MOST_TEXTS = 8;
/** Silence while a tool runs, before a filler is spoken. */
const FILLER_MS = 1_000;
/** Silence over several tools in a row, before a filler is spoken between them: the first one of a turn, and another one. */
const BETWEEN_TOOLS_MS = [2_000, 5_000] as const;
/** Clients play the last words a little later than the server assumes. */
const PLAYED_MS = 500;

/** A text that is announced. */
interface Announced {
  readonly text: string;
  /** See `CallControl.say`. A text with it is kept by its tool, and is not part of the snapshot. */
  readonly said: (() => void) | undefined;
}

export interface InitiativeOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** True when neither the caller nor the service speaks, and no reply is owed. */
  readonly isQuiet: () => boolean;
  readonly speak: (request: ReplyRequest) => void;
  readonly end: (ending: CallEnding) => void;
  readonly tools: () => Pick<ToolRunner, "isBusy" | "isAnswerDue">;
  /** The sentence to say while the caller waits for tools. `spoken`: how many were said since the caller's last words. */
  readonly filler: (spoken: number) => string;
}

/**
 * Speaks without being asked: the answer to results of tools, announced texts, and a filler while a tool runs. Each waits until
 * neither side speaks. Then the call ends, if a tool asked for that.
 */
export class Initiative {
  readonly #options: InitiativeOptions;
  readonly #urgentTexts: Announced[] = [];
  readonly #texts: Announced[] = [];
  readonly #silence: SilenceTimer;
  /** The text that is being prepared, or was dropped before the caller heard it. */
  #unheard: Announced | undefined;
  #owesAnswer = false;
  #ending: CallEnding | undefined;
  /** The client plays the last words. */
  #isEnding = false;
  #cancelEnd = () => {};
  /** Fillers since the caller's last words. */
  #fillers = 0;
  /** Answers to results of tools since the caller's last words. */
  #rounds = 0;
  /** Clock time since which neither side has said anything. */
  #silentSinceMs: number;

  constructor(options: InitiativeOptions) {
    this.#options = options;
    this.#silentSinceMs = options.clock.nowMs();
    this.#silence = new SilenceTimer(options.clock, options.signal, () => this.#fill());
    options.signal.addEventListener("abort", () => this.#cancelEnd(), { once: true });
  }

  /** A tool runs. */
  toolStarted(): void {
    this.#silence.start(FILLER_MS);
  }

  /** A tool's result has come. The caller has not heard about it. */
  oweAnswer(): void {
    this.#owesAnswer = true;
    this.next();
  }

  /** A reply begins that knows all results so far. */
  answered(): void {
    this.#owesAnswer = false;
  }

  /** False when too many texts wait. */
  announce(text: string, when: SayWhen, said?: () => void): boolean {
    if (this.#texts.length + this.#urgentTexts.length >= MOST_TEXTS) return false;
    (when === "now" ? this.#urgentTexts : this.#texts).push({ text, said });
    this.next();
    return true;
  }

  /** The rest of a reply comes first. A text that was being prepared, or an answer, is said after it. */
  giveWay(owesAnswer: boolean): void {
    this.#putBack();
    this.#owesAnswer ||= owesAnswer;
  }

  get snapshot(): {
    readonly texts: readonly string[];
    readonly owesAnswer: boolean;
    readonly ending: CallEnding | undefined;
  } {
    const texts = [...this.#urgentTexts, ...this.#texts].flatMap(({ text, said }) =>
      said === undefined ? [text] : [],
    );
    return { texts, owesAnswer: this.#owesAnswer, ending: this.#ending };
  }

  /** The text that is being prepared is kept by its tool. */
  get isToolSpeaking(): boolean {
    return this.#unheard?.said !== undefined;
  }

  /** A reply is stopped before it is audible, for an urgent text. An answer is given after the text. */
  postpone(): void {
    this.#owesAnswer ||= this.#unheard === undefined;
  }

  endAfterReply(ending: CallEnding): void {
    this.#cancelEnd();
    this.#ending = ending;
  }

  /** The caller has said something new, so the call goes on. A text that their words suppressed is said after the answer. */
  newTurn(): void {
    this.#putBack();
    this.#cancelEnd();
    this.#ending = undefined;
    this.#fillers = 0;
    this.#rounds = 0;
    this.#silentSinceMs = this.#options.clock.nowMs();
  }

  /** The caller hears a reply. */
  audible(): void {
    this.#silentSinceMs = Infinity;
  }

  /** A reply was played, has failed, or was stopped by the client: it is not said again. */
  replyEnded(): void {
    this.#settle();
    if (this.#silentSinceMs === Infinity) this.#silentSinceMs = this.#options.clock.nowMs();
    this.#silence.start(FILLER_MS);
  }

  /** Does the next thing that is due, if neither side speaks. Call it after each change. */
  next(): void {
    const { clock, isQuiet, speak, end, tools } = this.#options;
    if (!isQuiet()) return;
    this.#putBack();
    const owesAnswer = this.#owesAnswer && tools().isAnswerDue;
    const announced = this.#urgentTexts.shift() ?? (owesAnswer ? undefined : this.#texts.shift());
    if (announced !== undefined) {
      this.#unheard = announced;
      speak({ text: announced.text, heard: () => this.#settle() });
    } else if (owesAnswer && this.#isFillerDue) this.#speakFiller();
    else if (owesAnswer) {
      this.#rounds += 1;
      speak({ mayBeEmpty: this.#ending !== undefined });
    } else if (this.#ending !== undefined && !this.#isEnding && !tools().isBusy) {
      const ending = this.#ending;
      this.#isEnding = true;
      const cancel = clock.after(PLAYED_MS, () => {
        this.#isEnding = false;
        if (!isQuiet()) return;
        this.#ending = undefined;
        end(ending);
      });
      this.#cancelEnd = () => {
        this.#isEnding = false;
        cancel();
      };
    }
  }

  #settle(): void {
    this.#unheard?.said?.();
    this.#unheard = undefined;
  }

  #putBack(): void {
    if (this.#unheard !== undefined) this.#texts.unshift(this.#unheard);
    this.#unheard = undefined;
  }

  #fill(): void {
    const { isQuiet, tools } = this.#options;
    if (tools().isBusy && this.#fillers === 0 && isQuiet()) this.#speakFiller();
  }

  /** Each tool ends quickly, but the caller has waited through several. */
  get #isFillerDue(): boolean {
    const silentMs = this.#options.clock.nowMs() - this.#silentSinceMs;
    return this.#rounds > 0 && silentMs >= (BETWEEN_TOOLS_MS[Math.min(this.#fillers, 1)] ?? Infinity);
  }

  #speakFiller(): void {
    const { filler, speak } = this.#options;
    const text = filler(this.#fillers);
    this.#fillers += 1;
    speak({ text, isSide: true });
  }
}
