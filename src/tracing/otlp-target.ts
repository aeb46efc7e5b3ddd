import type { OtlpConfig } from "../config/server-config.ts";
import type { OtlpTarget } from "./otlp-sender.ts";
import { errorMessage, OakError } from "../shared/errors.ts";
import { readSecret } from "../shared/files/secret.ts";

/** Where data goes. @param setting Its name in the configuration. @param path Added to an endpoint without a path. @throws OakError `CONFIG_INVALID`. */
export function otlpTarget(setting: string, { endpoint, tokenFile, protocol }: OtlpConfig, path: string): OtlpTarget {
  const url = new URL(endpoint);
  if (url.pathname === "/") url.pathname = path;
  try {
    return { url, protocol, token: readSecret({ file: tokenFile, variable: undefined }, process.cwd())?.text };
  } catch (cause) {
    throw new OakError(`${setting}.token_file: ${errorMessage(cause)}.`, { code: "CONFIG_INVALID", cause });
  }
}
