/** Dimensions that decide the size and cost of a language model. */
export interface LlamaShape {
  readonly architecture: "llama" | "qwen2" | "qwen3" | "qwen3moe" | "gemma3" | "lfm2" | "qwen35";
  readonly vocabulary: number;
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  readonly keyHeads: number;
  readonly headWidth: number;
  /** Width of the feed-forward part, or of each expert. */
  readonly feedForward: number;
  readonly experts?: { readonly count: number; readonly used: number };
  /** Whether one matrix is both the embedding and the output. */
  readonly isTied: boolean;
  /** Layers with attention, where others keep a state of fixed size: a short convolution (lfm2) or a delta net (qwen35). */
  readonly attention?: readonly number[];
  /** Tokens that five of six layers attend to (gemma3). */
  readonly window?: number;
  /** Heads of the delta net. */
  readonly delta?: { readonly keyHeads: number; readonly valueHeads: number; readonly headWidth: number };
}

export type LlamaPacking = "q4_k_m" | "q8_0";

export const hasAttention = ({ attention }: LlamaShape, layer: number): boolean => attention?.includes(layer) ?? true;
