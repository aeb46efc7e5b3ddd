import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../../../bench/hostile/server-process.ts";
import { packageRoot } from "../../../src/shared/package-root.ts";
import { takePassedSocket } from "../../../src/server/http/passed-socket.ts";
import { listeningSocket } from "../../support/listening-socket.ts";

const LISTEN = join(packageRoot, "dist", "src", "server", "http", "listen.js");
/** Listens as the configuration in the argument says, on descriptor 3. Prints the address and the warnings. */
const CHILD = `
  import { createServer } from "node:net";
  import { listenOnPassed } from ${JSON.stringify(LISTEN)};
  const server = createServer();
  const warnings = [];
  listenOnPassed(server, 3, JSON.parse(process.argv[1]), { warn: (text) => warnings.push(text) })
    .catch(({ code, message }) => ({ code, message }))
    .then((error) => console.log(JSON.stringify({ address: server.address(), warnings, error })) ?? process.exit());`;

const hasSystemd = spawnSync("systemd-socket-activate", ["--version"]).status === 0;
if (!hasSystemd) console.warn("SKIPPED: a socket that systemd passes (needs systemd-socket-activate)");

/** Passes the descriptor to a new process, and returns its address, warnings and error. */
async function listenInChild(descriptor: number, configured: { host: string; port: number }) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", CHILD, JSON.stringify(configured)], {
    stdio: ["ignore", "pipe", "inherit", descriptor],
  });
  return JSON.parse(await text(child.stdout!)) as { address: AddressInfo; warnings: string[]; error?: object };
}

test("the socket that systemd passes is taken once, and only by the process it is for", () => {
  const environment = { LISTEN_PID: "7", LISTEN_FDS: "1", LISTEN_FDNAMES: "oakvoice.socket", PATH: "/bin" };
  expect(takePassedSocket({ ...environment }, 8)).toBeUndefined();
  expect(takePassedSocket({ ...environment, LISTEN_FDS: "0" }, 7)).toBeUndefined();
  expect(takePassedSocket(environment, 7)).toBe(3);
  // A child would take them for its own.
  expect(environment).toEqual({ PATH: "/bin" });
  expect(takePassedSocket(environment, 7)).toBeUndefined();
  expect(() => takePassedSocket({ LISTEN_PID: "7", LISTEN_FDS: "2" }, 7)).toThrow(/one socket .* 2 were passed/u);
});

test.skipIf(!hasSystemd)("a socket that systemd opened is found and used", async () => {
  const port = await freePort();
  const taking = join(packageRoot, "dist", "src", "server", "http", "passed-socket.js");
  const program = `
    import { takePassedSocket } from ${JSON.stringify(taking)};
    import { createServer } from "node:http";
    createServer((_, answer) => answer.end("taken", () => process.exit()))
      .listen({ fd: takePassedSocket(process.env, process.pid) });`;
  const node = [process.execPath, "--input-type=module", "-e", program];
  const child = spawn("systemd-socket-activate", [`--listen=127.0.0.1:${String(port)}`, ...node], {
    stdio: ["ignore", "inherit", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  // Its first line says that it listens.
  await once(child.stderr, "data");
  const answer = await fetch(`http://127.0.0.1:${String(port)}/`);
  expect(await answer.text()).toBe("taken");
});

test.each([
  ["127.0.0.1", "127.0.0.1"],
  ["0.0.0.0", "0.0.0.0"],
  ["::1", "0:0::1"],
  ["::", "::"],
  ["127.0.0.1", "localhost"],
])("a server listens on a passed socket of %s when the configuration says %s", async (host, configured) => {
  const { descriptor, port, close } = await listeningSocket(host);
  onTestFinished(close);
  const { address, warnings } = await listenInChild(descriptor, { host: configured, port });
  expect([address, warnings]).toEqual([expect.objectContaining({ address: host, port }), []]);
});

test("a changed configuration has the last word: the server opens its own socket and says so", async () => {
  const { descriptor, port, close } = await listeningSocket("127.0.0.1");
  onTestFinished(close);
  const { address, warnings } = await listenInChild(descriptor, { host: "127.0.0.2", port });
  expect(address).toMatchObject({ address: "127.0.0.2", port });
  expect(warnings).toEqual([expect.stringMatching(/another address than 127\.0\.0\.2 port \d+: run the installer/u)]);
  const taken = await listenInChild(descriptor, { host: "0.0.0.0", port });
  expect(taken.error).toMatchObject({ code: "LISTEN_FAILED", message: expect.stringContaining("EADDRINUSE") });
});

test("a passed descriptor that is not a listening socket is named in one line", async () => {
  const { error } = await listenInChild(openSync("/dev/null", "r"), { host: "127.0.0.1", port: 0 });
  expect(error).toEqual({
    code: "LISTEN_FAILED",
    message: expect.stringMatching(/^Cannot listen on the socket that was passed: .* TCP socket\.$/u),
  });
});
