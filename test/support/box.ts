import { CALL_BYTES_PER_MS } from "../../src/audio/format.ts";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { createApiKey, createOperatorKey } from "../../src/auth/api-keys.ts";
import type { Permission } from "../../src/auth/key-file.ts";
import { keyFilePath } from "../../src/config/data-folder.ts";
import { onNode } from "../../src/client/node.ts";
import { VoiceClient } from "../../src/client/voice-client.ts";
import { startService, type Service } from "../../src/service/service.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import type { ServerMessage, ServerMessageType } from "../../src/doors/voice/server-messages.ts";
import type { SessionSettingsPatch } from "../../src/config/settings/settings-schema.ts";

const CHUNK_BYTES = 100 * CALL_BYTES_PER_MS;

type MessageOf<Type extends ServerMessageType> = Extract<ServerMessage, { type: Type }>;

/** The whole service with the starter models on a free port. */
export class TestBox {
  readonly box: Service;
  /** Its warnings and errors, JSON lines. */
  readonly warnings: readonly string[];
  readonly #dataDir: string;
  readonly #key: string;

  private constructor(box: Service, warnings: readonly string[], dataDir: string, key: string) {
    this.box = box;
    this.warnings = warnings;
    this.#dataDir = dataDir;
    this.#key = key;
  }

  /** @param voices More voice configurations, as texts of YAML files by name. */
  static async start(voices: Readonly<Record<string, string>> = {}, yaml = ""): Promise<TestBox> {
    const dataDir = mkdtempSync(join(tmpdir(), "oakvoice-test-"));
    mkdirSync(join(dataDir, "voices"));
    for (const [name, text] of Object.entries(voices)) writeFileSync(join(dataDir, "voices", `${name}.yaml`), text);
    const configFile = join(dataDir, "oakvoice.yaml");
    writeFileSync(configFile, `port: 0\ndata_dir: ${dataDir}\n${yaml}`);
    const { key } = createApiKey(keyFilePath(dataDir), "test", undefined, Date.now());
    // Tests stop during calls.
    const { config } = loadServerConfig(configFile, { OAKVOICE_LIMITS_DRAIN_TIMEOUT_SECONDS: "0" });
    const warnings: string[] = [];
    const log = pino({ level: "warn", base: null }, { write: (line: string) => void warnings.push(line) });
    return new TestBox(await startService(config, log), warnings, dataDir, key);
  }

  /** The page's address with the key, as the start prints it. */
  get pageUrl(): string {
    return `http://127.0.0.1:${String(this.box.port)}/#api_key=${this.#key}`;
  }

  /** The page's address with a key of its own. */
  pageUrlFor(permissions: readonly Permission[]): string {
    const { key } = createApiKey(keyFilePath(this.#dataDir), "page", undefined, Date.now(), {}, permissions);
    return `http://127.0.0.1:${String(this.box.port)}/#api_key=${key}`;
  }

  url(configId = "default", connectionId: string = randomUUID()): string {
    return `ws://127.0.0.1:${String(this.box.port)}/ws/voice/${connectionId}?api_key=${this.#key}&config_id=${configId}`;
  }

  /** The address of a telephone system, with the key in the query. */
  phoneUrl(path: string, query: Readonly<Record<string, string>> = {}): string {
    return `${this.base}${path}?${new URLSearchParams({ api_key: this.#key, ...query }).toString()}`;
  }

  get base(): string {
    return `ws://127.0.0.1:${String(this.box.port)}`;
  }

  get key(): string {
    return this.#key;
  }

  /** A new key that reads and erases call records. */
  operatorKey(): string {
    return createOperatorKey(keyFilePath(this.#dataDir), "operator", undefined, Date.now()).key;
  }

  /** Address of the OpenAI Realtime door, and the key for it. */
  realtime(model?: string): { readonly url: string; readonly key: string } {
    const query = model === undefined ? "" : `?model=${model}`;
    return { url: `ws://127.0.0.1:${String(this.box.port)}/v1/realtime${query}`, key: this.#key };
  }

  /** Connects a caller and waits until the session is ready. */
  async call(settings: SessionSettingsPatch = {}, configId = "default"): Promise<Caller> {
    const caller = new Caller((id) => this.url(configId, id), settings);
    await caller.client.connect();
    await caller.next("status");
    return caller;
  }

  async close(): Promise<void> {
    await this.box.close();
    rmSync(this.#dataDir, { recursive: true, force: true });
  }
}

/** Collects the messages of one client and waits for later ones. */
export class Caller {
  readonly messages: ServerMessage[] = [];
  /** Why the call ended. */
  closed: string | undefined;
  readonly client: VoiceClient;
  readonly #watchers = new Set<() => void>();
  #read = 0;

  constructor(address: (connectionId: string) => string, settings: SessionSettingsPatch) {
    const wake = () => {
      for (const watch of this.#watchers) watch();
    };
    // The test sends every message itself.
    this.client = new VoiceClient({ address, settings, ...onNode(), reconnect: false, keepAliveMs: 0 });
    this.client.on("message", (message) => {
      this.messages.push(message);
      wake();
    });
    this.client.on("closed", (error) => {
      this.closed = error?.message ?? "by the test";
      wake();
    });
  }

  /** The next message with one of the types that `matches`, after the last returned one. Others are skipped. */
  async next<Type extends ServerMessageType>(
    type: Type | readonly Type[],
    matches: (message: MessageOf<Type>) => boolean = () => true,
  ): Promise<MessageOf<Type>> {
    const types = [type].flat() as readonly Type[];
    for (;;) {
      while (this.#read < this.messages.length) {
        const message = this.messages[this.#read++];
        if (message !== undefined && types.includes(message.type as Type) && matches(message as MessageOf<Type>))
          return message as MessageOf<Type>;
      }
      if (this.closed !== undefined) throw new Error(`closed (${this.closed}) while waiting for ${types.join(", ")}`);
      await new Promise<void>((resolve) => {
        const watch = () => {
          this.#watchers.delete(watch);
          resolve();
        };
        this.#watchers.add(watch);
      });
    }
  }

  /** Removes the messages that were returned or skipped. */
  forget(): void {
    this.messages.splice(0, this.#read);
    this.#read = 0;
  }

  /** Sends audio in real time, in chunks of 100 ms. */
  async speak(pcm: Buffer): Promise<void> {
    const startMs = performance.now();
    for (let at = 0; at < pcm.length; at += CHUNK_BYTES) {
      this.client.sendAudio(pcm.subarray(at, at + CHUNK_BYTES));
      const dueMs = startMs + (at + CHUNK_BYTES) / CALL_BYTES_PER_MS;
      await new Promise((resolve) => setTimeout(resolve, dueMs - performance.now()));
    }
  }

  all<Type extends ServerMessageType>(type: Type): MessageOf<Type>[] {
    return this.messages.filter((message): message is MessageOf<Type> => message.type === type);
  }

  /** The message types in order, without repetition and without voice activity. */
  order(): string[] {
    const types = this.messages.map(({ type }) => type).filter((type) => type !== "voice_activity");
    return types.filter((type, index) => type !== types[index - 1]);
  }
}
