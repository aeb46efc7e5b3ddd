import { describeSuspicion, FormatSuspect } from "../../audio/format-check/format-suspect.ts";
import { SampleStream } from "../../audio/sample-stream.ts";
import type { SessionEvent } from "../../conversation/events.ts";
import type { VoiceSession } from "../../conversation/session/session-interface.ts";
import type { CallerLine, DoorConnection } from "../door.ts";
import {
  EMPTY_AUDIO,
  misplacedSettings,
  parseClientMessage,
  unknownLanguage,
  type AboutChunk,
  type ClientMessage,
} from "./client-messages.ts";
import { VoiceEncoder } from "./encode.ts";
import { encodeResumption } from "./encode-resumption.ts";
import { ErrorLimit } from "../error-limit.ts";
import { encodeServerMessage, type ServerData, type ServerMessageType } from "./server-messages.ts";
import { AUDIO, decodeSettings } from "../../config/settings/settings-form.ts";

/** Close codes of a call that the assistant ends. */
const CALL_ENDED = 4200;
const CALL_TRANSFERRED = 4302;

const AUDIO_FORMAT = "pcm_24khz_16bit_mono";

/** One connection of the native interface: client messages become commands of the session, its events become server messages. */
export class VoiceConnection implements DoorConnection {
  readonly #line: CallerLine;
  readonly #encoder: VoiceEncoder;
  readonly #errors: ErrorLimit;
  readonly #format = new FormatSuspect();
  readonly #stream = new SampleStream();

  constructor(line: CallerLine) {
    const { connectionId, voice, parts } = line;
    const mayInspect = line.permissions.includes("inspect");
    this.#line = line;
    this.#encoder = new VoiceEncoder({ connectionId, mayInspect, nowMs: () => line.clock.nowMs() });
    this.#errors = new ErrorLimit(line.clock.nowMs());
    this.#send("connection_metadata", {
      connection_id: connectionId,
      status: "connected",
      config: { audio_format: AUDIO_FORMAT, encoding: AUDIO.encoding, sample_rate: AUDIO.sample_rate, channels: 1 },
      project_id: voice.project_id,
      config_id: voice.config_id,
      ...(mayInspect && parts !== undefined && { parts }),
      ...encodeResumption(line.resumption),
    });
  }

  emit(event: SessionEvent): void {
    for (const { type, data } of this.#encoder.encode(event)) {
      if (type === "error") this.error(data.error_code, data.error_message, data.details);
      else this.#send(type, data);
    }
    if (event.type !== "call-ended") return;
    const { transferTo } = event.ending;
    if (transferTo === undefined) this.#line.end(CALL_ENDED, "CALL_ENDED");
    else this.#line.end(CALL_TRANSFERRED, `CALL_TRANSFERRED ${transferTo}`);
  }

  error(code: string, message: string, details: Readonly<Record<string, unknown>> = {}): void {
    const suppressed = this.#errors.pass(this.#line.clock.nowMs());
    if (suppressed === undefined) return;
    const all = suppressed === 0 ? details : { ...details, suppressed_errors: suppressed };
    this.#send("error", { error_code: code, error_message: message, details: all });
  }

  draining(seconds: number): void {
    this.#send("status", { status: "draining", details: { closes_in_seconds: seconds } });
  }

  receive(session: VoiceSession, frame: Buffer, isBinary: boolean): void {
    if (isBinary) this.#receiveBinary(session, frame);
    else this.#receiveText(session, frame.toString());
  }

  #receiveBinary(session: VoiceSession, pcm: Buffer): void {
    if (pcm.length === 0) this.error("AUDIO_PROCESSING_FAILED", EMPTY_AUDIO, { byte_length: 0 });
    else this.#receiveAudio(session, pcm, {});
  }

  #receiveText(session: VoiceSession, text: string): void {
    const { ok: message, failure } = parseClientMessage(text);
    if (failure !== undefined) {
      this.error(failure.code, failure.message, failure.details);
      return;
    }
    switch (message.type) {
      case "session_settings": {
        const refusal = unknownLanguage(message, session);
        if (refusal !== undefined) return this.error(...refusal);
        if (message.misplaced.length > 0) this.error(...misplacedSettings(message));
        this.#encoder.answers(message.messageId, message.patch);
        session.configure(decodeSettings(message.patch));
        break;
      }
      case "audio_input":
        this.#receiveAudio(session, message.pcm, message.about);
        break;
      case "keep_alive":
        this.#send("status", { status: "alive", details: { reply_to: message.messageId } });
        break;
      case "tool_result": {
        const { call_id, output, is_error, messageId: reply_to } = message;
        if (session.giveToolResult(call_id, output, is_error)) break;
        this.error("UNKNOWN_TOOL_CALL", "No call with this call_id waits for a result.", { call_id, reply_to });
        break;
      }
      case "say":
        this.#say(session, message);
        break;
      case "text_input":
        if (session.ready) session.addText(message.text);
        else
          this.error("TEXT_BEFORE_SETTINGS", "Send session_settings first; this text was dropped.", {
            reply_to: message.messageId,
          });
        break;
      case "recording_consent": {
        const { consent, messageId: reply_to } = message;
        if (session.recording === undefined)
          this.error("NOT_RECORDED", "This configuration keeps no record of calls.", { reply_to });
        else session.recording.consent(consent);
        break;
      }
    }
  }

  #say(session: VoiceSession, { text, when, messageId: reply_to }: Extract<ClientMessage, { type: "say" }>): void {
    if (!this.#line.permissions.includes("say"))
      this.error("NOT_PERMITTED", 'The credentials lack the permission "say".', { reply_to });
    else if (!session.say(text, when))
      this.error("TOO_MANY_TEXTS", "Too many texts wait to be spoken; this one was dropped.", { reply_to });
  }

  #receiveAudio(session: VoiceSession, pcm: Buffer, about: Partial<AboutChunk>): void {
    this.#checkFormat(pcm);
    const samples = this.#stream.take(pcm);
    if (!session.ready) {
      this.error("AUDIO_BEFORE_SETTINGS", "Send session_settings first; this audio was dropped.", about);
      return;
    }
    if (this.#line.takeAudio(samples.length, about)) session.pushAudio(samples);
  }

  #checkFormat(audio: Buffer): void {
    const suspicion = this.#format.push(audio, this.#line.clock.nowMs());
    if (suspicion === undefined) return;
    this.error("AUDIO_FORMAT_SUSPECT", describeSuspicion(suspicion), {
      looks_like: suspicion.looksLike,
      expected: AUDIO_FORMAT,
    });
  }

  #send<Type extends ServerMessageType>(type: Type, data: ServerData[Type]): void {
    this.#line.send(encodeServerMessage(type, data, Date.now()));
  }
}
