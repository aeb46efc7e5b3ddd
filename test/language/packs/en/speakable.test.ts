import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cardinal, decimal, ordinal, year } from "../../../../src/language/packs/en/number-words.ts";
import { english } from "../../../../src/language/packs/en/en.ts";
import { neutral } from "../../../../src/language/language.ts";

const speakable = (text: string, language = "en"): string =>
  (language === "en" ? english : neutral(language)).speakable(text);

const onlySpeakable = /^[\p{L}\p{M}',.?!;:\- ]*$/u;

describe("number words", () => {
  it.each([
    ["0", "zero"],
    ["13", "thirteen"],
    ["40", "forty"],
    ["85", "eighty five"],
    ["100", "one hundred"],
    ["219", "two hundred nineteen"],
    ["1000", "one thousand"],
    ["1200013", "one million two hundred thousand thirteen"],
    ["007", "zero zero seven"],
    ["1234567890123456", "one two three four five six seven eight nine zero one two three four five six"],
  ])("cardinal %s", (digits, words) => expect(cardinal(digits)).toBe(words));

  it.each([
    ["1", "first"],
    ["12", "twelfth"],
    ["20", "twentieth"],
    ["23", "twenty third"],
    ["100", "one hundredth"],
  ])("ordinal %s", (digits, words) => expect(ordinal(digits)).toBe(words));

  it.each([
    ["1905", "nineteen oh five"],
    ["1900", "nineteen hundred"],
    ["2000", "two thousand"],
    ["2007", "two thousand seven"],
    ["2026", "twenty twenty six"],
  ])("year %s", (digits, words) => expect(year(digits)).toBe(words));

  it("decimal", () => expect(decimal("1,234.50")).toBe("one thousand two hundred thirty four point five zero"));
});

describe("speakable", () => {
  it.each([
    // money
    ["It is $12.50.", "It is twelve dollars and fifty cents."],
    ["$1 or €5", "one dollar or five euros"],
    ["£3.01, or 5 € more", "three pounds and one penny, or five euros more"],
    ["$1.5 million", "one point five million dollars"],
    ["about $2k", "about two thousand dollars"],
    ["$1,250", "one thousand two hundred fifty dollars"],
    ["$0.99", "ninety nine cents"],
    // numbers
    ["Up 3.5% to 1,200.", "Up three point five percent to one thousand two hundred."],
    ["the 2nd of May, the 4th of July 2026", "the second of May, the fourth of July, twenty twenty six"],
    [
      'a 5/8" pipe, a 24" screen, and he said "take 5"',
      "a five eighths inch pipe, a twenty four inch screen, and he said take five",
    ],
    ["AT&T, R&D, C# and F#", "A.T. and T, R and D, C sharp and F sharp"],
    [
      "2.5bn people, 2 tsp, 5 cc, 2 gtt prn",
      "two point five billion people, two teaspoons, five cubic centimeters, two drops as needed",
    ],
    ["10 Mbit/s, NPO", "ten megabits per second, nothing by mouth"],
    ["the 21st of 100", "the twenty first of one hundred"],
    ["-5°C outside", "minus five degrees Celsius outside"],
    ["5 km, 1 km", "five kilometers, one kilometer"],
    ["1/2 cup, 3/4 cup, 2/5", "one half cup, three quarters cup, two fifths"],
    ["1½ hours", "one and one half hours"],
    ["open 24/7", "open twenty four seven"],
    ["10-20 people", "ten to twenty people"],
    ["1990s music", "nineteen nineties music"],
    ["the 80s, 20s later", "the eighties, twenty seconds later"],
    ["version 1.2.3", "version one point two point three"],
    ["room B12", "room B twelve"],
    ["order 12345678", "order one two three four five six seven eight"],
    ["No. 5 and #7", "number five and number seven"],
    ["a 3x4 grid", "a three by four grid"],
    // times and dates
    ["at 7:30 pm", "at seven thirty p.m."],
    ["At 7:30 p.m. We close.", "At seven thirty p.m. We close."],
    ["at 7 p.m. we close", "at seven p.m. we close"],
    ["9:05", "nine oh five"],
    ["8:00 sharp", "eight o'clock sharp"],
    ["10am", "ten a.m."],
    ["On Nov 3, 2026 we", "On November third, twenty twenty six we"],
    ["Nov. 3", "November third"],
    ["2026-11-20", "November twentieth, twenty twenty six"],
    ["3 March 1999", "March third, nineteen ninety nine"],
    ["12/25/2026", "December twenty fifth, twenty twenty six"],
    ["In May 5 guests came.", "In May fifth guests came."],
    ["In 1984 it was", "In nineteen eighty four it was"],
    ["2019-2024", "twenty nineteen to twenty twenty four"],
    // telephone numbers
    ["Call 555-0199.", "Call five five five, zero one nine nine."],
    ["(555) 123-4567", "five five five, one two three, four five six seven"],
    ["+1 555 123 4567", "plus one, five five five, one two three, four five six seven"],
    // addresses
    ["Mail jo.doe@example.com.", "Mail jo dot doe at example dot com."],
    ["See https://www.example.com/help?x=1.", "See example dot com slash help."],
    ["Visit example.org!", "Visit example dot org!"],
    // abbreviations and acronyms
    ["Dr. Lee, Mr. Fox", "Doctor Lee, Mister Fox"],
    ["St. Mary on Main St.", "Saint Mary on Main Street"],
    ["fruit, e.g. apples, etc.", "fruit, for example, apples, et cetera."],
    ["the U.S. and the NHS", "the U.S. and the N.H.S."],
    ["NASA says STOP NOW", "nasa says stop now"],
    ["rock & roll", "rock and roll"],
    // marks for the eye
    ["**Sure!** Here is `one` _idea_:", "Sure! Here is one idea:"],
    ["# Title\n- first\n- second", "Title. first. second"],
    ["[the menu](https://x.io/menu)", "the menu"],
    ["Great 😀👍🏽 thanks 🇬🇧", "Great thanks"],
    ["Well… (maybe) — yes", "Well, maybe, yes"],
    ["don’t ‘quote’ me", "don't quote me"],
    ["Really?! Yes...", "Really? Yes,"],
    ["<b>bold</b> text", "bold text"],
    ["twenty-six", "twenty-six"],
    // letters one by one, with dots, because a voice says a single "a" as the article
    ["AI and the USA.", "A.I. and the U.S.A."],
    ["BA 24 is late", "B.A. twenty four is late"],
    ["the NHS, the NHS?", "the N.H.S, the N.H.S?"],
    ["The NHS Trust", "The N.H.S Trust"],
    ["Ask the U.S. Then we go.", "Ask the U.S. Then we go."],
    ["at 10am Monday", "at ten a.m Monday"],
    ["at ten AM", "at ten a.m."],
    ["I AM sure", "I am sure"],
    ["APIs, the NHS's and AI-based CDs", "A.P.I's, the N.H.S's and A.I-based C-D's"],
    ["a Ph.D. and a PhD", "a P.H.D. and a P.H.D."],
    ["Gate A12", "Gate A-twelve"],
    // ranges
    ["5-10%", "five to ten percent"],
    ["10%-20%", "ten to twenty percent"],
    ["2-3 kg", "two to three kilograms"],
    ["15-20°C", "fifteen to twenty degrees Celsius"],
    ["-5 - 10 °C", "minus five to ten degrees Celsius"],
    ["5‑10 min", "five to ten minutes"],
    ["7-9 pm", "seven to nine p.m."],
    ["9am-5pm", "nine a.m. to five p.m."],
    ["9 a.m. – 5 p.m. daily", "nine a.m. to five p.m. daily"],
    ["9:00-17:00", "nine o'clock to seventeen hundred"],
    ["7:30-8:00 pm", "seven thirty to eight p.m."],
    ["10-11:30 am", "ten to eleven thirty a.m."],
    ["$10-20", "ten to twenty dollars"],
    ["$100-$150", "one hundred to one hundred fifty dollars"],
    ["$5–$10", "five to ten dollars"],
    ["$1.50-$2", "one dollar and fifty cents to two dollars"],
    ["$5-10k", "five to ten thousand dollars"],
    ["It was $10 - 5 are left", "It was ten dollars, five are left"],
    ["June 3-5", "June third to fifth"],
    ["June 3–5, 2026", "June third to fifth, twenty twenty six"],
    ["3-5 June", "June third to fifth"],
    ["June 28-July 2", "June twenty eighth to July second"],
    ["Monday–Friday, 9–5", "Monday to Friday, nine to five"],
    ["28 June - 2 July, June 28 – July 2", "June twenty eighth to July second, June twenty eighth to July second"],
    ["$1.5-2 million", "one point five to two million dollars"],
    ["a 10-15-minute walk", "a ten to fifteen minute walk"],
    ["1990s-2000s", "nineteen nineties to two thousands"],
    // sums
    ["5 - 3 = 2", "five minus three equals two"],
    ["5 * 3 = 15", "five times three equals fifteen"],
    ["6 × 7 = 42", "six times seven equals forty two"],
    ["2x3 - 1 = 5", "two times three minus one equals five"],
    ["10 ÷ 2 = 5", "ten divided by two equals five"],
    ["$10 - $4 = $6", "ten dollars minus four dollars equals six dollars"],
    // toll-free numbers
    ["1-800-555-1234", "one, eight zero zero, five five five, one two three four"],
    ["1.800.555.1234", "one, eight zero zero, five five five, one two three four"],
    ["1 800 555 0199", "one, eight zero zero, five five five, zero one nine nine"],
    ["1 (800) 555-1234", "one, eight zero zero, five five five, one two three four"],
    // and more
    ["~5 or ~$7", "about five or about seven dollars"],
    ["~~5~~ 6", "five six"],
    ["Please call 911 now.", "Please call nine one one now."],
    ["call 112 or dial 999", "call one one two or dial nine nine nine"],
    ["call 250 people", "call two hundred fifty people"],
    ["Our Sr. Manager and Jr. Smith", "Our Senior Manager and Junior Smith"],
    ["Jr. Smith", "Junior Smith"],
    ["John Fox, Jr. Then", "John Fox, Junior. Then"],
    ["The Sr. Manager", "The Senior Manager"],
    ["John Fox Jr. Then we left.", "John Fox Junior. Then we left."],
    ["I said no. 5 people came.", "I said no. five people came."],
    ["room no. 5", "room number five"],
    ["6 ft. 2 tall", "six feet two tall"],
    ["On Fri. at noon, ext. 204", "On Friday at noon, extension two zero four"],
    ["Order no. 55", "Order number fifty five"],
    ["10 ÷ 2", "ten divided by two"],
    ["你好。再见！", "你好. 再见!"],
    ["", ""],
    ["🙂", ""],
    ["?!", ""],
  ])("%j -> %j", (text, spoken) => {
    expect(speakable(text)).toBe(spoken);
  });

  it.each([
    [
      "de",
      "**Gern!** Das sind 10-20 % von 1.200,50 € – um 12:30 Uhr 😀",
      "Gern! Das sind 10-20 % von 1.200,50 €, um 12:30 Uhr",
    ],
    ["de", "Es sind -5 °C, z.B. am NHS, Dr. May", "Es sind -5 °C, z.B. am NHS, Dr. May"],
    ["de", "3–5 Mal, siehe https://www.example.de/hilfe", "3-5 Mal, siehe example de hilfe"],
    ["fr", "L’hôtel (le « Lion ») : 5 $ ou 3,5 £ ?", "L'hôtel, le Lion: 5 $ ou 3,5 £?"],
    ["zh", "你好，今天天气很好。再见！价格：５％", "你好, 今天天气很好. 再见! 价格: 5%"],
    ["ja", "はい、１２：３０です。", "はい, 12:30です."],
    ["hi", "नमस्ते। आप कैसे हैं? १२ %", "नमस्ते. आप कैसे हैं? १२ %"],
    ["ar", "مرحبا، كيف حالك؟ نعم؛ شكرا", "مرحبا, كيف حالك? نعم; شكرا"],
    ["es", "🙂 %", ""],
  ])("%s: %j -> %j", (language, text, spoken) => {
    expect(speakable(text, language)).toBe(spoken);
    expect(speakable(spoken, language)).toBe(spoken);
  });

  const hostile = fc.array(
    fc.oneof(
      fc.constantFrom(
        ..."$ € % # * _ ` [ ] ( ) . , : ; - – — / @ ' 1 22 2026 7:30 pm p.m. Dr. St. No. e.g. U.S. NHS Nov May 3rd km °C .com http:// www. \n a A E.G s 's ~ × = no. Sr. Fri. ft. AM - 800 555 0199 。 ، 1.5 EG A12".split(
          " ",
        ),
        " ",
        "½",
        "👍🏽",
      ),
      fc.string({ unit: "grapheme", maxLength: 6 }),
      fc.string({ unit: "binary", maxLength: 6 }),
    ),
    { maxLength: 40 },
  );

  it("returns only letters, apostrophes, spaces and known marks, and does not change its own output", () => {
    fc.assert(
      fc.property(hostile, (pieces) => {
        const spoken = speakable(pieces.join(""));
        expect(spoken).toMatch(onlySpeakable);
        expect(speakable(spoken)).toBe(spoken);
      }),
      { numRuns: 1_000 },
    );
  });

  it("keeps digits and their signs in other languages, and does not change its own output", () => {
    fc.assert(
      fc.property(hostile, (pieces) => {
        const spoken = speakable(pieces.join(""), "de");
        expect(spoken).toMatch(/^[\p{L}\p{M}\p{Nd}%€$£¥°+=&@',.?!;:\- ]*$/u);
        expect(speakable(spoken, "de")).toBe(spoken);
      }),
      { numRuns: 1_000 },
    );
  });

  it("keeps every word of plain prose", () => {
    const word = fc.stringMatching(/^[a-z]{3,9}$/).filter((text) => !/^\d|^(?:etc|inc)$/.test(text));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), (words) => {
        expect(speakable(words.join(" "))).toBe(words.join(" "));
      }),
    );
  });

  it.each([
    "1,",
    "((",
    "[a](",
    "a.",
    "a@",
    "1-",
    "$",
    "* ",
    "\n- ",
    "<a ",
    "1:",
    "A.",
    "''",
    "http://a",
    "_a",
    "555-",
    "1-",
    "1 - ",
    "1*",
    "$1-",
    "1-800-",
    "1%-",
    "~",
    "A.a.",
    "A-",
    "NHS's ",
    "May 1-",
    "1am-",
    "Jr. ",
    "Xa",
    "no. 1 ",
    "。",
    "1=",
    "1 x 1",
    "call 911",
  ])("takes linear time for repeated %j", (piece) => {
    expect(speakable(piece.repeat(5_000))).toMatch(onlySpeakable);
    expect(speakable(piece.repeat(5_000), "de").length).toBeLessThanOrEqual(2 * 5_000 * piece.length);
  });
});
