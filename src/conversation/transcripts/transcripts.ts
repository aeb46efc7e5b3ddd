import type { SampleRing } from "../../audio/ring-buffer.ts";
import type { SpeechContext, SpeechRecognizer, SpeechToText } from "../../engines/stt/speech-to-text.ts";
import type { Language } from "../../language/language.ts";
import type { Clock } from "../../shared/clock.ts";
import type { Tasks } from "../../shared/tasks.ts";
import { Decoder } from "./decoder.ts";
import { OverlapListener, type OverlapListenerOptions } from "./overlap-listener.ts";
import { PartialBudget } from "./partial-budget.ts";
import { TurnTranscripts, type TurnTranscriptsOptions } from "./turn-transcripts.ts";

export interface TranscriptsOptions {
  readonly stt: SpeechToText;
  readonly ring: SampleRing;
  readonly language: () => Language;
  readonly context: () => SpeechContext;
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
  readonly #recognizers: readonly SpeechRecognizer[];

  constructor(options: TranscriptsOptions) {
    const { stt, ring, context, clock } = options;
    const recognizer = stt.open();
    // Decodes the settled part of a long turn beside the newest part.
    const background = stt.open();
    this.#recognizers = [recognizer, background];
    const decoder = new Decoder(recognizer, ring, context);
    // A recogniser on another machine has callers of other boxes too.
    const partials = new PartialBudget(clock, Math.max(1, stt.threads));
    this.turns = new TurnTranscripts({
      ...options,
      decoder,
      partials,
      background: new Decoder(background, ring, context),
    });
    this.overlaps = new OverlapListener({ ...options, decoder, partials });
  }

  close(): void {
    for (const recognizer of this.#recognizers) recognizer.close();
  }
}
