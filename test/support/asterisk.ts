import { execFile, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { readWav, writeWav } from "../../src/audio/wav.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const run = promisify(execFile);
const CHANNEL = "chan_websocket.so";

export interface AsteriskProgram {
  readonly program: string;
  readonly modules: string;
}

/** An Asterisk with the WebSocket channel: the one below the folder in `ASTERISK_PREFIX`, or the system's. */
export function findAsterisk(): AsteriskProgram | undefined {
  const prefixes = [process.env["ASTERISK_PREFIX"], "/usr/local", "/usr"].filter((prefix) => prefix !== undefined);
  const folders = ["lib/asterisk/modules", "lib64/asterisk/modules", "lib/x86_64-linux-gnu/asterisk/modules"];
  return prefixes
    .flatMap((prefix) =>
      folders.map((folder) => ({ program: join(prefix, "sbin/asterisk"), modules: join(prefix, folder) })),
    )
    .find(({ program, modules }) => existsSync(program) && existsSync(join(modules, CHANNEL)));
}

export interface AsteriskOptions {
  /** The address of the service, such as `ws://127.0.0.1:8787/ws/asterisk`. */
  readonly uri: string;
  readonly password: string;
  /** The certificate that it trusts, for wss. */
  readonly certificate?: string;
  /** extensions.conf; `FOLDER` stands for the folder of recordings. */
  readonly dialplan: string;
}

/** A real Asterisk in a folder of its own, without a network port. */
export class Asterisk {
  readonly #installation: AsteriskProgram;
  readonly #folder: string;
  readonly #process: ChildProcess;
  #log = "";

  private constructor(installation: AsteriskProgram, folder: string) {
    this.#installation = installation;
    this.#folder = folder;
    // Names of sockets have at most 107 characters, so the control socket needs a short folder.
    this.#process = spawn(installation.program, ["-f", "-vvv", "-C", join(folder, "asterisk.conf")], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.#process.stdout, this.#process.stderr])
      stream?.on("data", (data: Buffer) => (this.#log += data.toString()));
  }

  static async start(installation: AsteriskProgram, options: AsteriskOptions): Promise<Asterisk> {
    const folder = temporaryFolder();
    writeConfiguration(installation, folder, options);
    const asterisk = new Asterisk(installation, folder);
    for (let tries = 0; ; tries += 1) {
      const answer = await asterisk.command("core waitfullybooted").catch(() => "");
      if (answer.includes("fully booted")) return asterisk;
      if (tries === 50) throw new Error(`Asterisk does not start:\n${asterisk.log}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  /** Console and log, in which the dialplan writes with `Log(NOTICE,...)`. */
  get log(): string {
    const file = join(this.#folder, "messages");
    return this.#log + (existsSync(file) ? readFileSync(file, "utf8") : "");
  }

  /** A command of the console. */
  async command(text: string): Promise<string> {
    const { program } = this.#installation;
    return (await run(program, ["-C", join(this.#folder, "asterisk.conf"), "-rx", text])).stdout;
  }

  /** Writes a recording that the dialplan plays as `FOLDER/name`. */
  writeRecording(name: string, samples: Float32Array, sampleRateHz: number): void {
    writeFileSync(join(this.#folder, `${name}.wav`), writeWav({ samples, sampleRateHz }));
  }

  /** A recording that the dialplan made. */
  recording(name: string): Float32Array {
    return readWav(readFileSync(join(this.#folder, `${name}.wav`))).samples;
  }

  async untilLogged(text: string): Promise<void> {
    for (let tries = 0; !this.log.includes(text); tries += 1) {
      if (tries === 300) throw new Error(`Asterisk did not log ${text}:\n${this.log}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once("close", resolve));
    this.#process.kill("SIGTERM");
    const timer = setTimeout(() => this.#process.kill("SIGKILL"), 5_000);
    await ended;
    clearTimeout(timer);
  }
}

function writeConfiguration({ modules }: AsteriskProgram, folder: string, options: AsteriskOptions): void {
  const { uri, password, certificate, dialplan } = options;
  const library = dirname(dirname(modules));
  const folders = { astetcdir: folder, astmoddir: modules, astdatadir: join(library, "../var/lib/asterisk") };
  const own = ["astvarlibdir", "astdbdir", "astkeydir", "astagidir", "astspooldir", "astrundir", "astlogdir"];
  const directories = { ...folders, ...Object.fromEntries(own.map((name) => [name, folder])) };
  mkdirSync(join(folder, "monitor"));
  const files: Readonly<Record<string, string>> = {
    "asterisk.conf": section("directories", directories, " => "),
    "modules.conf": section("modules", { autoload: "yes" }),
    "logger.conf": `[general]\n${section("logfiles", { messages: "notice,warning,error" })}`,
    "chan_websocket.conf": "",
    "websocket_client.conf": section("oakvoice", {
      type: "websocket_client",
      connection_type: "per_call_config",
      uri,
      protocols: "media",
      username: "asterisk",
      password,
      connection_timeout: "1000",
      ...(certificate === undefined ? { tls_enabled: "no" } : { tls_enabled: "yes", ca_list_file: certificate }),
    }),
    "extensions.conf": dialplan.replaceAll("FOLDER", folder),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

const section = (name: string, values: Readonly<Record<string, string>>, equals = " = "): string =>
  `[${name}]\n${Object.entries(values)
    .map(([key, value]) => `${key}${equals}${value}\n`)
    .join("")}`;
