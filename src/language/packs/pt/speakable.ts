import { toCardinal, toOrdinal } from "n2words/pt-PT";
import { keptDotsBy } from "../../spoken/kept-dots.ts";
import { speakableBy } from "../../spoken/spoken-text.ts";
import { money, units } from "./amounts.ts";

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
  "n°": "número",
  "N°": "Número",
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
    "janeiro|jan",
    "fevereiro|fev",
    "março",
    "abril|abr",
    "maio",
    "junho|jun",
    "julho|jul",
    "agosto|ago",
    "setembro",
    "outubro|out",
    "novembro|nov",
    "dezembro|dez",
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
  money,
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
    perDay: "por dia",
    stars: "estrela|estrelas",
    hours: "hora|horas",
    minutes: "minuto|minutos",
    seconds: "segundo|segundos",
  },
  romans: {
    kings:
      "João|Pedro|Manuel|Luís|Carlos|Filipe|Henrique|Afonso|Sancho|Isabel|Paulo|Bento|Jorge|Eduardo|Guilherme|Napoleão|Pio|Leão|Gregório|Alexandre|Catarina|Nicolau|Maria|Sebastião|Dinis",
    king: (value) => (value > 10 ? toCardinal(value) : toOrdinal(value)),
    counted: "capítulo|parte|tomo|volume|ato|fase|tipo|grau|estádio|estágio|nível|classe|artigo|anexo|século|livro",
  },
  units,
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
