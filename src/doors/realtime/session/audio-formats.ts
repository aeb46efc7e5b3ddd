import { z } from "zod";
import { CALL_HZ } from "../../../audio/format.ts";
import type { WireFormat } from "../../../audio/wire-audio.ts";

const TELEPHONE_HZ = 8_000;

export const audioFormatSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("audio/pcm"), rate: z.literal(CALL_HZ, "only 24000 is accepted").default(CALL_HZ) }),
  z.object({ type: z.literal("audio/pcmu") }),
  z.object({ type: z.literal("audio/pcma") }),
]);

export type AudioFormat = z.output<typeof audioFormatSchema>;

const WIRE_FORMATS: Readonly<Record<AudioFormat["type"], WireFormat>> = {
  "audio/pcm": { encoding: "pcm16", sampleRateHz: CALL_HZ },
  "audio/pcmu": { encoding: "ulaw", sampleRateHz: TELEPHONE_HZ },
  "audio/pcma": { encoding: "alaw", sampleRateHz: TELEPHONE_HZ },
};

export const wireFormat = ({ type }: AudioFormat): WireFormat => WIRE_FORMATS[type];
