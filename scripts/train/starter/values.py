"""Random values that must be copied: names, places, times, numbers. Invented names included."""

import random
from pathlib import Path

from phrases import clock_words, number_words, ordinal_words

NAMES = Path(__file__).parents[1] / "names"
FIRST, LAST = ((NAMES / f"{kind}.txt").read_text("utf-8").split() for kind in ("first", "last"))
CITIES = """London Paris Berlin Madrid Rome Vienna Dublin Lisbon Oslo Boston Chicago Denver Seattle Portland Austin
Dallas Houston Phoenix Atlanta Miami Oakland Sacramento Toronto Vancouver Sydney Melbourne Tokyo Delhi Cairo Nairobi
Springfield Riverside Fairfield Greenville Bristol Leeds York Hamburg Munich Zurich Geneva Milan Prague Athens""".split()
STREETS = """Maple Oak Elm Park Main River Hill Church Mill Lake Cedar Pine Market King Queen Bridge Station Garden
Chestnut Walnut Harbor Spring Forest Meadow Orchard Castle Victoria""".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = "January February March April May June July August September October November December".split()
COLOURS = "red blue green yellow white black purple orange pink brown gray silver golden".split()
ANIMALS = "dog cat rabbit parrot hamster horse turtle goldfish pony lizard".split()
ONSETS = "b br c cl d dr f fl g gr h j k kr l m n p pr r s sh st t tr v w z".split()
VOWELS = "a e i o u ai ea ee oo ou".split()
CODAS = ["", "", "l", "n", "r", "s", "t", "nd", "rt", "x", "m", "ck", "lin", "ton", "man", "ley"]


def invented(r: random.Random) -> str:
    parts = [r.choice(ONSETS) + r.choice(VOWELS) for _ in range(r.choice((1, 2, 2, 3)))]
    return ("".join(parts) + r.choice(CODAS)).capitalize()


def first_name(r: random.Random) -> str:
    return invented(r) if r.random() < 0.12 else r.choice(FIRST)


def last_name(r: random.Random) -> str:
    return invented(r) if r.random() < 0.15 else r.choice(LAST)


def name(r: random.Random) -> str:
    kind = r.random()
    if kind < 0.4:
        return first_name(r)
    return f"{first_name(r)} {last_name(r)}" if kind < 0.8 else last_name(r)


def count(r: random.Random, low: int = 2, high: int = 12) -> str:
    return number_words(r.randint(low, high))


def clock(r: random.Random) -> str:
    """A time of day in words: "seven thirty PM", "half past six", "noon"."""
    hour, kind = r.randint(1, 12), r.random()
    half = r.choice((" AM", " PM", "", ""))
    if kind < 0.4:
        return clock_words(hour, 0) + (half or r.choice((" o'clock", "", " in the evening", " in the morning")))
    if kind < 0.85:
        return clock_words(hour, r.choice((5, 10, 15, 15, 20, 25, 30, 30, 30, 35, 40, 45, 45, 50, 55))) + half
    if kind < 0.95:
        return f"{r.choice(('half past', 'quarter past', 'quarter to', 'ten to'))} {number_words(hour)}"
    return r.choice(("noon", "midday"))


def day(r: random.Random) -> str:
    kind = r.random()
    if kind < 0.4:
        return r.choice(DAYS)
    if kind < 0.65:
        return r.choice(("today", "tomorrow", "tonight", "tomorrow evening", "tomorrow morning"))
    if kind < 0.8:
        return f"{r.choice(('next', 'this'))} {r.choice(DAYS)}"
    if kind < 0.9:
        return f"{r.choice(MONTHS)} {ordinal_words(r.randint(1, 31))}"
    return f"the {ordinal_words(r.randint(1, 31))}"


def on_day(value: str) -> str:
    """The day with its preposition: "on Friday", but "tomorrow"."""
    return f"on {value}" if value.split()[0] in DAYS + MONTHS + ["the"] else value


def duration(r: random.Random) -> str:
    kind = r.random()
    if kind < 0.65:
        value = r.choice((1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 10, 10, 12, 15, 15, 18, 20, 20, 25, 30, 40, 45, 50, 90))
        return f"{number_words(value)} minute{'s' if value > 1 else ''}"
    if kind < 0.8:
        value = r.randint(5, 59)
        return f"{number_words(value)} seconds"
    if kind < 0.9:
        value = r.randint(1, 12)
        return f"{number_words(value)} hour{'s' if value > 1 else ''}"
    return r.choice(("half an hour", "an hour", "an hour and a half", "a minute and a half", "a quarter of an hour"))


def digits(r: random.Random, low: int = 3, high: int = 6) -> str:
    return " ".join(number_words(r.randint(0, 9)) for _ in range(r.randint(low, high)))


def written_clock(r: random.Random) -> str:
    return f"{r.randint(1, 12)}:{r.choice((0, 0, 15, 30, 30, 45)):02d} {r.choice(('AM', 'PM'))}"
