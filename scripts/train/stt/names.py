"""Answers of callers to a question for a name."""

import random
from pathlib import Path

_FIRST, _LAST = ((Path(__file__).parents[1] / "names" / f"{kind}.txt").read_text("utf-8").lower().split() for kind in ("first", "last"))
# The name alone is the most frequent answer.
_FORMS = (
    *4 * ("{first} {last}",), *2 * ("{first}", "{last}"), "it's {first} {last}", "it's {first}", "it is {first} {last}", "this is {first} {last}",
    "my name is {first} {last}", "my name is {first}", "the name is {first} {last}", "the name is {last}", "the name's {last}", "i'm {first} {last}",
    "i am {first} {last}", "under {first} {last}", "under {last}", "under the name {last}", "under the name {first} {last}", "it's under {first} {last}",
    "it's under {last}", "for {first} {last}", "{first} {last} please", "mister {last}", "missus {last}", "doctor {last}",
)


def answer(rng: random.Random) -> str:
    return rng.choice(_FORMS).format(first=rng.choice(_FIRST), last=rng.choice(_LAST))
