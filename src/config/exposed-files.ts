import { fileExposure } from "../shared/files/file-exposure.ts";
import { keyFilePath } from "./data-folder.ts";
import type { ClusterConfig, JwtConfig, TlsConfig } from "./server-config-schema.ts";

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
