import { toCardinal, toOrdinal } from "n2words/pt-PT";
import { keptDotsBy } from "../kept-dots.ts";
import { spellings } from "../spoken-patterns.ts";
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

/** Before a number. */
const named = {
  "séc.": "século",
  "art.": "artigo",
  "Art.": "Artigo",
  "arts.": "artigos",
  "§§": "parágrafos",
  "§": "parágrafo",
  "pág.": "página",
  "págs.": "páginas",
  "p.": "página",
  "cap.": "capítulo",
  "vol.": "volume",
  "fig.": "figura",
};

export const speakable = speakableBy({
  cardinal: (value) => toCardinal(value).replace(/(?<=(?:^| )mil) (?=\p{L}+entos$)/u, " e "),
  agree: (said, next) => {
    if (next === "" || NO_NOUN.test(next) || !FEMININE.test(next) || MASCULINE.test(next)) return said;
    return said
      .replace(/(?<!\p{L})um$/u, "uma")
      .replace(/(?<!\p{L})dois$/u, "duas")
      .replace(/entos/u, "entas")
      .replace(/^meio$/u, "meia");
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
  dayBefore: "dia|em|até|de|desde",
  clockMark: ":| ?h ?",
  clockUnit: " ?h(?:oras)?",
  phone: String.raw`[29]\d\d(?: \d{3}){2}|\d{3}\.\d{3}\.\d{3}-\d\d|\d\d\.\d{3}\.\d{3}\/\d{4}-\d\d`,
  time: (hours, minutes) => {
    const said = hours.replace(/um$/, "uma").replace(/dois$/, "duas");
    return `${said}${minutes === undefined ? ` ${said === "uma" ? "hora" : "horas"}` : ` e ${minutes}`}`;
  },
  signs: {
    "%": "por cento",
    "°": "graus",
    "+": "mais",
    "=": "igual a",
    "&": "e",
    "@": "arroba",
    "÷": "dividido por",
    "×": "vezes",
  },
  money: {
    currencies: spellings({
      "€ EUR euro euros": "euro|euros|cêntimo|cêntimos",
      "R$ BRL reais": "real|reais|centavo|centavos",
      "$ US$ USD dólares": "dólar|dólares|cêntimo|cêntimos",
      "£ GBP": "libra|libras|péni|pence",
      CHF: "franco suíço|francos suíços|cêntimo|cêntimos",
      "¥ JPY": "iene|ienes",
    }),
    and: "e",
    ofMillion: "de ",
    scales: { M: "milhão|milhões", mi: "milhão|milhões", bi: "bilhão|bilhões", k: "mil", mil: "mil" },
  },
  per: "por",
  counted: "dia|semana|mês|ano|hora|minuto|segundo|pessoa|noite|unidade|quarto|dose|litro|quilo|página",
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
    times: "vezes",
    divided: "dividido por",
    about: "cerca de",
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
    comp: "comprimido|comprimidos",
    ng: "nanograma|nanogramas",
    mmol: "milimole|milimoles",
    μmol: "micromole|micromoles",
    nmol: "nanomole|nanomoles",
    UI: "unidade internacional|unidades internacionais",
    "°C": "grau Celsius|graus Celsius",
    ºC: "grau Celsius|graus Celsius",
    "°F": "grau Fahrenheit|graus Fahrenheit",
    dB: "decibel|decibéis",
    Hz: "hertz",
    V: "volt|volts",
    μl: "microlitro|microlitros",
    bpm: "batimento por minuto|batimentos por minuto",
    s: "segundo|segundos",
    mL: "mililitro|mililitros",
    dL: "decilitro|decilitros",
    L: "litro|litros",
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
  fractions: {
    "1/2": "meio",
    "1/4": "um quarto",
    "3/4": "três quartos",
    "1/3": "um terço",
    "2/3": "dois terços",
    "1/5": "um quinto",
    "2/5": "dois quintos",
    "3/5": "três quintos",
    "4/5": "quatro quintos",
    "1/8": "um oitavo",
    "3/8": "três oitavos",
    "5/8": "cinco oitavos",
    "7/8": "sete oitavos",
    "1/10": "um décimo",
  },
  slashes: { mixed: (whole, fraction) => `${toCardinal(whole)} e ${fraction}`, outOf: "em", over: "por" },
  ratio: { to: "para", nouns: "dilu|proporção|escala|diluíd[oa]|mistura|adrenalina" },
  codes: {
    names:
      "pin|código|iban|senha|palavra-passe|voo|cartão|processo|reserva|referência|conta|pedido|encomenda|fatura|cep|cpf|nif",
    links: String.raw`número|n\.?º|código|é|postal|terminad[oa] em|de reserva`,
    counted: String.raw`horas?|h|euros?|reais|dias?|minutos?|anos?|pessoas?|vezes|por cento|\p{Ll}+s`,
  },
  days: [
    "segunda-feira|seg",
    "terça-feira|ter",
    "quarta-feira|qua",
    "quinta-feira|qui",
    "sexta-feira|sex",
    "sábado|sáb",
    "domingo|dom",
  ],
  references: named,
  rewrites: [
    [/(?<=(?:PA|[Pp]ressão)[^\d.;]{0,12}\d{1,2}) ?x ?(?=\d)/gu, "/"],
    [/(?<!\d)(\d{1,2})\/\1 ?h(?:oras)?(?!\p{L})/gu, "$1 em $1 horas"],
    [/(?<!\p{L})D\. (?=Pedro|João|Maria|Manuel|Afonso|Luís|Carlos|Dinis|Sancho|Isabel)/gu, "Dom "],
  ],
  address: { "@": "arroba", ".": "ponto", "/": "barra", _: "sublinhado", "-": "hífen", "+": "plus" },
  to: "a",
  minus: "menos",
  abbreviations,
});

export const keepsDot = keptDotsBy({ ...abbreviations, ...named });
