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
  per: "per",
  values: {
    less: "meno di",
    more: "più di",
    atMost: "al massimo",
    atLeast: "almeno",
    plusMinus: "più o meno",
    unequal: "diverso da",
    squared: "al quadrato",
    cubed: "al cubo",
    power: "elevato a",
    hours: "ora|ore",
    minutes: "minuto|minuti",
    seconds: "secondo|secondi",
  },
  romans: {
    kings:
      "Luigi|Enrico|Carlo|Filippo|Napoleone|Elisabetta|Giovanni|Paolo|Benedetto|Giorgio|Edoardo|Guglielmo|Vittorio|Emanuele|Umberto|Pio|Leone|Gregorio|Alessandro|Caterina|Nicola|Francesco|Federico|Pietro",
    king: (value) => toOrdinal(value),
    counted: "capitolo|parte|tomo|volume|atto|fase|tipo|grado|livello|classe|articolo|allegato|libro",
  },
  units: {
    mg: "milligrammo|milligrammi",
    mcg: "microgrammo|microgrammi",
    μg: "microgrammo|microgrammi",
    ml: "millilitro|millilitri",
    dl: "decilitro|decilitri",
    cl: "centilitro|centilitri",
    mm: "millimetro|millimetri",
    kWh: "chilowattora",
    kW: "chilowatt",
    W: "watt",
    kcal: "chilocaloria|chilocalorie",
    kHz: "chilohertz",
    MHz: "megahertz",
    GB: "gigabyte",
    MB: "megabyte",
    m2: "metro quadrato|metri quadrati",
    km2: "chilometro quadrato|chilometri quadrati",
    m3: "metro cubo|metri cubi",
    mmHg: "millimetro di mercurio|millimetri di mercurio",
    ms: "millisecondo|millisecondi",
    giorno: "giorno|giorni",
    settimana: "settimana|settimane",
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
