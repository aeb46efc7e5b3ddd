import { Ajv } from "ajv";
import formats from "ajv-formats";
import { asyncApiDocument } from "../../../src/doors/voice/async-api.ts";

export const document = asyncApiDocument() as {
  components: { messages: Record<string, { payload: object }> };
  operations: Record<string, { action: string }>;
};

export function validator(): Ajv {
  // The official schema and zod's both hold keywords of their own,
  // and the official one brings the meta schema with it.
  const ajv = new Ajv({ strict: false, meta: false, validateSchema: false, allErrors: true, logger: false });
  formats.default(ajv);
  return ajv;
}

/** Checks a message as one of this type, by the document. */
export const checkOf = (type: string) =>
  validator().compile(document.components.messages[type]?.payload ?? { not: {} });
