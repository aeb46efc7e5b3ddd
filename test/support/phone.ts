import { WebSocket, type ClientOptions } from "ws";

const FRAME_MS = 20;

/** How a telephone system writes its side of a protocol. */
export interface PhoneDialect {
  readonly frameBytes: number;
  /** Sent when the connection opens. */
  readonly opening: readonly string[];
  media(bytes: Buffer): string | Buffer;
  key(digit: string): string;
  markPlayed(name: string): string;
  read(frame: Buffer, isBinary: boolean): PhoneCommand;
}

export type PhoneCommand =
  | { readonly type: "audio"; readonly bytes: Buffer }
  | { readonly type: "mark"; readonly name: string }
  | { readonly type: "flush" | "pause" | "continue" | "answer" | "hang-up" | "unknown" };

/** A telephone system in real time: it plays what it gets from a queue, one frame of 20 ms after the other. */
export class Phone {
  readonly commands: string[] = [];
  readonly unknown: string[] = [];
  /** Frames that were played, and when, ms of `performance.now`. */
  readonly played: Buffer[] = [];
  readonly playedAtMs: number[] = [];
  readonly #queue: (Buffer | { readonly mark: string })[] = [];
  readonly opened: Promise<void>;
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #socket: WebSocket;
  readonly #dialect: PhoneDialect;
  readonly #timer: NodeJS.Timeout;
  readonly #watchers = new Set<() => void>();
  #isPaused = false;
  isClosed = false;
  /** At the first flush: the length of the played speech, and the time of its last frame. */
  playedAtFlushMs = 0;
  silentSinceMs = 0;

  /** `lateMs`: how late playback begins. */
  constructor(
    url: string,
    dialect: PhoneDialect,
    { lateMs = 0, ...options }: ClientOptions & { readonly lateMs?: number } = {},
  ) {
    this.#dialect = dialect;
    if (lateMs > 0) {
      this.#isPaused = true;
      setTimeout(() => (this.#isPaused = false), lateMs);
    }
    this.#socket = new WebSocket(url, "media", options);
    this.#socket.on("error", () => {});
    this.opened = new Promise((resolve) => {
      this.#socket.on("open", () => {
        for (const message of dialect.opening) this.#socket.send(message);
        resolve();
      });
    });
    this.#socket.on("message", (data: Buffer, isBinary) => this.#receive(data, isBinary));
    // Frames fall due by the clock, because a timer of 20 ms is late under load.
    const startMs = performance.now();
    let ticks = 0;
    this.#timer = setInterval(() => {
      for (; ticks * FRAME_MS < performance.now() - startMs; ticks += 1) this.#play();
      for (const watch of this.#watchers) watch();
    }, FRAME_MS / 2);
    this.closed = new Promise((resolve) => {
      this.#socket.once("close", (code, reason) => {
        this.isClosed = true;
        clearInterval(this.#timer);
        for (const watch of this.#watchers) watch();
        resolve({ code, reason: reason.toString() });
      });
    });
  }

  get playedMs(): number {
    return this.played.length * FRAME_MS;
  }

  get lastPlayedMs(): number {
    return this.playedAtMs.at(-1) ?? 0;
  }

  get isPlaying(): boolean {
    return this.#queue.length > 0;
  }

  send(frame: string | Buffer): void {
    this.#socket.send(frame);
  }

  press(digits: string): void {
    for (const digit of digits) this.send(this.#dialect.key(digit));
  }

  /** Speaks in real time, in frames of 20 ms. */
  async speak(audio: Buffer): Promise<void> {
    await this.opened;
    const { frameBytes } = this.#dialect;
    const startMs = performance.now();
    for (let at = 0; at < audio.length; at += frameBytes) {
      if (this.isClosed) return;
      this.send(this.#dialect.media(audio.subarray(at, at + frameBytes)));
      const dueMs = startMs + ((at + frameBytes) / frameBytes) * FRAME_MS;
      await new Promise((resolve) => setTimeout(resolve, dueMs - performance.now()));
    }
  }

  /** Waits until the condition holds. */
  async until(holds: () => boolean, what: string): Promise<void> {
    if (holds()) return;
    await new Promise<void>((resolve, reject) => {
      const watch = () => {
        if (!holds() && !this.isClosed) return;
        this.#watchers.delete(watch);
        if (holds()) resolve();
        else reject(new Error(`the call ended before ${what}; commands: ${this.commands.join(" ")}`));
      };
      this.#watchers.add(watch);
    });
  }

  hangUp(): void {
    clearInterval(this.#timer);
    this.#socket.close(1000);
  }

  #receive(data: Buffer, isBinary: boolean): void {
    const command = this.#dialect.read(data, isBinary);
    this.commands.push(command.type);
    if (command.type === "audio") this.#enqueue(command.bytes);
    else if (command.type === "mark") this.#queue.push({ mark: command.name });
    else if (command.type === "flush") {
      if (this.playedAtFlushMs === 0) {
        this.playedAtFlushMs = this.playedMs;
        this.silentSinceMs = this.lastPlayedMs;
      }
      this.#queue.splice(0);
    } else if (command.type === "pause") this.#isPaused = true;
    else if (command.type === "continue") this.#isPaused = false;
    else if (command.type === "hang-up") this.#socket.close(1000);
    else if (command.type === "unknown") this.unknown.push(data.toString());
  }

  #enqueue(bytes: Buffer): void {
    const { frameBytes } = this.#dialect;
    // Asterisk drops a part of a frame.
    for (let at = 0; at + frameBytes <= bytes.length; at += frameBytes)
      this.#queue.push(Buffer.from(bytes.subarray(at, at + frameBytes)));
  }

  #play(): void {
    if (this.#isPaused) return;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (Buffer.isBuffer(next)) {
        this.played.push(next);
        this.playedAtMs.push(performance.now());
        return;
      }
      if (!this.isClosed) this.send(this.#dialect.markPlayed(next.mark));
    }
  }
}

