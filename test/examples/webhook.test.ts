import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { toolsSchema } from "../../src/config/tool-configuration.ts";
import { packageRoot } from "../../src/shared/package-root.ts";
import { systemClock } from "../../src/shared/clock.ts";
import { Egress } from "../../src/egress/egress.ts";
import { webhookTool } from "../../src/tools/webhook.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const SECRET = "the secret of the example";
const hasPython = spawnSync("python3", ["--version"]).status === 0;
if (!hasPython) process.stderr.write("the webhook in Python: SKIPPED, python3 is missing\n");

/** The code of a language in docs/tools.md. */
function codeOf(language: string): string {
  const page = readFileSync(join(packageRoot, "docs", "tools.md"), "utf8");
  return new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "msu").exec(page)?.[1] ?? "";
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

let child: ChildProcess | undefined;
afterEach(async () => {
  child?.kill();
  if (child !== undefined) await once(child, "exit");
  child = undefined;
});

it.each(["js", "python"])("the webhook in %s has ten lines", (language) => {
  expect(codeOf(language).trim().split("\n").length).toBeLessThanOrEqual(10);
});

describe.each([
  ["js", "node", process.execPath, "webhook.mjs"],
  ["python", "python", "python3", "webhook.py"],
])("the webhook in docs/tools.md, %s", (language, _, command, name) => {
  it.skipIf(language === "python" && !hasPython)("accepts signed calls and refuses others", async () => {
    const file = join(temporaryFolder(), name);
    writeFileSync(file, codeOf(language));
    const port = await freePort();
    child = spawn(command, [file], { env: { ...process.env, SECRET, PORT: String(port) }, stdio: "ignore" });
    const url = `http://127.0.0.1:${String(port)}/`;
    await vi.waitFor(() => fetch(url, { method: "POST", body: "{}" }), { timeout: 20_000 });

    const [configuration] = toolsSchema.parse([
      { name: "book_table", description: "Books a table.", webhook: { url, secret_env: "SECRET" } },
    ]);
    if (configuration === undefined || !("webhook" in configuration)) throw new Error("not a webhook");
    const egress = new Egress([`127.0.0.1:${String(port)}`]);
    const parts = { configuration, configId: "desk", egress, clock: systemClock };
    const call = { callId: "call_1", connectionId: "c1", signal: new AbortController().signal };
    const args = { guests: 2, time: "19:30" };
    const booked = await webhookTool({ ...parts, secret: SECRET }).run(args, call);
    expect(JSON.parse(booked)).toEqual({ booked: args });

    const forged = webhookTool({ ...parts, secret: "another secret text" }).run(args, call);
    await expect(forged).rejects.toThrow("the system behind this tool refused the request.");
    const headers = { "webhook-id": "1", "webhook-timestamp": "x", "webhook-signature": "é" };
    await fetch(url, { method: "POST", body: "{}", headers }).catch(() => undefined);
    expect(await webhookTool({ ...parts, secret: SECRET }).run(args, call)).toBe(booked);
    await egress.close();
  });
});
