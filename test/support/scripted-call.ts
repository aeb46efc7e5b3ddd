import { vi } from "vitest";
import { CALL_SAMPLES_PER_MS } from "../../src/audio/format.ts";
import { embeddedDefault, type VoiceConfiguration } from "../../src/config/voice-configuration.ts";
import type { SessionEvent } from "../../src/conversation/events.ts";
import { Session } from "../../src/conversation/session/session.ts";
import { type SessionExtras } from "../../src/conversation/session/session-parts.ts";
import type { SessionSnapshot } from "../../src/conversation/session/session-snapshot.ts";
import { silentLog } from "../../src/shared/log.ts";
import { encoded } from "./encoded.ts";
import { fakeEngines, type EngineScript } from "./fake-engines.ts";
import { VirtualClock } from "./virtual-clock.ts";

export const LOUD = 12_000;

/** Sound of 3 kHz at `CALL_HZ`. Its sample magnitudes are all `level`. */
export const tone = (level: number, ms: number): Int16Array =>
  Int16Array.from({ length: ms * CALL_SAMPLES_PER_MS }, (_, at) => (at % 8 < 4 ? level : -level));

export interface Script extends EngineScript, Pick<SessionExtras, "replayLog" | "speculation" | "openTools"> {
  readonly greeting?: string;
  readonly voice?: Partial<VoiceConfiguration>;
  readonly clock?: VirtualClock;
  /** Called before a message is taken. */
  readonly onSend?: (type: string, data: Readonly<Record<string, unknown>>) => void;
}

/** A session on fake engines in virtual time. The wall clock stands: a new minute would change the prompts. */
export function scriptedCall({
  greeting,
  onSend,
  replayLog,
  speculation,
  openTools,
  voice = {},
  clock = new VirtualClock(),
  ...script
}: Script = {}) {
  if (!vi.isFakeTimers()) vi.useFakeTimers({ toFake: ["Date"] });
  const sent: { type: string; data: Readonly<Record<string, unknown>> }[] = [];
  const faults: unknown[] = [];
  /** The requests for replies that have ended. */
  const endedRequests: number[] = [];
  const { engines, prompts, open: openParts } = fakeEngines(script);
  const send = encoded("c", ({ type, data }) => {
    onSend?.(type, data);
    sent.push({ type, data });
  });
  const request = {
    connectionId: "c",
    owner: "",
    voice: { ...embeddedDefault, ...voice, ...(greeting === undefined ? {} : { greeting }) },
    emit: (event: SessionEvent) => {
      if (event.type === "request-ended") endedRequests.push(event.request);
      send(event);
    },
    onFault: (error: unknown) => void faults.push(error),
  };
  const open = () =>
    new Session(request, engines, clock, silentLog, { replayLog, speculation, ...(openTools && { openTools }) });
  let session = open();
  session.configure({});

  const settle = async () => {
    for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  /** Audio at the pace of the clock. */
  const stream = async (level: number, ms: number, chunkMs = 100) => {
    const pcm = tone(level, chunkMs);
    for (let streamed = 0; streamed < ms; streamed += chunkMs) {
      session.pushAudio(pcm);
      await settle();
      clock.advance(chunkMs);
    }
    await settle();
  };
  const all = (type: string) => sent.filter((message) => message.type === type).map(({ data }) => data);
  const types = () => sent.map(({ type }) => type);
  return {
    clock,
    sent,
    endedRequests,
    prompts,
    faults,
    /** The present one, after `move`. */
    get session() {
      return session;
    },
    /** Goes on with the present session's snapshot on another box. The old box is dead. */
    async move(snapshot = session.snapshot(), ageMs = 0) {
      await session.close();
      session = open();
      session.restore(JSON.parse(JSON.stringify(snapshot)) as SessionSnapshot, ageMs);
    },
    stream,
    settle,
    all,
    types,
    open: openParts,
  };
}
