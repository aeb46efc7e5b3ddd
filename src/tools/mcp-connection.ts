import type { ToolRun } from "../conversation/tool-calls/tool.ts";
import { AsyncLocalStorage } from "node:async_hooks";
import type { CallToolResult, Client, FetchLike, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { RequestInit, Response } from "undici";
import { packageVersion } from "../shared/package-root.ts";
import { AbortScope } from "../shared/abort-scope.ts";
import type { Arguments } from "../shared/json-schema/check-arguments.ts";
import type { JsonSchema } from "../shared/json-schema/schema.ts";
import { type Egress, loadHttpClient, MAX_ANSWER_BYTES } from "../egress/egress.ts";

export interface McpAddress {
  readonly url: URL;
  readonly token: string | undefined;
  readonly timeoutSeconds: number;
}

export interface ListedTool {
  readonly description: string;
  readonly parameters: JsonSchema;
  /** The server says that the tool changes nothing, or nothing more when it is called again. */
  readonly mayRepeat: boolean;
  /** It changes nothing. */
  readonly isLookup: boolean;
}

/** A list of tools is longer than the answer of one. */
const MAX_LIST_BYTES = 1_048_576;
const MAX_LIST_PAGES = 8;
const MAX_DESCRIPTION_CHARS = 1_000;
const NOTIFICATION_MS = 10_000;
/** For an answer that the server continues on another request. */
const RECONNECTION = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 5_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 3,
};
/** Results go to the language model as text, so their own schemas are not checked. */
const ANY_SCHEMA = { getValidator: () => (data: unknown) => ({ valid: true, data, errorMessage: undefined }) as never };

/** The call in whose context a request is sent. */
const currentCall = new AsyncLocalStorage<AbortScope>();

/** An open session with an MCP server over streamable HTTP. Between requests no socket is open. */
export class McpConnection {
  readonly tools: ReadonlyMap<string, ListedTool>;
  readonly #client: Client;
  readonly #transport: StreamableHTTPClientTransport;

  private constructor(client: Client, transport: StreamableHTTPClientTransport, tools: Map<string, ListedTool>) {
    this.#client = client;
    this.#transport = transport;
    this.tools = tools;
  }

  /** Connects and lists the tools. */
  static async open({ url, token, timeoutSeconds }: McpAddress, egress: Egress, signal: AbortSignal) {
    // Most servers use no MCP, and the package takes memory.
    const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
    const timeout = timeoutSeconds * 1000;
    const transport = new StreamableHTTPClientTransport(url, {
      fetch: fetchThrough(egress),
      requestInit: token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
      reconnectionOptions: RECONNECTION,
    });
    const client = new Client(
      { name: "oakvoice", version: packageVersion() },
      { versionNegotiation: { mode: "auto" }, listMaxPages: MAX_LIST_PAGES, jsonSchemaValidator: ANY_SCHEMA },
    );
    using scope = new AbortScope(signal);
    try {
      return await currentCall.run(scope, async () => {
        await client.connect(transport, { signal: scope.signal, timeout });
        const { tools } = await client.listTools(undefined, { signal: scope.signal, timeout });
        const listed = tools.map(({ name, description = "", inputSchema, annotations }): [string, ListedTool] => {
          const isLookup = annotations?.readOnlyHint === true;
          const mayRepeat = isLookup || annotations?.idempotentHint === true;
          return [
            name,
            {
              description: description.slice(0, MAX_DESCRIPTION_CHARS).toWellFormed(),
              parameters: inputSchema,
              mayRepeat,
              isLookup,
            },
          ];
        });
        return new McpConnection(client, transport, new Map(listed));
      });
    } catch (error) {
      await client.close();
      throw scope.signal.aborted ? scope.signal.reason : error;
    } finally {
      scope.abort();
    }
  }

  /** @throws The errors of the MCP client and of `Egress.fetch`. */
  async call(
    name: string,
    args: Arguments,
    { callId, traceparent }: Pick<ToolRun, "callId" | "traceparent">,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    using scope = new AbortScope(signal);
    const params = {
      name,
      arguments: { ...args },
      _meta: { "oakvoice/call_id": callId, ...(traceparent && { traceparent }) },
    };
    try {
      // The time limit is the signal's. The client's own one must not come first.
      return await currentCall.run(scope, () =>
        this.#client.callTool(params, { signal: scope.signal, timeout: 90_000 }),
      );
    } catch (error) {
      // The reason is a broken stream, or the caller's.
      throw scope.signal.aborted ? scope.signal.reason : error;
    } finally {
      scope.abort();
    }
  }

  /** Ends the session at the server if it answers in time. */
  async close(signal: AbortSignal): Promise<void> {
    using scope = new AbortScope(signal);
    try {
      await currentCall.run(scope, () => this.#transport.terminateSession());
    } catch {
      // The server ends a forgotten session by itself.
    } finally {
      await this.#client.close();
    }
  }
}

/** `fetch` for the MCP client: through the egress, with limits of size and time. */
function fetchThrough(egress: Egress): FetchLike {
  const send = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { Headers, Response } = await loadHttpClient();
    const call = currentCall.getStore();
    const isPost = typeof init.body === "string";
    const { method, id } = isPost ? (JSON.parse(init.body as string) as { method?: string; id?: unknown }) : {};
    // A stream for messages that nothing waits for would keep a socket open.
    if (!isPost && init.method === "GET" && !new Headers(init.headers).has("last-event-id"))
      return new Response(null, { status: 405 });
    const limit = method === "tools/list" ? MAX_LIST_BYTES : MAX_ANSWER_BYTES;
    // A notification has no answer. That of a cancellation outlives its call.
    if (call === undefined || (isPost && id === undefined))
      return egress.fetch(new URL(url), { ...init, signal: AbortSignal.timeout(NOTIFICATION_MS) }, limit);
    const answer = await egress.fetch(new URL(url), { ...init, signal: call.signal }, limit);
    const { status, headers, body } = answer;
    // The client keeps waiting when a stream breaks, so the break ends the call.
    return body === null
      ? answer
      : new Response(
          watched(body, (error) => call.abort(error)),
          { status, headers },
        );
  };
  return send as unknown as FetchLike;
}

function watched(body: ReadableStream<Uint8Array>, onBreak: (error: unknown) => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        onBreak(error);
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
