"""The time before what the caller says, as the server writes it."""

import random
from dataclasses import dataclass, replace

import values as v

Turns = list[tuple[str, str]]


@dataclass(frozen=True)
class Moment:
    """Empty strings: the prompt does not tell the time."""

    day: str = ""
    date: str = ""
    year: str = ""
    time: str = ""

    @property
    def note(self) -> str:
        return f"(It is {self.day}, {self.date}, {self.year}, {self.time}.)\n" if self.day else ""


def moment(r: random.Random) -> Moment:
    minute = f"{r.randint(0, 59):02d}"
    return Moment(r.choice(v.DAYS), f"{r.choice(v.MONTHS)} {r.randint(1, 31)}", str(r.randint(2024, 2035)), f"{r.randint(1, 12)}:{minute} {r.choice(('AM', 'PM'))}")


def later(r: random.Random, now: Moment) -> Moment:
    """Some minutes later in the same half of the day."""
    if not now.day:
        return now
    clock, half = now.time.split(" ")
    hour, minute = map(int, clock.split(":"))
    passed = (hour % 12) * 60 + minute + r.choice((1, 1, 1, 2, 3, 5, 20))
    return now if passed >= 12 * 60 else replace(now, time=f"{passed // 60 or 12}:{passed % 60:02d} {half}")


class Notes:
    """Writes the notes of one conversation. `now` is the time of the caller's next words."""

    def __init__(self, r: random.Random, now: Moment) -> None:
        self.r = r
        self.now = now

    def add(self, turns: Turns) -> Turns:
        """The turns with their notes; minutes pass between them, unless a reply tells the time."""
        tell_time = any(self.now.time and self.now.time in text for _, text in turns)
        noted = []
        for role, text in turns:
            noted.append((role, self.now.note + text if role == "user" else text))
            if self.r.random() < 0.15 and not tell_time:
                self.now = later(self.r, self.now)
        if tell_time and self.r.random() < 0.3:
            self.now = later(self.r, self.now)
        return noted


def said(text: str) -> str:
    """A caller's turn without its note."""
    return text.rpartition("\n")[2]


def joined(first: str, second: str) -> str:
    """Two turns of the caller with no reply heard between them are one; a note that is the same stands once."""
    note = second[: len(second) - len(said(second))]
    return f"{first} {said(second)}" if note in first else f"{first}\n{second}"
