import { randomBytes } from "node:crypto";
import type { ToolCall, ToolDefinition } from "../language-model.ts";
import type { CallDelta } from "./chat-chunk.ts";

/** As many as the built-in engine makes. */
const MAX_CALLS = 8;

interface Parts {
  readonly place: number;
  /** The server's. */
  readonly id: string | undefined;
  name: string;
  arguments: string;
}

/** Puts the pieces of tool calls together. */
export class CallAssembler {
  readonly #tools: readonly ToolDefinition[];
  readonly #made = new Set<string>();
  #open: Parts | undefined;
  #failed = 0;

  /** @param tools Those that may be called. Calls of others are dropped. */
  constructor(tools: readonly ToolDefinition[]) {
    this.#tools = tools;
  }

  /** Whether a call has begun. */
  get hasBegun(): boolean {
    return this.#open !== undefined || this.#made.size > 0 || this.#failed > 0;
  }

  /** Calls that were dropped because their arguments are not JSON. */
  get failed(): number {
    return this.#failed;
  }

  /** Calls that this piece completes: the beginning of one completes the one before. */
  push({ index, id, function: part }: CallDelta): ToolCall[] {
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
    const { name = "", arguments: text = "" } = this.#open ?? {};
    const isCall = this.#open !== undefined && this.#made.size < MAX_CALLS;
    this.#open = undefined;
    if (!isCall || !this.#tools.some((tool) => tool.name === name)) return [];
    const args = objectOf(text.trim() === "" ? "{}" : text);
    if (args === undefined) {
      this.#failed += 1;
      return [];
    }
    // A model that repeats a call within a reply does not stop by itself.
    const key = JSON.stringify([name, args]);
    if (this.#made.has(key)) return [];
    this.#made.add(key);
    // Servers number the calls of each reply anew, but a conversation needs different ids.
    return [{ id: `call_${randomBytes(10).toString("hex")}`, name, arguments: JSON.stringify(args) }];
  }
}

function objectOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
