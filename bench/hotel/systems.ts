import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { ReceivedRequest } from "../../test/support/tool-server.ts";
import { answerWith } from "../../test/support/web-handler.ts";
import { answerFaulty, FAULTS, PRIVATE, type Fault } from "./faults.ts";
import type { Hotel } from "./hotel.ts";

export const SECRET = "the signing key of the hotel desk";
export const MCP_TOOLS = ["plan_wake_up", "deliver", "bill_of_room"];
const room = z.int().min(1);
const requestSchema = z.looseObject({
  data: z.looseObject({ call_id: z.string(), tool: z.string(), arguments: z.record(z.string(), z.unknown()) }),
});

/** One caller's hotel, and the faults that its tools still have to show. */
export interface Desk {
  readonly hotel: Hotel;
  readonly faults: Map<string, Fault>;
}

/** The web server of all hotels: `/ID/hook` is the webhooks of a hotel, `/ID/mcp` its MCP server. */
export class HotelSystems {
  readonly #desks: ReadonlyMap<string, Desk>;
  readonly #web: Server;
  readonly #elsewhere: Server;
  /** Requests that followed a redirect. */
  strays = 0;

  constructor(desks: ReadonlyMap<string, Desk>) {
    this.#desks = desks;
    this.#elsewhere = createServer((_, response) => {
      this.strays += 1;
      response.end("{}");
    });
    this.#web = createServer((request, response) => {
      void buffer(request).then((bytes) => {
        const { method = "", url: path = "", headers } = request;
        this.#answer(response, {
          method,
          path,
          headers: headers as Record<string, string>,
          bytes,
          body: bytes.toString(),
        });
      });
    });
  }

  async start(): Promise<void> {
    for (const server of [this.#elsewhere, this.#web]) {
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
    }
  }

  get host(): string {
    return hostOf(this.#web);
  }

  close(): void {
    for (const server of [this.#elsewhere, this.#web]) {
      server.closeAllConnections();
      server.close();
    }
  }

  #answer(response: ServerResponse, request: ReceivedRequest): void {
    const [, id = "", kind] = request.path.split("/");
    const desk = this.#desks.get(id);
    if (desk === undefined) return void response.writeHead(404).end();
    if (kind === "mcp") return void answerWith(createMcpHandler(() => mcpServer(desk)).fetch, response, request);
    this.#hook(desk, response, request);
  }

  #hook({ hotel, faults }: Desk, response: ServerResponse, request: ReceivedRequest): void {
    if (!isSigned(request)) return void response.writeHead(401).end();
    const { tool, arguments: args } = requestSchema.parse(JSON.parse(request.body)).data;
    const fault = faults.get(tool);
    faults.delete(tool);
    const result = fault === undefined || FAULTS[fault].isDone ? hotel.run(tool, args) : undefined;
    if (fault !== undefined) return answerFaulty(fault, response, `http://${hostOf(this.#elsewhere)}/`);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(result));
  }
}

const hostOf = (server: Server) => `127.0.0.1:${String((server.address() as AddressInfo).port)}`;

function isSigned({ headers, body }: ReceivedRequest): boolean {
  const signed = `${headers["webhook-id"] ?? ""}.${headers["webhook-timestamp"] ?? ""}.${body}`;
  const own = Buffer.from(`v1,${createHmac("sha256", SECRET).update(signed).digest("base64")}`);
  const given = Buffer.from(headers["webhook-signature"] ?? "");
  return own.length === given.length && timingSafeEqual(own, given);
}

function mcpServer({ hotel, faults }: Desk): McpServer {
  const server = new McpServer({ name: "house", version: "1.0.0" });
  const offer = (name: string, description: string, inputSchema: z.ZodObject) => {
    server.registerTool(name, { description, inputSchema }, async (args) => {
      const fault = faults.get(name);
      faults.delete(name);
      const result = fault === undefined || FAULTS[fault].isDone ? hotel.run(name, args) : undefined;
      if (fault === "hang") await new Promise(() => undefined);
      const answer = fault === undefined ? JSON.stringify(result) : PRIVATE;
      return { content: [{ type: "text", text: answer }], isError: fault !== undefined };
    });
  };
  offer("plan_wake_up", "Plans a wake-up call for a room.", z.object({ room, time: z.string() }));
  offer(
    "deliver",
    "Brings something to a room.",
    z.object({ room, item: z.string(), quantity: z.int().min(1).optional() }),
  );
  offer("bill_of_room", "Tells the bill of a room.", z.object({ room }));
  return server;
}
