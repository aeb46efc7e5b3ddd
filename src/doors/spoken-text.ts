import { boundedText } from "../shared/schema/bounded-text.ts";

/** A text that a client or another program gives to be spoken. */
export const spokenText = boundedText(1_000).regex(/\S/u, "must hold something to say");
