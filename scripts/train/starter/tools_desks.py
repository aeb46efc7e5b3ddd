"""Desks of businesses: several tools beside each other, of which a request needs one. The assistant asks for the values that the caller did not say."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import values as v
from desks import DESKS, Matter, words
from desks_trades import COUNTED, POOLS, TRADE_DESKS
from grammar_booking import fix_grammar
from grammar_facts import article
from phrases import number_words, say
from talk import MIND_CHANGED, Kit, Talk, act, failed, result
from tool_format import Tool
from tool_values import clock, day, integer

ALL_DESKS = {**DESKS, **TRADE_DESKS}
WHOLE = ("nights", "people", "quantity", "money", "count", "spot", *COUNTED)
LANGUAGES = words("french|spanish|german|italian|chinese|arabic|russian|polish|turkish|dutch|greek|hindi")
HELLO = "[||||||||hello|hi|good morning|hey|excuse me]"
# Numbers of places: integers, or texts in a part of the tools.
NUMBERED = ("room", "table", "bed")
TEXT = {"type": "string"}


def drawn_value(t: Talk, slot: str, pool: tuple[str, ...]) -> tuple[str, str | int]:
    """(words, value of the argument). `pool` has the values of a slot of words."""
    r = t.r
    if slot in ("name", "person"):
        who = v.name(r) if slot == "name" else f"{r.choice(('Doctor', 'Mr', 'Mrs', 'Ms'))} {v.last_name(r)}"
        return who, who
    if slot == "day":
        return day(r)
    if slot == "time":
        return clock(r, evening=False)
    if slot in ("nights", "people"):
        return integer(r, 1, 9)
    if slot in COUNTED:
        return integer(r, 2, 20)
    if slot in POOLS:
        pool = tuple(POOLS[slot].split("|"))
    if slot in ("count", "spot"):
        return integer(r, 2, 30) if t.often(0.8) else integer(r, 31, 400)
    if slot in ("colour", "language"):
        pool = tuple(v.COLOURS) if slot == "colour" else LANGUAGES
    if slot == "quantity":
        return integer(r, 2, 9)
    if slot == "money":
        return integer(r, 5, 900, 5)
    if slot in NUMBERED:
        value = r.randint(101, 699) if t.often(0.7) else r.randint(1, 40)
        digits = " ".join(number_words(int(digit)) for digit in str(value))
        return (r.choice((str(value), number_words(value), digits, digits.replace("zero", "oh"))) if value > 40 else number_words(value)), value
    if slot == "number":
        digits = [r.randint(0, 9) for _ in range(r.randint(3, 6))]
        return " ".join(number_words(digit) for digit in digits), "".join(map(str, digits))
    if slot == "street":
        street = f"{r.choice(v.STREETS)} {r.choice(('Street', 'Street', 'Road', 'Lane', 'Avenue'))}"
        return street, street
    if slot == "city":
        city = r.choice(v.CITIES)
        return city, city
    word = t.of(pool)
    return word, word


def some(words: str) -> str:
    """A thing as a caller asks for it."""
    return words if words.endswith("s") or words in ("soap", "milk", "water", "coffee", "tea", "ice") else article(words)


@dataclass
class Offer:
    """A matter of this conversation's desk: its tool, and the parameter of each slot."""

    matter: Matter
    tool: Tool
    parameters: dict[str, str]
    places_are_text: bool

    def value(self, slot: str, value: str | int) -> str | int:
        return str(value) if slot in NUMBERED and self.places_are_text else value


def offered(t: Talk, matter: Matter) -> Offer:
    parameters: dict[str, str] = {}
    for slot in matter.slots:
        free = [name for name in matter.slot(slot).names if name not in parameters.values()]
        parameters[slot] = t.r.choice(free or [slot])
    places_are_text = t.often(0.3)
    schemas = {parameters[slot]: {"type": "integer"} if slot in WHOLE or (slot in NUMBERED and not places_are_text) else TEXT for slot in matter.slots}
    required = tuple(parameters[slot] for slot in matter.slots if slot not in matter.optional)
    return Offer(matter, Tool(t.of(matter.names), t.r.choice(matter.said), schemas, required), parameters, places_are_text)


