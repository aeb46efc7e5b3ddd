import type { LanguageScores } from "../../engines/stt/speech-to-text.ts";
import type { Clock } from "../../shared/clock.ts";
import { rethrowFault } from "../../shared/errors.ts";
import { settledWithin } from "../../shared/settled-within.ts";
import type { Tasks } from "../../shared/tasks.ts";
import { toSamples } from "../session-time.ts";
import { isByEar, type LanguageSetting } from "../../language/language-setting.ts";
import { closed, contradicts, firstChoice, hear, SWITCH_MS, type LanguageChoice } from "./language-choice.ts";

/** Spoken time at which an undecided language is queried, and a decided one. The end of a turn is a time too. */
const UNDECIDED_MS = [1_000, 2_000, 4_000, 8_000];
const DECIDED_MS = [SWITCH_MS];
/** The recogniser takes no shorter clip, and uses no longer one. */
const SHORTEST_MS = 500;
const LONGEST_MS = 10_000;
const LEAD_IN_MS = 300;
/** Less new audio does not change the answer. */
const NEWS_MS = 200;
/** How long a final waits for the language. */
const FINAL_WAIT_MS = 500;
/** Partials of an unknown language begin after this, in the first language. */
const PARTIALS_WAIT_MS = 2_500;

export interface SpokenLanguageOptions {
  /** Undefined: the recogniser cannot identify languages. Positions are session samples. */
  readonly identify: ((from: number, to: number, signal: AbortSignal) => Promise<LanguageScores>) | undefined;
  readonly setting: LanguageSetting;
  /** The language before any is heard. */
  readonly first: string;
  readonly clock: Clock;
  readonly tasks: Tasks;
  readonly signal: AbortSignal;
  /** A language was heard. `isOther`: it was not in force before. */
  readonly changed: (language: string, isOther: boolean) => void;
}

/** The language that the caller speaks: the one of the settings, or the one that the recogniser hears. */
export class SpokenLanguage {
  readonly #options: SpokenLanguageOptions;
  #setting: LanguageSetting;
  #choice: LanguageChoice;
  /** The turn under way, with the choice before it. */
  #turn: { readonly number: number; readonly before: LanguageChoice; queries: number; untilMs: number } | undefined;
  /** The turn sounds like another language than the decided one. */
  #isContradicted = false;
  #querying: Promise<void> | undefined;

  constructor(options: SpokenLanguageOptions) {
    this.#options = options;
    this.#setting = options.setting;
    this.#choice = firstChoice(firstOf(options.setting, options.first));
  }

  /** Primary BCP-47 tag of the language in force. */
  get code(): string {
    return this.#choice.language;
  }

  /** The language in force when the recogniser chose it; undefined when it is configured, or not heard yet. */
  get heard(): string | undefined {
    return this.isByEar && this.#choice.evidence !== "none" ? this.code : undefined;
  }

  get isByEar(): boolean {
    return isByEar(this.#setting);
  }

  get choice(): LanguageChoice {
    return this.#choice;
  }

  /** The choice of the same call on another box. */
  restore(choice: LanguageChoice | undefined): void {
    if (choice !== undefined && this.isByEar) this.#choice = closed(choice);
  }

  configure(setting: LanguageSetting): void {
    if (JSON.stringify(setting) === JSON.stringify(this.#setting)) return;
    this.#setting = setting;
    this.#turn = undefined;
    this.#choice = firstChoice(firstOf(setting, this.#options.first));
  }

  /** Call while the caller talks. Queries the recogniser when that is due. */
  follow(turn: number, startMs: number, atMs: number): void {
    if (!this.#listens || this.#querying !== undefined) return;
    const dueMs = (this.#isDecided ? DECIDED_MS : UNDECIDED_MS)[this.#open(turn).queries] ?? Infinity;
    if (atMs - startMs >= dueMs) this.#query(turn, startMs, atMs, false);
  }

  /** Call before the final of a turn that may end at `endMs`. */
  pause(turn: number, startMs: number, endMs: number): void {
    if (!this.#listens || endMs - startMs < SHORTEST_MS || (this.#isDecided && !this.#isContradicted)) return;
    if (endMs - this.#open(turn).untilMs >= NEWS_MS || this.#isContradicted) this.#query(turn, startMs, endMs, true);
  }

  /** The turn had no words that were surely said. Its answers do not count. */
  forget(turn: number): void {
    if (this.#turn?.number === turn) this.#choose(this.#turn.before);
  }

  /** Resolves when the language of a final is known, or when it has waited long enough. */
  async settled(): Promise<void> {
    const { clock, signal } = this.#options;
    if (this.#querying === undefined || (this.#isDecided && !this.#isContradicted)) return;
    await settledWithin(this.#querying, FINAL_WAIT_MS, clock, signal);
  }

  /** True while a partial would be decoded in a language that is only the first of the list. */
  delaysPartials(spokenMs: number): boolean {
    return this.#listens && this.#choice.evidence === "none" && spokenMs < PARTIALS_WAIT_MS;
  }

  get #listens(): boolean {
    return this.isByEar && this.#options.identify !== undefined;
  }

  get #isDecided(): boolean {
    return this.#choice.evidence === "clear";
  }

  #open(turn: number) {
    if (this.#turn?.number !== turn) {
      this.#turn = { number: turn, before: this.#choice, queries: 0, untilMs: -Infinity };
      this.#isContradicted = false;
    }
    return this.#turn;
  }

  #query(turn: number, startMs: number, untilMs: number, isWhole: boolean): void {
    const open = this.#open(turn);
    open.queries += 1;
    open.untilMs = untilMs;
    const before = this.#querying ?? Promise.resolve();
    const querying = before
      .then(() => this.#ask(turn, startMs, untilMs, isWhole))
      .finally(() => {
        if (this.#querying === querying) this.#querying = undefined;
      });
    this.#querying = querying;
    this.#options.tasks.own(querying);
  }

  /** A query that fails or is refused under load is repeated at the next time. The final reports a recogniser that is down. */
  async #ask(turn: number, startMs: number, untilMs: number, isWhole: boolean): Promise<void> {
    const { identify, signal } = this.#options;
    if (signal.aborted || this.#turn?.number !== turn) return;
    const setting = this.#setting;
    const clipMs = Math.min(untilMs - startMs, LONGEST_MS - LEAD_IN_MS);
    const from = toSamples(Math.max(0, startMs - LEAD_IN_MS));
    const scores = await identify?.(from, toSamples(startMs + clipMs), signal).catch((error: unknown) => {
      if (!signal.aborted) rethrowFault(error);
    });
    if (scores === undefined || signal.aborted || setting !== this.#setting || this.#turn?.number !== turn) return;
    const candidates = typeof setting === "string" ? undefined : setting;
    const answer = { turn, scores, spokenMs: clipMs, isWhole: isWhole || clipMs < untilMs - startMs };
    this.#isContradicted = this.#isDecided && contradicts(this.#choice, answer, candidates);
    this.#choose(hear(this.#choice, answer, candidates));
  }

  #choose(choice: LanguageChoice): void {
    const { language } = this.#choice;
    const wasHeard = this.heard;
    this.#choice = choice;
    const isOther = choice.language !== language;
    if (isOther || this.heard !== wasHeard) this.#options.changed(choice.language, isOther);
  }
}

/** The language before any is heard: the first of a list, the fixed one, or `first`. */
function firstOf(setting: LanguageSetting, first: string): string {
  if (typeof setting !== "string") return setting[0] ?? first;
  return setting === "auto" ? first : setting;
}
