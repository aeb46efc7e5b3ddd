import { answerFault, brokenFault, type RemoteModel } from "../../remote/remote-fault.ts";
import type { GenerateRequest, ToolCall } from "../language-model.ts";
import { MadeCalls } from "../tool-call-format/made-calls.ts";
import { callFault } from "../tool-call-format/written/call-fault.ts";
import { ReplyText, type FoundCall } from "../tool-call-format/written/reply-text.ts";
import { CallAssembler } from "./call-assembler.ts";
import { type ChatChunk, chatChunkSchema, type Usage, usageOf } from "./chat-chunk.ts";

const DONE = "[DONE]";

/** Makes text and calls of the events of a streamed reply. */
export class ChatReader {
  readonly #to: RemoteModel;
  readonly #maxTokens: number;
  readonly #text: ReplyText;
  readonly #made: MadeCalls;
  readonly #calls: CallAssembler;
  readonly #mayCall: boolean;
  #pieces = 0;
  #isFinished = false;
  #usage: Usage | undefined;

  constructor(to: RemoteModel, { messages, tools, toolChoice, maxTokens }: GenerateRequest) {
    this.#to = to;
    this.#maxTokens = maxTokens;
    this.#made = new MadeCalls(messages);
    this.#text = new ReplyText({ tools, mayCall: toolChoice !== "none" && tools.length > 0 });
    this.#calls = new CallAssembler(tools, this.#made);
    this.#mayCall = toolChoice !== "none";
  }

  /** All text and calls have come. The count of tokens may follow. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** A call has begun. Its pieces come before it is whole. */
  get isCalling(): boolean {
    return this.#calls.hasBegun || this.#text.callText !== undefined;
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }

  /** Text and calls of this event. @throws RemoteFault when it is not a part of a reply. */
  push(event: string): (string | ToolCall)[] {
    if (event.trim() === DONE) return this.#finish();
    const { choices, usage, error } = this.#chunk(event);
    if (error !== undefined && error !== null) throw brokenFault(this.#to);
    if (usage) this.#usage = usageOf(usage);
    const [choice] = choices ?? [];
    if (choice === undefined || this.#isFinished) return [];
    const pieces = [...this.#textOf(choice.delta?.content ?? ""), ...this.#callsOf(choice.delta?.tool_calls ?? [])];
    // A server that writes more than it was asked for.
    if (choice.finish_reason || this.#text.isOver || this.#pieces >= this.#maxTokens) pieces.push(...this.#finish());
    return pieces;
  }

  /** After the last piece. @throws OakError when a call was not made: it is cut, not readable, or of a tool that does not exist. */
  requireWhole(): void {
    if (!this.#isFinished) throw brokenFault(this.#to);
    const fault = this.#calls.fault ?? this.#text.fault;
    if (fault !== undefined && this.#mayCall) throw callFault(fault, `The ${this.#to.name} at ${this.#to.host}`);
  }

  #chunk(event: string): ChatChunk {
    try {
      return chatChunkSchema.parse(JSON.parse(event));
    } catch {
      throw answerFault(this.#to, "an event that is not part of a chat completion");
    }
  }

  #textOf(content: string): (string | ToolCall)[] {
    // Text after a call would guess its result.
    if (content === "" || this.#calls.hasBegun) return [];
    this.#pieces += 1;
    return this.#found(this.#text.push(content));
  }

  #found(pieces: readonly (string | FoundCall)[]): (string | ToolCall)[] {
    return pieces.flatMap<string | ToolCall>((piece) => {
      if (typeof piece === "string") return [piece];
      const call = this.#made.add(piece.tool.name, piece.args);
      return call === undefined ? [] : [call];
    });
  }

  #callsOf(
    deltas: NonNullable<NonNullable<NonNullable<ChatChunk["choices"]>[number]["delta"]>["tool_calls"]>,
  ): ToolCall[] {
    return this.#mayCall ? deltas.flatMap((delta) => this.#calls.push(delta)) : [];
  }

  #finish(): (string | ToolCall)[] {
    if (this.#isFinished) return [];
    this.#isFinished = true;
    return [...this.#found(this.#text.end()), ...this.#calls.end()];
  }
}
