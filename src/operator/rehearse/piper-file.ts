import { Layers } from "./onnx-layers.ts";
import type { Piece } from "./write-pieces.ts";

/** Dimensions that decide the size and cost of a Piper voice (VITS). */
export interface PiperShape {
  readonly tokens: number;
  readonly hidden: number;
  readonly filter: number;
  readonly heads: number;
  readonly layers: number;
  /** Factors of the decoder's stages, and the width of each stage's kernel. */
  readonly upsampling: readonly (readonly [factor: number, kernel: number])[];
  readonly decoderWidth: number;
  /** Kernel and dilations of the decoder's parallel branches. */
  readonly branches: readonly (readonly [kernel: number, dilations: readonly number[]])[];
}

/** Piper's "medium" quality: the defaults of piper_train. */
export const PIPER_MEDIUM: PiperShape = {
  tokens: 256,
  hidden: 192,
  filter: 768,
  heads: 2,
  layers: 6,
  upsampling: [
    [8, 16],
    [8, 16],
    [4, 8],
  ],
  decoderWidth: 256,
  branches: [
    [3, [1, 2]],
    [5, [2, 6]],
    [7, [3, 12]],
  ],
};

const SAMPLE_RATE_HZ = 22_050;
/** Frames of 256 samples per token. A blank stands between phones, and people say about 15 phones a second. */
const FRAMES_PER_TOKEN = 3;
const FLOWS = 4;
const FLOW_LAYERS = 4;
const FLOW_KERNEL = 5;
const DURATION_BLOCKS = 5;

/**
 * A voice that hisses for as long as speech would take, at the cost of a Piper voice. Each token has the same length.
 * It takes the tokens of the starter voice, by its lexicon.
 */
export function piperFile(shape: PiperShape): readonly Piece[] {
  const net = new Layers();
  const { graph } = net;
  const { hidden, upsampling, decoderWidth, branches } = shape;
  const states = encoder(net, shape);
  const [mean = "", spread = ""] = graph.nodes("Split", [net.conv(states, hidden, 2 * hidden, 1)], 2, { axis: 1 });
  const random = graph.node("Mul", [graph.node("RandomNormalLike", [spread], { seed: { float: 1 } }), "noise_scale"]);
  const tokens = graph.node("Add", [mean, random]);
  const frames = net.repeat(tokens, hidden, FRAMES_PER_TOKEN);

  let sound = net.conv(flow(net, frames, hidden), hidden, decoderWidth, 7);
  let width = decoderWidth;
  for (const [factor, kernel] of upsampling) {
    sound = net.upsample(net.leaky(sound), width, width / 2, factor, kernel);
    width /= 2;
    const outputs = branches.map(([size, dilations]) =>
      dilations.reduce(
        (value, dilation) => graph.node("Add", [net.conv(net.leaky(value), width, width, size, { dilation }), value]),
        sound,
      ),
    );
    sound = graph.node("Div", [graph.node("Sum", outputs), graph.floats([1], branches.length)]);
  }
  const wave = graph.node("Tanh", [net.conv(net.leaky(sound), width, 1, 7)]);
  return net.voice(wave, SAMPLE_RATE_HZ, 1, "rehearsal: the cost of a Piper voice, no speech");
}

/** A transformer over the tokens, then what the duration predictor costs. */
function encoder(net: Layers, { tokens, hidden, filter, heads, layers }: PiperShape): string {
  const { graph } = net;
  let states = net.flip(graph.node("Gather", [graph.noise([tokens, hidden], 1), "x"]));
  for (let layer = 0; layer < layers; layer += 1) {
    const split = graph.integers(1, heads, hidden / heads, -1);
    const [query = "", key = "", value = ""] = Array.from({ length: 3 }, () =>
      graph.node("Reshape", [net.conv(states, hidden, hidden, 1), split]),
    );
    const scores = graph.node("MatMul", [graph.node("Transpose", [query], { perm: [0, 1, 3, 2] }), key]);
    const scaled = graph.node("Mul", [scores, graph.floats([1], (hidden / heads) ** -0.5)]);
    const shares = graph.node("Softmax", [scaled], { axis: 3 });
    const mixed = graph.node("MatMul", [value, graph.node("Transpose", [shares], { perm: [0, 1, 3, 2] })]);
    const merged = graph.node("Reshape", [mixed, graph.integers(1, hidden, -1)]);
    states = net.norm(graph.node("Add", [states, net.conv(merged, hidden, hidden, 1)]), hidden);
    const wide = graph.node("Relu", [net.conv(states, hidden, filter, 3)]);
    states = net.norm(graph.node("Add", [states, net.conv(wide, filter, hidden, 3)]), hidden);
  }
  for (let block = 0; block < DURATION_BLOCKS; block += 1) {
    for (const dilation of [1, 3, 9]) {
      const spread = net.norm(net.conv(states, hidden, hidden, 3, { dilation, group: hidden }), hidden);
      const mixed = net.norm(net.conv(graph.node("Sigmoid", [spread]), hidden, hidden, 1), hidden);
      states = graph.node("Add", [states, graph.node("Sigmoid", [mixed])]);
    }
    states = net.conv(states, hidden, hidden, 1);
  }
  return states;
}

/** Coupling layers: one half of the channels changes the other, then they change places. */
function flow(net: Layers, frames: string, hidden: number): string {
  const { graph } = net;
  const half = hidden / 2;
  let [first = "", second = ""] = graph.nodes("Split", [frames], 2, { axis: 1 });
  for (let step = 0; step < FLOWS; step += 1) {
    let state = net.conv(first, half, hidden, 1);
    const skips: string[] = [];
    for (let layer = 0; layer < FLOW_LAYERS; layer += 1) {
      const isLast = layer === FLOW_LAYERS - 1;
      const [a = "", b = ""] = graph.nodes("Split", [net.conv(state, hidden, 2 * hidden, FLOW_KERNEL)], 2, { axis: 1 });
      const gated = graph.node("Mul", [graph.node("Tanh", [a]), graph.node("Sigmoid", [b])]);
      if (isLast) {
        skips.push(net.conv(gated, hidden, hidden, 1));
        break;
      }
      const [rest = "", skip = ""] = graph.nodes("Split", [net.conv(gated, hidden, 2 * hidden, 1)], 2, { axis: 1 });
      state = graph.node("Add", [state, rest]);
      skips.push(skip);
    }
    const change = net.conv(graph.node("Sum", skips), hidden, half, 1);
    [first, second] = [graph.node("Sub", [second, change]), first];
  }
  return graph.node("Concat", [first, second], { axis: 1 });
}
