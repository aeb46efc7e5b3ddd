import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadServerConfig } from "../../../src/config/server-config.ts";
import { ownConfig } from "../../../src/operator/scenarios/own-box.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const config = loadServerConfig(undefined, {}).config;

test("test calls reach no record, no webhook and no trace of the operator", () => {
  const folder = temporaryFolder();
  const webhook = { url: "https://crm.example/", secret_env: "SECRET", fields: [] };
  const callRecord = {
    dir: "/var/lib/oakvoice/call-record",
    keyFile: "/etc/oakvoice/record.key",
    auditDays: 30,
    webhook,
  };
  const tracing = { endpoint: "https://traces.example/v1/traces" } as never;
  const own = ownConfig({ ...config, callRecord, tracing, traceDir: "/var/lib/oakvoice/traces" }, folder);
  const keyFile = join(folder, "record.key");
  expect(own.callRecord).toEqual({ auditDays: 400, dir: join(folder, "call-record"), keyFile });
  expect(existsSync(keyFile)).toBe(true);
  expect(own).not.toHaveProperty("tracing");
  expect(own).not.toHaveProperty("traceDir");
  expect(own.dataDir).toBe(folder);
});

test("a server without records keeps none in a test", () => {
  expect(ownConfig(config, temporaryFolder())).not.toHaveProperty("callRecord");
});
