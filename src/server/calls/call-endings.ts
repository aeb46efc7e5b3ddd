import type { VoiceConfiguration } from "../../config/voice-configuration.ts";
import type { CallEnding } from "../../conversation/events.ts";
import type { Clock } from "../../shared/clock.ts";

const KEPT_MS = 60_000;
const MOST_KEPT = 1_000;

interface EndedCall {
  readonly voice: VoiceConfiguration;
  readonly ending: CallEnding;
  readonly endedMs: number;
}

/** How the assistant ended calls, for a minute: a telephone system asks where the caller wants to go. */
export class CallEndings {
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #calls = new Map<string, EndedCall>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(connectionId: string, voice: VoiceConfiguration, ending: CallEnding): void {
    this.#forget(MOST_KEPT - 1);
    this.#calls.delete(connectionId);
    this.#calls.set(connectionId, { voice, ending, endedMs: this.#clock.nowMs() });
  }

  find(connectionId: string): EndedCall | undefined {
    this.#forget(MOST_KEPT);
    return this.#calls.get(connectionId);
  }

  #forget(most: number): void {
    for (const [id, { endedMs }] of this.#calls) {
      if (this.#calls.size <= most && this.#clock.nowMs() - endedMs < KEPT_MS) return;
      this.#calls.delete(id);
    }
  }
}
