import { withoutDirections } from "./stage-directions.ts";

const knownDomains = "com|org|net|edu|gov|info|io|ai|app|dev|co|uk|de|fr|us|eu";
const url = /\bhttps?:\/\/(?:www\.)?([\w.-]+)([^\s)\]>"']*)/gi;
const email = /(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b/gi;
const domain = new RegExp(
  `(?<![\\w.-])(?:www\\.)?((?:[a-z0-9-]+\\.){1,4}(?:${knownDomains}))((?:/[\\w-]+)*)/?(?![\\w-])`,
  "gi",
);

/** Removes what only the eye reads: Markdown, HTML tags, emoji. `sayAddress` says addresses of the web and of mail. */
export function plainText(text: string, sayAddress: (address: string) => string): string {
  return (
    withoutDirections(text.replace(/```[^`]*(?:```|$)/gu, " "))
      .replace(/([\u00BC-\u00BE\u2150-\u215E])/g, " $1")
      .normalize("NFKC")
      .replaceAll("\u2044", "/")
      .replace(/[\u2010\u2011]/g, "-")
      .replace(/[。।]/g, ". ")
      .replace(/[、،]/g, ", ")
      .replaceAll("؟", "? ")
      .replaceAll("؛", "; ")
      .replace(/[\u2018\u2019\u02BC]/g, "'")
      .replace(/[\u200B-\u200F\u2060\uFEFF\u00AD]/g, "")
      .replace(/<\/?[a-z][^<>]{0,200}>/gi, " ")
      .replace(/!?\[([^[\]]{0,300})\]\([^()\s]{0,500}\)/g, "$1")
      .replace(email, (address) => sayAddress(address))
      .replace(
        url,
        (_, host: string, path: string) =>
          sayAddress(host.replace(/\.$/, "") + shortPath(path)) + (/[.,!?]$/.exec(host + path)?.[0] ?? ""),
      )
      .replace(domain, (_, host: string, path: string) => sayAddress(host + path))
      .replace(/^[ \t]*(?:#{1,6}|>+|[-*+•])[ \t]+/gm, "")
      // German "3. bis 5. Mai" begins with no number of a list.
      .replace(/^[ \t]*(\d{1,3})[.)][ \t]+(?![-–]|(?:bis|und|oder) )/gm, "$1, ")
      .replace(/^[ \t]*(?:[-*_=][ \t]*){3,}$/gm, "")
      .replace(/ ?\|+ ?/g, ", ") // the cells of a table
      .replace(/[*`~\\]+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, " ")
      .replace(/[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\uFE0F\u20E3\u200D]+/gu, " ")
      // "3. more" would be an ordinal.
      .replace(/(\d)[ \t]*\n\s*(?=\p{Ll})/gu, "$1, ")
      .replace(/([^\s.,;:!?])[ \t]*\n\s*/g, "$1. ")
      .replace(/\s+/g, " ")
  );
}

/** The path of an address as far as it can be said: words between slashes, no query. */
function shortPath(path: string): string {
  return /^(?:\/[\w-]{1,30}){1,3}/.exec(path)?.[0] ?? "";
}
