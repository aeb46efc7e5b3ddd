import { type Finding, spanOf } from "./finding.ts";
import type { NumberWords } from "./number-words.ts";
import { isCapital, type Token } from "./tokens.ts";

/** Follows the name of a street: "Elm Street". */
const STREET_AFTER =
  /^(?:street|st|avenue|ave|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|place|pl|square|sq|way|terrace|close|crescent|gardens|hill|parkway|highway|row|mews)$/u;
/** Stands before it: "rue de la Paix 12", "calle Mayor". */
const STREET_BEFORE =
  /^(?:rue|avenue|boulevard|chemin|allée|impasse|quai|calle|avenida|plaza|paseo|via|viale|piazza|corso|rua|praça|travessa)$/u;
/** One word with it: "Hauptstraße", "Dorpsstraat". */
const STREET_INSIDE =
  /^\p{L}{3,}(?:straße|strasse|str|weg|gasse|platz|allee|ring|ufer|damm|straat|laan|plein|gracht|kade)$/u;
/** Matches the end of the words so far: an address follows. */
const GIVEN =
  /(?:^|\s)(?:(?:i|we) (?:live|stay) (?:at|in|on)|i'm living (?:at|in)|my (?:home |postal |street )?address is|the address is|ship it to|deliver (?:it )?to|we're at|ich wohne (?:in|am|im)(?: der| dem)?|meine (?:anschrift|adresse) (?:ist|lautet)|vivo en|mi dirección es|j'habite(?: à| au)?|mon adresse est|abito (?:in|a)|il mio indirizzo è|moro (?:na|no|em)|meu endereço é|ik woon (?:in|op|aan)(?: de)?|mijn adres is)$/u;
const INSIDE = new Set(
  "de la le les du des l' del den der dem di da do dos das in à a en of the apartment apt flat suite unit floor wohnung piso bis ter".split(
    " ",
  ),
);
/** Farther words are another thought. */
const LONGEST = 10;

/** Addresses of houses: a number beside the name of a street, and what follows words such as "I live at". */
export function findAddresses(
  tokens: readonly Token[],
  words: NumberWords,
  isTaken: (index: number) => boolean,
): Finding[] {
  const isNumber = (token: Token | undefined) =>
    token !== undefined && (/^\d{1,5}[a-z]?$/u.test(token.core) || words.digits.has(token.core.replaceAll("-", " ")));
  const found: [number, number][] = [];
  for (const [at, { core }] of tokens.entries()) {
    const street = streetAt(tokens, at, core, isNumber);
    if (street !== undefined) found.push(street);
    const before = tokens
      .slice(Math.max(0, at - 5), at)
      .map((token) => token.core)
      .join(" ");
    if (!GIVEN.test(before) || tokens[at - 1]?.endsSentence === true) continue;
    const last = partEnd(tokens, at, isNumber, isTaken);
    if (last !== undefined) found.push([at, last]);
  }
  return found.map(([first, last]) => spanOf("address", tokens, first, extended(tokens, last, isNumber, isTaken)));
}

function streetAt(
  tokens: readonly Token[],
  at: number,
  core: string,
  isNumber: (token: Token | undefined) => boolean,
): [number, number] | undefined {
  if (STREET_AFTER.test(core)) {
    for (let first = at - 2; first >= Math.max(0, at - 5); first -= 1) {
      if (tokens[first]?.endsPart === true) return undefined;
      if (isNumber(tokens[first])) return [isNumber(tokens[first - 1]) ? first - 1 : first, at];
    }
    return undefined;
  }
  if (STREET_INSIDE.test(core))
    return isNumber(tokens[at + 1]) ? [at, at + 1] : isNumber(tokens[at - 1]) ? [at - 1, at] : undefined;
  if (!STREET_BEFORE.test(core)) return undefined;
  let last = at;
  while (last + 1 < tokens.length && last - at < 5 && tokens[last]?.endsPart !== true) {
    const next = tokens[last + 1];
    if (next === undefined || !(isCapital(next) || INSIDE.has(next.core) || isNumber(next))) break;
    last += 1;
  }
  while (last > at && INSIDE.has(tokens[last]?.core ?? "")) last -= 1;
  const hasNumber = isNumber(tokens[at - 1]) || isNumber(tokens[last]);
  return hasNumber && last > at ? [isNumber(tokens[at - 1]) ? at - 1 : at, last] : undefined;
}

/** The last token of a given address: names with capitals and numbers. */
function partEnd(
  tokens: readonly Token[],
  first: number,
  isNumber: (token: Token | undefined) => boolean,
  isTaken: (index: number) => boolean,
): number | undefined {
  let last: number | undefined;
  for (let at = first; at < Math.min(tokens.length, first + LONGEST) && !isTaken(at); at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    if (isCapital(token) || isNumber(token) || STREET_AFTER.test(token.core)) last = at;
    else if (!INSIDE.has(token.core)) break;
    if (token.endsSentence) break;
  }
  return last;
}

/** Further parts after commas: a flat, a town, a code. */
function extended(
  tokens: readonly Token[],
  from: number,
  isNumber: (token: Token | undefined) => boolean,
  isTaken: (index: number) => boolean,
): number {
  let last = from;
  while (tokens[last]?.endsPart === true && tokens[last]?.endsSentence === false) {
    const end = partEnd(tokens, last + 1, isNumber, isTaken);
    if (end === undefined) return last;
    last = end;
  }
  return last;
}
