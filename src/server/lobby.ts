import type { Socket } from "node:net";

type Addresses = Pick<Socket, "localAddress" | "remoteAddress" | "remotePort">;

/**
 * Sockets that are no call yet: silent, in a handshake, asking for the page. When there are too many, the one that came first
 * goes: whoever keeps places, by whatever means, must not keep the next caller out.
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
}

const nameOf = ({ localAddress, remoteAddress, remotePort }: Addresses): string =>
  `${String(localAddress)} ${String(remoteAddress)} ${String(remotePort)}`;
