import { z } from "zod";

const callSchema = z.object({
  index: z.int().min(0).max(127).nullish(),
  id: z.string().nullish(),
  function: z
    .object({
      name: z.string().nullish(),
      arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
    })
    .nullish(),
});

const tokens = z.int().min(0);

const usageSchema = z.object({
  prompt_tokens: tokens,
  completion_tokens: tokens.nullish(),
  prompt_tokens_details: z.object({ cached_tokens: tokens.nullish() }).nullish(),
});

/** One event of a streamed reply. Servers add fields of their own. */
export const chatChunkSchema = z.object({
  choices: z
    .array(
      z.object({
        delta: z.object({ content: z.string().nullish(), tool_calls: z.array(callSchema).nullish() }).nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: usageSchema.nullish().catch(undefined),
  error: z.unknown().optional(),
});

export type ChatChunk = z.output<typeof chatChunkSchema>;
export type CallDelta = z.output<typeof callSchema>;

/** Tokens of one request. */
export interface Usage {
  readonly promptTokens: number;
  /** Tokens of the prompt that the server had evaluated before. */
  readonly cachedTokens: number;
  readonly replyTokens: number;
}

export const usageOf = ({
  prompt_tokens,
  completion_tokens,
  prompt_tokens_details,
}: z.output<typeof usageSchema>): Usage => ({
  promptTokens: prompt_tokens,
  cachedTokens: prompt_tokens_details?.cached_tokens ?? 0,
  replyTokens: completion_tokens ?? 0,
});
