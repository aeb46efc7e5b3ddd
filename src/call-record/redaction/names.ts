import { type Finding, spanOf } from "./finding.ts";
import { isCapital, type Token } from "./tokens.ts";

/** A name follows, also in lower case. Matches the end of the words so far. */
const STRONG =
  /(?:^|\s)(?:my (?:full |first |last |sur)?name(?:'s| is)|(?:the|his|her|their|last|first|family|sur) ?name(?:'s| is)|(?:under|in) the name(?: of)?|you can call me|mein (?:voller |vor|nach)?name (?:ist|lautet)|der (?:nach)?name ist|ich hei(?:ß|ss)e|auf den namen|me llamo|mi (?:nombre|apellido) es|a nombre de|je m'appelle|mon nom est|au nom de|mi chiamo|il mio (?:nome|cognome) è|a nome di|(?:o )?meu nome é|chamo-me|me chamo|em nome de|mijn naam is|ik heet|op naam van|u spreekt met)$/u;
/** A name follows if it has a capital. */
const WEAK =
  /^(?:(?:my )?name )?is$|(?:^|\s)(?:this is|it's|i'm|i am|call me|speaking (?:with|to)|name:?|mr|mrs|ms|miss|mister|dr|doctor|herr|herrn|frau|hier (?:ist|spricht)|ich bin|soy|señora?|sr|sra|monsieur|madame|mme|je suis|sono|signora?|sou|senhora?|ik ben|meneer|mevrouw)$/u;
/** After these a name has its title before it, also in what the service says. */
const TITLE =
  /(?:^|\s)(?:mr|mrs|ms|miss|mister|dr|doctor|herr|herrn|frau|señora?|sr|sra|monsieur|madame|mme|signora?|senhora?|meneer|mevrouw)$/u;
/** "Anneliese Brandt here": a name stands before it. */
const AFTER = /^(?:here|speaking|hier|am apparat|al habla|à l'appareil)$/u;
const INSIDE = new Set("de van von der den la le del di da dos das du bin al el ter ten st".split(" "));
/** Words that may have a capital, or follow in lower case, and are not names. */
const OTHER = new Set(
  (
    "i i'm a an the and but or so not no yes yeah hi hello hey good thanks thank please just very here there now in on at from for with of to by is it's that this what calling " +
    "speaking about because who how when where why fine okay ok sure well sorry looking trying going interested monday tuesday wednesday thursday friday saturday sunday january february " +
    "march april may june july august september october november december german english french spanish italian dutch american british visa mastercard " +
    "und aber oder ich sie er es wir ihr ja nein hallo guten tag bitte danke nicht ein eine der die das in im am aus von mit für noch sehr hier " +
    "y pero o yo sí no hola buenos buenas por favor gracias un una el en con para muy aquí " +
    "et mais ou je oui non bonjour merci un une en avec pour très ici " +
    "e ma io sì ciao buongiorno grazie un uno in con per qui " +
    "eu sim olá bom obrigado em com para aqui " +
    "en maar of ik ja nee goedendag dank een in met voor hier"
  ).split(" "),
);
const LONGEST_NAME = 4;
const FEWEST_SPELLED = 3;
const SHORTEST_KNOWN = 3;

/** Names that callers give. Remembers them: they are hidden from then on, also where the service says them. */
export class NameFinder {
  readonly #known = new Set<string>();

  get count(): number {
    return this.#known.size;
  }

  find(tokens: readonly Token[], isCallers: boolean): Finding[] {
    const names = [...introduced(tokens, isCallers), ...(isCallers ? beforeHere(tokens) : [])];
    for (const [first, last] of names) this.remember(tokens.slice(first, last + 1));
    return [...names, ...this.#knownIn(tokens), ...spelled(tokens)].map(([first, last]) =>
      spanOf("name", tokens, first, last),
    );
  }

  remember(name: readonly Token[]): void {
    for (const { core } of name)
      if (core.length >= SHORTEST_KNOWN && !INSIDE.has(core)) this.#known.add(core.replace(/'s$/u, ""));
  }

  /** A name that is also a word, such as "Will", is hidden only with a capital, unless nothing has one. */
  #knownIn(tokens: readonly Token[]): [number, number][] {
    const hasCapitals = tokens.some((token) => isCapital(token));
    return [...tokens.entries()]
      .filter(([, token]) => this.#known.has(token.core.replace(/'s$/u, "")) && (isCapital(token) || !hasCapitals))
      .map(([index]) => [index, index]);
  }
}

function introduced(tokens: readonly Token[], isCallers: boolean): [number, number][] {
  const found: [number, number][] = [];
  for (let at = 1; at < tokens.length; at += 1) {
    const before = tokens
      .slice(Math.max(0, at - 5), at)
      .map(({ core }) => core)
      .join(" ");
    const isStrong = isCallers && STRONG.test(before);
    if (!isStrong && !(isCallers ? WEAK : TITLE).test(before)) continue;
    // "My name is. Miller." is one introduction; "It's. Miller" is two sentences.
    if (!isStrong && tokens[at - 1]?.endsSentence === true) continue;
    const last = nameEnd(tokens, at, isStrong && !isCapital(tokens[at]!));
    if (last === undefined) continue;
    found.push([at, last]);
    at = last;
  }
  return found;
}

/** The last token of the name that begins here. */
function nameEnd(tokens: readonly Token[], first: number, mayBeLower: boolean): number | undefined {
  let last: number | undefined;
  for (let at = first; at < Math.min(tokens.length, first + LONGEST_NAME); at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    const isInside = last !== undefined && INSIDE.has(token.core);
    const isName =
      !OTHER.has(token.core) && /^\p{L}/u.test(token.core) && (isCapital(token) || (mayBeLower && at < first + 2));
    if (!isName && !isInside) break;
    if (isName) last = at;
    if (token.endsPart) break;
  }
  return last;
}

function beforeHere(tokens: readonly Token[]): [number, number][] {
  const found: [number, number][] = [];
  for (const [at, { core }] of tokens.entries()) {
    if (!AFTER.test(core)) continue;
    let first = at;
    while (first > 0 && at - first < LONGEST_NAME) {
      const token = tokens[first - 1];
      if (token === undefined || !isCapital(token) || OTHER.has(token.core) || token.endsSentence) break;
      if (token.endsPart && first < at) break;
      first -= 1;
    }
    if (first < at) found.push([first, at - 1]);
  }
  return found;
}

/** "K O W A L C Z Y K", "K-O-W-A-L". */
function spelled(tokens: readonly Token[]): [number, number][] {
  const found: [number, number][] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    if (/^\p{L}(?:-\p{L}){2,}$/u.test(tokens[at]?.core ?? "")) {
      found.push([at, at]);
      continue;
    }
    let last = at;
    while (/^\p{L}$/u.test(tokens[last]?.core ?? "") && last < tokens.length) last += 1;
    if (last - at >= FEWEST_SPELLED) found.push([at, last - 1]);
    at = Math.max(at, last - 1);
  }
  return found;
}
