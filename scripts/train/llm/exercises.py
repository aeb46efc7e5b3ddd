"""Conversations dense in lookups, which a network learns late: many short questions about one report of a house, or changes of
bookings one after the other. From single questions it hardly learns them.
"""

import random

from focus import Focus
from grammar import Dialogue, persona, prompt
from grammar_tools import ToolGrammar, drawn
from notes import Moment, Notes, moment
from talk import Talk
from tool_format import documented, read_calls
from tools_booking import changes
from tools_house import STATE_NAMES, house


class Exercises(ToolGrammar):
    def dialogue(self, r: random.Random) -> Dialogue:
        talk, asks = Talk(r, self.test), r.random() < 0.7
        kit = house(talk, asked=(6, 9, 12, 15)) if asks else changes(talk)
        notes = Notes(r, moment(r) if r.random() < 0.5 else Moment())
        turns = [turn for _ in range(1 if asks else 4) for turn in notes.add(drawn(r, self.test, kit.scenes[0]))]
        return Dialogue(documented(prompt(r, persona(r), []), kit.tools), turns, [1.0] * len(turns))


class OtherConversations(Focus):
    """Those without a report about a house."""

    def dialogue(self, r: random.Random) -> Dialogue:
        while True:
            made = super().dialogue(r)
            called = {name for _, text in made.turns for name, _ in read_calls(text) or []}
            if called.isdisjoint(STATE_NAMES):
                return made
