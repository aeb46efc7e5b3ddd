"""Conversations dense in lookups, which a network learns late: many short questions about one report of a house, changes of
bookings one after the other, or many requests to one desk. From single ones it hardly learns them.
"""

import random

from focus import Focus
from grammar import Dialogue, persona, prompt
from grammar_tools import Scene, ToolGrammar, drawn
from notes import Moment, Notes, moment
from talk import Talk
from tool_format import documented, read_calls
from tools_booking import changes
from tools_counter import counter
from tools_desks import desk
from tools_house import STATE_NAMES, house

# Characters of a conversation that fills the longest row of a batch.
FULL = 2300


class Exercises(ToolGrammar):
    def dialogue(self, r: random.Random) -> Dialogue:
        talk, asks = Talk(r, self.test), r.random() < 0.7
        kit = house(talk, asked=(6, 9, 12, 15)) if asks else changes(talk)
        notes = Notes(r, moment(r) if r.random() < 0.5 else Moment())
        turns = [turn for _ in range(1 if asks else 4) for turn in notes.add(drawn(r, self.test, kit.scenes[0]))]
        return Dialogue(documented(prompt(r, persona(r), []), kit.tools), turns, [1.0] * len(turns))


class Requests(ToolGrammar):
    """Requests for each tool of a desk, and for tools that it lacks, until the row is full."""

    def dialogue(self, r: random.Random) -> Dialogue:
        kit = r.choice((desk, counter))(Talk(r, self.test))
        system = documented(prompt(r, persona(r), []), kit.tools)
        turns: list[tuple[str, str]] = []
        scenes: list[Scene] = []
        while len(system) + sum(len(text) + 12 for _, text in turns) < FULL:
            if not scenes:
                scenes = list(dict.fromkeys(kit.scenes))
                r.shuffle(scenes)
            turns += drawn(r, self.test, scenes.pop())
        return Dialogue(system, turns, [1.0] * len(turns))


class Mixture(ToolGrammar):
    """All conversations with tools: half of them ordinary ones, the rest of the other kinds in equal parts."""

    def __init__(self, test: bool) -> None:
        super().__init__(test)
        self.others = (Focus(test), Exercises(test), Requests(test))

    def dialogue(self, r: random.Random) -> Dialogue:
        return super().dialogue(r) if r.random() < 0.5 else r.choice(self.others).dialogue(r)


class OtherConversations(Focus):
    """Those without a report about a house."""

    def dialogue(self, r: random.Random) -> Dialogue:
        while True:
            made = super().dialogue(r)
            called = {name for _, text in made.turns for name, _ in read_calls(text) or []}
            if called.isdisjoint(STATE_NAMES):
                return made
