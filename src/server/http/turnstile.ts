import type { Socket } from "node:net";
import { TokenBucket } from "../../shared/token-bucket.ts";

const TICK_MS = 10;

/**
 * Lets new sockets in at a limited rate, in the order they came. Above the rate a socket waits unread, so that a flood of
 * connections slows itself down, and a caller among them still gets a turn. The lobby bounds how many wait.
 */
export class Turnstile {
  readonly #rate: TokenBucket;
  readonly #waiting = new Map<Socket, () => void>();
  #timer: NodeJS.Timeout | undefined;

  /** @param perSecond Three times as many may enter at once. */
  constructor(perSecond: number) {
    this.#rate = new TokenBucket(3 * perSecond, perSecond, performance.now());
  }

  /** Calls `enter` now or later, or never if the socket closes first. */
  pass(socket: Socket, enter: () => void): void {
    if (this.#waiting.size === 0 && this.#mayEnter()) {
      enter();
      return;
    }
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#waiting.delete(socket));
    this.#waiting.set(socket, enter);
    this.#timer ??= setInterval(() => this.#letIn(), TICK_MS);
  }

  /** Destroys the sockets that wait. */
  close(): void {
    clearInterval(this.#timer);
    for (const socket of this.#waiting.keys()) socket.destroy();
  }

  #letIn(): void {
    for (const [socket, enter] of this.#waiting) {
      if (!this.#mayEnter()) return;
      this.#waiting.delete(socket);
      enter();
    }
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #mayEnter(): boolean {
    return this.#rate.take(1, performance.now());
  }
}
