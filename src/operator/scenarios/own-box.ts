import { randomBytes } from "node:crypto";
import { addAbortListener } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApiKey } from "../../auth/api-keys.ts";
import { keyFilePath } from "../../config/data-folder.ts";
import type { ServerConfig } from "../../config/server-config.ts";
import { startService } from "../../service/service.ts";
import type { Log } from "../../shared/log.ts";
import { stoppedBySignal } from "../rehearse/stopped-by-signal.ts";

export interface Box {
  /** Address of the server, such as `ws://127.0.0.1:8787`. */
  readonly base: string;
  readonly key: string;
}

/**
 * Starts a server in this process for as long as `use` takes. Keys and voice configurations are its own; the models are those of
 * `config`. A signal that would end this process ends the server and aborts, so that nothing is left behind.
 * @param voices Contents of the voice configuration files, by their ids.
 */
export async function withOwnBox<Result>(
  config: ServerConfig,
  voices: Readonly<Record<string, object>>,
  log: Log,
  use: (box: Box, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  using stopped = stoppedBySignal();
  const folder = mkdtempSync(join(tmpdir(), "oakvoice-test-"));
  const voicesDir = join(folder, "voices");
  try {
    mkdirSync(voicesDir);
    for (const [id, voice] of Object.entries(voices))
      writeFileSync(join(voicesDir, `${id}.json`), JSON.stringify({ ...voice, config_id: id }));
    const models = join(config.dataDir, "models");
    if (existsSync(models)) symlinkSync(models, join(folder, "models"));
    const { key } = createApiKey(keyFilePath(folder), "test", undefined, Date.now(), {}, ["inspect"]);
    const service = await startService({ ...ownConfig(config, folder), voicesDir }, log);
    let closing: Promise<void> | undefined;
    const close = () => (closing ??= service.close());
    using _ = addAbortListener(stopped.signal, () => {
      close().catch(() => undefined);
      service.hurry();
    });
    try {
      return await use({ base: `ws://127.0.0.1:${String(service.port)}`, key }, stopped.signal);
    } finally {
      await close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The configuration of a server in `folder` whose calls stay there: no traces, no webhook, no record in the operator's folder. Calls
 * are recorded in `folder` where the operator records calls, so that the caller is asked as in a real call.
 */
export function ownConfig(config: ServerConfig, folder: string): ServerConfig {
  const {
    tls: _tls,
    cluster: _cluster,
    agentCheckPort: _port,
    traceDir: _traces,
    tracing: _tracing,
    callRecord,
    ...rest
  } = config;
  const own = { ...rest, host: "127.0.0.1", port: 0, dataDir: folder, auth: {} };
  if (callRecord === undefined) return own;
  const keyFile = join(folder, "record.key");
  writeFileSync(keyFile, randomBytes(32), { mode: 0o600 });
  return { ...own, callRecord: { auditDays: 400, dir: join(folder, "call-record"), keyFile } };
}
