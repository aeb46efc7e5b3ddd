import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The name of an entry of the store, and the key that encrypts its value. */
export interface Seal {
  readonly name: string;
  readonly key: Buffer;
}

/**
 * Both parts need the token and the secret of the boxes: neither the store nor a box without the token can read the value.
 * @param bound Other facts without which the name is another one.
 */
export function sealOf(secret: Buffer, token: string, bound: readonly string[] = []): Seal {
  const derive = (purpose: string) =>
    createHmac("sha256", secret)
      .update(JSON.stringify([purpose, token, ...bound]))
      .digest();
  return { name: derive("name").toString("base64url"), key: derive("key") };
}

/** AES-256-GCM with a random IV, as base64. The name is authenticated too, so that no value fits another entry. */
export function seal(plain: Buffer, { name, key }: Seal): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(name));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64");
}

/** Undefined for a value of another seal. */
export function unseal(sealed: string, { name, key }: Seal): Buffer | undefined {
  const bytes = Buffer.from(sealed, "base64");
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES)).setAAD(Buffer.from(name));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}
