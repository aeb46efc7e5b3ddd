import type { z } from "zod";

export interface FieldError {
  /** Dotted path, such as `turn_detection.silence_threshold`; empty for the value as a whole. */
  readonly field: string;
  readonly message: string;
}

/** The first error as a sentence that names the field. */
export function firstError(error: z.ZodError): FieldError {
  const [{ field, message } = { field: "", message: "wrong" }] = fieldErrors(error);
  return { field, message: field === "" ? message : `${field}: ${message}` };
}

/** At most eight errors: enough to correct a message, and bounded. */
export function fieldErrors(error: z.ZodError): FieldError[] {
  return error.issues.slice(0, 8).map((issue) => ({ field: issue.path.map(String).join("."), message: issue.message }));
}
