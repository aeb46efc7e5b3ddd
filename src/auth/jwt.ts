import { errors, SignJWT, type JWTVerifyOptions } from "jose";
import { z } from "zod";
import type { JwtConfig } from "../config/server-config-schema.ts";
import { OakError } from "../shared/errors.ts";
import { PERMISSIONS, type Permission } from "./key-file.ts";
import { signatureCheck, signingKey, unusable } from "./token-keys.ts";

/** Longest `sub` of a token. */
export const MAX_SUBJECT_LENGTH = 256;

const claimsSchema = z.object({
  exp: z.number(),
  sub: z.string().max(MAX_SUBJECT_LENGTH).optional(),
  project_id: z.string().min(1).optional(),
  config_id: z.string().min(1).optional(),
  /** Separated by spaces. Unknown ones are for other servers. */
  scope: z.string().max(1_000).optional(),
});

export interface TokenClaims {
  readonly subject?: string;
  /** The only project the token opens. */
  readonly projectId?: string;
  /** The only configuration the token opens. */
  readonly configId?: string;
  readonly permissions?: readonly Permission[];
}

/** @throws OakError `TOKEN_EXPIRED` or `INVALID_TOKEN`. */
export type VerifyToken = (token: string, now: Date) => Promise<TokenClaims & { readonly expiresAtMs: number }>;

/** Reads and tests the keys once. @throws OakError `CONFIG_INVALID` naming the file. */
export async function createTokenVerifier(config: JwtConfig): Promise<VerifyToken> {
  const options: JWTVerifyOptions = {
    algorithms: config.algorithms,
    requiredClaims: ["exp"],
    clockTolerance: 5,
    ...(config.issuer === undefined ? {} : { issuer: config.issuer }),
    ...(config.audience === undefined ? {} : { audience: config.audience }),
  };
  const verify = await signatureCheck(config);
  return async (token, now) => {
    try {
      const { payload } = await verify(token, { ...options, currentDate: now });
      const { exp, sub, project_id, config_id, scope = "" } = claimsSchema.parse(payload);
      const scopes = scope.split(" ");
      const permissions = PERMISSIONS.filter((permission) => scopes.includes(permission));
      return {
        expiresAtMs: exp * 1000,
        ...(permissions.length === 0 ? {} : { permissions }),
        ...(sub === undefined ? {} : { subject: sub }),
        ...(project_id === undefined ? {} : { projectId: project_id }),
        ...(config_id === undefined ? {} : { configId: config_id }),
      };
    } catch (cause) {
      if (cause instanceof errors.JWTExpired) {
        throw new OakError("The token has expired; get a new one.", { code: "TOKEN_EXPIRED", cause });
      }
      // The log names the failed check. The client does not learn it.
      throw new OakError("The token is not accepted.", { code: "INVALID_TOKEN", cause });
    }
  };
}

export interface TokenRequest extends TokenClaims {
  readonly lifetimeSeconds: number;
}

/**
 * Signs with the configured secret, or with `private_key_file`, in the first configured algorithm.
 * @throws OakError `CONFIG_INVALID` when the configuration has no signing key, or the key cannot be used.
 */
export async function issueToken(config: JwtConfig, request: TokenRequest, now: Date): Promise<string> {
  const [algorithm] = config.algorithms;
  if (algorithm === undefined) throw new OakError("auth.jwt.algorithms is empty.", { code: "CONFIG_INVALID" });
  const issuedAt = Math.floor(now.getTime() / 1000);
  const claims = {
    ...(request.projectId === undefined ? {} : { project_id: request.projectId }),
    ...(request.configId === undefined ? {} : { config_id: request.configId }),
    ...(request.permissions === undefined ? {} : { scope: request.permissions.join(" ") }),
  };
  const token = new SignJWT(claims)
    .setProtectedHeader({ alg: algorithm, typ: "JWT" })
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + request.lifetimeSeconds);
  if (request.subject !== undefined) token.setSubject(request.subject);
  if (config.issuer !== undefined) token.setIssuer(config.issuer);
  if (config.audience !== undefined) token.setAudience(config.audience);
  const key = signingKey(config);
  const source = config.private_key_file ?? config.secret_file ?? "auth.jwt.secret";
  const signed = await token.sign(key).catch((cause: unknown) => {
    throw unusable(source, cause);
  });
  const verify = await createTokenVerifier(config);
  await verify(signed, now).catch((cause: unknown) => {
    const message = `${source}: the server would not accept its tokens: it does not belong to the configured public key.`;
    throw new OakError(message, { code: "CONFIG_INVALID", cause });
  });
  return signed;
}
