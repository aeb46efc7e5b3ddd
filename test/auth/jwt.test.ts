import { createHmac, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tokenCommand } from "../../src/auth/commands.ts";
import { createTokenVerifier, issueToken } from "../../src/auth/jwt.ts";
import type { JwtConfig } from "../../src/config/server-config-schema.ts";

const now = new Date("2026-11-20T12:00:00Z");
const secret = "a secret of at least thirty-two bytes";
const hs: JwtConfig = { algorithms: ["HS256"], secret };
const folder = mkdtempSync(join(tmpdir(), "oakvoice-jwt-"));

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** By hand, so that headers and claims can be wrong. */
function forge(header: object, claims: object, key = secret): string {
  const body = `${part(header)}.${part(claims)}`;
  return `${body}.${createHmac("sha256", key).update(body).digest("base64url")}`;
}

const exp = now.getTime() / 1000 + 60;
const code = (promise: Promise<unknown>) =>
  promise.then(
    () => "accepted",
    (error: { code: string }) => error.code,
  );

test("claims come through; a token without them opens everything", async () => {
  const verify = createTokenVerifier(hs);
  const token = await issueToken(hs, { subject: "desk", projectId: "p", configId: "c", lifetimeSeconds: 60 }, now);
  expect(await verify(token, now)).toEqual({ subject: "desk", projectId: "p", configId: "c" });
  expect(await verify(await issueToken(hs, { lifetimeSeconds: 60 }, now), now)).toEqual({});
});

test("expired, unsigned, altered, endless and misdated tokens are refused", async () => {
  const verify = createTokenVerifier(hs);
  const good = forge({ alg: "HS256" }, { exp });
  expect(await code(verify(good, now))).toBe("accepted");
  const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
  expect(await code(verify(good, later(64)))).toBe("accepted");
  expect(await code(verify(good, later(66)))).toBe("TOKEN_EXPIRED");
  const refused = [
    "",
    "a.b.c",
    good.slice(0, -3),
    `${part({ alg: "none" })}.${part({ exp })}.`,
    forge({ alg: "HS256" }, {}),
    forge({ alg: "HS256" }, { exp: "soon" }),
    forge({ alg: "HS256" }, { exp, nbf: exp }),
    forge({ alg: "HS384" }, { exp }),
    forge({ alg: "HS256" }, { exp }, `${secret}!`),
    forge({ alg: "HS256" }, { exp, project_id: 7 }),
    forge({ alg: "HS256" }, { exp, config_id: "" }),
    forge({ alg: "HS256", crit: ["x"], x: 1 }, { exp }),
  ];
  for (const token of refused) expect([token, await code(verify(token, now))]).toEqual([token, "INVALID_TOKEN"]);
});

test("issuer and audience, when configured, must be there and match", async () => {
  const config: JwtConfig = { ...hs, issuer: "hotel", audience: "oakvoice" };
  const verify = createTokenVerifier(config);
  expect(await code(verify(await issueToken(config, { lifetimeSeconds: 60 }, now), now))).toBe("accepted");
  for (const claims of [{}, { iss: "hotel" }, { aud: "oakvoice" }, { iss: "other", aud: "oakvoice" }]) {
    expect(await code(verify(forge({ alg: "HS256" }, { exp, ...claims }), now))).toBe("INVALID_TOKEN");
  }
});

test("public keys: RS256 and EdDSA from a file, and a local JWKS; a public key is never taken for a secret", async () => {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const ed = generateKeyPairSync("ed25519");
  const pem = { type: "spki", format: "pem" } as const;
  const pkcs8 = { type: "pkcs8", format: "pem" } as const;
  const rsaPublic = rsa.publicKey.export(pem).toString();
  const configs: JwtConfig[] = [
    {
      algorithms: ["RS256"],
      public_key_file: write("rsa.pub", rsaPublic),
      private_key_file: write("rsa.key", rsa.privateKey.export(pkcs8).toString()),
    },
    {
      algorithms: ["EdDSA"],
      public_key_file: write("ed.pub", ed.publicKey.export(pem).toString()),
      private_key_file: write("ed.key", ed.privateKey.export(pkcs8).toString()),
    },
    {
      algorithms: ["RS256"],
      jwks_file: write(
        "jwks.json",
        JSON.stringify({ keys: [{ ...rsa.publicKey.export({ format: "jwk" }), alg: "RS256" }] }),
      ),
      private_key_file: join(folder, "rsa.key"),
    },
  ];
  for (const config of configs) {
    const verify = createTokenVerifier(config);
    expect(await code(verify(await issueToken(config, { lifetimeSeconds: 60 }, now), now))).toBe("accepted");
    expect(await code(verify(forge({ alg: "HS256" }, { exp }, rsaPublic), now))).toBe("INVALID_TOKEN");
    expect(await code(verify(await issueToken(hs, { lifetimeSeconds: 60 }, now), now))).toBe("INVALID_TOKEN");
  }
});

