"""Conversations of a training with `--focus`: those with the tools that it is for, and all others."""

import random

from grammar_tools import ToolGrammar
from tools_counter import counter
from tools_desk import ending, transfers
from tools_desks import desk
from tools_forms import FORMS
from tools_requests import errand

# The tools that it is for.
LEARNT = (*FORMS, desk, counter)


class Focus(ToolGrammar):
    """Mostly tools that the network does badly."""

    def kinds(self, r: random.Random) -> list:
        if r.random() < 0.5:
            return [desk if r.random() < 0.5 else counter, *([ending] if r.random() < 0.2 else []), *([transfers] if r.random() < 0.2 else [])]
        chosen = [errand] if r.random() < 0.35 else r.sample(FORMS, r.choice((1, 1, 2, 3)))
        others = [kind for kind in super().kinds(r) if kind not in LEARNT]
        return chosen + others if r.random() < 0.25 else chosen


class Rest(ToolGrammar):
    """Conversations without those tools."""

    def kinds(self, r: random.Random) -> list:
        while not (kinds := [kind for kind in super().kinds(r) if kind not in LEARNT]):
            pass
        return kinds
