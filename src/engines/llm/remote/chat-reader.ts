import { answerFault, brokenFault, RemoteFault, type RemoteModel } from "../../remote/remote-fault.ts";
import { OakError } from "../../../shared/errors.ts";
import type { GenerateRequest, ToolCall } from "../language-model.ts";
import { callMarks } from "../call-marks.ts";
import { CallAssembler } from "./call-assembler.ts";
import { type ChatChunk, chatChunkSchema, type Usage, usageOf } from "./chat-chunk.ts";
import { SpokenText } from "./spoken-text.ts";

const DONE = "[DONE]";

/** Makes text and calls of the events of a streamed reply. */
export class ChatReader {
  readonly #to: RemoteModel;
  readonly #maxTokens: number;
  readonly #text: SpokenText;
  readonly #calls: CallAssembler;
  #pieces = 0;
  #isFinished = false;
  #wasCut = false;
  #usage: Usage | undefined;

  constructor(to: RemoteModel, { tools, toolChoice, maxTokens }: GenerateRequest) {
    this.#to = to;
    this.#maxTokens = maxTokens;
    this.#text = new SpokenText(callMarks(tools));
    this.#calls = new CallAssembler(toolChoice === "none" ? [] : tools);
  }

  /** All text and calls have come. The count of tokens may follow. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** A call has begun. Its pieces come before it is whole. */
  get isCalling(): boolean {
    return this.#calls.hasBegun;
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
    this.#wasCut = choice.finish_reason === "length";
    // A server that writes more than it was asked for.
    if (choice.finish_reason || this.#pieces >= this.#maxTokens) pieces.push(...this.#finish());
    return pieces;
  }

  /** After the last piece. @throws OakError `LLM_CALL_INCOMPLETE`. */
  requireWhole(): void {
    if (!this.#isFinished) throw brokenFault(this.#to);
    if (this.#calls.failed === 0) return;
    const message = this.#wasCut
      ? "A tool call exceeds the longest length of a reply and was dropped."
      : `The ${this.#to.name} at ${this.#to.host} wrote a tool call whose arguments are not JSON. It was dropped.`;
    throw new OakError(message, { code: "LLM_CALL_INCOMPLETE" });
  }

  #chunk(event: string): ChatChunk {
    try {
      return chatChunkSchema.parse(JSON.parse(event));
    } catch {
      throw answerFault(this.#to, "an event that is not part of a chat completion");
    }
  }

  #textOf(content: string): string[] {
    // Text after a call would guess its result.
    if (content === "" || this.#calls.hasBegun) return [];
    this.#pieces += 1;
    const text = this.#text.push(content);
    if (this.#text.hasCall) throw callAsText(this.#to);
    return text === "" ? [] : [text];
  }

  #callsOf(
    deltas: NonNullable<NonNullable<NonNullable<ChatChunk["choices"]>[number]["delta"]>["tool_calls"]>,
  ): ToolCall[] {
    return deltas.flatMap((delta) => this.#calls.push(delta));
  }

  #finish(): (string | ToolCall)[] {
    if (this.#isFinished) return [];
    this.#isFinished = true;
    const text = this.#text.end();
    return [...(text === "" ? [] : [text]), ...this.#calls.end()];
  }
}

const callAsText = ({ name, host, setting }: RemoteModel): RemoteFault =>
  new RemoteFault(
    "ENGINE_UNAVAILABLE",
    `The ${name} server at ${host} writes tool calls as text: start it with a parser for the calls of its model (${setting}; vLLM: --enable-auto-tool-choice --tool-call-parser, SGLang: --tool-call-parser, llama-server: --jinja).`,
    { retryable: false },
  );
