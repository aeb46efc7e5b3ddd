import { z } from "zod";
import {
  audioOutputFields,
  echoedSchema,
  maxOutputTokensSchema,
  outputModalitiesSchema,
  toolChoiceSchema,
  toolsSchema,
} from "./session-config.ts";
import { boundedText } from "../../../shared/schema/bounded-text.ts";
import { itemIdSchema, newItemSchema } from "../items/items.ts";
/** OpenAI's limits. */
const metadataSchema = z
  .record(z.string().max(64), boundedText(512))
  .refine((metadata) => Object.keys(metadata).length <= 16, "must have at most 16 keys")
  .nullable();

const reference = z.object({ type: z.literal("item_reference"), id: itemIdSchema });
const { format, voice } = audioOutputFields;

export const responseParamsSchema = z.object({
  instructions: z.exactOptional(boundedText(16_000)),
  output_modalities: z.exactOptional(outputModalitiesSchema),
  max_output_tokens: z.exactOptional(maxOutputTokensSchema),
  conversation: z.exactOptional(z.enum(["auto", "none"])),
  metadata: z.exactOptional(metadataSchema),
  input: z.exactOptional(z.array(z.union([reference, newItemSchema])).max(64)),
  audio: z.exactOptional(
    z.object({ output: z.exactOptional(z.object({ format: z.exactOptional(format), voice: z.exactOptional(voice) })) }),
  ),
  tools: z.exactOptional(toolsSchema),
  tool_choice: z.exactOptional(toolChoiceSchema),
  parallel_tool_calls: z.exactOptional(echoedSchema),
  prompt: z.exactOptional(echoedSchema),
  reasoning: z.exactOptional(echoedSchema),
});
export type ResponseParams = z.output<typeof responseParamsSchema>;
