import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { VoiceConfiguration } from "../../src/config/voice-configuration.ts";
import { openVoiceStore } from "../../src/config/voice-store.ts";
import type { Tool } from "../../src/conversation/tool-calls/tool.ts";
import { OakError } from "../../src/shared/errors.ts";
import { Toolbox } from "../../src/tools/toolbox.ts";
import { HotelMcp, type HotelOptions } from "../support/hotel-mcp.ts";
import { answer, ToolServer, type Answer } from "../support/tool-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const owned: { close(): Promise<void> }[] = [];
const own = <Kind extends { close(): Promise<void> }>(kind: Kind): Kind => {
  owned.push(kind);
  return kind;
};
let clock: VirtualClock;
beforeEach(() => (clock = new VirtualClock()));
afterEach(async () => {
  vi.unstubAllEnvs();
  // Waits of a virtual clock end only when it advances.
  const closed = Promise.all(
    owned
      .splice(0)
      .toReversed()
      .map((one) => one.close()),
  );
  clock.advance(60_000);
  await closed;
});

/** A folder of voice configurations with a toolbox, and its log. */
async function desk(files: Readonly<Record<string, string>>, allowedHosts: readonly string[] = []) {
  const folder = temporaryFolder();
  const write = (name: string, text: string, mode = 0o600) => {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), mode);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) });
  const toolbox = own(new Toolbox(allowedHosts, log, { clock }));
  const store = await openVoiceStore(folder, log, toolbox);
  await toolbox.listed();
  const voice = async () => (await store.get("desk")) as VoiceConfiguration;
  const tools = async () => toolbox.for(await voice());
  return { folder, write, lines, toolbox, store, voice, tools };
}

const config = (...tools: readonly object[]) =>
  JSON.stringify({ config_id: "desk", system_prompt: "You are Oak.", tools });
const webhook = (url: string, more: object = {}) => ({
  name: "book_table",
  description: "Books a table.",
  webhook: { url, secret_file: "secret", ...more },
});
const SECRET = "a secret of the test\n";

