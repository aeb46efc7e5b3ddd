import { numbered } from "./spoken-numbers.ts";
import { title } from "./spoken-words.ts";

const KEPT = new RegExp(
  String.raw`(?:^|[\s("'“‘])(?:M[rs]|Mrs|Dr|Prof|St|Sgt|Capt|Gen|Rev|Nos?|(?:${numbered}) no|Apt|Arts?|pp?|[Cc]h|[Vv]ol|Fig|para|Sec|vs?|approx|[Ee]\.g|[Ii]\.e|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|\p{Lu})$|${title}$`,
  "u",
);

export const keepsDot = (before: string): boolean => KEPT.test(before);
