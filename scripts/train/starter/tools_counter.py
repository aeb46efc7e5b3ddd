"""Counters with invented offers: verbs and nouns at random, so that only the words of the list tell which tool fits."""

from pathlib import Path

import values as v
from desks import SLOTS, Matter, Slot, words
from grammar_facts import article
from talk import Kit, Talk
from tools_desks import kit_of
from tools_lookup import snake

# The nouns are those of the Common Voice sentences (CC0), and some of trades and of homes.
NOUNS = (Path(__file__).parent / "nouns.txt").read_text("utf-8").splitlines()
VERBS = [tuple(pair.split()) for pair in """order ordered|book booked|cancel cancelled|send sent|find found|report reported|print printed|renew renewed|check checked|block blocked|open opened|confirm confirmed|repair repaired|
clean cleaned|collect collected|deliver delivered|rent rented|move moved|store stored|register registered|replace replaced|measure measured|paint painted|wash washed|mend mended|pack packed|call called|sell sold|buy bought|
change changed|add added|remove removed|lock locked|charge charged|test tested|sign signed|translate translated|copy copied|scan scanned|plan planned|prepare prepared|inspect inspected|track tracked|return returned|
refund refunded|borrow borrowed|lend lent|plant planted|cut cut|fill filled|empty emptied|count counted|list listed|show shown|read read|announce announced|invite invited|visit visited|feed fed|walk walked|
train trained|weigh weighed|wrap wrapped|polish polished|heat heated|cool cooled|raise raised|lower lowered|start started|stop stopped|pause paused|record recorded|save saved|delete deleted|share shared|
reserve reserved|bring brought|make made|request requested|schedule scheduled|update updated|extend extended|pick picked|pay paid|hold held|keep kept|mail mailed|post posted|exchange exchanged|insure insured|
close closed|light lit|assemble assembled|install installed|adjust adjusted|compare compared|verify verified|file filed|submit submitted|search searched|water watered|dry dried|iron ironed|park parked|tow towed""".replace("\n", "").split("|")]
FETCHING = {"order", "book", "send", "bring", "rent", "buy", "reserve", "make", "find", "request", "borrow", "lend"}
# Aspects of a thing: the kind of its value, and questions that do not name the aspect.
ASPECTS = {
    "price": ("money", "how much is [the|a] {n}|what does [the|a] {n} cost"), "fee": ("money", "how much [is|do i pay for] the {n}"), "balance": ("money", "how much is [on|in] the {n}"), "age": ("count", "how old is [the|my] {n}"), "size": ("count", "how [big|large] is the {n}"),
    "weight": ("count", "how heavy is [the|my] {n}"), "distance": ("count", "how far is [it to|] the {n}"), "length": ("count", "how long is the {n}"), "start": ("time", "when does the {n} [start|begin]"), "end": ("time", "until when is the {n}|when does the {n} end"),
    "deadline": ("day", "until when [do i need|can i bring] the {n}|by when do you need the {n}"), "arrival": ("time", "when does [the|my] {n} [arrive|come]"), "owner": ("name", "who owns the {n}|whose {n} is it"), "status": ("ready/not ready/in progress/on hold/finished/late", "is [my|the] {n} [ready|done|finished]|how is my {n}|what about my {n}"),
    "place": ("in the hall/upstairs/at the gate/in the yard/on shelf four/next door", "where is [the|my] {n}|where can i find [the|a] {n}"), "code": ("count", "what do i type for the {n}"), "number": ("count", "how many {n}s are [there|left]|how many {n}s do you have"), "stock": ("count", "do you have [a|any] {n}|are there any {n}s [left|]"), "level": ("count", "how full is the {n}"), "temperature": ("count", "how [warm|cold|hot] is the {n}"),
}
OWN = ("count", "spot", "colour", "language")
GENERAL = ("name", "day", "time", "number", "street", "city", "people")


def noun(t: Talk) -> str:
    kind = t.r.random()
    if kind < 0.06:
        return v.invented(t.r).lower()
    return f"{t.of(NOUNS)} {t.of(NOUNS)}" if kind < 0.12 else t.of(NOUNS)


def slots_of(t: Talk, most: int) -> dict[str, Slot]:
    """Slots of a matter. Those of `OWN` name a parameter by a noun, a colour or a language."""
    chosen: dict[str, Slot] = {}
    for slot in t.r.sample((*GENERAL, *OWN), t.r.choice(range(most + 1))):
        thing = t.of(NOUNS)
        chosen[slot] = {
            "count": Slot((f"{snake(thing)}s", snake(thing), f"number_of_{snake(thing)}s"), f"{{count}} {thing}s|for {{count}} {thing}s|with {{count}} {thing}s", f"{{count}}|{{count}} {thing}s", f"[How many {thing}s|For how many {thing}s]?", f"{{count}} {thing}s"),
            "spot": Slot((snake(thing), snake(thing), f"{snake(thing)}_number"), f"[for|at|to|in|on] {thing} {{spot}}|{thing} {{spot}}", f"{thing} {{spot}}|{{spot}}", f"[Which {thing}|Which {thing} is it]?", f"{thing} {{spot}}"),
            "colour": Slot(("colour", "color"), "in {colour}", "{colour}|{colour} please|in {colour}", "[What colour|Which colour would you like]?", "in {colour}"),
            "language": Slot(("language", "in"), "in {language}", "{language}|in {language}", "[In which language|What language]?", "in {language}"),
        }.get(slot) or SLOTS[slot]
    return chosen


