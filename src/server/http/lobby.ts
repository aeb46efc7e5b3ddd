import type { Socket } from "node:net";

type Addresses = Pick<Socket, "localAddress" | "remoteAddress" | "remotePort">;

/**
 * Sockets that are not calls yet: idle, in a handshake, or requesting the page. If there are too many, the oldest one is closed, so that
 * a client that hoards sockets cannot lock out new callers.
 */
export class Lobby {
  readonly #sockets = new Map<string, Socket>();
  readonly #most: number;
  readonly #onEvict: () => void;

  constructor(most: number, onEvict: () => void) {
    this.#most = most;
    this.#onEvict = onEvict;
  }

  enter(socket: Socket): void {
    const name = nameOf(socket);
    this.#sockets.set(name, socket);
    socket.once("close", () => {
      if (this.#sockets.get(name) === socket) this.#sockets.delete(name);
    });
    if (this.#sockets.size <= this.#most) return;
    const [first] = this.#sockets;
    if (first === undefined) return;
    this.#sockets.delete(first[0]);
    first[1].destroy();
    this.#onEvict();
  }

  /** For one that becomes a call. Under TLS it is another object than the one that came, with the same addresses. */
  leave(socket: Addresses): void {
    this.#sockets.delete(nameOf(socket));
  }

  /** Destroys the sockets that are not calls. */
  close(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }
}

const nameOf = ({ localAddress, remoteAddress, remotePort }: Addresses): string =>
  `${String(localAddress)} ${String(remoteAddress)} ${String(remotePort)}`;
