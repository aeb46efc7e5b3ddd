import { randomUUID } from "node:crypto";
import { createMcpHandler, McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { z } from "zod";
import { ToolServer } from "./tool-server.ts";
import { answerWith, type WebHandler } from "./web-handler.ts";

/** The tools of a hotel, as the official server package offers them. `calls` gets each call that a tool carries out. */
function hotel(calls: string[], tools: readonly string[]): McpServer {
  const server = new McpServer({ name: "hotel", version: "1.0.0" });
  const text = (...parts: string[]) => ({ content: parts.map((part) => ({ type: "text" as const, text: part })) });
  const offer = (name: string, run: (guests: number) => Promise<object> | object) => {
    if (!tools.includes(name)) return;
    const inputSchema = z.object({ guests: z.int().min(1) });
    const description = name === "wordy" ? `${"x".repeat(999)}😀` : `Does ${name}.`;
    server.registerTool(name, { description, inputSchema }, async ({ guests }) => {
      calls.push(`${name} ${String(guests)}`);
      return (await run(guests)) as ReturnType<typeof text>;
    });
  };
  offer("book", (guests) => text(`A table for ${String(guests)}.`, "At the window."));
  offer("table.book", (guests) => text(`A table for ${String(guests)}.`));
  offer("fail", () => ({ ...text("private words"), isError: true }));
  offer("throw", () => Promise.reject(new Error("private words")));
  offer("long", () => text("private words ".repeat(100_000)));
  offer("hang", () => new Promise(() => undefined));
  offer("wordy", () => text("done"));
  offer("image", () => ({ content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] }));
  return server;
}

export interface HotelOptions {
  readonly tools?: readonly string[];
  /** `sessions`: streams and sessions of the 2025 protocol. `requests`: the protocol without sessions. */
  readonly kind?: "sessions" | "requests";
}

/** An MCP server of a test. */
export class HotelMcp {
  readonly calls: string[] = [];
  readonly web: ToolServer;
  #restart: () => void;

  private constructor(web: ToolServer, restart: () => void) {
    this.web = web;
    this.#restart = restart;
  }

  static async start({ tools = ["book"], kind = "requests" }: HotelOptions = {}): Promise<HotelMcp> {
    const calls: string[] = [];
    const make =
      kind === "sessions"
        ? () => withSessions(() => hotel(calls, tools))
        : () => createMcpHandler(() => hotel(calls, tools)).fetch;
    let handler = make();
    const web = await ToolServer.start((response, request) => void answerWith(handler, response, request));
    const started = new HotelMcp(web, () => (handler = make()));
    return Object.assign(started, { calls });
  }

  get url(): string {
    return `${this.web.url}mcp`;
  }

  /** Forgets all sessions, as a server does that was started again. */
  restart(): void {
    this.#restart();
  }

  close(): Promise<void> {
    return this.web.close();
  }
}

function withSessions(make: () => McpServer): WebHandler {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return async (request) => {
    const id = request.headers.get("mcp-session-id");
    const known = id === null ? undefined : sessions.get(id);
    if (known !== undefined) return known.handleRequest(request);
    if (id !== null) return new Response("private words", { status: 404 });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => void sessions.set(session, transport),
      onsessionclosed: (session) => void sessions.delete(session),
    });
    await make().connect(transport);
    return transport.handleRequest(request);
  };
}
