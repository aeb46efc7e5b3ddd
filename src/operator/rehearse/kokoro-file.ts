import { Layers } from "./onnx-layers.ts";
import type { Piece } from "./write-pieces.ts";

/** Dimensions that decide the size and cost of a Kokoro voice (StyleTTS 2 with an iSTFTNet decoder). */
export interface KokoroShape {
  readonly tokens: number;
  readonly style: number;
  readonly hidden: number;
  /** The text model, whose layers share their weights. */
  readonly bert: {
    readonly width: number;
    readonly heads: number;
    readonly feedForward: number;
    readonly layers: number;
  };
  readonly decoderWidth: number;
  /** Factors of the generator's stages, and the width of each stage's kernel. */
  readonly upsampling: readonly (readonly [factor: number, kernel: number])[];
  /** Kernels of the generator's parallel branches. */
  readonly branches: readonly number[];
}

/** From config.json of hexgrad/Kokoro-82M. */
export const KOKORO_82M: KokoroShape = {
  tokens: 178,
  style: 128,
  hidden: 512,
  bert: { width: 768, heads: 12, feedForward: 2_048, layers: 12 },
  decoderWidth: 1_024,
  upsampling: [
    [10, 20],
    [6, 12],
  ],
  branches: [3, 7, 11],
};

const SAMPLE_RATE_HZ = 24_000;
/** Frames of 600 samples per token. People say about 14 phones a second. */
const FRAMES_PER_TOKEN = 3;
const EMBEDDING = 128;
const DILATIONS = [1, 3, 5];
/** Magnitude and phase for an inverse Fourier transform of 20 points every 5 samples. */
const SPECTRUM = 22;
const FOURIER = { hop: 5, points: 20 } as const;
const FIRST_NOISE_KERNEL = 7;
const LAST_NOISE_KERNEL = 11;

/**
 * A voice that hisses for as long as speech would take, at the cost of a Kokoro voice. Each token has the same length.
 * sherpa-onnx drives it as VITS with the starter voice's lexicon: Kokoro's own phones come from espeak-ng's data.
 */
export function kokoroFile(shape: KokoroShape): readonly Piece[] {
  const net = new Styled(shape.style);
  const frames = (tokens: string) => net.repeat(tokens, shape.hidden, FRAMES_PER_TOKEN);
  const [pitch, energy] = prosody(net, shape, frames(durations(net, shape, textModel(net, shape))));
  const spoken = frames(textEncoder(net, shape));
  const sound = generator(net, shape, decoder(net, shape, spoken, pitch, energy));
  return net.voice(sound, SAMPLE_RATE_HZ, 0, "rehearsal: the cost of a Kokoro voice, no speech");
}

/** ALBERT: one layer's weights, used again and again. */
function textModel(net: Styled, { tokens, hidden, bert }: KokoroShape): string {
  const { graph } = net;
  const { width, heads, feedForward, layers } = bert;
  const dense = (from: number, to: number) => {
    const weights = graph.noise([from, to], from ** -0.5);
    const bias = graph.floats([to], 0);
    return (input: string) => graph.node("Add", [graph.node("MatMul", [input, weights]), bias]);
  };
  const [toQuery, toKey, toValue, toOutput] = [0, 1, 2, 3].map(() => dense(width, width)) as [
    Dense,
    Dense,
    Dense,
    Dense,
  ];
  const [widen, narrow] = [dense(width, feedForward), dense(feedForward, width)];
  const apart = graph.integers(1, -1, heads, width / heads);
  const together = graph.integers(1, -1, width);
  const scale = graph.floats([1], (width / heads) ** -0.5);

  let states = dense(EMBEDDING, width)(graph.node("Gather", [graph.noise([tokens, EMBEDDING], 1), "x"]));
  for (let layer = 0; layer < layers; layer += 1) {
    const part = (to: Dense, perm: readonly number[]) =>
      graph.node("Transpose", [graph.node("Reshape", [to(states), apart])], { perm });
    const scores = graph.node("MatMul", [part(toQuery, [0, 2, 1, 3]), part(toKey, [0, 2, 3, 1])]);
    const shares = graph.node("Softmax", [graph.node("Mul", [scores, scale])], { axis: 3 });
    const mixed = graph.node("MatMul", [shares, part(toValue, [0, 2, 1, 3])]);
    const merged = graph.node("Reshape", [graph.node("Transpose", [mixed], { perm: [0, 2, 1, 3] }), together]);
    states = net.normLast(graph.node("Add", [states, toOutput(merged)]), width);
    const wide = graph.node("Tanh", [widen(states)]);
    states = net.normLast(graph.node("Add", [states, narrow(wide)]), width);
  }
  return net.flip(dense(width, hidden)(states));
}

