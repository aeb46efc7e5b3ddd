/**
 * Loaded into a server before its own code (`node --import`) for `bench:profile`. Reads the processor's clock around each
 * inference that runs on the JavaScript thread, and samples that thread on request.
 */
import { Session, type Profiler } from "node:inspector/promises";
import { OnnxSession } from "../../src/engines/onnx/onnx-session.ts";

export type ToInnerClock = "models" | "start sampling" | "stop sampling";
export type FromInnerClock =
  | { readonly type: "models"; readonly seconds: number }
  | { readonly type: "sampling" }
  | { readonly type: "samples"; readonly profile: Profiler.Profile };

/**
 * Reading the clock slows the server (0061). Every seventh inference of shorter models is timed, and counts
 * for those since the previous one. The distance is fixed, so that the choice does not depend on the cost. It is prime to the
 * frames of a chunk, because the first frame costs most.
 */
const SHORT_SECONDS = 0.0005;
const STRIDE = 7;

let modelSeconds = 0;
/** For each model: the shortest inference, and the number of inferences since the last timed one. */
const models = new WeakMap<OnnxSession, { leastSeconds: number; since: number }>();

// oxlint-disable-next-line unbound-method -- called on the session below
const { run } = OnnxSession.prototype;
OnnxSession.prototype.run = function timedRun(feeds) {
  const model = models.get(this) ?? { leastSeconds: Infinity, since: 0 };
  models.set(this, model);
  model.since += 1;
  if (model.leastSeconds < SHORT_SECONDS && model.since < STRIDE) return run.call(this, feeds);
  process.cpuUsage(); // the first reading is slow
  const beganMs = performance.now();
  const before = process.cpuUsage();
  const answer = run.call(this, feeds);
  const { user, system } = process.cpuUsage(before);
  const wallSeconds = (performance.now() - beganMs) / 1000;
  // This counts all threads, so a compiler thread may add to it. The clock of one thread needs Node 24.
  const seconds = Math.min((user + system) / 1e6, wallSeconds);
  modelSeconds += seconds * model.since;
  model.leastSeconds = Math.min(model.leastSeconds, seconds);
  model.since = 0;
  return answer;
};

const session = new Session();

async function answerTo(message: ToInnerClock): Promise<FromInnerClock> {
  switch (message) {
    case "models":
      return { type: "models", seconds: modelSeconds };
    case "start sampling":
      // The clock is off during samples. Its system calls would appear in them as waiting for a core.
      OnnxSession.prototype.run = run;
      session.connect();
      await session.post("Profiler.enable");
      await session.post("Profiler.setSamplingInterval", { interval: 1000 });
      await session.post("Profiler.start");
      return { type: "sampling" };
    case "stop sampling":
      return { type: "samples", profile: (await session.post("Profiler.stop")).profile };
  }
}

process.on("message", (message: ToInnerClock) => {
  void answerTo(message).then((answer) => process.send?.(answer));
});
// This module does not keep the server's process alive.
process.channel?.unref();
