/** A literal of a grammar. */
export function quoted(text: string): string {
  const escaped = text.replace(/["\\]/g, String.raw`\$&`).replaceAll("\n", String.raw`\n`);
  return `"${escaped.replaceAll("\r", String.raw`\r`).replaceAll("\t", String.raw`\t`)}"`;
}

/**
 * An expression for one of several texts. Their common beginnings are written once, because llama.cpp follows
 * each alternative that can still match, at every token.
 */
export function oneOf(texts: readonly string[]): string {
  return branches([...new Set(texts)].toSorted(), 0);
}

/** `sorted`: the texts that have their first `from` characters in common. */
function branches(sorted: readonly string[], from: number): string {
  const alternatives: string[] = [];
  for (let at = 0; at < sorted.length;) {
    const first = sorted[at] ?? "";
    const code = first.codePointAt(from);
    const character = code === undefined ? "" : String.fromCodePoint(code);
    let end = at + 1;
    while (end < sorted.length && character !== "" && sorted[end]?.startsWith(character, from) === true) end += 1;
    const last = sorted[end - 1] ?? "";
    const common = end - at === 1 ? first.length : commonLength(first, last, from);
    const head = quoted(first.slice(from, common));
    alternatives.push(end - at === 1 ? head : `${head} ${branches(sorted.slice(at, end), common)}`);
    at = end;
  }
  return `(${alternatives.join(" | ")})`;
}

/** Whole characters only: half of a surrogate pair cannot be written. */
function commonLength(one: string, other: string, from: number): number {
  let length = from;
  while (length < one.length && one[length] === other[length]) length += 1;
  return isHighSurrogate(one.charCodeAt(length - 1)) ? length - 1 : length;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
