import { toCardinal, toOrdinal } from "n2words/it-IT";
import { keptDotsBy } from "../../spoken/kept-dots.ts";
import { speakableBy } from "../../spoken/spoken-text.ts";
import { money, units } from "./amounts.ts";

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
  "P.zza": "piazza",
  "V.le": "viale",
  "Sigg.": "signori",
  "ecc.": "eccetera",
  "n.": "numero",
  "ca.": "circa",
  "tel.": "telefono",
  "Dr.": "Dottor",
  "Dr.ssa": "Dottoressa",
  "D.ssa": "Dottoressa",
};

/** Before a number. */
const named = {
  "n°": "numero",
  "N°": "Numero",
  "art.": "articolo",
  "Art.": "Articolo",
  "artt.": "articoli",
  "Artt.": "Articoli",
  "§": "paragrafo",
  "pag.": "pagina",
  "pagg.": "pagine",
  "p.": "pagina",
  "cap.": "capitolo",
  "N.": "numero",
  "co.": "comma",
  "sec.": "secolo",
  "vol.": "volume",
  "fig.": "figura",
};

export const speakable = speakableBy({
  cardinal: toCardinal,
  agree: (said, next) => {
    if (said === "mezzo") return FEMININE.test(next) ? "mezza" : said;
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
    "gennaio|gen",
    "febbraio|feb",
    "marzo",
    "aprile|apr",
    "maggio",
    "giugno|giu",
    "luglio|lug",
    "agosto",
    "settembre|sett",
    "ottobre|ott",
    "novembre|nov",
    "dicembre|dic",
  ],
  dayMark: String.raw`(?:º|°)?`,
  ofMonth: "",
  day: (day) => (day === 1 ? "primo" : toCardinal(day)),
  date: (day, month, year) => [day, month, year].filter(Boolean).join(" "),
  dayBefore: "il|dal|al|del",
  clockMark: String.raw`:|(?<=(?:alle|dalle|ore|h) (?:\d{1,2}\.\d\d ?(?:[-–]|al{0,2}e?) ?)?\d{1,2})\.`,
  clockUnit: "",
  phone: String.raw`3\d\d[ .-]?\d{6,7}|3\d\d(?:[ .-]\d{3,4}){2}`,
  time: (hours, minutes) => `${hours.replace(/^uno$/, "una")}${minutes === undefined ? " in punto" : ` e ${minutes}`}`,
  signs: {
    "%": "per cento",
    "°": "gradi",
    "+": "più",
    "=": "uguale",
    "&": "e",
    "@": "chiocciola",
    "÷": "diviso",
    "×": "per",
  },
  money,
  per: "per",
  counted: "giorno|settimana|mese|anno|ora|minuto|secondo|persona|notte|unità|camera|dose|litro|chilo|pagina|die",
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
    times: "per",
    divided: "diviso",
    about: "circa",
    perDay: "al giorno",
    stars: "stella|stelle",
    hours: "ora|ore",
    minutes: "minuto|minuti",
    seconds: "secondo|secondi",
  },
  romans: {
    century: { noun: "secolo", mark: "o" },
    kings:
      "Luigi|Enrico|Carlo|Filippo|Napoleone|Elisabetta|Giovanni|Paolo|Benedetto|Giorgio|Edoardo|Guglielmo|Vittorio|Emanuele|Umberto|Pio|Leone|Gregorio|Alessandro|Caterina|Nicola|Francesco|Federico|Pietro",
    king: (value) => toOrdinal(value),
    counted: "capitolo|parte|tomo|volume|atto|fase|tipo|grado|stadio|livello|classe|articolo|allegato|libro|secolo",
  },
  units,
  fractions: {
    "1/2": "mezzo",
    "1/4": "un quarto",
    "3/4": "tre quarti",
    "1/3": "un terzo",
    "2/3": "due terzi",
    "1/5": "un quinto",
    "2/5": "due quinti",
    "3/5": "tre quinti",
    "4/5": "quattro quinti",
    "1/8": "un ottavo",
    "3/8": "tre ottavi",
    "5/8": "cinque ottavi",
    "7/8": "sette ottavi",
    "1/10": "un decimo",
  },
  slashes: { mixed: (whole, fraction) => `${toCardinal(whole)} e ${fraction}`, outOf: "su", over: "su" },
  ratio: { to: "a", nouns: "dilu|rapporto|scala|diluit[oa]|miscela|adrenalina" },
  codes: {
    names: "pin|codice|iban|password|volo|carta|pratica|prenotazione|riferimento|conto|ordine|fattura|cap",
    links: String.raw`numero|n\.|codice|è|che termina con|segreto`,
    counted: "ore|h|euro|giorn[io]|minut[io]|ann[io]|person[ae]|volte|per cento",
  },
  days: ["lunedì|lun", "martedì|mar", "mercoledì|mer", "giovedì|gio", "venerdì|ven", "sabato|sab", "domenica|dom"],
  references: named,
  rewrites: [
    [/(?<=\d ?\p{L}{0,4}) ?\/ ?die(?!\p{L})/gu, " al giorno"],
    [/(?<!\p{L})L\. ?(\d{1,4})\/((?:19|20)?\d\d)(?!\d)/gu, "legge $1 del $2"],
  ],
  address: { "@": "chiocciola", ".": "punto", "/": "barra", _: "trattino basso", "-": "trattino", "+": "plus" },
  to: "a",
  minus: "meno",
  abbreviations,
});

export const keepsDot = keptDotsBy({ ...abbreviations, ...named });
