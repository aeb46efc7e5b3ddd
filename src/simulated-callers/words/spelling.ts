/** Words that are written in several ways. Each way is replaced by the last one. */
const SAME = new Map(
  [
    "ok okay",
    "mr mister",
    "mrs missus",
    "dr doctor",
    "gray grey",
    "plow plough",
    "programme program",
    "catalogue catalog",
    "dialogue dialog",
    "analogue analog",
    "defence defense",
    "offence offense",
    "pretence pretense",
    "licence license",
    "practise practice",
    "judgement judgment",
    "ageing aging",
    "jewellery jewelry",
    "marvellous marvelous",
    "sceptical skeptical",
    "mould mold",
    "smoulder smolder",
    "moustache mustache",
    "pyjamas pajamas",
  ].map((pair) => pair.split(" ") as [string, string]),
);

const OUR =
  /^(arm|behavi|cand|clam|col|discol|dishon|demean|endeav|fav|ferv|flav|harb|hon|hum|lab|misdemean|neighb|od|parl|ranc|rig|rum|sav|splend|succ|tum|unfav|val|vap|vig)our/u;
const TRE = /^(calib|cent|fib|lit|lust|meag|(?:centi|kilo|milli)?met|mit|sab|somb|spect|theat)re(?=s?$)/u;
const DOUBLED_L =
  /^(cancel|channel|counsel|dial|duel|equal|fuel|jewel|label|level|marvel|model|panel|pedal|quarrel|rival|shovel|signal|total|travel|tunnel)l(?=ed$|ing$|er$|ers$|or$|ors$)/u;
const ISE = /(?<=^\p{L}{4,})(i|y)s(?=e$|ed$|es$|ing$|er$|ers$|ation$|ations$)/u;

/** One spelling for British and American English. */
export const englishSpelling = (word: string): string =>
  SAME.get(word) ?? word.replace(OUR, "$1or").replace(TRE, "$1er").replace(DOUBLED_L, "$1").replace(ISE, "$1z");

/** The form without umlauts and ß that German allows. */
export const germanSpelling = (word: string): string =>
  word.replaceAll("ä", "ae").replaceAll("ö", "oe").replaceAll("ü", "ue").replaceAll("ß", "ss");
