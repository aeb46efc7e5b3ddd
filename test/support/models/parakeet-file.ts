import { GGML_MAGIC, HEADER_PACKING, ints, norm, tensor, wordList } from "./ggml-tensors.ts";
import { PACKINGS } from "./packings.ts";
import { signs } from "./signs.ts";
import type { Piece } from "./write-pieces.ts";

/** Dimensions that decide the size and cost of a Parakeet TDT model. */
export interface ParakeetShape {
  readonly vocabulary: number;
  readonly width: number;
  readonly heads: number;
  readonly layers: number;
  readonly mels: number;
  /** Channels of the convolutions that make one frame of eight. */
  readonly channels: number;
  readonly predictionWidth: number;
  readonly predictionLayers: number;
}

export type ParakeetPacking = "f16" | "q4_k" | "q8_0";

/** The text that the model returns for any audio. */
export const HEARD = "this is only a rehearsal";

const AUDIO_CONTEXT = 5_000;
const FFT = 512;
const WINDOW = 400;
const SUBSAMPLING = 8;
const KERNEL = 9;
const MOST_TOKENS_A_FRAME = 10;
const DURATIONS = [0, 1, 2, 3, 4] as const;
/** Each word lasts one frame of 80 ms, so that the sentence fits into a second. */
const SPOKEN_DURATION = 1;
const DURATION_BIAS = 6;

/** Gates of an LSTM in the file's order: the state's input, its decay, its output, and the new value. */
const GATE_BIASES = [10, -10, 10, 0] as const;
const VALUE_GATE = 3;
/** Makes the LSTM pass on the signs of its input: its output is ±0.76. */
const STRAIGHT = 4;
/** Output weights of a word, times the width. The score is 20 against 0 for other words. */
const SCORE_WEIGHT = 12.8;

/**
 * A Parakeet TDT model file of whisper.cpp, of the given shape. It says `HEARD` and ends: each word's output row answers to the
 * signs of the embedding of the word before it, and the LSTM passes these signs on. All other weights are small noise.
 */
export function parakeetFile(shape: ParakeetShape, packed: ParakeetPacking): readonly Piece[] {
  const { vocabulary, width, heads, layers, mels, channels, predictionWidth, predictionLayers } = shape;
  const blank = vocabulary;
  const words = HEARD.split(" ");
  /** The sentence begins and ends with the blank. */
  const wordBefore = (token: number): number | undefined => {
    if (token === blank) return words.length - 1;
    if (token >= words.length) return undefined;
    return token === 0 ? blank : token - 1;
  };
  const header = ints(
    GGML_MAGIC,
    vocabulary,
    AUDIO_CONTEXT,
    width,
    heads,
    layers,
    mels,
    HEADER_PACKING[packed],
    FFT,
    SUBSAMPLING,
    channels,
    KERNEL,
    predictionWidth,
    predictionLayers,
    DURATIONS.length,
    MOST_TOKENS_A_FRAME,
  );
  const columns = FFT / 2 + 1;
  const names = Array.from({ length: vocabulary }, (_, token) =>
    token < words.length ? `▁${words[token] ?? ""}` : `x${String(token)}`,
  );
  // whisper.cpp keeps these tensors whole where their rows are not whole blocks.
  const predicted = predictionWidth % PACKINGS[packed].weights === 0 ? packed : "f32";
  const straight = (row: number): Float32Array => {
    const values = new Float32Array(predictionWidth);
    values[row] = STRAIGHT;
    return values;
  };
  const outputs = vocabulary + 1 + DURATIONS.length;
  const biases = new Float32Array(outputs);
  biases[vocabulary + 1 + DURATIONS.indexOf(SPOKEN_DURATION)] = DURATION_BIAS;
  const gates = Float32Array.from(
    { length: 4 * predictionWidth },
    (_, at) => GATE_BIASES[Math.floor(at / predictionWidth)] ?? 0,
  );
  const lstm = "decoder.prediction.dec_rnn.lstm";
  return [
    header,
    // Filters and window of zeros: every sound is silence to this model, at the same cost.
    Buffer.concat([ints(mels, columns), Buffer.alloc(mels * columns * 4), ints(WINDOW), Buffer.alloc(WINDOW * 4)]),
    ints(...DURATIONS),
    wordList(names),
    ...subsampling(channels),
    ...tensor("encoder.pre_encode.out.weight", packed, [(mels / SUBSAMPLING) * channels, width]),
    ...tensor("encoder.pre_encode.out.bias", "f32", [width], { constant: 0 }),
    ...Array.from({ length: layers }, (_, layer) => conformer(layer, width, heads, packed)).flat(),
    ...tensor("decoder.prediction.embed.weight", predicted, [predictionWidth, vocabulary + 1], {
      rowAt: (token) => (token < words.length || token === blank ? signs(token, predictionWidth, 1) : undefined),
    }),
    ...Array.from({ length: predictionLayers }, (_, layer) => [
      ...tensor(`${lstm}.weight_ih_l${String(layer)}`, predicted, [predictionWidth, 4 * predictionWidth], {
        rowAt: (row) => (row >= VALUE_GATE * predictionWidth ? straight(row % predictionWidth) : undefined),
      }),
      ...tensor(`${lstm}.weight_hh_l${String(layer)}`, predicted, [predictionWidth, 4 * predictionWidth]),
      ...tensor(`${lstm}.bias_h_l${String(layer)}`, "f32", [4 * predictionWidth], { rowAt: () => gates }),
    ]).flat(),
    ...tensor("joint.pred.weight", predicted, [predictionWidth, predictionWidth], { rowAt: straight }),
    ...tensor("joint.pred.bias", "f32", [predictionWidth], { constant: 0 }),
    ...tensor("joint.enc.weight", packed, [width, predictionWidth]),
    ...tensor("joint.enc.bias", "f32", [predictionWidth], { constant: 0 }),
    ...tensor("joint.joint_net.2.weight", predicted, [predictionWidth, outputs], {
      rowAt: (token) => {
        const before = wordBefore(token);
        return before === undefined ? undefined : signs(before, predictionWidth, SCORE_WEIGHT / predictionWidth);
      },
    }),
    ...tensor("joint.joint_net.2.bias", "f32", [outputs], { rowAt: () => biases }),
  ];
}

