import { tokensOf } from "../../words.ts";

/*
 * English only: the word lists that say whether a phrase can end where it ends. Only the words of the last clause count,
 * because a recogniser may write no punctuation and no capitals, or a full stop after every pause.
 */

/** `open`: more words must follow. `whole`: complete, although its last word may look open. `unknown`: no rule applies. */
export type Ending = "open" | "whole" | "unknown";

/** Bounds the time that the patterns take. */
const LONGEST_TEXT = 200;

const anyOf = (list: string): string => `(?:${list.trim().split(/\s+/).join("|")})`;
const patterns = (...sources: string[]): RegExp =>
  new RegExp(sources.map((source) => `(?<![\\w'])(?:${source})$`).join("|"));

const ASKING = anyOf("what who whom which where when why how");
const DETERMINER = anyOf("a an the my your our his her their its this that any some no every each");
const NUMBER =
  anyOf(`\\d[\\d.,:]* zero oh one two three four five six seven eight nine ten eleven twelve thirteen fourteen
  fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand`);
const BE = anyOf("is are was were");
const AUXILIARY = anyOf("do does did can could should would will have has had must may might shall");
const SUBJECT = anyOf("i we they he she");
const PRONOUN = anyOf("i you we they he she it");
const ADVERB = anyOf("in on off out up down over back by away around through forward ahead");
const OPENER = anyOf(
  "please hello hi hey yes yeah no also okay ok so well and but then now just actually sorry thanks",
);
const REQUEST = `(?:${OPENER} |(?:can|could|would|will) you |i(?:'d| would) like (?:you )?to |i (?:want|need) (?:you )?to )*`;
const NOUN = `(?: (?!(?:and|but|or|so|if|when|because|to|in|on|for|with|at|of|${PRONOUN}) )[\\w']+){1,2}`;

/** "Plan A", "vitamin A", "gate 12 A", a spelled "B A", "to the ER". */
const NAME = patterns(
  `${anyOf(`plan terminal vitamin gate option group section room platform letter type hepatitis unit apartment building
    bldg row seat class zone team grade list exhibit level block tower wing part phase answer choice door track lane pier
    usb an [b-hj-z] [a-z]+\\d\\w*`)}(?: ${NUMBER})* a`,
  "(?:^|to |in |at |from )the er",
);

/** Short phrases that statistics take for beginnings. */
const COMPLETE = patterns(
  // "come in", "turn it on", "let the dog out"
  `^(?:${OPENER} |can (?:you|i) |could you )*(?:${anyOf(`come go get move carry hold hang keep log sign check sit stand slow
    calm wake shut hurry look start stop drop head`)}(?: me| us)?|${anyOf(`turn switch put let leave count plug take bring
    call write look read pick find start wake log sign check think`)}(?: ${anyOf("it that this them him her me us")}| the [\\w']+)) ${ADVERB}`,
  `^(?:${OPENER} )*(?:a|i know|i see|(?:i|you|he|she|we|they) did|i'm ${anyOf(`done sorry lost fine ready here in back good okay
    sick tired hungry home late`)}|i changed my mind|never mind|not (?:yet|really|very)|(?:no|one) more|help me|so (?:what|on|so)|even so|how (?:so|come)|(?:since|until|say) when|as usual|(?:each|the) other|just because|(?:it's|that's) ${anyOf(
    "his hers mine yours ours theirs it that",
  )}|(?:if|when|whenever) you (?:want|need|like|can|would)(?: to)?|(?:so|neither) (?:do|am|can|have|did) i|where am i|may i|shall we|(?:what|where|who) (?:for|to|from|with)|(?:like|as) before|(?:i'd|i would) love to)`,
);

