import { CALL_SAMPLES_PER_MS } from "../../audio/format.ts";
import { describeSuspicion, FormatSuspect } from "../../audio/format-check/format-suspect.ts";
import type { SessionEvent } from "../../conversation/events.ts";
import type { VoiceSession } from "../../conversation/session/session-interface.ts";
import type { SessionSettings } from "../../config/settings/session-settings.ts";
import { deepMerge } from "../../shared/deep-merge.ts";
import type { CallerLine, DoorConnection } from "../door.ts";
import { bytesOfBase64 } from "../base64.ts";
import { CallerAudio } from "../caller-audio.ts";
import { ErrorLimit } from "../error-limit.ts";
import { wireFormat, type AudioFormat } from "./session/audio-formats.ts";
import { parseClientEvent, type ClientEvent, type ClientEventOf, type Refuse } from "./client/client-events.ts";
import { RealtimeEncoder } from "./server/encode.ts";
import { errorOf } from "./server/errors.ts";
import { Conversation } from "./client/edit-conversation.ts";
import { newId } from "./items/ids.ts";
import { ItemList } from "./items/item-list.ts";
import type { SendEvent, ServerEventData } from "./server/server-events.ts";
import { initialSession, sessionPatchSchema, updateSession, type SessionConfig } from "./session/session-config.ts";
import { listUnknown } from "./client/unknown-fields.ts";
import { baseSettings, choiceFault, decodeSession, encodeSession } from "./session/session-settings.ts";

const LANGUAGE_PARAM = "session.audio.input.transcription.language";
const MAX_PARAM_CHARS = 512;
/** OpenAI commits no shorter audio. */
const SHORTEST_COMMIT_MS = 100;

/** The caller's audio in one format. */
const inputIn = (format: AudioFormat) => ({
  audio: new CallerAudio(wireFormat(format)),
  suspect: new FormatSuspect(wireFormat(format)),
});

/** One connection of an OpenAI Realtime client. */
export class RealtimeCall implements DoorConnection {
  readonly #line: CallerLine;
  readonly #errors: ErrorLimit;
  readonly #encoder: RealtimeEncoder;
  readonly #conversation: Conversation;
  /** The settings of the voice configuration. */
  readonly #base: SessionSettings;
  #settings: SessionSettings;
  #config: SessionConfig;
  #input: ReturnType<typeof inputIn>;
  #session: VoiceSession | undefined;
  /** Samples since the last commit. */
  #buffered = 0;