/** Convolutions over time and frequency, each of which halves both or mixes the channels. */
function subsampling(channels: number): readonly Piece[] {
  const convolution = (index: number, shape: readonly number[]) => [
    ...tensor(`encoder.pre_encode.conv.${String(index)}.weight`, "f32", shape),
    ...tensor(`encoder.pre_encode.conv.${String(index)}.bias`, "f32", [1, 1, channels, 1], { constant: 0 }),
  ];
  return [
    ...convolution(0, [3, 3, 1, channels]),
    ...convolution(2, [3, 3, 1, channels]),
    ...convolution(3, [1, 1, channels, channels]),
    ...convolution(5, [3, 3, 1, channels]),
    ...convolution(6, [1, 1, channels, channels]),
  ];
}

function conformer(layer: number, width: number, heads: number, packed: ParakeetPacking): readonly Piece[] {
  const block = `encoder.layers.${String(layer)}`;
  const square = (name: string) => tensor(`${block}.${name}.weight`, packed, [width, width]);
  const feedForward = (name: string) => [
    ...norm(`${block}.norm_${name}`, width),
    ...tensor(`${block}.${name}.linear1.weight`, packed, [width, 4 * width]),
    ...tensor(`${block}.${name}.linear2.weight`, packed, [4 * width, width]),
  ];
  const batchNorm = (name: string, constant: number) =>
    tensor(`${block}.conv.batch_norm.${name}`, "f32", [width], { constant });
  return [
    ...feedForward("feed_forward1"),
    ...norm(`${block}.norm_conv`, width),
    ...tensor(`${block}.conv.pointwise_conv1.weight`, packed, [width, 2 * width]),
    ...tensor(`${block}.conv.depthwise_conv.weight`, "f32", [KERNEL, width]),
    ...batchNorm("weight", 1),
    ...batchNorm("bias", 0),
    ...batchNorm("running_mean", 0),
    ...batchNorm("running_var", 1),
    ...tensor(`${block}.conv.batch_norm.num_batches_tracked`, "f32", [], { constant: 0 }),
    ...square("conv.pointwise_conv2"),
    ...norm(`${block}.norm_self_att`, width),
    ...tensor(`${block}.self_attn.pos_bias_u`, "f32", [width / heads, heads]),
    ...tensor(`${block}.self_attn.pos_bias_v`, "f32", [width / heads, heads]),
    ...["q", "k", "v", "out", "pos"].flatMap((name) => square(`self_attn.linear_${name}`)),
    ...feedForward("feed_forward2"),
    ...norm(`${block}.norm_out`, width),
  ];
}
