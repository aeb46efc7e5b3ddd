import type { CallCommand } from "../telephone/call-protocol.ts";

type Encode = (command: CallCommand) => string | undefined;

/** Twilio and services with its protocol. `stream` repeats the name that the service gave to the stream. */
export const twilioCommands =
  (stream: { readonly streamSid: string } | { readonly stream_id: string | undefined }): Encode =>
  (command) => {
    switch (command.type) {
      case "audio":
        return JSON.stringify({ event: "media", ...stream, media: { payload: base64(command.bytes) } });
      case "mark":
        return JSON.stringify({ event: "mark", ...stream, mark: { name: command.name } });
      case "flush":
        return JSON.stringify({ event: "clear", ...stream });
      case "pause":
      case "continue":
      case "answer":
      case "hang-up":
        return undefined;
    }
  };

export const plivoCommands =
  (streamId: string, contentType: string, sampleRate: number): Encode =>
  (command) => {
    switch (command.type) {
      case "audio": {
        const payload = base64(command.bytes);
        return JSON.stringify({ event: "playAudio", media: { contentType, sampleRate, payload } });
      }
      case "mark":
        return JSON.stringify({ event: "checkpoint", streamId, name: command.name });
      case "flush":
        return JSON.stringify({ event: "clearAudio", streamId });
      case "pause":
      case "continue":
      case "answer":
      case "hang-up":
        return undefined;
    }
  };

const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64");
