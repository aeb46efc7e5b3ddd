import type { IncomingMessage, ServerResponse } from "node:http";
import { isLoopback } from "../../shared/loopback.ts";
import { TokenBucket } from "../../shared/token-bucket.ts";
import { answerWithFile, type PageFile } from "./page-files.ts";

/** Reading all metrics takes a few milliseconds of the event loop. */
const SCRAPES_PER_SECOND = 25;

export interface HttpEndpointsOptions {
  /** Why no call can be taken now; undefined when one can. */
  readonly notReady: () => string | undefined;
  /** Further lines of `/readyz`, such as `weight: 63`. */
  readonly details?: () => readonly string[];
  readonly metrics: { contentType: string; metrics(): Promise<string> };
  /** Shows metrics to every client of the port, not only to this machine. */
  readonly metricsPublic: boolean;
  /** Files by path: those of the page, and the schemas for editors. */
  readonly files?: ReadonlyMap<string, PageFile>;
}

/** `/healthz`: the event loop turns. `/readyz`: a call would be taken. `/metrics`: Prometheus. `/`: the playground. True when the request was one of them. */
export function httpEndpoints(options: HttpEndpointsOptions) {
  const scrapes = new TokenBucket(2 * SCRAPES_PER_SECOND, SCRAPES_PER_SECOND, performance.now());
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const path = request.url?.split("?")[0] ?? "";
    if (request.method !== "GET" && request.method !== "HEAD") return false;
    switch (path) {
      case "/healthz":
        answer(response, 200, "ok\n");
        return true;
      case "/readyz": {
        const reason = options.notReady();
        const lines = [reason ?? "ready", ...(options.details?.() ?? []), ""];
        answer(response, reason === undefined ? 200 : 503, lines.join("\n"));
        return true;
      }
      case "/metrics":
        if (!options.metricsPublic && !isFromHere(request)) return false;
        if (!scrapes.take(1, performance.now())) {
          answer(response, 429, "too many requests for metrics\n");
          return true;
        }
        options.metrics.metrics().then(
          (text) => answer(response, 200, text, options.metrics.contentType),
          () => answer(response, 500, "the metrics could not be read\n"),
        );
        return true;
      default: {
        const file = options.files?.get(path);
        if (file === undefined) return false;
        answerWithFile(file, request, response);
        return true;
      }
    }
  };
}

/** Headers that show that a proxy forwarded the request. */
const PROXY_HEADERS = ["forwarded", "via", "x-real-ip", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"];

/**
 * True for a request from this machine that no proxy passed on. Its `Host` must name this machine too: a web page can make
 * its own host name resolve to 127.0.0.1 (DNS rebinding), and then read the answers.
 */
function isFromHere({ socket, headers }: IncomingMessage): boolean {
  const address = (socket.remoteAddress ?? "").replace(/^::ffff:/u, "");
  const host = headers.host
    ?.replace(/:\d*$/u, "")
    .replace(/^\[(.*)\]$/u, "$1")
    .toLowerCase();
  const isNamedHere = host === undefined || isLoopback(host);
  return isLoopback(address) && isNamedHere && PROXY_HEADERS.every((name) => headers[name] === undefined);
}

function answer(response: ServerResponse, status: number, text: string, type = "text/plain; charset=utf-8"): void {
  response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(text);
}
