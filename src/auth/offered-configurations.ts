import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import { nearestWord } from "../shared/did-you-mean.ts";
import { OakError } from "../shared/errors.ts";
import { mayOpen, type Identity } from "./authenticate.ts";

const MOST_NAMED = 12;

/**
 * The error for an unknown `config_id`. It names the configurations that these credentials open, and no other: a key of one
 * project must not learn the names of another.
 */
export function unknownConfiguration(wanted: string, identity: Identity, all: readonly VoiceConfiguration[]): OakError {
  const offered = all.filter((voice) => mayOpen(identity, voice)).map((voice) => voice.config_id);
  const name = JSON.stringify(wanted.slice(0, 64));
  return new OakError(
    `There is no voice configuration with the config_id ${name}. ${offer(wanted, offered.toSorted())}`,
    {
      code: "CONFIG_NOT_FOUND",
    },
  );
}

function offer(wanted: string, offered: readonly string[]): string {
  if (offered.length === 0) return "These credentials open none.";
  const meant = nearestWord(wanted, offered);
  const more = offered.length - MOST_NAMED;
  const names = offered.slice(0, MOST_NAMED).join(", ");
  const question = meant === undefined ? "" : `Did you mean ${meant}? `;
  return `${question}These credentials open: ${names}${more > 0 ? ` and ${String(more)} more` : ""}.`;
}
