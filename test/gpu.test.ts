import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findGraphicsCard } from "../src/resources/graphics.ts";
import { silentLog } from "../src/shared/log.ts";
import { startWhisperCpp } from "../src/engines/stt/whisper/whisper-cpp.ts";
import { clip16k, STARTER_MODEL } from "./engines/stt/support.ts";
import { clip, silence } from "./support/audio.ts";
import { TestBox } from "./support/box.ts";
import { workerPids } from "./support/worker-pids.ts";
import { writeParakeet } from "./engines/stt/tiny-parakeet.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

/** Mesa's llvmpipe is a Vulkan device on the CPU, and lavapipe its driver. ggml uses it only when a variable names its number. */
const DRIVER = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";
/** Limit of a request. llvmpipe is slow, and compiles each shader when it is first used. */
const DEADLINE_SECONDS = 200;
/**
 * Mesa 22.3's lavapipe binds every buffer of a descriptor set, even one that the shader does not read. ggml writes only the buffers that are
 * read, as Vulkan allows. The others in a reused set may be destroyed: lavapipe then frees such a buffer twice, and the process crashes.
 * The test runs a second time, unless the fault is an assertion of ggml.
 */
const againAfterDriverFault = (run: () => Promise<void>) => async (): Promise<void> => {
  try {
    await run();
  } catch (error) {
    const message = String(error);
    if (!/SIGABRT|SIGSEGV/u.test(message) || message.includes("GGML_ASSERT")) throw error;
    process.stderr.write(`engines on Vulkan: the driver crashed; a second run follows: ${message}\n`);
    await run();
  }
};
/** For each process of this worker, whether it has loaded the driver. */
const loadedDriver = (worker: string) =>
  workerPids(worker).map((pid) => readFileSync(`/proc/${String(pid)}/maps`, "utf8").includes("libvulkan_lvp"));
const options = { timeout: 600_000 } as const;
const folder = temporaryFolder();
const never = new AbortController().signal;

const canRun = existsSync(DRIVER);
if (!canRun)
  process.stderr.write("engines on Vulkan: SKIPPED, llvmpipe is missing (apt-get install mesa-vulkan-drivers)\n");

describe.skipIf(!canRun)("on a Vulkan device", () => {
  let before: string | undefined;
  beforeAll(() => {
    before = process.env["GGML_VK_VISIBLE_DEVICES"];
    process.env["GGML_VK_VISIBLE_DEVICES"] = "0";
  });
  afterAll(() => {
    if (before === undefined) delete process.env["GGML_VK_VISIBLE_DEVICES"];
    else process.env["GGML_VK_VISIBLE_DEVICES"] = before;
  });

  it("a Parakeet model returns the same text as on the CPU", options, async () => {
    const path = await writeParakeet(join(folder, "tiny.bin"));
    const hear = async (gpu: "off" | "vulkan") => {
      const settings = { path, lanes: 1, audioContext: 192, deadlineSeconds: DEADLINE_SECONDS };
      const engine = await startWhisperCpp({ ...settings, gpu }, silentLog);
      try {
        const request = { samples: clip16k("flite-timer.wav"), kind: "final", language: "en" } as const;
        const { text } = await engine.open().transcribe(request, never);
        return { text, info: engine.process.info };
      } finally {
        await engine.close();
      }
    };
    const heard = await hear("vulkan");
    expect(heard.info).toMatchObject({ gpu: "vulkan" });
    expect(heard.text).not.toBe("");
    expect(heard.text).toBe((await hear("off")).text);
  });

  it("a card is found, and no card when Vulkan has no device for ggml", async () => {
    expect(await findGraphicsCard("vulkan")).toMatchObject({
      kind: "vulkan",
      name: expect.stringMatching(/llvmpipe/u),
    });
    // ggml does not treat a processor as a card unless a variable says so.
    delete process.env["GGML_VK_VISIBLE_DEVICES"];
    onTestFinished(() => void (process.env["GGML_VK_VISIBLE_DEVICES"] = "0"));
    expect(await findGraphicsCard("vulkan")).toBeUndefined();
  });

  it(
    "a conversation has the same transcript as on the CPU, and a reply of the same meaning",
    options,
    againAfterDriverFault(async () => {
      const converse = async (gpu: "off" | "vulkan") => {
        const deadline = `deadline_seconds: ${String(DEADLINE_SECONDS)}`;
        // Whisper base is not ready within two minutes on llvmpipe. The Parakeet model above shows that recognition runs there.
        const models = `{ stt: { gpu: off, ${deadline} }, llm: { gpu: ${gpu}, ${deadline} } }`;
        const limits = `{ idle_timeout_seconds: ${String(DEADLINE_SECONDS)} }`;
        const voice =
          "{ config_id: brief, project_id: test, system_prompt: You are Oak., temperature: 0, max_reply_tokens: 24 }";
        const box = await TestBox.start({ brief: voice }, `models: ${models}\nlimits: ${limits}`);
        try {
          expect(loadedDriver("llama-worker")).toEqual([gpu === "vulkan"]);
          const caller = await box.call({}, "brief");
          caller.client.sendAudio(Buffer.concat([clip("flite-lights.wav"), silence(1.2)]));
          const { transcript } = (await caller.next("turn_end")).data;
          const reply = () => caller.all("llm_response_chunk").reduce((text, { data }) => text + data.content, "");
          await caller.next(
            ["llm_response_chunk", "error"],
            (message) => message.type === "error" || message.data.is_final,
          );
          expect(caller.all("error"), box.warnings.join("")).toEqual([]);
          expect(reply()).not.toBe("");
          caller.client.close();
          return { transcript, reply: reply() };
        } finally {
          await box.close();
        }
      };
      const [onCard, onCpu] = [await converse("vulkan"), await converse("off")];
      expect(onCard.transcript).toBe(onCpu.transcript);
      // "Sorry" and "I'm sorry" are almost equally likely, and rounding decides.
      for (const { reply } of [onCard, onCpu]) expect(reply).toMatch(/\bI can't switch anything here\.$/u);
    }),
  );
});

describe.skipIf(existsSync("/dev/nvidia0"))("a graphics card that the configuration names and that is missing", () => {
  it("fails the start in one line", async () => {
    const starting = startWhisperCpp({ path: STARTER_MODEL, lanes: 1, gpu: "cuda" }, silentLog);
    await expect(starting).rejects.toThrow(
      /^.*speech recognition cannot use cuda here; set models\.stt\.gpu to auto.*$/u,
    );
  });
});
