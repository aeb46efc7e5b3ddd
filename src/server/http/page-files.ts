import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { dirname, join, normalize } from "node:path";
import { gzipSync } from "node:zlib";
import { packageRoot } from "../../shared/package-root.ts";
import { errorMessage, OakError } from "../../shared/errors.ts";

/** Where `npm run build` puts the page's modules, laid out as under `src`. */
const MODULES = join(packageRoot, "dist", "page");
const STATIC = join(packageRoot, "src", "playground");
const APP = "playground/app.js";
const ENTRIES = [APP, "playground/capture-worklet.js", "playground/playback-worklet.js"];
const RECORDS_APP = "playground/records.js";

const CONTENT_TYPES = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  wav: "audio/wav",
  json: "application/schema+json",
} as const;

/** Allows only this origin, no inline code, no frames, and the microphone for this page. */
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  "permissions-policy": "microphone=(self), camera=(), geolocation=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-cache",
  vary: "accept-encoding",
};

export interface PageFile {
  readonly body: Buffer;
  readonly gzip: Buffer;
  readonly type: string;
  readonly etag: string;
}

/** The playground, by path; read once, so that no request can name a file that is not part of it. @throws OakError `PAGE_NOT_BUILT`. */
export const loadPage = (): ReadonlyMap<string, PageFile> =>
  whenBuilt("The playground", () => {
    // All modules are asked for at once, not as each import is come across.
    const preloads = [...moduleGraph([APP]).keys()]
      .map((path) => `<link rel="modulepreload" href="page/${path}">`)
      .join("");
    const html = readFileSync(join(STATIC, "index.html"), "utf8").replace("</head>", `${preloads}</head>`);
    const sample = readFileSync(join(packageRoot, "scripts", "talk-sample.wav"));
    return [["/", fileOf(Buffer.from(html), "html")], ["/page/sample.wav", fileOf(sample, "wav")], ...partsOf(ENTRIES)];
  });

/** The operators' page of call records, by path. It does not need the playground. @throws OakError `PAGE_NOT_BUILT`. */
export const loadRecordsPage = (): ReadonlyMap<string, PageFile> =>
  whenBuilt("The page of call records", () => [
    ["/records", fileOf(readFileSync(join(STATIC, "records.html")), "html")],
    ...partsOf([RECORDS_APP]),
  ]);

type NamedFile = readonly [path: string, file: PageFile];

function whenBuilt(name: string, load: () => readonly NamedFile[]): ReadonlyMap<string, PageFile> {
  try {
    return new Map(load());
  } catch (cause) {
    const message = `${name} is left out: ${errorMessage(cause)}. npm run build makes it.`;
    throw new OakError(message, { code: "PAGE_NOT_BUILT", cause });
  }
}

/** Modules of these entries, and what both pages show. */
const partsOf = (entries: readonly string[]): readonly NamedFile[] => [
  ["/page/style.css", fileOf(readFileSync(join(STATIC, "style.css")), "css")],
  ["/page/icon.svg", fileOf(readFileSync(join(STATIC, "icon.svg")), "svg")],
  ...[...moduleGraph(entries)].map(([path, code]) => [`/page/${path}`, fileOf(code, "js")] as const),
];

/** JSON Schemas of the operator's files, for editors. */
export const loadSchemas = (): ReadonlyMap<string, PageFile> =>
  new Map(
    ["server", "voice", "scenario"].map((name) => {
      const file = join(packageRoot, "docs", "schemas", `${name}.json`);
      return [`/schemas/${name}.json`, fileOf(readFileSync(file), "json")] as const;
    }),
  );

export function answerWithFile(file: PageFile, request: IncomingMessage, response: ServerResponse): void {
  const headers = { ...HEADERS, "content-type": file.type, etag: file.etag };
  if (request.headers["if-none-match"] === file.etag) {
    response.writeHead(304, headers).end();
    return;
  }
  const isGzip = /\bgzip\b/u.test(request.headers["accept-encoding"]?.toString() ?? "");
  const body = isGzip ? file.gzip : file.body;
  response
    .writeHead(200, { ...headers, "content-length": body.length, ...(isGzip ? { "content-encoding": "gzip" } : {}) })
    .end(body);
}

/** The modules that the entries import, recursively. Compiled modules have no type imports, so no schema is included. */
function moduleGraph(entries: readonly string[]): Map<string, Buffer> {
  const modules = new Map<string, Buffer>();
  const waiting = [...entries];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (modules.has(path)) continue;
    const code = readFileSync(join(MODULES, path));
    modules.set(path, code);
    for (const [, target = ""] of code.toString("utf8").matchAll(/^(?:import|export)\b[^"]*"(\.[^"]+)";$/gmu))
      waiting.push(normalize(join(dirname(path), target)));
  }
  return modules;
}

function fileOf(body: Buffer, kind: keyof typeof CONTENT_TYPES): PageFile {
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 16)}"`;
  return { body, gzip: gzipSync(body, { level: 9 }), type: CONTENT_TYPES[kind], etag };
}
