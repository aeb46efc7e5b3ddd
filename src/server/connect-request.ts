import { OakError } from "../shared/errors.ts";

const PATH = /^\/ws\/voice\/([^/]+)$/;
const CONNECTION_ID = /^[A-Za-z0-9._~-]{1,128}$/;
const PARAMETERS = ["api_key", "config_id", "project_id", "authorization"];

/** The address of a WebSocket handshake, taken apart. */
export interface ConnectTarget {
  /** As it stands in the path, still percent-encoded. */
  readonly rawConnectionId: string;
  readonly query: URLSearchParams;
}

export interface ConnectRequest {
  readonly connectionId: string;
  readonly configId: string;
  readonly projectId: string | undefined;
}

/** Undefined when the path is not the endpoint's. */
export function parseTarget(url: string | undefined): ConnectTarget | undefined {
  const [path = "", ...query] = (url ?? "").split("?");
  const rawConnectionId = PATH.exec(path)?.[1];
  return rawConnectionId === undefined ? undefined : { rawConnectionId, query: new URLSearchParams(query.join("?")) };
}

/** @throws OakError `INVALID_CONNECT_REQUEST`. */
export function parseConnectRequest({ rawConnectionId, query }: ConnectTarget): ConnectRequest {
  const connectionId = decode(rawConnectionId);
  if (!CONNECTION_ID.test(connectionId)) {
    throw invalid("connection_id must be 1 to 128 of A-Z a-z 0-9 . _ ~ -; a UUID v4 is recommended.");
  }
  for (const name of PARAMETERS) {
    // A proxy in front may look at one of two and this server at the other.
    if (query.getAll(name).length > 1) throw invalid(`${name} is given more than once.`);
  }
  const configId = query.get("config_id");
  if (configId === null || configId === "") throw invalid("config_id is missing from the query.");
  const projectId = query.get("project_id");
  return { connectionId, configId, projectId: projectId === null || projectId === "" ? undefined : projectId };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Left as it is, the `%` makes the id invalid.
    return text;
  }
}

const invalid = (message: string) => new OakError(message, { code: "INVALID_CONNECT_REQUEST" });
