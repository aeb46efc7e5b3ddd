import type { SampleRing } from "../../audio/ring-buffer.ts";
import type { SpeechContext, SpeechRecognizer, SpeechToText } from "../../engines/stt/speech-to-text.ts";
import type { Language } from "../../language/language.ts";
import type { Clock } from "../../shared/clock.ts";
import type { Tasks } from "../../shared/tasks.ts";
import { Decoder } from "./decoder.ts";
import { OverlapListener, type OverlapListenerOptions } from "./overlap-listener.ts";
import { PartialBudget } from "./partial-budget.ts";
import { SpokenLanguage, type SpokenLanguageOptions } from "./spoken-language.ts";
import { TurnTranscripts, type TurnTranscriptsOptions } from "./turn-transcripts.ts";

export interface TranscriptsOptions {
  readonly stt: SpeechToText;
  readonly ring: SampleRing;
  readonly language: () => Language;
  readonly context: (language: string) => SpeechContext;
  /** The setting, and the language before any is heard. */
  readonly spoken: Pick<SpokenLanguageOptions, "setting" | "first" | "changed">;
  readonly echo: OverlapListenerOptions["echo"];
  readonly clock: Clock;
  readonly tasks: Tasks;
  readonly signal: AbortSignal;
  readonly events: TurnTranscriptsOptions["events"];
}

/** The caller's words, in turns and over replies. Both share one recogniser and one budget for partials. */
export class Transcripts {
  readonly turns: TurnTranscripts;
  readonly overlaps: OverlapListener;
  readonly spoken: SpokenLanguage;
  readonly #recognizers: readonly SpeechRecognizer[];

  constructor(options: TranscriptsOptions) {
    const { stt, ring, clock } = options;
    const recognizer = stt.open();
    // Decodes the settled part of a long turn beside the newest part.
    const background = stt.open();
    this.#recognizers = [recognizer, background];
    const context = () => options.context(this.spoken.code);
    const ready = () => this.spoken.settled();
    const decoder = new Decoder(recognizer, ring, context, ready);
    const beside = new Decoder(background, ring, context);
    this.spoken = new SpokenLanguage({ ...options, ...options.spoken, identify: beside.identifyLanguage });
    // A recogniser on another machine has callers of other boxes too.
    const partials = new PartialBudget(clock, Math.max(1, stt.threads));
    this.turns = new TurnTranscripts({
      ...options,
      decoder,
      partials,
      background: beside,
      delaysPartials: (spokenMs) => this.spoken.delaysPartials(spokenMs),
    });
    this.overlaps = new OverlapListener({ ...options, decoder });
  }

  get identifiesLanguage(): boolean {
    return this.#recognizers.every((recognizer) => recognizer.identifyLanguage !== undefined);
  }

  close(): void {
    for (const recognizer of this.#recognizers) recognizer.close();
  }
}
