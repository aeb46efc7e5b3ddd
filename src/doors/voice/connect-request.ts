import { OakError } from "../../shared/errors.ts";
import type { ConnectRequest, Handshake, ResumeRequest } from "../door.ts";

const PATH = /^\/ws\/voice\/([^/]+)$/;
const CONNECTION_ID = /^[A-Za-z0-9._~-]{1,128}$/;
const PARAMETERS = ["api_key", "config_id", "project_id", "authorization", "resume_token", "resume_received"];
const COUNT = /^\d{1,9}$/;

export const isVoicePath = (url: string): boolean => PATH.test(parse(url).path);

/** @throws OakError `INVALID_CONNECT_REQUEST`. */
export function parseConnectRequest({ url, headers }: Handshake): ConnectRequest {
  const { path, query } = parse(url);
  const connectionId = decode(PATH.exec(path)?.[1] ?? "");
  if (!CONNECTION_ID.test(connectionId)) {
    throw invalid("connection_id must be 1 to 128 of A-Z a-z 0-9 . _ ~ -; a UUID v4 is recommended.");
  }
  for (const name of PARAMETERS) {
    // A proxy in front may read one of two values and this server the other.
    if (query.getAll(name).length > 1) throw invalid(`${name} is given more than once.`);
  }
  const configId = query.get("config_id");
  if (configId === null || configId === "") throw invalid("config_id is missing from the query.");
  return {
    connectionId,
    configId,
    projectId: query.get("project_id") || undefined,
    credentials: { query, header: headers.authorization },
    resume: resumeRequest(query),
  };
}

function resumeRequest(query: URLSearchParams): ResumeRequest | undefined {
  const token = query.get("resume_token") ?? "";
  const received = query.get("resume_received") ?? "";
  if (received !== "" && !COUNT.test(received))
    throw invalid("resume_received must be the number of tts_chunk messages that the lost connection brought.");
  return token === "" ? undefined : { token, pieces: received === "" ? undefined : Number(received) };
}

function parse(url: string): { readonly path: string; readonly query: URLSearchParams } {
  const [path = "", ...query] = url.split("?");
  return { path, query: new URLSearchParams(query.join("?")) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The `%` that stays in the text makes the id invalid.
    return text;
  }
}

const invalid = (message: string) => new OakError(message, { code: "INVALID_CONNECT_REQUEST" });
