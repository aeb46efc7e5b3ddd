/** The ten sentences of the Berlin Database of Emotional Speech, by the code in the file name. */
const SENTENCES: Readonly<Record<string, string>> = {
  a01: "Der Lappen liegt auf dem Eisschrank.",
  a02: "Das will sie am Mittwoch abgeben.",
  a04: "Heute abend könnte ich es ihm sagen.",
  a05: "Das schwarze Stück Papier befindet sich da oben neben dem Holzstück.",
  a07: "In sieben Stunden wird es soweit sein.",
  b01: "Was sind denn das für Tüten, die da unter dem Tisch stehen?",
  b02: "Sie haben es gerade hochgetragen und jetzt gehen sie wieder runter.",
  b03: "An den Wochenenden bin ich jetzt immer nach Hause gefahren und habe Agnes besucht.",
  b09: "Ich will das eben wegbringen und dann mit Karl was trinken gehen.",
  b10: "Die wird auf dem Platz sein, wo wir sie immer hinlegen.",
};
/** Speaker, sentence, emotion, version: "03a01Nc". */
const NAME = /^(\d\d)([ab]\d\d)[A-Z][a-z]$/u;

/** Speaker and sentence of a recording of this set, by its file name. */
export function berlinSentence(name: string): { readonly speaker: string; readonly text: string } | undefined {
  const [, speaker = "", code = ""] = NAME.exec(name) ?? [];
  const text = SENTENCES[code];
  return text === undefined ? undefined : { speaker, text };
}
