import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { builtScript } from "../support/built-program.ts";
import { makeCertificate } from "../support/certificate.ts";
import { startWireServer } from "../server/support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const out = join(temporaryFolder(), "reply.wav");

/** The command's error output and exit code. */
async function fault(...args: string[]) {
  const child = spawn(process.execPath, [builtScript("talk"), ...args], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [said, [status]] = await Promise.all([text(child.stderr), once(child, "exit") as Promise<[number]>]);
  return [said, status];
}

it("prints in one line why it does not trust a server, and the remedy", async () => {
  const { server, key } = await startWireServer({ tls: makeCertificate() });
  const at = (host: string) => fault("--out", out, "--url", `wss://${host}:${String(server.port)}`, "--api-key", key);
  expect(await at("127.0.0.1")).toEqual([
    expect.stringMatching(/^talk: self-signed .*; NODE_EXTRA_CA_CERTS=.*\n$/u),
    1,
  ]);
});

it("reports before the call that the reply cannot be written", async () => {
  expect(await fault("--out", "/none/reply.wav")).toEqual([expect.stringMatching(/^talk: ENOENT.*\n$/u), 1]);
});

it("asks for the key that a remote server needs", async () => {
  const { server } = await startWireServer();
  const url = `ws://127.0.0.1:${String(server.port)}`;
  expect(await fault("--out", out, "--url", url)).toEqual([expect.stringMatching(/^talk: .*--api-key.*\n$/u), 1]);
  expect(await fault("--out", out, "--url", url, "--api-key", "oak_wrong")).toEqual([
    expect.stringMatching(/^talk: The API key is not known.*; .*keys create.*\n$/u),
    1,
  ]);
});
