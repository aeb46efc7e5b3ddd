import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { ModelProcess } from "../../src/child-processes/model-process.ts";
import { startModelProcess } from "../../src/child-processes/supervisor.ts";
import { type ProcessLimits } from "../../src/child-processes/process-limits.ts";
import { workerExecArgv, workerUrl } from "../../src/child-processes/worker-url.ts";
import { isAlive } from "../../src/shared/is-alive.ts";
import { silentLog } from "../../src/shared/log.ts";
import type { TinyInit } from "./fixtures/tiny-worker.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const worker = workerUrl("fixtures/tiny-worker", import.meta.url);
const open: ModelProcess[] = [];
const never = new AbortController().signal;

/** A restart may take long on a busy machine. */
async function start(init: TinyInit = {}, own: Partial<ProcessLimits> = {}): Promise<ModelProcess> {
  const limits = { restartWaitMs: 60_000, ...own };
  const host = await startModelProcess({ name: "tiny model", model: "tiny.bin", worker, init, log: silentLog, limits });
  open.push(host);
  return host;
}

async function restarted(host: ModelProcess): Promise<void> {
  const before = host.restarts;
  await vi.waitFor(() => expect(host.restarts).toBeGreaterThan(before), { timeout: 50_000 });
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((host) => host.close()));
});

/** The process of a group of tests, which leave it as it was. */
let shared: ModelProcess;
const cancelled = async () => (await shared.call<{ cancelled: number }>("counts", null, never)).cancelled;
function shareProcess(limits: Partial<ProcessLimits> = {}): void {
  beforeAll(async () => {
    shared = await startModelProcess({
      name: "tiny model",
      model: "tiny.bin",
      worker,
      init: {},
      log: silentLog,
      limits,
    });
  });
  afterAll(() => shared.close());
}

describe("requests", () => {
  shareProcess();

  it("answers calls with typed arrays intact, and reports the worker's info", async () => {
    const samples = Float32Array.from([0, 0.5, -1]);
    expect(await shared.call("echo", { samples }, never)).toEqual({ samples });
    expect(shared.info).toEqual({ pid: shared.pid });
    expect(shared.state).toBe("ready");
  });

  it("answers a call that sent signs of life before", async () => {
    expect(await Promise.all([shared.call("waitInLine", 300, never), shared.call("echo", "x", never)])).toEqual([
      300,
      "x",
    ]);
  });

  it("forwards the worker's own errors", async () => {
    await expect(shared.call("refuse", null, never)).rejects.toMatchObject({
      name: "OakError",
      code: "STT_BUSY",
      retryable: true,
    });
    await expect(shared.call("noSuch", null, never)).rejects.toMatchObject({ code: "ENGINE_METHOD_UNKNOWN" });
    await expect(shared.call("toString", null, never)).rejects.toMatchObject({ code: "ENGINE_METHOD_UNKNOWN" });
  });

  it("rejects a payload that cannot be copied, and serves the next request", async () => {
    await expect(shared.call("echo", () => undefined, never)).rejects.toThrow(/could not be cloned/);
    expect(await shared.call("echo", 1, never)).toBe(1);
  });

  it("rejects an aborted call with the signal's reason and cancels it in the worker", async () => {
    const before = await cancelled();
    const controller = new AbortController();
    const waiting = shared.call("untilAborted", null, controller.signal);
    const reason = new Error("the caller hung up");
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await vi.waitFor(async () => expect(await cancelled()).toBe(before + 1), 10_000);
    await expect(shared.call("echo", 1, controller.signal)).rejects.toBe(reason);
  });

  it("refuses more requests than its limit, counting cancelled requests until they are confirmed", async () => {
    const own = await start({}, { maxPending: 2 });
    const controller = new AbortController();
    const pending = [own.call("never", null, controller.signal), own.call("never", null, controller.signal)];
    const settled = Promise.allSettled(pending);
    controller.abort();
    await settled;
    await expect(own.call("echo", 1, never)).rejects.toMatchObject({ code: "ENGINE_BUSY", retryable: true });
  });
});

