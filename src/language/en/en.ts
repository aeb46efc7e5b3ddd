import type { Language } from "../language.ts";
import { timeNoteIn } from "../time-note.ts";
import { asksFor, expectedAnswer } from "./expectation.ts";
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
};