class Request:
    """The request of one caller, in words and as arguments."""

    def __init__(self, t: Talk, offer: Offer) -> None:
        self.t, self.offer, self.matter = t, offer, offer.matter
        self.words: dict[str, str] = {}
        self.values: dict[str, str | int] = {}
        slots = list(self.matter.slots)
        if self.matter.changes and len(slots) > 1:
            slots = ["name", t.r.choice(slots[1:])]
        self.slots = [slot for slot in slots if slot != "quantity" or t.often(0.4)]
        for slot in self.slots:
            self.draw(slot)

    def draw(self, slot: str) -> None:
        words, value = drawn_value(self.t, slot, self.matter.pool)
        self.values[slot] = self.offer.value(slot, value)
        self.words[slot] = words
        if slot == "day":
            self.words["on_day"], self.words["day"] = words, words.removeprefix("on ").removeprefix("this ")
        if slot in ("nights", "people"):
            self.words[f"{slot}_s"] = "" if value == 1 else "s"
        if slot in ("item", "quantity") and "item" in self.words:
            thing = self.words["item"]
            plural = thing if thing.endswith("s") else f"{thing}s"
            self.words["some"] = f"{self.words['quantity']} {plural}" if "quantity" in self.words else some(thing)

    def arguments(self) -> dict:
        return {self.offer.parameters[slot]: self.values[slot] for slot in self.matter.slots if slot in self.slots}

    def hears(self, template: str) -> None:
        self.t.hears(template, **self.words)
        role, text = self.t.turns[-1]
        self.t.turns[-1] = (role, fix_grammar(text))

    def says(self, template: str) -> None:
        self.t.says(template, **self.words)

    def asked(self) -> list[str]:
        """The opening words; returns the slots that they leave out. Callers say the values in any order."""
        t = self.t
        wording = t.of(tuple(want for want in self.matter.wants if set(re.findall(r"\{(\w+)\}", want)) <= self.words.keys()))
        inside = {slot.removeprefix("on_") for slot in re.findall(r"\{(\w+)\}", wording)}
        if "some" in inside:
            inside |= {"item", "quantity"}
        elif "quantity" in self.slots:
            self.slots.remove("quantity")
        rest = [slot for slot in self.slots if slot not in inside and slot != "quantity"]
        share = t.r.choice((0.0, 0.5, 0.85, 1.0, 1.0))
        told = [slot for slot in rest if t.often(share)]
        t.r.shuffle(told)
        told.sort(key="number".__eq__)  # last, or the digits of the next value seem to belong to it
        self.hears(f"{HELLO} [{wording}] {' '.join(f'[{self.tail(slot)}]' for slot in told)} [||please]")
        if (told or inside) and t.often(0.1):
            self.corrected_at_once([*told, *(slot for slot in self.slots if slot in inside)])
        return [slot for slot in self.slots if slot in rest and slot not in told]

    def tail(self, slot: str) -> str:
        """How a request names the value."""
        return f"to {{{slot}}}|{self.matter.slot(slot).tail}" if self.matter.changes and slot != "name" else self.matter.slot(slot).tail

    def question(self, slot: str) -> str:
        return "[What should I change it to|What would you like to change|What shall I change]?" if self.matter.changes and slot != "name" else self.matter.slot(slot).question

    def corrected_at_once(self, told: list[str]) -> None:
        slot = told[0] if len(told) == 1 else self.t.r.choice(told)
        if slot == "item":
            return
        _, text = self.t.turns.pop()
        self.draw(slot)
        self.hears(f"{text} [no|no sorry|i mean|sorry no|no wait] [{self.matter.slot(slot).answer}]")

    def collect(self) -> None:
        missing, t = self.asked(), self.t
        said = [slot for slot in self.slots if slot not in missing and slot != "quantity"]
        while missing:
            slot = missing.pop(0)
            echo = f"[Okay|Sure|All right], {self.matter.slot(said[-1]).echo}. " if said and self.matter.slot(said[-1]).echo and t.often(0.25) else "[|Sure. |Okay. |Of course. ]"
            label = self.offer.parameters[slot].replace("_", " ")
            # The second form is the server's own question for a missing value.
            self.says(echo + self.question(slot) if t.often(0.75) else f"Could you please tell me the {label}?")
            odd = t.r.random()
            if odd < 0.12 and (fitting := [one for one in said if one != "item"]):
                changed = t.r.choice(fitting)
                self.draw(changed)
                self.hears(f"{MIND_CHANGED} [|make it|i meant|make that] [{self.matter.slot(changed).answer}]")
                self.says("[No problem|Okay|Sure]. " + self.question(slot))
            elif odd < 0.2:
                t.hears("[um|uh|let me think|one moment|wait|yes|what|sorry what|pardon]")
                self.says("[Sorry|Sure|Of course]. " + self.question(slot))
            self.hears(f"[{self.matter.slot(slot).answer}] [||please]")
            said.append(slot)


