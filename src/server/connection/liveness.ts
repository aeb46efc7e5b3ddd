import type { WebSocket } from "ws";
import type { Clock } from "../../shared/clock.ts";

export interface LivenessOptions {
  readonly socket: WebSocket;
  readonly clock: Clock;
  readonly idleTimeoutMs: number;
  readonly pingIntervalMs: number;
  /** A pong counts as a message. */
  readonly isAliveByPong: boolean;
  /** The client sent no message for `idleTimeoutMs`. */
  readonly onIdle: () => void;
  /** A ping got no pong before the next one was due, and no message came either: the other end is gone. */
  readonly onDead: () => void;
}

export interface Liveness {
  /** Clock time of the last message or pong. */
  readonly heardMs: number;
  /** The client sent a message. */
  touch(): void;
  stop(): void;
}

export function watchLiveness({
  socket,
  clock,
  idleTimeoutMs,
  pingIntervalMs,
  isAliveByPong,
  onIdle,
  onDead,
}: LivenessOptions): Liveness {
  let lastMessageMs = clock.nowMs();
  let heardMs = lastMessageMs;
  let pingedMs = -Infinity;
  const onPong = () => {
    heardMs = clock.nowMs();
    if (isAliveByPong) lastMessageMs = clock.nowMs();
  };
  socket.on("pong", onPong);
  const latestMs = () => Math.max(heardMs, lastMessageMs);

  const checkIdle = () => {
    const leftMs = lastMessageMs + idleTimeoutMs - clock.nowMs();
    if (leftMs <= 0) onIdle();
    else cancelIdle = clock.after(leftMs, checkIdle);
  };
  const checkPong = () => {
    // A busy server reads the pong after the audio that came before it.
    if (latestMs() < pingedMs) {
      onDead();
      return;
    }
    pingedMs = clock.nowMs();
    socket.ping();
    cancelPing = clock.after(pingIntervalMs, checkPong);
  };
  let cancelIdle = clock.after(idleTimeoutMs, checkIdle);
  let cancelPing = clock.after(pingIntervalMs, checkPong);

  return {
    get heardMs() {
      return latestMs();
    },
    touch() {
      lastMessageMs = clock.nowMs();
    },
    stop() {
      cancelIdle();
      cancelPing();
      socket.off("pong", onPong);
    },
  };
}
