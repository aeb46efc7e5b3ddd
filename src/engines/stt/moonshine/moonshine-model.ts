import { join } from "node:path";
import { readFile } from "node:fs/promises";
import { MODEL_HZ } from "../../../audio/format.ts";
import { OnnxSession } from "../../onnx/onnx-session.ts";
import { Tensor } from "../../onnx/onnxruntime.ts";
import type { ScoredText } from "../ears/scored-text.ts";
import { Pieces } from "./pieces.ts";
import type { WordList } from "./word-list.ts";

const BEGIN = 1;
const END = 2;
const LAYERS = 6;
const HEADS = 8;
const HEAD_WIDTH = 36;
/** One position of the encoder: the strides 64, 3 and 2 of its convolutions. */
export const POSITION_SECONDS = (64 * 3 * 2) / MODEL_HZ;

type Values = Readonly<Record<string, Tensor>>;

/** A clip after the encoder and the first step of the decoder, with which every text begins. */
export interface EncodedClip {
  readonly states: Tensor;
  readonly mask: Tensor;
  readonly begin: Values;
}

/** One step of the decoder. */
export interface WrittenToken {
  readonly id: number;
  /** True for the token that ends the text. It has no text. */
  readonly isEnd: boolean;
  readonly logProbability: number;
  /** Attention of all heads, one after the other, over the positions of the clip. */
  readonly attention: Float32Array;
}

/** Names of the decoder's keys and values, without their prefix. */
const PAST = Array.from({ length: LAYERS }, (_, layer) =>
  ["decoder.key", "decoder.value", "encoder.key", "encoder.value"].map((part) => `${String(layer)}.${part}`),
).flat();
const PRESENT = PAST.map((name) => `present.${name}`);
/** The keys and values of the clip do not change after the first step. */
const CHANGING = PRESENT.filter((name) => name.includes("decoder"));
const empty = () => new Tensor("float32", new Float32Array(0), [1, HEADS, 0, HEAD_WIDTH]);
const NO_PAST: Values = Object.fromEntries(PAST.map((name) => [`past_key_values.${name}`, empty()]));

/** Moonshine tiny: an encoder whose work follows the clip's length, and a decoder that writes one token a step. All calls block. */
export class MoonshineModel {
  readonly pieces: Pieces;
  readonly #encoder: OnnxSession;
  readonly #decoder: OnnxSession;

  private constructor(encoder: OnnxSession, decoder: OnnxSession, pieces: Pieces) {
    this.#encoder = encoder;
    this.#decoder = decoder;
    this.pieces = pieces;
  }

  /** `folder`: as scripts/models/moonshine_tiny.py writes it. Rejects with the fault of a missing or damaged file. */
  static async open(folder: string, threads: number): Promise<MoonshineModel> {
    const pieces = Pieces.parse(await readFile(join(folder, "tokens.txt"), "utf8"));
    const encoder = new OnnxSession(join(folder, "encoder.onnx"), threads);
    return new MoonshineModel(encoder, new OnnxSession(join(folder, "decoder.onnx"), threads), pieces);
  }

