import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CallRecords, type CallRecordsOptions } from "../../src/call-record/call-records.ts";
import { recordedRequest } from "../../src/call-record/recorded-request.ts";
import type { RecordContent } from "../../src/call-record/store/record-store.ts";
import { recordSchema } from "../../src/config/call-record-settings.ts";
import { embeddedDefault, type VoiceConfiguration } from "../../src/config/voice-configuration.ts";
import type { SessionEvent } from "../../src/conversation/events.ts";
import { Session } from "../../src/conversation/session/session.ts";
import type { OpenTools } from "../../src/conversation/tool-calls/tool.ts";
import { silentLog } from "../../src/shared/log.ts";
import { stopRecordingTool } from "../../src/tools/builtin/stop-recording.ts";
import { fakeEngines, type EngineScript } from "./fake-engines.ts";
import { LOUD, tone } from "./scripted-call.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** A key file and a folder for records. */
export function recordConfig(webhook?: CallRecordsOptions["config"]["webhook"]): CallRecordsOptions["config"] {
  const folder = temporaryFolder();
  const keyFile = join(folder, "record.key");
  writeFileSync(keyFile, randomBytes(32), { mode: 0o600 });
  return { dir: join(folder, "records"), keyFile, auditDays: 400, ...(webhook === undefined ? {} : { webhook }) };
}

/** Records in a folder of their own, without a webhook. */
export const openRecords = (clock: VirtualClock): Promise<CallRecords> =>
  CallRecords.open({ config: recordConfig(), allowedHosts: [], voices: () => [], log: silentLog, clock });

export interface RecordedScript extends EngineScript {
  readonly record: object;
  readonly greeting?: string;
  readonly clock: VirtualClock;
  /** A function: that of the present connection. */
  readonly connectionId?: string | (() => string);
  readonly callerId?: string;
  readonly traceparent?: string;
  readonly openTools?: OpenTools;
}

export const settle = async () => {
  for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** A call on fake engines in virtual time, with its record. */
export function recordedCall(records: CallRecords, script: RecordedScript) {
  const { clock, record, greeting, callerId, connectionId = "c1", openTools, traceparent } = script;
  const events: SessionEvent[] = [];
  const voice: VoiceConfiguration = {
    ...embeddedDefault,
    config_id: "desk",
    record: recordSchema.parse(record),
    ...(greeting === undefined ? {} : { greeting }),
  };
  const emit = (event: SessionEvent) => void events.push(event);
  const request = { get connectionId() { return typeof connectionId === "string" ? connectionId : connectionId(); }, owner: "api_key key_1", voice, emit, traceparent: () => traceparent, onFault: (error: unknown) => { throw error; } }; // prettier-ignore
  const recorder = records.recorder(request, emit);
  if (recorder === undefined) throw new Error("the call has no record");
  const { engines, prompts } = fakeEngines(script);
  const session = new Session(recordedRequest(recorder, request, emit), engines, clock, silentLog, {
    recording: recorder,
    openTools: (call) => {
      recorder.control(call);
      return [...(openTools?.(call) ?? []), stopRecordingTool(call)];
    },
  });
  session.configure(callerId === undefined ? {} : { callerId });
  const stream = async (level: number, ms: number, pcm = tone(level, 100)) => {
    for (let streamed = 0; streamed < ms; streamed += 100) {
      session.pushAudio(pcm);
      await settle();
      clock.advance(100);
    }
    await settle();
  };
  return {
    session,
    recorder,
    events,
    prompts,
    stream,
    states: () => events.flatMap((event) => (event.type === "recording" ? [event.state] : [])),
    /** The caller says one sentence, and hears the reply. */
    async speak(silentMs = 6_000) {
      await stream(LOUD, 1_000);
      await stream(0, silentMs);
    },
    async hangUp() {
      await session.close();
      await records.flush();
    },
  };
}

/** All records of a folder with their content. */
export async function contents({ store }: CallRecords): Promise<RecordContent[]> {
  const found: RecordContent[] = [];
  for (const id of await store.ids()) {
    const content = await store.content(id);
    if (content !== undefined) found.push(content);
  }
  return found;
}

/** Every file below a folder. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

/** The names of those files, in order. */
export const fileNamesIn = (folder: string): string[] =>
  filesIn(folder)
    .map((path) => path.split("/").at(-1) ?? "")
    .toSorted((one, other) => (one < other ? -1 : 1));

/** Files that hold one of the texts, also as UTF-16 or base64. */
export function filesWith(folder: string, texts: readonly string[]): string[] {
  const wanted = texts.flatMap((text) => [
    Buffer.from(text),
    Buffer.from(text, "utf16le"),
    Buffer.from(Buffer.from(text).toString("base64").replace(/=+$/u, "")),
  ]);
  return filesIn(folder).filter((path) => {
    const bytes = readFileSync(path);
    return wanted.some((each) => bytes.includes(each));
  });
}
