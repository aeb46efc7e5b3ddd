"""Values that callers say in words and tools take as numbers, times and days: (words, value)."""

import random

import values as v
from phrases import number_words

MINUTES = (0, 0, 0, 0, 0, 0, 30, 30, 30, 15, 45, 10, 20, 40, 50, 5, 25, 35, 55)


def integer(r: random.Random, low: int, high: int, step: int = 1) -> tuple[str, int]:
    value = r.randrange(low, high + 1, step)
    return number_words(value), value


def clock(r: random.Random, evening: bool, later: bool = False) -> tuple[str, str]:
    """A time of day and its "HH:MM". Without AM or PM a table is for the evening; anything else is between 7 and 18:59.

    `later`: the caller said "tonight" or the like before.
    """
    hour, minute = r.choice((1, 2, 3, 4, 5, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9, 10, 11, 12)), r.choice(MINUTES)
    words = spoken_time(r, hour, minute)
    half = r.choice(("am", "pm")) if r.random() < 0.3 else ""
    if later:
        half, words = "pm", words
    elif half == "am":
        words += r.choice((" AM", " in the morning"))
    elif half == "pm":
        words += r.choice((" PM", " in the evening" if 5 <= hour < 12 else " in the afternoon"))
    if minute == 0 and hour == 12 and not half and r.random() < 0.4:
        words = r.choice(("noon", "midday"))
    is_morning = half == "am" or (not half and not evening and 7 <= hour <= 11)
    in_day = hour % 12 if is_morning else hour % 12 + 12
    return words, f"{in_day:02d}:{minute:02d}"


def spoken_time(r: random.Random, hour: int, minute: int) -> str:
    next_hour = number_words(hour % 12 + 1)
    plain = number_words(hour)
    if minute == 0:
        return plain + r.choice(("", "", "", " o'clock"))
    special = {15: f"quarter past {plain}", 30: f"half past {plain}", 45: f"quarter to {next_hour}", 10: f"ten past {plain}", 50: f"ten to {next_hour}", 20: f"twenty past {plain}"}
    if minute in special and r.random() < 0.4:
        return special[minute]
    return f"{plain} {'oh ' if minute < 10 else ''}{number_words(minute)}"


def day(r: random.Random) -> tuple[str, str]:
    """A day with its preposition, and the tool's value."""
    kind = r.random()
    if kind < 0.3:
        return r.choice((("today", "today"), ("tomorrow", "tomorrow"), ("tomorrow", "tomorrow")))
    name = r.choice(v.DAYS)
    return r.choice((f"on {name}", f"on {name}", f"on {name}", f"this {name}")), name.lower()


# Durations without plain numbers of one unit.
LENGTHS = (("half an hour", {"minutes": 30}), ("an hour", {"hours": 1}), ("an hour and a half", {"hours": 1, "minutes": 30}), ("a minute", {"minutes": 1}), ("a quarter of an hour", {"minutes": 15}),
           ("three quarters of an hour", {"minutes": 45}), ("two and a half hours", {"hours": 2, "minutes": 30}), ("a minute and a half", {"minutes": 1, "seconds": 30}),
           ("two and a half minutes", {"minutes": 2, "seconds": 30}), ("half a minute", {"seconds": 30}))


def duration(r: random.Random) -> tuple[str, dict[str, int]]:
    kind = r.random()
    if kind < 0.5:
        words, minutes = integer(r, 1, 59)
        if r.random() < 0.5:
            minutes = r.choice((1, 2, 3, 5, 10, 15, 20, 25, 30, 45, 90))
            words = number_words(minutes)
        return f"{words} minute{'s' if minutes > 1 else ''}", {"minutes": minutes}
    if kind < 0.62:
        words, seconds = integer(r, 5, 90, 5)
        return f"{words} seconds", {"seconds": seconds}
    if kind < 0.73:
        words, hours = integer(r, 1, 12)
        return f"{words} hour{'s' if hours > 1 else ''}", {"hours": hours}
    if kind < 0.82:
        hours, minutes = integer(r, 1, 5), integer(r, 5, 55, 5)
        return f"{hours[0]} hour{'s' if hours[1] > 1 else ''} and {minutes[0]} minutes", {"hours": hours[1], "minutes": minutes[1]}
    return r.choice(LENGTHS)


def length_text(parts: dict[str, int]) -> str:
    """The duration as a tool writes it."""
    return " ".join(f"{value} {unit if value != 1 else unit[:-1]}" for unit, value in parts.items())
