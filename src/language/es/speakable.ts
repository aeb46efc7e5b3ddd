import { toCardinal, toCurrency, toOrdinal } from "n2words/es-ES";
import { keptDotsBy } from "../kept-dots.ts";
import { speakableBy } from "../spoken-text.ts";

/** Words after a number that are not nouns. The number keeps its form before them. */
const NO_NOUN =
  /^(?:de|del|es|está|están|son|y|o|a|al|en|con|por|para|que|se|no|si|sí|ha|hay|tiene|la|el|las|los|más|menos|como|coma|punto|puede)$/u;
const FEMININE = /(?:a|as|ción|ciones|dad|dades|noche|noches|vez|veces)$/u;
const MASCULINE = /^(?:días?|mapas?|idiomas?|problemas?|programas?|sistemas?|temas?)$/u;

const abbreviations = {
  "Sr.": "Señor",
  "Sra.": "Señora",
  "Srta.": "Señorita",
  "Dr.": "Doctor",
  "Dra.": "Doctora",
  "p. ej.": "por ejemplo",
  "p.ej.": "por ejemplo",
  "etc.": "etcétera",
  "n.º": "número",
  nº: "número",
  "Ud.": "usted",
  "Uds.": "ustedes",
  "aprox.": "aproximadamente",
  "tel.": "teléfono",
  "Avda.": "avenida",
};

export const speakable = speakableBy({
  cardinal: (value) => toCardinal(value).replace(" punto ", " coma "),
  euros: toCurrency,
  agree: (said, next) => {
    if (next === "" || NO_NOUN.test(next)) return said;
    if (FEMININE.test(next) && !MASCULINE.test(next))
      return said.replace(/uno$/u, "una").replace(/cientos/u, "cientas");
    return said.replace(/veintiuno$/u, "veintiún").replace(/uno$/u, "un");
  },
  // The signs º and ª arrive as letters.
  ordinalMark: "\\.?(?:[oa]|er)(?!\\p{L})",
  ordinal: (value, mark) => {
    if (mark.endsWith("a")) return toOrdinal(value, { gender: "feminine" });
    return mark.endsWith("er") ? toOrdinal(value).replace(/o$/u, "") : toOrdinal(value);
  },
  thousands: ".",
  year: toCardinal,
  months: [
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
  ],
  dayMark: String.raw`(?:º|o)?`,
  ofMonth: "(?: de)?",
  day: (day) => `${toCardinal(day)} de`,
  date: (day, month, year) => `${day} ${month}${year === undefined ? "" : ` de ${year}`}`,
  clockMark: ":",
  clockUnit: " ?h(?:oras)?",
  phone: "[6-9]\\d\\d(?: \\d{2,3}){2,3}",
  time: (hours, minutes) => `${hours.replace(/uno$/, "una")}${minutes === undefined ? " en punto" : ` y ${minutes}`}`,
  signs: {
    "%": "por ciento",
    "°C": "grados Celsius",
    "°": "grados",
    "+": "más",
    "=": "igual a",
    "&": "y",
    "@": "arroba",
    "×": "por",
  },
  currencies: { $: "dólares", "£": "libras" },
  units: {
    h: "hora|horas",
    min: "minuto|minutos",
    km: "kilómetro|kilómetros",
    m: "metro|metros",
    cm: "centímetro|centímetros",
    kg: "kilogramo|kilogramos",
    g: "gramo|gramos",
    l: "litro|litros",
  },
  fractions: { "1/2": "medio", "1/4": "un cuarto", "3/4": "tres cuartos" },
  address: { "@": "arroba", ".": "punto", "/": "barra", _: "guion bajo", "-": "guion", "+": "plus" },
  to: "a",
  minus: "menos",
  abbreviations,
});

export const keepsDot = keptDotsBy(abbreviations);