def named(t: Talk, verb: str, thing: str) -> tuple[str, ...]:
    verb, thing = snake(verb), snake(thing)
    return (f"{verb}_{thing}",) * 6 + (f"{thing}_{verb}", f"{verb}_a_{thing}", f"{verb}_my_{thing}", f"{verb}_{thing}s")


def deed(t: Talk, verb: str, done: str, thing: str) -> Matter:
    """A verb and a thing, or a verb and a parameter for the thing."""
    slots = slots_of(t, 3)
    if t.often(0.3):
        kind = t.r.choice(("item", "thing", "object", "article", "what", "name", "subject", snake(t.of(NOUNS))))
        own = {**slots, "what": Slot((kind,), "{what}", "[the|my|a|] {what}", f"[What should I {verb}|What would you like to {verb}|Which one]?")}
        wants = words(f"[|please|can you|could you|would you] {verb} [the|my|a|this] {{what}}|[i want to|i need to|i'd like to|i have to] {verb} [the|my|a] {{what}}|[the|my] {{what}} [has to be|must be|should be] {done}")
        said = (f"{verb.capitalize()}s something.", f"{verb.capitalize()}s a thing.", f"{verb.capitalize()}s {article(kind.replace('_', ' '))}.", f"For callers who want to {verb} something.")
        names = (verb, f"{verb}_{kind}", f"{verb}_something", f"{verb}_it")
        return Matter(names, said, ("what", *slots), wants, f"the {{what}} is {done}.", pool=tuple(NOUNS), own=own)
    wants = words(f"[|please|can you|could you|would you] {verb} [a|my|the|the] {thing}|[i want to|i need to|i'd like to|i have to] {verb} [{article(thing)}|my {thing}|the {thing}]|[my|the] {thing} [has to be|must be|should be] {done}|{verb} [my|the] {thing}")
    if verb in FETCHING:
        wants += words(f"[i need|i'd like|can i get|could i have|i want] {article(thing)}|{article(thing)} please")
    if "count" in slots:
        wants += (f"[|please|can you|could you] {verb} {{count}} {thing}s",)
        slots["count"] = Slot((f"{snake(thing)}s", "amount", "how_many", "quantity"), f"{{count}} {thing}s", f"{{count}}|{{count}} {thing}s", f"How many {thing}s?", f"{{count}} {thing}s")
    if "colour" in slots:
        wants += (f"[|please|can you] {verb} a {{colour}} {thing}",)
    said = (f"{verb.capitalize()}s {article(thing)}.", f"{verb.capitalize()}s the {thing} of a customer.", f"For callers who want to {verb} {article(thing)}.", f"{verb.capitalize()}s {article(thing)} for somebody.", f"{thing.capitalize()}: {verb} one.")
    return Matter(named(t, verb, thing), said, tuple(slots), wants, f"[your|the] {thing} is {done}.", own=slots)


def aspect(t: Talk, thing: str) -> Matter:
    """A question about a thing."""
    what = t.of(tuple(ASPECTS))
    kind, questions = ASPECTS[what]
    slots = slots_of(t, 1)
    wants = words(f"what is the {what} of [the|my] {thing}|[tell me|can you tell me|i'd like to know|what about] the {what} of [the|my] {thing}|the {what} of the {thing} please|" + questions.replace("{n}", thing))
    names = (f"{what}_of_{snake(thing)}", f"{snake(thing)}_{what}", f"get_{snake(thing)}_{what}", f"check_{what}_of_{snake(thing)}", f"{snake(thing)}_{what}")
    said = (f"Tells the {what} of {article(thing)}.", f"The {what} of {article(thing)}.", f"Looks up the {what} of {article(thing)}.", f"Finds the {what} of the {thing}.")
    return Matter(names, said, tuple(slots), wants, f"[It's|The {what} of the {thing} is] {{found}}{' dollars' if kind == 'money' else ''}.", finds=(t.r.choice((what, "value", "result")), kind), own=slots)


def counter(talk: Talk) -> Kit:
    """Up to six offers. They share verbs and things, so that both have to fit."""
    r = talk.r
    many = r.choice((1, 2, 3, 4, 5, 6, 6))
    verbs = [talk.of(VERBS) for _ in range(max(1, many * 2 // 3))]
    things = [noun(talk) for _ in range(max(1, many * 3 // 4))]
    pairs = [(verb, thing) for verb in dict.fromkeys(verbs) for thing in dict.fromkeys(things)]
    r.shuffle(pairs)
    matters = [aspect(talk, thing) if talk.often(0.3) else deed(talk, *verb, thing) for verb, thing in pairs[: many + 1]]
    return kit_of(talk, matters[:many], matters[many:])

