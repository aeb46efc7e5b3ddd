/**
 * Loaded into a server before its own code (`node --import`), for `bench:profile`: reads the processor's clock around each
 * inference that runs on the JavaScript thread, and samples that thread when asked to.
 */
import { Session, type Profiler } from "node:inspector/promises";
import { OnnxSession } from "../../src/shared/onnx-session.ts";

export type ToInnerClock = "models" | "start sampling" | "stop sampling";
export type FromInnerClock =
  | { readonly type: "models"; readonly seconds: number }
  | { readonly type: "sampling" }
  | { readonly type: "samples"; readonly profile: Profiler.Profile };

let modelSeconds = 0;
// oxlint-disable-next-line unbound-method -- called on the session below
const { run } = OnnxSession.prototype;
OnnxSession.prototype.run = function timedRun(feeds) {
  // Of all threads: the others are at rest for most of it, and the clock of one alone needs Node 24.
  const before = process.cpuUsage();
  const answer = run.call(this, feeds);
  const { user, system } = process.cpuUsage(before);
  modelSeconds += (user + system) / 1e6;
  return answer;
};

const session = new Session();

async function answerTo(message: ToInnerClock): Promise<FromInnerClock> {
  switch (message) {
    case "models":
      return { type: "models", seconds: modelSeconds };
    case "start sampling":
      // Without the clock: its system calls are where a sample finds a thread that waits for a core.
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
// The server ends when its own work does.
process.channel?.unref();
