"""The conversations of the training, in their shares."""

import random

from grammar import Dialogue, Grammar
from grammar_tools import ToolGrammar
from server_notes import noted


class Mixture:
    def __init__(self, test: bool = False) -> None:
        self.plain = Grammar(test)
        self.tools = ToolGrammar(test)

    def dialogue(self, r: random.Random) -> Dialogue:
        return noted(r, (self.plain if r.random() < 0.24 else self.tools).dialogue(r))
