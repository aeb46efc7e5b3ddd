import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import type { LanguageSession } from "../llm/contract.ts";
import type { SessionSettings } from "../protocol/session-settings.ts";
import { AbortScope } from "../shared/abort-scope.ts";
import type { Clock } from "../shared/clock.ts";
import { Serial } from "../shared/serial.ts";
import type { TextToSpeech } from "../tts/contract.ts";
import { GREETING_TURN } from "../turn/machine.ts";
import type { ClientPort } from "./contract.ts";
import { History } from "./history.ts";
import { systemPrompt } from "./prompt.ts";
import { Reply } from "./reply.ts";

/** People answer a question a little before it ends. */
const QUESTION_END_MS = 1200;

export interface AnsweringOptions {
  readonly language: LanguageSession;
  readonly speech: TextToSpeech;
  readonly voice: VoiceConfiguration;
  readonly client: ClientPort;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly settings: () => SessionSettings;
  readonly events: {
    /** See `ReplyEvents`. */
    sent(pcm: Uint8Array, playsAtMs: number): void;
    audible(turn: number): void;
    finished(turn: number): void;
    failed(turn: number, stage: "llm" | "tts", error: unknown): void;
  };
}

/** The box's half of the conversation: what was said so far, and at most one reply on its way. */
export class Answering {
  readonly history = new History();
  readonly #options: AnsweringOptions;
  /** The language model takes one request at a time. */
  readonly #generating = new Serial();
  #current: { readonly reply: Reply; readonly scope: AbortScope } | undefined;
  #prefill: AbortScope | undefined;

  constructor(options: AnsweringOptions) {
    this.#options = options;
  }

  /** Resolves when all of the reply is synthesised, failed or cancelled. */
  start(turn: number): Promise<void> {
    const { voice, events, signal } = this.#options;
    this.#prefill?.abort();
    const scope = new AbortScope(signal);
    const reply = new Reply({
      ...this.#options,
      source: turn === GREETING_TURN ? { text: voice.greeting ?? "" } : { messages: this.#prompt() },
      signal: scope.signal,
      events: {
        sent: (pcm, playsAtMs) => events.sent(pcm, playsAtMs),
        audible: () => events.audible(turn),
        finished: () => {
          this.stop();
          events.finished(turn);
        },
        failed: (stage, error) => {
          this.stop();
          events.failed(turn, stage, error);
        },
      },
    });
    this.#current = { reply, scope };
    return this.#generating.run(() => reply.run());
  }

  hold(): void {
    this.#current?.reply.hold();
  }

  resume(): void {
    this.#current?.reply.resume();
  }

  /** What the current reply says, or nothing. */
  get speech(): string {
    return this.#current?.reply.text ?? "";
  }

  /** True when the reply is at the end of a question: a "yes" over it is an answer, not a back-channel. */
  get awaitsAnswer(): boolean {
    return this.#current?.reply.endsAsking(QUESTION_END_MS) ?? false;
  }

  /** Stops what is left of the reply at once, and remembers what was heard of it. */
  stop(): void {
    const current = this.#current;
    if (current === undefined) return;
    this.#current = undefined;
    this.history.addAssistant(current.reply.heard());
    current.reply.cancel();
    current.scope.abort();
    current.scope[Symbol.dispose]();
  }

  /** While the user talks, the model reads what it already knows. Rejects when it could not; only a head start is lost. */
  async readAhead(): Promise<void> {
    const { language, signal } = this.#options;
    this.#prefill?.abort();
    using scope = new AbortScope(signal);
    this.#prefill = scope;
    await this.#generating.run(async () => {
      if (!scope.signal.aborted) await language.prefill(this.#prompt(), scope.signal);
    });
  }

  #prompt() {
    const { voice, settings } = this.#options;
    return this.history.prompt(systemPrompt(voice, settings(), new Date()));
  }
}
