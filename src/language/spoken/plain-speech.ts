import { plainText } from "./plain-text.ts";
import { pauses, tidy, untilStable } from "./tidy-speech.ts";

/** Text without anything that only the eye reads. Digits and the signs that go with them stay: the voice reads them. */
export const speakablePlain = untilStable((text) => {
  const plain = plainText(text, (address) => address.replace(/[./_]/g, " "));
  const spoken = tidy(
    pauses(plain.replace(/(?<=\p{Nd}) ?– ?(?=\p{Nd})/gu, "-")).replace(
      /[^\p{L}\p{M}\p{Nd}%€$£¥°+=&@',.?!;:\- ]/gu,
      " ",
    ),
  );
  return /[\p{L}\p{Nd}]/u.test(spoken) ? spoken : "";
});
