import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { onNode } from "../../src/client/node.ts";
import type { OpenSocket } from "../../src/client/socket.ts";
import { packageRoot } from "../../src/shared/package-root.ts";
import { firstLine } from "../../src/shared/first-line.ts";
import { answers, ChildServer } from "./child-server.ts";
import { pipecatSocket } from "./pipecat-socket.ts";
import type { Prerequisites } from "./prerequisites.ts";

export type SystemName = "oakvoice" | "pipecat";
/** `both` as it ships: Moonshine and Whisper. `whisper`: Whisper alone. */
export type Ears = "both" | "whisper";

export interface RunningSystem {
  readonly urlOf: (connectionId: string) => string;
  readonly openSocket: OpenSocket;
  readonly servers: readonly ChildServer[];
  stop(): Promise<void>;
}

const PROMPT = "You are Oak, a helpful voice assistant. Answer in two short spoken sentences.";
/** Both sides have this limit, so that no reply takes half a minute. */
const MAX_REPLY_TOKENS = 60;
const OAKVOICE_PORT = 8931;
const PIPECAT_PORT = 8932;
const LLM_PORT = 8933;

/** Oakvoice from dist/, with the language model in process. All else is as it ships. */
export async function startOakvoice({ model, logs }: Prerequisites, ears: Ears): Promise<RunningSystem> {
  const folder = mkdtempSync(join(tmpdir(), "oakvoice-peers-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const voice = { config_id: "default", system_prompt: PROMPT, temperature: 0, max_reply_tokens: MAX_REPLY_TOKENS };
    const stt = ears === "whisper" ? { stt: { fast_path: "off" } } : {};
    const config = {
      data_dir: folder,
      port: OAKVOICE_PORT,
      log_level: "warn",
      models: { llm: { path: model }, ...stt },
    };
    mkdirSync(join(folder, "voices"));
    writeFileSync(join(folder, "voices", "default.yaml"), stringify(voice));
    writeFileSync(join(folder, "config.yaml"), stringify(config));
    const args = [join(packageRoot, "dist", "src", "main.js"), "--config", join(folder, "config.yaml")];
    let address = "";
    const server = await ChildServer.start(
      { command: process.execPath, args, log: join(logs, "oakvoice.log") },
      async (child) => (address = await firstLine(child)),
    );
    return {
      urlOf: (id) => address.replace("<connection_id>", id),
      openSocket: onNode().openSocket,
      servers: [server],
      stop: async () => server.stop().finally(remove),
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** The Pipecat bot, and llama-server with the same language model. */
export async function startPipecat(needed: Prerequisites): Promise<RunningSystem> {
  const { model, logs, python, llamaServer, libraries } = needed;
  const threads = String(availableParallelism());
  const origin = `http://127.0.0.1:${String(LLM_PORT)}`;
  const size = ["--threads", threads, "--ctx-size", "8192", "--parallel", "1"];
  const llm = await ChildServer.start(
    {
      command: llamaServer,
      args: ["--model", model, "--host", "127.0.0.1", "--port", String(LLM_PORT), ...size],
      cwd: libraries,
      log: join(logs, "llama-server.log"),
    },
    async (child) => answers(`${origin}/health`, child),
  );
  try {
    const whisper = join(logs, "whisper-base");
    const limits = ["--prompt", PROMPT, "--max-tokens", String(MAX_REPLY_TOKENS)];
    const places = ["--port", String(PIPECAT_PORT), "--llm", `${origin}/v1`, "--whisper", whisper];
    const bot = await ChildServer.start(
      {
        command: python,
        args: [join(packageRoot, "bench", "peers", "pipecat_bot.py"), ...places, ...limits],
        env: { HF_HUB_OFFLINE: "1" },
        log: join(logs, "pipecat.log"),
      },
      firstLine,
    );
    return {
      urlOf: (id) => `ws://127.0.0.1:${String(PIPECAT_PORT)}/${id}`,
      openSocket: pipecatSocket(onNode().openSocket),
      servers: [llm, bot],
      stop: async () => {
        await bot.stop();
        await llm.stop();
      },
    };
  } catch (error) {
    await llm.stop();
    throw error;
  }
}
