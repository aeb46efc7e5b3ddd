import type { CallToolResult } from "@modelcontextprotocol/client";
import type { McpConfiguration } from "../config/tool-configuration.ts";
import type { Tool } from "../conversation/tool-calls/tool.ts";
import type { Log } from "../shared/log.ts";
import { checkArguments } from "../shared/json-schema/check-arguments.ts";
import { callFault } from "../engines/llm/tool-call-format/check-tool.ts";
import { shapeFault } from "../shared/json-schema/schema-fault.ts";
import { toolFailure } from "./failures.ts";
import type { ListedTool } from "./mcp-connection.ts";
import type { McpServer } from "./mcp-server.ts";
import { Reason } from "../egress/reasons.ts";

/** The tools that one configuration may call on one MCP server. */
export class McpTools {
  readonly server: McpServer;
  readonly #configuration: McpConfiguration;
  readonly #file: string;
  readonly #log: Log;
  /** The list that `#built` was made from. */
  #listed: ReadonlyMap<string, ListedTool> | undefined;
  #built: readonly Tool[] = [];
  #reported = "";

  constructor(configuration: McpConfiguration, file: string, server: McpServer, log: Log) {
    this.server = server;
    this.#configuration = configuration;
    this.#file = file;
    this.#log = log;
  }

  /** Empty before the server was reached for the first time. */
  list(): readonly Tool[] {
    const { tools } = this.server;
    if (tools === undefined || tools === this.#listed) return this.#built;
    this.#listed = tools;
    const faults: string[] = [];
    this.#built = this.#configuration.mcp.tools.flatMap((name) => {
      const tool = tools.get(name);
      const fault = tool === undefined ? "is not offered" : (shapeFault(tool.parameters) ?? callFault(name, tool));
      if (fault !== undefined) faults.push(`${name} ${fault}`);
      return tool === undefined || fault !== undefined ? [] : [this.#tool(name, tool)];
    });
    this.#report(faults.join("; "));
    return this.#built;
  }

  #tool(name: string, { description, parameters, mayRepeat, isLookup }: ListedTool): Tool {
    const { mcp, confirm, cancel_on_interrupt: cancelOnInterrupt } = this.#configuration;
    return {
      definition: { name, description, parameters },
      cancelOnInterrupt,
      confirm: confirm ?? (isLookup ? false : undefined),
      mayRepeat,
      run: async (args, run) => {
        checkArguments(parameters, args);
        const result = await this.server.call(name, args, run, mcp.timeout_seconds);
        if (result.isError === true) throw toolFailure("failed", new Reason(`${this.server.host}: isError`));
        return textOf(result);
      },
    };
  }

  /** One line for each list with other faults. */
  #report(faults: string): void {
    if (faults === this.#reported) return;
    this.#reported = faults;
    if (faults === "") return;
    this.#log.warn(
      `${this.#file}: tools: the MCP server ${this.server.host}: ${faults}. Change the list of its tools.`,
    );
  }
}

function textOf({ content, structuredContent }: CallToolResult): string {
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  if (text.trim() !== "") return text;
  return structuredContent === undefined ? "done" : JSON.stringify(structuredContent);
}
