import type { Log } from "../../shared/log.ts";
import type { Speakers } from "./text-to-speech.ts";

/** The voice configurations' word for the first speaker. */
const ANY = "default";

/** Warns of a setting that names a speaker whom the speech model does not have, and says who speaks instead. `where`: of the setting. */
export function warnOfUnknownSpeaker(where: string, voice: string, speakers: Speakers | undefined, log: Log): void {
  if (speakers === undefined || voice === ANY || speakers.names.includes(voice)) return;
  if (/^\d+$/.test(voice) && Number(voice) < speakers.count) return;
  const used = speakers.names[0] ?? "0";
  log.warn(
    { where, voice, used },
    `${where}: the speech model has no speaker "${voice}". Its speaker "${used}" is used.`,
  );
}
