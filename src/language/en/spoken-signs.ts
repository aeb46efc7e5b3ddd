const signNames: Record<string, string> = {
  "*": "times",
  "×": "times",
  x: "times",
  "÷": "divided by",
  "/": "divided by",
};
/** Between two numbers of a sum: an equals sign comes after them, with nothing but numbers and signs before it. */
const sumSign =
  /(?<=[\d)%] ?)(?:[*×x÷]|[-−–]|(?<= )\/(?= )) ?(?=\(?[$€£¥]?\d[\d.,()+*x×÷/ $€£¥%−–-]{0,60}= ?[-−(]?[$€£¥]?[\d?])/g;
const about = /(?<![~\p{L}\d])[~≈] ?(?=[$€£¥]?\d)/gu;

/** Signs that are Markdown or a range elsewhere: "5 * 3 = 15" -> "5 times 3 = 15", "~5" -> "about 5". */
export function spokenSigns(text: string): string {
  return text.replace(sumSign, (sign) => ` ${signNames[sign.trim()] ?? "minus"} `).replace(about, "about ");
}
