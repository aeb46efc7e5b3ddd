import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { afterEach, expect, it, vi } from "vitest";
import type { ModelProcess } from "../../src/child-processes/model-process.ts";
import { startModelProcess } from "../../src/child-processes/supervisor.ts";
import { workerUrl } from "../../src/child-processes/worker-url.ts";
import { silentLog } from "../../src/shared/log.ts";

const worker = workerUrl("fixtures/tiny-worker", import.meta.url);
const never = new AbortController().signal;
const open: ModelProcess[] = [];

async function start(): Promise<ModelProcess> {
  const host = await startModelProcess({ name: "tiny model", model: "none", worker, init: {}, log: silentLog });
  open.push(host);
  return host;
}

afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(open.splice(0).map((host) => host.close()));
});

/** Left out: signals that cannot be caught, that report a crash, that V8 uses or that do nothing by default. */
const OTHERS =
  /^SIG(?:KILL|STOP|ABRT|IOT|BUS|FPE|ILL|SEGV|SYS|TRAP|CHLD|CONT|URG|WINCH|PIPE|POLL|STKFLT|UNUSED|XCPU|XFSZ|INFO)$/u;
const signals = Object.keys(constants.signals).filter((name) => !OTHERS.test(name)) as NodeJS.Signals[];

it.skipIf(process.platform !== "linux").each(signals)("a worker survives %s", async (signal) => {
  const host = await start();
  const { pid = 0 } = host;
  process.kill(pid, signal);
  expect(await host.call("echo", signal, never)).toBe(signal);
  expect(host.restarts).toBe(0);
  expect(await host.call("inspectorUrl", null, never)).toBeUndefined();
});

it.skipIf(process.platform !== "linux")("a worker gets no secret from the server's environment", async () => {
  vi.stubEnv("OAKVOICE_AUTH_JWT_SECRET", "a secret of at least thirty-two bytes");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "another secret");
  vi.stubEnv("NODE_OPTIONS", "--no-warnings");
  vi.stubEnv("OMP_NUM_THREADS", "3");
  vi.stubEnv("LC_ALL", "C.UTF-8");
  const { pid = 0 } = await start();
  const environment = readFileSync(`/proc/${String(pid)}/environ`, "utf8").split("\0");
  const names = environment.map((line) => line.split("=")[0]);
  expect(environment).toEqual(expect.arrayContaining(["OMP_NUM_THREADS=3", "LC_ALL=C.UTF-8", "MALLOC_ARENA_MAX=1"]));
  expect(names.filter((name) => /^(?:OAKVOICE|AWS|VITEST|NODE_OPTIONS|npm_)/u.test(name ?? ""))).toEqual([]);
});
