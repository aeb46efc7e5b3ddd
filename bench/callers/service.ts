import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { createApiKey } from "../../src/auth/api-keys.ts";
import { keyFilePath } from "../../src/config/data-folder.ts";
import type { ServerConfig } from "../../src/config/server-config.ts";
import { startService } from "../../src/service/service.ts";
import { silentLog } from "../../src/shared/log.ts";

export interface StartedService {
  readonly port: number;
  readonly key: string;
}

/** Starts a server with these voice configurations, by their ids, for as long as `use` takes. Its tools may connect to `host`. */
export async function withService(
  config: ServerConfig,
  voices: Readonly<Record<string, object>>,
  host: string,
  use: (service: StartedService) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "oakvoice-callers-"));
  const voicesDir = join(folder, "voices");
  try {
    mkdirSync(voicesDir);
    for (const [id, voice] of Object.entries(voices))
      writeFileSync(join(voicesDir, `${id}.yaml`), stringify({ config_id: id, ...voice }));
    const { key } = createApiKey(keyFilePath(folder), "callers", undefined, Date.now());
    const own = { ...config, port: 0, dataDir: folder, voicesDir, egress: { allowed_hosts: [host] } };
    const service = await startService(own, silentLog);
    try {
      await use({ port: service.port, key });
    } finally {
      await service.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
