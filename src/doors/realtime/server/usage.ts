import type { RealtimeResponse } from "./server-events.ts";

/** OpenAI counts speech this way: a token is 100 ms of input speech and 50 ms of output speech. */
const INPUT_MS_PER_TOKEN = 100;
const OUTPUT_MS_PER_TOKEN = 50;
/** English text. The language model's own tokens differ by model. */
const CHARS_PER_TOKEN = 4;

export interface Spent {
  /** Speech of the caller since the last response. */
  readonly heardMs: number;
  /** Text of the prompt that the caller and the client wrote since then. */
  readonly readChars: number;
  readonly spokenMs: number;
  readonly writtenChars: number;
}

/** An estimate: nothing is billed by it, but clients require every field. */
export function usageOf({ heardMs, readChars, spokenMs, writtenChars }: Spent): NonNullable<RealtimeResponse["usage"]> {
  const input = { text_tokens: tokens(readChars, CHARS_PER_TOKEN), audio_tokens: tokens(heardMs, INPUT_MS_PER_TOKEN) };
  const output = {
    text_tokens: tokens(writtenChars, CHARS_PER_TOKEN),
    audio_tokens: tokens(spokenMs, OUTPUT_MS_PER_TOKEN),
  };
  const input_tokens = input.text_tokens + input.audio_tokens;
  const output_tokens = output.text_tokens + output.audio_tokens;
  const none = { text_tokens: 0, audio_tokens: 0, image_tokens: 0 };
  return {
    total_tokens: input_tokens + output_tokens,
    input_tokens,
    output_tokens,
    input_token_details: { ...input, image_tokens: 0, cached_tokens: 0, cached_tokens_details: none },
    output_token_details: output,
  };
}

const tokens = (amount: number, each: number): number => Math.ceil(amount / each);