const names = (tools: readonly Tool[]) => tools.map(({ definition }) => definition.name);
const TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const run = (tools: readonly Tool[], name: string, args: object, signal = new AbortController().signal) => {
  const tool = tools.find(({ definition }) => definition.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool.run({ ...args }, { callId: "call_1", connectionId: "c1", signal, traceparent: TRACE });
};

describe("webhooks of a configuration", () => {
  it("are tools with the secret of a file beside it", async () => {
    const server = own(await ToolServer.start(answer('{"table": 4}')));
    const tool = { ...webhook(server.url), say: "One moment.", cancel_on_interrupt: true };
    const { tools, lines } = await desk({ "desk.json": config(tool), secret: SECRET }, [server.host]);
    expect(await tools()).toMatchObject([
      { definition: { name: "book_table", description: "Books a table.", parameters: { type: "object", properties: {} } }, cancelOnInterrupt: true, filler: "One moment." },
    ]); // prettier-ignore
    expect(await run(await tools(), "book_table", {})).toBe('{"table": 4}');
    expect(JSON.parse(server.requests[0]?.body ?? "")).toMatchObject({ data: { config_id: "desk" } });
    expect(server.requests[0]?.headers["traceparent"]).toBe(TRACE);
    expect(lines).toEqual([]);
  });

  it("work with a copy of the configuration", async () => {
    const server = own(await ToolServer.start(answer("{}")));
    const { toolbox, voice } = await desk({ "desk.json": config(webhook(server.url)), secret: SECRET }, [server.host]);
    expect(toolbox.for({ ...(await voice()), speed: 2 })).toHaveLength(1);
  });

  it("may take the secret from a variable; a file that others can read is one warning", async () => {
    vi.stubEnv("DESK_SECRET", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    const byName = { secret_file: undefined, secret_env: "DESK_SECRET" };
    const { tools } = await desk({ "desk.json": config(webhook("http://127.0.0.1/", byName)) }, ["127.0.0.1"]);
    expect(names(await tools())).toEqual(["book_table"]);
    const open = await desk({ secret: SECRET }, ["127.0.0.1"]);
    chmodSync(join(open.folder, "secret"), 0o644);
    open.write("desk.json", config(webhook("http://127.0.0.1/")));
    await open.store.reload();
    expect(open.lines).toEqual([
      expect.stringMatching(/secret: other users can read it \(mode 0644\)\. Run: chmod 600/u),
    ]);
  });

  it.each([
    ["a host that is not allowed", webhook("https://api.vendor.example/x"), /desk\.json: tools\.0\.webhook: the tool book_table: api\.vendor\.example is not in egress\.allowed_hosts\. Add "api\.vendor\.example" to egress\.allowed_hosts/u],
    ["a port that is not allowed", webhook("http://127.0.0.1:99/x"), /the tool book_table: 127\.0\.0\.1:99 is not in egress\.allowed_hosts\. Add "127\.0\.0\.1:99" to egress\.allowed_hosts in the server.s configuration\.$/u],
    ["a missing secret", webhook("http://127.0.0.1/x", { secret_file: "none" }), /the tool book_table: \/.*\/none cannot be read: it does not exist/u],
    ["an empty variable", webhook("http://127.0.0.1/x", { secret_file: undefined, secret_env: "NOT_SET_HERE" }), /the variable NOT_SET_HERE is empty/u],
    ["a short secret", webhook("http://127.0.0.1/x", { secret_file: "short" }), /its secret must have 16 characters at least/u],
    ["an MCP server that is not allowed", { mcp: { url: "https://mcp.vendor.example/x", tools: ["book"] } }, /desk\.json: tools\.0\.mcp: mcp\.vendor\.example is not in egress\.allowed_hosts/u],
    ["a client tool that cannot be called", { name: "show_map", description: "Shows a map.", client: true, parameters: { type: "object", properties: { place: { enum: [] } } } }, /desk\.json: tools\.0\.client: the tool show_map: cannot be called: The parameters .* an empty "enum"\.$/u],
    ["a webhook that cannot be called", { ...webhook("http://127.0.0.1/x"), parameters: { type: "object", properties: { a: { enum: [] } } } }, /tools\.0\.webhook: the tool book_table: cannot be called/u],
  ])("%s stops the start, and on a reload the old version stays", async (_, tool, message) => {
    const good = config(webhook("http://127.0.0.1/old"));
    const { folder, write, store, tools, lines } = await desk({ "desk.json": good, secret: SECRET, short: "short" }, ["127.0.0.1"]);
    write("desk.json", config(tool));
    const error: unknown = await openVoiceStore(folder, pino({ level: "silent" }), own(new Toolbox(["127.0.0.1"], pino({ level: "silent" })))).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code: "CONFIG_INVALID", message: expect.stringMatching(message) as string });
    await store.reload();
    expect(lines).toEqual([expect.stringMatching(message)]);
    expect(names(await tools())).toEqual(["book_table"]);
  }); // prettier-ignore

  it("follow a reload, and the tools of a call in progress stay", async () => {
    const server = own(await ToolServer.start(answer("{}")));
    const { tools, write, lines } = await desk({ "desk.json": config(webhook(server.url)), secret: SECRET }, [
      server.host,
    ]);
    const old = await tools();
    write("desk.json", config({ ...webhook(server.url), name: "cancel_table" }));
    expect(names(await tools())).toEqual(["cancel_table"]);
    expect(await run(old, "book_table", {})).toBe("{}");
    expect(lines).toEqual(["voice configurations read again"]);
  });
});

