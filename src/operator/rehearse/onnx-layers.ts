import { OnnxGraph } from "./onnx-graph.ts";
import type { Piece } from "./write-pieces.ts";

interface ConvOptions {
  readonly dilation?: number;
  readonly group?: number;
  readonly stride?: number;
}

/** Metadata of a voice that sherpa-onnx drives as VITS: one speaker, a token for each character. */
const VOICE = {
  model_type: "vits",
  language: "English",
  voice: "en-us",
  frontend: "characters",
  n_speakers: 1,
  blank_id: 0,
  bos_id: 0,
  eos_id: 0,
  use_eos_bos: 0,
  punctuation: "",
  has_espeak: 0,
};

/** Loud enough to be heard as the beginning of speech. */
const LOUDNESS = 0.1;

/** Layers of the voices' graphs, channels first. Weights keep the variance of their input. */
export class Layers {
  readonly graph = new OnnxGraph();

  conv(input: string, from: number, to: number, kernel: number, options: ConvOptions = {}): string {
    const { dilation = 1, group = 1, stride = 1 } = options;
    const around = (dilation * (kernel - 1)) / 2;
    const weights = this.graph.noise([to, from / group, kernel], ((from / group) * kernel) ** -0.5);
    return this.graph.node("Conv", [input, weights, this.graph.floats([to], 0)], {
      kernel_shape: [kernel],
      dilations: [dilation],
      strides: [stride],
      pads: [around, around],
      group,
    });
  }

  upsample(input: string, from: number, to: number, factor: number, kernel: number, group = 1): string {
    const around = (kernel - factor) / 2;
    const weights = this.graph.noise([from, to / group, kernel], (((from / group) * kernel) / factor) ** -0.5);
    return this.graph.node("ConvTranspose", [input, weights, this.graph.floats([to], 0)], {
      kernel_shape: [kernel],
      strides: [factor],
      pads: [around, around],
      group,
    });
  }

  /** Each position `times` times. */
  repeat(input: string, width: number, times: number): string {
    const { graph } = this;
    const apart = graph.node("Unsqueeze", [input, graph.integers(3)]);
    const repeated = graph.node("Tile", [apart, graph.integers(1, 1, 1, times)]);
    return graph.node("Reshape", [repeated, graph.integers(1, width, -1)]);
  }

  leaky(input: string, alpha = 0.1): string {
    return this.graph.node("LeakyRelu", [input], { alpha: { float: alpha } });
  }

  norm(input: string, width: number): string {
    const last = this.flip(input);
    return this.flip(this.normLast(last, width));
  }

  /** Layer norm over the last of three axes. */
  normLast(input: string, width: number): string {
    const { graph } = this;
    return graph.node("LayerNormalization", [input, graph.floats([width], 1), graph.floats([width], 0)], { axis: 2 });
  }

  /** Channels last, or first again. */
  flip(input: string): string {
    return this.graph.node("Transpose", [input], { perm: [0, 2, 1] });
  }

  /** The model file of a voice: `wave` is its output, made quiet, with noise that is audible for any weights. */
  voice(wave: string, sampleRateHz: number, addBlank: 0 | 1, comment: string): readonly Piece[] {
    const { graph } = this;
    const hiss = graph.node("RandomNormalLike", [wave], { seed: { float: 2 }, scale: { float: LOUDNESS } });
    graph.node("Add", [graph.node("Mul", [wave, graph.floats([1], LOUDNESS)]), hiss], {}, ["y"]);
    const scalar = { type: "float", shape: [1] } as const;
    return graph.file(
      {
        x: { type: "int64", shape: ["N", "L"] },
        x_length: { type: "int64", shape: ["N"] },
        noise_scale: scalar,
        length_scale: scalar,
        noise_scale_w: scalar,
      },
      { name: "y", shape: ["N", 1, "samples"] },
      { ...VOICE, comment, sample_rate: sampleRateHz, add_blank: addBlank },
    );
  }
}
