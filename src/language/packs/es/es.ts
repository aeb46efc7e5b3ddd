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
    /(?:número|dirección|correo|e-?mail|código|deletre|referencia|fecha de nacimiento|describ|expli|cuént|qué (?:pasó|ha pasado|ocurrió)|lista|con sus palabras)/iu,
  requests: /(?:por favor|\bdiga|díga|\bdime|\bdeme|\bdame|deletre|necesit|describ|expli|cuént)/iu,
  brief:
    /^(?:[¿¡]\s*)?(?:(?:y|bien|bueno|vale|entonces)[, ]+[¿¡]?\s*)?(?:es|son|está|están|era|hay|tiene|tienes|quiere|quieres|puede|puedes|puedo|podría|podemos|desea|deseas|prefiere|prefieres|le|te|lo|algo más|ha|has|va|vas|debo)(?![\p{L}\p{N}])/iu,
});

export const spanish: Language = {
  code: "es",
  overlap: overlapWords({
    backchannels: `mm mhm hm hmm mmm eh em ah ajá aja oh uy sí si vale claro exacto exactamente ok okay bien buena genial
      perfecto estupendo fenomenal correcto cierto verdad entiendo entendido comprendo ya dale bueno seguro efectivamente
      totalmente absolutamente interesante gracias guay anda vaya muy mira ándale órale fantástico maravilloso`,
    backchannelPhrases: `de acuerdo|por supuesto|claro que sí|claro que si|desde luego|ya veo|ya sé|ya se|lo sé|lo se|lo entiendo|
      ya entiendo|está bien|esta bien|muy bien|qué bien|que bien|eso es|así es|asi es|tiene sentido|sin problema|no hay problema|
      me parece bien|suena bien|muchas gracias|sí sí|si si|ah vale|ah bueno|ah sí|es verdad|tienes razón|tiene razón`,
    functionWords: `un una el la los las lo le les de del a al en con por que y e o u yo tú tu él ella me te se nos mi su es
      soy está son ha he has hay no pero como cuando donde si`,
    commands:
      "para pare espera espere alto basta stop no silencio calla cállate cállese cancela cancelar momento suficiente",
    commandPhrases: `un momento|un segundo|un minuto|espera un momento|espere un momento|para ya|ya basta|ya está bien|
      déjame hablar|déjeme hablar|una pregunta|tengo una pregunta|no sigas|no siga|cállate ya|perdona pero|perdone pero|
      deja de hablar|eso no`,
  }),
  hasSentenceEndOdds: false,
  isUnfinished: unfinishedBy({
    words: `el la los las un una unos unas de del a al en con por para sin sobre hasta desde entre hacia según y e o u pero que
      porque cuando aunque mientras mi tu su mis tus sus nuestra nuestras nuestros cada cuyo muy tan señor señora don doña eh em
      este me te se nos como donde ni sino`,
    phrases: [
      "(?:y|o|pero|que|si|cuando|porque) (?:yo|él|ella|ellos|usted|nosotros)",
      "^(?:(?:sí|no|hola|buenos días|buenas|bueno|y|pues) )*(?:yo )?(?:quiero|querría|quería|quisiera|queremos|necesito|necesitamos|busco|puedo|podría|debo|tengo|voy|estoy|soy|me gustaría|nos gustaría|me llamo|hay que|tengo que)(?: (?:reservar|saber|pedir|hacer|cambiar|cancelar|comprar|hablar|también|poder))*",
      "(?:me|nos|le) (?:puede|puedes|podría|podrías|pueden)(?: (?:decir|dar|ayudar|poner))?|(?:puede|puedes|podría|podrías|pueden)(?: (?:decirme|darme|decir|ponerme|usted|por favor))*",
      "(?:decir|decirme|saber|dime|dígame|preguntar|sé|sabe|sabes) (?:a |de |en |por )?(?:qué|cuándo|dónde|cómo|cuánto|quién|cuál|si|que|cuanto|donde|cuando|como)(?: (?:hora|día|cuesta|cuestan|está|es))?",
      "(?:nombre|apellido|número|dirección|correo|código|teléfono|problema|pregunta|fecha)(?: de \\S+)? (?:es|sería)",
      "^(?:(?:y|pues) )*(?:dónde|cuándo|cómo|cuál|quién|qué|cuánto|cuántos|cuántas|dónde está|cuál es|cuáles son|qué es|cómo es|quién es|dónde están|cuándo es|hay|tienen|tienes|es|está|si)",
      "(?:pon|ponga|ponme|llama|llame|dame|deme|dime|dígame|manda|mande|envía|envíe|enciende|encienda|apaga|apague|despiértame|despiérteme|recuérdame|recuérdeme)",
      "(?:más|menos|mejor|peor) (?:que|de)|antes|después de|además de|en vez|a partir|junto|tal|sea",
    ],
    complete: [
      "^(?:sí|si|no|hay|qué|cómo|dónde|cuándo|quién|cuál|cuánto|para|este|es|está|dime|dígame)",
      "(?:eso|así|ahí|aquí|y|o|quiero|quiere|con|para|de|quién) (?:es|está|este|mí|él|ella|usted|nosotros)|qué es|quién es|cómo está|dónde está\\S* (?:él|ella)",
      "(?:por|y|para) qué|no (?:lo )?(?:quiero|puedo|sé|tengo)|(?:ya|sí|lo|la|los|las) (?:quiero|puedo|tengo|necesito)|sí puedo|ya voy|plan a|vitamina a|(?:terminal|puerta|sección|letra|grupo|opción) (?:a|e|o|y)",
      "(?:como|cuando|donde|si) (?:quiera|quieras|puedas|pueda)|(?:quiero|prefiero|dame|deme) (?:este|la|el)",
      "(?:mejor|mucho|poco) (?:antes|después)|antes",
    ],
  }),
  expectedAnswer,
  remainder: remainderBy(
    {
      named: /(?:número|código)/iu,
      telephone: { named: /(?:teléfono|móvil|celular|fax|llamar)/iu, least: 9, whole: 9 },
      card: /(?:tarjeta)/iu,
      short:
        /(?:habitación|piso|planta|mesa|asiento|\bpin\b|número de (?:personas|noches)|cuánt|últim\S+ \S+ (?:dígitos|cifras|números)|fecha de nacimiento)/iu,
      digits: "cero uno dos tres cuatro cinco seis siete ocho nueve",
    },
    expectedAnswer,
  ),
  speakable,
  keepsDot,
  timeNote: timeNoteIn("es-ES", (date, time) => `(Hoy es ${date}, ${time}.)`),
  fillers: ["Un momento, por favor.", "Lo consulto enseguida."],
  excuse: "Lo siento, ahora no puedo responder a eso.",
  rings: {
    timer: (label) => (label === "" ? "Su temporizador ha terminado." : `Su temporizador ha terminado: ${label}.`),
    reminder: (label) => `Debo recordarle esto: ${label}.`,
  },
  recording: {
    announced: "Esta llamada se graba.",
    asked: "¿Se puede grabar esta llamada?",
    refused: "Sin grabación esta llamada no puede continuar. Adiós.",
    mentioned: /(?<!\p{L})(?:grab(?:a|ar|ación|ado|ando|en|e))(?!\p{L})/u,
    unwanted:
      /(?<!\p{L})(?:(?:no|deje|dejen|pare|paren|detenga|borre|borren|elimine|sin)(?: \p{L}+){0,5} (?:grab(?:a|ar|ación|ado|ando|en|e)))(?!\p{L})/u,
  },
  facts: {
    one: /(?<!\p{L})(?:un[ao]?|primer\w?|mí|mi|sol[ao])(?!\p{L})/iu,
    halfDays: { morning: ["de la manana"], afternoon: ["de la tarde"], night: ["de la noche"] },
    named: namedBy({
      noon: "mediodía",
      midnight: "medianoche",
      half: "medi[ao]",
      quarter: "cuartos?",
      two: "ambos|ambas|par",
      period: "una (?:hora|semana)|un (?:día|mes|año)",
    }),
    vagueNumbers: /(?<!\p{L})(?:docena|doble|como siempre|mi (?:mujer|marido|familia))(?!\p{L})/iu,
    vagueDays:
      /(?<!\p{L})(?:semana|mes|año|fin de semana|esta noche|ahora|pronto|navidad|pascua|cumpleaños|como siempre)(?!\p{L})/iu,
    asks: asksBy(
      "has|ha|han|está|están|es|son|era|fue|cuándo|qué(?! tal)|cuál(?:es)?|por qué|cómo|quién|dónde|cuánt[oa]s?",
      "y|pero|entonces|eh|bueno|vale|perdón",
    ),
    claims: [
      /(?<!\p{L})(?:he|hemos|ha sido|han sido|está|están|queda|quedan)(?: (?:ya|ahora))? (?<verb>\p{L}+(?:ado|ada|ados|adas|ido|ida|idos|idas|cho|cha|esto|esta))(?!\p{L})/iu,
    ],
    promises: [],
    agrees: agreesBy(
      "sí|si|vale|claro|exacto|exactamente|correcto|de acuerdo|así es|eso es|perfecto|ok|okay|adelante|hágalo|está bien|por supuesto",
      "por favor|gracias|muy|bien|eh|pues|bueno",
    ),
    refuses: refusesBy(
      "no|nunca|mejor no|prefiero que no|de ninguna manera",
      "mejor no|no grabe|no graben|sin grabar|sin grabación|no quiero|no estoy de acuerdo|no acepto|prefiero que no",
    ),
    corrects: refusesBy(
      "no|espere|espera|perdón|perdone|mejor|en realidad|quiero decir|quise decir|digo",
      "mejor|quiero decir|quise decir|en realidad|ponga|pon",
    ),
    atTime: standAlone("a las?|sobre las?|desde las?"),
    excludes: standAlone("no|excepto|menos|sin|solo|sólo|o|ni"),
    joins: standAlone("y|e|también|luego"),
    reports: standAlone("ahora (?:está|están)|(?:está|están) ahora|(?:ha|han) sido"),
    readBack: (act, values) => (values === "" ? `${act}. ¿Lo hago?` : `${act}: ${values}. ¿Es correcto?`),
    ask: (labels) => `¿Puede decirme ${listed("es", labels)}, por favor?`,
    notDone: "Lo siento, eso todavía no está hecho.",
    yes: "sí",
    no: "no",
  },
};
