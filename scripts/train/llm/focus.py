"""Conversations of a training with `--focus`: those that it is for, and all others."""

import random

from grammar import Dialogue
from grammar_tools import ToolGrammar
from tools_counter import counter
from tools_desk import ending, transfers
from tools_desks import desk
from tools_forms import FORMS
from unserved import unserved

# The tools that it is for.
LEARNT = (*FORMS, desk, counter)


class Focus(ToolGrammar):
    """Mostly tools that the network does badly, and requests without a tool."""

    def dialogue(self, r: random.Random) -> Dialogue:
        return unserved(r, self.test) if r.random() < 0.06 else super().dialogue(r)

    def kinds(self, r: random.Random) -> list:
        if r.random() < 0.6:
            return [desk if r.random() < 0.5 else counter, *([ending] if r.random() < 0.2 else []), *([transfers] if r.random() < 0.2 else [])]
        chosen = r.sample(FORMS, r.choice((1, 1, 2, 3)))
        others = [kind for kind in super().kinds(r) if kind not in LEARNT]
        return chosen + others if r.random() < 0.25 else chosen


class Rest(ToolGrammar):
    """Conversations without those tools."""

    def kinds(self, r: random.Random) -> list:
        while not (kinds := [kind for kind in super().kinds(r) if kind not in LEARNT]):
            pass
        return kinds
