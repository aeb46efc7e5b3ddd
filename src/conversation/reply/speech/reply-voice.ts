import type { TextToSpeech } from "../../../engines/tts/text-to-speech.ts";
import { askEngine } from "../../../engines/ask-engine.ts";
import type { Language } from "../../../language/language.ts";
import type { Clock } from "../../../shared/clock.ts";
import type { Clause } from "../text/clause-splitter.ts";
import type { ReplyStyle } from "../text/reply-settings.ts";
import { toCallAudio } from "./call-audio.ts";
import type { Channel } from "./channel.ts";
import type { Player } from "./player.ts";
import type { ReplyPacing } from "./reply-pacing.ts";

export interface ReplyVoiceOptions {
  readonly speech: TextToSpeech;
  readonly language: Language;
  readonly style: ReplyStyle;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Makes the speech of one reply, clause by clause. */
export class ReplyVoice {
  readonly #options: ReplyVoiceOptions;
  readonly #player: Player;
  readonly #pacing: ReplyPacing;
  /** Some of the text can be spoken, in this language. */
  isSpeakable = false;
  /** Some of it is speech. */
  isSpoken = false;
  /** Time that the voice has worked. */
  workMs = 0;

  constructor(options: ReplyVoiceOptions, player: Player, pacing: ReplyPacing) {
    this.#options = options;
    this.#player = player;
    this.#pacing = pacing;
  }

  /** @param opened One clause is enough to start at once. More would be wasted when the caller continues. */
  async speak(clauses: Channel<Clause>, opened: Promise<void>): Promise<void> {
    const { signal } = this.#options;
    let end = 0;
    for await (const { text, start, end: toChar } of clauses) {
      const speakable = this.#speakable(text);
      if (speakable === "") {
        this.#pacing.synthesized(0);
        continue;
      }
      this.isSpeakable = true;
      await this.#player.room();
      const pcm = await this.#synthesize(speakable);
      if (pcm === undefined) continue;
      this.isSpoken = true;
      this.#player.enqueue({ pcm, fromChar: Math.max(start, end), toChar });
      end = toChar;
      await opened;
      signal.throwIfAborted();
    }
  }

  /** Whether the caller perceives some of this text. */
  isHeard(text: string): boolean {
    return (this.#options.style.speaks ? this.#speakable(text) : text.trim()) !== "";
  }

  #speakable(text: string): string {
    const { style, language } = this.#options;
    return style.speaks ? language.speakable(text) : "";
  }

  async #synthesize(text: string) {
    const { speech, style, signal, clock } = this.#options;
    const startMs = clock.nowMs();
    this.#pacing.synthesizes();
    const request = { text, voice: style.voice, speed: style.speed };
    const samples = await askEngine(() => speech.synthesize(request, signal)).finally(
      () => (this.workMs += clock.nowMs() - startMs),
    );
    signal.throwIfAborted();
    this.#pacing.synthesized((samples.length * 1000) / speech.sampleRateHz);
    return samples.length === 0 ? undefined : toCallAudio(samples, speech.sampleRateHz, text);
  }
}
