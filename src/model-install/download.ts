import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AbortScope } from "../shared/abort-scope.ts";
import { errorMessage, OakError } from "../shared/errors.ts";
import { asFileError, fileErrorReason } from "../shared/file-error.ts";
import { makeFolder } from "../shared/make-folder.ts";
import { httpGet, RedirectRefused } from "./http-get.ts";

export interface DownloadRequest {
  readonly url: string;
  /** The file to be; what has come so far is kept beside it as `<target>.part`. */
  readonly target: string;
  /** Of the whole file, lower-case hex. Nothing else is ever put in place. */
  readonly sha256: string;
  /** More than this is not the file, and must not fill the disk. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Bytes on disk so far, and of the whole file where the server says. */
  readonly onProgress?: (bytes: number, total: number | undefined) => void;
  /** A server that sends nothing for so long is given up, ms. */
  readonly stallMs?: number;
  /** Wait before the first new try, doubled for each one after it, ms. */
  readonly backoffMs?: number;
}

const STALL_MS = 30_000;
const BACKOFF_MS = 1_000;
/** Tries in a row that brought nothing new. */
const MAX_FRUITLESS_TRIES = 5;

/** A fault that another try may not have. */
class Transient extends Error {}

/**
 * Fetches one file: goes on where an earlier try ended, follows redirects, and puts the file in place only when it is whole.
 * @throws OakError `DOWNLOAD_FAILED` (says what the server did), `CHECKSUM_WRONG`; `signal.reason` on abort.
 */
export async function downloadFile(request: DownloadRequest): Promise<void> {
  const { target, signal, backoffMs = BACKOFF_MS } = request;
  const part = `${target}.part`;
  makeFolder(dirname(target));
  let startedOver = false;
  for (let fruitless = 0; ;) {
    const before = await sizeOf(part);
    let fault: string;
    try {
      const hash = await attempt(request, part);
      if (hash === request.sha256) return await rename(part, target);
      await rm(part, { force: true });
      // Pieces of two versions of a file do not fit together; a whole one that is wrong stays wrong.
      if (before === 0 || startedOver) throw wrongChecksum(request.url, request.sha256, hash);
      startedOver = true;
      fault = "the resumed file was not whole";
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (!(error instanceof Transient)) throw error;
      fault = error.message;
    }
    fruitless = (await sizeOf(part)) > before ? 0 : fruitless + 1;
    if (fruitless >= MAX_FRUITLESS_TRIES) throw failed(request.url, fault);
    await sleep(backoffMs * 2 ** fruitless, undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
  }
}

/** One connection. Returns the hash of all that is on disk once the server has sent everything. */
async function attempt(request: DownloadRequest, part: string): Promise<string> {
  const { url, maxBytes, signal, onProgress, stallMs = STALL_MS } = request;
  const have = await sizeOf(part);
  // Before the server is asked: it must not wait, nor be taken to stall, while gigabytes are read from a slow disk.
  const hashOfPart = have > 0 ? await hashFile(part, signal) : undefined;
  using scope = new AbortScope(signal);
  const stall = setTimeout(() => scope.abort(), stallMs);
  try {
    const range = have > 0 ? { range: `bytes=${String(have)}-` } : {};
    const response = await httpGet(url, { "accept-encoding": "identity", ...range }, scope.signal);
    const { statusCode: status = 0 } = response;
    const from = have > 0 && startOf(response) === have ? have : 0;
    if (status === 416) {
      // Nothing is left to send: either all of it is here, or what is here is not of this file.
      if (hashOfPart?.digest("hex") === request.sha256) return request.sha256;
      await rm(part, { force: true });
      throw new Transient("it does not have what was fetched before");
    }
    if (status !== 200 && status !== 206) throw refused(url, status);
    const length = Number(response.headers["content-length"] ?? NaN);
    const total = Number.isFinite(length) ? from + length : undefined;
    if (total !== undefined && total > maxBytes) throw tooLong(url, maxBytes);
    const hash = (from > 0 ? hashOfPart : undefined) ?? createHash("sha256");
    const onDisk = (cause: unknown): never => {
      throw unwritable(part, cause);
    };
    const file = await open(part, from > 0 ? "a" : "w").catch(onDisk);
    let bytes = from;
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        stall.refresh();
        bytes += chunk.length;
        if (bytes > maxBytes) throw tooLong(url, maxBytes);
        hash.update(chunk);
        await file.writeFile(chunk).catch(onDisk);
        onProgress?.(bytes, total);
      }
      await file.sync().catch(onDisk);
    } finally {
      await file.close();
    }
    // The hash is of what came, and the file is what is put in place.
    if ((await sizeOf(part)) !== bytes) {
      await rm(part, { force: true });
      throw failed(url, `${part} does not hold what came (does another process write to it?), and is deleted`);
    }
    if (total !== undefined && bytes < total) throw new Transient(`it sent ${String(bytes)} of ${String(total)} bytes`);
    return hash.digest("hex");
  } catch (error) {
    if (signal.aborted || error instanceof OakError || error instanceof Transient) throw error;
    if (error instanceof RedirectRefused) throw failed(url, error.message);
    if (scope.signal.aborted) throw new Transient(`it sent nothing for ${String(stallMs / 1000)} s`);
    throw new Transient(
      (error as NodeJS.ErrnoException).code === "ECONNRESET" ? "it broke the connection off" : errorMessage(error),
    );
  } finally {
    clearTimeout(stall);
    scope.abort(); // an answer that was not read to its end would keep its connection
  }
}

/** First byte of a partial answer; undefined when the server sends the whole file. */
function startOf({ headers, statusCode }: IncomingMessage): number | undefined {
  const start = /^bytes (\d+)-/u.exec(headers["content-range"] ?? "")?.[1];
  return statusCode === 206 && start !== undefined ? Number(start) : undefined;
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

async function hashFile(file: string, signal?: AbortSignal): Promise<Hash> {
  const hash = createHash("sha256");
  try {
    for await (const chunk of createReadStream(file, { signal })) hash.update(chunk as Buffer);
  } catch (error) {
    signal?.throwIfAborted();
    throw asFileError(error, "MODEL_UNREADABLE", file);
  }
  return hash;
}

/** Lower-case hex. */
export async function sha256Of(file: string, signal?: AbortSignal): Promise<string> {
  return (await hashFile(file, signal)).digest("hex");
}

function refused(url: string, status: number): Error {
  const mayPass = status >= 500 || status === 408 || status === 429;
  return mayPass
    ? new Transient(`it answered ${String(status)}`)
    : failed(url, `the server answered ${String(status)}`);
}

const tooLong = (url: string, maxBytes: number): OakError =>
  failed(url, `the server sends more than ${String(Math.round(maxBytes / 1e6))} MB, so it is not this file`);

const failed = (url: string, why: string): OakError =>
  new OakError(
    `${url} could not be fetched: ${why}. Try again (it goes on where it stopped), or use --mirror or --from.`,
    {
      code: "DOWNLOAD_FAILED",
    },
  );

const unwritable = (part: string, cause: unknown): OakError =>
  new OakError(`${part}: ${fileErrorReason(cause)}. What was fetched is kept.`, { code: "DISK_FAILED", cause });

const wrongChecksum = (url: string, wanted: string, found: string): OakError =>
  new OakError(
    `${url} is not the file the catalogue names: sha256 ${found}, not ${wanted}. It was deleted. ` +
      "Use another --mirror; if this is the original source, its file has changed.",
    { code: "CHECKSUM_WRONG" },
  );
