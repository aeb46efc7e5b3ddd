import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { MAIN } from "../support/built-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const RAISED_BY_A_SIGNAL = "process.on('SIGUSR2', () => { throw new TypeError('what a caller said'); })";

test("an exception outside all calls stops the server in order, with one log line that quotes nothing", async () => {
  const dataDir = temporaryFolder();
  const loaders = ["--import", `data:text/javascript,${encodeURIComponent(RAISED_BY_A_SIGNAL)}`];
  const child = spawn(process.execPath, [...loaders, MAIN, "--port", "0"], {
    env: { ...process.env, OAKVOICE_DATA_DIR: dataDir, OAKVOICE_LOG_LEVEL: "error" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exited = once(child, "exit");
  const errors = text(child.stderr);
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const address = line.toString().split("\n")[0] ?? "";
  const socket = new WebSocket(address.replace("<connection_id>", crypto.randomUUID()));
  await once(socket, "message");
  const closed = once(socket, "close");
  child.kill("SIGUSR2");
  expect(await closed).toMatchObject([1001, Buffer.from("SERVER_SHUTDOWN")]);
  expect(await exited).toEqual([1, null]);
  const lines = (await errors).trim().split("\n");
  expect(lines).toHaveLength(2);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ code: "INTERNAL", stack: expect.stringContaining("    at ") });
  expect(lines[1]).toBe("oakvoice: Stopped after an internal error. The log has the place.");
  expect(lines.join("")).not.toContain("caller said");
});
