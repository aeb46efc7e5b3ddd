"""Conversations with tools: a prompt that lists some, scenes that use them, and turns that need none."""

import random
import re
from collections.abc import Callable

from grammar import Dialogue, persona, prompt, with_style
from fact_questions import ask_known, ask_unknown, draw_facts
from grammar_refusals import override, refusal
from grammar_talk import aside, clock_questions, courtesy, greeting, own_name
from notes import Moment, Notes, moment
from talk import Kit, Talk
from tool_format import CALL, RESPONSE, Tool, documented
from tools_booking import bookings
from tools_counter import counter
from tools_desk import ending, hours, transfers
from tools_desks import desk
from tools_devices import action, device, level
from tools_errands import drink, event, listing, message
from tools_forms import FORMS, climate, countdown, lamps, openers, put_through, service, weather
from tools_house import house, questions
from tools_lookup import lookup
from tools_timers import timers

Scene = Callable[[Talk], None]
INVENTED = (lookup, questions, device, level, message, listing, action, drink, event, *FORMS)
BUSINESS = {"booking", "changes", "orders", "lookup"}
# The matters of grammar_refusals that a kit covers.
COVERS = {timers: {"timers", "reminders"}, house: {"house"}, questions: {"house"}, bookings: {"booking", "changes"}, device: {"house"}, level: {"house"}, drink: {"orders"}, event: {"booking"}, listing: {"lists", "orders"},
          message: {"messages"}, transfers: {"people"}, hours: {"hours"}, lookup: {"lookup"}, lamps: {"house"}, countdown: {"timers", "reminders"}, service: {"orders"}, openers: {"house"},
          put_through: {"people"}, weather: {"lookup"}, climate: {"house"}, desk: BUSINESS, counter: BUSINESS}
# The share of `requests` in the conversations with tools.
DENSE_SHARE = 0.55
# Questions that need no call in other prompts.
CONFLICTS = {"people": "speak|talk to|human|person", "hours": "open|hour|clos", "changes": "cancel", "lookup": "how much|price|cost|address|number|who|where|charge"}


class ToolGrammar:
    """With `test` it draws from the held-out names, wordings and tools. A list without held-out entries gives all of its entries."""

    def __init__(self, test: bool) -> None:
        self.test = test

    def kinds(self, r: random.Random) -> list:
        chance = r.random()
        if chance < 0.26:
            return [timers, house, *([ending] if r.random() < 0.5 else []), *([transfers] if r.random() < 0.3 else [])]
        if chance < 0.54:
            return [bookings, hours, *([ending] if r.random() < 0.4 else []), *([transfers] if r.random() < 0.4 else [])]
        if chance < 0.64:
            return r.sample(INVENTED, r.choice((1, 2, 2, 3)))
        if chance < 0.92:
            return [r.choice((desk, counter)), *([ending] if r.random() < 0.3 else []), *([transfers] if r.random() < 0.3 else [])]
        pool = [timers, house, bookings, hours, ending, transfers, *INVENTED]
        return r.sample(pool, r.choice((1, 1, 2, 2, 3, 4)))

    def requests(self, r: random.Random) -> list:
        """Tools whose values come over several turns or are corrected: what is missing or wrong needs the densest practice."""
        return [*r.choice(((bookings,), (bookings,), (bookings,), (desk,), (counter,), (timers, house), (timers, house))), *([hours] if r.random() < 0.2 else []), *([ending] if r.random() < 0.2 else []), *([transfers] if r.random() < 0.2 else [])]

    def dialogue(self, r: random.Random) -> Dialogue:
        is_dense = r.random() < DENSE_SHARE
        kinds = self.requests(r) if is_dense else self.kinds(r)
        talk = Talk(r, self.test)
        kits = [(kind, kind(talk)) for kind in kinds]
        names: set[str] = set()
        tools: list[Tool] = []
        for _, kit in kits:
            if names.isdisjoint(tool.name for tool in kit.tools):
                tools += kit.tools
                names |= {tool.name for tool in kit.tools}
        kits = [(kind, kit) for kind, kit in kits if all(tool in tools for tool in kit.tools)]
        if r.random() < 0.5:
            r.shuffle(tools)
        covered = set().union(*(COVERS.get(kind, set()) for kind, _ in kits))
        who, notes = persona(r), Notes(r, moment(r) if r.random() < 0.95 else Moment())
        facts = [fact for fact in draw_facts(r, r.choice((1, 2, 3, 4))) if fact.topic != "hours" or hours not in kinds] if r.random() < 0.5 else []
        turns: list[tuple[str, str]] = []
        if r.random() < 0.15:
            turns += notes.add(greeting(r, who.name))
        calm = [kit for kind, kit in kits if kind is not ending and kind is not transfers]
        for _ in range(6 if is_dense else r.choice((2, 2, 3, 3, 4, 5))):
            if sum(len(text) for _, text in turns) > (1900 if is_dense else 1800):
                break
            if r.random() < (0.1 if is_dense else 0.3) or not calm:
                request = drawn(r, self.test, r.choice(r.choice(kits)[1].scenes))[0][1]
                free = self.without_call(r, who, facts, notes.now, covered, r.choice(tools).name, request)
                if not any(re.search(CONFLICTS[matter], free[0][1], re.I) for matter in covered & CONFLICTS.keys() if free):
                    turns += notes.add(free)
            else:
                turns += notes.add(self.scene(r, calm, 0.3 if is_dense else 0.15))
        closing = [kit for kind, kit in kits if kind is ending or kind is transfers]
        if closing and r.random() < 0.6:
            turns += notes.add(drawn(r, self.test, r.choice(r.choice(closing).scenes)))
        elif r.random() < 0.1:
            turns += notes.add(courtesy(r, 0 if closing else 1))
        if not turns:
            turns += notes.add(drawn(r, self.test, r.choice(r.choice(kits)[1].scenes)))
        return with_style(r, one_by_one(r, cut_short(r, Dialogue(documented(prompt(r, who, facts), tools), turns, [1.0] * len(turns)))))

    def pick(self, r: random.Random, kits: list[Kit]) -> Scene:
        return r.choice(r.choice(kits).scenes)

    def scene(self, r: random.Random, kits: list[Kit], two_at_once: float) -> list[tuple[str, str]]:
        scene = self.pick(r, kits)
        if r.random() < two_at_once:
            both = at_once(drawn(r, self.test, scene), drawn(r, self.test, self.pick(r, kits)))
            if both:
                return both
        return drawn(r, self.test, scene)

    def without_call(self, r: random.Random, who, facts, now: Moment, covered: set[str], tool: str, request: str) -> list[tuple[str, str]]:
        chance = r.random()
        if facts and chance < 0.38:
            return ask_known(r, facts)
        if chance < 0.44:
            return ask_unknown(r, facts)
        if chance < 0.48:
            return refusal(r, covered)
        if chance < 0.84:
            return override(r, self.test, tool, request)
        if chance < 0.87:
            return clock_questions(r, now)
        if chance < 0.94:
            return aside(r)
        return own_name(r, who.name, who.role) if chance < 0.97 else courtesy(r, 0)


