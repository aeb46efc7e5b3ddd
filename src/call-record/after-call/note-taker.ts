import { addAbortListener } from "node:events";
import type { RecordSettings } from "../../config/call-record-settings.ts";
import type { LanguageModel, LanguageSession } from "../../engines/llm/language-model.ts";
import { AbortScope } from "../../shared/abort-scope.ts";
import type { Clock } from "../../shared/clock.ts";
import { errorCode, OakError } from "../../shared/errors.ts";
import type { Log } from "../../shared/log.ts";
import { redactJson } from "../redaction/redact-json.ts";
import { Redactor, type RedactionContext } from "../redaction/redactor.ts";
import type { RecordContent } from "../store/record-store.ts";
import type { CallNotes, NotesFault } from "../store/record-lines.ts";
import { notesTranscript, writeFields, writeSummary } from "./call-notes.ts";

/** From the end of a call on, with the time that it waits for others. */
const LIMIT_MS = 180_000;
/** A caller took the model's last place. */
const RETRY_MS = 5_000;
const MOST_WAITING = 100;

export interface FinishedCall {
  readonly record: RecordContent;
  readonly settings: RecordSettings;
  readonly model: LanguageModel;
}

/** Writes the notes of calls that are over, one call at a time. */
export class NoteTaker {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #closing: AbortSignal;
  #before: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** @param closing The server stops. */
  constructor(clock: Clock, log: Log, closing: AbortSignal) {
    this.#clock = clock;
    this.#log = log;
    this.#closing = closing;
  }

  /** Resolves within a bounded time also when the model fails. @param erased The record is erased. Then the notes are void. */
  async write(call: FinishedCall, erased: AbortSignal): Promise<CallNotes> {
    if (this.#waiting >= MOST_WAITING) return { fault: "too many calls" };
    using scope = new AbortScope(this.#closing);
    using _ = addAbortListener(erased, () => scope.abort(erased.reason));
    const cancel = this.#clock.after(LIMIT_MS, () => scope.abort(new OakError("The notes took too long.", { code: "ENGINE_TIMEOUT" }))); // prettier-ignore
    const notes: { summary?: string; fields?: unknown } = {};
    this.#waiting += 1;
    const own = this.#before.then(() => this.#write(call, notes, scope.signal));
    this.#before = own.catch(() => undefined);
    try {
      await raceAbort(own, scope.signal);
      const isUnfit = call.settings.after_call?.fields !== undefined && notes.fields === undefined;
      return isUnfit ? { ...notes, fault: "unfit" } : notes;
    } catch (error) {
      const fault = this.#faultOf(scope.signal);
      this.#log.warn({ record: call.record.id, fault, code: errorCode(error) }, "a call has no notes");
      return { ...notes, fault };
    } finally {
      cancel();
      this.#waiting -= 1;
    }
  }

  #faultOf(signal: AbortSignal): NotesFault {
    if (this.#closing.aborted) return "server stopped";
    return signal.aborted ? "too late" : "failed";
  }

  async #write(
    { record, settings, model }: FinishedCall,
    notes: { summary?: string; fields?: unknown },
    signal: AbortSignal,
  ): Promise<void> {
    const { summary, fields } = settings.after_call ?? {};
    const transcript = notesTranscript(record.words);
    if (transcript === "") return;
    const redactor = new Redactor(settings.redact);
    const context: RedactionContext = { speaker: "assistant", language: record.language ?? "en" };
    if (summary === true)
      notes.summary = redactor.redact(
        await this.#ask(model, signal, (chat) => writeSummary(chat, transcript, signal)),
        context,
      ).text;
    if (fields === undefined) return;
    const written = await this.#ask(model, signal, (chat) => writeFields(chat, fields, transcript, signal));
    if (written !== undefined) notes.fields = JSON.parse(redactJson(JSON.stringify(written), redactor, context));
  }

  /** Asks again when a caller took the model's last place. */
  async #ask<Result>(
    model: LanguageModel,
    signal: AbortSignal,
    ask: (chat: LanguageSession) => Promise<Result>,
  ): Promise<Result> {
    for (;;) {
      signal.throwIfAborted();
      let chat: LanguageSession | undefined;
      try {
        chat = model.openBackground?.() ?? model.open();
        return await ask(chat);
      } catch (error) {
        if (errorCode(error) !== "LLM_BUSY") throw error;
      } finally {
        chat?.close();
      }
      let cancel!: () => void;
      const pause = new Promise<void>((resolve) => (cancel = this.#clock.after(RETRY_MS, resolve)));
      await raceAbort(pause, signal).finally(() => cancel());
    }
  }
}

/** Rejects with the signal's reason as soon as it aborts. */
async function raceAbort<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let stop!: () => void;
  const aborted = new Promise<never>((_, reject) => (stop = () => reject(signal.reason as Error)));
  using _ = addAbortListener(signal, stop);
  return await Promise.race([work, aborted]);
}
