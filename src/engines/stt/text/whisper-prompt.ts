/** A Whisper's prompt has 224 tokens at most, and its beginning would be cut off. */
const MAX_LENGTH = 600;

/** Phrases as a text that comes before the clip: Whisper prefers the spelling of such a text. As many as it can have. Empty without phrases. */
export function whisperPrompt(phrases: readonly string[]): string {
  let prompt = "";
  for (const phrase of phrases) {
    const longer = prompt === "" ? phrase : `${prompt}, ${phrase}`;
    if (longer.length >= MAX_LENGTH) break;
    prompt = longer;
  }
  return prompt === "" ? "" : `${prompt}.`;
}
