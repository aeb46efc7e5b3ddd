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
    /(?:numero|indirizzo|e-?mail|\bcodice\b|\bcap\b|sillab|compit|lettera per lettera|riferimento|data di nascita|descriv|spieg|raccont|cosa è successo|elenc|con parole sue)/iu,
  requests: /(?:per favore|per cortesia|\bdica|\bdimmi|\bdia|\bdammi|sillab|serve|bisogno|descriv|spieg|raccont)/iu,
  brief:
    /^(?:(?:e|allora|bene|va bene|ok)[, ]+)?(?:è|sono|era|c'è|ci sono|ha|hai|avete|vuole|vuoi|volete|può|puoi|posso|possiamo|desidera|preferisce|preferisci|le|ti|devo|altro|qualcos'altro|va bene|giusto)(?![\p{L}\p{N}])/iu,
});

export const italian: Language = {
  code: "it",
  overlap: overlapWords({
    backchannels: `mm mhm hm hmm mmm eh ehm ah aha oh uh sì si già ok okay va bene benissimo bravo brava certo certamente esatto
      esattamente giusto vero perfetto capito capisco chiaro ottimo bello bella grazie davvero assolutamente infatti appunto
      interessante magari naturalmente sicuro d'accordo volentieri fantastico splendido figo wow insomma sicuramente`,
    backchannelPhrases: `va bene|d'accordo|ho capito|lo so|ci credo|si capisce|certo che sì|certo che si|è vero|e vero|è giusto|
      ah ecco|ah sì|ah si|ah ok|ah va bene|molto bene|che bello|non c'è problema|nessun problema|ha senso|sono d'accordo|
      grazie mille|tante grazie|sì sì|si si|eh sì|eh già|come no|ci mancherebbe|tutto chiaro|mi sembra giusto|suona bene`,
    functionWords: `un uno una il lo la i gli le l' di del della a al alla da dal in nel con su per tra fra che e ed o ma io tu
      lui lei mi ti si ci vi è sono sei ho hai ha mio mia suo sua non come se`,
    commands:
      "stop fermo ferma fermati fermi aspetta aspetti aspettate no basta silenzio zitto zitta annulla alt momento pausa",
    commandPhrases: `un momento|un attimo|un secondo|un minuto|aspetta un attimo|aspetti un attimo|si fermi|stai zitto|
      stia zitto|può bastare|basta così|lasciami parlare|mi lasci parlare|una domanda|ho una domanda|scusa ma|scusi ma|
      mi scusi|fai silenzio|smettila|la smetta`,
  }),
  hasSentenceEndOdds: false,
  isUnfinished: unfinishedBy({
    words: `il lo la i gli le l' un una un' di d' del dello della dell' dei degli delle a ad al allo alla all' ai agli alle da dal
      dallo dalla dall' dai dagli dalle in nel nello nella nell' nei negli nelle con sul sulla sull' sullo sui per tra fra e ed
      o oppure ma che perché se mentre benché anche mi ti ci vi non ogni molto ehm signor signora dottor tuo tua suo nostra
      nostro quale quali`,
    phrases: [
      "(?:il|la|al|del|nel|della|alla|i|le|dei|con il) (?:mio|mia|miei|mie|suo|sua)",
      "^(?:(?:sì|no|ciao|buongiorno|buonasera|allora|e|senta|salve) )*(?:io )?(?:vorrei|volevo|vorremmo|voglio|desidero|desidererei|cerco|posso|potrei|devo|ho bisogno|sto|sono|mi piacerebbe|mi chiamo|ho)(?: (?:prenotare|sapere|ordinare|cambiare|annullare|parlare|anche|solo|cercando))*",
      "(?:mi |ci )?(?:può|puoi|potrebbe|potresti)(?: (?:dire|dirmi|darmi|dare|aiutarmi|per favore|cortesemente))*",
      "(?:dire|dirmi|sapere|chiedere|dimmi|mi dica|so|sa|sai) (?:a che ora|quando|dove|come|quanto|chi|se|che|cosa|perché|quale|quanti)",
      "(?:nome|cognome|numero|indirizzo|codice|telefono|problema|domanda|mail|e-mail|data)(?: di \\S+)? (?:è|sarebbe)",
      "^(?:(?:e|ma) )*(?:dove|quando|come|qual|quale|chi|cosa|che|quanto|quanti|dov'è|qual è|cos'è|com'è|chi è|quali sono|dove sono|c'è|ci sono|avete|è)",
      "(?:metti|metta|chiama|chiami|dimmi|dammi|mi dia|mi dica|accendi|accenda|spegni|spenga|svegliami|mi svegli|ricordami|mi ricordi|manda|mandi|imposta|imposti)",
      "(?:più|meno|meglio|peggio) (?:di|che)|prima di|oltre|invece|insieme|fino|a partire|sono le|alle ore|sia",
    ],
    complete: [
      "^(?:sì|no|è|chi|dove|quando|come|cosa|quanto|perché|quale|ci sono|mi dica|dimmi|sono)",
      "(?:chi|che|com) è|^(?:e|ma|per|da|fino a|di|per che|dimmi|a|mi sa) (?:perché|quando|dove|come|quanto|chi|che ora|cosa|dire|sì)",
      "(?:lo|la|li|le|ce|ne) (?:voglio|posso|devo|ho)|non (?:posso|voglio|so|ce l'ho|lo so)|(?:perché|come) no|com'è|dov'è (?:lui|lei)|molto|grazie molto|ti amo",
      "piano a|vitamina a|(?:terminal|porta|lettera|gruppo|sezione|opzione|fila|uscita) (?:a|e|i|o)|(?:non|e) (?:è|c'è)|(?:quando|se|come) (?:vuoi|vuole|può|puoi)|(?:che|quanta|quanto) (?:ora )?è|che c'è|si può|che ore sono",
      "o (?:no|sì)|eccola|fatto|il suo|la sua|e (?:il|la) (?:tuo|tua|suo|sua)",
    ],
  }),
  expectedAnswer,
  remainder: remainderBy(
    {
      named: /(?:numero|\bcodice\b)/iu,
      telephone: { named: /(?:telefono|cellulare|fax|richiamar)/iu, least: 9, whole: 10 },
      card: /(?:\bcarta\b)/iu,
      short:
        /(?:camera|stanza|piano|tavolo|posto|\bpin\b|numero di (?:persone|notti)|quant|ultim\S+ \S+ (?:cifre|numeri)|data di nascita)/iu,
      digits: "zero uno due tre quattro cinque sei sette otto nove",
    },
    expectedAnswer,
  ),
  speakable,
  keepsDot,
  timeNote: timeNoteIn("it-IT", (date, time) => `(Oggi è ${date}, ore ${time}.)`),
  fillers: ["Un attimo, per favore.", "Controllo subito."],
  excuse: "Mi dispiace, al momento non posso rispondere.",
  rings: {
    timer: (label) => (label === "" ? "Il timer è scaduto." : `Il timer è scaduto: ${label}.`),
    reminder: (label) => `Devo ricordarle questo: ${label}.`,
  },
  recording: {
    announced: "Questa chiamata viene registrata.",
    asked: "Posso registrare questa chiamata?",
    refused: "Senza registrazione questa chiamata non può continuare. Arrivederci.",
    mentioned: /(?<!\p{L})(?:registra\p{L}*|registri)(?!\p{L})/u,
    unwanted:
      /(?<!\p{L})(?:(?:non|smetta|smettete|fermi|fermate|cancelli|cancellate|elimini|senza)(?: [\p{L}']+){0,5} (?:registra\p{L}*|registri))(?!\p{L})/u,
  },
  facts: {
    one: /(?<!\p{L})(?:un[ao]?|prim[ao]|me|mio|mia|sol[ao])(?!\p{L})|un'/iu,
    halfDays: {
      morning: ["di mattina", "del mattino"],
      afternoon: ["di sera", "di pomeriggio", "del pomeriggio"],
      night: [],
    },
    named: namedBy({
      noon: "mezzogiorno",
      midnight: "mezzanotte",
      half: "mezz[ao]",
      quarter: "quart[oi]",
      two: "entrambi|entrambe|paio",
      period: "un'ora|una settimana|un (?:giorno|mese|anno)",
    }),
    vagueNumbers: /(?<!\p{L})(?:dozzina|doppio|come sempre|mia moglie|mio marito)(?!\p{L})/iu,
    vagueDays:
      /(?<!\p{L})(?:settimana|mese|anno|stasera|adesso|presto|natale|pasqua|compleanno|come sempre)(?!\p{L})/iu,
    asks: asksBy(
      "hai|ha|avete|è|era|quando|cosa|che cosa|quale|quali|perché|chi|dove|quant[oaie]",
      "e|ma|allora|quindi|ehm|ok|scusi",
    ),
    claims: [
      /(?<!\p{L})(?:ho|abbiamo|è stat[oa]|sono stat[ie]|è|sono)(?: (?:già|ora|appena))? (?<verb>\p{L}+(?:ato|ata|ati|ate|uto|uta|ito|ita|sso|ssa|tto|tta))(?!\p{L})/iu,
    ],
    promises: [],
    agrees: agreesBy(
      "sì|si|va bene|certo|esatto|esattamente|giusto|corretto|d'accordo|perfetto|ok|okay|proprio così|è giusto|lo faccia",
      "per favore|grazie|molto|bene|eh|allora",
    ),
    refuses: refusesBy(
      "no|mai|meglio di no|preferisco di no|assolutamente no",
      "meglio di no|non registri|non registrare|senza registrazione|non voglio|non sono d'accordo|preferisco di no",
    ),
    corrects: refusesBy(
      "no|aspetti|aspetta|scusi|scusa|anzi|cioè|meglio|volevo dire|voglio dire",
      "anzi|meglio|volevo dire|voglio dire|piuttosto|facciamo",
    ),
    atTime: standAlone("alle|all'\\p{L}+|verso le|dalle|ore"),
    excludes: standAlone("non|tranne|senza|solo|o|né"),
    joins: standAlone("e|ed|anche|poi"),
    reports: standAlone("(?:è|sono) (?:ora|adesso)|(?:ora|adesso) (?:è|sono)|è stat[oa]|sono stat[ei]"),
    readBack: (act, values) => (values === "" ? `${act}. Devo farlo?` : `${act}: ${values}. È giusto?`),
    ask: (labels) => `Può dirmi ${listed("it", labels)}, per favore?`,
    notDone: "Mi dispiace, non l'ho ancora fatto.",
    yes: "sì",
    no: "no",
  },
};
