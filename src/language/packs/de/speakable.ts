import { toCardinal, toOrdinal } from "n2words/de-DE";
import { keptDotsBy } from "../../spoken/kept-dots.ts";
import { speakableBy } from "../../spoken/spoken-text.ts";
import { money, units } from "./amounts.ts";

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

const mixed = (whole: string, fraction: string): string =>
  fraction === "ein halb"
    ? `${toCardinal(whole).replace(/^eins$/u, "ein")}einhalb`
    : `${toCardinal(whole)} und ${fraction}`;

const yearWords = (year: number): string =>
  year >= 1100 && year < 2000
    ? `${toCardinal(Math.floor(year / 100))}hundert${year % 100 === 0 ? "" : toCardinal(year % 100)}`
    : toCardinal(year);

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const abbreviations = {
  "z.B.": "zum Beispiel",
  "z. B.": "zum Beispiel",
  "d.h.": "das heißt",
  "d. h.": "das heißt",
  "u.a.": "unter anderem",
  "u. a.": "unter anderem",
  "tgl.": "täglich",
  "v. Chr.": "vor Christus",
  "n. Chr.": "nach Christus",
  "usw.": "und so weiter",
  "bzw.": "beziehungsweise",
  "ca.": "circa",
  "Nr.": "Nummer",
  "Dr.": "Doktor",
  "Prof.": "Professor",
  "Str.": "Straße",
  "Tel.": "Telefon",
  "inkl.": "inklusive",
  "i.d.R.": "in der Regel",
  "ggf.": "gegebenenfalls",
  "max.": "maximal",
  "mind.": "mindestens",
  "Hr.": "Herr",
  "etc.": "et cetera",
  "vgl.": "vergleiche",
};

/** Before a number. */
const named = {
  "n°": "Nummer",
  "N°": "Nummer",
  "§§": "Paragrafen",
  "§": "Paragraf",
  "Art.": "Artikel",
  "Abs.": "Absatz",
  "S.": "Seite",
  "Kap.": "Kapitel",
  "Abb.": "Abbildung",
  "Bd.": "Band",
  "Tab.": "Tabelle",
  "Ziff.": "Ziffer",
  "Rn.": "Randnummer",
};

/** "3. Mai" or "3.5." follows. */
const BEFORE_DATE = String.raw`(?=\d{1,2}\. ?(?:\d{1,2}\.|Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez))`;

