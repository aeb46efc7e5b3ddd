"""Conversations of a training with `--focus`: those with tools, and requests without one."""

import random

from grammar import Dialogue
from grammar_tools import ToolGrammar
from tools_booking import bookings
from tools_counter import counter
from tools_desk import ending, hours, transfers
from tools_desks import desk
from tools_forms import FORMS
from tools_house import house, questions
from tools_timers import timers
from unserved import unserved


class OtherForms(ToolGrammar):
    """Tools of other forms than the built-in ones, which a network learns late."""

    def kinds(self, r: random.Random) -> list:
        if r.random() < 0.3:
            return r.sample(FORMS, r.choice((1, 1, 2, 3)))
        return [desk if r.random() < 0.5 else counter, *([ending] if r.random() < 0.2 else []), *([transfers] if r.random() < 0.2 else [])]


class Focus(OtherForms):
    """Half of them have the tools of the callers whose tasks are counted, a quarter asks for the state of a house, and about a seventh has tools of other forms."""

    def dialogue(self, r: random.Random) -> Dialogue:
        return unserved(r, self.test) if r.random() < 0.05 else super().dialogue(r)

    def kinds(self, r: random.Random) -> list:
        chance = r.random()
        if chance < 0.5:
            return [timers, house, ending] if r.random() < 0.5 else [bookings, hours, transfers, ending]
        if chance < 0.75:
            return [questions]
        return super().kinds(r) if chance < 0.9 else ToolGrammar.kinds(self, r)