describe("streams", () => {
  shareProcess({ streamItems: 4 });

  it("delivers every item in order to a slow reader, without running ahead of it", async () => {
    let last = 0;
    for await (const value of shared.stream<number>("countTo", 50, never)) {
      expect(value).toBe(last + 1);
      last = value;
      const { produced } = await shared.call<{ produced: number }>("counts", null, never);
      expect(produced - value).toBeLessThanOrEqual(5);
    }
    expect(last).toBe(50);
  });

  it("cancels the request in the worker when the reader stops early", async () => {
    const before = await cancelled();
    for await (const value of shared.stream<number>("countTo", 1e9, never)) if (value === 3) break;
    await vi.waitFor(async () => expect(await cancelled()).toBe(before + 1), 10_000);
  });

  it("ends with the signal's reason on abort", async () => {
    const controller = new AbortController();
    const items: string[] = [];
    const reading = (async () => {
      for await (const item of shared.stream<string>("oneThenNever", null, controller.signal)) {
        items.push(item);
        controller.abort("enough");
      }
    })();
    await expect(reading).rejects.toBe("enough");
    expect(items).toEqual(["one"]);
  });

  it("ends on abort when all items have arrived, and when the reader is busy", async () => {
    const controller = new AbortController();
    const stream = shared.stream<number>("countTo", 3, controller.signal)[Symbol.asyncIterator]();
    expect(await stream.next()).toMatchObject({ value: 1 });
    await shared.call("echo", null, never);
    controller.abort("enough");
    await expect(stream.next()).rejects.toBe("enough");

    const before = await cancelled();
    const busy = new AbortController();
    const waiting = shared.stream<string>("oneThenNever", null, busy.signal)[Symbol.asyncIterator]();
    await waiting.next();
    busy.abort("hung up");
    await vi.waitFor(async () => expect(await cancelled()).toBe(before + 1), 10_000);
    await expect(waiting.next()).rejects.toBe("hung up");
  });

  it("fails when the worker dies during the stream", async () => {
    await expect(collect(shared.stream("oneThenCrash", null, never))).rejects.toMatchObject({ code: "ENGINE_CRASHED" });
  });
});

