import type { GgufMetadata } from "./gguf-header.ts";

/** Memory of a language model, bytes. */
export interface LanguageModelMemory {
  /** One caller's cache for a context of `contextTokens`. */
  readonly cacheBytes: (contextTokens: number) => number;
  /** Recurrent state of one sequence. Each mark of a caller keeps a copy of it. */
  readonly stateBytes: number;
  /** Working memory of one evaluation. It does not depend on the number of callers. */
  readonly bufferBytes: number;
}

/** The worker's batch size, tokens. */
const BATCH = 512;
/** llama.cpp rounds contexts up to a multiple of this. */
const CONTEXT_STEP = 256;
/** Keys and values are 16-bit floats, recurrent states 32-bit floats. */
const CACHE_BYTES = 2;
const STATE_BYTES = 4;
/** Rows of the width of the model and of its feed-forward part that an evaluation holds at once. Measured in docs/decisions/0071. */
const ROWS_HELD = 6;

/** Every n-th layer sees the whole context. llama.cpp has these values for architectures whose header lacks them. */
const EVERY_FULL: Readonly<Record<string, number>> = { gemma2: 2, gemma3: 6 };

/** Reads the needs from a GGUF header. Undefined for an architecture without attention heads. */
export function languageModelMemory(header: GgufMetadata): LanguageModelMemory | undefined {
  const architecture = header.get("general.architecture");
  if (typeof architecture !== "string") return undefined;
  const fact = (name: string) => header.get(`${architecture}.${name}`);
  const number = (name: string, standard = 0): number => {
    const value = fact(name);
    return typeof value === "number" ? value : standard;
  };
  /** The header holds one number for all layers, or a list with one per layer. */
  const ofLayer = (name: string, layer: number, standard: number): number => {
    const value = fact(name);
    return Array.isArray(value) ? Number(value[layer] ?? standard) : number(name, standard);
  };
  const [layers, width, heads] = [
    number("block_count"),
    number("embedding_length"),
    ofLayer("attention.head_count", 0, 0),
  ];
  const trained = number("context_length", Infinity);
  if (layers === 0 || width === 0) return undefined;
  const head = heads === 0 ? 0 : width / heads;
  const window = number("attention.sliding_window", Infinity);
  const isRecurrent = (layer: number) => {
    const every = number("full_attention_interval", 1);
    return (layer + 1) % every > 0 || ofLayer("attention.head_count_kv", layer, heads) === 0;
  };
  const isWindowed = (layer: number): boolean => {
    const pattern = fact("attention.sliding_window_pattern") ?? EVERY_FULL[architecture];
    if (typeof pattern === "number") return pattern > 0 && (layer + 1) % pattern > 0;
    return Array.isArray(pattern) && Boolean(pattern[layer]);
  };
  const stateBytes =
    STATE_BYTES *
    (Math.max(0, number("shortconv.l_cache") - 1) * width +
      Math.max(0, number("ssm.conv_kernel") - 1) *
        (number("ssm.inner_size") + 2 * number("ssm.group_count") * number("ssm.state_size")) +
      number("ssm.state_size") * number("ssm.inner_size"));
  const all = Array.from({ length: layers }, (_, layer) => layer);
  const vocabulary = header.get("tokenizer.ggml.tokens");
  const words = typeof vocabulary === "object" ? vocabulary.length : 0;
  const feedForward = Math.max(...all.map((layer) => ofLayer("feed_forward_length", layer, 0)));
  return {
    stateBytes: stateBytes * all.filter(isRecurrent).length,
    cacheBytes(contextTokens) {
      const context = Math.min(contextTokens, trained);
      const bytesOf = (layer: number) => {
        if (isRecurrent(layer)) return stateBytes;
        const held = isWindowed(layer) ? Math.min(context, window + BATCH) : context;
        const cells = Math.ceil(held / CONTEXT_STEP) * CONTEXT_STEP;
        const values = number("attention.key_length", head) + number("attention.value_length", head);
        return cells * values * ofLayer("attention.head_count_kv", layer, heads) * CACHE_BYTES;
      };
      return all.reduce((sum, layer) => sum + bytesOf(layer), 0);
    },
    bufferBytes: BATCH * 4 * (words + ROWS_HELD * (width + feedForward)),
  };
}
