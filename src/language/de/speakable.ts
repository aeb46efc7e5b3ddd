import { toCardinal, toCurrency, toOrdinal } from "n2words/de-DE";
import { keptDotsBy } from "../kept-dots.ts";
import { speakableBy } from "../spoken-text.ts";

const FEMININE = /(?:e|ung|heit|keit|schaft|ion|tät|ei|Person|Nacht|Million)$/u;
const ARTICLES =
  "[Dd](?:er|ie|as|em|en|es)|[Aa]m|[Ii]m|[Zz]u[mr]|[Vv]om|[Bb]eim|[Jj]ede[rsnm]?|[Ii]hr(?:e[nm]?)?|[Uu]nsere?";

/** "Dritte" after an article in the nominative, "dritter" without an article, else "dritten". */
function ordinal(value: number, before: string): string {
  const [last = "", preposition = ""] = before.split(" ").toReversed();
  const said = toOrdinal(value);
  if (/^(?:die|das|jede|ihre|unsere)$/u.test(last)) return said;
  if (last === "der")
    return /^(?:in|auf|von|zu|mit|bei|ab|seit|aus|nach|vor|an)$/u.test(preposition) ? `${said}n` : said;
  const declines = /^(?:am|im|zum|zur|vom|beim|dem|den|des|bis|ab|seit|und|oder|jeden|jedem|ihren|ihrem)$/u;
  return declines.test(last) ? `${said}n` : `${said}r`;
}

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const abbreviations = {
  "z.B.": "zum Beispiel",
  "z. B.": "zum Beispiel",
  "d.h.": "das heißt",
  "d. h.": "das heißt",
  "u.a.": "unter anderem",
  "usw.": "und so weiter",
  "bzw.": "beziehungsweise",
  "ca.": "circa",
  "Nr.": "Nummer",
  "Dr.": "Doktor",
  "Prof.": "Professor",
  "Str.": "Straße",
  "Tel.": "Telefon",
  "inkl.": "inklusive",
};

export const speakable = speakableBy({
  cardinal: toCardinal,
  euros: toCurrency,
  agree: (said, next) => {
    if (said !== "eins" || !/^\p{Lu}/u.test(next)) return said;
    return FEMININE.test(next) && next !== "Käse" ? "eine" : "ein";
  },
  ordinalMark: String.raw`\.(?= (?:\p{Ll}|bis ))|(?<=(?<!\p{L})(?:${ARTICLES}) \d{1,4})\.(?= \p{Lu})`,
  ordinal: (value, _, before) => ordinal(value, before),
  thousands: ".",
  year: (year) =>
    year >= 1100 && year < 2000
      ? `${toCardinal(Math.floor(year / 100))}hundert${year % 100 === 0 ? "" : toCardinal(year % 100)}`
      : toCardinal(year),
  months: [
    "Januar|Jan",
    "Februar|Feb",
    "März",
    "April|Apr",
    "Mai",
    "Juni",
    "Juli",
    "August|Aug",
    "September|Sept",
    "Oktober|Okt",
    "November|Nov",
    "Dezember|Dez",
  ],
  dayMark: String.raw`\.`,
  ofMonth: "",
  day: ordinal,
  date: (day, month, year) => [day, month, year].filter(Boolean).join(" "),
  clockMark: ":|\\.(?=\\d\\d Uhr)",
  clockUnit: " Uhr",
  time: (hours, minutes) => `${hours.replace(/^eins$/, "ein")} Uhr${minutes === undefined ? "" : ` ${minutes}`}`,
  signs: {
    "%": "Prozent",
    "°C": "Grad Celsius",
    "°": "Grad",
    "+": "plus",
    "=": "gleich",
    "&": "und",
    "@": "ät",
    "×": "mal",
    "§": "Paragraph",
  },
  currencies: { $: "Dollar", "£": "Pfund", CHF: "Franken" },
  per: "pro",
  values: {
    less: "weniger als",
    more: "mehr als",
    atMost: "höchstens",
    atLeast: "mindestens",
    plusMinus: "plus minus",
    unequal: "ungleich",
    squared: "hoch zwei",
    cubed: "hoch drei",
    power: "hoch",
    hours: "Stunde|Stunden",
    minutes: "Minute|Minuten",
    seconds: "Sekunde|Sekunden",
  },
  romans: {
    mark: String.raw`\.`,
    kings:
      "Karl|Ludwig|Friedrich|Heinrich|Wilhelm|Otto|Franz|Joseph|Josef|Elisabeth|Johannes|Paul|Benedikt|Georg|Philipp|Napoleon|Leopold|Rudolf|Maximilian|Katharina|Peter|Nikolaus|Alexander|Pius|Leo|Gregor",
    king: (value) => `der ${capitalised(toOrdinal(value))}`,
    counted: "Kapitel|Teil|Band|Typ|Stufe|Phase|Klasse|Akt|Weltkrieg|Artikel|Anhang",
  },
  units: {
    mg: "Milligramm",
    mcg: "Mikrogramm",
    μg: "Mikrogramm",
    ml: "Milliliter",
    dl: "Deziliter",
    cl: "Zentiliter",
    mm: "Millimeter",
    kWh: "Kilowattstunde|Kilowattstunden",
    kW: "Kilowatt",
    W: "Watt",
    kcal: "Kilokalorie|Kilokalorien",
    kHz: "Kilohertz",
    MHz: "Megahertz",
    GB: "Gigabyte",
    MB: "Megabyte",
    m2: "Quadratmeter",
    km2: "Quadratkilometer",
    m3: "Kubikmeter",
    mmHg: "Millimeter Quecksilbersäule",
    ms: "Millisekunde|Millisekunden",
    Tag: "Tag|Tage",
    Woche: "Woche|Wochen",
    h: "Stunde|Stunden",
    "Std.": "Stunde|Stunden",
    Std: "Stunde|Stunden",
    min: "Minute|Minuten",
    "Min.": "Minute|Minuten",
    km: "Kilometer",
    m: "Meter",
    cm: "Zentimeter",
    kg: "Kilogramm",
    g: "Gramm",
    l: "Liter",
    "Mio.": "Million|Millionen",
    "Mrd.": "Milliarde|Milliarden",
  },
  fractions: { "1/2": "ein halb", "1/4": "ein Viertel", "3/4": "drei Viertel" },
  address: { "@": "ät", ".": "Punkt", "/": "Schrägstrich", _: "Unterstrich", "-": "Bindestrich", "+": "plus" },
  to: "bis",
  minus: "minus",
  abbreviations,
});

export const keepsDot = keptDotsBy(abbreviations, `${ARTICLES}|[Bb]is|[Aa]b|und|oder|tag,|och,|abend,`);
