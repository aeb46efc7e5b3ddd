import { SERVER_EVENTS, type ServerEventType } from "../../src/doors/realtime/server/server-events.ts";
import { serverMessageSchema } from "../../src/doors/voice/server-messages.ts";
import type { Chance } from "./chance.ts";
import { frame, OPCODE } from "./frames.ts";
import { hostileText } from "./messages.ts";
import { hostileEvent } from "./realtime-messages.ts";
import { hostileControl, hostileStreamText } from "./phone-messages.ts";

/** A protocol as the attackers speak it. */
export interface HostileDoor {
  /** The first frame of most connections. Without it the server refuses all audio. */
  first(chance: Chance): Buffer;
  text(chance: Chance): Buffer;
  /** The end of a connection that the server has not closed. */
  readonly last: Buffer;
  /** Undefined for a correct answer, otherwise the fault. */
  fault(answer: string): string | undefined;
  /** Whether it answers `last`. */
  isLast(answer: string): boolean;
}

const LAST_WORD = "last-word";
const text = (message: string): Buffer => frame(OPCODE.text, Buffer.from(message));
const NORMAL_CLOSURE = Buffer.from([0x03, 0xe8]);
/** Telephone systems get no answers to messages. The server answers their close frame. */
const SILENT = { last: frame(OPCODE.close, NORMAL_CLOSURE), isLast: () => false };

export const voice: HostileDoor = {
  first: () =>
    text(
      '{"type":"session_settings","timestamp":1,"message_id":"s","data":{"turn_detection":{"silence_threshold":0.5}}}',
    ),
  text: hostileText,
  last: text(`{"type":"keep_alive","timestamp":1,"message_id":"${LAST_WORD}"}`),
  fault(answer) {
    const parsed = serverMessageSchema.safeParse(JSON.parse(answer));
    return parsed.success ? undefined : parsed.error.message;
  },
  isLast(answer) {
    const { success, data: message } = serverMessageSchema.safeParse(JSON.parse(answer));
    if (!success || message.type !== "status" || message.data.status !== "alive") return false;
    return message.data.details.reply_to === LAST_WORD;
  },
};

const COMMAND = /^(?:ANSWER|HANGUP|FLUSH_MEDIA|PAUSE_MEDIA|CONTINUE_MEDIA|MARK_MEDIA \d+)$/u;
const JSON_COMMAND = /^\{"command":"[A-Z_]+"(?:,"correlation_id":"\d+")?\}$/u;

export const asterisk: HostileDoor = {
  ...SILENT,
  first: (chance) =>
    text(
      chance.pick([
        "MEDIA_START connection_id:x channel:x channel_id:1 format:ulaw optimal_frame_size:160 ptime:20",
        '{"event":"MEDIA_START","channel_id":"1","format":"slin24","optimal_frame_size":960}',
      ]),
    ),
  text: hostileControl,
  fault: (answer) => (COMMAND.test(answer) || JSON_COMMAND.test(answer) ? undefined : "not a command of the channel"),
};

const STREAM_ANSWERS = new Set(["media", "mark", "clear", "playAudio", "checkpoint", "clearAudio"]);

export const mediaStream: HostileDoor = {
  ...SILENT,
  first: (chance) =>
    text(
      chance.pick([
        '{"event":"start","streamSid":"M","start":{"callSid":"C","mediaFormat":{"encoding":"audio/x-mulaw","sampleRate":8000}}}',
        '{"event":"start","stream_id":"S","start":{"call_control_id":"C","media_format":{"encoding":"PCMA","sample_rate":8000}}}',
        '{"event":"start","start":{"streamId":"P","mediaFormat":{"encoding":"audio/x-l16","sampleRate":16000}},"extra_headers":"{}"}',
      ]),
    ),
  text: hostileStreamText,
  fault: (answer) =>
    STREAM_ANSWERS.has((JSON.parse(answer) as { event: string }).event) ? undefined : "not a message of a media stream",
};

export const realtime: HostileDoor = {
  first: () => text('{"type":"session.update","session":{"type":"realtime"}}'),
  text: hostileEvent,
  last: text(
    '{"type":"conversation.item.create","item":{"type":"function_call","call_id":"last-word","name":"f","arguments":"{}"}}',
  ),
  fault(answer) {
    const { type, ...fields } = JSON.parse(answer) as { readonly type: ServerEventType };
    const parsed = Object.hasOwn(SERVER_EVENTS, type) ? SERVER_EVENTS[type].safeParse(fields) : undefined;
    return parsed?.success === true ? undefined : (parsed?.error.message ?? `unknown event ${type}`);
  },
  isLast: (answer) => answer.includes('"conversation.item.added"') && answer.includes(LAST_WORD),
};

/** The door of an address. */
export function hostileDoor({ pathname }: URL): HostileDoor {
  if (pathname.startsWith("/ws/asterisk")) return asterisk;
  if (pathname.startsWith("/v1/realtime")) return realtime;
  return pathname.startsWith("/ws/media-stream") ? mediaStream : voice;
}
