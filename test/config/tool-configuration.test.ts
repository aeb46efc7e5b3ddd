import { describe, expect, it } from "vitest";
import { toolsSchema } from "../../src/config/tool-configuration.ts";

const webhook = { url: "https://pms.hotel.lan/tools", secret_env: "PMS_SECRET" };
const described = { name: "book_table", description: "Books a table." };
const parameters = { type: "object", properties: { guests: { type: "integer" } }, required: ["guests"] };
const mcp = { url: "https://pms.hotel.lan/mcp", tools: ["find_guest"] };

const faults = (...tools: unknown[]) =>
  toolsSchema.safeParse(tools).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];

describe("the tools of a configuration", () => {
  it("have defaults", () => {
    const plain = { type: "object", properties: {} };
    expect(toolsSchema.parse(undefined)).toEqual([]);
    expect(toolsSchema.parse([{ ...described, webhook }, { mcp }, { name: "x", description: "y", client: true }])).toEqual([
      { ...described, parameters: plain, webhook: { ...webhook, timeout_seconds: 10, retry: false }, cancel_on_interrupt: false },
      { mcp: { ...mcp, timeout_seconds: 10 }, cancel_on_interrupt: false },
      { name: "x", description: "y", client: true, parameters: plain, timeout_seconds: 10, cancel_on_interrupt: false },
    ]); // prettier-ignore
  });

  it("may be of all kinds", () => {
    const tools = [
      { ...described, parameters, webhook, say: "One moment.", cancel_on_interrupt: true },
      { mcp: { ...mcp, token_env: "TOKEN", timeout_seconds: 60 }, confirm: false },
      {
        name: "show_map",
        description: "Shows a map.",
        parameters,
        client: true,
        timeout_seconds: 5,
        confirm: "I show a map",
      },
      {
        name: "weather",
        description: "y",
        client: true,
        confirm: true,
        parameters: { type: "object", properties: { lat: { type: "number", "x-computed": true } } },
      },
      { builtin: "timers" },
      { builtin: "end_call" },
      { builtin: "transfer", targets: { reception: "A person at the reception." } },
      { builtin: "demo_house" },
    ];
    expect(faults(...tools)).toEqual([]);
  });

  it.each([
    ["no kind", { ...described }, /^0: must have exactly one of webhook, mcp, client, builtin$/u],
    ["two kinds", { ...described, webhook, client: true }, /^0: must have exactly one of/u],
    ["text", "timers", /^0: must have exactly one of/u],
    ["a bad name", { ...described, name: "book table", webhook }, /^0\.name: must be 1-64 of/u],
    ["no description", { name: "x", webhook }, /^0\.description: /u],
    ["an unknown field", { ...described, webhook, wait: 3 }, /^0: Unrecognized key: "wait" \(known: name, description/u],
    ["an unknown field of a webhook", { ...described, webhook: { ...webhook, method: "GET" } }, /^0\.webhook: Unrecognized key: "method" \(known: url, secret_file/u],
    ["no address", { ...described, webhook: { secret_env: "S" } }, /^0\.webhook\.url: must be an address that begins with https/u],
    ["a file's address", { ...described, webhook: { ...webhook, url: "file:///etc/passwd" } }, /^0\.webhook\.url: must be an address that begins/u],
    ["credentials in the address", { ...described, webhook: { ...webhook, url: "https://u:p@h/" } }, /^0\.webhook\.url: must not contain a user name/u],
    ["no secret", { ...described, webhook: { url: webhook.url } }, /^0\.webhook: set exactly one of secret_file, secret_env$/u],
    ["two secrets", { ...described, webhook: { ...webhook, secret_file: "s" } }, /^0\.webhook: set exactly one of/u],
    ["two tokens", { mcp: { ...mcp, token_file: "t", token_env: "T" } }, /^0\.mcp: set at most one of token_file, token_env$/u],
    ["a wrong time", { ...described, webhook: { ...webhook, timeout_seconds: 61 } }, /^0\.webhook\.timeout_seconds: .*<=60/u],
    ["no tools of a server", { mcp: { ...mcp, tools: [] } }, /^0\.mcp\.tools: /u],
    ["a list as parameters", { ...described, webhook, parameters: { type: "array" } }, /^0\.parameters: must be a JSON Schema with "type: object"$/u],
    ["huge parameters", { ...described, webhook, parameters: { type: "object", description: "x".repeat(9_000) } }, /^0\.parameters: has 90\d\d characters as JSON; at most 8192/u],
    ["parameters that cannot be checked", { ...described, webhook, parameters: { type: "object", unevaluatedProperties: false } }, /^0\.parameters: is not a JSON Schema that this server can check: unevaluatedProperties is not supported/u],
    ["a reference outside", { ...described, webhook, parameters: { type: "object", properties: { a: { $ref: "https://x/y" } } } }, /^0\.parameters: .*https:\/\/x\/y is not in the schema/u],
    ["a bad pattern", { ...described, webhook, parameters: { type: "object", properties: { a: { type: "string", pattern: "(" } } } }, /^0\.parameters: .*regular expression/u],
    ["an unknown type", { ...described, webhook, parameters: { type: "object", properties: { a: { type: "int" } } } }, /^0\.parameters: .*type/u],
    ["a long sentence", { ...described, webhook, say: "x".repeat(201) }, /^0\.say: /u],
    ["a yes that is a number", { ...described, webhook, confirm: 1 }, /^0\.confirm: /u],
    ["an act without words", { ...described, webhook, confirm: " " }, /^0\.confirm: /u],
    ["an unknown builtin", { builtin: "doors" }, /^0\.builtin: /u],
    ["a target that no close frame can hold", { builtin: "transfer", targets: { ["受".repeat(60)]: "A desk." } }, /targets/u],
    ["a transfer to nowhere", { builtin: "transfer", targets: {} }, /^0\.targets: must have 1 to 32 names$/u],
  ])("%s is refused", (_, tool, message) => {
    expect(faults(tool)).toEqual([expect.stringMatching(message)]);
  }); // prettier-ignore

  it.each([
    ["set_timer", { builtin: "timers" }],
    ["cancel_timer", { builtin: "timers" }],
    ["end_call", { builtin: "end_call" }],
    ["transfer", { builtin: "transfer", targets: { spa: "The spa." } }],
    ["get_house", { builtin: "demo_house" }],
  ])("%s cannot have the name of a function of a built-in tool", (name, builtin) => {
    const message = `: the name ${name} is used twice; give one of the tools another`;
    expect(faults({ ...described, name, webhook }, builtin)).toEqual([message]);
    expect(faults(builtin, { mcp: { ...mcp, tools: [name] } })).toEqual([message]);
    expect(faults({ ...described, name, webhook })).toEqual([]);
  });

  it("have unique names, also over MCP servers, and are at most 64", () => {
    const client = (name: string) => ({ name, description: "x", client: true });
    expect(faults(client("find_guest"), { mcp })).toEqual([
      expect.stringMatching(/^: the name find_guest is used twice/u),
    ]);
    expect(faults({ builtin: "timers" }, { builtin: "timers" })).toEqual([
      expect.stringMatching(/timers is there twice/u),
    ]);
    const many = Array.from({ length: 64 }, (__, index) => client(`tool_${String(index)}`));
    expect(faults(...many)).toEqual([]);
    expect(faults(...many, { builtin: "timers" })).toEqual([": has 65 tools; at most 64 are allowed"]);
  });
});
