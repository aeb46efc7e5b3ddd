import { createHmac, generateKeyPairSync, type KeyObject } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SignJWT } from "jose";
import { expect, test } from "vitest";
import { tokenCommand } from "../../src/operator/keys-command.ts";
import { createTokenVerifier, issueToken } from "../../src/auth/jwt.ts";
import type { JwtConfig } from "../../src/config/server-config-schema.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const now = new Date("2026-11-20T12:00:00Z");
const secret = "a secret of at least thirty-two bytes";
const hs: JwtConfig = { algorithms: ["HS256"], secret };
const folder = temporaryFolder();

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Signs by hand, because a library refuses wrong headers and claims. */
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

test("claims are returned, and a token without claims allows everything", async () => {
  const verify = await createTokenVerifier(hs);
  const token = await issueToken(hs, { subject: "desk", projectId: "p", configId: "c", lifetimeSeconds: 60 }, now);
  expect(await verify(token, now)).toMatchObject({ subject: "desk", projectId: "p", configId: "c" });
  expect(await verify(await issueToken(hs, { lifetimeSeconds: 60 }, now), now)).toEqual({
    expiresAtMs: expect.any(Number),
  });
});

test("expired, unsigned, altered and misdated tokens and tokens without an end are refused", async () => {
  const verify = await createTokenVerifier(hs);
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

test("issuer and audience must match when they are configured", async () => {
  const config: JwtConfig = { ...hs, issuer: "hotel", audience: "oakvoice" };
  const verify = await createTokenVerifier(config);
  expect(await code(verify(await issueToken(config, { lifetimeSeconds: 60 }, now), now))).toBe("accepted");
  for (const claims of [{}, { iss: "hotel" }, { aud: "oakvoice" }, { iss: "other", aud: "oakvoice" }]) {
    expect(await code(verify(forge({ alg: "HS256" }, { exp, ...claims }), now))).toBe("INVALID_TOKEN");
  }
});

test("RS256 and EdDSA keys from a file and a local JWKS work, and a public key is never used as a secret", async () => {
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
    const verify = await createTokenVerifier(config);
    expect(await code(verify(await issueToken(config, { lifetimeSeconds: 60 }, now), now))).toBe("accepted");
    expect(await code(verify(forge({ alg: "HS256" }, { exp }, rsaPublic), now))).toBe("INVALID_TOKEN");
    expect(await code(verify(await issueToken(hs, { lifetimeSeconds: 60 }, now), now))).toBe("INVALID_TOKEN");
  }
});

const start = (config: JwtConfig) => createTokenVerifier(config);

test("the error names a key file that cannot be used", async () => {
  const none = join(folder, "none");
  await expect(start({ algorithms: ["RS256"], public_key_file: none })).rejects.toThrow(none);
  await expect(start({ algorithms: ["RS256"], public_key_file: write("bad.pub", "x") })).rejects.toThrow(
    /bad\.pub: not usable/,
  );
  await expect(start({ algorithms: ["RS256"], jwks_file: write("bad.json", "{}") })).rejects.toThrow(
    /bad\.json: not usable/,
  );
  await expect(start({ algorithms: ["HS256"], secret_file: write("short", "x\n") })).rejects.toThrow(
    /short: .*at least 32/,
  );
  const fromFile: JwtConfig = { algorithms: ["HS256"], secret_file: write("secret", `${secret}\n`) };
  expect(await code((await createTokenVerifier(fromFile))(forge({ alg: "HS256" }, { exp }), now))).toBe("accepted");
});

test("a key that fits none of the algorithms is refused at the start, and so is a JWKS without a fitting key", async () => {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ecPublic = write("ec.pub", ec.publicKey.export({ type: "spki", format: "pem" }).toString());
  const ecPrivate = write("ec.key", ec.privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  const jwk = (extra: object) => ({ ...rsa.publicKey.export({ format: "jwk" }), ...extra });
  const jwks = (...keys: object[]) => write("set.json", JSON.stringify({ keys }));
  for (const algorithm of ["RS256", "PS256", "ES384", "EdDSA"] as const)
    await expect(start({ algorithms: [algorithm], public_key_file: ecPublic })).rejects.toThrow(
      new RegExp(`ec\\.pub: .* holds no key for ${algorithm}`),
    );
  await expect(start({ algorithms: ["RS256"], jwks_file: jwks() })).rejects.toThrow(
    /set\.json: .* holds no key for RS256/,
  );
  await expect(start({ algorithms: ["ES256"], jwks_file: jwks(jwk({})) })).rejects.toThrow(/holds no key for ES256/);
  await expect(start({ algorithms: ["RS256"], jwks_file: jwks(jwk({ alg: "RS512" })) })).rejects.toThrow(
    /holds no key/,
  );
  await expect(start({ algorithms: ["RS256"], jwks_file: jwks(jwk({ use: "enc" })) })).rejects.toThrow(/holds no key/);
  await start({ algorithms: ["RS256"], jwks_file: jwks(jwk({ use: "enc" }), jwk({ use: "sig", alg: "RS256" })) });
  const both: JwtConfig = { algorithms: ["RS256", "ES256"], public_key_file: ecPublic, private_key_file: ecPrivate };
  await start(both);
  expect(await code(tokenCommand([], both, now))).toBe("CONFIG_INVALID");
  expect(await code(tokenCommand([], { ...both, algorithms: ["ES256"] }, now))).toBe("accepted");
});

const pemOf = (key: KeyObject) =>
  key.export({ type: key.type === "private" ? "pkcs8" : "spki", format: "pem" }).toString();

test("keys that can never verify a token are refused at the start, each in one line", async () => {
  const weak = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const jwks = (...keys: KeyObject[]) =>
    write("set.json", JSON.stringify({ keys: keys.map((key) => key.export({ format: "jwk" })) }));
  const refused = async (
    config: Omit<JwtConfig, "algorithms">,
    why: RegExp,
    ...algorithms: JwtConfig["algorithms"]
  ) => {
    const names = algorithms.length === 0 ? (["RS256"] as const) : algorithms;
    const error = await start({ algorithms: [...names], ...config }).catch((cause: Error) => cause);
    expect(error).toMatchObject({ code: "CONFIG_INVALID", message: expect.stringMatching(why) });
    expect((error as Error).message).not.toContain("\n");
  };
  await refused({ public_key_file: write("weak.pub", pemOf(weak.publicKey)) }, /weak\.pub: .* 2048 bits or larger/u);
  await refused({ jwks_file: jwks(rsa.publicKey, weak.publicKey) }, /set\.json: .*: key 2: RS256 .*2048 bits/u);
  await refused(
    { jwks_file: jwks(rsa.publicKey, rsa.privateKey) },
    /set\.json: .*: key 2 is private\. Put only public/u,
  );
  const secretJwk = write("oct.json", JSON.stringify({ keys: [{ kty: "oct", k: "c2VjcmV0" }] }));
  await refused({ jwks_file: secretJwk }, /oct\.json: .*: the key is private/u);
  const noSign = write(
    "ops.json",
    JSON.stringify({ keys: [{ ...rsa.publicKey.export({ format: "jwk" }), key_ops: ["encrypt"] }] }),
  );
  await refused({ jwks_file: noSign }, /holds no key for RS256/u);
  const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" });
  await refused({ public_key_file: write("p384.pub", pemOf(p384.publicKey)) }, /holds no key for ES256/u, "ES256");
  await refused(
    { secret: "x".repeat(40) },
    /auth\.jwt\.secret: .* has 40 bytes, HS256, HS512 needs at least 64/u,
    "HS256",
    "HS512",
  );
  await refused({ secret: `x${" ".repeat(40)}` }, /the secret has 1 bytes, HS256 needs at least 32/u, "HS256");
  await refused({ jwks_file: write("text.json", "-----a secret that must not be shown") }, /it is not valid JSON\.$/u);
});

test("two keys of the same type both verify tokens, with and without key ids", async () => {
  const pairs = [1, 2].map(() => generateKeyPairSync("rsa", { modulusLength: 2048 }));
  const set = (extra: (index: number) => object) =>
    write(
      "two.json",
      JSON.stringify({
        keys: pairs.map(({ publicKey }, index) => ({ ...publicKey.export({ format: "jwk" }), ...extra(index) })),
      }),
    );
  const other = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const sign = (key: KeyObject, header: object = {}, expires = exp) =>
    new SignJWT({})
      .setProtectedHeader({ alg: "RS256", ...header })
      .setExpirationTime(expires)
      .sign(key);
  for (const extra of [() => ({}), () => ({ alg: "RS256", use: "sig" }), () => ({ kid: "same" })]) {
    const verify = await start({ algorithms: ["RS256"], jwks_file: set(extra) });
    for (const { privateKey } of pairs) {
      expect(await code(verify(await sign(privateKey), now))).toBe("accepted");
      expect(await code(verify(await sign(privateKey, {}, exp - 120), now))).toBe("TOKEN_EXPIRED");
    }
    expect(await code(verify(await sign(other.privateKey), now))).toBe("INVALID_TOKEN");
  }
  const nameless = await start({ algorithms: ["RS256"], jwks_file: set(() => ({})) });
  const named = await start({ algorithms: ["RS256"], jwks_file: set((index) => ({ kid: `k${String(index)}` })) });
  for (const [index, { privateKey }] of pairs.entries()) {
    expect(await code(nameless(await sign(privateKey, { kid: "any" }), now))).toBe("accepted");
    expect(await code(named(await sign(privateKey, { kid: `k${String(index)}` }), now))).toBe("accepted");
    expect(await code(named(await sign(privateKey, { kid: `k${String(1 - index)}` }), now))).toBe("INVALID_TOKEN");
  }
});

test("oakvoice token refuses a weak, encrypted or foreign key in one line", async () => {
  const weak = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const one = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const other = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const locked = other.privateKey
    .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" })
    .toString();
  const publicFile = write("one.pub", pemOf(one.publicKey));
  for (const [pem, why] of [
    [pemOf(weak.privateKey), /signing\.key: .* 2048 bits/u],
    [locked, /signing\.key: .*not a private key in PEM form without a passphrase/u],
    [pemOf(other.privateKey), /signing\.key: the server would not accept its tokens/u],
  ] as const) {
    const config: JwtConfig = {
      algorithms: ["RS256"],
      public_key_file: publicFile,
      private_key_file: write("signing.key", pem),
    };
    await expect(tokenCommand([], config, now)).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringMatching(why),
    });
  }
});

