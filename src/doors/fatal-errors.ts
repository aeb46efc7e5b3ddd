import { FATAL_ERRORS } from "../shared/error-codes.ts";

/** Errors that end a connection of any protocol. */
export type FatalErrorCode = keyof typeof FATAL_ERRORS;

export const isFatalErrorCode = (code: string): code is FatalErrorCode => Object.hasOwn(FATAL_ERRORS, code);

export const fatalErrors: readonly FatalErrorCode[] = Object.keys(FATAL_ERRORS).filter(isFatalErrorCode);
