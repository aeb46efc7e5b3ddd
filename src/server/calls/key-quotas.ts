import type { Identity } from "../../auth/authenticate.ts";
import type { KeyLimits } from "../../auth/key-file.ts";
import type { Limits } from "../../config/server-config-schema.ts";
import type { Clock } from "../../shared/clock.ts";
import { OakError } from "../../shared/errors.ts";
import { TokenBucket } from "../../shared/token-bucket.ts";

/** How long a key's spending is remembered after its last connection, so that reconnecting does not renew it. */
const REMEMBERED_MS = 60_000;
/** Messages may come in bursts as long as this, as those of one connection may. */
const MESSAGE_BURST_SECONDS = 2;

type PerKeyLimits = Pick<
  Limits,
  | "max_connections_per_key"
  | "max_messages_per_second_per_key"
  | "max_audio_bytes_per_second_per_key"
  | "audio_burst_seconds"
>;

/** One connection's share of its key's quota. */
export interface KeyShare {
  /** Names the key or token subject. */
  readonly key: string;
  /** Open connections that the key may have; undefined: no limit. */
  readonly mostConnections: number | undefined;
  /** False when the key's connections have sent too many messages together. */
  takeMessage(): boolean;
  takeAudio(bytes: number): boolean;
  /** The connection is gone. */
  release(): void;
}

interface KeyRates {
  readonly connections: number | undefined;
  readonly messages: number | undefined;
  readonly audioBytes: number | undefined;
}

interface KeyUse {
  connections: number;
  messages: TokenBucket | undefined;
  audio: TokenBucket | undefined;
  cancelForgetting: () => void;
}

/** Applies the server's limits and those of a key to all connections of one API key or token subject. */
export class KeyQuotas {
  readonly #limits: PerKeyLimits;
  readonly #clock: Clock;
  readonly #uses = new Map<string, KeyUse>();
  #isClosed = false;

  constructor(limits: PerKeyLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** @throws OakError `KEY_CONNECTIONS_EXCEEDED`. */
  join(identity: Identity): KeyShare {
    const name = `${identity.method} ${identity.id ?? ""}`;
    const limits = this.#limitsOf(identity.limits);
    const use = this.#uses.get(name) ?? { ...NO_USE };
    if (limits.connections !== undefined && use.connections >= limits.connections) {
      throw new OakError(
        `This key has reached its limit of ${String(limits.connections)} open connections. Close one first.`,
        {
          code: "KEY_CONNECTIONS_EXCEEDED",
        },
      );
    }
    use.cancelForgetting();
    use.connections += 1;
    this.#limit(use, limits);
    this.#uses.set(name, use);
    const clock = this.#clock;
    return {
      key: name,
      mostConnections: limits.connections,
      takeMessage: () => use.messages?.take(1, clock.nowMs()) ?? true,
      takeAudio: (bytes) => use.audio?.take(bytes, clock.nowMs()) ?? true,
      release: () => {
        use.connections -= 1;
        if (use.connections === 0 && !this.#isClosed)
          use.cancelForgetting = clock.after(REMEMBERED_MS, () => void this.#uses.delete(name));
      },
    };
  }

  /** Forgets everything. */
  close(): void {
    this.#isClosed = true;
    for (const { cancelForgetting } of this.#uses.values()) cancelForgetting();
    this.#uses.clear();
  }

  /** The key's own limit where it has one, else the server's; undefined: none. */
  #limitsOf(own: KeyLimits = {}): KeyRates {
    const server = this.#limits;
    return {
      connections: own.max_connections ?? server.max_connections_per_key,
      messages: own.max_messages_per_second ?? server.max_messages_per_second_per_key,
      audioBytes: own.max_audio_bytes_per_second ?? server.max_audio_bytes_per_second_per_key,
    };
  }

  /** The newest connection brings the key's limits as they are now, for all of its connections. */
  #limit(use: KeyUse, { messages, audioBytes }: KeyRates): void {
    const nowMs = this.#clock.nowMs();
    use.messages = limited(use.messages, messages, MESSAGE_BURST_SECONDS, nowMs);
    use.audio = limited(use.audio, audioBytes, this.#limits.audio_burst_seconds, nowMs);
  }
}

const NO_USE: KeyUse = { connections: 0, messages: undefined, audio: undefined, cancelForgetting: () => undefined };

function limited(
  bucket: TokenBucket | undefined,
  perSecond: number | undefined,
  burstSeconds: number,
  nowMs: number,
): TokenBucket | undefined {
  if (perSecond === undefined) return undefined;
  bucket?.resize(perSecond * burstSeconds, perSecond, nowMs);
  return bucket ?? new TokenBucket(perSecond * burstSeconds, perSecond, nowMs);
}
