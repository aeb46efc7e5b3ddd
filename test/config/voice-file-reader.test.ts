import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { VoiceFileReader } from "../../src/config/voice-file-reader.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { workerPids } from "../support/worker-pids.ts";

it("a busy machine on which the parser starts slowly does not make a file wrong", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const file = join(temporaryFolder(), "desk.yaml");
  writeFileSync(file, `config_id: desk\n${"#".repeat(10_000)}\n`);
  using reader = new VoiceFileReader();
  const reading = reader.read(file);
  let [pid] = workerPids("voice-file-worker");
  for (; pid === undefined; [pid] = workerPids("voice-file-worker")) await new Promise(setImmediate);
  process.kill(pid, "SIGSTOP");
  vi.advanceTimersByTime(10_000);
  process.kill(pid, "SIGCONT");
  expect(await reading).toEqual({ config_id: "desk" });
  vi.useRealTimers();
});
