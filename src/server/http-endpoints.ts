import type { IncomingMessage, ServerResponse } from "node:http";
import { isLoopback } from "../config/loopback.ts";
import { answerWithFile, type PageFile } from "./page-files.ts";

export interface HttpEndpointsOptions {
  /** Why no call can be taken now; undefined when one can. */
  readonly notReady: () => string | undefined;
  readonly metrics: { contentType: string; metrics(): Promise<string> };
  /** Metrics for everybody who reaches the port, not for this machine alone. */
  readonly metricsPublic: boolean;
  /** The playground, by path; absent: there is none. */
  readonly page?: ReadonlyMap<string, PageFile> | undefined;
}

/** `/healthz`: the event loop turns. `/readyz`: a call would be taken. `/metrics`: Prometheus. `/`: the playground. True when the request was one of them. */
export function httpEndpoints(options: HttpEndpointsOptions) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const path = request.url?.split("?")[0] ?? "";
    if (request.method !== "GET" && request.method !== "HEAD") return false;
    switch (path) {
      case "/healthz":
        answer(response, 200, "ok\n");
        return true;
      case "/readyz": {
        const reason = options.notReady();
        answer(response, reason === undefined ? 200 : 503, `${reason ?? "ready"}\n`);
        return true;
      }
      case "/metrics":
        if (!options.metricsPublic && !isFromHere(request)) return false;
        options.metrics.metrics().then(
          (text) => answer(response, 200, text, options.metrics.contentType),
          () => answer(response, 500, "the metrics could not be read\n"),
        );
        return true;
      default: {
        const file = options.page?.get(path);
        if (file === undefined) return false;
        answerWithFile(file, request, response);
        return true;
      }
    }
  };
}

/** Any of these says that a proxy passed the request on. */
const PROXY_HEADERS = ["forwarded", "via", "x-real-ip", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"];

/** A proxy on this machine speaks for others. */
function isFromHere({ socket, headers }: IncomingMessage): boolean {
  const address = (socket.remoteAddress ?? "").replace(/^::ffff:/u, "");
  return isLoopback(address) && PROXY_HEADERS.every((name) => headers[name] === undefined);
}

function answer(response: ServerResponse, status: number, text: string, type = "text/plain; charset=utf-8"): void {
  response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(text);
}
