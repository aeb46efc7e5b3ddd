import { CALL_HZ, MODEL_HZ } from "../../src/audio/format.ts";
import { floatToPcm16, pcm16ToFloat } from "../../src/audio/pcm16.ts";
import { Resampler } from "../../src/audio/resampler.ts";
import { toBase64, uuid } from "../../src/client/bytes.ts";
import type { OpenSocket, SocketLike } from "../../src/client/socket.ts";
import type { ServerData, ServerMessageType } from "../../src/doors/voice/server-messages.ts";

/** The text frames of `pipecat_bot.py`. */
type BotMessage =
  | { readonly type: "interruption" | "turn_start" | "reply_end" }
  | { readonly type: "turn_end" | "reply"; readonly text: string };

const AUDIO = { sample_rate: CALL_HZ, channels: 1, encoding: "linear16" } as const;

/** A socket through which a `VoiceClient` talks to the Pipecat bot. The last part of the URL's path is the connection's id. */
export const pipecatSocket =
  (open: OpenSocket): OpenSocket =>
  (url) => {
    const { host, pathname } = new URL(url);
    return translated(open(`ws://${host}`), pathname.slice(1));
  };

function translated(socket: SocketLike, connectionId: string): SocketLike {
  const listeners: ((event: { readonly data: string }) => void)[] = [];
  const resampler = new Resampler(CALL_HZ, MODEL_HZ);
  let turns = 0;
  let replies = 0;
  let pieces = 0;
  const say = <Type extends ServerMessageType>(
    type: Type,
    fields: { data: ServerData[Type] } | { content: string },
  ) => {
    const data = JSON.stringify({ type, timestamp: Date.now() / 1000, message_id: uuid(), ...fields });
    for (const listener of listeners) listener({ data });
  };
  const ready = { status: "ready", details: { session_settings: AUDIO } } as const;
  const turnId = () => `${connectionId}.${String(turns)}`;
  const piece = (content: string, is_final: boolean) =>
    say("llm_response_chunk", {
      data: { content, is_final, generation_id: String(replies), chunk_index: pieces++ },
    });
  const receive = (message: BotMessage) => {
    switch (message.type) {
      case "interruption":
        return say("tts_interruption", { content: "" });
      case "turn_start":
        turns += 1;
        return say("turn_start", { data: { turn_id: turnId(), interrupted_tts: false } });
      case "turn_end": {
        const { text: transcript } = message;
        const is_complete = transcript !== "";
        return say("turn_end", { data: { turn_id: turnId(), duration: 0, is_complete, confidence: 1, transcript } });
      }
      case "reply":
        return piece(message.text, false);
      case "reply_end":
        piece("", true);
        replies += 1;
        pieces = 0;
    }
  };
  socket.addEventListener("open", () => {
    const config = { ...AUDIO, audio_format: "pcm_24khz_16bit_mono" } as const;
    const place = { connection_id: connectionId, project_id: "", config_id: "" };
    say("connection_metadata", { data: { ...place, status: "connected", config } });
  });
  socket.addEventListener("message", ({ data }) => {
    if (typeof data === "string") receive(JSON.parse(data) as BotMessage);
    else say("tts_chunk", { content: toBase64(data as Uint8Array) });
  });
  return {
    get bufferedAmount() {
      return socket.bufferedAmount;
    },
    send(data) {
      if (typeof data === "string") {
        const { type, message_id } = JSON.parse(data) as { readonly type: string; readonly message_id: string };
        const alive = { status: "alive", details: { reply_to: message_id } } as const;
        // The bot has no such messages. The client expects the answer after its own call, as from a network.
        queueMicrotask(() => say("status", { data: type === "session_settings" ? ready : alive }));
        return;
      }
      const samples = new Float32Array(data.length / 2);
      pcm16ToFloat(data, samples);
      const heard = resampler.process(samples);
      const pcm = new Uint8Array(heard.length * 2);
      floatToPcm16(heard, pcm);
      socket.send(pcm);
    },
    close: (code, reason) => socket.close(code, reason),
    addEventListener(type: "open" | "message" | "close" | "error", listener: (event: never) => void) {
      if (type === "message") listeners.push(listener as (typeof listeners)[number]);
      else socket.addEventListener(type as "close", listener as () => void);
    },
  };
}
