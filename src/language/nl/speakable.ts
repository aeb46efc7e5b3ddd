import { toCardinal, toCurrency, toOrdinal } from "n2words/nl-NL";
import { keptDotsBy } from "../kept-dots.ts";
import { speakableBy } from "../spoken-text.ts";

const abbreviations = {
  "dhr.": "de heer",
  "mevr.": "mevrouw",
  "dr.": "dokter",
  "prof.": "professor",
  "bijv.": "bijvoorbeeld",
  "bv.": "bijvoorbeeld",
  "d.w.z.": "dat wil zeggen",
  "enz.": "enzovoort",
  "a.u.b.": "alstublieft",
  "ca.": "circa",
  "nr.": "nummer",
  "tel.": "telefoon",
  "o.a.": "onder andere",
};

export const speakable = speakableBy({
  cardinal: toCardinal,
  euros: toCurrency,
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
  clockMark: ":|\\.(?=\\d\\d uur)",
  clockUnit: " uur",
  time: (hours, minutes) => `${hours} uur${minutes === undefined ? "" : ` ${minutes}`}`,
  signs: {
    "%": "procent",
    "°C": "graden Celsius",
    "°": "graden",
    "+": "plus",
    "=": "is",
    "&": "en",
    "@": "apenstaartje",
    "×": "keer",
  },
  currencies: { $: "dollar", "£": "pond" },
  units: {
    u: "uur",
    h: "uur",
    min: "minuut|minuten",
    "min.": "minuut|minuten",
    km: "kilometer",
    m: "meter",
    cm: "centimeter",
    kg: "kilogram",
    g: "gram",
    l: "liter",
  },
  fractions: { "1/2": "een half", "1/4": "een kwart", "3/4": "drie kwart" },
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

export const keepsDot = keptDotsBy(abbreviations);
