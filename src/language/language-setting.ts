/** Language of the caller: a primary BCP-47 tag, the tags of several, or "auto". */
export type LanguageSetting = string | readonly string[];

export const DEFAULT_LANGUAGE = "en";

/** The recogniser chooses the language by the caller's voice. */
export const isByEar = (setting: LanguageSetting): boolean =>
  typeof setting === "string" ? setting === "auto" : setting.length > 1;

/** The tags of a setting. "auto" names none. */
export const tagsOf = (setting: LanguageSetting): readonly string[] =>
  typeof setting !== "string" ? setting : setting === "auto" ? [] : [setting];