test("oakvoice token", async () => {
  const verify = await createTokenVerifier(hs);
  const args = ["--subject", "desk", "--project", "p", "--config-id", "c", "--expires-in", "2h"];
  const token = await tokenCommand(args, hs, now);
  const after = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
  expect(await verify(token, after(119))).toMatchObject({ subject: "desk", projectId: "p", configId: "c" });
  expect(await code(verify(token, after(121)))).toBe("TOKEN_EXPIRED");
  expect(await code(verify(await tokenCommand([], hs, now), after(16)))).toBe("TOKEN_EXPIRED");
  for (const wrong of [
    ["x"],
    ["--expires-in", "0s"],
    ["--expires-in", "never"],
    ["--expires-in", "5"],
    ["--who", "x"],
    ["--subject", ""],
    ["--subject", "a\nb"],
    ["--subject", "x".repeat(257)],
    ["--project", ""],
    ["--config-id", " "],
  ]) {
    expect(await code(tokenCommand(wrong, hs, now))).toBe("USAGE");
  }
  expect(await code(tokenCommand([], undefined, now))).toBe("CONFIG_INVALID");
  await expect(tokenCommand([], undefined, now)).rejects.toThrow(/secret_file.*private_key_file/);
  const publicOnly: JwtConfig = { algorithms: ["RS256"], public_key_file: "unused" };
  expect(await code(tokenCommand([], publicOnly, now))).toBe("CONFIG_INVALID");
});
