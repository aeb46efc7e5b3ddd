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
    /(?:nummer|adres|e-?mail|postcode|spel|\bcode\b|kenmerk|geboortedatum|beschrijf|beschrijven|leg uit|uitleggen|vertel (?:me|mij) (?:meer|over)|wat is er gebeurd|lijst|in uw eigen woorden)/iu,
  requests: /(?:alstublieft|alsjeblieft|graag|\bzeg|\bgeef|\bnoem|spel|nodig|beschrijf|vertel)/iu,
  brief:
    /^(?:(?:en|dus|goed|oké|prima)[, ]+)?(?:is|zijn|was|waren|ben|bent|heb|hebt|heeft|kan|kun|kunt|kunnen|mag|mogen|moet|zal|zullen|wil|wilt|wilde|gaat|past|verder nog|anders nog|klopt)(?![\p{L}\p{N}])/iu,
});

export const dutch: Language = {
  code: "nl",
  overlap: overlapWords({
    backchannels: `mm mhm hm hmm mmm eh uh uhm ah aha oh ooh ja jaja jawel jep joh oké oke ok okay goed fijn mooi leuk prima top
      precies exact juist klopt inderdaad zeker natuurlijk tuurlijk echt werkelijk begrijp snap duidelijk helder interessant
      perfect bedankt dank dankjewel dankuwel super geweldig heerlijk tof gaaf zo nou absoluut uiteraard akkoord geregeld`,
    backchannelPhrases: `ja hoor|ja precies|ja klopt|ja ja|dat klopt|dat is waar|dat is goed|dat is zo|dat is fijn|is goed|
      heel goed|heel mooi|ik snap het|ik begrijp het|ik weet het|ik zie het|zo is het|geen probleem|geen punt|dank je|dank u|
      dank je wel|dank u wel|klinkt goed|dat klinkt goed|oh ja|ah ja|o ja|helemaal goed|komt goed|in orde|voor elkaar|
      dat snap ik|vertel mij wat`,
    functionWords: `een de het 't ik je jij hij zij ze we wij u mij me zich is ben bent zijn was heb hebt heeft en of maar ook zo
      te in op aan voor van met bij als hoe waar wat wie dat die dit er nog al dan om naar uit mijn jouw uw niet`,
    commands:
      "stop wacht wachten nee stil stilte genoeg ophouden hou houd pauze moment momentje halt annuleren annuleer ho fout",
    commandPhrases: `hou op|houd op|houdt u op|wacht even|wacht eens|wacht u even|een moment|een momentje|een ogenblik|
      een seconde|wees stil|stil even|mond dicht|zo is het genoeg|het is genoeg|laat mij|laat me|een vraag|ik heb een vraag|
      sorry maar|pardon maar|stop maar|dat klopt niet`,
  }),
  hasSentenceEndOdds: false,
  isUnfinished: unfinishedBy({
    words: `de een voor van met naar tot zonder tussen tegen sinds vanaf en of maar omdat want als wanneer terwijl hoewel zodat
      mijn jouw onze uw elke ieder iedere welke heel zeer te eh uh uhm meneer mevrouw dokter per om behalve volgens`,
    phrases: [
      "(?:en|of|maar|dat|als|omdat|wanneer|hoe|waar|wat) (?:ik|hij|zij|ze|we|wij|u|je|jij|het|er|de)",
      "^(?:ik|wij|we|dus ik|ja ik|nou|en ik)",
      "^(?:(?:ja|nee|hallo|goedemorgen|goedemiddag|goedenavond|dus|nou|en) )*(?:ik|wij|we) (?:wil|willen|wilde|wou|zou|zouden|heb|moet|kan|zoek|ben|had|bel)(?: (?:graag|ook|nog|even|alleen|op|voor|een|zoek|willen|weten|reserveren|een afspraak))*",
      "(?:kunt|kan|kun|zou|wilt|wil) (?:u|je|jij)(?: (?:mij|me|ons|misschien|even|alstublieft|alsjeblieft|kunnen))*",
      "(?:zeggen|vertellen|weten|weet|vragen|zeg|vertel)(?: (?:mij|me|u|je))* (?:wanneer|waar|hoe|hoe laat|wat|wie|waarom|welke|hoeveel|of|wat voor)",
      "(?:naam|nummer|adres|voornaam|achternaam|klantnummer|geboortedatum|probleem|vraag|telefoonnummer|postcode) (?:is|luidt)",
      "^(?:(?:en|dus) )*(?:ik heet|mijn naam|wat is|waar is|wanneer is|hoe is|wie is|wat zijn|waar zijn|hoeveel|hoe lang|hoe laat is|heeft u|heb je|is er|zijn er|het gaat om|het is|dat is|wat kost|hoe)",
      "(?:wekker|timer|afspraak|tafel|reservering|herinnering|verwarming|temperatuur|vlucht)(?: \\S+){0,3} (?:op|om|in|aan|bij)",
      "(?:maak|wek|herinner|bel|stuur|geef|zeg|vertel) (?:me|mij|ons)(?: (?:morgen|vandaag))?(?: (?:om|eraan|aan|op|over))?",
      "(?:morgen|vandaag|avond|ochtend|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag|uur) (?:om|rond|in|bij)",
      "(?:woon|woont|wonen|geïnteresseerd|geboren) in|(?:wacht|reken|hoop) op|zet(?: (?:de|een|het))?(?: \\S+)?",
      "half|kwart (?:voor|over)|meer dan|in plaats|zowel|zet",
    ],
    complete: [
      "(?:waar|daar|hier|wat) (?:\\S+ ){0,4}(?:van|voor|naar|met|tegen)|(?:ga|gaan|is|ben|sta|ben ik) (?:er )?voor|er (?:\\S+ )?een|zo een|ook een",
      "^(?:ja|nee|hoe|wie|waar|wat|wanneer|hoeveel)",
      "(?:wat|wie|hoe|waar|zo|dat|hier|dan|en) (?:doe|ben|wil|is|moet|kan|heb|was|had|zijn) (?:ik|dat|het|we|dit)|(?:wat|hoe|dat) ik (?:wil|ben|moet)|zo is het|wat is dat|dat is het|hoe laat is het|dat wil ik|ja dat wil ik",
      "zet (?:\\S+ ){0,6}(?:aan|uit|af|neer|stil|klaar|hoger|lager|zachter|harder)|(?:bel|app|mail) (?:me|mij|ons) (?:op|terug)|draai (?:\\S+ ){0,3}om|doe (?:\\S+ ){0,3}(?:om|aan|uit)|kom (?:\\S+ )?(?:om|in)",
      "of (?:niet|wel)|en (?:u|jij|wij)|help (?:me|mij)|bel (?:me|mij)|of hoe|en hoe",
    ],
  }),
  expectedAnswer,
  remainder: remainderBy(
    {
      named: /(?:nummer|\bcode\b)/iu,
      telephone: { named: /(?:telefoon|mobiel|\bfax|terugbel)/iu, least: 10, whole: 10 },
      card: /(?:kaart|\bpas\b|pasnummer)/iu,
      short: /(?:kamer|verdieping|tafel|stoel|huisnummer|pincode|aantal|hoeveel|laatste \S+ cijfers|geboortedatum)/iu,
      digits: "nul een één twee drie vier vijf zes zeven acht negen",
    },
    expectedAnswer,
  ),
  speakable,
  keepsDot,
  timeNote: timeNoteIn("nl-NL", (date, time) => `(Het is ${date}, ${time} uur.)`),
  fillers: ["Een ogenblik, alstublieft.", "Ik kijk het even na."],
  excuse: "Sorry, daar kan ik nu geen antwoord op geven.",
  rings: {
    timer: (label) => (label === "" ? "Uw timer is afgelopen." : `Uw timer is afgelopen: ${label}.`),
    reminder: (label) => `Ik zou u hieraan herinneren: ${label}.`,
  },
  recording: {
    announced: "Dit gesprek wordt opgenomen.",
    asked: "Mag dit gesprek worden opgenomen?",
    refused: "Zonder opname kan dit gesprek niet doorgaan. Tot ziens.",
    mentioned: /(?<!\p{L})(?:opname\p{L}*|opnemen|opgenomen|opneemt)(?!\p{L})/u,
    unwanted:
      /(?<!\p{L})(?:(?:niet|geen|stop|stoppen|verwijder|wis|zonder)(?: \p{L}+){0,5} (?:opname\p{L}*|opnemen|opgenomen|opneemt)|opname(?: \p{L}+){0,4} (?:stoppen|verwijderen|wissen|uit))(?!\p{L})/u,
  },
  facts: {
    one: /(?<!\p{L})(?:een|één|eerste|mij|mijn|alleen)(?!\p{L})/iu,
    halfDays: { morning: ["uur in de ochtend"], afternoon: ["uur in de middag", "uur in de avond"], night: [] },
    halfIsBefore: true,
    named: namedBy({
      noon: "twaalf uur 's middags",
      midnight: "middernacht",
      half: "half|halve|anderhalf|anderhalve",
      quarter: "kwart|kwartier",
      two: "beide|paar",
      period: "een (?:uur|dag|week|maand|jaar)",
    }),
    vagueNumbers: /(?<!\p{L})(?:dozijn|dubbel|zoals altijd|mijn (?:vrouw|man|familie))(?!\p{L})/iu,
    vagueDays:
      /(?<!\p{L})(?:week|maand|jaar|weekend|vanavond|nu|straks|kerst|pasen|verjaardag|zoals altijd)(?!\p{L})/iu,
    asks: asksBy(
      "heb je|hebt u|heeft|is|zijn|was|waren|wanneer|wat(?! dacht)|welke?|waarom|hoe|wie|waar",
      "en|maar|dus|eh|uh|oké|ok|sorry",
    ),
    claims: [
      /(?<!\p{L})(?:ik heb|we hebben|heb ik|is|zijn)(?: \S+){0,8}? (?<verb>(?:ge|be|ver|her|ont)\p{L}*(?:t|d|en))(?= en|[.,!]|$)/iu,
    ],
    promises: [],
    agrees: agreesBy(
      "ja|jazeker|jawel|zeker|precies|klopt|juist|correct|graag|goed|oké|ok|okay|prima|akkoord|inderdaad|doe maar|natuurlijk",
      "alstublieft|alsjeblieft|dank u|dank je|bedankt|dat|heel|helemaal|eh|hoor",
    ),
    refuses: refusesBy(
      "nee|neen|nooit|niet|liever niet|geen|absoluut niet",
      "liever niet|niet opnemen|geen opname|zonder opname|wil (?:ik |het |dat )*niet|niet akkoord|niet mee eens",
    ),
    corrects: refusesBy(
      "nee|neen|wacht|sorry|eigenlijk|toch|ik bedoel|ik bedoelde|maak er",
      "liever|in plaats daarvan|ik bedoel|ik bedoelde|maak er",
    ),
    atTime: standAlone("om|uur|rond|vanaf|half"),
    excludes: standAlone("niet|behalve|zonder|alleen|of|geen|noch"),
    joins: standAlone("en|ook|dan"),
    reports: standAlone(
      "(?:is|zijn) nu|nu (?:is|zijn)|(?:is|zijn)(?: \\p{L}+){0,5} (?:ingesteld|aangezet|uitgezet|gewijzigd|geboekt|gereserveerd|geannuleerd)",
    ),
    readBack: (act, values) => (values === "" ? `${act}. Zal ik dat doen?` : `${act}: ${values}. Klopt dat?`),
    ask: (labels) => `Kunt u mij nog zeggen: ${listed("nl", labels)}?`,
    notDone: "Sorry, dat heb ik nog niet gedaan.",
    yes: "ja",
    no: "nee",
  },
};