describe.each(["sessions", "requests"] as const)("an MCP server with %s", (kind) => {
  const start = async (options: HotelOptions, wanted = options.tools ?? ["book"], more: object = {}) => {
    const hotel = own(await HotelMcp.start({ ...options, kind }));
    const entry = { mcp: { url: hotel.url, tools: wanted, ...more }, cancel_on_interrupt: true };
    return { hotel, ...(await desk({ "desk.json": config(entry), token: "secret-token" }, [hotel.web.host])) };
  };

  it("offers the tools that the configuration names, with their schemas", async () => {
    const { tools, lines } = await start({ tools: ["book", "fail"] }, ["book"]);
    expect(await tools()).toMatchObject([
      {
        definition: {
          name: "book",
          description: "Does book.",
          parameters: { type: "object", properties: { guests: { type: "integer" } }, required: ["guests"] },
        },
        cancelOnInterrupt: true,
      },
    ]);
    expect(lines).toEqual([]);
  });

  it("calls a tool whose name has a dot", async () => {
    const { hotel, tools } = await start({ tools: ["table.book"] });
    expect(await run(await tools(), "table.book", { guests: 2 })).toBe("A table for 2.");
    expect(hotel.calls).toEqual(["table.book 2"]);
  });

  it("gets the call's position in the trace", async () => {
    const { hotel, tools } = await start({});
    await run(await tools(), "book", { guests: 2 });
    const calls = hotel.web.requests.filter(({ body }) => body.includes('"tools/call"'));
    expect(calls).toHaveLength(1);
    expect(JSON.parse(calls[0]?.body ?? "")).toMatchObject({ params: { _meta: { traceparent: TRACE } } });
  });

  it("gives the text parts of a result, and gets the token", async () => {
    const { hotel, tools } = await start({}, ["book"], { token_file: "token" });
    expect(await run(await tools(), "book", { guests: 2 })).toBe("A table for 2.\nAt the window.");
    expect(hotel.calls).toEqual(["book 2"]);
    expect(new Set(hotel.web.requests.map(({ headers }) => headers["authorization"]))).toEqual(
      new Set(["Bearer secret-token"]),
    );
  });

  it("gets no call with wrong arguments", async () => {
    const { hotel, tools } = await start({});
    await expect(run(await tools(), "book", { guests: 0 })).rejects.toMatchObject({ code: "TOOL_REFUSED" });
    expect(hotel.calls).toEqual([]);
  });

  it.each([
    ["fail", /failed/u],
    ["throw", /failed/u],
    ["long", /cannot be read/u],
  ])("%s: a failed call does not repeat what the server said, and the next call works", async (name, message) => {
    const { hotel, tools } = await start({ tools: ["book", name] });
    const error: unknown = await run(await tools(), name, { guests: 1 }).catch((failure: unknown) => failure);
    if (!(error instanceof OakError)) throw new Error(`not an OakError: ${String(error)}`);
    expect(error.code).toBe("TOOL_FAILED");
    expect(error.message).toMatch(message);
    expect(error.message + String(error.cause)).not.toMatch(/private words/u);
    expect(hotel.calls).toEqual([`${name} 1`]);
    expect(await run(await tools(), "book", { guests: 2 })).toMatch(/table for 2/u);
  });

  it("a result without text is done", async () => {
    const { tools } = await start({ tools: ["image"] });
    expect(await run(await tools(), "image", { guests: 1 })).toBe("done");
  });

  it("that hangs does not answer in time; an abort ends a call at once", async () => {
    const { hotel, tools } = await start({ tools: ["hang", "book"] });
    const late = run(await tools(), "hang", { guests: 1 });
    await vi.waitFor(() => expect(hotel.calls).toHaveLength(1), 10_000);
    clock.advance(10_000);
    await expect(late).rejects.toMatchObject({ code: "TOOL_TIMEOUT" });
    const abort = new AbortController();
    const aborted = run(await tools(), "hang", { guests: 1 }, abort.signal);
    await vi.waitFor(() => expect(hotel.calls).toHaveLength(2), 10_000);
    const reason = new Error("the caller has left");
    abort.abort(reason);
    await expect(aborted).rejects.toBe(reason);
    await vi.waitFor(async () => expect(await hotel.web.openSockets()).toBe(0), 10_000);
    expect(await run(await tools(), "book", { guests: 2 })).toMatch(/table for 2/u);
  });

  it("may describe a tool at any length, also where the limit halves a character", async () => {
    const { tools } = await start({ tools: ["wordy"] }, ["wordy"]);
    const [tool] = await tools();
    // Servers of language models refuse half a character.
    expect(tool?.definition.description).toBe(`${"x".repeat(999)}\uFFFD`);
  });

  it("that was started again gets the next call once", async () => {
    const { hotel, tools } = await start({});
    await run(await tools(), "book", { guests: 1 });
    hotel.restart();
    expect(await run(await tools(), "book", { guests: 2 })).toMatch(/table for 2/u);
    expect(hotel.calls).toEqual(["book 1", "book 2"]);
  });

  it("without a tool of the configuration is one line", async () => {
    const { tools, lines, store } = await start({ tools: ["book"] }, ["book", "cancel"]);
    expect(names(await tools())).toEqual(["book"]);
    await tools();
    expect(lines).toEqual([
      expect.stringMatching(/desk\.json: tools: the MCP server 127\.0\.0\.1:\d+: cancel is not offered\. Change/u),
    ]);
    await store.reload();
  });

  it("that is down is one warning, is tried again, and works later", async () => {
    const { hotel, tools, lines, toolbox } = await start({});
    await run(await tools(), "book", { guests: 1 });
    await hotel.web.close();
    const failed = expect.objectContaining({
      code: "TOOL_FAILED",
      message: expect.stringMatching(/cannot be reached\. Nothing was done/u) as string,
    }) as unknown;
    await expect(run(await tools(), "book", { guests: 2 })).rejects.toEqual(failed);
    await expect(run(await tools(), "book", { guests: 2 })).rejects.toEqual(failed);
    await hotel.web.reopen();
    expect(await run(await tools(), "book", { guests: 3 })).toMatch(/table for 3/u);
    expect(hotel.calls).toEqual(["book 1", "book 3"]);
    expect(lines).toEqual([
      expect.stringMatching(
        /the MCP server 127\.0\.0\.1:\d+: ECONNREFUSED: its tools cannot be used now\. The server tries again\./u,
      ),
    ]);
    await toolbox.listed();
  });

  it("that is down at the start is tried again after a while", async () => {
    const hotel = own(await HotelMcp.start({ kind }));
    await hotel.web.close();
    const entry = { mcp: { url: hotel.url, tools: ["book"] } };
    const { toolbox, voice, lines } = await desk({ "desk.json": config(entry) }, [hotel.web.host]);
    const one = await voice();
    expect(lines).toHaveLength(1);
    clock.advance(2_000);
    await vi.waitFor(() => expect(clock.pendingTimers).toBe(1), 10_000);
    await hotel.web.reopen();
    expect(hotel.web.requests).toEqual([]);
    clock.advance(4_000);
    await vi.waitFor(() => expect(hotel.web.requests.length).toBeGreaterThan(1), 10_000);
    await vi.waitFor(() => expect(names(toolbox.for(one))).toEqual(["book"]), 10_000);
    expect(lines).toHaveLength(1);
  });

  it("is left when no configuration names it, and still serves a call in progress", async () => {
    const { hotel, tools, write } = await start({});
    const old = await tools();
    await run(old, "book", { guests: 1 });
    write("desk.json", config());
    expect(await tools()).toEqual([]);
    if (kind === "sessions") await vi.waitFor(() => expect(hotel.web.requests.at(-1)?.method).toBe("DELETE"), 10_000);
    expect(await run(old, "book", { guests: 2 })).toMatch(/table for 2/u);
  });
});

