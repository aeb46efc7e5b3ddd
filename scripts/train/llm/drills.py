"""Exercises dense in copying: words that nothing predicts, to be said again or looked up in the prompt.

A small model learns to copy late and suddenly; most of an early batch being copying brings that forward.
"""

import random

import values as v
from grammar import Dialogue, persona, prompt
from grammar_facts import JOBS, SPOTS, THINGS
from notes import Moment, Notes, moment
from phrases import ONES, heard


class Drills:
    def __init__(self, sentences: list[str]) -> None:
        self.words = sorted({w.strip(".,;:!?\"'").lower() for s in sentences[:20000] for w in s.split() if w.isascii()} - {""})

    def value(self, r: random.Random) -> str:
        kind = r.random()
        if kind < 0.3:
            return v.name(r)
        if kind < 0.5:
            return " ".join(r.choice(ONES) for _ in range(r.randint(1, 4)))
        if kind < 0.65:
            return f"{r.randint(2, 999)} dollars"
        if kind < 0.75:
            return v.written_clock(r)
        return " ".join(r.choice(self.words) for _ in range(r.randint(1, 3)))

    def echo(self, r: random.Random) -> Dialogue:
        turns = []
        for _ in range(r.randint(1, 4)):
            words = [r.choice(self.words) if r.random() < 0.6 else r.choice((v.first_name(r), v.last_name(r), r.choice(ONES), v.invented(r))) for _ in range(r.randint(2, 9))]
            text = " ".join(words)
            turns += [("user", f"{r.choice(('repeat', 'say', 'repeat after me', 'please repeat'))} {text.lower()}"), ("assistant", text[0].upper() + text[1:] + ".")]
        return Dialogue(persona(r).prompt, self.notes(r).add(turns))

    def lookup(self, r: random.Random) -> Dialogue:
        """The prompt gives things their values; questions ask for these and for others, which it does not know."""
        things = r.sample(THINGS + SPOTS + JOBS, r.randint(2, 9))
        known = things[: r.randint((len(things) + 1) // 2, len(things))]
        lines = {thing: self.value(r) for thing in known}
        verb = r.choice(("is", "is", "costs", "means"))
        system = (" " if r.random() < 0.3 else "\n").join([persona(r).prompt, *(f"The {t} {verb} {lines[t]}." for t in known)])
        turns = []
        for thing in r.sample(things, min(len(things), r.randint(2, 6))):
            question = r.choice((f"what about the {thing}", f"and the {thing}", f"tell me about the {thing}", f"the {thing}", f"what is the {thing}"))
            answer = f"The {thing} {verb} {lines[thing]}." if thing in lines else "I'm sorry, I don't know that."
            turns += [("user", heard(r, question, 0)), ("assistant", answer)]
        return Dialogue(system, self.notes(r).add(turns))

    def clock(self, r: random.Random) -> Dialogue:
        """The caller comes back hours or days later: the newest note has the time."""
        who = persona(r)
        turns = []
        for _ in range(r.randint(1, 5)):
            now = moment(r)
            pairs = [("what time is it", f"It's {now.time}."), ("what day is it", f"It's {now.day}."), ("what's the date", f"It's {now.day}, {now.date}."), ("who are you", f"I'm {who.name or 'a voice assistant'}.")]
            question, answer = r.choice(pairs)
            turns += Notes(r, now).add([("user", question), ("assistant", answer)])
        return Dialogue(prompt(r, who, []), turns)

    def notes(self, r: random.Random) -> Notes:
        return Notes(r, moment(r) if r.random() < 0.8 else Moment())

    def dialogue(self, r: random.Random) -> Dialogue:
        return r.choice((self.echo, self.lookup, self.lookup, self.clock))(r)
