import { createPublicKey, createPrivateKey, type JsonWebKey, type KeyObject } from "node:crypto";
import { createLocalJWKSet, errors, jwtVerify, SignJWT, type JWTVerifyOptions, type JSONWebKeySet } from "jose";
import { z } from "zod";
import type { JwtConfig } from "../config/server-config-schema.ts";
import { errorMessage, OakError } from "../shared/errors.ts";
import { readSmallFile } from "../shared/read-small-file.ts";

const MIN_SECRET_BYTES = 32;

const claimsSchema = z.object({
  sub: z.string().max(256).optional(),
  project_id: z.string().min(1).optional(),
  config_id: z.string().min(1).optional(),
});

export interface TokenClaims {
  readonly subject?: string;
  /** The only project the token opens. */
  readonly projectId?: string;
  /** The only configuration the token opens. */
  readonly configId?: string;
}

/** @throws OakError `TOKEN_EXPIRED` or `INVALID_TOKEN`. */
export type VerifyToken = (token: string, now: Date) => Promise<TokenClaims>;

/** Reads the key material once. @throws OakError `CONFIG_INVALID` naming the file. */
export function createTokenVerifier(config: JwtConfig): VerifyToken {
  const options: JWTVerifyOptions = {
    algorithms: config.algorithms,
    requiredClaims: ["exp"],
    clockTolerance: 5,
    ...(config.issuer === undefined ? {} : { issuer: config.issuer }),
    ...(config.audience === undefined ? {} : { audience: config.audience }),
  };
  const verify = signatureCheck(config);
  return async (token, now) => {
    try {
      const { payload } = await verify(token, { ...options, currentDate: now });
      const { sub, project_id, config_id } = claimsSchema.parse(payload);
      return {
        ...(sub === undefined ? {} : { subject: sub }),
        ...(project_id === undefined ? {} : { projectId: project_id }),
        ...(config_id === undefined ? {} : { configId: config_id }),
      };
    } catch (cause) {
      if (cause instanceof errors.JWTExpired) {
        throw new OakError("The token has expired; get a new one.", { code: "TOKEN_EXPIRED", cause });
      }
      // Which check failed is for the log, not for whoever is trying tokens.
      throw new OakError("The token is not accepted.", { code: "INVALID_TOKEN", cause });
    }
  };
}

function signatureCheck(config: JwtConfig) {
  if (config.jwks_file !== undefined) {
    const keys = readKey(config.jwks_file, (text) => {
      const set = JSON.parse(text) as JSONWebKeySet;
      const find = createLocalJWKSet(set);
      assertFits(set.keys, config.algorithms);
      return find;
    });
    return (token: string, options: JWTVerifyOptions) => jwtVerify(token, keys, options);
  }
  const key =
    config.public_key_file === undefined
      ? readSecret(config)
      : readKey(config.public_key_file, (text) => fitting(createPublicKey(text), config.algorithms));
  return (token: string, options: JWTVerifyOptions) => jwtVerify(token, key, options);
}

export interface TokenRequest extends TokenClaims {
  readonly lifetimeSeconds: number;
}

/**
 * Signs with the configured secret, or with `private_key_file`, in the first configured algorithm.
 * @throws OakError `CONFIG_INVALID` when the configuration holds nothing to sign with.
 */
export async function issueToken(config: JwtConfig, request: TokenRequest, now: Date): Promise<string> {
  const [algorithm] = config.algorithms;
  if (algorithm === undefined) throw new OakError("auth.jwt.algorithms is empty.", { code: "CONFIG_INVALID" });
  const issuedAt = Math.floor(now.getTime() / 1000);
  const claims = {
    ...(request.projectId === undefined ? {} : { project_id: request.projectId }),
    ...(request.configId === undefined ? {} : { config_id: request.configId }),
  };
  const token = new SignJWT(claims)
    .setProtectedHeader({ alg: algorithm, typ: "JWT" })
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + request.lifetimeSeconds);
  if (request.subject !== undefined) token.setSubject(request.subject);
  if (config.issuer !== undefined) token.setIssuer(config.issuer);
  if (config.audience !== undefined) token.setAudience(config.audience);
  return token.sign(signingKey(config));
}

function signingKey(config: JwtConfig): KeyObject | Uint8Array {
  if (config.secret !== undefined || config.secret_file !== undefined) return readSecret(config);
  if (config.private_key_file === undefined) {
    throw new OakError("auth.jwt.private_key_file is not set: this installation can check tokens but not sign them.", {
      code: "CONFIG_INVALID",
    });
  }
  return readKey(config.private_key_file, (text) => fitting(createPrivateKey(text), config.algorithms.slice(0, 1)));
}

function readSecret({ secret, secret_file: file }: JwtConfig): Uint8Array {
  if (file === undefined) return new TextEncoder().encode(secret);
  return readKey(file, (text) => {
    const bytes = new TextEncoder().encode(text.trim());
    if (bytes.length < MIN_SECRET_BYTES)
      throw new Error(`holds ${bytes.length} bytes, needs at least ${MIN_SECRET_BYTES}`);
    return bytes;
  });
}

const RSA = { kty: "RSA" };
const KEY_TYPES: { readonly [Algorithm in JwtConfig["algorithms"][number]]?: { kty: string; crv?: string } } = {
  RS256: RSA,
  RS384: RSA,
  RS512: RSA,
  PS256: RSA,
  ES256: { kty: "EC", crv: "P-256" },
  ES384: { kty: "EC", crv: "P-384" },
  EdDSA: { kty: "OKP", crv: "Ed25519" },
};

function fitting(key: KeyObject, algorithms: JwtConfig["algorithms"]): KeyObject {
  assertFits([key.export({ format: "jwk" })], algorithms);
  return key;
}

/** At the start: a key that no token can be checked with would only be noticed by the callers, all of them. */
function assertFits(keys: readonly JsonWebKey[], algorithms: JwtConfig["algorithms"]): void {
  const fits = ({ kty, crv, alg, use }: JsonWebKey) =>
    use !== "enc" &&
    algorithms.some((algorithm) => {
      const wanted = KEY_TYPES[algorithm];
      return wanted?.kty === kty && (wanted?.crv ?? crv) === crv && (alg ?? algorithm) === algorithm;
    });
  if (!keys.some(fits)) throw new Error(`holds no key for ${algorithms.join(", ")}`);
}

function readKey<Key>(file: string, parse: (text: string) => Key): Key {
  try {
    return parse(readSmallFile(file).toString());
  } catch (cause) {
    throw new OakError(`${file}: not usable as a key for auth.jwt: ${errorMessage(cause)}`, {
      code: "CONFIG_INVALID",
      cause,
    });
  }
}
