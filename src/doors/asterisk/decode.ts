import { bytesPerMs, type WireFormat } from "../../audio/wire-audio.ts";
import { callName, frameBytesOf, invalid, protocolName, type CallInput } from "../telephone/call-protocol.ts";
import { encodeJson, encodePlain } from "./encode.ts";
import { readEvent, type AsteriskEvent } from "./read-event.ts";

const FORMATS: Readonly<Record<string, WireFormat>> = {
  slin: { encoding: "pcm16", sampleRateHz: 8_000 },
  slin16: { encoding: "pcm16", sampleRateHz: 16_000 },
  slin24: { encoding: "pcm16", sampleRateHz: 24_000 },
  ulaw: { encoding: "ulaw", sampleRateHz: 8_000 },
  alaw: { encoding: "alaw", sampleRateHz: 8_000 },
};

/** Answers to commands and states that change nothing here. */
const IGNORED = new Set(["MEDIA_BUFFERING_COMPLETED", "QUEUE_DRAINED", "STATUS"]);

/** One frame of the WebSocket channel: binary audio, or an event as text or JSON. */
export function decodeAsterisk(frame: Buffer, isBinary: boolean): CallInput {
  if (isBinary) return { type: "audio", bytes: frame };
  const event = readEvent(frame.toString());
  if (event === undefined) return invalid("INVALID_MESSAGE", "A control message cannot be read.");
  const { name, fields } = event;
  switch (name) {
    case "MEDIA_START":
      return started(event);
    case "DTMF_END":
      return /^[0-9*#A-D]$/u.test(fields["digit"] ?? "")
        ? { type: "key", key: fields["digit"]! }
        : invalid("INVALID_MESSAGE", "DTMF_END has no digit.");
    case "MEDIA_MARK_PROCESSED":
      return { type: "mark", name: fields["correlation_id"] ?? "" };
    case "MEDIA_XOFF":
      return { type: "full" };
    case "MEDIA_XON":
      return { type: "room" };
    case "ERROR":
      // Its text may quote a command with a caller's words.
      return invalid("INVALID_MESSAGE", "Asterisk reports an error; its own log has the text.");
    default:
      return IGNORED.has(name)
        ? { type: "ignored" }
        : invalid("UNKNOWN_MESSAGE_TYPE", `The event ${protocolName(name)} is unknown and ignored.`);
  }
}

/** The underscores that let a channel inherit a variable are not part of its name. */
function started({ fields, variables, isJson }: AsteriskEvent): CallInput {
  const formatName = protocolName(fields["format"] ?? "");
  const format = Object.hasOwn(FORMATS, formatName) ? FORMATS[formatName] : undefined;
  const frameBytes = format === undefined ? 0 : frameBytesOf(Number(fields["optimal_frame_size"]), bytesPerMs(format));
  return {
    type: "start",
    name: callName(fields["channel_id"] ?? ""),
    format,
    formatName,
    frameBytes,
    variables: Object.fromEntries(Object.entries(variables).map(([name, value]) => [name.replace(/^__?/u, ""), value])),
    encode: isJson ? encodeJson : encodePlain,
  };
}
