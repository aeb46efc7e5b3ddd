import { z } from "zod";
import { boundedText } from "../../shared/schema/bounded-text.ts";

/** The client's names for a message and for a chunk of audio. The server sends them back as they came. */
export const messageIdSchema = z.union(
  [boundedText(128).min(1), z.number()],
  "must be a string of 1 to 128 characters or a number",
);
export const chunkIdSchema = z.union(
  [boundedText(128), z.number(), z.null()],
  "must be a string of at most 128 characters or a number",
);

export type MessageId = z.output<typeof messageIdSchema>;
export type ChunkId = z.output<typeof chunkIdSchema>;