const start = (config: JwtConfig) => () => createTokenVerifier(config);

test("key files that cannot be used are named", async () => {
  const none = join(folder, "none");
  expect(start({ algorithms: ["RS256"], public_key_file: none })).toThrow(none);
  expect(start({ algorithms: ["RS256"], public_key_file: write("bad.pub", "x") })).toThrow(/bad\.pub: not usable/);
  expect(start({ algorithms: ["RS256"], jwks_file: write("bad.json", "{}") })).toThrow(/bad\.json: not usable/);
  expect(start({ algorithms: ["HS256"], secret_file: write("short", "x\n") })).toThrow(/short: .*at least 32/);
  const fromFile: JwtConfig = { algorithms: ["HS256"], secret_file: write("secret", `${secret}\n`) };
  expect(await code(createTokenVerifier(fromFile)(forge({ alg: "HS256" }, { exp }), now))).toBe("accepted");
});

test("a key of a type that none of the algorithms goes with is refused at the start, and a JWKS without one", async () => {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ecPublic = write("ec.pub", ec.publicKey.export({ type: "spki", format: "pem" }).toString());
  const ecPrivate = write("ec.key", ec.privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  const jwk = (extra: object) => ({ ...rsa.publicKey.export({ format: "jwk" }), ...extra });
  const jwks = (...keys: object[]) => write("set.json", JSON.stringify({ keys }));
  for (const algorithm of ["RS256", "PS256", "ES384", "EdDSA"] as const)
    expect(start({ algorithms: [algorithm], public_key_file: ecPublic })).toThrow(
      new RegExp(`ec\\.pub: .* holds no key for ${algorithm}`),
    );
  expect(start({ algorithms: ["RS256"], jwks_file: jwks() })).toThrow(/set\.json: .* holds no key for RS256/);
  expect(start({ algorithms: ["ES256"], jwks_file: jwks(jwk({})) })).toThrow(/holds no key for ES256/);
  expect(start({ algorithms: ["RS256"], jwks_file: jwks(jwk({ alg: "RS512" })) })).toThrow(/holds no key/);
  expect(start({ algorithms: ["RS256"], jwks_file: jwks(jwk({ use: "enc" })) })).toThrow(/holds no key/);
  start({ algorithms: ["RS256"], jwks_file: jwks(jwk({ use: "enc" }), jwk({ use: "sig", alg: "RS256" })) })();
  const both: JwtConfig = { algorithms: ["RS256", "ES256"], public_key_file: ecPublic, private_key_file: ecPrivate };
  start(both)();
  expect(await code(tokenCommand([], both, now))).toBe("CONFIG_INVALID");
  expect(await code(tokenCommand([], { ...both, algorithms: ["ES256"] }, now))).toBe("accepted");
});

test("oakvoice token", async () => {
  const verify = createTokenVerifier(hs);
  const args = ["--subject", "desk", "--project", "p", "--config-id", "c", "--expires-in", "2h"];
  const token = await tokenCommand(args, hs, now);
  const after = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
  expect(await verify(token, after(119))).toEqual({ subject: "desk", projectId: "p", configId: "c" });
  expect(await code(verify(token, after(121)))).toBe("TOKEN_EXPIRED");
  expect(await code(verify(await tokenCommand([], hs, now), after(16)))).toBe("TOKEN_EXPIRED");
  for (const wrong of [
    ["x"],
    ["--expires-in", "0s"],
    ["--expires-in", "never"],
    ["--expires-in", "5"],
    ["--who", "x"],
  ]) {
    expect(await code(tokenCommand(wrong, hs, now))).toBe("USAGE");
  }
  expect(await code(tokenCommand([], undefined, now))).toBe("CONFIG_INVALID");
  await expect(tokenCommand([], undefined, now)).rejects.toThrow(/secret_file.*private_key_file/);
  const publicOnly: JwtConfig = { algorithms: ["RS256"], public_key_file: "unused" };
  expect(await code(tokenCommand([], publicOnly, now))).toBe("CONFIG_INVALID");
});
