import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { authorize, type Authenticator } from "../../../auth/authenticate.ts";
import type { ClientSecrets } from "../../../auth/client-secrets.ts";
import { unknownConfiguration } from "../../../auth/offered-configurations.ts";
import type { VoiceConfiguration } from "../../../config/voice-configuration.ts";
import { deepMerge } from "../../../shared/deep-merge.ts";
import { answerJson, bodyText } from "../../../shared/json-http.ts";
import { errorCode, errorMessage, OakError } from "../../../shared/errors.ts";
import { firstError } from "../../../shared/schema/field-errors.ts";
import { hasTooManyParts, isTooDeep } from "../../nesting.ts";
import { errorOf } from "../server/errors.ts";
import { isForeignModel } from "./foreign-model.ts";
import { newId } from "../items/ids.ts";
import { initialSession, sessionPatchSchema, updateSession } from "../session/session-config.ts";
import { listUnknown, unknownFields } from "../client/unknown-fields.ts";
import { baseSettings, decodeSession, encodeSession } from "../session/session-settings.ts";

const PATH = "/v1/realtime/client_secrets";
/** OpenAI's limits and default. */
const SHORTEST_S = 10;
const LONGEST_S = 7_200;
const DEFAULT_S = 600;

const bodySchema = z.object({
  session: z.exactOptional(sessionPatchSchema),
  expires_after: z.exactOptional(
    z.object({
      anchor: z.exactOptional(z.literal("created_at")),
      seconds: z.int().min(SHORTEST_S).max(LONGEST_S).default(DEFAULT_S),
    }),
  ),
});

const STATUS: Readonly<Record<string, number>> = {
  MISSING_CREDENTIALS: 401,
  INVALID_API_KEY: 401,
  INVALID_TOKEN: 401,
  TOKEN_EXPIRED: 401,
  CONFIG_NOT_ALLOWED: 403,
  CONFIG_NOT_FOUND: 404,
  INVALID_MESSAGE: 400,
  TOO_MANY_SECRETS: 429,
};

export interface ClientSecretsOptions {
  readonly auth: Authenticator;
  readonly secrets: ClientSecrets;
  readonly voices: {
    get(configId: string): VoiceConfiguration | undefined | Promise<VoiceConfiguration | undefined>;
    list(): readonly VoiceConfiguration[];
  };
}

/** True for the request that makes a client secret, the only one with a body. */
export const isClientSecretsRequest = ({ method, url }: IncomingMessage): boolean =>
  method === "POST" && url?.split("?", 1)[0] === PATH;

/**
 * `POST /v1/realtime/client_secrets`: a server with a key gets a short-lived key for a browser or an app. It opens one
 * configuration and begins with the given session.
 */
export function clientSecretsEndpoint(options: ClientSecretsOptions) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (!isClientSecretsRequest(request)) return false;
    void answer(options, request, response);
    return true;
  };
}

async function answer(options: ClientSecretsOptions, request: IncomingMessage, response: ServerResponse) {
  const reply = (status: number, body: object) => answerJson(response, status, body);
  try {
    reply(200, await mint(options, request.headers.authorization, await bodyText(request)));
  } catch (error) {
    const code = errorCode(error);
    const status = STATUS[code];
    if (status === undefined) reply(500, errorOf("INTERNAL_ERROR", "The request could not be answered; try again."));
    else reply(status, errorOf(code, errorMessage(error)));
  }
}

async function mint({ auth, secrets, voices }: ClientSecretsOptions, header: string | undefined, text: string) {
  // Credentials are checked first, so that a client without them cannot learn which configurations exist.
  const owner = await auth.authenticate({ query: new URLSearchParams(), header });
  if (owner.preset !== undefined)
    throw new OakError("A client secret cannot make another one.", { code: "INVALID_API_KEY" });
  secrets.admit(owner);
  const { session = {}, expires_after = { seconds: DEFAULT_S } } = parse(text);
  const wanted = session.model ?? owner.configId ?? "default";
  const voice =
    (await voices.get(wanted)) ?? (isForeignModel(wanted) ? await voices.get(owner.configId ?? "default") : undefined);
  if (voice === undefined) throw unknownConfiguration(wanted, owner, voices.list());
  authorize(owner, voice, undefined);
  const identity = { ...owner, permissions: [], configId: voice.config_id, preset: session };
  const { value, expiresAtMs } = await secrets.mint(identity, expires_after.seconds * 1000);
  const config = updateSession(initialSession(voice), session);
  const base = baseSettings(voice);
  const settings = deepMerge(base, decodeSession(config, base));
  return {
    value,
    expires_at: Math.floor(expiresAtMs / 1000),
    session: encodeSession(config, settings, { id: newId("sess"), model: voice.config_id }),
  };
}

function parse(text: string) {
  if (hasTooManyParts(text)) throw new OakError("The body has too many parts.", { code: "INVALID_MESSAGE" });
  let value: unknown;
  try {
    value = text === "" ? {} : JSON.parse(text);
  } catch {
    throw new OakError("The body must be JSON.", { code: "INVALID_MESSAGE" });
  }
  if (isTooDeep(value)) throw new OakError("The body is nested too deeply.", { code: "INVALID_MESSAGE" });
  const parsed = bodySchema.safeParse(value);
  if (!parsed.success) throw new OakError(firstError(parsed.error).message, { code: "INVALID_MESSAGE" });
  const unknown = unknownFields(value, parsed.data);
  // The client that will use the secret does not read this answer.
  if (unknown.length > 0) throw new OakError(`Unknown fields: ${listUnknown(unknown)}.`, { code: "INVALID_MESSAGE" });
  return parsed.data;
}
