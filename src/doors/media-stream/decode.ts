import { bytesPerMs, type WireFormat } from "../../audio/wire-audio.ts";
import { bytesOfBase64 } from "../base64.ts";
import { callName, frameBytesOf, invalid, protocolName, type CallInput } from "../telephone/call-protocol.ts";
import { plivoCommands, twilioCommands } from "./encode.ts";
import { messageName, streamMessage, type StreamMessage, type StreamStart } from "./messages.ts";

/** 1 s of 16-bit audio at 16 kHz in base64, and more. */
const MOST_CHARACTERS = 65_536;

/** One text frame of a media stream. */
export function decodeMediaStream(frame: Buffer, isBinary: boolean): CallInput {
  if (isBinary) return invalid("AUDIO_PROCESSING_FAILED", "A media stream has no binary frames; this one is dropped.");
  if (frame.length > MOST_CHARACTERS) return invalid("INVALID_MESSAGE", "A message is too long and is ignored.");
  let value: unknown;
  try {
    value = JSON.parse(frame.toString());
  } catch {
    return invalid("INVALID_MESSAGE", "A text frame is not JSON and is ignored.");
  }
  const message = streamMessage.safeParse(value);
  if (message.success) return inputOf(message.data);
  const name = messageName.safeParse(value);
  if (name.success && !KNOWN.has(name.data.event))
    return invalid("UNKNOWN_MESSAGE_TYPE", `The event ${protocolName(name.data.event)} is unknown and ignored.`);
  return invalid("INVALID_MESSAGE", "A field of a message is missing or wrong; the message is ignored.");
}

const KNOWN = new Set(streamMessage.options.map(({ shape }) => shape.event.value as string));

function inputOf(message: StreamMessage): CallInput {
  switch (message.event) {
    case "start":
      return started(message);
    case "media":
      return audioOf(message.media);
    case "mark":
      return { type: "mark", name: message.mark.name };
    case "playedStream":
      return { type: "mark", name: message.name };
    case "dtmf":
      return { type: "key", key: message.dtmf.digit };
    case "stop":
      return { type: "hung-up" };
    case "error":
      return invalid("INVALID_MESSAGE", "The telephone service reports an error.");
    case "connected":
    case "clearedAudio":
      return { type: "ignored" };
  }
}

/** A stream of both tracks also brings back what the service says. */
function audioOf({ payload, track = "inbound" }: { payload: string; track?: string | undefined }): CallInput {
  if (!track.startsWith("inbound")) return { type: "ignored" };
  const bytes = bytesOfBase64(payload);
  return bytes === undefined
    ? invalid("AUDIO_PROCESSING_FAILED", "media.payload is not base64; the audio is dropped.")
    : { type: "audio", bytes };
}

function started({ start, streamSid, stream_id, extra_headers = "" }: StreamStart): CallInput {
  const { encoding, sampleRate, sample_rate } = start.mediaFormat ??
    start.media_format ?? { encoding: "audio/x-mulaw" };
  const rate = sampleRate ?? sample_rate ?? 8_000;
  const format = formatOf(encoding, rate);
  const { streamId, from, to } = start;
  return {
    type: "start",
    name: callName(start.callSid ?? start.call_control_id ?? start.callId ?? ""),
    format,
    formatName: `${protocolName(encoding)} at ${String(rate)} Hz`,
    frameBytes: format === undefined ? 0 : frameBytesOf(undefined, bytesPerMs(format)),
    variables: {
      ...texts({ from, to, ...(start.customParameters ?? start.custom_parameters) }),
      ...pairs(extra_headers),
    },
    encode:
      streamId === undefined || format === undefined
        ? twilioCommands(streamSid === undefined ? { stream_id } : { streamSid })
        : plivoCommands(streamId, encoding, rate),
  };
}

function formatOf(encoding: string, sampleRateHz: number): WireFormat | undefined {
  const name = encoding.toLowerCase().replace("audio/", "");
  if (sampleRateHz === 8_000 && /^(?:x-mulaw|pcmu|mulaw)$/u.test(name)) return { encoding: "ulaw", sampleRateHz };
  if (sampleRateHz === 8_000 && /^(?:x-alaw|pcma|alaw)$/u.test(name)) return { encoding: "alaw", sampleRateHz };
  if (sampleRateHz === 8_000 || sampleRateHz === 16_000)
    return /^(?:x-)?l16$/u.test(name) ? { encoding: "pcm16", sampleRateHz } : undefined;
  return undefined;
}

const texts = (values: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === "string"));

const pairs = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split(/[;,]/u).flatMap((pair) => {
      const at = pair.indexOf("=");
      return at < 1 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1)]];
    }),
  );