describe("supervision", () => {
  it("rejects every pending request when the child dies, and new requests wait for the restart", async () => {
    const host = await start();
    const before = host.pid;
    const crashed = [
      host.call("never", null, never),
      host.call("crash", null, never),
      collect(host.stream("oneThenNever", null, never)),
    ];
    for (const result of await Promise.allSettled(crashed)) {
      expect(result).toMatchObject({ status: "rejected", reason: { code: "ENGINE_CRASHED", retryable: true } });
    }
    expect(host.state).toBe("restarting");
    const waited = await Promise.all([host.call("echo", 2, never), collect(host.stream("countTo", 3, never))]);
    expect(waited).toEqual([2, [1, 2, 3]]);
    expect(host.restarts).toBe(1);
    expect(host.pid).not.toBe(before);
  });

  it.each([
    ["/src/ggml.c:12: GGML_ASSERT(n > 0) failed\n", 'SIGABRT after "/src/ggml.c:12: GGML_ASSERT(n > 0) failed"'],
    ["free(): invalid pointer\n", 'SIGABRT after "free(): invalid"'],
    [
      "transcript: my pin is 4711\nterminate called after throwing an instance of 'vk::DeviceLostError'\n  what():  vk::Queue::submit: ErrorDeviceLost\n",
      "SIGABRT after \"terminate called after throwing an instance of 'vk::DeviceLostError' what():  vk::Queue::submit: ErrorDeviceLost\"",
    ],
    ["/src/ggml-cuda.cu:98: CUDA error\n", 'SIGABRT after "/src/ggml-cuda.cu:98: CUDA error"'],
    ["my pin is 4711: error\nwhat():  my pin is 4711\n", "SIGABRT"],
    [
      "10:30: pin 4711 error\nFATAL ERROR: pin 4711\ndouble free or corruption 4711\n",
      'SIGABRT after "double free or corruption"',
    ],
    ["LLVM ERROR: Cannot select: 4711\n", 'SIGABRT after "LLVM ERROR: Cannot select"'],
  ])("logs the native library's fault of a crash, and no other output: %j", async (printed, how) => {
    const lines: string[] = [];
    const log = pino({ level: "warn" }, { write: (line) => lines.push(line) });
    const host = await startModelProcess({ name: "tiny model", model: "tiny.bin", worker, init: {}, log });
    open.push(host);
    await expect(host.call("crashAfter", printed, never)).rejects.toMatchObject({ code: "ENGINE_CRASHED" });
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ msg: "model process ended, restarting", how }]);
    expect(lines.join("")).not.toContain("4711");
  });

  /** A process whose child has died and that will not have another one for an hour. */
  async function gone(limits: Partial<ProcessLimits>): Promise<ModelProcess> {
    const host = await start({}, { backoffMinMs: 3_600_000, backoffMaxMs: 3_600_000, ...limits });
    await expect(host.call("crash", null, never)).rejects.toMatchObject({ code: "ENGINE_CRASHED" });
    return host;
  }

  it("refuses a request when the restart takes too long", async () => {
    const host = await gone({ restartWaitMs: 50 });
    await expect(host.call("echo", 1, never)).rejects.toMatchObject({ code: "ENGINE_UNAVAILABLE", retryable: true });
  });

  it("limits how many requests wait for a restart", async () => {
    const host = await gone({ maxPending: 1 });
    const waiting = expect(host.call("echo", 1, never)).rejects.toMatchObject({ code: "ENGINE_UNAVAILABLE" });
    await expect(host.call("echo", 2, never)).rejects.toMatchObject({ code: "ENGINE_BUSY", retryable: true });
    await host.close();
    await waiting;
  });

  it("ends the wait for a restart on abort and on close", async () => {
    const host = await gone({ restartWaitMs: 3_600_000 });
    const controller = new AbortController();
    const aborted = expect(host.call("echo", 1, controller.signal)).rejects.toBe("hung up");
    controller.abort("hung up");
    await aborted;
    const refused = { code: "ENGINE_UNAVAILABLE", retryable: false };
    const closed = expect(collect(host.stream("countTo", 1, never))).rejects.toMatchObject(refused);
    await host.close();
    await closed;
  });

  it("retries while the model file is missing, and recovers when it is back", async () => {
    const dir = temporaryFolder();
    const model = path.join(dir, "model");
    await writeFile(model, "");
    const failures: string[] = [];
    const log = pino({ level: "error" }, { write: (line) => failures.push(line) });
    const init: TinyInit = { needs: model };
    const limits = { backoffMinMs: 1, backoffMaxMs: 10 };
    const host = await startModelProcess({ name: "tiny model", model: "tiny.bin", worker, init, log, limits });
    open.push(host);
    const back = restarted(host);
    await rm(model);
    await expect(host.call("crash", null, never)).rejects.toMatchObject({ code: "ENGINE_CRASHED" });
    await vi.waitFor(() => expect(failures.length).toBeGreaterThanOrEqual(2), { timeout: 30_000 });
    expect(host.state).toBe("restarting");
    await writeFile(model, "");
    await back;
    expect(await host.call("echo", "back", never)).toBe("back");
  });

  it("kills and restarts a child that hangs", async () => {
    const host = await start({}, { pingEveryMs: 50, pingMs: 400 });
    const back = restarted(host);
    await expect(host.call("hang", null, never)).rejects.toMatchObject({ code: "ENGINE_CRASHED" });
    await back;
    expect(await host.call("echo", "again", never)).toBe("again");
  });

  it.each([
    ["call", (host: ModelProcess) => host.call("untilAborted", null, never)],
    ["stream", (host: ModelProcess) => collect(host.stream("oneThenNever", null, never))],
  ])("a %s that misses its deadline is cancelled, and the child lives", async (_, ask) => {
    const host = await start({}, { requestMs: 300 });
    const { pid } = host;
    await expect(ask(host)).rejects.toMatchObject({ code: "ENGINE_TIMEOUT", retryable: true });
    await vi.waitFor(
      async () => expect(await host.call("counts", null, never)).toMatchObject({ cancelled: 1 }),
      10_000,
    );
    expect(host).toMatchObject({ pid, restarts: 0 });
  });

  it("kills and restarts a child that does not confirm the cancel of a request that missed its deadline", async () => {
    const host = await start({}, { requestMs: 300, cancelMs: 100 });
    const back = restarted(host);
    await expect(host.call("never", null, never)).rejects.toMatchObject({ code: "ENGINE_TIMEOUT", retryable: true });
    await back;
  });

  it("kills a child that ignores a cancel", async () => {
    const host = await start({}, { requestMs: 300, cancelMs: 100 });
    const back = restarted(host);
    const controller = new AbortController();
    const call = host.call("never", null, controller.signal);
    controller.abort("stop");
    await expect(call).rejects.toBe("stop");
    await back;
  });

  it("a slow reader does not count against the child's deadline", async () => {
    const host = await start({}, { requestMs: 1500, streamItems: 2 });
    const stream = host.stream<number>("countTo", 10, never)[Symbol.asyncIterator]();
    await stream.next();
    await new Promise((resolve) => setTimeout(resolve, 2000));
    let last = 1;
    for (let next = await stream.next(); next.done !== true; next = await stream.next()) last = next.value;
    expect(last).toBe(10);
    expect(host.restarts).toBe(0);
  });

  it("close rejects pending requests, ends the process and refuses later requests", async () => {
    const host = await start();
    const pid = host.pid ?? 0;
    const waiting = expect(host.call("never", null, never)).rejects.toMatchObject({
      code: "ENGINE_UNAVAILABLE",
      retryable: false,
    });
    await Promise.all([host.close(), host.close()]);
    await waiting;
    expect(isAlive(pid)).toBe(false);
    await expect(host.call("echo", 1, never)).rejects.toMatchObject({ code: "ENGINE_UNAVAILABLE" });
  });

  it("ends the child when the parent is killed", async () => {
    const script = new URL("./fixtures/parent-that-dies.ts", import.meta.url);
    const parent = spawn(process.execPath, [...workerExecArgv(script), fileURLToPath(script)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(parent.stdout, "data");
    const pid = Number(String(line));
    expect(isAlive(pid)).toBe(true);
    parent.kill("SIGKILL");
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 30_000 });
  });
});

describe("a first start that fails", () => {
  it("the error names the model, the cause and the remedy when the worker refuses it", async () => {
    const message =
      "Cannot start the tiny model (tiny.bin): the file holds no model. " +
      "Install the model again, or configure another one.";
    await expect(start({ behave: "reject" })).rejects.toMatchObject({ code: "ENGINE_START_FAILED", message });
  });

  it("the error names the signal and the library's last error line when the process aborts", async () => {
    const failure = expect(start({ behave: "abort" })).rejects;
    await failure.toMatchObject({ code: "ENGINE_START_FAILED" });
    await failure.toThrow(/ended by SIGABRT after "tiny: error: tensor 'x' is missing"/);
  });

  it("gives up on a worker that is never ready", async () => {
    await expect(start({ behave: "never-ready" }, { startMs: 1_500 })).rejects.toThrow(/not ready after 1\.5 s/);
  });

  it("reports a worker file that is missing", async () => {
    const missing = workerUrl("fixtures/no-such-worker", import.meta.url);
    const options = { name: "tiny model", model: "tiny.bin", worker: missing, init: {}, log: silentLog };
    await expect(startModelProcess(options)).rejects.toThrow(/exit code 1/);
  });
});
