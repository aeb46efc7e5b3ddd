import { randomUUID } from "node:crypto";
import { OakError } from "../../shared/errors.ts";
import type { ConnectRequest, Handshake } from "../door.ts";
import type { CallProtocol } from "./call-protocol.ts";

/** Names in the query that are not variables of the call. */
const PARAMETERS = ["api_key", "config_id", "project_id", "authorization", "connection_id"];
const CONNECTION_ID = /^[A-Za-z0-9._~-]{1,128}$/u;
const DEFAULT_CONFIGURATION = "default";

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
  // Asterisk's own id of a connection is the same for all its calls.
  const connectionId = query.get("connection_id") ?? randomUUID();
  if (!CONNECTION_ID.test(connectionId))
    throw new OakError("connection_id must be 1 to 128 of A-Z a-z 0-9 . _ ~ -.", { code: "INVALID_CONNECT_REQUEST" });
  return {
    connectionId,
    configId: configId || query.get("config_id") || DEFAULT_CONFIGURATION,
    projectId: query.get("project_id") || undefined,
    credentials: { query, header: bearerOf(headers.authorization) },
  };
}

/** Variables of the call that stand in the query. */
export function queryVariables(url: string): Record<string, string> {
  return Object.fromEntries([...queryOf(url)].filter(([name]) => !PARAMETERS.includes(name)));
}

export const pathOf = (url: string): string => url.split("?", 1)[0] ?? "";

const queryOf = (url: string): URLSearchParams => new URLSearchParams(url.slice(pathOf(url).length));

/** Basic authentication: the password is an API key or a token, the user is not used. */
function bearerOf(header: string | undefined): string | undefined {
  const basic = /^Basic +(\S+)$/i.exec(header ?? "")?.[1];
  if (basic === undefined) return header;
  const login = Buffer.from(basic, "base64").toString();
  return `Bearer ${login.slice(login.indexOf(":") + 1)}`;
}
