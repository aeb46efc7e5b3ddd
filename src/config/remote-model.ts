import type { z } from "zod";

/** A model that another server runs. */
export interface RemoteModelConfig {
  /** Without a slash at its end. */
  readonly url: string;
  readonly model: string;
  readonly keyFile: string | undefined;
  /** Fields of each request besides those of the interface. */
  readonly extraBody: Readonly<Record<string, unknown>>;
}

interface RemoteFields {
  readonly engine: string;
  readonly path?: string;
  readonly url?: string;
  readonly model?: string;
  readonly key_file?: string;
}

const REMOTE = "openai-compatible";

export function isRemoteUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/u.test(protocol) && username + password + search + hash === "";
}

/** A remote model needs an address and a name; a model file has neither. */
export function requireRemoteFields(
  { engine, path, url, model, key_file: keyFile }: RemoteFields,
  context: z.RefinementCtx,
): void {
  const isRemote = engine === REMOTE;
  if (isRemote && (url === undefined || model === undefined)) context.addIssue(`${REMOTE} needs url and model`);
  if (isRemote && path !== undefined) context.addIssue(`${REMOTE} has no path: its server has the model`);
  if (!isRemote && [url, model, keyFile].some((field) => field !== undefined))
    context.addIssue(`url, model and key_file need engine: ${REMOTE}`);
}

export const remoteOf = ({
  engine,
  url = "",
  model = "",
  key_file: keyFile,
  extra_body: extraBody,
}: RemoteFields & { readonly extra_body: Readonly<Record<string, unknown>> }): {
  readonly remote?: RemoteModelConfig;
} => (engine === REMOTE ? { remote: { url: url.replace(/\/+$/u, ""), model, keyFile, extraBody } } : {});
