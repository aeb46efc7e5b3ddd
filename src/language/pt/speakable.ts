import { toCardinal, toCurrency, toOrdinal } from "n2words/pt-PT";
import { keptDotsBy } from "../kept-dots.ts";
import { speakableBy } from "../spoken-text.ts";

const NO_NOUN =
  /^(?:de|do|da|é|está|são|e|ou|a|ao|à|em|no|na|com|por|para|que|se|não|tem|há|o|os|as|mais|menos|vírgula|ponto|até|às)$/u;
const FEMININE = /(?:a|as|ção|ções|dade|dades|noite|noites|vez|vezes)$/u;
const MASCULINE = /^(?:dias?|mapas?|idiomas?|problemas?|programas?|sistemas?|temas?|\p{L}*gramas?)$/u;

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
  per: "por",
  values: {
    less: "menos de",
    more: "mais de",
    atMost: "no máximo",
    atLeast: "no mínimo",
    plusMinus: "mais ou menos",
    unequal: "diferente de",
    squared: "ao quadrado",
    cubed: "ao cubo",
    power: "elevado a",
    hours: "hora|horas",
    minutes: "minuto|minutos",
    seconds: "segundo|segundos",
  },
  romans: {
    kings:
      "João|Pedro|Manuel|Luís|Carlos|Filipe|Henrique|Afonso|Sancho|Isabel|Paulo|Bento|Jorge|Eduardo|Guilherme|Napoleão|Pio|Leão|Gregório|Alexandre|Catarina|Nicolau|Maria|Sebastião|Dinis",
    king: (value) => (value > 10 ? toCardinal(value) : toOrdinal(value)),
    counted: "capítulo|parte|tomo|volume|ato|fase|tipo|grau|nível|classe|artigo|anexo|século|livro",
  },
  units: {
    mg: "miligrama|miligramas",
    mcg: "micrograma|microgramas",
    μg: "micrograma|microgramas",
    ml: "mililitro|mililitros",
    dl: "decilitro|decilitros",
    cl: "centilitro|centilitros",
    mm: "milímetro|milímetros",
    kWh: "quilowatt-hora|quilowatts-hora",
    kW: "quilowatt|quilowatts",
    W: "watt|watts",
    kcal: "quilocaloria|quilocalorias",
    kHz: "quilohertz",
    MHz: "megahertz",
    GB: "gigabyte|gigabytes",
    MB: "megabyte|megabytes",
    m2: "metro quadrado|metros quadrados",
    km2: "quilómetro quadrado|quilómetros quadrados",
    m3: "metro cúbico|metros cúbicos",
    mmHg: "milímetro de mercúrio|milímetros de mercúrio",
    ms: "milissegundo|milissegundos",
    dia: "dia|dias",
    semana: "semana|semanas",
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
