import { pino } from "pino";
import { CALL_BYTES_PER_MS } from "../../src/audio/format.ts";
import { samplesOf } from "../../src/audio/pcm16.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { embeddedDefault, type VoiceConfiguration } from "../../src/config/voice-configuration.ts";
import type { Engines } from "../../src/engines/engines.ts";
import { Session } from "../../src/conversation/session/session.ts";
import { SpeculationCounts } from "../../src/conversation/reply/speculation-counts.ts";
import { engineStarters } from "../../src/service/engine-starters.ts";
import type { ServerData, ServerMessageType } from "../../src/doors/voice/server-messages.ts";
import { decodeSettings } from "../../src/config/settings/settings-form.ts";
import type { SessionSettingsPatch } from "../../src/config/settings/settings-schema.ts";
import { silentLog } from "../../src/shared/log.ts";
import type { SpeechToText, TranscribeRequest } from "../../src/engines/stt/speech-to-text.ts";
import { encoded } from "./encoded.ts";
import { onFault } from "./faults.ts";
import { InFlight } from "./in-flight.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** No longer than a frame of the voice activity detector, so that its results come one by one. */
const STEP_MS = 20;

let started: Promise<Engines> | undefined;

/** The starter models' engines, for sessions without a server around them. The files of a process share them, and they end with it. */
export const starterEngines = (): Promise<Engines> => (started ??= startAll());

/** A busy machine may take minutes for a decode, and as long to answer a ping. */
const DEADLINES = Object.fromEntries(
  ["STT", "LLM", "TTS", "EMOTION"].map((name) => [`OAKVOICE_MODELS_${name}_DEADLINE_SECONDS`, "600"]),
);

async function startAll(): Promise<Engines> {
  // A test that fails because a model's process ended must say so.
  const log = pino({ level: "warn" });
  const start = engineStarters(loadServerConfig(undefined, DEADLINES).config, 4, log);
  const [vad, stt, llm, tts, emotion, endOfTurn] = await Promise.all([
    start.vad(),
    start.stt(),
    start.llm(),
    start.tts(),
    start.emotion(),
    start.endOfTurn(),
  ]);
  return { vad, stt, llm, tts, emotion, endOfTurn };
}

type Sent = { [Type in ServerMessageType]: { type: Type; data: ServerData[Type]; atMs: number } }[ServerMessageType];

export interface LineOptions {
  readonly voice?: Partial<VoiceConfiguration>;
  readonly settings?: SessionSettingsPatch;
  /** Extra time of each decode on this line's machine. */
  readonly decodeMs?: number;
}

/**
 * One caller's session on real engines, with its messages. The audio moves its clock, and the clock waits for
 * the engines. The results are the same on a fast and on a busy machine, and a test is faster than its audio.
 */
export class Line implements AsyncDisposable {
  readonly sent: Sent[] = [];
  /** The completed requests to the recogniser. */
  readonly decodes: { readonly kind: TranscribeRequest["kind"]; readonly fromMs: number; readonly toMs: number }[] = [];
  readonly session: Session;
  readonly #clock = new VirtualClock();
  readonly #engines = new InFlight();

  constructor(engines: Engines, { voice = {}, settings = {}, decodeMs = 0 }: LineOptions = {}) {
    const emit = encoded("line", (message) => this.sent.push({ ...message, atMs: this.#clock.nowMs() }));
    const request = { connectionId: "line", owner: "", voice: { ...embeddedDefault, ...voice }, emit, onFault };
    const watched: Engines = {
      vad: this.#engines.watch(engines.vad),
      stt: this.#slowed(this.#engines.watch(engines.stt), decodeMs),
      llm: this.#engines.watch(engines.llm),
      tts: this.#engines.watch(engines.tts),
      emotion: this.#engines.watch(engines.emotion),
      endOfTurn: engines.endOfTurn && this.#engines.watch(engines.endOfTurn),
      languages: engines.languages,
    };
    const speculation = new SpeculationCounts();
    this.session = new Session(request, watched, this.#clock, silentLog, { speculation });
    this.configure(settings);
  }

  configure(settings: SessionSettingsPatch): void {
    this.session.configure(decodeSettings(settings));
  }

  /** Sends audio, and advances the clock by its length. */
  async speak(pcm: Buffer): Promise<void> {
    const stepBytes = STEP_MS * CALL_BYTES_PER_MS;
    for (let at = 0; at < pcm.length; at += stepBytes) {
      this.session.pushAudio(samplesOf(pcm.subarray(at, at + stepBytes)));
      await this.#engines.settled();
      this.#clock.advance(STEP_MS);
      await this.#engines.settled();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.session.close();
  }

  all<Type extends ServerMessageType>(type: Type): Extract<Sent, { type: Type }>[] {
    return this.sent.filter((message): message is Extract<Sent, { type: Type }> => message.type === type);
  }

  /** Replies of which any text was sent. */
  get replies(): number {
    const said = this.all("llm_response_chunk").filter(({ data }) => data.content !== "");
    return new Set(said.map(({ data }) => data.generation_id)).size;
  }

  /** Speech sent so far. */
  get speechMs(): number {
    const bytes = this.all("tts_chunk").map(({ data }) => Buffer.from(data.content, "base64").length);
    return bytes.reduce((sum, length) => sum + length, 0) / CALL_BYTES_PER_MS;
  }

  /** The same recogniser on a machine that needs `decodeMs` longer for each decode. */
  #slowed(stt: SpeechToText, decodeMs: number): SpeechToText {
    return {
      threads: stt.threads,
      open: () => {
        const recognizer = stt.open();
        return {
          transcribe: async (request, signal) => {
            const fromMs = this.#clock.nowMs();
            try {
              if (decodeMs > 0) await this.#clock.passed(decodeMs, signal);
              return await recognizer.transcribe(request, signal);
            } finally {
              this.decodes.push({ kind: request.kind, fromMs, toMs: this.#clock.nowMs() });
            }
          },
          ...(recognizer.identifyLanguage && {
            identifyLanguage: recognizer.identifyLanguage.bind(recognizer),
          }),
          close: () => recognizer.close(),
        };
      },
      close: () => stt.close(),
    };
  }
}
