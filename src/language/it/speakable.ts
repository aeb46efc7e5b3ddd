import { toCardinal, toCurrency, toOrdinal } from "n2words/it-IT";
import { keptDotsBy } from "../kept-dots.ts";
import { speakableBy } from "../spoken-text.ts";

const NO_NOUN =
  /^(?:di|del|della|è|e|o|a|al|alla|in|con|per|che|si|non|sono|ha|la|il|le|i|gli|lo|da|dal|dalle|virgola|punto|più|meno|come|ma|fino)$/u;
const FEMININE = /(?:a|ione|tà|notte)$/u;
const MASCULINE = /^(?:problema|programma|sistema|tema)$/u;

const abbreviations = {
  "Sig.": "Signor",
  "Sig.ra": "Signora",
  "Dott.": "Dottor",
  "Dott.ssa": "Dottoressa",
  "Prof.": "Professor",
  "ad es.": "ad esempio",
  "ecc.": "eccetera",
  "n.": "numero",
  "ca.": "circa",
  "tel.": "telefono",
};

export const speakable = speakableBy({
  cardinal: toCardinal,
  euros: toCurrency,
  agree: (said, next) => {
    if (said !== "uno" || next === "" || NO_NOUN.test(next)) return said;
    if (FEMININE.test(next) && !MASCULINE.test(next)) return "una";
    return /^(?:s[^aeiou]|z|gn|ps)/u.test(next) ? "uno" : "un";
  },
  // The signs º and ª arrive as letters.
  ordinalMark: "[oa](?!\\p{L})|°(?= (?:piano|posto|giorno))",
  ordinal: (value, mark) => toOrdinal(value).replace(/o$/u, mark === "a" ? "a" : "o"),
  thousands: ".",
  year: toCardinal,
  months: [
    "gennaio",
    "febbraio",
    "marzo",
    "aprile",
    "maggio",
    "giugno",
    "luglio",
    "agosto",
    "settembre",
    "ottobre",
    "novembre",
    "dicembre",
  ],
  dayMark: String.raw`(?:º|°)?`,
  ofMonth: "",
  day: (day) => (day === 1 ? "primo" : toCardinal(day)),
  date: (day, month, year) => [day, month, year].filter(Boolean).join(" "),
  clockMark: String.raw`:|(?<=(?:alle|dalle|ore) \d{1,2})\.`,
  clockUnit: "",
  time: (hours, minutes) => `${hours.replace(/^uno$/, "una")}${minutes === undefined ? " in punto" : ` e ${minutes}`}`,
  signs: {
    "%": "per cento",
    "°C": "gradi Celsius",
    "°": "gradi",
    "+": "più",
    "=": "uguale",
    "&": "e",
    "@": "chiocciola",
    "×": "per",
  },
  currencies: { $: "dollari", "£": "sterline", CHF: "franchi" },
  units: {
    h: "ora|ore",
    min: "minuto|minuti",
    km: "chilometro|chilometri",
    m: "metro|metri",
    cm: "centimetro|centimetri",
    kg: "chilogrammo|chilogrammi",
    g: "grammo|grammi",
    l: "litro|litri",
  },
  fractions: { "1/2": "mezzo", "1/4": "un quarto", "3/4": "tre quarti" },
  address: { "@": "chiocciola", ".": "punto", "/": "barra", _: "trattino basso", "-": "trattino", "+": "plus" },
  to: "a",
  minus: "meno",
  abbreviations,
});

export const keepsDot = keptDotsBy(abbreviations);
