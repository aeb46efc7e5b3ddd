import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";

/** A listening socket to pass to a child process. `close` closes only this process's descriptor of it. */
export async function listeningSocket(
  host: string,
): Promise<{ readonly descriptor: number; readonly port: number; readonly close: () => void }> {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  const { fd } = Reflect.get(server, "_handle") as { fd: number };
  return { descriptor: fd, port: (server.address() as AddressInfo).port, close: () => void server.close() };
}
