import { toCardinal, toOrdinal } from "n2words/es-ES";
import { keptDotsBy } from "../../spoken/kept-dots.ts";
import { speakableBy } from "../../spoken/spoken-text.ts";
import { money, units } from "./amounts.ts";

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
  "C/": "calle",
  "D.": "don",
  "Dña.": "doña",
  "D.ª": "doña",
  "EE. UU.": "Estados Unidos",
  "EE.UU.": "Estados Unidos",
};

/** Before a number. */
const named = {
  "n°": "número",
  "N°": "Número",
  "s.": "siglo",
  "art.": "artículo",
  "Art.": "Artículo",
  "arts.": "artículos",
  "§": "párrafo",
  "pág.": "página",
  "págs.": "páginas",
  "p.": "página",
  "cap.": "capítulo",
  "hab.": "habitación",
  "Hab.": "Habitación",
  "núm.": "número",
  "Núm.": "Número",
  "vol.": "volumen",
  "fig.": "figura",
};

export const speakable = speakableBy({
  cardinal: (value) =>
    toCardinal(value)
      .replace(" punto ", " coma ")
      .replace(/dieciseis/u, "dieciséis"),
  agree: (said, next) => {
    if (next === "" || NO_NOUN.test(next)) return said;
    if (FEMININE.test(next) && !MASCULINE.test(next))
      return said
        .replace(/uno$/u, "una")
        .replace(/cientos/u, "cientas")
        .replace(/^medio$/u, "media");
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
    "enero|ene",
    "febrero|feb",
    "marzo",
    "abril|abr",
    "mayo",
    "junio|jun",
    "julio|jul",
    "agosto|ago",
    "septiembre|sept|sep",
    "octubre|oct",
    "noviembre|nov",
    "diciembre|dic",
  ],
  dayMark: String.raw`(?:º|o)?`,
  ofMonth: "(?: de)?",
  day: (day) => `${toCardinal(day)} de`,
  date: (day, month, year) => `${day} ${month}${year === undefined ? "" : ` de ${year}`}`,
  dayBefore: "el|del|al|día",
  clockMark: String.raw`:|\.(?=[0-5]\d(?: ?[-–] ?| a )?(?:\d{1,2}(?:\.\d\d)?)? ?h(?!\p{L}))`,
  clockUnit: " ?h(?:oras)?",
  phone: "[6-9]\\d\\d(?: \\d{2,3}){2,3}",
  time: (hours, minutes) => `${hours.replace(/uno$/, "una")}${minutes === undefined ? " en punto" : ` y ${minutes}`}`,
  signs: {
    "%": "por ciento",
    "°": "grados",
    "+": "más",
    "=": "igual a",
    "&": "y",
    "@": "arroba",
    "÷": "entre",
    "×": "por",
  },
  money,
  per: "por",
  counted: "día|semana|mes|año|hora|minuto|segundo|persona|noche|unidad|habitación|dosis|litro|kilo|página",
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
    times: "por",
    divided: "entre",
    about: "unos",
    perDay: "al día",
    stars: "estrella|estrellas",
    hours: "hora|horas",
    minutes: "minuto|minutos",
    seconds: "segundo|segundos",
  },
  romans: {
    kings:
      "Felipe|Carlos|Alfonso|Fernando|Isabel|Juan|Pablo|Benedicto|Enrique|Luis|Napoleón|Jorge|Eduardo|Guillermo|Pedro|Catalina|Nicolás|Alejandro|Pío|León|Gregorio|Jaime|Sancho|Ramiro",
    king: (value) => (value > 10 ? toCardinal(value) : toOrdinal(value)),
    counted: "capítulo|parte|tomo|volumen|acto|fase|tipo|grado|estadio|nivel|clase|artículo|anexo|siglo|libro",
  },
  units,
  fractions: {
    "1/2": "medio",
    "1/4": "un cuarto",
    "3/4": "tres cuartos",
    "1/3": "un tercio",
    "2/3": "dos tercios",
    "1/5": "un quinto",
    "2/5": "dos quintos",
    "3/5": "tres quintos",
    "4/5": "cuatro quintos",
    "1/8": "un octavo",
    "3/8": "tres octavos",
    "5/8": "cinco octavos",
    "7/8": "siete octavos",
    "1/10": "un décimo",
  },
  slashes: { mixed: (whole, fraction) => `${toCardinal(whole)} y ${fraction}`, outOf: "sobre", over: "sobre" },
  ratio: { to: "a", nouns: "dilu|proporción|escala|diluid[oa]|mezcla|adrenalina|relación" },
  codes: {
    names: "pin|código|iban|contraseña|clave|vuelo|tarjeta|expediente|reserva|referencia|cuenta|pedido|factura",
    links: String.raw`número|n\.?º|código|es|postal|secreto|terminada en|de reserva`,
    counted: String.raw`horas?|h|euros?|días?|minutos?|años?|personas?|veces|por ciento|\p{Ll}+s`,
  },
  days: ["lunes|lun", "martes|mar", "miércoles|mié", "jueves|jue", "viernes|vie", "sábado|sáb", "domingo|dom"],
  references: named,
  rewrites: [
    [/(?<!\p{L})c\/ (?=\p{Lu}\p{Ll})/gu, "calle "],
    [/(?<=(?<![\d/])[13]\/4) ?h(?!\p{L})/gu, " de hora"],
    [/(?<!\p{L})c\/ ?(?=\d{1,2} ?h)/gu, "cada "],
    [/(?<=\d ?\p{L}{1,12})\/(\d{1,2}) ?h(?!\p{L})/gu, " cada $1 h"],
  ],
  address: { "@": "arroba", ".": "punto", "/": "barra", _: "guion bajo", "-": "guion", "+": "plus" },
  to: "a",
  minus: "menos",
  abbreviations,
});

export const keepsDot = keptDotsBy({ ...abbreviations, ...named });
