import type { ServerData } from "../doors/voice/server-messages.ts";
import type { Call } from "./call.ts";
import { byId, element } from "./dom.ts";
import { Replies, type Reply } from "./replies.ts";

type Transcription = ServerData["transcription"];
type Word = Transcription["words"][number];

/** Confidence below which a word is marked as unsure, or as a guess. */
const UNSURE = 0.8;
const GUESS = 0.5;

interface UserTurn {
  readonly item: HTMLElement;
  readonly text: HTMLElement;
  /** Words of the finished segments of a long turn. */
  readonly earlier: Word[];
}

/** Shows what both sides said. */
export class Conversation {
  readonly #list = byId("conversation");
  /** Open turns, oldest first. The caller may speak again before the last turn's words have arrived. */
  #turns: UserTurn[] = [];
  /** A turn with words but without `turn_start`, which the voice configuration can suppress. */
  #untold: UserTurn | undefined;
  #replies = new Map<string, HTMLElement>();

  constructor() {
    // Keep the newest line visible unless the reader has scrolled away.
    let sticks = true;
    const list = this.#list;
    list.addEventListener("scroll", () => (sticks = list.scrollHeight - list.scrollTop - list.clientHeight < 40));
    new MutationObserver(() => {
      if (sticks) list.scrollTop = list.scrollHeight;
    }).observe(list, { childList: true, subtree: true });
  }

  attach(call: Call): void {
    this.#list.replaceChildren();
    this.#turns = [];
    this.#untold = undefined;
    this.#replies = new Map();
    call.client.on("turn_start", () => this.#turns.push(this.#addTurn()));
    call.client.on("transcription", (transcription) => this.#transcribe(transcription));
    call.client.on("turn_end", ({ transcript, duration }) => {
      const turn = this.#turns.shift();
      if (transcript === "") turn?.item.remove();
      else turn?.item.append(element("span", { class: "aside" }, `${duration.toFixed(1)} s of speech`));
    });
    let isLost = false;
    call.client.on("retry", () => {
      if (!isLost) this.note("The connection was lost.");
      isLost = true;
    });
    call.client.on("connection_metadata", ({ resumed = false }) => {
      if (!isLost) return;
      isLost = false;
      this.#endTurns(resumed === false ? undefined : resumed.unanswered_words);
      this.note(resumed === false ? "A new conversation begins." : "The conversation goes on.");
    });
    new Replies(call).on("reply", (reply) => this.#showReply(reply));
  }

  note(text: string): void {
    this.#add("note", element("p", {}, text));
  }

  /** The new connection does not complete the turns of the lost one. `words`: those of the last one. */
  #endTurns(words: string | undefined): void {
    const open = [...this.#turns.splice(0), ...(this.#untold === undefined ? [] : [this.#untold])];
    this.#untold = undefined;
    const last = words === undefined ? undefined : open.pop();
    last?.text.replaceChildren(words ?? "");
    last?.item.classList.remove("open");
    for (const turn of open) turn.item.remove();
  }

  #transcribe(transcription: Transcription): void {
    const { words, transcript, accumulated_transcript, is_final, is_speech_final, is_turn_incomplete } = transcription;
    // A back-channel.
    if (!is_speech_final && !is_turn_incomplete) {
      if (transcript !== "") this.note(`You, in passing: “${transcript}”`);
      return;
    }
    const told = is_speech_final ? this.#turns[0] : this.#turns.at(-1);
    const turn = told ?? (this.#untold ??= this.#addTurn());
    if (is_speech_final) this.#untold = undefined;
    const shown = [...turn.earlier, ...words];
    const isWhole = shown.map(({ word }) => word).join(" ") === accumulated_transcript;
    turn.text.replaceChildren(...(isWhole ? wordElements(shown) : [accumulated_transcript]));
    if (is_final && !is_speech_final) turn.earlier.push(...words);
    turn.item.classList.toggle("open", !is_speech_final);
  }

  #addTurn(): UserTurn {
    const text = element("p", {}, "…");
    return { item: this.#add("you open", element("h3", {}, "You"), text), text, earlier: [] };
  }

  #showReply({ id, text, spoken, isTextOver, isStopped }: Reply): void {
    const known = this.#replies.get(id);
    // A reply without words failed or was dropped.
    if (text === "") return;
    const shown = known ?? this.#add("box", element("h3", {}, "Oakvoice"), element("p"));
    if (known === undefined) {
      this.#replies.set(id, shown);
    }
    const rest = text.slice(spoken);
    const said = element("span", { class: "said" }, text.slice(0, spoken));
    const toCome = isStopped ? element("s", { class: "unheard" }, rest) : element("span", { class: "coming" }, rest);
    shown.querySelector("p")?.replaceChildren(said, ...(rest === "" ? [] : [toCome]));
    shown.classList.toggle("open", !isTextOver || (rest !== "" && !isStopped));
    if (isStopped && shown.querySelector(".aside") === null)
      shown.append(element("span", { class: "aside" }, spoken === 0 ? "not spoken" : "interrupted"));
  }

  #add(kind: string, ...content: Node[]): HTMLElement {
    const item = element("li", { class: kind }, ...content);
    this.#list.append(item);
    return item;
  }
}

function wordElements(words: readonly Word[]): Node[] {
  return words.flatMap(({ word, confidence }, index) => {
    const space = index === 0 ? [] : [document.createTextNode(" ")];
    if (confidence >= UNSURE) return [...space, document.createTextNode(word)];
    const title = `recognised with a confidence of ${String(Math.round(confidence * 100))} %`;
    return [...space, element("span", { class: confidence < GUESS ? "guess" : "unsure", title }, word)];
  });
}
