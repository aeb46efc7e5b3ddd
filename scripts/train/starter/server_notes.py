"""Lines that the server adds to a caller's words when it asks for a reply again, or when words were unclear."""

import random

from grammar import Dialogue
from phrases import COMMON
from tool_format import CALL

CALL_NOW = ("Nothing was done yet. Call the function now, or ask me for the missing values.", "Call the function now, or ask me for the missing values.")
CANNOT = ("You cannot do this. Say so in one short sentence.", "There is no such function. Say in one short sentence that you cannot do this.")
BRIEF = "Answer in one short spoken sentence."


def noted(r: random.Random, dialogue: Dialogue, share: float = 0.06) -> Dialogue:
    """Adds such lines to some turns, where the reply is the right one all the same."""
    turns = list(dialogue.turns)
    has_tools = "\n\nTools:\n" in dialogue.system
    for place, ((role, text), (_, reply)) in enumerate(zip(turns, turns[1:])):
        if role != "user" or r.random() > share:
            continue
        kind = r.random()
        if kind < 0.2:
            note, _, words = text.rpartition("\n")
            before = " ".join(r.sample(COMMON, r.randint(1, 4)))
            turns[place] = (role, f'{note}\n(Perhaps the caller said before: "{before}")\n{words}')
        elif CALL in reply and has_tools:
            turns[place] = (role, f"{text}\n({r.choice(CALL_NOW)})")
        elif reply.endswith("?") and has_tools:
            turns[place] = (role, f"{text}\n({missing(r, reply)})")
        elif "can't" in reply:
            turns[place] = (role, f"{text}\n({r.choice(CANNOT)})")
        else:
            turns[place] = (role, f"{text}\n({BRIEF})")
    return Dialogue(dialogue.system, turns, dialogue.weights)


def missing(r: random.Random, question: str) -> str:
    """Names the value that the question is about."""
    for word, label in (("name", "name"), ("time", "time"), ("day", "day"), ("date", "day"), ("people", "people"), ("night", "nights"), ("room", "room"), ("number", "number")):
        if word in question.lower():
            return f"I have not said everything: {label}. Use my words, or ask me." if r.random() < 0.6 else CALL_NOW[0]
    return r.choice(CALL_NOW)
