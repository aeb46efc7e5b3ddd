import { describeSuspicion, FormatSuspect } from "../../audio/format-check/format-suspect.ts";
import type { SessionEvent } from "../../conversation/events.ts";
import type { VoiceSession } from "../../conversation/session/session-interface.ts";
import { CallerAudio } from "../caller-audio.ts";
import { POLICY_VIOLATION, UNSUPPORTED_DATA } from "../close-codes.ts";
import type { CallerLine, DoorConnection } from "../door.ts";
import { callFacts } from "./call-facts.ts";
import type { CallCommand, CallInput, CallProblemCode, CallProtocol, CallStart } from "./call-protocol.ts";
import { queryVariables } from "./connect-request.ts";
import { OutgoingSpeech } from "./outgoing-speech.ts";
import { PressedKeys } from "./pressed-keys.ts";

/** Audio that may come before the start of the call: 2 s at 24 kHz. Asterisk under load is up to 1 s late. */
const MOST_EARLY_BYTES = 96_000;
const NO_START = "No start of the call came; the connection is closed.";
/** A client that sends no start is not a telephone system. */
const START_DUE_MS = 10_000;
/** How long a voice over the reply may last before playback stops. Measured in docs/decisions/0076-telephone.md. */
const PAUSE_AFTER_MS = 160;

/** The parts of a call that depend on its format. */
interface StartedCall {
  readonly start: CallStart;
  readonly session: VoiceSession;
  readonly audio: CallerAudio;
  readonly suspect: FormatSuspect;
  readonly speech: OutgoingSpeech;
  readonly keys: PressedKeys;
}

/** One telephone call: what the telephone system reports becomes commands of the session, and replies become audio. */
export class TelephoneCall implements DoorConnection {
  readonly #line: CallerLine;
  readonly #protocol: CallProtocol;
  readonly #openedMs: number;
  readonly #early: Uint8Array[] = [];
  #earlyBytes = 0;
  #started: StartedCall | undefined;
  #isPaused = false;
  #cancelPause = () => {};
  /** Problems in the log. Each kind is logged once in a call. */
  readonly #logged = new Set<string>();

  constructor(line: CallerLine, protocol: CallProtocol) {
    this.#line = line;
    this.#protocol = protocol;
    this.#openedMs = line.clock.nowMs();
  }

