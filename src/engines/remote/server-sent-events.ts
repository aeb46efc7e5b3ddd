import { AnswerRefused } from "../../egress/reasons.ts";

/** A tool call in one piece is the longest event. */
const MAX_EVENT_CHARS = 262_144;
const LF = 10;
const CR = 13;

/** Finds the `data` of each event in an event stream. Comments, names and ids are dropped. */
export class ServerSentEvents {
  readonly #decoder = new TextDecoder();
  #line = "";
  #data: string | undefined;

  /** Events that this chunk completes. @throws AnswerRefused for a line or an event that is too long. */
  push(chunk: Uint8Array): string[] {
    const events: string[] = [];
    this.#line += this.#decoder.decode(chunk, { stream: true });
    this.#requireShort();
    // Most long lines come in many chunks. Only the last one is searched.
    if (!chunk.includes(LF) && !chunk.includes(CR)) return events;
    // A CR at the end may belong to an LF in the next chunk.
    const lines = this.#line.split(/\r\n|\n|\r(?!$)/u);
    this.#line = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        if (this.#data !== undefined) events.push(this.#data);
        this.#data = undefined;
      } else if (line.startsWith("data:")) {
        const value = line.slice(line.startsWith("data: ") ? 6 : 5);
        this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
      }
    }
    return events;
  }

  #requireShort(): void {
    if (this.#line.length + (this.#data?.length ?? 0) > MAX_EVENT_CHARS)
      throw new AnswerRefused("an event that is too long");
  }
}
