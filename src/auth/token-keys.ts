import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import {
  createLocalJWKSet,
  errors,
  jwtVerify,
  type JSONWebKeySet,
  type JWK,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
} from "jose";
import type { JwtConfig } from "../config/server-config-schema.ts";
import { errorMessage, OakError } from "../shared/errors.ts";
import { fileErrorReason } from "../shared/files/file-error.ts";
import { readSmallFile } from "../shared/files/read-small-file.ts";

type Algorithm = JwtConfig["algorithms"][number];
/** Resolves when the signature and the claims are valid. */
type CheckToken = (token: string, options: JWTVerifyOptions) => Promise<JWTVerifyResult>;

/** RFC 7518 requires a secret as long as the hash. */
const MIN_SECRET_BYTES: { readonly [Name in Algorithm]?: number } = { HS256: 32, HS384: 48, HS512: 64 };

/** @throws OakError `CONFIG_INVALID`, with the name of the file, when the keys cannot accept any token. */
export async function signatureCheck(config: JwtConfig): Promise<CheckToken> {
  const { jwks_file, public_key_file, algorithms } = config;
  const file = jwks_file ?? public_key_file;
  if (file === undefined) {
    const secret = readSecret(config);
    return (token, options) => jwtVerify(token, secret, options);
  }
  const set = readKey(file, jwks_file === undefined ? (text) => ({ keys: [publicJwk(text)] }) : parseJwks);
  await checkKeys(set.keys, algorithms).catch((cause: unknown) => {
    throw unusable(file, cause);
  });
  const find = keyFinder(set);
  return (token, options) => verifyWithEach(token, find, options);
}

/** @throws OakError `CONFIG_INVALID` when the configuration has no signing key. */
export function signingKey(config: JwtConfig): KeyObject | Uint8Array {
  if (config.secret !== undefined || config.secret_file !== undefined) return readSecret(config);
  if (config.private_key_file === undefined) {
    throw new OakError("auth.jwt.private_key_file is not set: this installation can check tokens but not sign them.", {
      code: "CONFIG_INVALID",
    });
  }
  const parse = (text: string) => parsePem(text, createPrivateKey, "private key in PEM form without a passphrase");
  return readKey(config.private_key_file, parse);
}

export const unusable = (file: string, cause: unknown): OakError =>
  new OakError(`${file}: not usable as a key for auth.jwt: ${fileErrorReason(cause)}.`, {
    code: "CONFIG_INVALID",
    cause,
  });

function readSecret({ secret, secret_file: file, algorithms }: JwtConfig): Uint8Array {
  const needed = Math.max(...algorithms.map((algorithm) => MIN_SECRET_BYTES[algorithm] ?? 0));
  const encode = (text: string) => {
    const found = Buffer.byteLength(text.trim());
    if (found >= needed) return new TextEncoder().encode(text);
    throw new Error(`the secret has ${String(found)} bytes, ${algorithms.join(", ")} needs at least ${String(needed)}`);
  };
  return file === undefined
    ? readText("auth.jwt.secret", () => encode(secret ?? ""))
    : readKey(file, (text) => encode(text.trim()));
}

const publicJwk = (text: string): JWK =>
  parsePem(text, createPublicKey, "public key in PEM form").export({ format: "jwk" });

/** Replaces OpenSSL's messages, which are numbers. */
function parsePem(text: string, parse: (text: string) => KeyObject, what: string): KeyObject {
  try {
    return parse(text);
  } catch (cause) {
    throw new Error(`it is not a ${what}`, { cause });
  }
}

function parseJwks(text: string): JSONWebKeySet {
  let set: JSONWebKeySet;
  try {
    set = JSON.parse(text) as JSONWebKeySet;
  } catch (cause) {
    // The parser's message quotes the file, which may hold a secret.
    throw new Error("it is not valid JSON", { cause });
  }
  createLocalJWKSet(set);
  return set;
}

/** Tries each key on a token with a wrong signature. Any error but a wrong signature would also refuse valid tokens. */
async function checkKeys(keys: readonly JWK[], algorithms: readonly Algorithm[]): Promise<void> {
  let isUsable = false;
  for (const [index, key] of keys.entries()) {
    const name = keys.length === 1 ? "the key" : `key ${String(index + 1)}`;
    if (key.d !== undefined || key.k !== undefined || key["priv"] !== undefined)
      throw new Error(`${name} is private. Put only public keys there`);
    for (const algorithm of algorithms) {
      try {
        isUsable = (await canVerify(key, algorithm)) || isUsable;
      } catch (cause) {
        throw new Error(`${name}: ${errorMessage(cause)}. Make another key`, { cause });
      }
    }
  }
  if (!isUsable) throw new Error(`it holds no key for ${algorithms.join(", ")}`);
}

/** False when the key is not for this algorithm. @throws When the key is for it, and cannot be used. */
async function canVerify(key: JWK, algorithm: Algorithm): Promise<boolean> {
  const { kid } = key;
  const header = Buffer.from(JSON.stringify({ alg: algorithm, kid })).toString("base64url");
  try {
    await jwtVerify(`${header}.e30.AAAA`, createLocalJWKSet({ keys: [key] }));
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) return true;
    if (error instanceof errors.JWKSNoMatchingKey) return false;
    throw error;
  }
  return true;
}

/** Finds the key by its id. If no key has that id, keys without an id are tried. */
function keyFinder(set: JSONWebKeySet): JWTVerifyGetKey {
  const byId = createLocalJWKSet(set);
  const withoutId = createLocalJWKSet({ keys: set.keys.filter(({ kid }) => kid === undefined) });
  return async (header, token) => {
    try {
      return await byId(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const { kid: _, ...rest } = header;
      return withoutId(rest, token);
    }
  };
}

/** Tries every matching key: during a key change there are several. */
async function verifyWithEach(
  token: string,
  find: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, find, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return await jwtVerify(token, key, options);
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

const readKey = <Key>(file: string, parse: (text: string) => Key): Key =>
  readText(file, () => parse(readSmallFile(file).toString()));

function readText<Key>(source: string, read: () => Key): Key {
  try {
    return read();
  } catch (cause) {
    throw unusable(source, cause);
  }
}
