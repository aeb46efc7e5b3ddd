import { agreesBy, asksBy, listed, namedBy, refusesBy, standAlone } from "../../facts.ts";
import type { Language } from "../../language.ts";
import { timeNoteIn } from "../../time-note.ts";
import { asksFor, expectedAnswer, remainder } from "./expectation.ts";
import { keepsDot } from "./kept-dots.ts";
import { overlap } from "./overlap.ts";
import { canonicalSpellingOfWords } from "./spelled-words.ts";
import { speakable } from "./speakable.ts";
import { soundsUnfinished } from "./unfinished.ts";

export const english: Language = {
  code: "en",
  overlap,
  hasSentenceEndOdds: true,
  isUnfinished: soundsUnfinished,
  expectedAnswer,
  remainder,
  asksFor,
  spelled: canonicalSpellingOfWords,
  speakable,
  keepsDot,
  // The starter language model was trained on this form.
  timeNote: timeNoteIn("en-US", (date, time) => `(It is ${date}, ${time}.)`),
  fillers: ["One moment, please.", "Let me check that for you."],
  excuse: "Sorry, I cannot answer that right now.",
  rings: {
    timer: (label) => (label === "" ? "Your timer is done." : `Your timer is done: ${label}.`),
    reminder: (label) => `I am to remind you: ${label}.`,
  },
  recording: {
    announced: "This call is recorded.",
    asked: "May this call be recorded?",
    refused: "Without a recording this call cannot go on. Goodbye.",
    mentioned: /(?<!\p{L})(?:record(?:ed|ing|ings)?|tap(?:e|ed|ing))(?!\p{L})/u,
    unwanted:
      /(?<!\p{L})(?:(?:stop|quit|end|delete|erase|remove|don't|do not|not|no longer|never|without|no|withdraw|turn off|switch off)(?: [\p{L}']+){0,5} (?:record(?:ed|ing|ings)?|tap(?:e|ed|ing))|(?:record(?:ing|ings)?)(?: [\p{L}']+){0,3} (?:off|stopped|deleted|erased))(?!\p{L})/u,
  },
  facts: {
    one: /\b(?:an?|one|once|single|me|my|myself|alone|first)\b/iu,
    halfDays: {
      morning: ["in the morning", "am", "a m"],
      afternoon: ["in the afternoon", "in the evening", "pm", "p m"],
      night: ["at night", "tonight"],
    },
    named: namedBy({
      noon: "noon|midday",
      midnight: "midnight",
      half: "half",
      quarter: "quarters?",
      two: "both|pair|twice",
      period: "an? (?:hour|day|week|month|year)",
    }),
    vagueNumbers:
      /(?<!\p{L})(?:dozens?|couple|double|triple|same|usual|my (?:wife|husband|partner|friend|family))(?!\p{L})/iu,
    vagueDays: /\b(?:weekend|week|month|year|tonight|now|soon|later|christmas|easter|birthday|same|usual)\b/iu,
    asks: asksBy(
      "did|does|have you|has|had you|is|are|was|were|when|what(?! about)|which|why|how(?! about)|who|whose|where",
      "so|and|but|well|um|uh|oh|okay|ok|wait|sorry",
    ),
    claims: [
      /\bI(?:'ve| have)? (?:just |now |already |also |successfully )*(?<verb>(?!need|want|like|mention|understand)\w+(?:ed|t|ade|ent|oved))\b/iu,
      /\b(?:has|have) (?:now |just |already |also |successfully )*been (?:successfully |now )?(?<verb>\w+)\b/iu,
      /\b(?:is|are) (?:now |all |already |successfully )*(?<verb>\w+ed|set|sent)\b/iu,
    ],
    ownAct: {
      begins: /(?<!\p{L})I(?=['’\s]|$)/u,
      report:
        /(?<!\p{L})I(?:['’]ve| have)? (?:just |now |already |also |successfully )*(?:booked|reserved|cancell?ed|ordered|(?:re)?scheduled|transferred|set|sent|turned (?:on|off|up|down)|switched|moved|changed|updated|added|removed|deleted|placed|arranged|notified|forwarded)(?!\p{L})/iu,
      words: 4,
    },
    promises: [
      /\b(?:I'll|I will|I'm going to|I am going to|let me|I can)(?: (?:now|just|gladly|go ahead and|help you(?: to)?))* (?<verb>\w+)\b(?![^.!?]*\?)/iu,
    ],
    agrees: agreesBy(
      `yes|yeah|yep|yup|ya|sure|ok|okay|right|correct|exactly|absolutely|definitely|fine|perfect|go ahead|do it|do that|please do|
      that's right|that is right|that's correct|that is correct|that's fine|sounds good|all right|alright|of course|i do|it is|i am sure|i'm sure`,
      "please|thanks|thank you|great|good|very|oh|um|uh|well|mm|hmm|and|it|that|you can|quite",
    ),
    refuses: refusesBy(
      "no|nope|nah|never|not|rather not|i would rather not|i'd rather not|i don't|i do not|don't|do not|please don't|please do not|i refuse|absolutely not|certainly not",
      "rather not|don't record|do not record|not record|without (?:a |the )?recording|no recording|don't want|do not want|not okay|not ok|not agree|don't agree|don't consent|do not consent|refuse",
    ),
    corrects: refusesBy(
      "no|nope|wait|sorry|actually|rather|i mean|i meant|i said|make (?:it|that)|change (?:it|that)",
      "make it|make that|instead|i meant|i mean|rather",
    ),
    atTime: standAlone("at|by|from|around|o'clock|half past|past|am|pm"),
    excludes: standAlone("not|except|but|without|only|or|neither|nor|than|instead|unless|n't|don't|do not"),
    joins: standAlone("and|also|plus|then"),
    reports: standAlone(
      "(?<!already )(?:(?:is|are) now|now (?:is|are)|(?:has|have) (?:now |just )?been|(?:is|are) (?:on|off|set))(?! already)",
    ),
    readBack: (act, values) => (values === "" ? `${act}. Shall I do that?` : `${act}: ${values}. Is that right?`),
    ask: (labels) => `Could you please tell me the ${listed("en", labels)}?`,
    notDone: "Sorry, I have not done that yet.",
    yes: "yes",
    no: "no",
  },
};
