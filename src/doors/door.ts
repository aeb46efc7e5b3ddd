import type { IncomingHttpHeaders } from "node:http";
import type { Permission } from "../auth/key-file.ts";
import type { Credentials } from "../auth/authenticate.ts";
import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import type { SessionEvent } from "../conversation/events.ts";
import type { Restored, VoiceSession } from "../conversation/session/session-interface.ts";
import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import type { FatalErrorCode } from "./fatal-errors.ts";

/** One protocol that callers speak over a WebSocket. The server admits connections and limits them; a door decodes and encodes. */
export interface Door {
  /** True when the path of the URL is this door's. */
  matches(url: string): boolean;
  /** @throws OakError `INVALID_CONNECT_REQUEST`. */
  connectRequest(handshake: Handshake): ConnectRequest;
  /** Called for each connection that is accepted. */
  open(line: CallerLine): DoorConnection;
  /** The last frame of a connection that ends with an error; undefined when the protocol has none. */
  lastFrame(code: FatalErrorCode, message: string): string | undefined;
  readonly closeCodes: Readonly<Record<FatalErrorCode, number>>;
  /** Advice for idle clients: how to stay connected. */
  readonly idleAdvice: string;
  /** The protocol has no message for idle clients: one that answers pings is not idle. */
  readonly isAliveByPong?: boolean;
  /** Takes settings in the credentials (`CallerLine.preset`). Credentials that have some open no other door. */
  readonly takesPreset?: boolean;
  /** A session of this door can be resumed over another connection. */
  readonly canResume?: boolean;
}

/** A WebSocket handshake. */
export interface Handshake {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

export interface ConnectRequest {
  readonly connectionId: string;
  /** The voice configuration. */
  readonly configId: string | undefined;
  /** A `configId` that does not exist counts as not given. Then the credentials choose, or `default` is opened. */
  readonly mayFallBack?: boolean;
  readonly projectId: string | undefined;
  readonly credentials: Credentials;
  readonly resume?: ResumeRequest | undefined;
}

/** The client wants to go on with the session of a lost connection. */
export interface ResumeRequest {
  readonly token: string;
  /** Number of pieces of speech that it received over the lost connection. */
  readonly pieces: number | undefined;
}

/** How a connection resumes a session, and how it can be resumed. */
export interface Resumption {
  /** Resumes the session after a loss. Undefined: it cannot be resumed. */
  readonly token?: string;
  /** How long the token is valid after a loss. */
  readonly seconds?: number;
  /** Only when the client asked for it. */
  readonly restored?: Restored | undefined;
  readonly refusal?: "expired" | "other_configuration" | "unknown" | "used";
}

/** Names of the models that a call uses, and of its speaker. */
export interface AssistantParts {
  readonly stt: string;
  readonly llm: string;
  readonly tts: string;
  readonly voice: string;
}

/** One accepted connection, as its door uses it. */
export interface CallerLine {
  readonly connectionId: string;
  readonly voice: VoiceConfiguration;
  readonly parts?: AssistantParts | undefined;
  readonly resumption: Resumption;
  /** Settings in the credentials, in the form of the door that made them. */
  readonly preset?: unknown;
  readonly handshake: Handshake;
  readonly clock: Clock;
  readonly log: Log;
  /** A client that reads too slowly is disconnected. Once the socket is closing, frames are ignored. */
  send(frame: string | Uint8Array): void;
  /** False when a limit refuses the audio. The client gets an error then, with `about` in its details. */
  takeAudio(samples: number, about: Readonly<Record<string, unknown>>): boolean;
  readonly permissions: readonly Permission[];
  /** Ends the connection without an error. Default: 1000 and no reason. */
  end(closeCode?: number, reason?: string): void;
}

/** A door's side of one connection. */
export interface DoorConnection {
  /** The session exists. Called once, before any event and any frame. */
  opened?(session: VoiceSession): void;
  /** Takes an event of the session. */
  emit(event: SessionEvent): void;
  /** A frame from the client. */
  receive(session: VoiceSession, frame: Buffer, isBinary: boolean): void;
  /** Reports an error after which the connection continues. */
  error(code: string, message: string, details: Readonly<Record<string, unknown>>): void;
  /** The server stops. It closes the connection after this time at the latest. */
  draining?(seconds: number): void;
  /** The connection is closed, or about to be: timers must stop. */
  close?(): void;
}
