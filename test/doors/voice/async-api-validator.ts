import { Ajv } from "ajv";
import formats from "ajv-formats";
import { asyncApiDocument } from "../../../src/doors/voice/async-api.ts";

export const document = asyncApiDocument() as {
  components: { messages: Record<string, { payload: object }> };
  operations: Record<string, { action: string }>;
};

export function validator(): Ajv {
  // The official schema and the schemas of zod have further keywords,
  // and the official one contains the meta schema.
  const ajv = new Ajv({ strict: false, meta: false, validateSchema: false, allErrors: true, logger: false });
  formats.default(ajv);
  return ajv;
}

/** Checks a message against the document's schema of this type. */
export const checkOf = (type: string) =>
  validator().compile(document.components.messages[type]?.payload ?? { not: {} });
