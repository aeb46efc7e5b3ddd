import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AbortScope } from "../shared/abort-scope.ts";
import { errorMessage, OakError } from "../shared/errors.ts";
import { asFileError, fileErrorReason } from "../shared/files/file-error.ts";
import { makeFolder } from "../shared/files/make-folder.ts";
import { httpGet, RedirectRefused } from "./http-get.ts";

export interface DownloadRequest {
  readonly url: string;
  /** Path of the finished file. Until it is complete, its content is in `<target>.part`. */
  readonly target: string;
  /** Checksum of the whole file, lower-case hex. */
  readonly sha256: string;
  /** A longer file is refused, so that it cannot fill the disk. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Bytes on disk, and bytes of the whole file if the server sends the length. */
  readonly onProgress?: (bytes: number, total: number | undefined) => void;
  /** The connection ends after this much silence, ms. */
  readonly stallMs?: number;
  /** Wait before the first retry, ms. Doubled before each further one. */
  readonly backoffMs?: number;
}

const STALL_MS = 30_000;
const BACKOFF_MS = 1_000;
/** Consecutive tries without new bytes. */
const MAX_FRUITLESS_TRIES = 5;

/** A fault that may be gone at the next try. */
class Transient extends Error {}

/**
 * Downloads one file. Resumes an earlier try, follows redirects, and renames the file to `target` only when it is complete.
 * @throws OakError `DOWNLOAD_FAILED`, `DISK_FAILED` or `CHECKSUM_WRONG`; `signal.reason` on abort.
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
      // A resumed file may mix two versions, so it is fetched again once. A file fetched in one piece stays wrong.
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

/** Uses one connection. Returns the hash of the complete file on disk. */
async function attempt(request: DownloadRequest, part: string): Promise<string> {
  const { url, maxBytes, signal, onProgress, stallMs = STALL_MS } = request;
  const have = await sizeOf(part);
  // Hash before the request: reading gigabytes from a slow disk would look like a stalled server.
  const hashOfPart = have > 0 ? await hashFile(part, signal) : undefined;
  using scope = new AbortScope(signal);
  const stall = setTimeout(() => scope.abort(), stallMs);
  try {
    const range = have > 0 ? { range: `bytes=${String(have)}-` } : {};
    const response = await httpGet(url, { "accept-encoding": "identity", ...range }, scope.signal);
    const { statusCode: status = 0 } = response;
    const from = have > 0 && startOf(response) === have ? have : 0;
    if (status === 416) {
      // The server has no more bytes: the part is either complete or not from this file.
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
    // The hash covers the received bytes. The file on disk could differ.
    if ((await sizeOf(part)) !== bytes) {
      await rm(part, { force: true });
      throw failed(url, `${part} differs from the downloaded data (does another process write to it?) and was deleted`);
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
    scope.abort(); // an unread response would keep its connection open
  }
}

/** First byte of a partial response. Undefined when the server sends the whole file. */
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
  new OakError(`${part}: ${fileErrorReason(cause)}. The part that was downloaded is kept.`, {
    code: "DISK_FAILED",
    cause,
  });

const wrongChecksum = (url: string, wanted: string, found: string): OakError =>
  new OakError(
    `${url} is not the file of the catalogue: its sha256 is ${found}, not ${wanted}. It was deleted. ` +
      "Use another --mirror; if this is the original source, its file has changed.",
    { code: "CHECKSUM_WRONG" },
  );