const OPEN = patterns(
  // No sentence ends in these.
  anyOf(`a an the my your our their its every whose and or but nor if than although unless whereas whether until because
    per via during among amid er um uh erm very extremely mr mrs ms mister
    i'm i've i'll i'd you're you've you'll you'd we're we've we'll we'd they're they've they'll they'd he's he'll he'd she's
    she'll she'd it's it'll that's that'll there's here's what's who's where's how's when's im ive youre theyre thats
    theres hes shes`),
  // "where is", "what do you", "how windy is", "what I want is"
  `${ASKING}(?: else)? (?:${BE}|am|${AUXILIARY}(?: ${PRONOUN})?)`,
  `(?:how|what|which) (?!${DETERMINER} |${PRONOUN} |${ASKING} )[\\w']+ ${BE}`,
  `(?:want|need|meant?|asked|wanted|needed) (?:is|was)`,
  // "can you", "I would like", "I was wondering", "please call", "could you tell me"
  `^(?:${OPENER} )*(?:can|could|would|will|do) (?:i|you|we)(?: please)?`,
  `^(?:${OPENER} )*i(?:'d|'ll| would| will)?(?: really| just| also)*(?: like| want| need| wanted| rather)(?: you)?`,
  `(?:^(?:${OPENER} )*i was|(?<!what )i was (?:wondering|hoping|looking|going))`,
  `^${REQUEST}${anyOf(`call tell give show send set add find bring remind let put make ask buy read dial schedule turn need
    want transfer`)}`,
  `^${REQUEST}${anyOf("tell give show send find bring remind let make buy read get book order reserve play grab")} me`,
  // "half past", "two plus", "set a timer for twenty"
  `(?:half|minutes) past|${NUMBER} (?:plus|minus|point)|is(?: ${NUMBER})+ times|remind me in ${NUMBER}|every ${NUMBER}`,
  // "To" and "for", as a recogniser may write them.
  `(?:remind me|going|able|trying) two|timer four`,
  `(?:timer|countdown) for (?:(?:${NUMBER}|and|an?|hours?|minutes?) )*${NUMBER}`,
  // The question word is not an object here: "what is the weather in", "how long does it take to".
  `(?:what|how|when|where|who)(?:'s| is| are| was| were) ${DETERMINER}(?: [\\w']+)+ (?:of|in|for|between)`,
  `(?:what|how|when)(?:'s| is| are| was| were) ${DETERMINER}(?: [\\w']+)* (?!set |\\w+ing |\\w+ed )[\\w']+ to`,
  `what(?:'s| is) ${DETERMINER}(?: [\\w']+)+ with|(?:what|how) about|how (?:long|much|far) .*to`,
  `(?:what|which|some|any|a|the|this|that) (?:kind|sort|type)s? of`,
);