/** Offers tools with these parameters, and has no other method. */
const offering =
  (tools: Readonly<Record<string, object>>): Answer =>
  (response, { body }) => {
    const { id, method } = JSON.parse(body) as { id?: number; method: string };
    const results: Readonly<Record<string, object>> = {
      initialize: {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "x", version: "1" },
      },
      "tools/list": { tools: Object.entries(tools).map(([name, inputSchema]) => ({ name, inputSchema })) },
    };
    const result = results[method];
    const reply = result === undefined ? { error: { code: -32_601, message: "private words" } } : { result };
    if (id === undefined) return void response.writeHead(202).end();
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", id, ...reply }));
  };

describe("an MCP server that lies", () => {
  const entry = (server: ToolServer) => config({ mcp: { url: server.url, tools: ["book"] } });

  it("with a tool that no call can be written for loses this tool only", async () => {
    const parameters = (a: object, more: object = {}) => ({ type: "object", properties: { a }, ...more });
    const loop = { $ref: "#/$defs/loop" };
    const many = Object.fromEntries(Array.from({ length: 129 }, (_, at) => [`p${String(at)}`, {}]));
    const offered = {
      book: parameters({ type: "string" }),
      empty: parameters({ enum: [] }),
      unknown: parameters({ type: "date" }),
      many: { type: "object", properties: many },
      loop: parameters(loop, { $defs: { loop: { anyOf: [{ type: "string" }, loop] } } }),
      reference: parameters({ $ref: "#/%" }),
    };
    const server = own(await ToolServer.start(offering(offered)));
    const desired = config({ mcp: { url: server.url, tools: Object.keys(offered) } });
    const { tools, lines } = await desk({ "desk.json": desired }, [server.host]);
    expect(names(await tools())).toEqual(["book"]);
    expect(lines).toHaveLength(1);
    for (const name of Object.keys(offered).slice(1)) expect(lines[0]).toContain(`${name} cannot be called`);
  });

  it("and hangs is one warning after its time", async () => {
    const server = own(await ToolServer.start(() => undefined));
    const opening = desk({ "desk.json": entry(server) }, [server.host]);
    await vi.waitFor(() => expect(server.requests).toHaveLength(1), 10_000);
    clock.advance(10_000);
    expect((await opening).lines).toEqual([
      expect.stringMatching(/the MCP server 127\.0\.0\.1:\d+: no answer in 10 s: its/u),
    ]);
  });

  it.each([
    ["JSON that is not JSON", answer('{"private words')],
    ["another page", answer("<html>private words</html>", { "content-type": "text/html" })],
    ["a redirect", answer("", { location: "http://127.0.0.1:1/" }, 307)],
    ["a redirect in its own house", answer("", { location: "/other" }, 308)],
    ["10 MB", answer(Buffer.alloc(10e6, "private words "))],
    ["status 401", answer("private words", {}, 401)],
    ["status 500", answer("private words", {}, 500)],
    ["JSON of something else", answer('{"private": "words"}')],
  ])("with %s is one warning without its words", async (_, how) => {
    const server = own(await ToolServer.start(how));
    const { tools, lines } = await desk({ "desk.json": entry(server) }, [server.host]);
    expect(await tools()).toEqual([]);
    expect(lines).toEqual([expect.stringMatching(/the MCP server 127\.0\.0\.1:\d+: .*its tools cannot be used now/u)]);
    expect(lines.join()).not.toMatch(/private/u);
  });
});
