import { createServer, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { checkTool } from "../../src/engines/llm/tool-call-format/check-tool.ts";
import { Egress } from "../../src/egress/egress.ts";
import { systemClock } from "../../src/shared/clock.ts";
import { OakError } from "../../src/shared/errors.ts";
import { checkArguments } from "../../src/shared/json-schema/check-arguments.ts";
import { webhookTool } from "../../src/tools/webhook.ts";
import type { Chance } from "./chance.ts";
import { hostileArguments, hostileSchema } from "./schemas.ts";

/** Longest time of one check on a busy machine. The server's limit is 40 ms of its own time. */
const SLOWEST_CHECK_MS = 1_000;
const MOST_RESULT_BYTES = 65_536;
const TIMEOUT_SECONDS = 1;

/** Checks hostile schemas, and hostile arguments by them. Returns the faults. */
export function attackSchemas(chance: Chance, count: number): string[] {
  const faults: string[] = [];
  for (let done = 0; done < count; done += 1) {
    const schema = hostileSchema(chance);
    const startedMs = performance.now();
    for (const work of [
      () => checkTool({ name: "x", description: "", parameters: schema }),
      () => checkArguments(schema, hostileArguments(chance)),
    ])
      try {
        work();
      } catch (error) {
        if (!(error instanceof OakError))
          faults.push(`schema ${JSON.stringify(schema).slice(0, 300)}: ${String(error)}`);
      }
    const tookMs = performance.now() - startedMs;
    if (tookMs > SLOWEST_CHECK_MS)
      faults.push(`a schema took ${tookMs.toFixed(0)} ms: ${JSON.stringify(schema).slice(0, 300)}`);
  }
  return faults;
}

/** Answers of the system behind a tool: wrong, huge, slow, cut off, or for another client. */
function answerBadly(response: ServerResponse, chance: Chance): void {
  const text = "x".repeat(chance.size(200_000));
  const type = chance.pick([
    "application/json",
    "text/plain; charset=x",
    "text/html",
    "image/png",
    "application/json; x",
    "",
  ]);
  switch (chance.int(9)) {
    case 0:
      response.destroy();
      return;
    case 1:
      response.writeHead(200, { "content-type": type, "content-length": "1000000" }).write("cut");
      setImmediate(() => response.destroy());
      return;
    case 2:
      response
        .writeHead(chance.pick([301, 302, 307, 308]), { location: chance.pick(["/", "http://127.0.0.1:1/", "x:"]) })
        .end();
      return;
    case 3:
      response
        .writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" })
        .end(gzipSync("0".repeat(10_000_000)));
      return;
    case 4:
      response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" }).end(text);
      return;
    case 5:
      response.writeHead(200, { "content-type": type }).end(chance.bytes(chance.size(5_000)));
      return;
    case 6:
      response.writeHead(chance.pick([204, 400, 404, 429, 500, 502, 599])).end();
      return;
    case 7:
      // Never ends: the time limit of the tool does.
      response.writeHead(200, { "content-type": "text/plain" }).write("slow");
      return;
    default:
      response.writeHead(200, { "content-type": type, "x-long": "y".repeat(chance.size(20_000)) }).end(text);
  }
}

/** Calls a webhook whose server answers badly. Returns the faults. */
export async function attackAnswers(chance: Chance, count: number): Promise<string[]> {
  const server = createServer((_request, response) => answerBadly(response, chance));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const egress = new Egress([`127.0.0.1:${String(port)}`]);
  const tool = webhookTool({
    configuration: {
      name: "x",
      description: "x",
      parameters: { type: "object" },
      webhook: {
        url: `http://127.0.0.1:${String(port)}/`,
        timeout_seconds: TIMEOUT_SECONDS,
        retry: chance.happens(0.5),
      },
      cancel_on_interrupt: false,
    },
    secret: "a secret of the fuzzer",
    configId: "x",
    egress,
    clock: systemClock,
  });
  const run = async (number: number): Promise<string[]> => {
    const ends = { callId: String(number), connectionId: "x", signal: new AbortController().signal };
    try {
      const result = await tool.run({}, ends);
      return result.length > MOST_RESULT_BYTES ? [`a result of ${String(result.length)} characters`] : [];
    } catch (error) {
      return error instanceof OakError ? [] : [`an answer of a tool: ${String(error)}`];
    }
  };
  const faults = (await Promise.all(Array.from({ length: count }, (_, number) => run(number)))).flat();
  server.closeAllConnections();
  server.close();
  await egress.close();
  return faults;
}
