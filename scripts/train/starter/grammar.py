"""Whole conversations: a system prompt (persona, facts, date line) and several scenes one after another."""

import random
import sys
from dataclasses import dataclass, field
from pathlib import Path

# The generators that both starters share. They move here when scripts/train/llm goes.
sys.path.append(str(Path(__file__).parents[1] / "llm"))

import values as v
from fact_questions import ask_known, ask_unknown, draw_facts
from grammar_facts import Fact
from grammar_home import memory
from grammar_refusals import override, refusal
from grammar_talk import aside, clock_questions, courtesy, greeting, own_name
from notes import Moment, Notes, joined, moment
from phrases import say

DEFAULT_PROMPT = "You are Oak, a friendly voice assistant. Answer in one to three short spoken sentences."
ROLES = ("a voice assistant", "a friendly voice assistant", "a helpful assistant", "the receptionist", "the phone assistant", "a polite assistant", "a digital assistant")
PLACES = """hotel|restaurant|bank|clinic|hospital|law firm|cafe|shop|dental practice|garage|hair salon|library|call center|pharmacy|bike shop|bookshop|cinema|gym|swimming pool|golf club|tennis club|sports club|car rental|travel agency|
airline|ferry company|bus company|train station|airport|parcel service|post office|insurance company|tax office|water works|power company|internet provider|phone shop|computer repair|furniture store|garden center|hardware store|
supermarket|butcher|farm shop|brewery|pizzeria|sushi bar|ice cream shop|catering company|cleaning company|painting company|roofing company|locksmith|plumber|electrician|architect's office|real estate agency|property management|
kindergarten|university|cooking school|dance school|music shop|opticians|physiotherapy practice|nursing home|blood bank|shoe repair|tailor|jeweller|watchmaker|aquarium|zoo|amusement park|climbing hall|horse farm|marina|fishing club|
youth hostel|guest house|mountain lodge|radio station|newspaper|printing shop|funeral home|church office|charity|animal shelter|fire brigade""".replace("\n", "").split("|")
MANNERS = ("Answer in one to three short spoken sentences.", "Keep your answers short.", "Be brief and friendly.", "Answer briefly.", "Speak in short sentences.",
           "Be polite.", "Answer in one short sentence.", "You are speaking, so keep it short.", "If you do not know something, say so.", "Never invent facts.")


@dataclass
class Dialogue:
    """One conversation. `weights` holds the loss weight of each turn (1 when absent)."""

    system: str
    turns: list[tuple[str, str]]
    weights: list[float] = field(default_factory=list)


@dataclass
class Persona:
    name: str
    role: str
    prompt: str


def persona(r: random.Random) -> Persona:
    if r.random() < 0.4:
        return Persona("Oak", "a friendly voice assistant", DEFAULT_PROMPT)
    name = r.choice(("Oak", v.first_name(r), v.invented(r)))
    role = r.choice(ROLES)
    if r.random() < 0.5:
        business = r.choice((f"the {r.choice(v.STREETS)} {r.choice(PLACES)}", f"{v.last_name(r)}'s {r.choice(PLACES)}", f"a {r.choice(PLACES)}", f"the {r.choice(PLACES)} {v.invented(r)}"))
        role = f"{role.replace('a ', 'the ', 1) if r.random() < 0.5 else role} {r.choice(('of', 'at', 'for'))} {business}"
    kind = r.random()
    if kind < 0.1:
        return Persona("", "a voice assistant", say(r, f"You are a [helpful |friendly |]assistant. {r.choice(MANNERS)}"))
    opening = say(r, f"[You are {name}, {role}.|Your name is {name}. You are {role}.|You're {name}, {role}.]")
    manners = " ".join(r.sample(MANNERS, r.choice((0, 1, 1, 2))))
    return Persona(name, role, f"{opening} {manners}".strip())


def with_style(r: random.Random, dialogue: "Dialogue") -> "Dialogue":
    """The note of a caller's session settings, beside their first words or before the greeting; it changes nothing in the answers here."""
    lines = style_lines(r)
    if not lines or not dialogue.turns:
        return dialogue
    note = f"({' '.join(lines)})"
    (role, text), *others = dialogue.turns
    if role == "user":
        return Dialogue(dialogue.system, [("user", f"{note}\n{text}"), *others], dialogue.weights)
    return Dialogue(dialogue.system, [("user", note), *dialogue.turns], [0.0, *(dialogue.weights or [1.0] * len(dialogue.turns))])


def style_lines(r: random.Random) -> list[str]:
    lines = ("Tone: [friendly|warm|formal|calm|professional|playful].", "Empathy: [high|low|medium].", "Level of detail: [brief|detailed|medium].",
             "Conversation style: [casual|formal|friendly].", "The user prefers: [short answers|first names|quiet rooms|vegetarian food|to be called in the morning].")
    return [say(r, line) for line in lines if r.random() < 0.5] if r.random() < 0.15 else []


