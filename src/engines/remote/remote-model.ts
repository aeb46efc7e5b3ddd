import type { z } from "zod";

/** A model that another server runs. */
export interface RemoteModelConfig {
  /** Without a slash at its end. */
  readonly url: string;
  readonly model: string;
  readonly keyFile: string | undefined;
}

export interface RemoteLanguageConfig extends RemoteModelConfig {
  /** Fields of each request besides those of the interface. */
  readonly extraBody: Readonly<Record<string, unknown>>;
}

export interface RemoteSpeechConfig extends RemoteModelConfig {
  /** The server's name of the voice "default". */
  readonly voice: string;
}

interface RemoteFields {
  readonly engine: string;
  readonly path?: string;
  readonly fast_path?: string;
  readonly dir?: string;
  readonly url?: string;
  readonly model?: string;
  readonly key_file?: string;
}

const REMOTE = "openai-compatible";

export const isRemote = ({ engine }: RemoteFields): boolean => engine === REMOTE;

export function isRemoteUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/u.test(protocol) && username + password + search + hash === "";
}

/** A remote model needs an address and a name; a model file has neither. */
export function requireRemoteFields(fields: RemoteFields, context: z.RefinementCtx): void {
  const { url, model, path, fast_path: fastPath, dir, key_file: keyFile } = fields;
  if (isRemote(fields)) {
    if (url === undefined || model === undefined) context.addIssue(`${REMOTE} needs url and model`);
    if (path !== undefined) context.addIssue(`${REMOTE} has no path: its server has the model`);
    if (fastPath !== undefined) context.addIssue(`${REMOTE} has no fast_path: the server's model hears alone`);
    if (dir !== undefined) context.addIssue(`${REMOTE} has no dir: its server has the model`);
  } else if ([url, model, keyFile].some((field) => field !== undefined))
    context.addIssue(`url, model and key_file need engine: ${REMOTE}`);
}

/** `more`: settings of this kind of model. */
export function remoteOf<More extends object>(
  fields: RemoteFields,
  more: More,
): { readonly remote?: RemoteModelConfig & More } {
  const { url = "", model = "", key_file: keyFile } = fields;
  return isRemote(fields) ? { remote: { url: url.replace(/\/+$/u, ""), model, keyFile, ...more } } : {};
}
