import type { CallRecordConfig } from "../config/server-config.ts";
import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import type { Emit } from "../conversation/events.ts";
import type { LanguageModel } from "../engines/llm/language-model.ts";
import { Egress } from "../egress/egress.ts";
import type { AllowedHost } from "../egress/host-rules.ts";
import { signingKey } from "../egress/webhook-signature.ts";
import { systemClock, type Clock } from "../shared/clock.ts";
import { errorCode, errorMessage, OakError } from "../shared/errors.ts";
import { readSecret } from "../shared/files/secret.ts";
import type { Log } from "../shared/log.ts";
import { settledWithin } from "../shared/settled-within.ts";
import { Tasks } from "../shared/tasks.ts";
import { NoteTaker } from "./after-call/note-taker.ts";
import { CallRecorder } from "./call-recorder.ts";
import type { EndedCall, OpenCall, RecordPlace } from "./record-place.ts";
import { newRecordId, outboxFolder, partName, type RecordPart } from "./store/record-layout.ts";
import type { WordsLine } from "./store/record-lines.ts";
import { processName, RecordStore } from "./store/record-store.ts";
import { RecordWriter, type RecordFile } from "./store/record-writer.ts";
import { sweep, type RetentionDays } from "./store/retention.ts";
import { callMessage } from "./webhook/call-message.ts";
import { eraseOutbox, Outbox } from "./webhook/outbox.ts";

const SWEEP_MS = 3_600_000;
/** How long a server that stops waits for the disk. */
const CLOSE_MS = 5_000;

export interface CallRecordsOptions {
  readonly config: CallRecordConfig;
  readonly allowedHosts: readonly AllowedHost[];
  /** The configurations that are in force now. */
  readonly voices: () => readonly VoiceConfiguration[];
  readonly log: Log;
  readonly clock?: Clock;
  readonly now?: () => Date;
}

export interface RecordedCall {
  /** That of the present or last connection. */
  readonly connectionId: string;
  readonly owner: string;
  readonly voice: VoiceConfiguration;
  readonly traceparent?: (() => string | undefined) | undefined;
}

/** The records of a server: makes one for each call whose configuration wants it, and enforces their retention. */
export class CallRecords implements RecordPlace {
  readonly store: RecordStore;
  readonly #options: CallRecordsOptions;
  readonly #clock: Clock;
  readonly #now: () => Date;
  readonly #writer: RecordWriter;
  readonly #outbox: Outbox | undefined;
  readonly #egress: Egress;
  readonly #open = new Map<string, OpenCall>();
  /** Records of calls that are over, whose notes and messages are being made. */
  readonly #finishing = new Map<string, { readonly done: Promise<void>; readonly erased: AbortController }>();
  readonly #scope = new AbortController();
  /** The notes of calls that are over end with it, their webhook messages do not. */
  readonly #closing = new AbortController();
  readonly #notes: NoteTaker;
  #modelOf: ((voice: VoiceConfiguration) => LanguageModel) | undefined;
  readonly #tasks: Tasks;
  readonly #process = processName();
  #cancelSweep: (() => void) | undefined;
  isStopping = false;

