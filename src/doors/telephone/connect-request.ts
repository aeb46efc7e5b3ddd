import { randomUUID } from "node:crypto";
import type { Credentials } from "../../auth/authenticate.ts";
import { OakError } from "../../shared/errors.ts";
import type { ConnectRequest, Handshake } from "../door.ts";
import type { CallProtocol } from "./call-protocol.ts";

/** Names in the query that are not variables of the call. */
const PARAMETERS = ["api_key", "config_id", "project_id", "authorization"];
const DEFAULT_CONFIGURATION = "default";
const API_KEY = /^oak_/;

/** @throws OakError `INVALID_CONNECT_REQUEST`. */
export function telephoneRequest({ url, headers }: Handshake, protocol: CallProtocol): ConnectRequest {
  const query = queryOf(url);
  for (const name of PARAMETERS) {
    // A proxy in front may read one of two values and this server the other.
    if (query.getAll(name).length > 1)
      throw new OakError(`${name} is given more than once.`, { code: "INVALID_CONNECT_REQUEST" });
  }
  const { configId, apiKey } = protocol.pathParameters(url);
  if (apiKey !== undefined && !query.has("api_key")) query.set("api_key", apiKey);
  return {
    // A telephone system names its connection, and every call of the connection has the same name.
    connectionId: randomUUID(),
    configId: configId || query.get("config_id") || DEFAULT_CONFIGURATION,
    projectId: query.get("project_id") || undefined,
    credentials: credentialsOf(query, headers.authorization),
  };
}

/** Variables of the call that stand in the query. */
export function queryVariables(url: string): Record<string, string> {
  return Object.fromEntries([...queryOf(url)].filter(([name]) => !PARAMETERS.includes(name)));
}

export const pathOf = (url: string): string => url.split("?", 1)[0] ?? "";

const queryOf = (url: string): URLSearchParams => new URLSearchParams(url.slice(pathOf(url).length));

/** Basic authentication: the password is an API key or a token, the user is not used. */
function credentialsOf(query: URLSearchParams, header: string | undefined): Credentials {
  const basic = /^Basic +(\S+)$/i.exec(header ?? "")?.[1];
  if (basic === undefined) return { query, header };
  const login = Buffer.from(basic, "base64").toString();
  const password = login.slice(login.indexOf(":") + 1);
  if (!API_KEY.test(password)) return { query, header: `Bearer ${password}` };
  const withKey = new URLSearchParams(query);
  if (!withKey.has("api_key")) withKey.set("api_key", password);
  return { query: withKey, header: undefined };
}
