/** The common part of the browser's WebSocket and the `ws` package's that this client uses. */
export interface SocketLike {
  readonly bufferedAmount: number;
  send(data: string | Uint8Array): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "open", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: { readonly code: number; readonly reason: string }) => void): void;
  /** `message`: the reason, if the platform gives one. Browsers do not. */
  addEventListener(type: "error", listener: (event: { readonly message?: string }) => void): void;
}

export type OpenSocket = (url: string) => SocketLike;
/** With subprotocols. */
export type OpenSocketWith = (url: string, protocols: readonly string[]) => SocketLike;

/** The platform's own WebSocket: every browser, and Node from 22 on. Older ones use `onNode()`. */
export const platformSocket = (url: string, protocols: readonly string[] = []): SocketLike => {
  type Constructor = new (url: string, protocols: readonly string[]) => SocketLike;
  const { WebSocket } = globalThis as unknown as { readonly WebSocket?: Constructor };
  if (WebSocket === undefined) throw new TypeError("This platform has no WebSocket: pass openSocket.");
  return new WebSocket(url, protocols);
};
