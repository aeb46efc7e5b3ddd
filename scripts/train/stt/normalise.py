"""Text to training target: lower case, words and apostrophes only, numbers in words."""

import re
import unicodedata

ONES = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen").split()
TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDINAL_ENDINGS = {"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth",
                   "nine": "ninth", "twelve": "twelfth"}
WORD_FORMS = {"ok": "okay", "mr": "mister", "mrs": "missus", "dr": "doctor", "etc": "et cetera", "vs": "versus",
              "st": "street", "ave": "avenue", "pls": "please", "thx": "thanks", "u": "you"}
# Input of the synthesisers that makes them spell the letters, by target word.
SPOKEN_FORMS = {"pm": "pee em", "tv": "tee vee", "wifi": "why fie", "id": "eye dee", "am_time": "ay em",
                "dj": "dee jay", "ac": "ay see", "atm": "ay tee em", "usa": "you ess ay", "uk": "you kay",
                "mph": "em pee aitch", "cd": "see dee", "dvd": "dee vee dee", "vip": "vee eye pee"}
SYMBOLS = {"%": " percent ", "&": " and ", "+": " plus ", "°": " degrees ", "@": " at ", "=": " equals "}


def number_words(value: int) -> str:
    """Cardinal in words, without 'and': 142 -> 'one hundred forty two'."""
    if value < 20:
        return ONES[value]
    if value < 100:
        return TENS[value // 10] + (" " + ONES[value % 10] if value % 10 else "")
    for scale, name in ((10**9, "billion"), (10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if value >= scale:
            rest = " " + number_words(value % scale) if value % scale else ""
            return f"{number_words(value // scale)} {name}{rest}"
    raise AssertionError(value)


def ordinal_words(value: int) -> str:
    words = number_words(value).split()
    last = words[-1]
    words[-1] = ORDINAL_ENDINGS.get(last, last[:-1] + "ieth" if last.endswith("y") else last + "th")
    return " ".join(words)


def year_words(value: int) -> str:
    high, low = divmod(value, 100)
    if 2000 <= value < 2010 or low == 0 and value % 1000 == 0:
        return number_words(value)
    tail = "hundred" if low == 0 else ("oh " + ONES[low] if low < 10 else number_words(low))
    return f"{number_words(high)} {tail}"


def clock_words(hour: int, minute: int) -> str:
    if minute == 0:
        return number_words(hour)
    return f"{number_words(hour)} {'oh ' if minute < 10 else ''}{number_words(minute)}"


def _clock(match: re.Match) -> str:
    return f" {clock_words(int(match[1]), int(match[2]))} "


def _money(match: re.Match) -> str:
    unit = {"$": "dollar", "£": "pound", "€": "euro"}[match[1]]
    whole, cents = int(match[2].replace(",", "")), int(match[3] or 0)
    text = f" {number_words(whole)} {unit}{'' if whole == 1 else 's'} "
    return text + (f"{number_words(cents)} " if cents else "")


def _number(match: re.Match) -> str:
    digits = match[0].replace(",", "")
    if len(digits) > 9 or (digits.startswith("0") and len(digits) > 1):
        return " " + " ".join("oh" if d == "0" else ONES[int(d)] for d in digits) + " "
    value = int(digits)
    return f" {year_words(value) if 1100 <= value <= 2099 and ',' not in match[0] else number_words(value)} "


def normalise(text: str) -> str | None:
    """The target text, or None when something in it has no certain reading."""
    text = unicodedata.normalize("NFKC", text).replace("’", "'").replace("‘", "'")
    text = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c)).lower()
    for symbol, word in SYMBOLS.items():
        text = text.replace(symbol, word)
    text = re.sub(r"\b([ap])\.\s?m\b\.?", r"\1m", text)
    text = re.sub(r"(?<=\d)\s?o'clock", " o'clock", text)
    text = re.sub(r"([$£€])(\d[\d,]*)(?:\.(\d\d))?\b", _money, text)
    text = re.sub(r"\b(\d{1,2})[:.](\d\d)(?=\s?[ap]m\b|\b)", _clock, text)
    text = re.sub(r"\b(\d{1,3})(?:st|nd|rd|th)\b", lambda m: f" {ordinal_words(int(m[1]))} ", text)
    text = re.sub(r"(\d)(?=[ap]m\b)", r"\1 ", text)
    if re.search(r"\d[/-]\d|\d\.\d", text):
        return None
    text = re.sub(r"\d[\d,]*\d|\d", _number, text)
    text = re.sub(r"[^a-z' ]", " ", text)
    text = re.sub(r"(?<![a-z])'|'(?![a-z])", " ", text)
    words = [WORD_FORMS.get(word, word) for word in text.split()]
    if any(re.search(r"(.)\1\1", word) or len(word) > 18 for word in words):
        return None
    return " ".join(words) or None


def spoken_words(target: str) -> list[str]:
    """The input of a synthesiser for each word of a target text."""
    words = target.split()
    after_time = [False] + [word in CLOCK_WORDS for word in words]
    forms = ["am_time" if word == "am" and after else word for word, after in zip(words, after_time, strict=False)]
    return [SPOKEN_FORMS.get(form, form) for form in forms]


def spoken(words: list[str], question: bool) -> str:
    """The input of a synthesiser for these spoken words. Each begins at its place in the words joined by spaces."""
    return " ".join(words).replace("mm hmm", "mm-hmm").replace("uh huh", "uh-huh") + ("?" if question else ".")


CLOCK_WORDS = set(ONES) | set(TENS)
