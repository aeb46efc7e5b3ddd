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
    /(?:numéro|adresse|e-?mail|code|épel|référence|date de naissance|décri|expliqu|racont|que s'est-il passé|liste|avec vos mots)/iu,
  requests: /(?:s'il vous plaît|\bdites|\bdonn|épel|besoin|décri|expliqu|racont)/iu,
  brief:
    /^(?:(?:et|alors|bon|très bien|d'accord)[, ]+)?(?:est-ce que|est-ce|est-il|est-elle|êtes|avez|as-tu|voulez|veux-tu|voudriez|souhaitez|souhaites|pouvez|peux-tu|puis-je|dois-je|faut-il|y a-t-il|ça vous|c'est|vous (?:voulez|avez|êtes|souhaitez)|autre chose|d'accord)(?![\p{L}\p{N}])/iu,
});

export const french: Language = {
  code: "fr",
  overlap: overlapWords({
    backchannels: `mm mhm hm hmm mmm euh heu ah ha aha oh ouah oui ouais ouaip ouep si voilà voila exact exactement okay ok
      d'accord entendu bien bon bonne super génial parfait très vraiment absolument effectivement évidemment certes certainement
      clair compris noté intéressant merci cool top carrément tiens ben bah chouette nickel impeccable formidable justement
      volontiers`,
    backchannelPhrases: `ça marche|ca marche|je vois|je comprends|je sais|bien sûr|bien sur|très bien|tres bien|c'est bien|
      c'est ça|c'est vrai|c'est bon|c'est clair|c'est noté|c'est parfait|tout à fait|tout a fait|pas de problème|pas de souci|
      en effet|ah bon|ah oui|ah d'accord|oui oui|mais oui|ça va|ca va|bonne idée|pas mal|je vous en prie|merci beaucoup|
      merci bien|ça me va|entendu`,
    functionWords: `un une le la les l' d' de du des je j' tu il elle on nous vous ils elles me m' te t' se s' ce c' ça ca ci
      qu' que qui est es suis ai as a à au aux et ou où mais donc or ni car dans en sur par pour avec y ne n' pas mon ma mes
      ton ta tes son sa ses être sont avait était`,
    commands: `stop arrête arrêtez arrete arretez attends attendez non nan silence assez suffit minute pause chut pardon annule
      annulez taisez moment`,
    commandPhrases: `tais toi|taisez vous|un moment|un instant|une minute|une seconde|ça suffit|ca suffit|c'est bon arrêtez|
      attends un peu|attendez un peu|excusez moi|excuse moi|s'il vous plaît attendez|laissez moi|laisse moi|
      pas ça|j'ai une question|une question`,
  }),
  hasSentenceEndOdds: false,
  isUnfinished: unfinishedBy({
    words: `le les l' un une des du de d' au aux à pour sans chez dans sur vers entre et ou mais parce que qu' quand si lorsque
      puisque afin car mon ma mes ton ta tes sa ses nos votre notre vos leurs cet cette ces quel quelle quels quelles je j' ne n'
      me m' te t' se s' c' très trop euh heu monsieur madame mademoiselle docteur par dont comme pendant depuis`,
    phrases: [
      "la|avec|leur|son|ce",
      "(?:et|ou|mais|si|que|parce que|quand) (?:tu|il|elle|on|nous|vous)|qu'(?:il|elle|on)",
      "est-ce que|est-ce qu'|qu'est-ce que|qu'est-ce qui|est-ce (?:que|qu')(?: (?:tu|il|elle|on|nous|vous))?",
      "(?:est-ce que |est-ce qu')?(?:vous|tu) (?:pouvez|pourriez|peux|pourrais)(?: (?:me|m'|nous|lui))?",
      "(?:pouvez|pourriez|peux|pourrais|voulez|voudriez)-(?:vous|tu)(?: (?:me|m'|nous|lui|s'il vous plaît))*",
      "^(?:(?:oui|non|alors|bonjour|bon|et|euh) )*(?:je|j'|nous|on) ?(?:voudrais|voudrions|voulais|veux|aimerais|souhaite|souhaiterais|souhaitais|souhaiterions|cherche|besoin|dois|peux|pourrais|vais|viens)(?: (?:bien|juste|aussi|réserver|savoir|prendre|commander|parler|annuler|changer|modifier|acheter))*",
      "j'(?:aimerais|ai besoin|ai|voudrais|appelle|étais)(?: (?:bien|juste|aussi|réserver|savoir|prendre|commander|parler|annuler|changer))*",
      "je (?:m'appelle|suis|m'appelle bien)",
      "(?:dire|savoir|demander|sais|sait|dites-moi|dis-moi) (?:à )?(?:quand|où|comment|pourquoi|combien|quelle heure|qui|si|ce que|ce qui)",
      "(?:nom|prénom|numéro|adresse|code|mail|e-mail|téléphone|problème|question|date) (?:de \\S+ )?(?:est|c'est)",
      "^(?:(?:et|alors) )*(?:où|quand|comment|quel|quelle|qui|combien|c'est|il y a|où est|quand est|où sont|quel est|quelle est|quels sont|quelles sont|comment est|comment sont|combien de|y a-t-il|avez-vous|est-il|est-elle)",
      "(?:réveille|réveillez|rappelle|rappelez|mets|mettez|règle|réglez|allume|allumez|éteins|éteignez|appelle|appelez|envoie|envoyez|donne|donnez|dis|dites)(?:-(?:moi|nous|lui))?",
      "(?:plus|moins|aussi|autant) (?:que|de)|plutôt que|heures (?:et|moins)|afin de|à côté|près|au lieu|jusqu'|jusqu'à|à partir",
    ],
    complete: [
      "(?:j'en|en) (?:\\S+ )?(?:un|une)|(?:viens|venez|vient|vais|va|allez|faire|fait) avec|(?:c'est|c'était|est-ce|où|quel|quand|mais|bien sûr que|que|moi) (?:si|quand|où|qui)",
      "oui si|^(?:oui|si|non|quand|où|comment|combien|qui|le|merci|voilà|pourquoi)$",
      "(?:c'est|ça fait|ça coûte|il est|elle est|ils sont|pour|de) (?:quand|où|combien|comment|qui|quoi)",
      "(?:si je veux|si je peux|comme je veux|quand je veux|je veux|oui je peux|je le veux|je peux|tant pis|et toi|et vous|ou pas|mais non|mais si|il y a|y en a|s'il vous plaît|s'il te plaît|d'accord|je viens|j'y vais|je vais bien|on y va)",
      "(?:non|pas|bien|peut-être|oui|ça) (?:trop|très|plus)|pas (?:très|trop)|c'est trop|de trop|appelez-moi|rappelez-moi|rappelle-moi|appelle-moi|réveillez-moi|dites-moi|aide-moi",
      "et quart|et demie?|c'est (?:le|la) (?:mienne|sienne)",
    ],
  }),
  expectedAnswer,
  remainder: remainderBy(
    {
      named: /(?:numéro|\bcode\b)/iu,
      telephone: { named: /(?:téléphone|portable|mobile|fax|joindre|rappeler)/iu, least: 10, whole: 10 },
      card: /(?:carte)/iu,
      short: /(?:chambre|étage|table|place|\bpin\b|nombre|combien|derniers? \S+ chiffres|date de naissance)/iu,
      digits: "zéro un deux trois quatre cinq six sept huit neuf",
    },
    expectedAnswer,
  ),
  speakable,
  keepsDot,
  timeNote: timeNoteIn("fr-FR", (date, time) => `(Nous sommes le ${date}, il est ${time}.)`),
  fillers: ["Un instant, s'il vous plaît.", "Je vérifie tout de suite."],
  excuse: "Désolé, je ne peux pas répondre à cela pour le moment.",
  rings: {
    timer: (label) => (label === "" ? "Votre minuteur a sonné." : `Votre minuteur a sonné : ${label}.`),
    reminder: (label) => `Je dois vous rappeler ceci : ${label}.`,
  },
  recording: {
    announced: "Cet appel est enregistré.",
    asked: "Cet appel peut-il être enregistré ?",
    refused: "Sans enregistrement, cet appel ne peut pas continuer. Au revoir.",
    mentioned: /(?<!\p{L})(?:enregistr\p{L}*)(?!\p{L})/u,
    unwanted:
      /(?<!\p{L})(?:(?:pas|arrêtez|arrêter|stoppez|effacez|supprimez|sans|plus)(?: [\p{L}']+){0,5} (?:l')?enregistr\p{L}*|enregistr\p{L}* (?:pas|plus))(?!\p{L})/u,
  },
  facts: {
    one: /(?<!\p{L})(?:une?|premi\p{L}+|moi|mon|ma|seule?)(?!\p{L})/iu,
    halfDays: { morning: ["heures du matin"], afternoon: ["heures du soir"], night: [] },
    named: namedBy({
      noon: "midi",
      midnight: "minuit",
      half: "demie?",
      quarter: "quarts?",
      two: "les deux",
      period: "une (?:heure|semaine|année)|un (?:jour|mois|an)",
    }),
    vagueNumbers: /(?<!\p{L})(?:douzaine|double|comme d'habitude|ma (?:femme|famille)|mon mari)(?!\p{L})/iu,
    vagueDays:
      /(?<!\p{L})(?:semaine|mois|année|week-end|ce soir|maintenant|bientôt|noël|pâques|anniversaire|comme d'habitude)(?!\p{L})/iu,
    asks: asksBy(
      "est-ce|as-tu|avez-vous|est|sont|c'est|était|quand|quel(?:le)?s?|pourquoi|comment|qui|où|combien|qu'est-ce",
      "et|mais|alors|donc|euh|bon|ok|pardon",
    ),
    claims: [
      /(?<!\p{L})(?:j'ai|nous avons|on a|a été|ont été|est|sont)(?: (?:bien|déjà|maintenant))? (?<verb>\p{L}+(?:é|és|ée|ées|is|ise|it|ite|u|ue))(?!\p{L})/iu,
    ],
    promises: [],
    agrees: agreesBy(
      "oui|ouais|d'accord|exactement|c'est ça|c'est bien ça|c'est correct|c'est bon|tout à fait|bien sûr|parfait|ok|okay|correct|allez y|faites le",
      "s'il vous plaît|s'il te plaît|merci|très|bien|euh|voilà|donc",
    ),
    refuses: refusesBy(
      "non|jamais|pas|surtout pas|plutôt pas",
      "plutôt pas|ne pas enregistrer|pas d'enregistrement|sans enregistrement|je ne veux pas|je refuse|pas d'accord|je préfère pas|je ne préfère pas|je préfère que non",
    ),
    corrects: refusesBy(
      "non|attendez|attends|pardon|désolée?|en fait|plutôt|je veux dire|je voulais dire",
      "plutôt|je veux dire|je voulais dire|en fait|mettez|mets",
    ),
    atTime: standAlone("à|heures?|vers|dès"),
    excludes: standAlone("pas|sauf|sans|seulement|ou|ni"),
    joins: standAlone("et|aussi|puis"),
    reports: standAlone("(?:est|sont) (?:maintenant|désormais)|(?:a|ont) (?:bien )?été"),
    readBack: (act, values) => (values === "" ? `${act}. Dois-je le faire ?` : `${act} : ${values}. Est-ce exact ?`),
    ask: (labels) => `Pouvez-vous me dire : ${listed("fr", labels)} ?`,
    notDone: "Désolé, ce n'est pas encore fait.",
    yes: "oui",
    no: "non",
  },
};
