"""Callers' words as Whisper writes them: capitals, punctuation, digits."""

import random
import re

from phrases import ONES, TENS

UNITS = {word: value for value, word in enumerate(ONES)}
DOZENS = {word: place * 10 for place, word in enumerate(TENS) if place > 1}
PROPER = re.compile(r"\b(monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|april|june|july|august|september|october|november|december|doctor|english|german|french|spanish|italian|i|i'm|i'd|i'll|i've)\b")
QUESTION = re.compile(r"^(?:(?:and|so|okay|ok|hi|hello|hey|excuse me|well|um|uh|sorry),? )*(?:what|when|where|who|whose|which|how|is|are|do|does|did|can|could|would|will|may|was|at what|until when|for how)\b", re.I)
OPENING = re.compile(r"^((?:hi|hello|hey|okay|yes|no|sorry|well|um|uh|excuse me|good (?:morning|evening|afternoon|day))(?: there)?) (?=\w)", re.I)
ENDING = re.compile(r" (please|thanks|thank you)$", re.I)
NAMING = re.compile(r" ((?:my name is|the name is|it's under|this is|under the name|for|at|on)) ", re.I)


def with_digits(r: random.Random, text: str) -> str:
    """Numbers of several words become digits, and some of one word."""
    words = text.split(" ")
    out: list[str] = []
    place = 0
    small = r.random() < 0.5
    while place < len(words):
        end, written = number_at(words, place, small)
        if end == place:
            out.append(words[place])
            place += 1
        else:
            out.append(written)
            place = end
    return " ".join(out)


def number_at(words: list[str], start: int, small: bool) -> tuple[int, str]:
    """(the place after the number that begins here, its digits)."""
    run = []
    at = start
    while at < len(words) and (words[at] in UNITS or words[at] in DOZENS or words[at] in ("hundred", "oh")):
        run.append(words[at])
        at += 1
    if not run or run[0] in ("hundred", "oh"):
        return start, ""
    if len(run) == 1:
        value = UNITS.get(run[0], DOZENS.get(run[0], 0))
        return (at, str(value)) if value > 12 or small else (start, "")
    if all(word == "oh" or UNITS.get(word, 99) < 10 for word in run):
        return (at, "".join("0" if word == "oh" else str(UNITS[word]) for word in run)) if len(run) > 2 else (at, clock_or_pair(run))
    if "hundred" in run:
        split = run.index("hundred")
        hundreds, rest = value_of(run[:split]), value_of([word for word in run[split + 1 :] if word != "and"]) if run[split + 1 :] else 0
        return (at, str(hundreds * 100 + rest)) if hundreds is not None and rest is not None else (start, "")
    value = value_of(run)
    if value is not None:
        return at, str(value)
    hour, minute = UNITS.get(run[0]), value_of([word for word in run[1:] if word != "oh"])
    if hour is not None and 1 <= hour <= 12 and minute is not None and minute < 60:
        return at, f"{hour}:{minute:02d}"
    return start, ""


def clock_or_pair(run: list[str]) -> str:
    return "".join("0" if word == "oh" else str(UNITS[word]) for word in run)


def value_of(run: list[str]) -> int | None:
    """The number below a hundred that the words are."""
    if len(run) == 1:
        return UNITS.get(run[0], DOZENS.get(run[0]))
    if len(run) == 2 and run[0] in DOZENS and 0 < UNITS.get(run[1], 0) < 10:
        return DOZENS[run[0]] + UNITS[run[1]]
    return None


def as_whisper(r: random.Random, text: str, names: list[str]) -> str:
    """`names`: words whose capitals are known."""
    text = with_digits(r, text)
    text = re.sub(r"\b(\d+(?::\d\d)?) ?(a|p) ?m\b", lambda m: f"{m[1]}{r.choice((' ', ''))}{m[2]}{r.choice(('m', '.m.'))}", text)
    text = re.sub(r"(\d+) (dollars|euros|percent)\b", lambda m: {"dollars": f"${m[1]}", "euros": f"{m[1]} euros", "percent": f"{m[1]}%"}[m[2]] if r.random() < 0.6 else m[0], text)
    for name in names:
        text = re.sub(rf"\b{re.escape(name)}\b", lambda _, name=name: name, text, flags=re.I)
    text = PROPER.sub(lambda m: m[0].capitalize(), text)
    text = OPENING.sub(lambda m: f"{m[1]}, " if r.random() < 0.8 else m[0], text)
    text = ENDING.sub(lambda m: f", {m[1]}" if r.random() < 0.7 else m[0], text)
    text = NAMING.sub(lambda m: f"{r.choice((', ', '. ', ' ')) if m[1].lower() not in ('for', 'at', 'on') else ' '}{m[1]} ", text)
    end = "?" if QUESTION.search(text) and r.random() < 0.9 else r.choice(("...", "", "!", ".")) if r.random() < 0.05 else "."
    text = text.strip() + end
    return re.sub(r"(^|[.?!] )([a-z])", lambda m: m[1] + m[2].upper(), text)
