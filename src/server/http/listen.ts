import { lookup } from "node:dns/promises";
import { SocketAddress, type AddressInfo, type Server } from "node:net";
import { errorMessage, OakError } from "../../shared/errors.ts";
import type { Log } from "../../shared/log.ts";

interface Address {
  readonly host: string;
  readonly port: number;
}

const REMEDIES: Readonly<Record<string, string>> = {
  EADDRINUSE: "Stop what listens there, or choose another port.",
  EACCES: "Ports below 1024 are opened by systemd: give the port to the installer. Or choose another port.",
};
const codeOf = (cause: unknown) => (cause as NodeJS.ErrnoException).code ?? "";

/** @throws OakError `LISTEN_FAILED`. */
export async function listen(server: Server, { host, port }: Address): Promise<void> {
  try {
    await started(server, () => server.listen(port, host));
  } catch (cause) {
    const remedy =
      REMEDIES[codeOf(cause)] ?? "This machine has no such address: 127.0.0.1 is for itself alone, 0.0.0.0 for all.";
    const message = `Cannot listen on ${host} port ${String(port)}: ${errorMessage(cause)}. ${remedy}`;
    throw new OakError(message, { code: "LISTEN_FAILED", cause });
  }
}

/**
 * Listens on the socket that a parent passed to the process. The configuration has the last word: when it names another
 * address, the server leaves the passed socket alone and opens one there.
 * @throws OakError `LISTEN_FAILED`.
 */
export async function listenOnPassed(server: Server, descriptor: number, address: Address, log: Log): Promise<void> {
  const hosts = await lookup(address.host, { all: true }).catch(() => []);
  const listening = started(server, () => server.listen({ fd: descriptor }));
  // Known at once, so that no connection is accepted on a socket with the wrong address.
  const passed = server.address() as AddressInfo | null;
  const isConfigured =
    passed === null ||
    ((address.port === 0 || address.port === passed.port) && hosts.some((host) => isSame(host.address, passed)));
  if (!isConfigured) {
    void listening.catch(() => undefined);
    const wanted = `${address.host} port ${String(address.port)}`;
    log.warn(
      `The socket that was passed has another address than ${wanted}: run the installer after a change of host or port.`,
    );
    await new Promise((resolve) => server.close(resolve));
    return listen(server, address);
  }
  return listening.catch((cause: unknown) => {
    const message = `Cannot listen on the socket that was passed: ${errorMessage(cause)}. It must be a TCP socket.`;
    throw new OakError(message, { code: "LISTEN_FAILED", cause });
  });
}

/** Whether a text is the address. The text may have another form of it, and the name of an interface. */
function isSame(text: string, { address, family }: AddressInfo): boolean {
  const plain = (some: string) => some.replace(/%.*$/u, "");
  try {
    const of = family === "IPv6" ? "ipv6" : "ipv4";
    return new SocketAddress({ address: plain(text), family: of }).address === plain(address);
  } catch {
    return false;
  }
}

function started(server: Server, start: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.once("listening", () => {
      server.off("error", reject);
      resolve();
    });
    start();
  });
}
