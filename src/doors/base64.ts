const WHITE_SPACE = /[\t\n\r ]+/gu;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/u;

/**
 * The bytes of base64, in each form that clients write: with or without padding, with both alphabets, with line ends. Undefined: not
 * base64.
 */
export function bytesOfBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  // Node skips characters that are not base64. Encoding again shows that there were none, and costs less than the test of the forms.
  if (bytes.toString("base64") === text) return bytes;
  const plain = text.replace(WHITE_SPACE, "");
  const isBase64 = BASE64.test(plain) && plain.replace(/=+$/u, "").length % 4 !== 1;
  return isBase64 ? bytes : undefined;
}
