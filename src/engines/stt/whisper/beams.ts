/** Beams of a final when the configuration gives none. Three leave fewer words wrong; a second ear does so for English (docs/decisions/0020-whisper-binding.md). */
export const USUAL_BEAMS = { en: 1, other: 3 };

export const usualBeams = (language: string): number => (language === "en" ? USUAL_BEAMS.en : USUAL_BEAMS.other);
