import { toCardinal, toOrdinal } from "n2words/nl-NL";
import { keptDotsBy } from "../../spoken/kept-dots.ts";
import { speakableBy } from "../../spoken/spoken-text.ts";
import { money, units } from "./amounts.ts";

/** Nouns with "het". */
const NEUTER = /^(?:uur|jaar|glas|kilo\p{L}*|ei|brood|pond|ons|pak|blik|\p{L}+je)$/u;
const half = (next: string, before: string): string =>
  next === "" || NEUTER.test(next) ? `${before}half` : `${before}halve`;

const mixed = (whole: string, fraction: string, next: string): string => {
  if (fraction !== "een half") return `${toCardinal(whole)} en ${fraction}`;
  return whole === "1" ? half(next, "ander") : `${toCardinal(whole)} en ${half(next, "een ")}`;
};

const abbreviations = {
  "dhr.": "de heer",
  "mevr.": "mevrouw",
  "dr.": "dokter",
  "prof.": "professor",
  "bijv.": "bijvoorbeeld",
  "bv.": "bijvoorbeeld",
  "d.w.z.": "dat wil zeggen",
  "mw.": "mevrouw",
  "enz.": "enzovoort",
  "a.u.b.": "alstublieft",
  "ca.": "circa",
  "nr.": "nummer",
  "tel.": "telefoon",
  "o.a.": "onder andere",
};

/** Before a number. */
const named = {
  nr: "nummer",
  "n°": "nummer",
  "N°": "Nummer",
  "art.": "artikel",
  "Art.": "Artikel",
  "§": "paragraaf",
  "blz.": "bladzijde",
  "p.": "pagina",
  "hfst.": "hoofdstuk",
  "afb.": "afbeelding",
};

export const speakable = speakableBy({
  cardinal: toCardinal,
  agree: (said, next) => (said === "een half" ? half(next, "een ") : said),
  ordinalMark: "(?:e|de|ste)(?!\\p{L})",
  ordinal: (value) => toOrdinal(value),
  thousands: ".",
  year: (year) => {
    if (year < 1100 || year >= 2000) return toCardinal(year);
    const century = toCardinal(Math.floor(year / 100));
    const rest = year % 100;
    return rest > 9 ? `${century} ${toCardinal(rest)}` : `${century}honderd${rest === 0 ? "" : toCardinal(rest)}`;
  },
  months: [
    "januari|jan",
    "februari|feb",
    "maart",
    "april|apr",
    "mei",
    "juni",
    "juli",
    "augustus|aug",
    "september|sept",
    "oktober|okt",
    "november|nov",
    "december|dec",
  ],
  dayMark: String.raw`(?:e|ste|de)?`,
  ofMonth: "",
  day: (day) => toCardinal(day),
  date: (day, month, year) => [day, month, year].filter(Boolean).join(" "),
  dayBefore: "op|vanaf|tot",
  clockMark: String.raw`:|u(?=[0-5]\d(?!\d))|\.(?=\d\d(?: ?[-–] ?| tot )?(?:\d{1,2}(?:\.\d\d)?)? ?u(?:ur)?(?!\p{L}))`,
  clockUnit: " ?u(?:ur)?",
  // The digits of a postal code.
  phone: String.raw`[1-9]\d{3}(?= ?[A-Z]{2},? \p{Lu}\p{Ll})`,
  time: (hours, minutes) => `${hours} uur${minutes === undefined ? "" : ` ${minutes}`}`,
  signs: {
    "%": "procent",
    "°": "graden",
    "+": "plus",
    "=": "is",
    "&": "en",
    "@": "apenstaartje",
    "÷": "gedeeld door",
    "×": "keer",
  },
  money,
  per: "per",
  counted: "dag|week|maand|jaar|uur|minuut|seconde|persoon|nacht|stuk|kamer|dosis|liter|kilo|pagina",
  values: {
    less: "minder dan",
    more: "meer dan",
    atMost: "hoogstens",
    atLeast: "minstens",
    plusMinus: "plus of min",
    unequal: "ongelijk aan",
    squared: "kwadraat",
    cubed: "tot de derde",
    power: "tot de macht",
    times: "keer",
    divided: "gedeeld door",
    about: "ongeveer",
    perDay: "per dag",
    stars: "ster|sterren",
    hours: "uur",
    minutes: "minuut|minuten",
    seconds: "seconde|seconden",
  },
  romans: {
    century: { noun: "eeuw", mark: "e" },
    kings:
      "Willem|Karel|Lodewijk|Hendrik|Filips|Napoleon|Elizabeth|Johannes|Paulus|Benedictus|George|Eduard|Leopold|Albert|Boudewijn|Pius|Leo|Gregorius|Catharina|Peter|Alexander|Frederik|Jan",
    king: (value) => `de ${toOrdinal(value)}`,
    counted: "hoofdstuk|deel|band|type|fase|klasse|stadium|graad|niveau|akte|artikel|bijlage|boek",
  },
  units,
  fractions: {
    "1/2": "een half",
    "1/4": "een kwart",
    "3/4": "drie kwart",
    "1/3": "een derde",
    "2/3": "twee derde",
    "1/5": "een vijfde",
    "2/5": "twee vijfde",
    "3/5": "drie vijfde",
    "4/5": "vier vijfde",
    "1/8": "een achtste",
    "3/8": "drie achtste",
    "5/8": "vijf achtste",
    "7/8": "zeven achtste",
    "1/10": "een tiende",
  },
  slashes: { mixed, outOf: "op", over: "over" },
  ratio: { to: "op", nouns: "verdun|verhouding|schaal|verdund|mengsel|adrenaline" },
  codes: {
    names: String.raw`pin|pincode|code|postcode|iban|wachtwoord|vlucht|pas|dossier|reservering|boeking|rekening|bestelling|factuur|\p{L}*nummer`,
    links: String.raw`nummer|nr\.?|code|is|eindigend op`,
    counted: "uur|procent|euro|dagen|dag|minuten|minuut|jaar|personen|keer|stuks",
  },
  days: ["maandag|ma", "dinsdag|di", "woensdag|wo", "donderdag|do", "vrijdag|vr", "zaterdag|za", "zondag|zo"],
  references: named,
  rewrites: [
    [/(?<!\p{L})t\/m(?!\p{L})/gu, "tot en met"],
    [/(?<=\d) ?dd(?!\p{L})/gu, " keer daags"],
    [/(?<!\p{L})max\. (?=\d)/gu, "maximaal "],
    [/(?<!\p{L})min\. (?=\d)/gu, "minimaal "],
  ],
  address: {
    "@": "apenstaartje",
    ".": "punt",
    "/": "schuine streep",
    _: "laag streepje",
    "-": "streepje",
    "+": "plus",
  },
  to: "tot",
  minus: "min",
  abbreviations,
});

export const keepsDot = keptDotsBy({ ...abbreviations, ...named });
