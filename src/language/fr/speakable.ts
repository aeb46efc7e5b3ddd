import { toCardinal, toCurrency, toOrdinal } from "n2words/fr-FR";
import { keptDotsBy } from "../kept-dots.ts";
import { speakableBy } from "../spoken-text.ts";

const FEMININE =
  /^(?:personne|chambre|heure|minute|seconde|nuit|table|fois|place|bouteille|tasse|livre|semaine|question|page|porte|carte|rue|ville|clé|adulte|\p{L}+(?:tion|sion|ée|ette|ance|ence|ure|ité))s?$/u;

const abbreviations = {
  "M.": "Monsieur",
  Mme: "Madame",
  Mlle: "Mademoiselle",
  Dr: "Docteur",
  "p. ex.": "par exemple",
  "p.ex.": "par exemple",
  "etc.": "et cetera",
  "n°": "numéro",
  "N°": "numéro",
  "env.": "environ",
  "tél.": "téléphone",
  "av.": "avenue",
  bd: "boulevard",
};

export const speakable = speakableBy({
  cardinal: toCardinal,
  euros: toCurrency,
  agree: (said, next) => (FEMININE.test(next) ? said.replace(/(?<!\p{L})un$/u, "une") : said),
  ordinalMark: "(?:er|re|ère|e|è|ème|ième|nd|nde)(?!\\p{L})",
  ordinal: (value, mark) => (value === 1 && /^(?:re|ère)$/u.test(mark) ? "première" : toOrdinal(value)),
  thousands: " ",
  year: toCardinal,
  months: [
    "janvier|janv",
    "février|févr",
    "mars",
    "avril|avr",
    "mai",
    "juin",
    "juillet|juil",
    "août",
    "septembre|sept",
    "octobre|oct",
    "novembre|nov",
    "décembre|déc",
  ],
  dayMark: String.raw`(?:er)?`,
  ofMonth: "",
  day: (day) => (day === 1 ? "premier" : toCardinal(day)),
  date: (day, month, year) => [day, month, year].filter(Boolean).join(" "),
  clockMark: ":| ?h ?",
  clockUnit: " ?h(?:eures)?",
  hasPhonePairs: true,
  time: (hours, minutes) => {
    const isOne = hours === "un" || hours === "zéro";
    const said = hours.replace(/un$/, "une");
    return `${said} ${isOne ? "heure" : "heures"}${minutes === undefined ? "" : ` ${minutes}`}`;
  },
  signs: {
    "%": "pour cent",
    "°C": "degrés Celsius",
    "°": "degrés",
    "+": "plus",
    "=": "égale",
    "&": "et",
    "@": "arobase",
    "×": "fois",
  },
  currencies: { $: "dollars", "£": "livres", CHF: "francs suisses" },
  units: {
    h: "heure|heures",
    min: "minute|minutes",
    km: "kilomètre|kilomètres",
    m: "mètre|mètres",
    cm: "centimètre|centimètres",
    kg: "kilogramme|kilogrammes",
    g: "gramme|grammes",
    l: "litre|litres",
  },
  fractions: { "1/2": "un demi", "1/4": "un quart", "3/4": "trois quarts" },
  address: { "@": "arobase", ".": "point", "/": "barre", _: "tiret bas", "-": "tiret", "+": "plus" },
  to: "à",
  minus: "moins",
  abbreviations,
});

export const keepsDot = keptDotsBy(abbreviations);
