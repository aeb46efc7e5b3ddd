/*
 * The voice's alphabet is the International Phonetic Alphabet with additions. A, I, O, W and Y are diphthongs. ʤ and ʧ are affricates. T is a
 * flapped t. ᵊ is a short schwa, and ᵻ is the vowel of "-es".
 */

export const VOWEL = /[AIOQWYaiuæɑɐɒɔəɛɜɪʊʌᵊᵻ]/u;
const STRESSABLE = /[AIOQWYaiuæɑɒɔəɛɜɪʊʌᵻ]/u;
export const PRIMARY = "ˈ";
export const SECONDARY = "ˌ";
/** Sounds before which a t between vowels is flapped. */
export const BEFORE_FLAP = /[AIOWYiuæɑəɛɪɹʊʌ]$/u;

/** The marks that the voice reads as pauses and melodies. */
export const MARKS = /[,.?!;:—]/u;

export const hasStress = (sounds: string): boolean => sounds.includes(PRIMARY) || sounds.includes(SECONDARY);

/** A word that is not the strongest of its group. */
export function weaken(sounds: string): string {
  if (!sounds.includes(PRIMARY)) return sounds;
  return sounds.replaceAll(SECONDARY, "").replaceAll(PRIMARY, SECONDARY);
}

/** Puts a stress before the first vowel of a word that has none. */
export function stressed(sounds: string, stress: string): string {
  const at = hasStress(sounds) ? -1 : sounds.search(STRESSABLE);
  return at < 0 ? sounds : `${sounds.slice(0, at)}${stress}${sounds.slice(at)}`;
}

/** Makes the strongest stress of a word primary. */
export function emphasized(sounds: string): string {
  if (sounds.includes(PRIMARY)) return sounds;
  return hasStress(sounds) ? sounds.replaceAll(SECONDARY, PRIMARY) : stressed(sounds, PRIMARY);
}

/** How long a word lasts: diphthongs and affricates count double. */
export function weightOf(sounds: string): number {
  return Array.from(sounds).reduce((sum, sound) => sum + (/[AIOQWYʤʧ]/u.test(sound) ? 2 : 1), 0);
}
