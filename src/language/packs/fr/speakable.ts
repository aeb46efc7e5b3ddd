import { toCardinal, toOrdinal } from "n2words/fr-FR";
import { keptDotsBy } from "../../spoken/kept-dots.ts";
import { speakableBy } from "../../spoken/spoken-text.ts";
import { money, units } from "./amounts.ts";

const FEMININE =
  /^(?:personne|chambre|heure|minute|seconde|nuit|table|fois|place|bouteille|tasse|livre|semaine|question|page|porte|carte|rue|ville|clé|adulte|\p{L}+(?:tion|sion|ée|ette|ance|ence|ure|ité))s?$/u;

const abbreviations = {
  "M.": "Monsieur",
  Mme: "Madame",
  Mlle: "Mademoiselle",
  Dr: "Docteur",
  "p. ex.": "par exemple",
  "c.-à-d.": "c'est-à-dire",
  "p.ex.": "par exemple",
  "etc.": "et cetera",
  "n°": "numéro",
  "N°": "numéro",
  "env.": "environ",
  "tél.": "téléphone",
  "av.": "avenue",
  bd: "boulevard",
};

/** Before a number. */
const named = {
  "art.": "article",
  "Art.": "Article",
  "§§": "paragraphes",
  "§": "paragraphe",
  "p.": "page",
  "pp.": "pages",
  "chap.": "chapitre",
  "al.": "alinéa",
  "vol.": "volume",
  "fig.": "figure",
};

export const speakable = speakableBy({
  cardinal: toCardinal,
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
  dayBefore: "le|du|au|dès le",
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
    "°": "degrés",
    "+": "plus",
    "=": "égale",
    "&": "et",
    "@": "arobase",
    "÷": "divisé par",
    "×": "fois",
  },
  money,
  per: "par",
  counted: "jour|semaine|mois|an|année|heure|minute|seconde|personne|nuit|pièce|chambre|dose|litre|kilo|page",
  values: {
    less: "moins de",
    more: "plus de",
    atMost: "au plus",
    atLeast: "au moins",
    plusMinus: "plus ou moins",
    unequal: "différent de",
    squared: "au carré",
    cubed: "au cube",
    power: "puissance",
    times: "fois",
    divided: "divisé par",
    about: "environ",
    perDay: "par jour",
    stars: "étoile|étoiles",
    hours: "heure|heures",
    minutes: "minute|minutes",
    seconds: "seconde|secondes",
  },
  romans: {
    mark: "er|re",
    century: { noun: "siècle", mark: "e" },
    kings:
      "Louis|Henri|Charles|François|Philippe|Napoléon|Élisabeth|Elizabeth|Jean|Paul|Benoît|Georges|Édouard|Guillaume|Léopold|Albert|Pie|Léon|Alexandre|Catherine|Nicolas",
    king: (value) => (value === 1 ? "premier" : toCardinal(value)),
    counted: "chapitre|partie|tome|volume|acte|phase|type|stade|grade|niveau|classe|article|annexe|livre",
  },
  units,
  fractions: {
    "1/2": "un demi",
    "1/4": "un quart",
    "3/4": "trois quarts",
    "1/3": "un tiers",
    "2/3": "deux tiers",
    "1/5": "un cinquième",
    "2/5": "deux cinquièmes",
    "3/5": "trois cinquièmes",
    "4/5": "quatre cinquièmes",
    "1/8": "un huitième",
    "3/8": "trois huitièmes",
    "5/8": "cinq huitièmes",
    "7/8": "sept huitièmes",
    "1/10": "un dixième",
  },
  slashes: {
    mixed: (whole, fraction) => `${toCardinal(whole)} et ${fraction.replace(/^un demi/u, "demi")}`,
    outOf: "sur",
    over: "sur",
  },
  ratio: { to: "à", nouns: "dilu|rapport|échelle|dilué|mélange|adrénaline" },
  codes: {
    names: "pin|code|iban|mot de passe|vol|carte|dossier|réservation|référence|compte|commande|facture",
    links: "numéro|n°|code|est|secret|postal|se terminant par|bancaire",
    counted: String.raw`heures?|h|euros?|jours?|minutes?|ans|personnes?|fois|pour cent|\p{Ll}+s`,
  },
  days: ["lundi|lun", "mardi|mar", "mercredi|mer", "jeudi|jeu", "vendredi|ven", "samedi|sam", "dimanche|dim"],
  references: named,
  address: { "@": "arobase", ".": "point", "/": "barre", _: "tiret bas", "-": "tiret", "+": "plus" },
  rewrites: [
    [/(?:(?<![\d/])1\/2|(?<!\d ?)½) ?h(?:eure)?(?!\p{L})/gu, "une demi-heure"],
    [/(?<=(?<![\d/])[13]\/4) ?h(?!\p{L})/gu, " d'heure"],
    [/(?<![\p{L}\d])(\d{1,2}) ?h ?\/ ?24(?!\d)/gu, "$1 heures sur 24"],
    [/(?<![\p{L}\d])(\d) ?j ?\/ ?7(?!\d)/gu, "$1 jours sur 7"],
  ],
  to: "à",
  minus: "moins",
  abbreviations,
});

export const keepsDot = keptDotsBy({ ...abbreviations, ...named });
