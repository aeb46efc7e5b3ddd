import { toCardinal, toCurrency, toOrdinal } from "n2words/pt-PT";
import { keptDotsBy } from "../kept-dots.ts";
import { speakableBy } from "../spoken-text.ts";

const NO_NOUN =
  /^(?:de|do|da|é|está|são|e|ou|a|ao|à|em|no|na|com|por|para|que|se|não|tem|há|o|os|as|mais|menos|vírgula|ponto|até|às)$/u;
const FEMININE = /(?:a|as|ção|ções|dade|dades|noite|noites|vez|vezes)$/u;
const MASCULINE = /^(?:dias?|mapas?|idiomas?|problemas?|programas?|sistemas?|temas?)$/u;

const abbreviations = {
  "Sr.": "Senhor",
  "Sra.": "Senhora",
  "Dr.": "Doutor",
  "Dra.": "Doutora",
  "Prof.": "Professor",
  "p. ex.": "por exemplo",
  "etc.": "et cetera",
  "n.º": "número",
  nº: "número",
  "tel.": "telefone",
  "Av.": "avenida",
  "aprox.": "aproximadamente",
};

export const speakable = speakableBy({
  cardinal: toCardinal,
  euros: toCurrency,
  agree: (said, next) => {
    if (next === "" || NO_NOUN.test(next) || !FEMININE.test(next) || MASCULINE.test(next)) return said;
    return said
      .replace(/(?<!\p{L})um$/u, "uma")
      .replace(/(?<!\p{L})dois$/u, "duas")
      .replace(/entos/u, "entas");
  },
  // The signs º and ª arrive as letters.
  ordinalMark: "\\.?[oa](?!\\p{L})",
  ordinal: (value, mark) => (mark.endsWith("a") ? toOrdinal(value).replace(/o(?= |$)/gu, "a") : toOrdinal(value)),
  thousands: ".",
  year: toCardinal,
  months: [
    "janeiro",
    "fevereiro",
    "março",
    "abril",
    "maio",
    "junho",
    "julho",
    "agosto",
    "setembro",
    "outubro",
    "novembro",
    "dezembro",
  ],
  dayMark: String.raw`(?:º|o)?`,
  ofMonth: "(?: de)?",
  day: (day) => `${day === 1 ? "primeiro" : toCardinal(day)} de`,
  date: (day, month, year) => `${day} ${month}${year === undefined ? "" : ` de ${year}`}`,
  clockMark: ":| ?h ?",
  clockUnit: " ?h(?:oras)?",
  phone: "[29]\\d\\d(?: \\d{3}){2}",
  time: (hours, minutes) => {
    const said = hours.replace(/um$/, "uma").replace(/dois$/, "duas");
    return `${said}${minutes === undefined ? ` ${said === "uma" ? "hora" : "horas"}` : ` e ${minutes}`}`;
  },
  signs: {
    "%": "por cento",
    "°C": "graus Celsius",
    "°": "graus",
    "+": "mais",
    "=": "igual a",
    "&": "e",
    "@": "arroba",
    "×": "vezes",
  },
  currencies: { $: "dólares", "£": "libras", R$: "reais" },
  units: {
    h: "hora|horas",
    min: "minuto|minutos",
    km: "quilómetro|quilómetros",
    m: "metro|metros",
    cm: "centímetro|centímetros",
    kg: "quilograma|quilogramas",
    g: "grama|gramas",
    l: "litro|litros",
  },
  fractions: { "1/2": "meio", "1/4": "um quarto", "3/4": "três quartos" },
  address: { "@": "arroba", ".": "ponto", "/": "barra", _: "sublinhado", "-": "hífen", "+": "plus" },
  to: "a",
  minus: "menos",
  abbreviations,
});

export const keepsDot = keptDotsBy(abbreviations);