const PREPOSITION = patterns(
  anyOf("of at for from to with without about into onto upon by as towards toward against between"),
);
/** The object of the last word came earlier: "where are you from", "the one I want", "a place to stay in". */
const OBJECT_BEFORE = new RegExp(
  `\\b${anyOf("what who whom which where whereabouts whatever whoever whichever wherever")}\\b|\\bhow (?:long|many|much|old)\\b|` +
    `\\bwhen\\b.* by$|\\b(?:all|ones?|else|\\w*(?:thing|body|where)|(?:the|an?|any|some|my|your|only|first|last)${NOUN})` +
    `(?: that)? (?:${PRONOUN}|i'm|im|i've|i'd|i'll|you're|we're|they're|he's|she's|it's)\\b|` +
    `\\b(?:\\w*(?:thing|body|where)|someone|anyone|one|lot|people|person|places?|(?:an?|some|any|no|enough|more|another)(?: [\\w']+){1,2}) to \\w+(?: up| out)? \\w+$`,
);
/** "Taken care of", "stop by", "worth thinking about". */
const NEEDS_NO_OBJECT = patterns(
  `(?:(?:care|heard|think|kind|sort) of|done with|paid for|dealt with|accounted for|(?:looked|broken) into|spoken to|agreed upon|in between|all about|just about|(?:go|do|manage) without|(?:ten|quarter) to)`,
  `${anyOf("close near stop come came drop swing pass passing passed go goes going went stand get getting")} by`,
  `(?:worth|bears?|needs?|requires?) \\w+ing \\w+`,
);
/** "If you want to", "no, I don't have to". */
const ELLIPSIS = patterns(
  `${anyOf("love like want wants wanted used have has had need going able supposed allowed happy glad meant ought wish")} to`,
);
const ELLIPSIS_CONTEXT =
  /^(?:yes|yeah|sure|no|nope|okay|of course|do|does|did|am|are|is)\b|\b(?:not|never|if|unless|whenever|as|than|whether|\w+n't)\b|(?:love|happy|glad|used) to$/;

/** Open where no object came earlier: "I live in", "a table on", "it looks like", "can I have". */
const WITHOUT_OBJECT = patterns(
  `(?:interested|lives?|lived|living|located|born|based|believe|arrive|arriving|stay|staying|remind me|wake me up) in`,
  `^(?!.*\\b(?:let|bring|put|take|get|check|log|sign|plug|push|keep|fill|send|drop|hand|invite|turn)\\b).*\\b${DETERMINER} [\\w']+ in`,
  `(?:depends?|depending|based|insist|concentrate|focus|rely|spend|spent|working|remind me|appointment|meeting|flight|reservation|arriving|leaving|information|details|located|advice|call me) on`,
  `(?:add|book|find|schedule|reserve|buy|rent|order|cancel) .*\\b${DETERMINER}(?: [\\w']+){1,2} on`,
  `(?!very|so|too|quite|pretty|come|is|it|that|really|get|here|anywhere|somewhere)[\\w']+ near`,
  `(?:(?:would|i'd|we'd)(?: really| also)?|sounds?|looks?|feels?|something|it's|is|was) like`,
  `(?:song|album|movie|film|book|artist|restaurant|place|show|game|hotel|list|city|it's|is|someone) (?:called|named)`,
  `(?:do (?:you|they|we)|(?:can|could|may) (?:i|we)(?: please)?|i'll|to) have|(?:i've|have|has|had) been`,
  `(?:will|would|to|should|must|that'll|it'll) be`,
);
const MAY_STAND_ALONE = /\b(?:how|when|why|if|as|than|never|ever|let|used to)\b/;

const BE_LAST = patterns(BE);
/** "Yes it is", "I know what it is". */
const BE_COMPLETE = new RegExp(
  `\\b${anyOf("if as than how when why think thought guess know knew hope hoped sure say said says believe bet suppose wish afraid glad")}\\b|\\b(?:${PRONOUN}|there) ${BE}$`,
);
const SUBJECT_LAST = patterns(`[\\w']+ ${SUBJECT}`);
/** "Is he", "isn't it", "so am I". */
const INVERTED = patterns(`(?:${BE}|am|${AUXILIARY}|\\w+n't|said|says|than|as|not) ${SUBJECT}`);

/** Judges by the last clause, at most 200 characters of it. A full stop after an open phrase changes nothing. */
export function englishEnding(text: string): Ending {
  const { clause, lastWord } = lastClause(text.slice(-LONGEST_TEXT));
  if (NAME.test(clause) || isAbbreviation(lastWord, clause, text) || COMPLETE.test(clause)) return "whole";
  if (OPEN.test(clause)) return "open";
  const hasObject = OBJECT_BEFORE.test(clause);
  if (PREPOSITION.test(clause)) {
    if (hasObject || NEEDS_NO_OBJECT.test(clause)) return "whole";
    return ELLIPSIS.test(clause) && ELLIPSIS_CONTEXT.test(clause) ? "unknown" : "open";
  }
  const isOpen =
    (WITHOUT_OBJECT.test(clause) && !hasObject && !MAY_STAND_ALONE.test(clause)) ||
    (BE_LAST.test(clause) && !hasObject && !BE_COMPLETE.test(clause)) ||
    (SUBJECT_LAST.test(clause) && !INVERTED.test(clause));
  return isOpen ? "open" : "unknown";
}

/** Lower case, without marks. Text before "and" is left out when three words or more follow. */
function lastClause(text: string): { readonly clause: string; readonly lastWord: string } {
  const sentences = text.trim().split(/(?<=[a-z0-9][.?!])\s+/i);
  const found = tokensOf(sentences.at(-1) ?? "");
  const clause = found
    .join(" ")
    .toLowerCase()
    .replace(/\b(what|where|who|how)s\b/g, "$1's")
    .replace(/.*\b(?:and|but|then) (?=\S+ \S+ \S)/, "");
  return { clause, lastWord: found.at(-1) ?? "" };
}

/** "The ER", "Portland, OR": capitals among words that are not. */
function isAbbreviation(lastWord: string, clause: string, text: string): boolean {
  return /^[A-Z]{1,3}$/.test(lastWord) && lastWord !== "I" && clause.includes(" ") && /[a-z]/.test(text);
}
