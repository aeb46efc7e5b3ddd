import { type Finding, spanOf } from "./finding.ts";
import type { Token } from "./tokens.ts";

const WRITTEN = /[\p{L}\p{N}._%+'’-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu;
const AT = new Set("at @ ät arroba arobase chiocciola apenstaartje klammeraffe".split(" "));
const DOT = new Set("dot punkt punto point ponto punt . period".split(" "));
const JOINT = new Set([
  ...DOT,
  ..."underscore unterstrich dash hyphen minus bindestrich guion guión tiret trattino hífen streepje plus _ -".split(
    " ",
  ),
]);
const ENDS =
  /^(?:com|org|net|edu|gov|info|biz|io|co|uk|us|eu|de|at|ch|fr|es|it|pt|br|nl|be|lan|local|example|dev|app|me|mx|ar|ie|ca|au)$/u;
/** Words before an address that do not belong to it. */
const LEADS = new Set(
  (
    "is it its it's email e-mail mail address to under me write send use that's thats the my and or an ist lautet adresse unter " +
    "es correo dirección adresse est mio indirizzo è o meu é mijn adres"
  ).split(" "),
);
const LONGEST_NAME = 6;

/** Addresses for mail: "jane@example.com", and "jane dot doe at example dot com". */
export function findMail(text: string, tokens: readonly Token[]): Finding[] {
  const found: Finding[] = Array.from(text.matchAll(WRITTEN), ({ 0: address, index }) => ({
    kind: "mail",
    from: index,
    to: index + address.length,
  }));
  for (const [at, { core, text: written }] of tokens.entries()) {
    if (!AT.has(core) && written !== "@") continue;
    const last = domainEnd(tokens, at + 1);
    const first = nameStart(tokens, at - 1);
    if (last !== undefined && first < at) found.push(spanOf("mail", tokens, first, last));
  }
  return found;
}

/** The last token of "example dot co dot uk" or "example.com". */
function domainEnd(tokens: readonly Token[], from: number): number | undefined {
  const host = tokens[from]?.core ?? "";
  if (/\.[a-z]{2,}$/u.test(host)) return from;
  for (let dot = from + 1; dot <= from + 3 && dot < tokens.length; dot += 1) {
    const core = tokens[dot]?.core ?? "";
    const mark = tokens[dot]?.text ?? "";
    if (!DOT.has(core) && mark !== ".") continue;
    if (!/^\p{L}{2,}$/u.test(tokens[dot + 1]?.core ?? "")) return undefined;
    let last = dot + 1;
    while (DOT.has(tokens[last + 1]?.core ?? "") && ENDS.test(tokens[last + 2]?.core ?? "")) last += 2;
    return last;
  }
  return undefined;
}

/** The first token of the part before "at". */
function nameStart(tokens: readonly Token[], last: number): number {
  let first = last + 1;
  while (first > 0 && last - first + 1 < LONGEST_NAME * 2) {
    const token = tokens[first - 1];
    if (token === undefined || token.endsSentence || LEADS.has(token.core)) break;
    if (token.endsPart && first <= last) break;
    first -= 1;
    const words = tokens.slice(first, last + 1).filter(({ core }) => !JOINT.has(core)).length;
    if (words >= LONGEST_NAME) break;
  }
  return first;
}
