import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOfBase64 } from "../../src/doors/base64.ts";

const forms: Readonly<Record<string, (bytes: Buffer) => string>> = {
  standard: (bytes) => bytes.toString("base64"),
  "without padding": (bytes) => bytes.toString("base64").replace(/=+$/u, ""),
  "url-safe": (bytes) => bytes.toString("base64url"),
  "url-safe with padding": (bytes) => bytes.toString("base64").replaceAll("+", "-").replaceAll("/", "_"),
  "with a line end": (bytes) => `${bytes.toString("base64")}\r\n`,
  "in lines of 76": (bytes) => bytes.toString("base64").replace(/.{76}/gu, "$&\n"),
};

test.each(Object.entries(forms))("property: base64 %s is read", (_, form) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (array) => {
      const bytes = Buffer.from(array);
      expect(bytesOfBase64(form(bytes))?.equals(bytes)).toBe(true);
    }),
  );
});

test.each(["A", "AAAAA", "AA=A", "=", "AAAA====", "not base64!", "AAA=AAA=", "é"])("%j is not base64", (text) => {
  expect(text === "=" ? bytesOfBase64(text)?.length : bytesOfBase64(text)).toBe(text === "=" ? 0 : undefined);
});
