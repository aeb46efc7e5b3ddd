import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { httpEndpoints } from "../../src/server/http/http-endpoints.ts";
import { loadPage, loadRecordsPage } from "../../src/server/http/page-files.ts";
import { startWireServer } from "../server/support.ts";

/** All files that a browser fetches for each page, as compressed for the network. */
const MOST_BYTES = 40_000;
/** Beside what the pages share. */
const MOST_RECORDS_BYTES = 5_000;

/** Answers plain requests as the whole server does. */
async function startPageServer(page = loadPage()) {
  const { server } = await startWireServer({
    handleHttp: httpEndpoints({
      notReady: () => undefined,
      metrics: { contentType: "text/plain", metrics: () => Promise.resolve("") },
      metricsPublic: false,
      files: page,
    }),
  });
  return async (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${String(server.port)}${path}`, init);
}

test("the page is small and complete", async () => {
  const page = new Map([...loadPage(), ...loadRecordsPage()]);
  const parts = [...page].filter(([path]) => path !== "/page/sample.wav");
  const isOfRecords = (path: string) => /^\/(?:page\/playground\/)?record/u.test(path);
  const gzipped = (ofRecords: boolean) =>
    parts.filter(([path]) => isOfRecords(path) === ofRecords).reduce((sum, [, { gzip }]) => sum + gzip.length, 0);
  const raw = parts.reduce((sum, [, { body }]) => sum + body.length, 0);
  console.log(
    `both pages: ${String(parts.length)} files, ${String(raw)} bytes; compressed: the page ${String(gzipped(false))}, records ${String(gzipped(true))}`,
  );
  expect(gzipped(false)).toBeLessThan(MOST_BYTES);
  expect(gzipped(true)).toBeGreaterThan(0);
  expect(gzipped(true)).toBeLessThan(MOST_RECORDS_BYTES);
  const html = page.get("/")?.body.toString("utf8") ?? "";
  for (const [, path = ""] of html.matchAll(/(?:href|src)="([^"]+)"/gu)) expect([...page.keys()]).toContain(`/${path}`);
  // The page contains only browser code, no schema and no code of Node.
  for (const [path, { body }] of parts)
    if (path.endsWith(".js")) expect(body.toString("utf8")).not.toMatch(/from "(?!\.)/u);
});

test("its headers allow it to load, run and connect only to this server", async () => {
  const get = await startPageServer();
  const answer = await get("/");
  expect(answer.status).toBe(200);
  const policy = answer.headers.get("content-security-policy") ?? "";
  for (const rule of ["default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'"])
    expect(policy).toContain(rule);
  expect(policy).not.toContain("unsafe");
  expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
  // The page has no inline code, which the policy forbids.
  expect(await answer.text()).not.toMatch(/<style|style=|<script(?! type="module" src=)|https?:\/\//u);
});

test("a cached file is not sent again, and a browser without compression gets plain files", async () => {
  const get = await startPageServer();
  const first = await get("/page/style.css");
  const etag = first.headers.get("etag") ?? "";
  expect((await get("/page/style.css", { headers: { "if-none-match": etag } })).status).toBe(304);
  const plain = await get("/page/style.css", { headers: { "accept-encoding": "identity" } });
  expect(plain.headers.get("content-encoding")).toBeNull();
  const page = loadPage().get("/page/style.css");
  expect(await plain.text()).toBe(gunzipSync(page?.gzip ?? "").toString("utf8"));
});

test("no path leads out of the page's folder, and a server without the page returns none", async () => {
  const get = await startPageServer();
  for (const path of [
    "/page/../package.json",
    "/page/%2e%2e/package.json",
    "/page/protocol/server-messages.js",
    "/page/",
  ])
    expect((await get(path)).status).toBe(404);
  expect((await get("/", { method: "POST" })).status).toBe(404);
  const without = await startPageServer(new Map());
  expect((await without("/")).status).toBe(404);
});
