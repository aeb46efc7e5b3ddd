import { expect, test } from "vitest";
import type { Identity } from "../../src/auth/authenticate.ts";
import { ClientSecrets } from "../../src/auth/client-secrets.ts";

const owner: Identity = { method: "api_key", id: "key_1", projectId: undefined, configId: "bank" };

test("a secret stands for its owner until it expires", () => {
  let now = 0;
  const secrets = new ClientSecrets(() => now);
  const { value, expiresAtMs } = secrets.mint(owner, 60_000);
  expect(value).toMatch(/^ek_[0-9a-f]{48}$/u);
  expect(expiresAtMs).toBe(60_000);
  now = 59_999;
  expect(secrets.find(value)).toBe(owner);
  now = 60_000;
  expect(() => secrets.find(value)).toThrow(/expired/u);
  expect(() => secrets.find("ek_other")).toThrow(/not known/u);
});

test("an owner has a limited number, and another owner's stay", () => {
  const secrets = new ClientSecrets(() => 0);
  const other = secrets.mint({ ...owner, id: "key_2" }, 1_000);
  const first = secrets.mint(owner, 1_000);
  for (let made = 0; made < 1_000; made += 1) secrets.mint(owner, 1_000);
  expect(() => secrets.find(first.value)).toThrow(/not known/u);
  expect(secrets.find(other.value).id).toBe("key_2");
});
