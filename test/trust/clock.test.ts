import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { packageRoot } from "../../src/shared/package-root.ts";
import { clip, silence } from "../support/audio.ts";
import { TestBox } from "../support/box.ts";

const DAY_MS = 86_400_000;
/** Files that may read the wall clock for stamps, expiry dates, the time of day in the prompt or file names. */
const MAY_READ_WALL_CLOCK = [
  "auth/api-keys.ts", "auth/authenticate.ts", "auth/local-key.ts", "playground/realtime-messages.ts", "client/voice-client.ts", "command-line.ts", "conversation/reply/reply-prompt.ts",
  "conversation/turn/replay-log-file.ts", "model-install/install.ts", "operator/rehearse/rehearse.ts", "service/serve.ts", "server/http/tls-files.ts",
  "operator/calls-command.ts", "operator/init/example-files.ts", "operator/scenarios/own-box.ts", "doors/voice/voice-connection.ts", "doors/voice/voice-door.ts", "tools/webhook.ts",
  // The clocks of two machines have only the time of day in common.
  "conversation/session/absence.ts", "engines/remote/remote-fault.ts",
  // Days of retention, years of birth dates, and the log of erasures.
  "call-record/call-records.ts", "call-record/redaction/redactor.ts", "call-record/store/audit.ts",
  // The times of metrics that are sent.
  "tracing/metrics-export.ts",
  // A reminder is for a time of day.
  "tools/builtin/timers.ts",
]; // prettier-ignore

afterEach(() => void vi.useRealTimers());

it("jumps of the wall clock by days do not affect a call", async () => {
  const box = await TestBox.start();
  vi.useFakeTimers({ toFake: ["Date"] });
  const caller = await box.call();
  for (const jump of [DAY_MS, -3 * DAY_MS]) {
    const speaking = caller.speak(Buffer.concat([clip("flite-time.wav"), silence(1)]));
    vi.setSystemTime(Date.now() + jump);
    await speaking;
    await caller.next("turn_end", ({ data }) => data.transcript.includes("time"));
    vi.setSystemTime(Date.now() + jump);
    await caller.next("tts_chunk");
    await caller.speak(silence(2));
  }
  expect(caller.all("error")).toEqual([]);
  expect(caller.closed).toBeUndefined();
  caller.client.close();
  await box.close();
});

it("code that waits or measures time does not read the wall clock", () => {
  const source = join(packageRoot, "src");
  const users = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && /Date\.now\(|new Date\(\)/u.test(readFileSync(join(source, file), "utf8")),
  );
  expect(users.filter((file) => !MAY_READ_WALL_CLOCK.includes(file))).toEqual([]);
});
