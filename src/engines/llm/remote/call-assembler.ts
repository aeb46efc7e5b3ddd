import type { ToolCall, ToolDefinition } from "../language-model.ts";
import type { MadeCalls } from "../tool-call-format/made-calls.ts";
import type { CallFault } from "../tool-call-format/written/call-fault.ts";
import type { CallDelta } from "./chat-chunk.ts";
import { ToolNames } from "../tool-call-format/tool-names.ts";

interface Parts {
  readonly place: number;
  /** The server's. */
  readonly id: string | undefined;
  name: string;
  arguments: string;
}

/** Puts the pieces of tool calls together. */
export class CallAssembler {
  readonly #tools: ToolNames<ToolDefinition>;
  readonly #made: MadeCalls;
  #open: Parts | undefined;
  #fault: CallFault | undefined;
  #hasBegun = false;

  /** @param tools Those that may be called. */
  constructor(tools: readonly ToolDefinition[], made: MadeCalls) {
    this.#tools = new ToolNames(tools);
    this.#made = made;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Why a call was dropped. */
  get fault(): CallFault | undefined {
    return this.#fault;
  }

  /** Calls that this piece completes: the beginning of one completes the one before. */
  push({ index, id, function: part }: CallDelta): ToolCall[] {
    this.#hasBegun = true;
    const place = index ?? this.#open?.place ?? 0;
    const isNew =
      this.#open === undefined ||
      place !== this.#open.place ||
      // Some servers give each piece an id of its own, but only the first one has a name.
      (Boolean(id) && Boolean(part?.name) && this.#open.id !== undefined && id !== this.#open.id);
    const completed = isNew ? this.end() : [];
    const open = (this.#open ??= { place, id: id ?? undefined, name: "", arguments: "" });
    // Some servers repeat the name in each piece.
    if (open.name === "") open.name = part?.name ?? "";
    const args = part?.arguments ?? "";
    open.arguments += typeof args === "string" ? args : JSON.stringify(args);
    return completed;
  }

  /** Completes the last call. */
  end(): ToolCall[] {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return [];
    const tool = this.#tools.find(open.name);
    const args = objectOf(open.arguments.trim() === "" ? "{}" : open.arguments);
    if (tool === undefined || args === undefined) {
      this.#fault ??= tool === undefined ? "unknown" : "cut";
      return [];
    }
    const call = this.#made.add(tool.name, args);
    return call === undefined ? [] : [call];
  }
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
