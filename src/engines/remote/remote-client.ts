import type { Egress, RequestInit, Response } from "../../egress/egress.ts";
import { connectionFault, statusFault, type RemoteModel } from "./remote-fault.ts";

/** Enough of an error's body to recognise its kind. */
const MAX_ERROR_BYTES = 8_192;

export interface RemoteClientOptions extends RemoteModel {
  /** Without a slash at its end. */
  readonly url: string;
  readonly key: string | undefined;
  readonly egress: Egress;
}

export interface RemoteRequest {
  /** After the url, with a slash at its beginning. */
  readonly path: string;
  /** Sent as JSON. Absent: the method is GET. */
  readonly json?: unknown;
  readonly accept: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Sends requests to one server of a model. */
export class RemoteClient {
  readonly to: RemoteModel;
  readonly #options: RemoteClientOptions;

  constructor(options: RemoteClientOptions) {
    this.to = options;
    this.#options = options;
  }

  /** Resolves with a 2xx. @throws RemoteFault; the signal's reason. */
  async send({ path, json, accept, maxBytes, signal }: RemoteRequest): Promise<Response> {
    const { url, key, egress } = this.#options;
    const headers = {
      accept,
      "user-agent": "oakvoice",
      ...(json === undefined ? {} : { "content-type": "application/json" }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    };
    const init: RequestInit =
      json === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(json) };
    try {
      const answer = await egress.fetch(new URL(url + path), { ...init, signal }, maxBytes);
      if (answer.ok) return answer;
      const body = await beginningOf(answer);
      throw statusFault(this.to, answer.status, answer.headers.get("retry-after"), body);
    } catch (error) {
      signal.throwIfAborted();
      throw connectionFault(this.to, error);
    }
  }

  close(): Promise<void> {
    return this.#options.egress.close();
  }
}

/** Reads no more than is needed. Ends early when the connection breaks. */
async function beginningOf({ body }: Response): Promise<string> {
  if (body === null) return "";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk as Uint8Array);
      bytes += (chunk as Uint8Array).byteLength;
      if (bytes >= MAX_ERROR_BYTES) break;
    }
  } catch {
    // The status alone decides.
  }
  return Buffer.concat(chunks).subarray(0, MAX_ERROR_BYTES).toString();
}
