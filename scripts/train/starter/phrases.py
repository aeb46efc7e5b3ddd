"""From templates to text, and from text to what a speech recogniser would have written."""

import random
import re

ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
LONG_CARD = re.compile(r"\d[\d-]{6,}\d|\b0\d+")
CLOCK = re.compile(r"\b(\d{1,2})(?::(\d\d))?\s*([ap])\.?\s?m\b\.?", re.I)
CLOCK_24 = re.compile(r"\b(\d{1,2}):(\d\d)\b")
ORDINAL = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b", re.I)
MONEY = re.compile(r"\$\s?(\d[\d,]*)(?:\.(\d\d))?")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
SLOT_MARKS = re.compile("[\x01\x02]")


def number_words(value: int) -> str:
    if value < 20:
        return ONES[value]
    if value < 100:
        return TENS[value // 10] + (f" {ONES[value % 10]}" if value % 10 else "")
    for size, name in ((1_000_000, "million"), (1000, "thousand"), (100, "hundred")):
        if value >= size:
            rest = value % size
            return f"{number_words(value // size)} {name}" + (f" {number_words(rest)}" if rest else "")
    raise ValueError(value)


def ordinal_words(value: int) -> str:
    odd = {1: "first", 2: "second", 3: "third", 5: "fifth", 8: "eighth", 9: "ninth", 12: "twelfth"}
    if value in odd:
        return odd[value]
    if value < 20:
        return ONES[value] + "th"
    if value % 10 == 0:
        return TENS[value // 10][:-1] + "ieth"
    return f"{TENS[value // 10]} {ordinal_words(value % 10)}"


def clock_words(hour: int, minute: int) -> str:
    if minute == 0:
        return number_words(hour)
    return f"{number_words(hour)} {'oh ' if minute < 10 else ''}{number_words(minute)}"


def _money(match: re.Match[str]) -> str:
    dollars = number_words(int(match[1].replace(",", "")))
    cents = f" {number_words(int(match[2]))}" if match[2] and match[2] != "00" else " dollars"
    return dollars + cents


def _number(match: re.Match[str]) -> str:
    whole, _, decimals = match[0].replace(",", "").partition(".")
    value = int(whole)
    if 1900 < value < 2100 and not decimals:
        rest = number_words(value % 100) if value % 100 > 9 else ""
        if rest:
            return f"{number_words(value // 100)} {rest}"
    text = number_words(value) if value < 1_000_000_000 else " ".join(ONES[int(d)] for d in whole)
    return text + (" point " + " ".join(ONES[int(d)] for d in decimals) if decimals else "")


def spoken(text: str) -> str:
    """Digits, clock times and sums of money become the words a person would say; the rest stays."""
    text = MONEY.sub(_money, text)
    text = CLOCK.sub(lambda m: f"{clock_words(int(m[1]), int(m[2] or 0))} {m[3].upper()}M", text)
    text = CLOCK_24.sub(lambda m: clock_words(int(m[1]), int(m[2])), text)
    text = LONG_CARD.sub(lambda m: " ".join(ONES[int(d)] for d in m[0] if d.isdigit()), text)
    text = ORDINAL.sub(lambda m: ordinal_words(int(m[1])), text)
    text = re.sub(r"(?<=\d)\s?%", " percent", text)
    text = NUMBER.sub(_number, text)
    return re.sub(r"\s+", " ", text).strip()


COMMON = (
    "the a to for and of in it is that you i can on at with my please me this what be so do we one "
    "two four are there here or an if not no now some would like have get want just about by"
).split()
# Typical misspellings of a small recogniser: right sounds, wrong letters.
MISSPELT = (("ee", "ea"), ("ea", "ee"), ("e", "i"), ("i", "e"), ("a", "e"), ("o", "a"), ("u", "o"), ("c", "k"), ("s", "z"), ("t", "d"), ("d", "t"), ("b", "p"), ("ll", "l"), ("gh", ""), ("e", ""), ("h", ""))
FILLERS = ("um", "uh", "so", "okay so", "well", "hey", "yeah", "actually", "please")


def misspelt(random_: random.Random, word: str) -> str:
    fitting = [pair for pair in MISSPELT if pair[0] in word[1:]]
    if not fitting:
        return word
    right, wrong = random_.choice(fitting)
    place = random_.choice([m.start() for m in re.finditer(right, word) if m.start() > 0])
    return word[:place] + wrong + word[place + len(right) :]


def heard(random_: random.Random, text: str, noise: float = 0.12) -> str:
    """The text as recognised speech: lower case, no punctuation, now and then a wrong word or a misspelt one.

    Slot values arrive between \\x01 and \\x02 and are never disturbed, or copying would be taught wrong.
    """
    words = re.findall(r"\x01[^\x02]*\x02\S*|\S+", spoken(text))
    if random_.random() < noise and len(words) > 3:
        place = random_.randrange(len(words))
        if "\x01" not in words[place]:
            fate = random_.random()
            if fate < 0.4:
                del words[place]
            elif fate < 0.8:
                words[place] = random_.choice(COMMON)
            else:
                words.insert(place, random_.choice(FILLERS))
    if random_.random() < noise:
        place = random_.randrange(len(words))
        if "\x01" not in words[place] and len(words[place]) > 3:
            words[place] = misspelt(random_, words[place])
    if random_.random() < 0.06:
        words.insert(0, random_.choice(FILLERS))
    text = SLOT_MARKS.sub("", " ".join(words))
    style = random_.random()
    if style < 0.08:
        return text[:1].upper() + text[1:]
    text = re.sub(r"\b([AP])M\b", r"\1 M" if style < 0.5 else r"\1M", text).lower()
    text = text.replace("-", " ")
    text = re.sub(r"[^\w\s']" if style < 0.85 else r"[^\w\s]", "", text)
    return re.sub(r"\s+", " ", text).strip()


INNERMOST = re.compile(r"\[([^\[\]]*)\]")


def fill(random_: random.Random, template: str, **slots: str) -> str:
    """Expands `[a|b|]` choices (they nest) and `{slot}` names; slot values come out marked."""
    while "[" in template:
        template = INNERMOST.sub(lambda m: random_.choice(m[1].split("|")), template, count=1)
    text = re.sub(r"\{(\w+)\}", lambda m: f"\x01{slots[m[1]]}\x02", template)
    return re.sub(r"\s+", " ", text).strip()


def say(random_: random.Random, template: str, **slots: str) -> str:
    """An assistant's sentence: expanded, marks removed, first letters of sentences raised."""
    text = SLOT_MARKS.sub("", fill(random_, template, **slots))
    text = re.sub(r"\s+([.,?!])", r"\1", text)
    return re.sub(r"(^|[.?!] )([a-z])", lambda m: m[1] + m[2].upper(), text)
