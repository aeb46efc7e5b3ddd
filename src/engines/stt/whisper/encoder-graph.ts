import { MICROSOFT, OnnxGraph } from "../../onnx/onnx-file.ts";
import type { OpenModel } from "../files/model-header.ts";
import { canReadWeights, readWeights } from "../files/model-tensors.ts";

/** Whisper small. Wider encoders stay with whisper.cpp: they need 2 GB and more, and one clip blocks the process for seconds. */
export const MOST_ENCODER_WIDTH = 768;
/** As in the published models. */
const EPSILON = 1e-5;

/** False for models that whisper.cpp should encode itself: they are large, or we cannot read their packing. */
export function canEncode({ width, tensors }: OpenModel): boolean {
  const own = [...tensors.values()].filter(({ name }) => name.startsWith("encoder."));
  return width <= MOST_ENCODER_WIDTH && own.every(canReadWeights);
}

/**
 * The encoder of a Whisper file (ggml) as ONNX models, one after the other: the convolutions, then each layer. The first takes the
 * log-mel, [1, bands, two frames a position]. The others take the output of the one before, [positions, width].
 */
export function* encoderParts(model: OpenModel): Generator<Uint8Array<ArrayBuffer>> {
  yield new EncoderPart(model).convolutions();
  for (let layer = 0; layer < model.audioLayers; layer++) yield new EncoderPart(model).layer(layer);
}

class EncoderPart {
  readonly #graph = new OnnxGraph();
  readonly #model: OpenModel;

  constructor(model: OpenModel) {
    this.#model = model;
  }

  convolutions(): Uint8Array<ArrayBuffer> {
    const output = this.#withPositions(this.#convolved(this.#convolved("input", "conv1", 1), "conv2", 2));
    return this.#write([1, this.#model.mels, "frames"], output);
  }

  layer(at: number): Uint8Array<ArrayBuffer> {
    const { width, audioLayers } = this.#model;
    const output = this.#layer("input", `blocks.${String(at)}`);
    return this.#write(["positions", width], at === audioLayers - 1 ? this.#normed(output, "ln_post") : output);
  }

  #write(shape: readonly (number | string)[], output: string): Uint8Array<ArrayBuffer> {
    return this.#graph.write([{ name: "input", shape }], [{ name: output, shape: ["positions", this.#model.width] }]);
  }

  #convolved(input: string, name: string, stride: number): string {
    const kernel = { kernel_shape: [3], pads: [1, 1], strides: [stride] };
    const { width } = this.#model;
    return this.#gelu(
      this.#node("Conv", [input, this.#weights(`${name}.weight`), this.#weights(`${name}.bias`, [width])], kernel),
    );
  }

  /** [1, width, positions] as [positions, width], with the position's own values. */
  #withPositions(convolved: string): string {
    const positions = this.#node("Transpose", [this.#node("Squeeze", [convolved, this.#integer(0)])], { perm: [1, 0] });
    const count = this.#node("Slice", [this.#node("Shape", [positions]), this.#integer(0), this.#integer(1)]);
    const all = this.#weights("positional_embedding");
    return this.#node("Add", [positions, this.#node("Slice", [all, this.#integer(0), count])]);
  }

  #layer(input: string, name: string): string {
    const normed = this.#normed(input, `${name}.attn_ln`);
    const heads = ["query", "key", "value"].map((part) => {
      const projected = this.#projected(normed, `${name}.attn.${part}`);
      return this.#node("Unsqueeze", [projected, this.#integer(0)]);
    });
    const attention = { num_heads: this.#model.heads };
    const attended = this.#node("MultiHeadAttention", heads, attention, MICROSOFT);
    const seen = this.#projected(this.#node("Squeeze", [attended, this.#integer(0)]), `${name}.attn.out`);
    const middle = this.#node("Add", [input, seen]);
    const hidden = this.#gelu(this.#projected(this.#normed(middle, `${name}.mlp_ln`), `${name}.mlp.0`));
    return this.#node("Add", [middle, this.#projected(hidden, `${name}.mlp.2`)]);
  }

  /** The keys have no bias. */
  #projected(input: string, name: string): string {
    const bias = this.#has(`${name}.bias`) ? [this.#weights(`${name}.bias`)] : [];
    return this.#node("Gemm", [input, this.#weights(`${name}.weight`), ...bias], { transB: 1 });
  }

  #normed(input: string, name: string): string {
    const parts = [input, this.#weights(`${name}.weight`), this.#weights(`${name}.bias`)];
    return this.#node("LayerNormalization", parts, { axis: 1, epsilon: { float: EPSILON } });
  }

  #gelu(input: string): string {
    return this.#node("Gelu", [input], {}, MICROSOFT);
  }

  #has(name: string): boolean {
    return this.#model.tensors.has(`encoder.${name}`);
  }

  /** `shape`: if other than in the file. */
  #weights(name: string, shape?: readonly number[]): string {
    const tensor = this.#model.tensors.get(`encoder.${name}`);
    if (tensor === undefined) throw new Error(`it lacks the tensor encoder.${name}`);
    const { file } = this.#model;
    return this.#graph.weights(shape ?? tensor.shape.toReversed(), () => readWeights(file, tensor));
  }

  #integer(value: number): string {
    return this.#graph.integer(value);
  }

  #node(...node: Parameters<OnnxGraph["node"]>): string {
    return this.#graph.node(...node);
  }
}
