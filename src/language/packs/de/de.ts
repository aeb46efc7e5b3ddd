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
    /(?:nummer|adresse|e-?mail|postleitzahl|buchstabier|\bcode\b|aktenzeichen|geburtsdatum|beschreib|erklär|erzähl|was ist passiert|liste|mit eigenen worten)/iu,
  requests: /(?:bitte|\bsag|\bnenn|\bgeb|\bgib|buchstabier|brauch|beschreib|erklär|erzähl)/iu,
  brief:
    /^(?:(?:und|also|gut|okay|prima)[, ]+)?(?:ist|sind|war|waren|bist|seid|hast|haben|hat|habt|kann|kannst|können|könnten|könnte|darf|dürfen|soll|sollen|sollte|möchten?|möchtest|wollen|willst|wird|werden|würden|gibt es|geht|passt|sonst noch|stimmt)(?![\p{L}\p{N}])/iu,
});

export const german: Language = {
  code: "de",
  overlap: overlapWords({
    backchannels: `mm mhm hm hmm mmm äh ähm ah aha ach achso oh oha ui ja jaja jap jep jo joa jawohl genau richtig stimmt okay
      ok gut schön super prima toll klasse klar sicher natürlich echt wirklich tatsächlich wow cool alles verstehe verstanden
      interessant perfekt danke dankeschön absolut eben logisch wunderbar krass spannend freilich`,
    backchannelPhrases: `alles klar|ach so|ach ja|ach was|na gut|na klar|na ja|ja klar|ja genau|ganz genau|sehr gut|sehr schön|
      das stimmt|stimmt genau|ich verstehe|ich weiß|ich weiss|in ordnung|geht klar|kein problem|vielen dank|danke schön|
      das ist gut|das ist schön|das ist richtig|so ist es|macht sinn|das macht sinn|hört sich gut an|klingt gut|wie schön|
      gott sei dank|auf jeden fall|ist gut|schon gut`,
    functionWords: `ein eine einen der die das den dem des ich du er sie es wir ihr mich mir dich dir sich uns euch mein dein
      sein ist bin bist sind war hat habe hast haben wird werden kann und oder aber auch so zu in im an am auf für von vom mit
      bei als wie wo was wer wenn dass noch mal schon da dann doch denn nur um aus nach`,
    commands: `stopp stop halt warte warten wartet nein nee nö ruhe still stille genug aufhören abbrechen pause moment sekunde
      schluss augenblick falsch`,
    commandPhrases: `hör auf|hör bitte auf|hören sie auf|hören sie bitte auf|sei still|sei ruhig|seien sie still|einen moment|moment mal|warte mal|
      warten sie|halt mal|halt die klappe|es reicht|das reicht|brich ab|brechen sie ab|eine frage|kurze frage|
      entschuldigung aber|einen augenblick|lass mich|lassen sie mich`,
  }),
  hasSentenceEndOdds: false,
  isUnfinished: unfinishedBy({
    words: `der den dem des einen einem einer eines mein meine meinen meinem meiner meines deine deinen deinem deiner seine seinen
      seinem seiner ihren ihrem unsere unseren unserem unserer eure euren kein keinen keinem keiner jeden jedem jeder welche
      welchen welchem welcher welches dieser diesem diesen für von bis seit wegen ohne gegen zwischen in im am zum zur beim vom
      ins ans mit bei ein über neben trotz innerhalb außerhalb außer statt und oder aber sowie sondern weil dass daß obwohl während bevor nachdem falls sobald solange ob sehr äh ähm öhm
      herr frau doktor pro per`,
    phrases: [
      // "die" and "eine" end few sentences: "ich nehme die".
      "die|eine|eines",
      "(?:ob|weil|dass|wenn|als|und|oder|für|auf|in|an|durch|um|ist|(?:ich|wir) (?:habe|haben)) das",
      "(?:und|oder|aber|weil|dass|wenn|ob|wann|wo|wie|was) (?:ich|er|sie|wir|man|es)",
      "^(?:(?:ja|nein|also|gut|okay|und) )*(?:ich|wir)|^(?:also|wenn)",
      "^(?:(?:ja|nein|also|gut|okay|hallo|bitte|guten tag|und) )*(?:ich|wir) (?:möchte|möchten|würde|würden|hätte|hätten|will|wollen|wollte|wollten|brauche|brauchen|suche|kann|könnte|muss|müsste)(?: (?:gern|gerne|auch|noch|bitte|nur|mal|einfach|für|uns|mich|mir))*",
      "(?:können|könnten|würden|kannst|könntest|würdest) (?:sie|du)(?: (?:mir|mich|uns|bitte|mal|vielleicht))*",
      "(?:sagen|sag|weiß|wissen|fragen|frage)(?: (?:mir|sie|uns|bitte))* (?:wann|wo|wie|was|wer|warum|welche|wie viel|wie lange)",
      "(?:name|nummer|adresse|vorname|nachname|kundennummer|geburtsdatum|problem|frage|telefonnummer|postleitzahl) (?:ist|lautet|wäre)",
      "^(?:(?:und|also) )*(?:ich heiße|ich heisse|ich bin|mein name|was ist|wo ist|wann ist|wie ist|wer ist|was sind|wo sind|wie viel|wie viele|wie lange|gibt es|haben sie|es geht um|es ist|das ist)",
      "(?:wecker|timer|termin|tisch|treffen|erinnerung|heizung|temperatur)(?: \\S+){0,3} (?:auf|um|mit|nach|an)",
      "(?:weck|wecke|wecken|erinner|erinnere|erinnern)(?: sie)? (?:mich|uns)(?: bitte)?(?: \\S+){0,2}? ?(?:um|an|in|daran)?",
      "(?:morgen|heute|abend|früh|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|uhr) (?:um|gegen|mit|ab)",
      "(?:fahren|fahre|fliegen|fliege|reisen|reise|flug|zug|ticket|fahrkarte|weg|bahn|verbindung|bus|unterwegs) (?:\\S+ )?(?:nach|zu|mit|über)",
      "(?:warte|warten|freue mich|hoffe|reagieren|antworten|verzichten|bezogen|bezug|hinblick|anspruch|lust|termin) auf",
      "(?:interessiere mich|danke|vorbei|nachricht|brief|anruf|schreib|schreibe|schicke|schick|wende mich|denke) (?:\\S+ )?an",
      "stell(?:e|en)?(?: sie)?(?: bitte)? (?:einen|den) \\S+",
      "halb|viertel (?:vor|nach)|mehr als|so wie|sowohl|entweder|weder|anstatt",
    ],
    complete: [
      // Separable verbs: "kommst du mit", "schalte den Fernseher ein".
      "(?:komm|geh|fahr|fähr|nehm|nimm|mach|bring|spiel|les|lies|hör|red|sing|ess|iss|denk)\\S* (?:.* )?mit",
      "(?:schalt|steig|stell|lad|läd|geb|gib|kauf|richt|trag|pack|check|logg|schlaf|schläf|fall|fäll|nehm|nimm|lass|lös|zieh|setz|füg|räum|schenk|seh|sieh|bind|hol|tret|tritt)\\S* (?:.* )?ein",
      "(?:steh|steht|trag|bring|füg|leg|wohn|pflicht|bei)\\S* (?:.* )?bei",
      "(?:nein|doch|so|oder|ja) der|wer ist (?:der|die)|(?:nehme|nehmen|will|möchte|kenne|mag|meine|meinst|sind|ist|war|so|waren) (?:die|den|eine)|(?:habe|hat|haben|brauche|gibt(?:'s| es)?|noch) (?:eine|einen)",
      "(?:vier|drei|zwei|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|eins|ein|um) uhr|um halb \\S+",
      "(?:wie|was|wo|wer|so|da|hier|wann|das) (?:bin|ist|sind|war|mache|machen|will|möchte) (?:ich|wir|das|es)",
      "(?:wie ich|was ich will|was ich möchte|das war'?s|das ist es|so ist es|wie viel ist es|was ist|ist noch was|oder nicht)",
      "ob|(?:ja|nein|weiß nicht) ich|und (?:wie|wo|wer|was|wann)",
    ],
  }),
  expectedAnswer,
  remainder: remainderBy(
    {
      named: /(?:nummer|\bcode\b|kennzeichen)/iu,
      telephone: { named: /(?:telefon|handy|mobil|fax|rückruf)/iu, least: 7, whole: 11 },
      card: /(?:karte)/iu,
      short:
        /(?:zimmer|etage|stock|tisch|platz|hausnummer|\bpin\b|anzahl|wie ?viele|letzten? \S+ (?:ziffern|stellen)|geburtsdatum)/iu,
      digits: "null eins zwei zwo drei vier fünf sechs sieben acht neun",
    },
    expectedAnswer,
  ),
  speakable,
  keepsDot,
  timeNote: timeNoteIn("de-DE", (date, time) => `(Es ist ${date}, ${time} Uhr.)`),
  fillers: ["Einen Moment, bitte.", "Ich sehe kurz nach."],
  excuse: "Entschuldigung, darauf kann ich gerade nicht antworten.",
  rings: {
    timer: (label) => (label === "" ? "Ihr Timer ist abgelaufen." : `Ihr Timer ist abgelaufen: ${label}.`),
    reminder: (label) => `Ich soll Sie erinnern: ${label}.`,
  },
  recording: {
    announced: "Dieses Gespräch wird aufgezeichnet.",
    asked: "Darf dieses Gespräch aufgezeichnet werden?",
    refused: "Ohne Aufzeichnung kann das Gespräch nicht weitergehen. Auf Wiederhören.",
    mentioned:
      /(?<!\p{L})(?:aufzeichn\p{L}*|aufnahme\p{L}*|aufnehmen|aufgezeichnet|aufgenommen|mitschnitt\p{L}*)(?!\p{L})/u,
    unwanted:
      /(?<!\p{L})(?:(?:nicht|keine|keinen|ohne|stoppen|beenden|löschen|löschung|widerrufe|abschalten|ausschalten)(?: \p{L}+){0,5} (?:aufzeichn\p{L}*|aufnahme\p{L}*|aufnehmen|aufgezeichnet|aufgenommen|mitschnitt\p{L}*)|(?:aufzeichnung|aufnahme|mitschnitt)(?: \p{L}+){0,4} (?:stoppen|beenden|löschen|abschalten|ausschalten|nicht|stopp|aus))(?!\p{L})/u,
  },
  facts: {
    one: /(?<!\p{L})(?:ein\w*|erste\w?|mich|mir|meine?\w?|allein)(?!\p{L})/iu,
    halfDays: {
      morning: ["uhr morgens", "uhr fruh", "uhr am morgen", "uhr vormittags", "uhr am vormittag"],
      afternoon: ["uhr abends", "uhr am abend", "uhr nachmittags", "uhr am nachmittag"],
      night: [],
    },
    halfIsBefore: true,
    named: namedBy({
      noon: "mittags?",
      midnight: "mitternacht",
      half: "halb|halbe\\w?|ein(?:e|en|er)?halb|einhalb|anderthalb",
      quarter: "viertel|dreiviertel",
      two: "beide\\w?|paar|zweimal",
      period: "eine (?:stunde|woche)|einen (?:tag|monat)|ein jahr",
    }),
    vagueNumbers: /(?<!\p{L})(?:dutzend|doppelt\w*|wie immer|meine (?:frau|familie)|mein (?:mann|freund))(?!\p{L})/iu,
    vagueDays:
      /(?<!\p{L})(?:woche\w?|monat\w*|jahr\w*|wochenende|jetzt|gleich|bald|später|weihnachten|ostern|geburtstag|wie immer)(?!\p{L})/iu,
    asks: asksBy(
      "hast|haben sie|hat|ist|sind|war|waren|wurde|wurden|wann|was(?! ist mit)|welche[rsmn]?|warum|wieso|wie(?! wäre)|wer|wem|wo|wohin",
      "und|aber|also|äh|ähm|okay|ok|moment|entschuldigung",
    ),
    claims: [
      /(?<!\p{L})(?:ich habe|wir haben|habe ich|haben wir|wurden?|ist|sind)(?: \S+){0,8}? (?<verb>(?:ge|be|ver|er|ent|zer|um|ab|an|ein|aus|auf|vor|storn|reserv|notier|bestät)\p{L}*(?:t|en))(?= worden| und|[.,!]|$)/iu,
    ],
    ownAct: {
      begins: /(?<!\p{L})(?:ich(?=\s*$|\s+h)|habe(?=\s*$|\s+i))/iu,
      report:
        /(?<!\p{L})(?:ich habe|habe ich)(?: \S+){0,8}? (?:gebucht|reserviert|storniert|bestellt|verschoben|geändert|gestellt|(?:ein|aus|um)geschaltet|gelöscht|hinzugefügt|benachrichtigt|weitergeleitet|abgesagt)(?!\p{L})/iu,
      words: 9,
    },
    promises: [
      /(?<!\p{L})ich (?<verb>\p{L}+e)(?!\p{L})[^.!?]*(?:[.!]|$)/iu,
      /(?<!\p{L})ich werde [^.!?]*?(?<verb>\p{L}+en)(?:[.!]|$)/iu,
    ],
    agrees: agreesBy(
      "ja|jawohl|jo|jep|genau|richtig|stimmt|korrekt|gerne?|okay|ok|klar|passt|sicher|natürlich|in ordnung|einverstanden|so ist es|machen sie das|mach das|tun sie das",
      "bitte|danke|das|gut|schön|sehr|ganz|ähm|äh|ach|na|so|alles|ist|dankeschön|super|perfekt",
    ),
    refuses: refusesBy(
      "nein|nee|ne|nö|niemals|nicht|lieber nicht|bitte nicht|auf keinen fall|keinesfalls|keine",
      "lieber nicht|nicht aufzeichnen|nicht aufnehmen|nicht aufgezeichnet|keine aufzeichnung|keine aufnahme|ohne aufzeichnung|will (?:ich |das )*nicht|möchte (?:ich |das )*nicht|nicht einverstanden",
    ),
    corrects: refusesBy(
      "nein|nee|ne|nö|moment|warte|warten sie|entschuldigung|doch|sondern|ich meine|ich meinte",
      "lieber|stattdessen|ich meine|ich meinte|sondern|machen sie|mach",
    ),
    atTime: standAlone("um|uhr|gegen|ab|halb"),
    excludes: standAlone("nicht|außer|ohne|nur|oder|weder|kein\\p{L}*|statt"),
    joins: standAlone("und|auch|dann|sowie"),
    reports: standAlone(
      "(?:ist|sind) (?:jetzt|nun)|(?:ist|sind|wurde|wurden)(?: \\p{L}+){0,5} (?:eingeschaltet|ausgeschaltet|eingestellt|gestellt|gesetzt|geändert|gebucht|reserviert|storniert|worden)",
    ),
    readBack: (act, values) => (values === "" ? `${act}. Soll ich das tun?` : `${act}: ${values}. Ist das richtig?`),
    ask: (labels) => `Können Sie mir bitte noch sagen: ${listed("de", labels)}?`,
    notDone: "Das habe ich leider noch nicht getan.",
    yes: "ja",
    no: "nein",
  },
};
