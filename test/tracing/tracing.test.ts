import { afterEach, expect, test } from "vitest";
import { serverConfigSchema } from "../../src/config/server-config-schema.ts";
import { silentLog } from "../../src/shared/log.ts";
import { openTracing } from "../../src/tracing/tracing.ts";
import { answer, ToolServer } from "../support/tool-server.ts";

const owned: { close(): Promise<void> }[] = [];
const own = <Kind extends { close(): Promise<void> }>(kind: Kind): Kind => {
  owned.push(kind);
  return kind;
};
afterEach(async () => {
  await Promise.all(owned.splice(0).map((one) => one.close()));
});

const call = { connectionId: "c1", traceparent: undefined, attributes: {}, words: (text: string) => text };

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { readonly key: string; readonly value: object }[] };
    readonly scopeSpans: readonly { readonly spans: readonly { readonly name: string; readonly traceId: string }[] }[];
  }[];
}

test("spans reach an OTLP receiver in its JSON form", async () => {
  const receiver = own(await ToolServer.start(answer("{}", {}, 200)));
  const { host } = new URL(receiver.url);
  const tracing = openTracing(
    { endpoint: `http://${host}`, serviceName: "front desk", content: false, protocol: "http/json" },
    [host],
    silentLog,
  );
  tracing.call({ ...call, traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" }).ended();
  await tracing.close();
  expect(receiver.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(["POST /v1/traces"]);
  const body = JSON.parse(receiver.requests[0]?.body ?? "") as OtlpBody;
  const [resource] = body.resourceSpans;
  expect(resource?.resource.attributes).toContainEqual({ key: "service.name", value: { stringValue: "front desk" } });
  expect(resource?.scopeSpans[0]?.spans).toMatchObject([{ name: "call", traceId: "0af7651916cd43dd8448eb211c80319c" }]);
});

test("a receiver that fails costs its spans and nothing else", async () => {
  const receiver = own(await ToolServer.start(answer("", {}, 500)));
  const { host } = new URL(receiver.url);
  const tracing = openTracing(
    { endpoint: `http://${host}/v1/traces`, serviceName: "x", content: false, protocol: "http/json" },
    [host],
    silentLog,
  );
  tracing.call(call).ended();
  await tracing.close();
  expect(receiver.requests).toHaveLength(1);
});

test("a host that is not listed is refused in the configuration", () => {
  const { error } = serverConfigSchema.safeParse({ tracing: { endpoint: "https://otel.example:4318" } });
  expect(error?.issues[0]?.message).toContain("otel.example:4318 is not in egress.allowed_hosts");
});

test("spans reach a receiver that reads protobuf only", async () => {
  const receiver = own(await ToolServer.start(answer("", {}, 200)));
  const config = { endpoint: `http://${receiver.host}`, serviceName: "front desk", content: false, protocol: "http/protobuf" } as const; // prettier-ignore
  const tracing = openTracing(config, [receiver.host], silentLog);
  tracing.call(call).ended();
  await tracing.close();
  const [request] = receiver.requests;
  expect(request?.headers["content-type"]).toBe("application/x-protobuf");
  expect(request?.bytes.includes("front desk") && request.bytes.includes("oakvoice.connection.id")).toBe(true);
});
