import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as bodyOf } from "node:stream/consumers";
import type { ReadSpan, TraceBackend } from "./explained-turn.ts";

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly { readonly name: string; readonly startTimeUnixNano: string; readonly endTimeUnixNano: string }[]; // prettier-ignore
    }[];
  }[];
}

/** A receiver of OTLP in this process. */
export async function ownBackend(): Promise<TraceBackend & { close(): Promise<void> }> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      bodies.push(body);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const ms = (nanoseconds: string) => Number(BigInt(nanoseconds) / 1000n) / 1000;
  return {
    host,
    settings: `endpoint: "http://${host}"`,
    spans: async () =>
      bodies
        .flatMap((body) => (JSON.parse(body) as OtlpBody).resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
        .map((span) => ({ name: span.name, startMs: ms(span.startTimeUnixNano), endMs: ms(span.endTimeUnixNano) })),
    close: async () => {
      server.close();
      await once(server, "close");
    },
  };
}

interface PhoenixSpan {
  readonly name: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly context: { readonly trace_id: string };
}

/** Arize Phoenix, which stores traces in SQLite: `pip install arize-phoenix && phoenix serve`. @param url Such as `http://127.0.0.1:6006`. */
export function phoenixBackend(url: URL): TraceBackend {
  return {
    host: url.host,
    settings: `endpoint: "${url.origin}", protocol: http/protobuf`,
    async spans() {
      // It stores what it received a moment later.
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      const answered = await fetch(new URL("/v1/projects/default/spans?limit=500", url));
      const { data } = (await answered.json()) as { data: readonly PhoenixSpan[] };
      const newest = data.toSorted((one, other) => other.end_time.localeCompare(one.end_time))[0]?.context.trace_id;
      return data
        .filter(({ context }) => context.trace_id === newest)
        .map((span): ReadSpan => ({ name: span.name, startMs: timeOf(span.start_time), endMs: timeOf(span.end_time) }));
    },
  };
}

/** With the microseconds, which `Date` drops. */
function timeOf(text: string): number {
  const [, micros = "0"] = /\.\d{3}(\d{3})/u.exec(text) ?? [];
  return Date.parse(text) + Number(micros) / 1000;
}
