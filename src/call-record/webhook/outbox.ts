import { existsSync } from "node:fs";
import { mkdir, open, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Egress } from "../../egress/egress.ts";
import { reasonOf } from "../../egress/causes.ts";
import { webhookHeaders } from "../../egress/webhook-signature.ts";
import { backOffMs, type BackOff } from "../../shared/back-off.ts";
import type { Clock } from "../../shared/clock.ts";
import { errorMessage } from "../../shared/errors.ts";
import type { Log } from "../../shared/log.ts";
import { Tasks } from "../../shared/tasks.ts";
import type { RecordKey } from "../store/record-key.ts";
import { eraseFile } from "../store/record-store.ts";
import { SealedReader, Sealer } from "../store/sealed-file.ts";

const DAY_MS = 86_400_000;
/** Up to half an hour between attempts: a receiver that was down for an hour gets the message soon after. */
const RETRY: BackOff = { firstMs: 10_000, longestMs: 1_800_000, attempts: Infinity };
const TIMEOUT_MS = 15_000;
const MOST_AT_ONCE = 4;
/** The receiver does not want this message, or any. */
const GONE = 410;

const messageSchema = z.strictObject({
  id: z.string(),
  createdMs: z.number(),
  body: z.string(),
  /** The call's position in a trace. */
  traceparent: z.exactOptional(z.string()),
});
type Message = z.output<typeof messageSchema>;

export interface OutboxOptions {
  readonly folder: string;
  readonly key: RecordKey;
  readonly url: URL;
  readonly signingKey: Buffer;
  readonly egress: Pick<Egress, "fetch">;
  readonly clock: Clock;
  /** Unix time. */
  readonly nowMs: () => number;
  readonly log: Log;
}

export type DeliveryResult = "delivered" | "gone" | { readonly failure: string };

/** Messages about calls, encrypted on the disk until the receiver has them, for a day at most. */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #scope = new AbortController();
  readonly #tasks: Tasks;
  readonly #timers = new Map<string, () => void>();
  readonly #attempts = new Map<string, { readonly failed: number; readonly firstMs: number }>();
  readonly #waiting: string[] = [];
  #running = 0;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#tasks = new Tasks((error) => options.log.error({ fault: errorMessage(error) }, "a webhook message failed"));
  }

  /** Continues with the messages of an earlier process. */
  async resume(): Promise<void> {
    const { folder } = this.#options;
    const names = existsSync(folder) ? await readdir(folder) : [];
    for (const name of names) {
      if (name.endsWith(".tmp")) await eraseFile(join(folder, name));
      else if (name.endsWith(".oak")) this.#enqueue(name.slice(0, -".oak".length));
    }
  }

  /** @param id The record's id, which is the message's id too. @param traceparent A header of the request. @throws when the disk does not take it. */
  async add(id: string, body: string, traceparent?: string): Promise<void> {
    const { folder, key, nowMs } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const sealer = new Sealer(key, nameOf(id));
    const message: Message = { id, createdMs: nowMs(), body, ...(traceparent === undefined ? {} : { traceparent }) };
    const path = this.#path(id);
    const file = await open(`${path}.tmp`, "wx", 0o600);
    try {
      await file.writeFile(Buffer.concat([sealer.head, sealer.seal(Buffer.from(JSON.stringify(message)))]));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.tmp`, path);
    this.#enqueue(id);
  }

  /** The record is being erased, and the message with it. */
  forget(id: string): void {
    this.#timers.get(id)?.();
    this.#timers.delete(id);
    this.#attempts.delete(id);
  }

  get size(): number {
    return this.#timers.size + this.#waiting.length + this.#running;
  }

  async close(): Promise<void> {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#waiting.length = 0;
    this.#scope.abort();
    await this.#tasks.settled();
  }

  #path(id: string): string {
    return join(this.#options.folder, `${id}.oak`);
  }

  #enqueue(id: string): void {
    this.#waiting.push(id);
    this.#next();
  }

  #next(): void {
    while (this.#running < MOST_AT_ONCE && !this.#scope.signal.aborted) {
      const id = this.#waiting.shift();
      if (id === undefined) return;
      this.#running += 1;
      this.#tasks.own(
        this.#deliver(id).finally(() => {
          this.#running -= 1;
          this.#next();
        }),
      );
    }
  }

  async #deliver(id: string): Promise<void> {
    const { clock, nowMs, log, url } = this.#options;
    const message = await this.#read(id);
    if (message === undefined) return;
    const { failed, firstMs } = this.#attempts.get(id) ?? { failed: 0, firstMs: clock.nowMs() };
    // The second one for a wall clock that was wrong when the message was made.
    const isOld = nowMs() - message.createdMs > DAY_MS || clock.nowMs() - firstMs > DAY_MS;
    const result = isOld ? "gone" : await send(this.#options, message, this.#scope.signal);
    if (this.#scope.signal.aborted) return;
    if (typeof result === "string") {
      this.#attempts.delete(id);
      await eraseFile(this.#path(id));
      if (result === "delivered") log.info({ record: id }, "webhook delivered");
      else
        log.error(
          { record: id, host: url.host },
          isOld ? "webhook given up after a day" : "webhook refused with status 410",
        );
      return;
    }
    this.#attempts.set(id, { failed: failed + 1, firstMs });
    const waitMs = backOffMs(RETRY, Math.min(failed, 20), 1);
    log.warn({ record: id, reason: result.failure, retrySeconds: Math.round(waitMs / 1000) }, "webhook not delivered");
    if (!existsSync(this.#path(id))) return;
    const cancel = clock.after(waitMs, () => {
      this.#timers.delete(id);
      this.#enqueue(id);
    });
    this.#timers.set(id, cancel);
  }

  async #read(id: string): Promise<Message | undefined> {
    if (!existsSync(this.#path(id))) return undefined;
    await using reader = await SealedReader.open(this.#path(id), this.#options.key, nameOf(id));
    const first = (await reader?.blocks().next())?.value;
    return first === undefined ? undefined : messageSchema.parse(JSON.parse(first.content.toString()));
  }
}

/** Messages of a webhook that the operator no longer has: no one sends them, and no retention finds them. */
export async function eraseOutbox(folder: string): Promise<void> {
  for (const name of existsSync(folder) ? await readdir(folder) : []) await eraseFile(join(folder, name));
}

const nameOf = (id: string) => `outbox/${id}`;

/** One attempt. */
export async function send(
  { url, signingKey, egress, nowMs }: Pick<OutboxOptions, "url" | "signingKey" | "egress" | "nowMs">,
  { id, body, traceparent }: Omit<Message, "createdMs">,
  closing: AbortSignal,
): Promise<DeliveryResult> {
  const signal = AbortSignal.any([closing, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const {
      ok,
      status,
      body: answer,
    } = await egress.fetch(url, {
      method: "POST",
      headers: { ...webhookHeaders(signingKey, id, body, nowMs()), ...(traceparent && { traceparent }) },
      body,
      signal,
    });
    await answer?.cancel();
    if (ok) return "delivered";
    return status === GONE ? "gone" : { failure: `${url.host}: status ${String(status)}` };
  } catch (error) {
    return { failure: reasonOf(url.host, error).message };
  }
}
