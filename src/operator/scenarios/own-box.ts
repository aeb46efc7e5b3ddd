import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApiKey } from "../../auth/api-keys.ts";
import { keyFilePath } from "../../config/data-folder.ts";
import type { ServerConfig } from "../../config/server-config.ts";
import { startService } from "../../service/service.ts";
import type { Log } from "../../shared/log.ts";

export interface Box {
  /** Address of the server, such as `ws://127.0.0.1:8787`. */
  readonly base: string;
  readonly key: string;
}

/**
 * Starts a server in this process for as long as `use` takes. Keys and voice configurations are its own; the models are those of
 * `config`.
 * @param voices Contents of the voice configuration files, by their ids.
 */
export async function withOwnBox<Result>(
  config: ServerConfig,
  voices: Readonly<Record<string, object>>,
  log: Log,
  use: (box: Box) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "oakvoice-test-"));
  const voicesDir = join(folder, "voices");
  try {
    mkdirSync(voicesDir);
    for (const [id, voice] of Object.entries(voices))
      writeFileSync(join(voicesDir, `${id}.json`), JSON.stringify({ ...voice, config_id: id }));
    const models = join(config.dataDir, "models");
    if (existsSync(models)) symlinkSync(models, join(folder, "models"));
    const { key } = createApiKey(keyFilePath(folder), "test", undefined, Date.now(), {}, ["inspect"]);
    const { tls: _tls, cluster: _cluster, agentCheckPort: _port, traceDir: _traces, ...others } = config;
    const own = { ...others, host: "127.0.0.1", port: 0, dataDir: folder, voicesDir, auth: {} };
    const service = await startService(own, log);
    try {
      return await use({ base: `ws://127.0.0.1:${String(service.port)}`, key });
    } finally {
      await service.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