type Dense = (input: string) => string;

function durations(net: Styled, { hidden }: KokoroShape, states: string): string {
  let value = states;
  for (let layer = 0; layer < 3; layer += 1)
    value = net.styled(net.norm(net.recurrent(net.withStyle(value), hidden + net.style, hidden), hidden), hidden);
  return net.recurrent(net.withStyle(value), hidden + net.style, hidden);
}

/** Pitch and energy, two values a frame. */
function prosody(net: Styled, { hidden }: KokoroShape, frames: string): readonly [pitch: string, energy: string] {
  const shared = net.recurrent(net.withStyle(frames), hidden + net.style, hidden);
  const curve = () => {
    const wide = net.block(net.block(shared, hidden, hidden), hidden, hidden / 2, 2);
    const fine = net.conv(net.block(wide, hidden / 2, hidden / 2), hidden / 2, 1, 1);
    return net.conv(fine, 1, 1, 3, { stride: 2 });
  };
  return [curve(), curve()];
}

function textEncoder(net: Styled, { tokens, hidden }: KokoroShape): string {
  const { graph } = net;
  let states = net.flip(graph.node("Gather", [graph.noise([tokens, hidden], 1), "x"]));
  for (let layer = 0; layer < 3; layer += 1)
    states = net.leaky(net.norm(net.conv(states, hidden, hidden, 5), hidden), 0.2);
  return net.recurrent(states, hidden, hidden);
}

function decoder(net: Styled, { hidden, decoderWidth }: KokoroShape, spoken: string, pitch: string, energy: string) {
  const together = (...parts: readonly string[]) => net.graph.node("Concat", parts, { axis: 1 });
  const few = hidden / 8;
  const rest = net.conv(spoken, hidden, few, 1);
  let state = net.block(together(spoken, pitch, energy), hidden + 2, decoderWidth);
  const width = decoderWidth + 2 + few;
  for (let layer = 0; layer < 3; layer += 1)
    state = net.block(together(state, rest, pitch, energy), width, decoderWidth);
  return net.block(together(state, rest, pitch, energy), width, hidden, 2);
}

/** From two frames of 300 samples a token's frame to sound. */
function generator(net: Styled, { hidden, upsampling, branches }: KokoroShape, frames: string): string {
  const { graph } = net;
  const whole = upsampling.reduce((product, [factor]) => product * factor, 1);
  const harmonics = net.upsample(frames, hidden, SPECTRUM, whole, whole);
  let [sound, width, left] = [frames, hidden, whole];
  for (const [factor, kernel] of upsampling) {
    sound = net.upsample(net.leaky(sound), width, width / 2, factor, kernel);
    [width, left] = [width / 2, left / factor];
    const source = net.conv(harmonics, SPECTRUM, width, left === 1 ? 1 : 2 * left - 1, { stride: left });
    const noise = net.branch(source, width, left === 1 ? LAST_NOISE_KERNEL : FIRST_NOISE_KERNEL);
    const mixed = graph.node("Add", [sound, noise]);
    const outputs = branches.map((size) => net.branch(mixed, width, size));
    sound = graph.node("Div", [graph.node("Sum", outputs), graph.floats([1], branches.length)]);
  }
  const spectrum = net.conv(net.leaky(sound), width, SPECTRUM, 7);
  const [magnitude = "", phase = ""] = graph.nodes("Split", [spectrum], 2, { axis: 1 });
  const parts = [graph.node("Exp", [magnitude]), graph.node("Sin", [phase]), graph.node("Cos", [phase])];
  const [size = "", sine = "", cosine = ""] = parts;
  const complex = [graph.node("Mul", [size, cosine]), graph.node("Mul", [size, sine])];
  const wave = net.upsample(graph.node("Concat", complex, { axis: 1 }), SPECTRUM, 1, FOURIER.hop, FOURIER.points + 1);
  return graph.node("Tanh", [wave]);
}