def carried_out(request: Request, order: str) -> bool:
    t, matter, name = request.t, request.matter, request.offer.tool.name
    if not matter.finds:
        return act(t, [(name, request.arguments())], "ok", f"[[Done|Okay|Sure|All right|Of course], [{matter.reply}]|[Done|Great|Okay]. [{matter.reply}]]", order, **request.words)
    t.calls((name, request.arguments()))
    if t.often(0.08):
        as_result, answer = failed(t)
        t.gets(as_result)
        t.turns.append(("assistant", answer))
        return False
    key, kind = matter.finds
    found = found_value(t, kind)
    words = {**request.words, "found": str(found)}
    data = {key: found, **(request.arguments() if t.often(0.3) else {}), **({"currency": "dollars"} if kind == "money" and t.often(0.3) else {})}
    t.gets(result(t, data, say(t.r, f"[{matter.reply}]", **words), order))
    t.says(f"[||Sure. ][{matter.reply}]", **words)
    return True


def found_value(t: Talk, kind: str) -> str | int:
    if kind == "money":
        return t.r.randint(3, 950)
    if kind == "count":
        return t.r.randint(2, 48)
    if kind == "time":
        return f"{t.r.randint(6, 22):02d}:{t.r.choice((0, 5, 10, 15, 20, 30, 40, 45, 50)):02d}"
    if kind == "day":
        return t.r.choice(v.DAYS)
    if kind == "name":
        return v.name(t.r)
    return t.of(kind.split("/"))


def desk(talk: Talk) -> Kit:
    """Between two and seven matters of one business."""
    r = talk.r
    matters = ALL_DESKS[talk.of(tuple(ALL_DESKS))]
    chosen = r.sample(matters, min(len(matters), r.choice((2, 3, 4, 5, 6, 7))))
    chosen += [other for other in matters if other not in chosen and other.changes and any(other.changes == one.makes for one in chosen) and r.random() < 0.6]
    return kit_of(talk, chosen, [matter for matter in matters if matter not in chosen])


def kit_of(talk: Talk, chosen: list[Matter], absent: list[Matter]) -> Kit:
    """Tools for the chosen matters. Requests for the absent ones are declined."""
    r = talk.r
    offers = list({offer.tool.name: offer for offer in (offered(talk, matter) for matter in chosen)}.values())

    def wanted(offer: Offer) -> Callable[[Talk], None]:
        def scene(t: Talk) -> None:
            if t.often(0.04):
                t.hears("[uh|um|uh the|er the|hm|the er|so i|well um]")
                t.says("[Sorry, I didn't catch that.|I'm sorry, I didn't get that.] [How can I help?|What can I do for you?|]")
            request = Request(t, offer)
            request.collect()
            order = r.choice(offers).tool.name if t.often(0.05) else ""
            if carried_out(request, order) and t.often(0.3):
                later(t, request)

        return scene

    def later(t: Talk, request: Request) -> None:
        """The caller changes or cancels what was just made."""
        fitting = [offer for offer in offers if request.matter.makes and offer.matter.changes == request.matter.makes]
        slots = [slot for slot in request.slots if slot not in ("name", "item")]
        if not fitting or not slots or "name" not in request.slots:
            return
        mover = t.r.choice(fitting)
        movable = [slot for slot in mover.matter.slots if slot in slots]
        if len(mover.matter.slots) == 1:
            t.hears("[actually|] cancel [it|that] [again|please|]|[no|sorry] i don't need it anymore|actually please cancel that")
            act(t, [(mover.tool.name, {mover.parameters["name"]: request.values["name"]})], "ok", "[Okay|Done|All right], it is cancelled.")
        elif movable:
            slot = t.r.choice(movable)
            request.draw(slot)
            request.hears(f"{MIND_CHANGED} [|make it|make that|can we do|change it to|can you make it] [{request.matter.slot(slot).answer}]")
            act(t, [(mover.tool.name, {mover.parameters["name"]: request.values["name"], mover.parameters[slot]: mover.value(slot, request.values[slot])})], "ok", "[Okay|Done|No problem|Sure], it is changed.")

    def not_there(t: Talk) -> None:
        matter = t.r.choice(absent)
        request = Request(t, offered(t, matter))
        request.asked()
        t.says("[I'm sorry|Sorry], I can't do that. [||Can I help with something else?]")

    scenes = [wanted(offer) for offer in offers for _ in range(2)]
    return Kit([offer.tool for offer in offers], [*scenes, *([not_there] if absent else [])])
