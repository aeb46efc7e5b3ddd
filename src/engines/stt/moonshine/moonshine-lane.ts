import { setImmediate } from "node:timers/promises";
import type { Decoded, Token } from "../decoded.ts";
import { logProbabilityOf, type ScoredText } from "../ears/scored-text.ts";
import { isLooping } from "../text/guards.ts";
import { tokenStarts } from "./align.ts";
import {
  attentionToWords,
  type EncodedClip,
  type MoonshineModel,
  POSITION_SECONDS,
  type WrittenToken,
} from "./moonshine-model.ts";
import { WordList } from "./word-list.ts";

/** Steps after which the worker reads messages from the server, so that an abort stops a decode soon. */
const STEPS_BETWEEN_MESSAGES = 4;

/** The attention points to a word before it begins (docs/decisions/0089-two-ears.md). */
const EARLY_SECONDS = 0.06;

/** A clip that was transcribed is scored within this time. A caller's sound is not kept longer. */
const KEPT_MS = 5_000;

interface KeptClip {
  readonly samples: Float32Array;
  readonly encoded: EncodedClip;
  /** By their texts. */
  readonly scores: Map<string, ScoredText>;
}

/** Works on one clip at a time. Blocks for one step of the model at a time. */
export class MoonshineLane {
  readonly #model: MoonshineModel;
  /** The last clip: the same one is often scored after it was transcribed. */
  #last: KeptClip | undefined;
  #forgetting: NodeJS.Timeout | undefined;
  #isAborted = false;
  /** The last one. */
  #list: WordList | undefined;

  constructor(model: MoonshineModel) {
    this.#model = model;
  }

  /** The work that runs ends with the tokens or scores so far. */
  abort(): void {
    this.#isAborted = true;
  }

  /** `samples`: mono, 16 kHz. */
  async transcribe(samples: Float32Array, maxTokens: number): Promise<Decoded> {
    this.#isAborted = false;
    const written = await this.#write(this.#clipOf(samples).encoded, maxTokens);
    const starts = tokenStarts(written.map(({ attention }) => attentionToWords(attention)));
    const tokens = written.map(({ id, isEnd, logProbability }, at): Token => ({
      id,
      bytes: isEnd ? "" : this.#model.pieces.bytesOf(id),
      probability: Math.exp(logProbability),
      logProbability,
      alignedSeconds: (starts[at] ?? 0) * POSITION_SECONDS + EARLY_SECONDS,
    }));
    return { tokens: tokens.filter(({ bytes }) => bytes !== ""), noSpeechProbability: 0 };
  }

  /** The likeliest text of these words, in any order and number, or "" when it does not end in time. `words`: see `WordList`. */
  async dictated(samples: Float32Array, words: string, maxTokens: number): Promise<string> {
    this.#isAborted = false;
    const { pieces } = this.#model;
    const list = this.#list?.words === words ? this.#list : new WordList(words, pieces);
    this.#list = list;
    const written = await this.#write(this.#clipOf(samples).encoded, maxTokens, list);
    if (written.pop()?.isEnd !== true) return "";
    return written
      .map(({ id }) => pieces.bytesOf(id))
      .join("")
      .trim();
  }

  /** Each text's tokens and its end. */
  async score(samples: Float32Array, texts: readonly string[]): Promise<readonly ScoredText[]> {
    this.#isAborted = false;
    const { encoded, scores } = this.#clipOf(samples);
    const scored: ScoredText[] = [];
    for (const text of texts) {
      const known = scores.get(text);
      const score = known ?? this.#model.score(encoded, text);
      scores.set(text, score);
      scored.push(score);
      if (known !== undefined) continue;
      await setImmediate();
      if (this.#isAborted) break;
    }
    return scored;
  }

  /** Those `most` texts of each group that the clip fits best. The first token alone rules most texts out. */
  async likeliest(
    samples: Float32Array,
    groups: readonly (readonly string[])[],
    most: number,
  ): Promise<readonly string[]> {
    const firstScore = this.#model.firstScorer(this.#clipOf(samples).encoded);
    const found: string[] = [];
    for (const texts of groups) {
      const few = best(texts, texts.map(firstScore), most + 1);
      found.push(...best(few, (await this.score(samples, few)).map(logProbabilityOf), most));
    }
    return found;
  }

  #clipOf(samples: Float32Array): KeptClip {
    if (this.#last !== undefined && isSameClip(this.#last.samples, samples)) return this.#last;
    const clip = { samples, encoded: this.#model.encode(samples), scores: new Map<string, ScoredText>() };
    this.#last = clip;
    clearTimeout(this.#forgetting);
    this.#forgetting = setTimeout(() => (this.#last = undefined), KEPT_MS);
    return clip;
  }

  async #write(clip: EncodedClip, maxTokens: number, only?: WordList): Promise<WrittenToken[]> {
    const written: WrittenToken[] = [];
    const ids: number[] = [];
    for (const token of this.#model.write(clip, maxTokens, only)) {
      written.push(token);
      ids.push(token.id);
      if (isLooping(ids)) break;
      if (written.length % STEPS_BETWEEN_MESSAGES === 0) await setImmediate();
      if (this.#isAborted) break;
    }
    return written;
  }
}

function isSameClip(one: Float32Array, other: Float32Array): boolean {
  return one.length === other.length && bytesOf(one).equals(bytesOf(other));
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array) => Buffer.from(buffer, byteOffset, byteLength);

/** `scores`: one for each text. */
function best(texts: readonly string[], scores: readonly number[], most: number): readonly string[] {
  const scored = texts.map((text, index) => ({ text, score: scores[index] ?? -Infinity }));
  return scored
    .toSorted((one, other) => other.score - one.score)
    .slice(0, most)
    .map(({ text }) => text);
}