  constructor(line: CallerLine) {
    this.#line = line;
    this.#errors = new ErrorLimit(line.clock.nowMs());
    this.#base = baseSettings(line.voice);
    const preset = sessionPatchSchema.safeParse(line.preset);
    const initial = initialSession(line.voice);
    this.#config = preset.success ? updateSession(initial, preset.data) : initial;
    this.#settings = deepMerge(this.#base, decodeSession(this.#config, this.#base));
    this.#input = inputIn(this.#config.audio.input.format);
    const items = new ItemList();
    const send: SendEvent = (type, data) => this.#send(type, data);
    this.#encoder = new RealtimeEncoder({
      send,
      items,
      conversationId: newId("conv"),
      config: () => this.#config,
      leadInMs: () => this.#settings.turnDetection.leadInMs,
      forget: (key) => this.#session?.history.remove(key),
    });
    this.#conversation = new Conversation({
      send,
      items,
      encoder: this.#encoder,
      config: () => this.#config,
      refuse: this.#refuse,
    });
    this.#send("session.created", { session: this.#describe() });
  }

  opened(session: VoiceSession): void {
    this.#session = session;
    session.configure(decodeSession(this.#config, this.#base, session));
  }

  emit(event: SessionEvent): void {
    if (event.type === "ready") this.#settings = event.settings;
    // A commit of the client counted its own audio, and more may have come since.
    if (event.type === "turn-committed" && event.cause !== "client") this.#buffered = 0;
    this.#encoder.encode(event);
    if (event.type === "call-ended") this.#line.end();
  }

  error(code: string, message: string, { event_id }: Readonly<Record<string, unknown>> = {}): void {
    const { error } = errorOf(code, message, typeof event_id === "string" ? event_id : null);
    this.#sendError(error);
  }

  receive(session: VoiceSession, frame: Buffer, isBinary: boolean): void {
    if (isBinary)
      return this.#refuse({}, "invalid_event", "Send text frames; audio goes base64 into input_audio_buffer.append.");
    const parsed = parseClientEvent(frame.toString());
    if (parsed.refusal !== undefined) {
      const { code, message, param, eventId } = parsed.refusal;
      return this.#sendError({ type: "invalid_request_error", code, message, param, event_id: eventId });
    }
    const { ok: event, unknown } = parsed;
    const [first] = unknown;
    if (first !== undefined) {
      const message = `Unknown fields were ignored: ${listUnknown(unknown)}.`;
      this.#refuse(event, "unknown_parameter", message, first.slice(0, MAX_PARAM_CHARS));
    }
    this.#take(session, event);
  }

  #take(session: VoiceSession, event: ClientEvent): void {
    switch (event.type) {
      case "session.update":
        return this.#update(session, event);
      case "input_audio_buffer.append":
        return this.#append(session, event);
      case "input_audio_buffer.commit":
        return this.#commit(session, event);
      case "input_audio_buffer.clear":
        session.dropTurn();
        this.#input.audio.forgetHalf();
        this.#input.suspect.forgetHalf();
        this.#buffered = 0;
        return this.#send("input_audio_buffer.cleared", {});
      case "conversation.item.create":
      case "conversation.item.retrieve":
      case "conversation.item.truncate":
      case "conversation.item.delete":
      case "response.create":
      case "response.cancel":
        return this.#conversation.take(session, event);
    }
  }

  #update(session: VoiceSession, event: ClientEventOf<"session.update">): void {
    const { format } = this.#config.audio.input;
    const config = updateSession(this.#config, event.session);
    const fault = choiceFault(config, session);
    if (fault !== undefined) return this.#refuse(event, "invalid_value", `${fault}.`, LANGUAGE_PARAM);
    this.#config = config;
    const now = this.#config.audio.input.format;
    if (now.type !== format.type) this.#input = inputIn(now);
    session.configure(decodeSession(this.#config, this.#base, session));
    this.#send("session.updated", { session: this.#describe() });
  }

  #append(session: VoiceSession, event: ClientEventOf<"input_audio_buffer.append">): void {
    const { audio, event_id } = event;
    const bytes = bytesOfBase64(audio);
    if (bytes === undefined) return this.#refuse(event, "invalid_value", "audio is not base64.", "audio");
    const suspicion = this.#input.suspect.push(bytes, this.#line.clock.nowMs());
    if (suspicion !== undefined) this.error("AUDIO_FORMAT_SUSPECT", describeSuspicion(suspicion), { event_id });
    const pcm = this.#input.audio.decode(bytes);
    if (!this.#line.takeAudio(pcm.length, { event_id })) return;
    this.#buffered += pcm.length;
    session.pushAudio(pcm);
  }

  #commit(session: VoiceSession, event: ClientEventOf<"input_audio_buffer.commit">): void {
    const ms = this.#buffered / CALL_SAMPLES_PER_MS;
    if (ms < SHORTEST_COMMIT_MS) {
      const message = `The audio buffer holds ${ms.toFixed(0)} ms; a commit needs ${String(SHORTEST_COMMIT_MS)} ms.`;
      return this.#refuse(event, "input_audio_buffer_commit_empty", message);
    }
    this.#buffered = 0;
    session.endTurn();
  }

  #describe() {
    const { connectionId, voice } = this.#line;
    return encodeSession(this.#config, this.#settings, { id: connectionId, model: voice.config_id });
  }

  readonly #refuse: Refuse = ({ event_id }, code, message, param) =>
    this.#sendError({
      type: "invalid_request_error",
      code,
      message,
      param: param ?? null,
      event_id: event_id ?? null,
    });

  #sendError(error: ServerEventData<"error">["error"]): void {
    const suppressed = this.#errors.pass(this.#line.clock.nowMs());
    if (suppressed === undefined) return;
    this.#send("error", suppressed === 0 ? { error } : { error, oakvoice: { suppressed_errors: suppressed } });
  }

  readonly #send: SendEvent = (type, data) =>
    this.#line.send(JSON.stringify({ type, event_id: newId("event"), ...data }));
}
