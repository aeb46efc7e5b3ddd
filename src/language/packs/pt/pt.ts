import { remainderBy } from "../../dictation.ts";
import { expectedAnswerBy } from "../../expectation.ts";
import { agreesBy, asksBy, listed, namedBy, refusesBy, standAlone } from "../../facts.ts";
import type { Language } from "../../language.ts";
import { unfinishedBy } from "../../open-ends.ts";
import { overlapWords } from "../../overlap-words.ts";
import { timeNoteIn } from "../../time-note.ts";
import { keepsDot, speakable } from "./speakable.ts";

const expectedAnswer = expectedAnswerBy({
  dictated:
    /(?:número|morada|endereço|e-?mail|código|\bcep\b|soletr|referência|data de nascimento|descrev|expli|cont[ae]|o que aconteceu|lista|por palavras suas)/iu,
  requests: /(?:por favor|\bdiga|\bdiz|\bdê|\bdá|soletr|precis|descrev|expli)/iu,
  brief:
    /^(?:(?:e|então|bem|bom|certo)[, ]+)?(?:é|são|está|estão|era|há|tem|têm|quer|queres|querem|pode|podes|posso|podemos|deseja|prefere|preferes|gostaria|já|mais alguma|vai|vais|devo|certo)(?![\p{L}\p{N}])/iu,
});

