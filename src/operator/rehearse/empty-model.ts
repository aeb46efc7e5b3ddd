import { open, truncate } from "node:fs/promises";
import { httpGet } from "../../model-install/http-get.ts";
import { ggufHeaderBytes, MOST_HEADER_BYTES } from "../../resources/gguf-header.ts";
import { errorMessage, OakError } from "../../shared/errors.ts";

/** The header comes within this, or the model is not measured. */
const FETCH_MS = 60_000;

/**
 * Writes a language model without weights: the header of the file at `url`, then a hole up to the size of that file. It takes
 * the disk of the header alone, and an evaluation costs nearly what the published model costs.
 * @throws OakError `REHEARSAL_FAILED`; `signal.reason` on abort.
 */
export async function writeEmptyModel(url: string, path: string, signal: AbortSignal): Promise<void> {
  const scope = new AbortController();
  const inTime = AbortSignal.any([signal, scope.signal, AbortSignal.timeout(FETCH_MS)]);
  try {
    const response = await httpGet(url, { "accept-encoding": "identity" }, inTime);
    const size = Number(response.headers["content-length"]);
    if (response.statusCode !== 200 || !Number.isInteger(size))
      throw new Error(`the server answered ${String(response.statusCode)}`);
    await writeHeader(response as AsyncIterable<Buffer>, path);
    await truncate(path, size);
  } catch (cause) {
    signal.throwIfAborted();
    throw new OakError(`the header of ${url} could not be fetched: ${errorMessage(cause)}`, {
      code: "REHEARSAL_FAILED",
      cause,
    });
  } finally {
    scope.abort(); // the rest of the file is not read
  }
}

async function writeHeader(response: AsyncIterable<Buffer>, path: string): Promise<void> {
  const file = await open(path, "w");
  try {
    let bytes = Buffer.alloc(0);
    let tried = 0;
    for await (const chunk of response) {
      bytes = Buffer.concat([bytes, chunk]);
      // A try reads all bytes so far.
      if (bytes.length < 2 * tried) continue;
      tried = bytes.length;
      const end = ggufHeaderBytes(bytes);
      if (end !== undefined) return void (await file.write(bytes, 0, end));
      if (bytes.length > MOST_HEADER_BYTES) throw new Error("it is longer than any model's header");
    }
    const end = ggufHeaderBytes(bytes);
    if (end === undefined) throw new Error("the file ends in its header");
    await file.write(bytes, 0, end);
  } finally {
    await file.close();
  }
}
