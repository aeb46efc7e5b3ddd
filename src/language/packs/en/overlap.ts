import { overlapWords } from "../../overlap-words.ts";

export const overlap = overlapWords({
  backchannels: `mm mhm mmhmm hm hmm hmmm mmm uh huh uhhuh um ah aha oh ooh yeah yep yup ya yes okay ok kay right sure good
    great nice cool fine well wow really exactly absolutely definitely indeed alright understood gotcha true interesting
    perfect thanks`,
  backchannelPhrases: `i see|got it|of course|all right|sounds good|thank you|very good|oh my|no problem|no way|i know|
    makes sense|that's right|that's good|that's great|that's true|that's fine|that's nice|that is right|that is good|
    that is great|that is true|that is fine|that is nice`,
  functionWords: `a an the i i'm i'd i'll it it's its is am are was be been you you're your he she we they them that this
    these of to in on at for and or but so if as with by from do does did can could will would have has had my me us our er
    eh`,
  commands: "stop wait no cancel quiet hold enough pause nope hey shush",
  commandPhrases: "",
});