def prompt(r: random.Random, who: Persona, facts: list[Fact]) -> str:
    """Most often a line each, as the server writes them; people who write prompts by hand put several on a line."""
    known = [fact.line for fact in facts]
    if known and r.random() < 0.3:
        known = [" ".join(known)]
    return (" " if known and r.random() < 0.1 else "\n").join([who.prompt, *known])


class Grammar:
    """Draws conversations without tools."""

    def __init__(self, test: bool = False) -> None:
        self.test = test

    def scene(self, r: random.Random, who: Persona, facts: list[Fact], now: Moment) -> list[tuple[str, str]]:
        kind = r.random()
        if facts and kind < 0.75:
            return ask_known(r, facts) if r.random() < 0.8 else ask_unknown(r, facts)
        kind = r.random()
        if kind < 0.18:
            return refusal(r)
        if kind < 0.22:
            return override(r, self.test)
        if kind < 0.32:
            return memory(r, lambda: refusal(r))
        if kind < 0.50:
            return clock_questions(r, now)
        if kind < 0.58:
            return own_name(r, who.name, who.role)
        if kind < 0.66:
            return courtesy(r, 0)
        if kind < 0.96:
            return aside(r)
        return ask_unknown(r, facts)

    def dialogue(self, r: random.Random) -> Dialogue:
        if r.random() < 0.7:
            return self.questions(r)
        who, notes = persona(r), Notes(r, moment(r) if r.random() < 0.92 else Moment())
        facts = draw_facts(r, r.choice((1, 2, 3, 3, 4, 5, 6, 8))) if r.random() < 0.5 else []
        turns: list[tuple[str, str]] = []
        if r.random() < 0.1:
            hello = "[Hello|Hi|Hello there|Good day|Welcome]! " if r.random() < 0.7 else f"[{v.last_name(r)}'s|the {r.choice(v.STREETS)}|] {r.choice(PLACES)}, [good day|hello|welcome]. "
            turns += [("assistant", say(r, f"{hello}[How can I help you|What can I do for you]?"))]
        elif r.random() < 0.25:
            turns += notes.add(greeting(r, who.name))
        scenes = 8 if r.random() < 0.03 else r.choice((1, 1, 2, 2, 3))
        for _ in range(scenes):
            turns += notes.add(self.scene(r, who, facts, notes.now))
            if r.random() < 0.12:
                turns += notes.add(courtesy(r, 0))
        if r.random() < 0.2:
            turns += notes.add(courtesy(r, 1))
        return with_style(r, interrupted(r, Dialogue(prompt(r, who, facts), turns, [1.0] * len(turns))))

    def questions(self, r: random.Random) -> Dialogue:
        """Several questions to one prompt, known and not: telling the two apart needs the densest practice."""
        who, notes = persona(r), Notes(r, moment(r) if r.random() < 0.92 else Moment())
        facts = draw_facts(r, r.choice((3, 4, 5, 6, 8, 10)))
        turns: list[tuple[str, str]] = notes.add(greeting(r, who.name)) if r.random() < 0.2 else []
        for _ in range(r.randint(3, 8)):
            kind = r.random()
            if kind < 0.72:
                asked = ask_known(r, facts)
            elif kind < 0.9:
                asked = ask_unknown(r, facts)
            else:
                asked = r.choice((lambda: clock_questions(r, notes.now), lambda: aside(r), lambda: own_name(r, who.name, who.role), lambda: refusal(r)))()
            turns += notes.add(asked)
        return Dialogue(prompt(r, who, facts), turns, [1.0] * len(turns))


def interrupted(r: random.Random, dialogue: Dialogue) -> Dialogue:
    """Now and then a reply was cut short by the caller: history holds only its beginning, or none of it."""
    places = [p for p, (role, _) in enumerate(dialogue.turns[:-1]) if role == "assistant" and p > 0]
    if not places or r.random() > 0.08:
        return dialogue
    place = r.choice(places)
    words = dialogue.turns[place][1].split()
    if r.random() < 0.3:
        question, _, following = dialogue.turns[place - 1 : place + 2]
        dialogue.turns[place - 1 : place + 2] = [("user", joined(question[1], following[1]))]
        del dialogue.weights[place : place + 2]
        return dialogue
    dialogue.turns[place] = ("assistant", " ".join(words[: r.randint(1, max(1, len(words) - 1))]))
    dialogue.weights[place] = 0.0
    return dialogue


def _show(seed: int) -> None:
    r = random.Random(seed)
    grammar = Grammar()
    for _ in range(12):
        dialogue = grammar.dialogue(r)
        print(f"[{dialogue.system}]")
        for role, text in dialogue.turns:
            print(f"  {role[0]}: {text}")


if __name__ == "__main__":
    _show(1)
