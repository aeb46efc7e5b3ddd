import { expect, test } from "vitest";
import { languageOf } from "../../src/language/packs/languages.ts";

test.each([
  ["en", "no, nineteen", true],
  ["en", "Wait, at eight.", true],
  ["en", "um no the study", true],
  ["en", "can you make it nine minutes", true],
  ["en", "for six people instead", true],
  ["en", "nineteen please", false],
  ["en", "is there a note for me", false],
  ["en", "i know the time", false],
  ["de", "nein, neunzehn", true],
  ["de", "Moment, um acht.", true],
  ["de", "lieber um acht", true],
  ["de", "neunzehn bitte", false],
  ["fr", "non, dix-neuf", true],
  ["fr", "attendez, à huit heures", true],
  ["fr", "plutôt à huit heures", true],
  ["fr", "dix-neuf s'il vous plaît", false],
  ["es", "no, diecinueve", true],
  ["es", "espere, a las ocho", true],
  ["es", "mejor a las ocho", true],
  ["es", "diecinueve, por favor", false],
  ["it", "no, diciannove", true],
  ["it", "aspetti, alle otto", true],
  ["it", "anzi alle otto", true],
  ["it", "diciannove, per favore", false],
  ["nl", "nee, negentien", true],
  ["nl", "wacht, om acht uur", true],
  ["nl", "liever om acht uur", true],
  ["nl", "negentien alstublieft", false],
  ["pt", "não, dezenove", true],
  ["pt", "espere, às oito", true],
  ["pt", "aliás às oito", true],
  ["pt", "dezenove, por favor", false],
])("in %s %j is a correction: %j", (code, words, isCorrection) => {
  expect(languageOf(code).facts.corrects(words)).toBe(isCorrection);
});

test.each([
  ["en", "wait no at eight"],
  ["de", "nein um acht"],
  ["fr", "non à huit heures"],
  ["es", "no a las ocho"],
  ["it", "no alle otto"],
  ["it", "no all'una"],
  ["nl", "nee om acht"],
  ["pt", "não às oito"],
])("%s: %j says a time", (code, words) => {
  expect(languageOf(code).facts.atTime.test(words)).toBe(true);
});