export const speakable = speakableBy({
  cardinal: toCardinal,
  agree: (said, next) => {
    if (said === "ein halb") return FEMININE.test(next) ? "eine halbe" : said;
    if (said !== "eins" || /^(?:Nummer|Buchstabe)$/u.test(next) || !/^\p{Lu}(?!\p{Lu})/u.test(next)) return said;
    return FEMININE.test(next) && next !== "Käse" ? "eine" : "ein";
  },
  ordinalMark: String.raw`ern?(?!\p{L})|\.(?= (?:\p{Ll}|bis ))|(?<=(?<!\p{L})(?:${ARTICLES}) \d{1,4})\.(?= \p{Lu})`,
  ordinal: (value, mark, before) => (mark.startsWith("er") ? yearWords(value) + mark : ordinal(value, before)),
  thousands: ".",
  year: yearWords,
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
  dayBefore: "am|vom|zum|bis",
  clockMark: String.raw`:|\.(?=\d\d(?: ?[-–] ?| bis )?(?:\d{1,2}(?:\.\d\d)?)? Uhr)`,
  clockUnit: " Uhr",
  time: (hours, minutes) => `${hours.replace(/^eins$/, "ein")} Uhr${minutes === undefined ? "" : ` ${minutes}`}`,
  signs: {
    "%": "Prozent",
    "°": "Grad",
    "+": "plus",
    "=": "gleich",
    "&": "und",
    "@": "ät",
    "÷": "geteilt durch",
    "×": "mal",
  },
  money,
  per: "pro",
  counted: "Tag|Woche|Monat|Jahr|Stunde|Minute|Sekunde|Person|Nacht|Stück|Zimmer|Dosis|Liter|Kilo|Einheit|Seite",
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
    times: "mal",
    divided: "geteilt durch",
    about: "etwa",
    perDay: "pro Tag",
    stars: "Stern|Sterne",
    hours: "Stunde|Stunden",
    minutes: "Minute|Minuten",
    seconds: "Sekunde|Sekunden",
  },
  romans: {
    century: { noun: "Jahrhundert", mark: "." },
    mark: String.raw`\.`,
    kings:
      "Karl|Ludwig|Friedrich|Heinrich|Wilhelm|Otto|Franz|Joseph|Josef|Elisabeth|Johannes|Paul|Benedikt|Georg|Philipp|Napoleon|Leopold|Rudolf|Maximilian|Katharina|Peter|Nikolaus|Alexander|Pius|Leo|Gregor",
    king: (value) => `der ${capitalised(toOrdinal(value))}`,
    counted: "Kapitel|Teil|Band|Typ|Stufe|Stadium|Grad|Phase|Klasse|Akt|Weltkrieg|Artikel|Anhang",
  },
  units,
  fractions: {
    "1/2": "ein halb",
    "1/4": "ein Viertel",
    "3/4": "drei Viertel",
    "1/3": "ein Drittel",
    "2/3": "zwei Drittel",
    "1/5": "ein Fünftel",
    "2/5": "zwei Fünftel",
    "3/5": "drei Fünftel",
    "4/5": "vier Fünftel",
    "1/8": "ein Achtel",
    "3/8": "drei Achtel",
    "5/8": "fünf Achtel",
    "7/8": "sieben Achtel",
    "1/10": "ein Zehntel",
  },
  slashes: { mixed, outOf: "von", over: "zu" },
  ratio: { to: "zu", nouns: "verdünn|verhältnis|maßstab|verdünnt|gemisch|adrenalin" },
  codes: {
    names: String.raw`pin|code|plz|iban|passwort|kennwort|aktenzeichen|flug|geheimzahl|tan|\p{L}*nummer|buchung|reservierung|karte|postleitzahl|bestellung`,
    links: String.raw`nummer|nr\.?|code|ist|lautet|mit|endet auf|ende`,
    counted: String.raw`uhr|prozent|euro|tagen?|tage|stunden?|minuten?|jahren?|personen|stück|\p{Lu}\p{L}+en`,
  },
  days: ["Montag|Mo", "Dienstag|Di", "Mittwoch|Mi", "Donnerstag|Do", "Freitag|Fr", "Samstag|Sa", "Sonntag|So"],
  references: named,
  rewrites: [
    [new RegExp(String.raw`(?<![\p{L}\d.,-])(\d{1,2})\. ?[-–] ?${BEFORE_DATE}`, "gu"), "$1. bis "],
    [new RegExp(String.raw`(?<![\p{L}\d.,])(\d{1,2}\.)\/${BEFORE_DATE}`, "gu"), "$1 und "],
    [/(?<=(?:§|Abs\.) ?\d{1,4}[a-z]? )S\. ?(?=\d)/gu, "Satz "],
    [/(?<!\p{L})lit\. ?(?=\p{Ll}(?!\p{L}))/gu, "Buchstabe "],
    [/(?<=\p{Ll})str\.(?= ?\d| ?[,.]|$)/gu, "straße"],
  ],
  address: { "@": "ät", ".": "Punkt", "/": "Schrägstrich", _: "Unterstrich", "-": "Bindestrich", "+": "plus" },
  to: "bis",
  minus: "minus",
  abbreviations,
});

export const keepsDot = keptDotsBy(
  { ...abbreviations, ...named },
  `${ARTICLES}|[Bb]is|[Aa]b|und|oder|tag,|och,|abend,`,
);
