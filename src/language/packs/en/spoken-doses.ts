const TIMES: Readonly<Record<string, string>> = {
  "q.d.": "every day",
  "b.i.d.": "twice a day",
  "t.i.d.": "three times a day",
  "q.i.d.": "four times a day",
  "q.h.s.": "at bedtime",
  "q.a.m.": "every morning",
  "p.r.n.": "as needed",
  "p.o.": "by mouth",
  "n.p.o.": "nothing by mouth",
};
/** With dots, or in capitals. Its last dot may end the sentence too. */
const short = new RegExp(
  `(?<![\\p{L}\\d.])(${Object.keys(TIMES)
    .map((key) => `${key.slice(0, -1).replaceAll(".", "\\.")}\\b`)
    .join(
      "|",
    )})(?:\\.(?!\\s*(?:\\p{Lu}|$)))?|(?<![\\p{L}.])(QD|BID|TID|QID|PRN|prn|NPO|QHS|(?<=\\d ?(?:m?g|mcg|m[lL]|tabs?|tablets?|caps?|capsules?) )PO)(?!\\p{L}|\\.\\p{L})`,
  "gu",
);
const every = /(?<![\p{L}\d])[qQ]\.? ?(\d{1,2})(?: ?[-–] ?(\d{1,2}))? ?h(?:rs?|ours?)?\.?(?![\p{L}\d])/gu;
const timesUnit =
  /(?<=\d) ?[x×] ?(?=\d[\d.,]* ?(?:m?g|mcg|m[lL]|IU|tablets?|capsules?|doses?|puffs?|drops?)(?!\p{L}))/gu;
const feetAndInches = /(?<![\p{L}\d'’])(\d{1,2})['’′] ?(\d{1,2})(?:"|''|″|”)/gu;
const mark = /(?:(?<![\d.,/])([\d./½¼¾]{1,6}) ?)?["″](?![\p{L}\d])|"/gu;
const inches = /(?<=\d ?(?:ft|feet|foot)\.? ?)(\d{1,2}(?:\.\d+)?) ?in(?:\.(?= \p{Ll}))?(?!\p{L})/gu;

/** A score, not a fraction: "pain is 7/10". */
const score =
  /(?=\d{1,2}\/\d)(?<=\b(?:pain|scored?|rat(?:ed|ing)|severity|apgar|gcs)(?!\p{L})[^.\d]{0,15})(\d{1,2})\/(\d{1,3})(?![\d/])/giu;

/** Frequencies, scores and sizes: "500 mg q6h" -> "500 mg every 6 hours", "b.i.d." -> "twice a day". */
export const spokenDoses = (text: string): string =>
  inchMarks(text.replace(feetAndInches, "$1 feet $2 inches"))
    .replace(short, (_, dotted?: string, capitals?: string) => {
      const key = dotted ?? Array.from((capitals ?? "").toLowerCase()).join(".");
      return TIMES[`${key}.`] ?? key;
    })
    .replace(
      every,
      (_, hours: string, more?: string) => `every ${more === undefined ? hours : `${hours} to ${more}`} hours`,
    )
    .replace(/ [x×] ?(?=\d{1,3} ?(?:days?|weeks?|months?)(?!\p{L}))/gu, " for ")
    .replace(score, "$1 out of $2")
    .replace(timesUnit, " times ")
    .replace(inches, (_, count: string) => `${count} ${count === "1" ? "inch" : "inches"}`);

/** A mark after a number means inches, unless it closes a quotation. */
function inchMarks(text: string): string {
  let isQuoted = false;
  return text.replace(mark, (found: string, count: string | undefined, at: number) => {
    if (count !== undefined && !(isQuoted && found.endsWith('"'))) {
      const isOne =
        /^(?:1|\d\/\d+|[½¼¾])$/u.test(count) || /^ \p{Ll}/u.test(text.slice(at + found.length, at + found.length + 2));
      return `${count} ${isOne ? "inch" : "inches"}`;
    }
    isQuoted = !isQuoted;
    return found;
  });
}
