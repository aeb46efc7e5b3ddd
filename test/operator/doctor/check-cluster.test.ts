import { describe, expect, test } from "vitest";
import { loadServerConfig } from "../../../src/config/server-config.ts";
import { checkCluster } from "../../../src/operator/doctor/check-cluster.ts";
import { hasRedis, startRedis, writeSecret } from "../../support/redis-server.ts";

const check = (url: string) => {
  const environment = { OAKVOICE_CLUSTER_URL: url, OAKVOICE_CLUSTER_SECRET_FILE: writeSecret() };
  return checkCluster(loadServerConfig(undefined, environment).config);
};

test("without cluster.url there is nothing to check", async () => {
  expect(await checkCluster(loadServerConfig(undefined, {}).config)).toEqual({ lines: [], faults: [] });
});

test("a store that cannot be reached is a finding with its consequence", async () => {
  const { lines, faults } = await check("redis://127.0.0.1:1");
  expect(lines).toEqual([]);
  expect(faults).toEqual([expect.stringMatching(/^cluster\.url: .*ECONNREFUSED.*for this server alone\.$/u)]);
});

describe.skipIf(!hasRedis)("a real Redis", () => {
  test("the report has the time of an answer", async () => {
    const { url } = await startRedis();
    expect((await check(url)).lines).toEqual([
      expect.stringMatching(/^cluster: 127\.0\.0\.1:\d+ answers in [\d.]+ ms$/u),
    ]);
  });

  test("a missing password is named", async () => {
    const { url } = await startRedis({ password: "secret" });
    expect((await check(url)).faults.join()).toContain("Check cluster.password_file.");
  });
});