const COMMANDS: Readonly<Record<string, "flush" | "pause" | "continue" | "answer" | "hang-up">> = {
  FLUSH_MEDIA: "flush",
  PAUSE_MEDIA: "pause",
  CONTINUE_MEDIA: "continue",
  ANSWER: "answer",
  HANGUP: "hang-up",
};

const commandOf = (name: string, mark: string): PhoneCommand =>
  name === "MARK_MEDIA" ? { type: "mark", name: mark } : { type: COMMANDS[name] ?? "unknown" };

const asteriskStart = (format: string, frameBytes: number) =>
  ({
    connection_id: "oakvoice",
    channel: "WebSocket/oakvoice/0x1",
    channel_id: "1.1",
    format,
    optimal_frame_size: frameBytes,
    ptime: 20,
  }) as const;

/** Asterisk with control messages in JSON. */
export const asteriskJson = (format: string, frameBytes: number, variables: object = {}): PhoneDialect => ({
  frameBytes,
  opening: [
    JSON.stringify({ event: "MEDIA_START", ...asteriskStart(format, frameBytes), channel_variables: variables }),
  ],
  media: (bytes) => bytes,
  key: (digit) => JSON.stringify({ event: "DTMF_END", channel_id: "1.1", digit }),
  markPlayed: (name) => JSON.stringify({ event: "MEDIA_MARK_PROCESSED", channel_id: "1.1", correlation_id: name }),
  read(frame, isBinary) {
    if (isBinary) return { type: "audio", bytes: frame };
    const { command, correlation_id } = JSON.parse(frame.toString()) as { command: string; correlation_id?: string };
    return commandOf(command, correlation_id ?? "");
  },
});

/** Asterisk with control messages as text. */
export const asteriskPlain = (format: string, frameBytes: number): PhoneDialect => ({
  frameBytes,
  opening: [
    `MEDIA_START ${Object.entries(asteriskStart(format, frameBytes))
      .map(([name, value]) => `${name}:${String(value)}`)
      .join(" ")}`,
  ],
  media: (bytes) => bytes,
  key: (digit) => `DTMF_END digit:${digit} channel_id:1.1`,
  markPlayed: (name) => `MEDIA_MARK_PROCESSED ${name}`,
  read(frame, isBinary) {
    if (isBinary) return { type: "audio", bytes: frame };
    const [command = "", mark = ""] = frame.toString().split(" ");
    return commandOf(command, mark);
  },
});

/** A media stream of Twilio, mu-law. */
export const twilio = (customParameters: Readonly<Record<string, string>> = {}): PhoneDialect => ({
  frameBytes: 160,
  opening: [
    JSON.stringify({ event: "connected", protocol: "Call", version: "1.0.0" }),
    JSON.stringify({
      event: "start",
      sequenceNumber: "1",
      streamSid: "MZ1",
      start: {
        accountSid: "AC1",
        streamSid: "MZ1",
        callSid: "CA1",
        tracks: ["inbound"],
        mediaFormat: { encoding: "audio/x-mulaw", sampleRate: 8000, channels: 1 },
        customParameters,
      },
    }),
  ],
  media: (bytes) =>
    JSON.stringify({
      event: "media",
      streamSid: "MZ1",
      media: { track: "inbound", payload: bytes.toString("base64") },
    }),
  key: (digit) => JSON.stringify({ event: "dtmf", streamSid: "MZ1", dtmf: { track: "inbound_track", digit } }),
  markPlayed: (name) => JSON.stringify({ event: "mark", streamSid: "MZ1", mark: { name } }),
  read(frame) {
    const { event, media, mark } = JSON.parse(frame.toString()) as {
      event: string;
      media?: { payload: string };
      mark?: { name: string };
    };
    if (event === "media") return { type: "audio", bytes: Buffer.from(media?.payload ?? "", "base64") };
    if (event === "mark") return { type: "mark", name: mark?.name ?? "" };
    return { type: event === "clear" ? "flush" : "unknown" };
  },
});
