const SHORT: Readonly<Record<string, string>> = {
  "w/o": "without",
  "W/o": "Without",
  "c/o": "care of",
  "C/o": "care of",
};

/** Words that are written short with a slash or after a number: "w/o", "2nd fl.", "4★ hotel". */
export const shortenedWords = (text: string): string =>
  text
    .replace(/(?<![\p{L}\d/])[wWcC]\/o(?![\p{L}\d/])/gu, (short) => SHORT[short] ?? short)
    .replace(/(?<![\p{L}\d/])w\/(?: |(?=\d))/gu, "with ")
    .replace(/(?<![\p{L}\d.,])1 ?[x×](?= (?:daily|weekly|monthly|a|per|every)(?!\p{L}))/gu, "once")
    .replace(/(?<![\p{L}\d.,])1 ?[x×](?= \p{L})/gu, "one")
    .replace(/(?<=\d) ?[★⭐]\uFE0F?(?= (?:hotel|resort|inn|rating|review|property)(?!\p{L}))/gu, " star")
    .replace(/(?<=\d(?:st|nd|rd|th) )[fF]l(?:\.(?= ?[\p{Ll},;]))?(?!\p{L})/gu, "floor");
