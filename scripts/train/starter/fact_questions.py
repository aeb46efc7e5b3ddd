"""Which facts the system prompt has, questions about them, and questions whose answer is not there."""

import random
from dataclasses import replace

import grammar_facts as g
from grammar_facts import Fact
from notices import notice
from phrases import fill, heard, say

UNKNOWN = (
    "[I'm sorry|Sorry], [I don't know that|I don't have that information|I can't tell you that|I'm not sure about that]. "
    "[|||Is there anything else|Can I help with something else|Please ask someone at the front desk|Shall I fetch a colleague|Would you like to ask something else]"
)

MAKERS = (g.opening_hours, g.opening_hours, g.price, g.price, g.price, g.place, g.place, g.spot_hours, g.closing, g.person, g.address, g.phone, g.secret, g.times, g.times, g.policy, g.policy, g.policy, g.special)


# Share of facts with drawn words. Their answers are most often the line itself, which a small model copies well.
NOTICES = 0.65


def made(r: random.Random) -> Fact:
    if r.random() < NOTICES:
        return notice(r)
    fact = r.choice(MAKERS)(r)
    return replace(fact, answer=fact.line) if ":" not in fact.line and r.random() < 0.5 else fact


def draw_facts(r: random.Random, amount: int) -> list[Fact]:
    facts: dict[str, Fact] = {}
    for _ in range(amount):
        fact = made(r)
        facts.setdefault(fact.topic, fact)
    return list(facts.values())


def ask_known(r: random.Random, facts: list[Fact]) -> list[tuple[str, str]]:
    fact = r.choice(facts)
    question = fill(r, f"[|||hi|hello|excuse me|okay|and|sorry|can you help me|one question] [{fact.question}] [please|||||]")
    opening = r.choice(("Sure. ", "Of course. ")) if r.random() < 0.04 else ""
    return [("user", heard(r, question)), ("assistant", say(r, f"{opening}[{fact.answer}]"))]


def ask_unknown(r: random.Random, facts: list[Fact]) -> list[tuple[str, str]]:
    """A question whose answer is not in the prompt: say so, whatever else the prompt holds."""
    topics = {fact.topic for fact in facts}
    kinds = {fact.topic.split()[0] for fact in facts}
    # Most often of a kind that the prompt does speak of: another price, another room.
    same_kind = r.random() < 0.6
    for attempt in range(40):
        fact = made(r)
        if fact.topic not in topics and (attempt >= 20 or not same_kind or (" " in fact.topic and fact.topic.split()[0] in kinds)):
            break
    else:
        return []
    tail = say(r, UNKNOWN)
    if tail[-1] not in ".":
        tail += "." if tail.endswith("desk") else "?"
    return [("user", heard(r, fill(r, f"[||hi|excuse me|and] [{fact.question}]"))), ("assistant", tail)]
