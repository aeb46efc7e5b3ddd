import { embeddedDefault, type VoiceConfiguration } from "../../src/config/voice-configuration.ts";
import { Session } from "../../src/conversation/session/session.ts";
import type { Recording } from "../../src/conversation/session/session-interface.ts";
import { RealtimeCall } from "../../src/doors/realtime/realtime-call.ts";
import type { ServerEventData, ServerEventType } from "../../src/doors/realtime/server/server-events.ts";
import { silentLog } from "../../src/shared/log.ts";
import { fakeEngines, type EngineScript } from "./fake-engines.ts";
import { LOUD, tone } from "./scripted-call.ts";
import { VirtualClock } from "./virtual-clock.ts";

type SentEvent = { readonly type: ServerEventType } & Readonly<Record<string, unknown>>;

export interface RealtimeScript extends EngineScript {
  readonly voice?: Partial<VoiceConfiguration>;
  readonly recording?: Recording;
}

/** A call through the OpenAI Realtime door on fake engines in virtual time, without a socket. */
export function scriptedRealtime({ voice: changes, recording, ...script }: RealtimeScript = {}) {
  const clock = new VirtualClock();
  const { engines, prompts } = fakeEngines(script);
  const voice = { ...embeddedDefault, ...changes };
  const events: SentEvent[] = [];
  const faults: unknown[] = [];
  const call = new RealtimeCall({
    connectionId: "sess_1",
    voice,
    permissions: [],
    handshake: { url: "/v1/realtime", headers: {} },
    resumption: {},
    clock,
    log: silentLog,
    send: (frame) => void events.push(JSON.parse(frame.toString()) as SentEvent),
    takeAudio: () => true,
    end: () => {},
  });
  const session = new Session(
    {
      connectionId: "sess_1",
      owner: "",
      voice,
      emit: (event) => call.emit(event),
      onFault: (error) => void faults.push(error),
    },
    engines,
    clock,
    silentLog,
    { recording },
  );
  call.opened(session);

  const send = (type: string, fields: object = {}) =>
    call.receive(session, Buffer.from(JSON.stringify({ type, ...fields })), false);
  const update = (fields: object) => send("session.update", { session: { type: "realtime", ...fields } });
  const settle = async () => {
    for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const append = (level: number, ms: number) => {
    send("input_audio_buffer.append", { audio: Buffer.from(tone(level, ms).buffer).toString("base64") });
  };
  /** Audio at the pace of the clock. */
  const stream = async (level: number, ms: number) => {
    for (let streamed = 0; streamed < ms; streamed += 100) {
      append(level, 100);
      await settle();
      clock.advance(100);
    }
    await settle();
  };
  const speak = async (ms: number) => {
    await stream(LOUD, ms);
    await stream(0, 1_000);
  };
  const all = <Type extends ServerEventType>(type: Type) =>
    events.filter((event) => event.type === type) as unknown as (ServerEventData<Type> & { type: Type })[];
  const types = () => events.map(({ type }) => type);
  return { clock, prompts, faults, events, session, send, update, append, stream, speak, settle, all, types };
}
