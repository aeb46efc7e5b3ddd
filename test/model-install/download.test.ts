import { createHash, randomBytes } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createSecureServer, globalAgent } from "node:https";
import { createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeCertificate } from "../support/certificate.ts";
import { downloadFile, type DownloadRequest } from "../../src/model-install/download.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const content = randomBytes(300_000);
const sha256 = createHash("sha256").update(content).digest("hex");

let folder: string;
let server: Server;
/** The `range` header of each request, in order. */
let asked: (string | undefined)[];

beforeEach(() => {
  folder = temporaryFolder();
  asked = [];
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** A server whose n-th answer is the n-th of `answers`, the last one for all further requests. */
async function serve(...answers: ((request: IncomingMessage, response: ServerResponse) => void)[]): Promise<string> {
  server = createServer((request, response) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)];
    asked.push(request.headers.range);
    answer?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/file.bin`;
}

/** Answers like a correct server, with ranges. */
function well(request: IncomingMessage, response: ServerResponse): void {
  const start = Number(/^bytes=(\d+)-$/u.exec(request.headers.range ?? "")?.[1] ?? 0);
  if (start >= content.length) return void response.writeHead(416).end();
  const range = { "content-range": `bytes ${String(start)}-${String(content.length - 1)}/${String(content.length)}` };
  response.writeHead(start > 0 ? 206 : 200, { "content-length": content.length - start, ...(start > 0 ? range : {}) });
  response.end(content.subarray(start));
}

/** Announces the whole file, sends 100 kB, then calls `then`. */
const half = (then: (response: ServerResponse) => void) => (_: IncomingMessage, response: ServerResponse) => {
  response.writeHead(200, { "content-length": content.length });
  response.write(content.subarray(0, 100_000), () => setTimeout(() => then(response), 50));
};

const fetchIt = async (url: string, more: Partial<DownloadRequest> = {}) =>
  downloadFile({
    url,
    target: join(folder, "file.bin"),
    sha256,
    maxBytes: 400_000,
    signal: new AbortController().signal,
    stallMs: 300,
    backoffMs: 5,
    ...more,
  });
const fetched = () => readFileSync(join(folder, "file.bin")).equals(content);
const nothingThere = () => !existsSync(join(folder, "file.bin"));

describe("downloadFile", () => {
  it("downloads a file and reports progress", async () => {
    const seen: (readonly [number, number | undefined])[] = [];
    await fetchIt(await serve(well), { onProgress: (...progress) => seen.push(progress) });
    expect(fetched()).toBe(true);
    expect(seen.at(-1)).toEqual([content.length, content.length]);
    expect(existsSync(join(folder, "file.bin.part"))).toBe(false);
  });

  it("follows redirects", async () => {
    const url = await serve((_, response) => response.writeHead(302, { location: "/elsewhere" }).end(), well);
    await fetchIt(url);
    expect(fetched()).toBe(true);
  });

  it("refuses endless redirects and redirects to plain HTTP", async () => {
    const url = await serve((request, response) => void response.writeHead(302, { location: request.url }).end());
    await expect(fetchIt(url)).rejects.toThrow(/it redirects without end/u);
    const { cert_file, key_file } = makeCertificate();
    const tls = { cert: readFileSync(cert_file), key: readFileSync(key_file) };
    const secure = createSecureServer(tls, (_, response) => void response.writeHead(302, { location: url }).end());
    await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve));
    const { port } = secure.address() as AddressInfo;
    globalAgent.options.ca = tls.cert;
    asked = [];
    await expect(fetchIt(`https://127.0.0.1:${String(port)}/`)).rejects.toThrow(/redirects to .* without encryption/u);
    expect(asked).toEqual([]);
    delete globalAgent.options.ca;
    secure.close();
  });

  it("reads everything that the server sent before it closed the connection, also on a slow disk", async () => {
    const large = randomBytes(8_000_000);
    const plain = createTcpServer((socket) => {
      socket.write(`HTTP/1.0 200 OK\r\ncontent-length: ${String(large.length)}\r\n\r\n`);
      socket.end(large);
    });
    await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${String((plain.address() as AddressInfo).port)}/file.bin`;
    const sleeper = new Int32Array(new SharedArrayBuffer(4));
    const onProgress = () => void Atomics.wait(sleeper, 0, 0, 2);
    const hash = createHash("sha256").update(large).digest("hex");
    await fetchIt(url, { sha256: hash, maxBytes: 9e6, onProgress });
    expect(readFileSync(join(folder, "file.bin")).equals(large)).toBe(true);
    plain.close();
  });

  it("continues where a broken connection ended", async () => {
    await fetchIt(
      await serve(
        half((response) => response.destroy()),
        well,
      ),
    );
    expect(fetched()).toBe(true);
    expect(asked).toEqual([undefined, "bytes=100000-"]);
  });

  it("gives up on a stalled server and continues from the same place", async () => {
    await fetchIt(
      await serve(
        half(() => undefined),
        well,
      ),
    );
    expect(fetched()).toBe(true);
    expect(asked[1]).toBe("bytes=100000-");
  });

  it("can be stopped while it reads the existing part", async () => {
    // A sparse file needs no space on the disk, but takes minutes to read.
    writeFileSync(join(folder, "file.bin.part"), "");
    truncateSync(join(folder, "file.bin.part"), 2 ** 37);
    const url = await serve((_, response) => response.end());
    const stop = new AbortController();
    const stopped = fetchIt(url, { sha256: "0".repeat(64), signal: stop.signal });
    setTimeout(() => stop.abort(new Error("enough")), 50);
    await expect(stopped).rejects.toThrow("enough");
    expect(asked).toEqual([]);
  });

  it("does not count the time to read the existing part as a stall", async () => {
    const there = randomBytes(10_000_000);
    writeFileSync(join(folder, "file.bin.part"), there);
    // After the server's answer each turn of the event loop is slow, and reading a file takes many turns.
    const sleeper = new Int32Array(new SharedArrayBuffer(4));
    let slow = true;
    const holdUp = (): void => {
      Atomics.wait(sleeper, 0, 0, 10);
      if (slow) setImmediate(holdUp);
    };
    const url = await serve((_, response) => {
      const range = `bytes ${String(there.length)}-${String(there.length + 3)}/${String(there.length + 4)}`;
      response.writeHead(206, { "content-range": range }).end("end\n");
      holdUp();
    });
    const whole = createHash("sha256").update(there).update("end\n").digest("hex");
    await fetchIt(url, { sha256: whole, maxBytes: 20_000_000, stallMs: 500 }).finally(() => (slow = false));
    expect(asked[0]).toBe(`bytes=${String(there.length)}-`);
  });

  it("continues after an earlier stop", async () => {
    const stop = new AbortController();
    const url = await serve(
      half(() => stop.abort(new Error("enough"))),
      well,
    );
    await expect(fetchIt(url, { signal: stop.signal })).rejects.toThrow("enough");
    expect(nothingThere()).toBe(true);
    await fetchIt(url);
    expect(asked[1]).toBe("bytes=100000-");
    expect(fetched()).toBe(true);
  });

  it("starts again when the server supports no ranges", async () => {
    writeFileSync(join(folder, "file.bin.part"), content.subarray(0, 5000));
    const url = await serve((_, response) =>
      response.writeHead(200, { "content-length": content.length }).end(content),
    );
    await fetchIt(url);
    expect(fetched()).toBe(true);
  });

  it("starts again when the existing part belongs to another file", async () => {
    writeFileSync(join(folder, "file.bin.part"), randomBytes(5000));
    await fetchIt(await serve(well));
    expect(fetched()).toBe(true);
    expect(asked).toEqual(["bytes=5000-", undefined]);
  });

  it("keeps a complete file, and starts again when the file is too long", async () => {
    const url = await serve(well);
    writeFileSync(join(folder, "file.bin.part"), content);
    await fetchIt(url);
    expect(fetched()).toBe(true);
    writeFileSync(join(folder, "file.bin.part"), randomBytes(content.length + 10));
    await fetchIt(url);
    expect(fetched()).toBe(true);
  });

  it("retries when the server is busy, but not when the file is missing", async () => {
    await fetchIt(await serve((_, response) => response.writeHead(503).end(), well));
    expect(fetched()).toBe(true);
    server.close();
    asked = [];
    const gone = await serve((_, response) => response.writeHead(404).end());
    await expect(fetchIt(gone)).rejects.toMatchObject({ code: "DOWNLOAD_FAILED", message: /answered 404/u });
    expect(asked).toHaveLength(1);
  });

  it("reports a missing file after an answer of any length", async () => {
    const url = await serve((_, response) => void response.writeHead(404).write(Buffer.alloc(2_000_000)));
    await expect(fetchIt(url)).rejects.toThrow(/answered 404/u);
  });

  it("reports the server's answer after several failed tries", async () => {
    const url = await serve((_, response) => response.writeHead(200, { "content-length": 300_000 }).flushHeaders());
    await expect(fetchIt(url, { stallMs: 20 })).rejects.toThrow(/sent nothing for 0\.02 s/u);
    expect(asked).toHaveLength(5);
  });

  it("does not install wrong bytes", async () => {
    const url = await serve((_, response) => response.end(randomBytes(300_000)));
    await expect(fetchIt(url)).rejects.toMatchObject({ code: "CHECKSUM_WRONG" });
    expect(nothingThere()).toBe(true);
    expect(existsSync(join(folder, "file.bin.part"))).toBe(false);
  });

  it("does not install a file that another process changed, although the downloaded bytes were right", async () => {
    writeFileSync(join(folder, "file.bin.part"), content.subarray(0, 5000));
    const url = await serve((_, response) => {
      const range = `bytes 5000-${String(content.length - 1)}/${String(content.length)}`;
      response.writeHead(206, { "content-range": range });
      appendFileSync(join(folder, "file.bin.part"), "of another process");
      response.end(content.subarray(5000));
    }, well);
    await expect(fetchIt(url)).rejects.toThrow(/file\.bin\.part.* another process/u);
    expect(nothingThere()).toBe(true);
    await fetchIt(url);
    expect(fetched()).toBe(true);
  });

  it("stops at the size of the file, even if the server announces more", async () => {
    const announced = await serve((_, response) => response.writeHead(200, { "content-length": 9e9 }).flushHeaders());
    await expect(fetchIt(announced)).rejects.toThrow(/more than/u);
    server.closeAllConnections();
    server.close();
    const endless = await serve((_, response) => {
      const more = () => void response.write(randomBytes(50_000), () => setImmediate(more));
      more();
    });
    await expect(fetchIt(endless)).rejects.toThrow(/more than/u);
    expect(nothingThere()).toBe(true);
  });

  it("reports that no server listens", async () => {
    const url = await serve(well);
    server.close();
    await expect(fetchIt(url)).rejects.toThrow(/ECONNREFUSED/u);
  });
});
