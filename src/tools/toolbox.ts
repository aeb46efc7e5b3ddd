import type { McpConfiguration, ToolConfiguration, WebhookConfiguration } from "../config/tool-configuration.ts";
import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import type { Tool } from "../conversation/tool-calls/tool.ts";
import { systemClock, type Clock } from "../shared/clock.ts";
import { errorMessage, OakError } from "../shared/errors.ts";
import type { Log } from "../shared/log.ts";
import { Tasks } from "../shared/tasks.ts";
import { Egress, type EgressOptions, loadHttpClient } from "../egress/egress.ts";
import type { AllowedHost } from "../egress/host-rules.ts";
import { callFault } from "../engines/llm/tool-call-format/check-tool.ts";
import type { McpAddress } from "./mcp-connection.ts";
import { McpServer } from "./mcp-server.ts";
import { McpTools } from "./mcp-tools.ts";
import { readSecret, type SecretSource } from "../shared/files/secret.ts";
import { signingKey } from "../egress/webhook-signature.ts";
import { webhookTool } from "./webhook.ts";

/** Standard Webhooks asks for 24 bytes. */
const MIN_KEY_BYTES = 16;

export interface ToolboxOptions extends EgressOptions {
  readonly clock?: Clock;
}

type Source = Tool | McpTools;

/** The tools of all voice configurations that the server carries out over HTTP. Owns the connections to MCP servers. */
export class Toolbox {
  readonly #egress: Egress;
  readonly #log: Log;
  readonly #clock: Clock;
  /** By the list of tools in a configuration, which copies of the configuration share. */
  readonly #sources = new WeakMap<readonly ToolConfiguration[], readonly Source[]>();
  /** Those in force, by address and token. A conversation that began earlier keeps its own. */
  readonly #servers = new Map<string, McpServer>();
  readonly #tasks: Tasks;

  constructor(allowedHosts: readonly AllowedHost[], log: Log, options: ToolboxOptions = {}) {
    this.#egress = new Egress(allowedHosts, options);
    this.#log = log;
    this.#tasks = new Tasks((error) => log.error(errorMessage(error)));
    this.#clock = options.clock ?? systemClock;
  }

  /**
   * Checks the tools of a configuration file and reads their secrets. Connects to nothing.
   * @throws OakError `CONFIG_INVALID`, one line that names the file, the tool and the fault.
   */
  load(voice: VoiceConfiguration, file: string): void {
    const sources = voice.tools.flatMap((tool, index): Source[] => {
      try {
        const fault = "parameters" in tool ? callFault(tool.name, tool) : undefined;
        if (fault !== undefined) throw new Error(fault);
        if ("webhook" in tool) return [this.#webhook(tool, voice.config_id, file)];
        return "mcp" in tool ? [this.#mcp(tool, file)] : [];
      } catch (cause) {
        const name = "name" in tool ? `${"webhook" in tool ? "webhook" : "client"}: the tool ${tool.name}` : "mcp";
        const message = `${file}: tools.${String(index)}.${name}: ${errorMessage(cause)}.`;
        throw new OakError(message, { code: "CONFIG_INVALID", cause });
      }
    });
    this.#sources.set(voice.tools, sources);
  }

  /** Takes the configurations that are now in force. Connects to their MCP servers, and closes the others. */
  use(voices: readonly VoiceConfiguration[]): void {
    // Not in the first call, which would wait for it.
    if (voices.some((voice) => this.#sources.get(voice.tools)?.length)) this.#tasks.own(loadHttpClient());
    const tools = voices.flatMap((voice) => this.#mcpTools(voice));
    const used = new Set(tools.map(({ server }) => server));
    for (const server of this.#servers.values()) if (!used.has(server)) server.retire();
    this.#servers.clear();
    for (const server of used) this.#servers.set(keyOf(server.address), server);
    const connected = Promise.all(Array.from(used, (server) => server.keep()));
    // The lists of tools that do not exist are reported now, not in the first call.
    this.#tasks.own(connected.then(() => tools.map((one) => one.list())));
  }

  /** Resolves when each MCP server has listed its tools, or has failed to. */
  async listed(): Promise<void> {
    await this.#tasks.settled();
  }

  /** The tools of a configuration. Those of an MCP server are missing until it was reached for the first time. */
  for(voice: VoiceConfiguration): readonly Tool[] {
    return (this.#sources.get(voice.tools) ?? []).flatMap((source) => {
      if (!(source instanceof McpTools)) return [source];
      if (source.server.tools === undefined) this.#tasks.own(source.server.keep());
      return source.list();
    });
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#servers.values(), (server) => server.close()));
    await this.#tasks.settled();
    await this.#egress.close();
  }

  #webhook(configuration: WebhookConfiguration, configId: string, file: string): Tool {
    const { url, secret_file, secret_env } = configuration.webhook;
    this.#requireAllowed(new URL(url));
    const secret = this.#secret({ file: secret_file, variable: secret_env }, file) ?? "";
    if (signingKey(secret).length < MIN_KEY_BYTES)
      throw new Error(`its secret must have ${String(MIN_KEY_BYTES)} characters at least, or bytes after whsec_`);
    return webhookTool({ configuration, secret, configId, egress: this.#egress, clock: this.#clock });
  }

  #mcp(configuration: McpConfiguration, file: string): McpTools {
    const { token_file, token_env, timeout_seconds: timeoutSeconds } = configuration.mcp;
    const url = new URL(configuration.mcp.url);
    this.#requireAllowed(url);
    const token = this.#secret({ file: token_file, variable: token_env }, file);
    const address = { url, token, timeoutSeconds };
    const key = keyOf(address);
    const parts = { address, egress: this.#egress, log: this.#log, clock: this.#clock };
    const server = this.#servers.get(key) ?? new McpServer(parts);
    this.#servers.set(key, server);
    return new McpTools(configuration, file, server, this.#log);
  }

  #mcpTools(voice: VoiceConfiguration): McpTools[] {
    return (this.#sources.get(voice.tools) ?? []).filter((source) => source instanceof McpTools);
  }

  #requireAllowed(url: URL): void {
    const fault = this.#egress.fault(url);
    if (fault !== undefined) throw new Error(fault);
  }

  #secret(source: SecretSource, file: string): string | undefined {
    const secret = readSecret(source, file);
    for (const warning of secret?.warnings ?? []) this.#log.warn(warning);
    return secret?.text;
  }
}

const keyOf = ({ url, token, timeoutSeconds }: McpAddress): string => JSON.stringify([url.href, token, timeoutSeconds]);
