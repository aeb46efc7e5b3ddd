import { expect, test } from "vitest";
import { languageOf } from "../../src/language/packs/languages.ts";
import { wordsOf } from "../../src/language/words.ts";

const LANGUAGES = {
  en: {
    yes: ["yes", "Yes, please.", "sure, go ahead", "that's fine", "okay"],
    no: ["no", "No, thank you.", "nope", "I'd rather not.", "Please don't record this.", "no, and I want a room"],
    other: ["What is the weather?", "yesterday I called you", "yes but who are you exactly", "not at the moment maybe later who knows" ],
    unwanted: ["please stop recording", "I don't want to be recorded", "delete the recording", "turn the recording off", "stop taping me"],
    wanted: ["my records are wrong", "is this call recorded", "play some recorded music", "stop the music", "the recording was nice"],
  },
  de: {
    yes: ["ja", "Ja, bitte.", "in Ordnung", "gerne"],
    no: ["nein", "Nein, danke.", "lieber nicht", "bitte nicht aufzeichnen"],
    other: ["Wie spät ist es?", "ja aber wer sind Sie denn"],
    unwanted: ["bitte nicht aufzeichnen", "ich möchte keine Aufzeichnung", "bitte die Aufnahme löschen", "Aufzeichnung bitte stoppen"],
    wanted: ["wird das aufgezeichnet", "die Aufnahme im Krankenhaus ist morgen"],
  },
  es: { yes: ["sí"], no: ["no", "prefiero que no"], other: ["¿qué hora es?"], unwanted: ["no quiero que me graben", "no grabe esto"], wanted: ["quiero grabar un disco"] },
  fr: { yes: ["oui"], no: ["non", "je ne veux pas"], other: ["quelle heure est-il"], unwanted: ["arrêtez l'enregistrement", "je ne veux pas être enregistré"], wanted: ["c'est enregistré"] },
  it: { yes: ["sì"], no: ["no", "meglio di no"], other: ["che ore sono"], unwanted: ["non voglio essere registrato"], wanted: ["la registrazione alla scuola"] },
  pt: { yes: ["sim"], no: ["não", "prefiro que não"], other: ["que horas são"], unwanted: ["não quero que gravem", "pare de gravar"], wanted: ["quero gravar um disco"] },
  nl: { yes: ["ja"], no: ["nee", "liever niet"], other: ["hoe laat is het"], unwanted: ["ik wil geen opname", "niet opnemen alstublieft"], wanted: ["de opname is morgen"] },
} as const; // prettier-ignore

test.each(Object.entries(LANGUAGES))("%s knows a yes, a no and words against a recording", (code, sentences) => {
  const { facts, recording } = languageOf(code);
  const isUnwanted = (said: string) => recording.unwanted.test(wordsOf(said).join(" "));
  expect(sentences.yes.filter((said) => !facts.agrees(said) || facts.refuses(said))).toEqual([]);
  expect(sentences.no.filter((said) => !facts.refuses(said))).toEqual([]);
  expect(sentences.other.filter((said) => facts.agrees(said))).toEqual([]);
  expect(sentences.unwanted.filter((said) => !isUnwanted(said))).toEqual([]);
  expect(sentences.wanted.filter((said) => isUnwanted(said))).toEqual([]);
  expect(sentences.unwanted.filter((said) => !recording.mentioned.test(wordsOf(said).join(" ")))).toEqual([]);
});
