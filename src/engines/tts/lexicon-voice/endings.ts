import { BEFORE_FLAP } from "./alphabet.ts";

interface Ending {
  /** Spellings of a word without its ending, the likeliest first. None when the word does not end so. */
  readonly stems: (word: string) => readonly string[];
  readonly attach: (stem: string) => string;
}

const shorter = (word: string, letters: number): string => word.slice(0, -letters);
/** "stopped", "running": a consonant is doubled before the ending. */
const undoubled = (stem: string): readonly string[] => (/([bcdgklmnprstvxz])\1$/.test(stem) ? [shorter(stem, 1)] : []);
const flapped = (stem: string): string | undefined =>
  stem.endsWith("t") && BEFORE_FLAP.test(shorter(stem, 1)) ? `${shorter(stem, 1)}T` : undefined;

const plural: Ending = {
  stems: (word) => {
    if (word.endsWith("'s")) return [shorter(word, 2)];
    if (word.endsWith("s'")) return [shorter(word, 1), shorter(word, 2)];
    if (word.length < 4 || !word.endsWith("s") || word.endsWith("ss")) return [];
    const stem = shorter(word, 1);
    if (word.endsWith("ies")) return [stem, `${shorter(word, 3)}y`];
    return word.endsWith("es") ? [stem, shorter(word, 2)] : [stem];
  },
  attach: (stem) => (/[szʃʒʧʤ]$/u.test(stem) ? `${stem}ᵻz` : /[ptkfθ]$/u.test(stem) ? `${stem}s` : `${stem}z`),
};

const past: Ending = {
  stems: (word) => {
    if (word.length < 4 || !word.endsWith("ed")) return [];
    const stem = shorter(word, 2);
    const y = word.endsWith("ied") ? [`${shorter(word, 3)}y`] : [];
    return [...y, `${stem}e`, stem, ...undoubled(stem)];
  },
  attach: (stem) => {
    if (stem.endsWith("d")) return `${stem}ᵻd`;
    if (stem.endsWith("t")) return `${flapped(stem) ?? stem}ᵻd`;
    return /[pkfθʃsʧ]$/u.test(stem) ? `${stem}t` : `${stem}d`;
  },
};

const continuous: Ending = {
  stems: (word) => {
    if (word.length < 5 || !word.endsWith("ing")) return [];
    const stem = shorter(word, 3);
    return [stem, `${stem}e`, ...undoubled(stem)];
  },
  attach: (stem) => `${flapped(stem) ?? stem}ɪŋ`,
};

const ENDINGS = [plural, past, continuous];

/** Sounds of an inflected word whose stem `read` knows ("vlogging" from "vlog"). `word`: lower or upper case. */
export function readInflected(word: string, read: (stem: string) => string | undefined): string | undefined {
  for (const { stems, attach } of ENDINGS) {
    for (const stem of stems(word)) {
      const sounds = stem.length < 2 ? undefined : read(stem);
      if (sounds !== undefined && sounds !== "") return attach(sounds);
    }
  }
  return undefined;
}
/** The plural and the possessive of letters' names. */
export const withS = (sounds: string): string => plural.attach(sounds);
