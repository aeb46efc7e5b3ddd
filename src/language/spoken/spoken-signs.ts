export interface SignWords {
  readonly minus: string;
  /** "5 to 10". */
  readonly to: string;
  readonly perDay: string;
  /** Stars of a hotel, as "singular|plural". */
  readonly stars: string;
}

/** Spaniards and Portuguese write degrees with the sign of an ordinal. */
const degrees = /(?<=\d ?)º(?=[CF](?!\p{L}))/gu;
/** "UTC-5", "GMT+02:00". */
const timeZone = /(?<=(?<!\p{L})(?:UTC|GMT)) ?([+−–-]) ?0?(\d{1,2})(?::00)?(?!\d)/gu;
/** A blood group, a result or a grade: "O-", "HIV-". Not the first of two words that share an end: "A- und B-Probe". */
const negative =
  /(?<![\p{L}\d])(AB|[A-DO]|Rh|HIV|HBV|HCV|HER2|PCR)[-−–](?=$|[,.;:!?)\s])(?!(?:, \p{Lu}{1,2}-)*,? \p{Ll}{1,6} \p{Lu}{1,2}-\p{L}| (?:and|or|und|oder|bis|en|of) (?!(?:AB|[A-DO]|Rh)[-+−–]))/gu;
/** "5…10". */
const dots = /(?<=\d[%°]?[CF]?)(?:…|\.\.\.?)(?=[-−]?\d)/gu;
/** "-5–-3". */
const belowZero = /(?<=(?<![\p{L}\d.,])[-−]\d{1,4}(?:[.,]\d{1,2})?(?: ?[%°])?[CF]?) ?[-–] ?(?=[-−]\d)/gu;
/** Doses of the morning, noon, evening and night: "1-0-½". */
const doses = /(?<![\p{L}\d.,/:–-])[\d½¼]([-–])[\d½¼]\1[\d½¼](?:\1[\d½¼])?(?![\p{L}\d/–-]|[.,:]\d)/gu;
const HALF = "[¼½¾⅓⅔⅛]";
const PART = String.raw`(?:1\/[2348]|2\/3|3\/4)`;
/** "½-1", "1-1½", "1/2-1". A dash between whole numbers may be that of a telephone number. */
const halves = new RegExp(
  String.raw`(?<=${HALF}|(?<![\d/])${PART}) ?[-–] ?(?=\d(?![\d/])|${HALF})|(?<=(?<!\d)\d{1,2}) ?[-–] ?(?=\d{0,2} ?${HALF}|\d ${PART}(?![\d/]))`,
  "gu",
);
/** "4 g/d", "3x/d". */
const aDay = /(?<=\d(?: ?(?:\p{L}{1,4}|[x×]))?) ?\/ ?d(?![\p{L}\d])/gu;
const stars = /(?<![\d.,])(\d(?:[.,]\d)?) ?[★⭐]\uFE0F?|(?<!\d ?)((?:[★⭐]\uFE0F?){2,7})/gu;
/** Two bones: "L4/5". */
const bones = /(?<=(?<!\p{L})[A-Z]\d{1,2})\/(?=\d{1,2}(?!\d))/gu;

/** Signs that change a value, in words or in a form that the next steps read. */
export function spokenSigns({ minus, to, perDay, stars: starWords }: SignWords): (text: string) => string {
  const [star = "", more = ""] = starWords.split("|");
  return (text) =>
    text
      .replace(degrees, "°")
      .replace(timeZone, (_, offset: string, hours: string) => ` ${offset === "+" ? "+" : minus} ${hours}`)
      .replace(negative, `$1 ${minus}`)
      .replace(/\(([-−+])\)/gu, (_, sign: string) => ` ${sign === "+" ? sign : minus} `)
      .replace(dots, "–")
      .replace(belowZero, ` ${to} `)
      .replace(doses, (found) => found.replace(/[-–]/gu, ", "))
      .replace(halves, ` ${to} `)
      .replace(aDay, ` ${perDay}`)
      .replace(stars, (_, value: string | undefined, signs = "") => {
        const count = value ?? String(signs).replaceAll("\uFE0F", "").length;
        return ` ${String(count)} ${count === "1" ? star : more} `;
      })
      .replace(bones, " ");
}
