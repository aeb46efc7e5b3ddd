import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import { OakError } from "../shared/errors.ts";
import { KEY_PREFIX, type ApiKeys } from "./api-keys.ts";
import type { KeyLimits, Permission } from "./key-file.ts";
import type { VerifyToken } from "./jwt.ts";

export const CLIENT_SECRET_PREFIX = "ek_";

/** The owner of a connection, and what the connection may open. */
export interface Identity {
  readonly method: "api_key" | "jwt";
  /** The key's id, or the token's subject. */
  readonly id: string | undefined;
  readonly projectId: string | undefined;
  readonly configId: string | undefined;
  readonly limits?: KeyLimits | undefined;
  readonly permissions?: readonly Permission[];
  /** When the token ends: a client secret made with it ends no later. Undefined for a key. */
  readonly expiresAtMs?: number;
  /** The first session settings of a client secret, in the form of the door that made it. */
  readonly preset?: unknown;
}

export interface Credentials {
  readonly query: URLSearchParams;
  /** The Authorization header. */
  readonly header: string | undefined;
}

export interface Authenticator {
  /** @throws OakError `MISSING_CREDENTIALS`, `INVALID_API_KEY`, `INVALID_TOKEN` or `TOKEN_EXPIRED`. */
  authenticate(credentials: Credentials): Promise<Identity>;
  /** False when the connection's key has been revoked. A token stays valid for its whole connection. */
  isStillValid(identity: Identity): boolean;
}

export interface AuthParts {
  readonly keys: ApiKeys;
  /** Undefined: tokens are refused. */
  readonly verifyToken: VerifyToken | undefined;
  /** Undefined: client secrets are unknown. */
  readonly secrets?: { find(value: string): Promise<Identity> };
}

/**
 * Looks for credentials in `api_key`, then the Authorization header, then `authorization` in the query. The first one decides. A bearer token
 * that begins like an API key or a client secret is one.
 */
export function createAuthenticator({ keys, verifyToken, secrets }: AuthParts): Authenticator {
  const keyOf = ({ id }: Identity) => (id === undefined ? undefined : keys.withId(id));
  const isStillValid = (identity: Identity) => identity.method === "jwt" || keyOf(identity) !== undefined;
  return {
    isStillValid,
    async authenticate({ query, header }) {
      const token = bearerToken(header) ?? bearerToken(query.get("authorization") ?? undefined);
      if (secrets !== undefined && token?.startsWith(CLIENT_SECRET_PREFIX) === true) {
        const identity = await secrets.find(token);
        // The secret may be older than the key's present limits.
        if (isStillValid(identity)) return { ...identity, limits: keyOf(identity)?.limits };
        throw new OakError("The API key of this client secret was revoked.", { code: "INVALID_API_KEY" });
      }
      const apiKey = query.get("api_key") ?? (token?.startsWith(KEY_PREFIX) === true ? token : null);
      if (apiKey !== null) {
        const record = keys.find(apiKey);
        if (record === undefined)
          throw new OakError("The API key is not known, or was revoked.", { code: "INVALID_API_KEY" });
        const { id, project_id, limits, permissions } = record;
        const granted = permissions === undefined ? {} : { permissions };
        return { method: "api_key", id, projectId: project_id ?? undefined, configId: undefined, limits, ...granted };
      }
      if (token === undefined) {
        throw new OakError(
          "Send api_key in the query, or a bearer token in the Authorization header or in authorization in the query.",
          {
            code: "MISSING_CREDENTIALS",
          },
        );
      }
      if (verifyToken === undefined)
        throw new OakError("This server accepts no tokens, only API keys.", { code: "INVALID_TOKEN" });
      const { subject, projectId, configId, ...granted } = await verifyToken(token, new Date());
      return { method: "jwt", id: subject, projectId, configId, ...granted };
    },
  };
}

/** Ignores headers of other schemes, which a proxy may add. */
const bearerToken = (value: string | undefined) => /^Bearer +(\S+)$/i.exec(value ?? "")?.[1];

/** Whether the credentials open this configuration. */
export const mayOpen = ({ configId, projectId }: Identity, voice: VoiceConfiguration): boolean =>
  (configId === undefined || configId === voice.config_id) &&
  (projectId === undefined || projectId === voice.project_id);

/**
 * Whether the identity may open this configuration in this project.
 * @param projectId The client's own, if it sent one.
 * @throws OakError `CONFIG_NOT_ALLOWED` or `PROJECT_MISMATCH`.
 */
export function authorize(identity: Identity, voice: VoiceConfiguration, projectId: string | undefined): void {
  if (identity.configId !== undefined && identity.configId !== voice.config_id) {
    throw new OakError("The token is for another config_id.", { code: "CONFIG_NOT_ALLOWED" });
  }
  if (identity.projectId !== undefined && identity.projectId !== voice.project_id) {
    throw new OakError("The credentials are for another project than this config_id.", { code: "CONFIG_NOT_ALLOWED" });
  }
  if (projectId !== undefined && projectId !== voice.project_id) {
    throw new OakError("project_id does not match this config_id; leave it out, or correct it.", {
      code: "PROJECT_MISMATCH",
    });
  }
}
