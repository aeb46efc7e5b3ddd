import type { ToolCall } from "../../engines/llm/language-model.ts";
import { checkArguments, type Arguments } from "../../shared/json-schema/check-arguments.ts";
import type { Emit } from "../events.ts";
import type { Tool } from "../tool-calls/tool.ts";
import type { ToolRunner } from "../tool-calls/tool-runner.ts";
import { toolCallKey, replyKey, type History } from "./text/history.ts";
import type { ReplyStyle } from "./text/reply-settings.ts";

export interface ReplyCallsOptions {
  readonly history: History;
  readonly tools: ToolRunner;
  readonly emit: Emit;
}

/** Gives the calls of replies their places in the conversation. */
export class ReplyCalls {
  readonly options: ReplyCallsOptions;
  /** The last call: further calls of its reply come after it. */
  #last: { readonly reply: number; readonly key: string } | undefined;

  constructor(options: ReplyCallsOptions) {
    this.options = options;
  }

  insert(reply: number, call: ToolCall): void {
    const after = this.#last?.reply === reply ? this.#last.key : replyKey(reply);
    this.options.history.insertCall(call, { after });
    this.#last = { reply, key: toolCallKey(call.id) };
  }
}

/** The tools of a reply. */
export interface CallableTools {
  readonly reply: number;
  /** Beside the conversation: the results of configured tools would have no answer. */
  readonly isSide: boolean;
  /** The tools are this reply's own. The ordinary reply that would follow a refused call does not have them. */
  readonly hasOwnTools: boolean;
  readonly style: ReplyStyle;
}

/** The calls of one reply: the server carries out those of configured tools, the client the others. */
export class CallsOfReply {
  readonly #calls: ReplyCalls;
  readonly #may: CallableTools;
  readonly #configured: ReadonlySet<string>;
  readonly #clients: ToolCall[] = [];

  constructor(calls: ReplyCalls, may: CallableTools) {
    this.#calls = calls;
    this.#may = may;
    this.#configured = new Set(may.isSide ? [] : calls.options.tools.definitions.map(({ name }) => name));
  }

  tool(name: string): Pick<Tool, "definition" | "confirm"> | undefined {
    if (this.#configured.has(name)) return this.#calls.options.tools.tool(name);
    const definition = this.#may.style.tools.find((tool) => tool.name === name);
    return definition && { definition };
  }

  /** @throws When the arguments are wrong and the model cannot be asked again. */
  take(call: ToolCall): void {
    const { tools, emit } = this.#calls.options;
    const { reply, isSide, hasOwnTools } = this.#may;
    // A configured tool runs at once, whatever becomes of the reply.
    if (this.#configured.has(call.name)) {
      this.#calls.insert(reply, call);
      return tools.start(call, reply);
    }
    try {
      checkArguments(this.tool(call.name)?.definition.parameters, JSON.parse(call.arguments) as Arguments);
    } catch (error) {
      if (isSide || hasOwnTools) throw error;
      // The model gets the call back. The client does not see it.
      this.#calls.insert(reply, call);
      return tools.refuse(call, reply, error);
    }
    this.#clients.push(call);
    emit({ type: "tool-call", reply, call });
  }

  /** The reply was heard. The client does not carry out the calls of a reply that was interrupted, so the model must not see them. */
  keep(): void {
    if (!this.#may.isSide) for (const call of this.#clients) this.#calls.insert(this.#may.reply, call);
  }
}
