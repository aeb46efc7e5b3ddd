import { loadHttpClient, type Egress, type RequestInit, type Response } from "../../egress/egress.ts";
import { wellFormed } from "../../shared/well-formed.ts";
import type { Deadline } from "./deadline.ts";
import { connectionFault, RemoteFault, statusFault, type RemoteModel } from "./remote-fault.ts";

/** Limit of the list of models. */
const MAX_LIST_BYTES = 1_048_576;
/** Enough of an error's body to recognise its kind. */
const MAX_ERROR_BYTES = 8_192;
/** The status alone decides after that. */
const ERROR_BODY_MS = 1_000;

export interface RemoteClientOptions extends RemoteModel {
  /** Without a slash at its end. */
  readonly url: string;
  readonly key: string | undefined;
  readonly egress: Egress;
}

export interface RemoteRequest {
  /** After the url, with a slash at its beginning. */
  readonly path: string;
  /** Sent as JSON. Without it and `form` the method is GET. */
  readonly json?: unknown;
  /** Sent as multipart/form-data: names and values. */
  readonly form?: readonly (readonly [string, string | File])[];
  readonly accept: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

interface WholeAnswer {
  readonly body: Buffer;
  readonly type: string;
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
  async send(request: RemoteRequest): Promise<Response> {
    const { path, accept, maxBytes, signal } = request;
    const { url, key, egress } = this.#options;
    const { headers = {}, ...content } = await contentOf(request);
    const init = {
      ...content,
      headers: {
        ...headers,
        accept,
        "user-agent": "oakvoice",
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
    };
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

  /** The whole answer. `type`: its media type in lower case; empty when the server does not say it. @throws RemoteFault; the reason of the deadline's signal. */
  async read(request: Omit<RemoteRequest, "signal">, deadline: Deadline): Promise<WholeAnswer> {
    const { signal } = deadline;
    const answer = await deadline.wait(this.send({ ...request, signal }));
    try {
      const body = Buffer.from(await deadline.wait(answer.arrayBuffer()));
      const [type = ""] = (answer.headers.get("content-type") ?? "").toLowerCase().split(/[;\s]/u);
      return { body, type };
    } catch (error) {
      throw signal.aborted ? error : connectionFault(this.to, error);
    }
  }

  /** Resolves when the server answers at all, which need not have a list of models. @throws RemoteFault; the reason of the deadline's signal. */
  async reach(deadline: Deadline): Promise<void> {
    try {
      await this.read({ path: "/models", accept: "application/json", maxBytes: MAX_LIST_BYTES }, deadline);
    } catch (error) {
      if (!(error instanceof RemoteFault) || error.retryable) throw error;
    }
  }

  close(): Promise<void> {
    return this.#options.egress.close();
  }
}

type Content = Pick<RequestInit, "method" | "body"> & { readonly headers?: Readonly<Record<string, string>> };

async function contentOf({ json, form }: RemoteRequest): Promise<Content> {
  if (json !== undefined)
    return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(json, wellFormed) };
  if (form === undefined) return {};
  const { FormData } = await loadHttpClient();
  const body = new FormData();
  for (const [name, value] of form) body.append(name, value);
  return { method: "POST", body };
}

/** Reads no more than is needed. Ends early when the connection breaks, or when the rest does not come. */
async function beginningOf({ body }: Response): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  const timer = setTimeout(() => void reader.cancel(), ERROR_BODY_MS);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || bytes >= MAX_ERROR_BYTES) break;
      chunks.push(value);
      bytes += value.byteLength;
    }
  } catch {
    // The status alone decides.
  } finally {
    clearTimeout(timer);
    await reader.cancel().catch(() => undefined);
  }
  return Buffer.concat(chunks).subarray(0, MAX_ERROR_BYTES).toString();
}
