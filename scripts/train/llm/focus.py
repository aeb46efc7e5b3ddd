"""Conversations of a training with `--focus`: those of the scenes that it is for, and all others."""

import random

from grammar_tools import ToolGrammar, drawn
from talk import Kit
from tools_booking import bookings
from tools_desk import ending, hours, transfers
from tools_house import house
from tools_timers import timers

# Scenes that the network does badly. The others of `Focus` keep it from always answering as in these.
SCENES = {"new", "ask"}
SHARES = {"new": 1.0, "ask": 1.0, "standing": 0.4, "unknown": 0.4, "switch": 0.4, "dim": 0.2, "warmth": 0.2, "show": 0.3, "one": 0.4}
RARE = 0.05
TRIES = 50


class Focus(ToolGrammar):
    """Mostly new bookings, and questions for the state of a house."""

    def kinds(self, r: random.Random) -> list:
        first = [bookings, *([hours] if r.random() < 0.8 else [])] if r.random() < 0.5 else [*([timers] if r.random() < 0.8 else []), house]
        return [*first, *([ending] if r.random() < 0.4 else []), *([transfers] if r.random() < 0.4 else [])]

    def scene(self, r: random.Random, kits: list[Kit]) -> list[tuple[str, str]]:
        for _ in range(TRIES):
            scene = r.choice(r.choice(kits).scenes)
            if r.random() < SHARES.get(scene.__name__, RARE):
                return drawn(r, self.test, scene)
        return super().scene(r, kits)


class Rest(ToolGrammar):
    """Conversations without those scenes."""

    def scene(self, r: random.Random, kits: list[Kit]) -> list[tuple[str, str]]:
        for _ in range(TRIES):
            scene = r.choice(r.choice(kits).scenes)
            if scene.__name__ not in SCENES:
                return drawn(r, self.test, scene)
        return super().scene(r, kits)