/** Layers that a style changes. */
class Styled extends Layers {
  readonly style: number;
  readonly #vector: string;

  constructor(style: number) {
    super();
    this.style = style;
    // The value depends on the input. Otherwise the library would compute all further values when it loads the model.
    this.#vector = this.graph.node("Mul", [this.graph.noise([1, style], 1), "length_scale"]);
  }

  /** Scales and shifts each channel. */
  styled(input: string, width: number): string {
    const { graph } = this;
    const weights = graph.noise([this.style, 2 * width], 0.1 * this.style ** -0.5);
    const both = graph.node("MatMul", [this.#vector, weights]);
    const [scale = "", shift = ""] = graph.nodes("Split", [both], 2, { axis: 1 });
    const column = (values: string) => graph.node("Unsqueeze", [values, graph.integers(2)]);
    const scaled = graph.node("Mul", [graph.node("Add", [column(scale), graph.floats([1], 1)]), input]);
    return graph.node("Add", [scaled, column(shift)]);
  }

  normal(input: string, width: number): string {
    const { graph } = this;
    const even = graph.node("InstanceNormalization", [input, graph.floats([width], 1), graph.floats([width], 0)]);
    return this.styled(even, width);
  }

  /** The style beside each position. */
  withStyle(input: string): string {
    const { graph } = this;
    const column = graph.node("Unsqueeze", [this.#vector, graph.integers(2)]);
    const positions = graph.node("Slice", [input, graph.integers(0), graph.integers(1), graph.integers(1)]);
    const zero = graph.node("Mul", [positions, graph.floats([1], 0)]);
    return graph.node("Concat", [input, graph.node("Add", [column, zero])], { axis: 1 });
  }

  /** A bidirectional LSTM. */
  recurrent(input: string, from: number, to: number): string {
    const { graph } = this;
    const half = to / 2;
    const weights = [graph.noise([2, 4 * half, from], from ** -0.5), graph.noise([2, 4 * half, half], half ** -0.5)];
    const steps = graph.node("Transpose", [input], { perm: [2, 0, 1] });
    const states = graph.node("LSTM", [steps, ...weights, graph.floats([2, 8 * half], 0)], {
      direction: "bidirectional",
      hidden_size: half,
    });
    const together = graph.node("Transpose", [states], { perm: [2, 1, 3, 0] });
    return graph.node("Reshape", [together, graph.integers(1, to, -1)]);
  }

  /** Two convolutions and a way past them. */
  block(input: string, from: number, to: number, factor: 1 | 2 = 1): string {
    const { graph } = this;
    const active = this.leaky(this.normal(input, from), 0.2);
    const finer = factor === 1 ? active : this.upsample(active, from, from, 2, 4, from);
    const first = this.conv(finer, from, to, 3);
    const changed = this.conv(this.leaky(this.normal(first, to), 0.2), to, to, 3);
    const past = factor === 1 ? input : this.repeat(input, from, factor);
    const sum = graph.node("Add", [changed, from === to ? past : this.conv(past, from, to, 1)]);
    return graph.node("Mul", [sum, graph.floats([1], 0.5 ** 0.5)]);
  }

  /** A branch of the generator. */
  branch(input: string, width: number, kernel: number): string {
    const bent = (value: string) => this.#snake(this.normal(value, width), width);
    return DILATIONS.reduce((value, dilation) => {
      const first = this.conv(bent(value), width, width, kernel, { dilation });
      return this.graph.node("Add", [value, this.conv(bent(first), width, width, kernel)]);
    }, input);
  }

  /** x + sin(x)^2. */
  #snake(input: string, width: number): string {
    const { graph } = this;
    const one = graph.floats([1, width, 1], 1);
    const wave = graph.node("Sin", [graph.node("Mul", [input, one])]);
    const square = graph.node("Pow", [wave, graph.floats([1], 2)]);
    return graph.node("Add", [input, graph.node("Mul", [square, one])]);
  }
}