export const portuguese: Language = {
  code: "pt",
  overlap: overlapWords({
    backchannels: `mm mhm hm hmm mmm hum uhum aham ahã ah ahn oh eh sim pois é ok okay tá certo claro exato exatamente exacto
      exactamente bem bom boa ótimo óptimo perfeito legal fixe beleza joia entendi entendo percebi percebo compreendo verdade
      realmente obrigado obrigada valeu combinado maravilha isso correto correcto interessante absolutamente certamente
      naturalmente nossa pronto ora então`,
    backchannelPhrases: `está bem|está bom|tá bom|tá bem|tudo bem|tudo certo|com certeza|claro que sim|pois é|pois sim|pois claro|
      é verdade|é isso|isso mesmo|isso aí|faz sentido|sem problema|não tem problema|muito bem|muito bom|que bom|eu sei|eu entendo|
      já sei|já vi|de acordo|estou de acordo|muito obrigado|muito obrigada|ah sim|ah tá|sim sim|soa bem|parece bom`,
    functionWords: `um uma o a os as de do da dos das em no na nos nas por para com sem e ou mas que se eu tu ele ela você me te
      lhe meu minha seu sua é está são foi tem há não como quando`,
    commands: "para pare pára espera espere chega basta stop não silêncio cala cancela cancelar momento alto pausa",
    commandPhrases: `um momento|um instante|um segundo|um minuto|só um momento|só um minuto|só um segundo|espera aí|espere aí|
      peraí|espera um pouco|já chega|cala a boca|cale se|fica quieto|fique quieto|deixa eu falar|deixe-me falar|deixe me falar|
      uma pergunta|tenho uma pergunta|desculpe mas|desculpa mas|para com isso`,
  }),
  hasSentenceEndOdds: false,
  isUnfinished: unfinishedBy({
    words: `o a os as um uma uns umas de do da dos das em no na nos nas num numa por pelo pela pelos pelas para pra pro com sem
      sobre até desde entre e ou mas que porque quando enquanto embora meu minha meus minhas seu sua seus suas teu tua nosso nossa
      cada muito tão senhor senhora dona doutor eh ao aos à às me te se lhe nem mais quase`,
    phrases: [
      "(?:e|ou|mas|que|se|quando|porque) (?:eu|ele|ela|você|nós)",
      "^(?:(?:sim|não|olá|oi|bom dia|boa tarde|boa noite|bem|então|e) )*(?:eu )?(?:quero|queria|gostaria|gostava|queremos|preciso|precisava|procuro|posso|poderia|podia|devo|vou|estou|sou|tenho|desejo|me chamo|chamo-me)(?: (?:de|reservar|saber|marcar|pedir|cancelar|mudar|falar|comprar|também|fazer))*",
      "(?:me )?(?:pode|podes|poderia|podia|podem)(?: (?:me|dizer|dizer-me|dar-me|informar|ajudar|por favor))*",
      "(?:dizer|dizer-me|saber|sabe|sabes|diga-me|diz-me|perguntar|sei) (?:a que|de que|em que|por que)?(?: )?(?:quando|onde|como|quanto|quem|se|que|qual|horas?|que horas?)",
      "(?:nome|apelido|sobrenome|número|morada|endereço|e-mail|email|código|telefone|problema|pergunta|data)(?: de \\S+)? (?:é|seria)",
      "^(?:(?:e|mas) )*(?:onde|quando|como|qual|quem|quanto|quantos|quantas|o que|onde é|onde está|onde fica|qual é|quais são|quem é|quando é|como é|há|tem|têm|é|está)",
      "(?:põe|ponha|coloca|coloque|liga|ligue|desliga|desligue|diz-me|diga-me|dá-me|dê-me|acorda-me|acorde-me|me acorde|lembra-me|lembre-me|me lembre|manda|mande|envia|envie|acende|acenda|apaga|apague)",
      "(?:mais|menos|melhor|pior) (?:do )?que|antes de|depois de|além|em vez|a partir|junto|seja",
    ],
    complete: [
      "^(?:sim|não|é|há|tem|está|quem|onde|quando|como|qual|quanto|o quê|para|liga|diga-me)",
      "(?:e|por|para|de|com|até|é|isso) (?:quê|quem|onde|quando|quanto|mim|ele|ela|você)|o que é|quem é|isso é|onde é que (?:é|está)|como (?:é|está)|que horas são",
      "(?:já|sim|o|a|os|as|não|eu) (?:quero|posso|preciso|tenho|vou|sei|sou|estou)|(?:já|nunca|não|nada|muito|um pouco|quero|e|algo|há|tem) mais|(?:gosto|custa|obrigad[oa]|não|é|falta|falar) muito|muito muito",
      "plano a|vitamina a|(?:terminal|porta|letra|grupo|secção|seção|opção|fila|bloco) (?:a|e|o)|(?:quando|como|se) (?:quiser|puder|quiseres)|é (?:o|a) (?:meu|minha)|(?:esse|este|isto|isso|aquilo) é (?:meu|minha|seu|sua|teu|tua|nosso|nossa)",
    ],
  }),
  expectedAnswer,
  remainder: remainderBy(
    {
      named: /(?:número|código)/iu,
      telephone: { named: /(?:telefone|telemóvel|celular|fax|ligar)/iu, least: 9, whole: 11 },
      card: /(?:cartão)/iu,
      short:
        /(?:quarto|andar|piso|mesa|lugar|\bpin\b|número de (?:pessoas|noites)|quant|últim\S+ \S+ (?:dígitos|números)|data de nascimento)/iu,
      digits: "zero um uma dois duas três quatro cinco seis meia sete oito nove",
    },
    expectedAnswer,
  ),
  speakable,
  keepsDot,
  timeNote: timeNoteIn("pt-PT", (date, time) => `(Hoje é ${date}, ${time}.)`),
  fillers: ["Um momento, por favor.", "Vou verificar."],
  excuse: "Desculpe, não consigo responder a isso agora.",
  rings: {
    timer: (label) => (label === "" ? "O seu temporizador terminou." : `O seu temporizador terminou: ${label}.`),
    reminder: (label) => `Devo lembrar-lhe disto: ${label}.`,
  },
  recording: {
    announced: "Esta chamada é gravada.",
    asked: "Posso gravar esta chamada?",
    refused: "Sem gravação esta chamada não pode continuar. Adeus.",
    mentioned: /(?<!\p{L})(?:grava\p{L}*|grave|gravem)(?!\p{L})/u,
    unwanted:
      /(?<!\p{L})(?:(?:não|pare|parem|apague|apaguem|elimine|sem)(?: \p{L}+){0,5} (?:grava\p{L}*|grave|gravem))(?!\p{L})/u,
  },
  facts: {
    one: /(?<!\p{L})(?:uma?|primeir[ao]|mim|meu|minha|sozinh[ao])(?!\p{L})/iu,
    halfDays: { morning: ["da manha"], afternoon: ["da tarde"], night: ["da noite"] },
    named: namedBy({
      noon: "meio-dia",
      midnight: "meia-noite",
      half: "mei[ao]",
      quarter: "quartos?",
      two: "ambos|ambas|par",
      period: "uma (?:hora|semana)|um (?:dia|mês|ano)",
    }),
    vagueNumbers: /(?<!\p{L})(?:dúzia|dobro|como sempre|minha (?:mulher|família)|meu marido)(?!\p{L})/iu,
    vagueDays: /(?<!\p{L})(?:semana|mês|ano|esta noite|agora|logo|natal|páscoa|aniversário|como sempre)(?!\p{L})/iu,
    asks: asksBy(
      "está|estão|foi|é|são|era|quando|o que|que horas|qual|quais|por que|porquê|como|quem|onde|quant[oa]s?",
      "e|mas|então|hum|bom|ok|desculpe",
    ),
    claims: [
      /(?<!\p{L})(?:foi|foram|está|estão|já|eu)(?: (?:já|agora))? (?<verb>\p{L}+(?:ado|ada|ados|adas|ido|ida|idos|idas|ei|eito|eita|osto|osta))(?!\p{L})/iu,
    ],
    promises: [],
    agrees: agreesBy(
      "sim|claro|certo|exato|exatamente|correto|de acordo|isso|isso mesmo|está bem|está certo|perfeito|ok|okay|pode ser|pode fazer",
      "por favor|obrigado|obrigada|muito|bem|é|então",
    ),
    refuses: refusesBy(
      "não|nunca|prefiro que não|prefiro não|de maneira nenhuma",
      "prefiro que não|prefiro não|não grave|não gravar|sem gravação|não quero|não concordo|não aceito",
    ),
    corrects: refusesBy(
      "não|espere|espera|desculpe|desculpa|aliás|na verdade|melhor|quero dizer|quis dizer",
      "aliás|melhor|quero dizer|quis dizer|na verdade|ponha|põe",
    ),
    atTime: standAlone("às?|pelas|desde as|horas?"),
    excludes: standAlone("não|exceto|menos|sem|só|apenas|ou|nem"),
    joins: standAlone("e|também|depois"),
    reports: standAlone("agora (?:está|estão)|(?:está|estão) agora|(?:foi|foram)"),
    readBack: (act, values) => (values === "" ? `${act}. Posso fazer isso?` : `${act}: ${values}. Está certo?`),
    ask: (labels) => `Pode dizer-me ${listed("pt", labels)}, por favor?`,
    notDone: "Desculpe, isso ainda não está feito.",
    yes: "sim",
    no: "não",
  },
};
