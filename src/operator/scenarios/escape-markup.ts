const NAMES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** A text for XML or HTML. Control characters, which XML does not allow, become spaces. */
export const escapeMarkup = (text: string): string =>
  text.replaceAll(/[\p{Cc}&<>"]/gu, (sign) => NAMES[sign] ?? (sign === "\n" ? sign : " "));
