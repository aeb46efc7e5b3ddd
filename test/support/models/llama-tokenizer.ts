import { bytePairs, written } from "./byte-pairs.ts";
import type { GgufValue } from "./gguf.ts";

/** The answer of every rehearsal language model. Each token appears once. */
export const SAID =
  "This is only a rehearsal, so nothing was understood. Please install the real models before anyone calls you!";

/** Tokens of `SAID`, with the spaces before them. */
export const SAID_TOKENS: readonly string[] = SAID.match(/ ?[A-Za-z]+|[.,!]/gu) ?? [];

const TOKEN_TYPE = { normal: 1, control: 3, unused: 5 };
const END = "<|im_end|>";
const CHAT_ML_CONTROLS = ["<|endoftext|>", "<|im_start|>", END];
const ROLES = ["system", "user", "assistant"];
const CHAT_ML: ChatFormat = {
  controls: [],
  template:
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}" +
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
};

/** The chat template of a file, and tokens that it needs besides those of ChatML. */
export interface ChatFormat {
  readonly template: string;
  readonly controls: readonly string[];
}

export interface RehearsalTokenizer {
  readonly metadata: Readonly<Record<string, GgufValue>>;
  /** The token that follows each token of the answer, from the end of the prompt on. */
  readonly next: ReadonlyMap<number, number>;
}

/** A vocabulary of `size` tokens. Each of `words` is one token, so that prompts have as many tokens as real ones. */
export function rehearsalTokenizer(size: number, words: readonly string[], chat = CHAT_ML): RehearsalTokenizer {
  const controls = [...CHAT_ML_CONTROLS, ...chat.controls];
  const said = SAID_TOKENS.map((token) => token.trim()).filter((word) => /^\w/u.test(word));
  const pairs = bytePairs([...words, ...ROLES, ...said]);
  const spare = size - controls.length - pairs.tokens.length;
  if (spare < 0) throw new RangeError(`a vocabulary of ${String(size)} is too small`);
  const tokens = [
    ...pairs.tokens,
    ...Array.from({ length: spare }, (_, index) => `[unused${String(index)}]`),
    ...controls,
  ];
  const types = [
    ...pairs.tokens.map(() => TOKEN_TYPE.normal),
    ...Array.from({ length: spare }, () => TOKEN_TYPE.unused),
    ...controls.map(() => TOKEN_TYPE.control),
  ];
  const number = new Map(tokens.map((token, index) => [token, index]));
  const tokenOf = (text: string): number => number.get(text) ?? -1;
  const chain = [written("\n"), ...SAID_TOKENS.map(written), END].map(tokenOf);
  const metadata: Readonly<Record<string, GgufValue>> = {
    "tokenizer.ggml.model": { string: "gpt2" },
    "tokenizer.ggml.pre": { string: "qwen2" },
    "tokenizer.ggml.tokens": { strings: tokens },
    "tokenizer.ggml.token_type": { int32s: types },
    "tokenizer.ggml.merges": { strings: pairs.merges },
    "tokenizer.ggml.eos_token_id": { uint32: tokenOf(END) },
    "tokenizer.ggml.bos_token_id": { uint32: tokenOf("<|endoftext|>") },
    "tokenizer.ggml.add_bos_token": { bool: false },
    "tokenizer.chat_template": { string: chat.template },
  };
  return { metadata, next: new Map(chain.slice(0, -1).map((token, at) => [token, chain[at + 1] ?? 0])) };
}
