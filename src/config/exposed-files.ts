import { statSync } from "node:fs";
import { keyFilePath } from "../auth/key-file.ts";
import { printable } from "../shared/printable.ts";
import type { ClusterConfig, JwtConfig, TlsConfig } from "./server-config-schema.ts";

const GROUP_READS = 0o040;

interface SecretFiles {
  readonly tls?: TlsConfig;
  readonly cluster?: ClusterConfig;
  readonly auth: { readonly jwt?: JwtConfig };
  readonly tracing?: { readonly tokenFile?: string | undefined };
  readonly callRecord?: { readonly keyFile: string; readonly webhook?: { readonly secret_file?: string } };
  readonly models: Readonly<
    Record<"stt" | "llm" | "tts", { readonly remote?: { readonly keyFile: string | undefined } }>
  >;
  /** Holds the key file. */
  readonly dataDir: string;
}

/**
 * One line for each secret file that other users can read, and for each file that they can change.
 * @param configFile Undefined when there is none.
 * @param hasSecret Whether the configuration file itself holds a secret.
 */
export function exposedFiles(configFile: string | undefined, hasSecret: boolean, config: SecretFiles): string[] {
  const { jwt } = config.auth;
  const { cluster } = config;
  const secrets = [
    config.tls?.key_file,
    jwt?.secret_file,
    jwt?.private_key_file,
    cluster?.secret_file,
    cluster?.password_file,
    ...[config.models.stt, config.models.llm, config.models.tts].map(({ remote }) => remote?.keyFile),
    config.tracing?.tokenFile,
    config.callRecord?.keyFile,
    config.callRecord?.webhook?.secret_file,
    keyFilePath(config.dataDir),
  ];
  return [
    ...(configFile === undefined ? [] : fileExposure(configFile, hasSecret)),
    ...secrets.flatMap((file) => (file === undefined ? [] : fileExposure(file, true))),
  ];
}

/** A line when other users can read the secret file or change the file, and none otherwise. */
export function fileExposure(file: string, isSecret: boolean): string[] {
  const stat = statOf(file);
  if (stat === undefined) return [];
  // When the server does not own the file, it may read the file through its group. The installer sets that up.
  const isGroups = stat.uid !== process.geteuid?.() || (stat.uid === 0 && stat.gid !== 0);
  const exposed = stat.mode & (isSecret ? 0o066 : 0o022) & (isGroups ? ~GROUP_READS : -1);
  if (exposed === 0) return [];
  const can = (exposed & 0o022) === 0 ? "read" : "change";
  const mode = (stat.mode & 0o777).toString(8).padStart(4, "0");
  const right = isSecret ? (isGroups ? "640" : "600") : "644";
  return [`${printable(file)}: other users can ${can} it (mode ${mode}). Run: chmod ${right} ${printable(file)}`];
}

/** Undefined when the file is not there or not a file. */
function statOf(file: string) {
  try {
    const stat = statSync(file);
    return stat.isFile() ? stat : undefined;
  } catch {
    return undefined;
  }
}
