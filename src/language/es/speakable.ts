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
  per: "por",
  values: {
    less: "menos de",
    more: "más de",
    atMost: "como máximo",
    atLeast: "como mínimo",
    plusMinus: "más menos",
    unequal: "distinto de",
    squared: "al cuadrado",
    cubed: "al cubo",
    power: "elevado a",
    hours: "hora|horas",
    minutes: "minuto|minutos",
    seconds: "segundo|segundos",
  },
  romans: {
    kings:
      "Felipe|Carlos|Alfonso|Fernando|Isabel|Juan|Pablo|Benedicto|Enrique|Luis|Napoleón|Jorge|Eduardo|Guillermo|Pedro|Catalina|Nicolás|Alejandro|Pío|León|Gregorio|Jaime|Sancho|Ramiro",
    king: (value) => (value > 10 ? toCardinal(value) : toOrdinal(value)),
    counted: "capítulo|parte|tomo|volumen|acto|fase|tipo|grado|nivel|clase|artículo|anexo|siglo|libro",
  },
  units: {
    mg: "miligramo|miligramos",
    mcg: "microgramo|microgramos",
    μg: "microgramo|microgramos",
    ml: "mililitro|mililitros",
    dl: "decilitro|decilitros",
    cl: "centilitro|centilitros",
    mm: "milímetro|milímetros",
    kWh: "kilovatio hora|kilovatios hora",
    kW: "kilovatio|kilovatios",
    W: "vatio|vatios",
    kcal: "kilocaloría|kilocalorías",
    kHz: "kilohercios",
    MHz: "megahercios",
    GB: "gigabyte|gigabytes",
    MB: "megabyte|megabytes",
    m2: "metro cuadrado|metros cuadrados",
    km2: "kilómetro cuadrado|kilómetros cuadrados",
    m3: "metro cúbico|metros cúbicos",
    mmHg: "milímetro de mercurio|milímetros de mercurio",
    ms: "milisegundo|milisegundos",
    día: "día|días",
    semana: "semana|semanas",
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