  emit(event: SessionEvent): void {
    switch (event.type) {
      case "reply-audio":
        this.#started?.speech.say(event.reply, event.pcm);
        return;
      case "reply-held":
        // The telephone system has more than this to play, so a cough leaves no gap in the reply.
        this.#cancelPause = this.#line.clock.after(PAUSE_AFTER_MS, () => this.#setPaused(true));
        return;
      case "reply-resumed":
        this.#setPaused(false);
        return;
      case "reply-ended":
        if (event.how === "interrupted" || event.how === "stopped") this.#started?.speech.flush();
        this.#setPaused(false);
        return;
      case "call-ended":
        if (this.#started !== undefined) this.#hangUp(this.#started.start);
        return;
      case "client-tool-call":
      case "tool-started":
      case "tool-ended":
      case "tool-state":
      case "recording":
      case "language-heard":
      case "ready":
      case "turn-started":
      case "transcript":
      case "overlap-transcript":
      case "turn-committed":
      case "turn-timed-out":
      case "turn-ended":
      case "caller-idle":
      case "reply-started":
      case "request-ended":
      case "reply-text":
      case "tool-call":
      case "emotion":
      case "level":
      case "failure":
    }
  }

  error(code: string, message: string): void {
    if (this.#logged.has(code)) return;
    this.#logged.add(code);
    this.#line.log.warn({ code }, `telephone: ${message} Logged once in a call.`);
  }

  receive(session: VoiceSession, frame: Buffer, isBinary: boolean): void {
    const input = this.#protocol.decode(frame, isBinary);
    if (this.#started !== undefined) this.#take(this.#started, input);
    else if (input.type === "start") this.#start(session, input);
    else if (input.type === "audio") this.#keepEarly(input.bytes);
    else if (input.type === "invalid") this.error(input.code, input.message);
    else if (input.type === "hung-up") this.#line.end();
    if (this.#started === undefined && this.#line.clock.nowMs() - this.#openedMs > START_DUE_MS)
      this.#refuse("INVALID_MESSAGE", NO_START, POLICY_VIOLATION, "INVALID_MESSAGE no start of the call");
  }

  close(): void {
    this.#cancelPause();
    this.#started?.keys.close();
  }

  #start(session: VoiceSession, start: CallStart): void {
    const line = this.#line;
    const { format, formatName, frameBytes, name } = start;
    if (format === undefined) {
      const { formats } = this.#protocol;
      this.#send(start, { type: "hang-up" });
      const message = `The audio format ${formatName} cannot be used; configure ${formats}.`;
      this.#refuse("AUDIO_PROCESSING_FAILED", message, UNSUPPORTED_DATA, `AUDIO_PROCESSING_FAILED ${formatName}`);
      return;
    }
    line.log.info({ call: name, format: formatName }, "telephone call");
    this.#started = {
      start,
      session,
      audio: new CallerAudio(format),
      suspect: new FormatSuspect(format),
      speech: new OutgoingSpeech(format, frameBytes, (command) => this.#send(start, command)),
      keys: new PressedKeys(
        line.clock,
        (entries) =>
          session.addText(`(The caller pressed ${entries.join(", then ")} on the telephone keypad.)`, "keys"),
        () => this.error("TOO_MANY_KEYS", "Keys came faster than a person presses them; some are dropped."),
      ),
    };
    this.#send(start, { type: "answer" });
    const variables = { ...queryVariables(line.handshake.url), ...start.variables };
    session.configure({ callFacts: callFacts(variables, line.voice.telephone.variables) });
    for (const bytes of this.#early.splice(0)) this.#takeAudio(this.#started, bytes);
  }

  /** Ends the call. The log has the reason also after other problems with this code. */
  #refuse(code: CallProblemCode, message: string, closeCode: number, reason: string): void {
    this.#logged.delete(code);
    this.error(code, message);
    this.#line.end(closeCode, reason);
  }

  #take(call: StartedCall, input: CallInput): void {
    const { session } = call;
    switch (input.type) {
      case "audio":
        this.#takeAudio(call, input.bytes);
        return;
      case "mark": {
        const heard = call.speech.played(input.name);
        if (heard !== undefined) session.reportPlayback({ type: "played", ...heard });
        return;
      }
      case "full":
      case "room":
        session.reportPlayback({ type: input.type });
        return;
      case "key":
        if (call.keys.isEmpty && input.key === this.#line.voice.telephone.hang_up_key) this.#hangUp(call.start);
        else call.keys.press(input.key);
        return;
      case "hung-up":
        this.#line.end();
        return;
      case "start":
        this.error("INVALID_MESSAGE", "The call was started twice; the second start is ignored.");
        return;
      case "invalid":
        this.error(input.code, input.message);
        return;
      case "ignored":
    }
  }

  #takeAudio({ session, audio, suspect }: StartedCall, bytes: Uint8Array): void {
    const suspicion = suspect.push(bytes, this.#line.clock.nowMs());
    if (suspicion !== undefined) this.error("AUDIO_FORMAT_SUSPECT", describeSuspicion(suspicion));
    const pcm = audio.decode(bytes);
    if (this.#line.takeAudio(pcm.length, {})) session.pushAudio(pcm);
  }

  #keepEarly(bytes: Uint8Array): void {
    this.#earlyBytes += bytes.length;
    if (this.#earlyBytes <= MOST_EARLY_BYTES) this.#early.push(bytes);
    else this.error("AUDIO_PROCESSING_FAILED", "Audio came before the start of the call; some of it is dropped.");
  }

  #setPaused(isPaused: boolean): void {
    this.#cancelPause();
    if (this.#started === undefined || isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    this.#send(this.#started.start, { type: isPaused ? "pause" : "continue" });
  }

  /** Asterisk continues the dialplan then. */
  #hangUp(start: CallStart): void {
    this.#send(start, { type: "hang-up" });
    this.#line.end();
  }

  #send({ encode }: CallStart, command: CallCommand): void {
    const frame = encode(command);
    if (frame !== undefined) this.#line.send(frame);
  }
}
