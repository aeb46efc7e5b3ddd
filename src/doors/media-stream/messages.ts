import { z } from "zod";

const number = z.union([z.number(), z.string().transform(Number)]);

/** Some services send null where a field has no value. */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

const mediaFormat = z.object({
  encoding: z.string(),
  sampleRate: optional(number),
  sample_rate: optional(number),
});

const start = z.object({
  event: z.literal("start"),
  streamSid: optional(z.string().max(128)),
  stream_id: optional(z.string().max(128)),
  /** Plivo's `extraHeaders`: `name=value;name=value`. */
  extra_headers: optional(z.string().max(4_096)),
  start: z.object({
    callSid: optional(z.string()),
    call_control_id: optional(z.string()),
    callId: optional(z.string()),
    /** Plivo names its stream here. */
    streamId: optional(z.string().max(128)),
    from: optional(z.string()),
    to: optional(z.string()),
    mediaFormat: optional(mediaFormat),
    media_format: optional(mediaFormat),
    customParameters: optional(z.record(z.string(), z.unknown())),
    custom_parameters: optional(z.record(z.string(), z.unknown())),
  }),
});

/** Messages of Twilio's media streams, Telnyx's and Plivo's. Names that differ stand side by side. */
export const streamMessage = z.discriminatedUnion("event", [
  start,
  z.object({ event: z.literal("connected") }),
  z.object({
    event: z.literal("media"),
    media: z.object({ payload: z.string(), track: optional(z.string()) }),
  }),
  z.object({ event: z.literal("mark"), mark: z.object({ name: z.string() }) }),
  z.object({ event: z.literal("playedStream"), name: z.string() }),
  z.object({ event: z.literal("clearedAudio") }),
  z.object({ event: z.literal("dtmf"), dtmf: z.object({ digit: z.string().regex(/^[0-9*#A-D]$/) }) }),
  z.object({ event: z.literal("stop") }),
  z.object({ event: z.literal("error") }),
]);

export type StreamMessage = z.output<typeof streamMessage>;
export type StreamStart = z.output<typeof start>;

/** The message's own name, also when the rest is wrong. */
export const messageName = z.object({ event: z.string() });
