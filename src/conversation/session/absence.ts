import type { ToolCall } from "../../engines/llm/language-model.ts";
import type { Ear } from "../ear/ear.ts";
import type { ReplyRequest, ReplyRequests } from "../reply/reply-requests.ts";
import type { Initiative } from "../reply/initiative.ts";
import type { Responder } from "../reply/responder.ts";
import type { Arrived } from "../reply/speech/sent-speech.ts";
import type { Restored } from "./session-interface.ts";
import type { SessionSnapshot } from "./session-snapshot.ts";
import type { SessionSettings } from "../../config/settings/session-settings.ts";
import type { ClientTools } from "../tool-calls/client-tools.ts";
import type { KeptState, KeptTimers } from "../tool-calls/tool.ts";
import type { ToolRunner } from "../tool-calls/tool-runner.ts";
import type { TurnController } from "../turn/turn-controller.ts";
import { GREETING_TURN } from "../turn/machine/turn-state.ts";

export interface AbsenceParts {
  readonly turn: TurnController;
  readonly responder: Responder;
  readonly requests: ReplyRequests;
  readonly initiative: Initiative;
  readonly clientTools: ClientTools;
  readonly tools: ToolRunner;
  readonly ear: Ear;
  readonly toolState: () => KeptState | undefined;
  readonly timers: () => KeptTimers | undefined;
  readonly settings: () => SessionSettings;
  /** The words so far of a turn that is under way, or is being decoded. */
  readonly openWords: () => string;
}

const UNKNOWN =
  "It is not known whether this call was carried out: the server was lost. Ask the caller before you try again.";

/** A session whose caller has lost the connection: it says nothing until they are back, and then goes on. */
export class Absence {
  readonly #parts: AbsenceParts;
  /** When the client was last heard from. Until then its speech arrived. */
  #aliveMs = 0;
  #owesReply = false;
  /** The rest of the reply that the loss cut. */
  #rest: ReplyRequest | undefined;
  /** Calls of the client from another box. */
  readonly #asked: ToolCall[] = [];

  constructor(parts: AbsenceParts) {
    this.#parts = parts;
  }

  begin(aliveMs: number): void {
    const { clientTools, turn } = this.#parts;
    this.#aliveMs = aliveMs;
    clientTools.pause();
    turn.dispatch({ type: "caller-left" });
  }

  /** Corrects the conversation to what the caller heard. */
  recover(pieces: number | undefined): Restored {
    const { responder, initiative, clientTools, tools, timers } = this.#parts;
    const arrived: Arrived = pieces === undefined ? { untilMs: this.#aliveMs } : { pieces };
    const { cut, owesReply, request, delaysAnswer } = responder.recover(arrived);
    const owed = this.#owedRequest;
    const isAnswerOwed = owed !== undefined && owed.text === undefined;
    if (owesReply) initiative.giveWay(delaysAnswer || isAnswerOwed || this.#owesReply);
    this.#owesReply ||= owesReply;
    this.#rest = request ?? this.#rest;
    const calls = [...tools.running, ...this.#asked].map(({ id, name }) => ({
      id,
      name,
      isClients: clientTools.has(name),
    }));
    const { size: messages, unansweredWords } = responder.history;
    return { messages, unansweredWords, reply: cut, calls, timers: timers()?.list() ?? [] };
  }

  /** The request whose reply the caller has not heard. */
  get #owedRequest(): ReplyRequest | undefined {
    const { requests, turn } = this.#parts;
    const { reply, owed } = turn.state;
    const number = (reply.name === "thinking" && !reply.isSide ? reply.request : undefined) ?? owed?.request;
    return number === undefined ? undefined : requests.get(number);
  }

  /** For another box. */
  snapshot(): SessionSnapshot {
    const { turn, responder, initiative, tools, toolState, timers, settings, openWords } = this.#parts;
    const { reply, owed, pendingFinals, user, nextTurn } = turn.state;
    const isOwed = owed !== undefined;
    const owesGreeting = nextTurn === GREETING_TURN + 1 && (isOwed || reply.name === "thinking");
    const unheard = this.#rest ?? this.#owedRequest;
    const { unheardText, ...own } = responder.snapshot(reply.name === "speaking", unheard, owesGreeting);
    const { texts, owesAnswer, ending } = initiative.snapshot;
    const inTurn = user.name === "talking" || user.name === "pausing" || pendingFinals.length > 0;
    const words = inTurn ? openWords() : "";
    const isThinking = reply.name === "thinking" && !reply.isSide && unheardText === undefined;
    return {
      ...own,
      history: words === "" ? own.history : [...own.history, { key: "", role: "user", text: words, note: "" }],
      unheardText: undefined,
      settings: settings(),
      texts: unheardText === undefined || initiative.isToolSpeaking ? texts : [unheardText, ...texts],
      owesAnswer: this.#owesReply || owesAnswer || (isOwed && unheardText === undefined) || isThinking || words !== "",
      ending,
      calls: [...tools.running, ...this.#asked],
      toolState: toolState()?.get(),
      timers: timers()?.list() ?? [],
    };
  }

  /** Goes on with a conversation of another box, whose caller is away. `recover` and `end` follow. */
  restore(snapshot: SessionSnapshot, ageMs: number): void {
    const { responder, initiative, clientTools, tools, toolState, timers } = this.#parts;
    this.#aliveMs = Infinity;
    responder.restore(snapshot);
    for (const text of snapshot.texts) initiative.announce(text, "next");
    if (snapshot.ending !== undefined) initiative.endAfterReply(snapshot.ending);
    if (snapshot.toolState !== undefined) toolState()?.restore(snapshot.toolState);
    timers()?.restore(snapshot.timers.map((timer) => ({ ...timer, leftMs: timer.leftMs - ageMs })));
    for (const call of snapshot.calls) {
      if (clientTools.has(call.name) && tools.has(call.name)) this.#asked.push(call);
      else {
        responder.history.setResult(call.id, UNKNOWN);
        initiative.oweAnswer();
      }
    }
    this.#owesReply = snapshot.owesAnswer;
  }

  end(): void {
    const { ear, clientTools, tools, initiative, turn, requests } = this.#parts;
    ear.reconnect();
    clientTools.resume();
    // The client carries out a call with the same id only once.
    for (const call of this.#asked.splice(0)) tools.start(call, 0);
    const owesReply = this.#owesReply;
    const rest = this.#rest;
    this.#owesReply = false;
    this.#rest = undefined;
    turn.dispatch({ type: "caller-back", owesReply, ...(rest && { request: requests.add(rest) }) });
    if (tools.isBusy) initiative.toolStarted();
  }
}
