import { z } from "zod";

const number = z.union([z.number(), z.string().transform(Number)]);

const mediaFormat = z.object({
  encoding: z.string(),
  sampleRate: number.optional(),
  sample_rate: number.optional(),
});

const start = z.object({
  event: z.literal("start"),
  streamSid: z.string().max(128).optional(),
  stream_id: z.string().max(128).optional(),
  /** Plivo's `extraHeaders`: `name=value;name=value`. */
  extra_headers: z.string().max(4_096).optional(),
  start: z.object({
    callSid: z.string().optional(),
    call_control_id: z.string().optional(),
    callId: z.string().optional(),
    /** Plivo names its stream here. */
    streamId: z.string().max(128).optional(),
    from: z.string().optional(),
    to: z.string().optional(),
    mediaFormat: mediaFormat.optional(),
    media_format: mediaFormat.optional(),
    customParameters: z.record(z.string(), z.unknown()).optional(),
    custom_parameters: z.record(z.string(), z.unknown()).optional(),
  }),
});

/** Messages of Twilio's media streams, Telnyx's and Plivo's. Names that differ stand side by side. */
export const streamMessage = z.discriminatedUnion("event", [
  start,
  z.object({ event: z.literal("connected") }),
  z.object({
    event: z.literal("media"),
    media: z.object({ payload: z.string(), track: z.string().optional() }),
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
