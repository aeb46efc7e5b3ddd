"""Conversations of a training with `--focus`: those with the tools that it is for, and all others."""

import random

from grammar_tools import ToolGrammar
from tools_forms import FORMS
from tools_requests import errand


class Focus(ToolGrammar):
    """Mostly tools that the network does badly."""

    def kinds(self, r: random.Random) -> list:
        chosen = [errand] if r.random() < 0.35 else r.sample(FORMS, r.choice((1, 1, 2, 3)))
        others = [kind for kind in super().kinds(r) if kind not in FORMS]
        return chosen + others if r.random() < 0.25 else chosen


class Rest(ToolGrammar):
    """Conversations without those tools."""

    def kinds(self, r: random.Random) -> list:
        while not (kinds := [kind for kind in super().kinds(r) if kind not in FORMS]):
            pass
        return kinds