  /** `samples`: mono, 16 kHz, at least 0.1 s. */
  encode(samples: Float32Array): EncodedClip {
    const mask = new Tensor("int64", new BigInt64Array(samples.length).fill(1n), [1, samples.length]);
    const audio = new Tensor("float32", samples, [1, samples.length]);
    const states = valueOf(this.#encoder.run({ input_values: audio, attention_mask: mask }), "last_hidden_state");
    const begin = this.#step({ states, mask }, [BEGIN], undefined, ["logits", "attention", ...PRESENT]);
    return { states, mask, begin };
  }

  /** Writes the likeliest English text, token by token, and its end, or the likeliest text of `only`. Each `next` is one step. */
  *write(clip: EncodedClip, maxTokens: number, only?: WordList): Generator<WrittenToken, void> {
    let outputs = clip.begin;
    let past = pastOf(outputs, undefined);
    let text = "";
    for (let step = 0; step < maxTokens; step++) {
      const logits = floats(outputs, "logits");
      if (logits.length !== this.pieces.size) throw new Error("its token table is for another decoder");
      const best = only === undefined ? likeliest(logits, this.pieces) : highest(logits, only.after(text, END));
      const logProbability = (logits[best] ?? 0) - logSum(logits);
      text += this.pieces.bytesOf(best);
      yield { id: best, isEnd: best === END, logProbability, attention: floats(outputs, "attention") };
      if (best === END) return;
      outputs = this.#step(clip, [best], past, ["logits", "attention", ...CHANGING]);
      past = pastOf(outputs, past);
    }
  }

  /** Each token of a text, and its end, given the clip. */
  score(clip: EncodedClip, text: string): ScoredText {
    const tokens = this.pieces.tokensOf(text);
    const first = floats(clip.begin, "logits");
    const rest =
      tokens.length === 0
        ? first
        : floats(this.#step(clip, tokens, pastOf(clip.begin, undefined), ["logits"]), "logits");
    return [...tokens, END].map((token, at) => {
      const row = at === 0 ? first : rest.subarray((at - 1) * first.length, at * first.length);
      return {
        bytes: token === END ? "" : this.pieces.bytesOf(token),
        logProbability: (row[token] ?? 0) - logSum(row),
      };
    });
  }

  /** Scores a text by its first token alone, given the clip. */
  firstScorer(clip: EncodedClip): (text: string) => number {
    const scores = floats(clip.begin, "logits");
    return (text) => scores[this.pieces.tokensOf(text)[0] ?? 0] ?? -Infinity;
  }

  release(): void {
    this.#encoder.release();
    this.#decoder.release();
  }

  #step(
    { states, mask }: Omit<EncodedClip, "begin">,
    tokens: readonly number[],
    past: Values | undefined,
    outputs: readonly string[],
  ): Values {
    const feeds = {
      encoder_attention_mask: mask,
      input_ids: new Tensor("int64", BigInt64Array.from(tokens, BigInt), [1, tokens.length]),
      encoder_hidden_states: states,
      ...(past ?? NO_PAST),
      use_cache_branch: new Tensor("bool", Uint8Array.of(past === undefined ? 0 : 1), [1]),
    };
    return this.#decoder.run(feeds, outputs);
  }
}

/** The encoder's keys and values are those of the first step. */
function pastOf(outputs: Values, before: Values | undefined): Values {
  const kept = (name: string) => (name.includes("encoder") ? before?.[`past_key_values.${name}`] : undefined);
  return Object.fromEntries(
    PAST.map((name) => [`past_key_values.${name}`, kept(name) ?? valueOf(outputs, `present.${name}`)]),
  );
}

function valueOf(values: Values, name: string): Tensor {
  const value = values[name];
  if (value === undefined) throw new Error(`it lacks the output '${name}'`);
  return value;
}

const floats = (values: Values, name: string) => valueOf(values, name).data as Float32Array;

/** The likeliest token of an English text. In the first moments of a word the model also finds other scripts. */
function likeliest(scores: Float32Array, pieces: Pieces): number {
  let best = END;
  for (let token = 0; token < scores.length; token++)
    if ((scores[token] ?? 0) > (scores[best] ?? 0) && pieces.isLatin(token)) best = token;
  return best;
}

const highest = (scores: Float32Array, tokens: readonly number[]): number =>
  tokens.reduce((best, token) => ((scores[token] ?? 0) > (scores[best] ?? 0) ? token : best), tokens[0] ?? END);

/** Even 100,000 scores that are lower than the highest by this much change the sum by less than 1 in 10,000. */
const NEGLIGIBLE = 21;

/** Logarithm of the sum of exp of the scores. Counts with an index, because an iterator takes three times as long. */
function logSum(scores: Float32Array): number {
  let most = -Infinity;
  for (let at = 0; at < scores.length; at++) most = Math.max(most, scores[at] ?? -Infinity);
  let sum = 0;
  for (let at = 0; at < scores.length; at++) {
    const below = (scores[at] ?? -Infinity) - most;
    if (below > -NEGLIGIBLE) sum += Math.exp(below);
  }
  return most + Math.log(sum);
}

/** Heads whose attention follows the words, chosen on voices with known times (docs/decisions/0089-two-ears.md). Numbered layer by layer. */
const WORD_HEADS = [27, 31, 38, 42, 46];

/** Attention of a token to the positions of the clip, from that of all heads. */
export function attentionToWords(attention: Float32Array): Float32Array {
  const positions = attention.length / (LAYERS * HEADS);
  return Float32Array.from({ length: positions }, (_, at) =>
    WORD_HEADS.reduce((sum, head) => sum + (attention[head * positions + at] ?? 0), 0),
  );
}
