import { boundedText } from "../shared/schema/bounded-text.ts";

/** A text that a client gives in the place of speech, or that a program gives to be spoken. */
export const spokenText = boundedText(1_000).regex(/\S/u, "must hold a word");