  private constructor(store: RecordStore, options: CallRecordsOptions) {
    const { config, allowedHosts, log, clock = systemClock, now = () => new Date() } = options;
    this.store = store;
    this.#options = options;
    this.#clock = clock;
    this.#now = now;
    this.#writer = new RecordWriter(store.key, clock, log);
    this.#notes = new NoteTaker(clock, log, this.#closing.signal);
    this.#egress = new Egress(allowedHosts);
    this.#tasks = new Tasks((error) => log.error({ code: errorCode(error) }, errorMessage(error)));
    const { webhook } = config;
    if (webhook !== undefined)
      this.#outbox = new Outbox({
        folder: outboxFolder(store.folder),
        key: store.key,
        url: new URL(webhook.url),
        signingKey: webhookKey(webhook),
        egress: this.#egress,
        clock,
        nowMs: () => this.#now().getTime(),
        log,
      });
  }

  /**
   * Opens the store, erases what is due, and goes on with webhook messages that wait.
   * @throws OakError `RECORD_KEY_INVALID`, `RECORD_UNWRITABLE` or `CONFIG_INVALID`.
   */
  static async open(options: CallRecordsOptions): Promise<CallRecords> {
    const { dir, keyFile } = options.config;
    const records = new CallRecords(await RecordStore.open(dir, keyFile), options);
    await records.#sweep();
    if (records.#outbox === undefined) await eraseOutbox(outboxFolder(records.store.folder));
    else await records.#outbox.resume();
    return records;
  }

  /** The language models have started: they write the notes of calls that are over. */
  useModels(modelOf: (voice: VoiceConfiguration) => LanguageModel): void {
    this.#modelOf = modelOf;
  }

  get lostBlocks(): number {
    return this.#writer.lostBlocks;
  }

  get pendingBytes(): number {
    return this.#writer.pendingBytes;
  }

  get waitingWebhooks(): number {
    return this.#outbox?.size ?? 0;
  }

  /** The recorder of a new call. Undefined: its configuration keeps no record. */
  recorder(call: RecordedCall, emit: Emit): CallRecorder | undefined {
    const { owner, voice, traceparent } = call;
    if (voice.record === undefined) return undefined;
    return new CallRecorder({
      voice,
      settings: voice.record,
      connectionId: () => call.connectionId,
      owner,
      processName: this.#process,
      place: this,
      clock: this.#clock,
      now: this.#now,
      emit,
      traceparent,
    });
  }

  create(parts: readonly RecordPart[], call?: OpenCall): { id: string; files: Map<RecordPart, RecordFile> } {
    const id = newRecordId(this.#now());
    const files = new Map(
      parts.map((part) => [part, this.#writer.create(this.store.path(id, part), partName(id, part))]),
    );
    if (call !== undefined) this.#open.set(id, call);
    return { id, files };
  }

  eraseOpen(id: string): void {
    this.#open.delete(id);
    this.#tasks.own(this.#erase([id], "caller"));
  }

  ended(call: EndedCall): void {
    const { id } = call;
    this.#open.delete(id);
    const erased = new AbortController();
    const done = this.#finish(call, erased.signal).finally(() => this.#finishing.delete(id));
    this.#finishing.set(id, { done, erased });
    this.#tasks.own(done);
  }

  /** Removes records, also those of calls that go on. Returns the ids that were there. @throws OakError `RECORD_UNWRITABLE`. */
  erase(ids: readonly string[], by: string): Promise<string[]> {
    for (const id of ids) this.#open.get(id)?.erased();
    for (const id of ids) this.#open.delete(id);
    return this.#erase(ids, by);
  }

  /** Writes all that waits. For tests and for `close`. */
  async flush(): Promise<void> {
    await this.#writer.flush();
    await this.#tasks.settled();
  }

  async close(): Promise<void> {
    this.#cancelSweep?.();
    this.#closing.abort();
    await settledWithin(
      this.#tasks.settled().then(() => this.#writer.close()),
      CLOSE_MS,
      this.#clock,
      this.#scope.signal,
    );
    this.#scope.abort();
    await this.#outbox?.close();
    await this.#egress.close();
  }

  async #erase(ids: readonly string[], by: string): Promise<string[]> {
    for (const id of ids) this.#finishing.get(id)?.erased.abort();
    // A write that is under way would make a file again.
    await this.#writer.flush();
    // Their messages would be made again.
    await Promise.allSettled(ids.flatMap((id) => this.#finishing.get(id)?.done ?? []));
    for (const id of ids) this.#outbox?.forget(id);
    return await this.store.eraseRecords(ids, by);
  }

  async #finish({ id, voice, notes: file, traceparent }: EndedCall, erased: AbortSignal): Promise<void> {
    if (file !== undefined) {
      try {
        const notes = await this.#notesOf(id, voice, erased);
        const line: WordsLine | undefined = notes && { type: "notes", ...notes };
        if (line !== undefined && !erased.aborted) file.add(Buffer.from(JSON.stringify(line)));
      } finally {
        if (erased.aborted) file.abandon();
        else file.end();
      }
    }
    if (!erased.aborted) await this.#announce(id, traceparent);
  }

  async #notesOf(id: string, voice: VoiceConfiguration, erased: AbortSignal) {
    const model = this.#modelOf?.(voice);
    const { record: settings } = voice;
    if (settings === undefined || model === undefined) return undefined;
    await this.#writer.flush();
    const record = await this.store.content(id);
    if (record === undefined) return undefined;
    const notes = await this.#notes.write({ record, settings, model }, erased);
    return { atMs: record.durationMs ?? 0, ...notes };
  }

  /** Puts the message about a call into the outbox. */
  async #announce(id: string, traceparent: string | undefined): Promise<void> {
    const { webhook } = this.#options.config;
    if (webhook === undefined || this.#outbox === undefined) return;
    await this.#writer.flush();
    const record = await this.store.content(id);
    if (record !== undefined) await this.#outbox.add(id, callMessage(record, webhook.fields), traceparent);
  }

  async #sweep(): Promise<void> {
    const { log } = this.#options;
    const voices = new Map(this.#options.voices().map(({ config_id: id, record }) => [id, record?.retention_days]));
    try {
      const retentionOf = (configId: string): RetentionDays | undefined => voices.get(configId);
      const files = await sweep({ store: this.store, retentionOf, log, nowMs: this.#now().getTime() });
      if (files > 0) log.info({ files }, "call records expired");
      const { auditDays } = this.#options.config;
      await this.store.audit.expire(auditDays, this.#now().getTime());
    } catch (error) {
      log.error({ code: errorCode(error) }, errorMessage(error));
    }
    if (this.#scope.signal.aborted) return;
    this.#cancelSweep = this.#clock.after(SWEEP_MS, () => this.#tasks.own(this.#sweep()));
  }
}

/** @throws OakError `CONFIG_INVALID`. */
export function webhookKey({ secret_file, secret_env }: NonNullable<CallRecordConfig["webhook"]>): Buffer {
  try {
    const secret = readSecret({ file: secret_file, variable: secret_env }, process.cwd());
    return signingKey(secret?.text ?? "");
  } catch (cause) {
    throw new OakError(`call_record.webhook: ${errorMessage(cause)}.`, { code: "CONFIG_INVALID", cause });
  }
}
