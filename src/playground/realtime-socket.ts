import { toBase64 } from "../client/bytes.ts";
import { RealtimeMessages } from "./realtime-messages.ts";
import { platformSocket, type OpenSocket, type OpenSocketWith, type SocketLike } from "../client/socket.ts";

/**
 * A socket through which a `VoiceClient` talks to the OpenAI Realtime door instead of the native one, for comparisons. Settings
 * are not passed on: the voice configuration's are in force.
 * @param open Opens the WebSocket to the door.
 */
export const realtimeSocket =
  (open: OpenSocketWith = platformSocket): OpenSocket =>
  (url) => {
    const native = new URL(url);
    const [root = "", id = ""] = native.pathname.split("/ws/voice/");
    const model = native.searchParams.get("config_id") ?? "default";
    const target = `${native.protocol}//${native.host}${root}/v1/realtime?model=${encodeURIComponent(model)}`;
    const key = native.searchParams.get("api_key") ?? "";
    return translated(open(target, ["realtime", `openai-insecure-api-key.${key}`]), decodeURIComponent(id));
  };

const SESSION = { type: "realtime", audio: { input: { transcription: {} } } };

function translated(socket: SocketLike, connectionId: string): SocketLike {
  const listeners: ((event: { readonly data: unknown }) => void)[] = [];
  const take = (data: string) => {
    for (const listener of listeners) listener({ data });
  };
  const messages = new RealtimeMessages(connectionId, take);
  socket.addEventListener("message", ({ data }) => {
    if (typeof data === "string") messages.receive(data);
  });
  const sendText = (text: string) => {
    const { type, message_id } = JSON.parse(text) as { readonly type: string; readonly message_id: string };
    if (type === "session_settings")
      socket.send(JSON.stringify({ type: "session.update", event_id: message_id, session: SESSION }));
    // The door has no message for it: a socket that is open counts as alive.
    else messages.alive(message_id);
  };
  return {
    get bufferedAmount() {
      return socket.bufferedAmount;
    },
    send(data) {
      if (typeof data === "string") sendText(data);
      else socket.send(JSON.stringify({ type: "input_audio_buffer.append", audio: toBase64(data) }));
    },
    close: (code, reason) => socket.close(code, reason),
    addEventListener(type: "open" | "message" | "close" | "error", listener: (event: never) => void) {
      if (type === "message") listeners.push(listener as (typeof listeners)[number]);
      else socket.addEventListener(type as "close", listener as () => void);
    },
  };
}