def drawn(r: random.Random, test: bool, scene: Scene) -> list[tuple[str, str]]:
    talk = Talk(r, test)
    scene(talk)
    return talk.turns


def at_once(first: list[tuple[str, str]], second: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Two requests in one turn, called one after the other; empty when one of them is not answered by a call at once."""
    parts = (first[:4], second[:4])
    for turns in parts:
        if [role for role, _ in turns] != ["user", "assistant", "tool", "assistant"] or not turns[1][1].startswith(CALL) or CALL in turns[3][1]:
            return []
    if first[1] == second[1]:
        return []
    joints = (" and ", "\n", "\n", " ")
    return [(role, joint.join((text, other[1]))) for (role, text), other, joint in zip(parts[0], parts[1], joints)]


def cut_short(r: random.Random, dialogue: Dialogue) -> Dialogue:
    """Now and then the caller interrupted a spoken reply: the history holds its beginning only."""
    following = [role for role, _ in dialogue.turns[1:]] + ["end"]
    places = [place for place, (role, text) in enumerate(dialogue.turns) if role == "assistant" and CALL not in text and following[place] == "user"]
    if places and r.random() < 0.2:
        place = r.choice(places)
        words = dialogue.turns[place][1].split()
        dialogue.turns[place] = ("assistant", " ".join(words[: r.randint(1, max(1, len(words) - 1))]))
        dialogue.weights[place] = 0.0
    return dialogue


def one_by_one(r: random.Random, dialogue: Dialogue) -> Dialogue:
    """Now and then the history shows the calls of a reply one after the other, each with its result. Such calls are not learnt from."""
    if r.random() > 0.35:
        return dialogue
    turns, weights = [], []
    for place, (turn, weight) in enumerate(zip(dialogue.turns, dialogue.weights)):
        following = dialogue.turns[place + 1 : place + 2]
        calls, results = parts(turn[1], CALL), parts(following[0][1], RESPONSE) if following else []
        if turn[0] == "assistant" and 1 < len(calls) == len(results):
            turns += [pair for call, result in zip(calls, results) for pair in (("assistant", call), ("tool", result))]
            weights += [0.0, 1.0] * len(calls)
        elif turn[0] != "tool" or not turns or turns[-1][0] != "tool":
            turns.append(turn)
            weights.append(weight)
    return Dialogue(dialogue.system, turns, weights)


def parts(text: str, begin: str) -> list[str]:
    """The calls or the results of a turn; empty when it begins with something else."""
    return [f"{begin}\n{part.strip()}" for part in text.split(begin)[1:]] if text.startswith(begin) else []


def _show(seed: int) -> None:
    r = random.Random(seed)
    grammar = ToolGrammar(False)
    for _ in range(12):
        dialogue = grammar.dialogue(r)
        print(f"[{dialogue.system}]")
        for role, text in dialogue.turns:
            print(f"  {role[0]}: {text}")


if __name__ == "__main__":
    _show(1)
