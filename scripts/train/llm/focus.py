"""Conversations of a training with `--focus`: those of the scenes that it is for, and all others."""

import random

from grammar_tools import Scene, ToolGrammar
from talk import Kit
from tools_desk import ending, transfers
from tools_house import house
from tools_timers import timers

# Scenes that the network does badly.
SCENES = {"house.ask"}
# How often others come between them, so that it does not always answer as in these.
OTHERS = {"house.switch": 0.4, "house.dim": 0.2, "house.warmth": 0.2, "timers.show": 0.3, "timers.one": 0.4}
RARE = 0.05


def name(scene: Scene) -> str:
    """With its kit: other kits have scenes of the same name."""
    return scene.__qualname__.replace(".<locals>", "")


class Focus(ToolGrammar):
    """Mostly questions for the state of a house."""

    def kinds(self, r: random.Random) -> list:
        return [*([timers] if r.random() < 0.3 else []), house, *([ending] if r.random() < 0.4 else []), *([transfers] if r.random() < 0.4 else [])]

    def pick(self, r: random.Random, kits: list[Kit]) -> Scene:
        scene = super().pick(r, kits)
        while name(scene) not in SCENES and r.random() > OTHERS.get(name(scene), RARE):
            scene = super().pick(r, kits)
        return scene


class Rest(ToolGrammar):
    """Conversations without those scenes."""

    def pick(self, r: random.Random, kits: list[Kit]) -> Scene:
        scene = super().pick(r, kits)
        while name(scene) in SCENES:
            scene = super().pick(r, kits)
        return scene
