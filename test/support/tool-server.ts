import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { makeCertificate } from "./certificate.ts";

export interface ReceivedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The same body. */
  readonly bytes: Buffer;
}

export type Answer = (response: ServerResponse, request: ReceivedRequest) => void;

/** A web server of a test. Answers each request with the next of its answers, and then always with the last one. */
export class ToolServer {
  readonly requests: ReceivedRequest[] = [];
  readonly #server: Server;
  readonly #ca: string | undefined;
  #port = 0;

  private constructor(server: Server, ca: string | undefined) {
    this.#server = server;
    this.#ca = ca;
  }

  static async start(...answers: readonly Answer[]): Promise<ToolServer> {
    return await ToolServer.#listen((listener) => createServer(listener), undefined, answers);
  }

  static async startSecure(...answers: readonly Answer[]): Promise<ToolServer> {
    const { cert_file, key_file } = makeCertificate();
    const [cert, key] = [readFileSync(cert_file, "utf8"), readFileSync(key_file)];
    return await ToolServer.#listen((listener) => createSecureServer({ cert, key }, listener), cert, answers);
  }

  /** Listens again, on the same port. */
  async reopen(): Promise<void> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  static async #listen(
    create: (listener: RequestListener) => Server,
    ca: string | undefined,
    answers: readonly Answer[],
  ) {
    const server = create((request, response) => void respond(request, response));
    const started = new ToolServer(server, ca);
    const respond = async (request: IncomingMessage, response: ServerResponse) => {
      const bytes = await buffer(request);
      const received = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers as Record<string, string>,
        body: bytes.toString(),
        bytes,
      };
      started.requests.push(received);
      answers[Math.min(started.requests.length, answers.length) - 1]?.(response, received);
    };
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    started.#port = (server.address() as AddressInfo).port;
    return started;
  }

  get port(): number {
    return this.#port;
  }

  /** `127.0.0.1` with the port. */
  get host(): string {
    return `127.0.0.1:${String(this.port)}`;
  }

  get url(): string {
    return `http${this.#ca === undefined ? "" : "s"}://${this.host}/`;
  }

  /** The authority of its certificate, in PEM. */
  get ca(): string {
    return this.#ca ?? "";
  }

  openSockets(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
    });
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}

/** Answers with a body. */
export const answer =
  (
    body: string | Buffer,
    headers: Readonly<Record<string, string>> = { "content-type": "application/json" },
    status = 200,
  ): Answer =>
  (response) =>
    void response.writeHead(status, headers).end(body);
