import { setImmediate } from "node:timers/promises";
import type { Decoded, Token } from "../addon.ts";
import { isLooping } from "../guards.ts";
import { tokenStarts } from "./align.ts";
import { type EncodedClip, type MoonshineModel, POSITION_SECONDS, type WrittenToken } from "./moonshine-model.ts";

/** Steps between two looks at the messages from the server, so that an abort stops a decode soon. */
const STEPS_BETWEEN_LOOKS = 4;

/** Decodes one clip at a time. Blocks for one step of the model at a time. */
export class MoonshineLane {
  readonly #model: MoonshineModel;
  #isAborted = false;

  constructor(model: MoonshineModel) {
    this.#model = model;
  }

  /** The decode that runs ends with the tokens so far. */
  abort(): void {
    this.#isAborted = true;
  }

  /** `samples`: mono, 16 kHz, at least 0.25 s. */
  async transcribe(samples: Float32Array, maxTokens: number): Promise<Decoded> {
    this.#isAborted = false;
    const clip = this.#model.encode(samples);
    const written = await this.#write(clip, maxTokens);
    const starts = tokenStarts(written.map(({ attention }) => alignment(attention)));
    const tokens = written
      .filter(({ isEnd }) => !isEnd)
      .map(({ id, logProbability }, at): Token => ({
        id,
        bytes: this.#model.pieces.bytesOf(id),
        probability: Math.exp(logProbability),
        logProbability,
        alignedSeconds: (starts[at] ?? 0) * POSITION_SECONDS,
      }));
    return { tokens, noSpeechProbability: 0 };
  }

  /** Log-probability of each text, given the clip. */
  score(samples: Float32Array, texts: readonly string[]): readonly number[] {
    const clip = this.#model.encode(samples);
    return texts.map((text) => this.#model.score(clip, text));
  }

  async #write(clip: EncodedClip, maxTokens: number): Promise<readonly WrittenToken[]> {
    const written: WrittenToken[] = [];
    const ids: number[] = [];
    for (const token of this.#model.write(clip, maxTokens)) {
      written.push(token);
      ids.push(token.id);
      if (isLooping(ids)) break;
      if (written.length % STEPS_BETWEEN_LOOKS === 0) await setImmediate();
      if (this.#isAborted) break;
    }
    return written;
  }
}
