"""Requests of any business: a verb and a thing in the tool's name, and values as its parameters."""

import values as v
from phrases import number_words
from talk import Kit, Talk, act
from tool_format import Tool
from tool_values import clock, day, integer
from tools_lookup import snake

TEXT, WHOLE = {"type": "string"}, {"type": "integer"}
# Verbs of a tool with the things that they fit.
ERRANDS = {
    "order": "taxi|refill|cake|pizza|part|battery|uniform|cab|bouquet|prescription|sandwich",
    "book": "room|table|appointment|massage|court|ticket|lesson|seat|parking space|haircut|car|flight|check-up",
    "cancel": "appointment|order|booking|subscription|ticket|contract|meeting|lesson|flight|visit",
    "send": "plumber|mechanic|invoice|receipt|contract|brochure|reminder|letter|courier|catalogue",
    "find": "lawyer|dentist|book|document|apartment|tutor|hotel|file|recipe|specialist|notary",
    "report": "fault|leak|theft|accident|power cut|lost key|damage|noise|broken lift",
    "print": "report|ticket|label|form|letter|boarding pass|certificate",
    "renew": "passport|licence|membership|contract|card|permit|pass",
    "check": "order|parcel|claim|account|application|refund|payment|meter",
    "block": "card|account|number|phone|badge",
    "open": "ticket|account|case|claim|file",
    "confirm": "appointment|booking|order|visit|delivery",
}
# For each kind of value: names of its parameter, how a caller adds it, and the question for it.
KINDS = {
    "name": (("name", "customer", "patient", "guest", "client", "caller_name", "who"), ("for {it}", "my name is {it}", "under {it}", "the name is {it}", "this is {it}"), "[May I have your name|What is the name|Under which name]"),
    "time": (("time", "at", "hour", "when"), ("at {it}", "for {it}", "at {it} please"), "[At what time|For what time]"),
    "day": (("day", "date", "weekday"), ("{it}", "for {it}"), "[On which day|For which day]"),
    "number": (("room", "table", "floor", "platform", "desk"), ("for {spot} {it}", "in {spot} {it}", "{spot} {it}"), "[Which {spot} is it|For which {spot}]"),
    "amount": (("people", "nights", "hours", "pieces", "copies", "days"), ("for {it} {spot}", "{it} {spot}"), "[How many {spot}|For how many {spot}]"),
    "digits": (("number", "code", "order_number", "id", "reference", "last_digits"), ("number {it}", "the number is {it}", "ending in {it}", "with the number {it}"), "[What is the number|Which number]"),
    "street": (("street", "address", "to", "destination", "place"), ("to {it}", "in {it}", "at {it}"), "[To which street|What is the address|Where to]"),
    "city": (("city", "to", "place", "destination", "location"), ("in {it}", "to {it}", "near {it}"), "[In which city|Which city]"),
}


def drawn_value(talk: Talk, kind: str) -> tuple[str, str | int]:
    """(words, value of the argument)."""
    r = talk.r
    if kind == "name":
        who = v.name(r)
        return who, who
    if kind == "time":
        return clock(r, evening=False)
    if kind == "day":
        return day(r)
    if kind == "number":
        return integer(r, 1, 40)
    if kind == "amount":
        return integer(r, 2, 12)
    if kind == "digits":
        digits = [r.randint(0, 9) for _ in range(r.randint(3, 5))]
        return " ".join(number_words(digit) for digit in digits), "".join(map(str, digits))
    place = r.choice(v.CITIES) if kind == "city" else f"{r.choice(v.STREETS)} {r.choice(('Street', 'Street', 'Road', 'Lane'))}"
    return place, place


def errand(talk: Talk) -> Kit:
    """A tool with up to two parameters. The assistant asks for a value that the caller did not say."""
    r = talk.r
    verb = talk.of(tuple(ERRANDS))
    thing = talk.of(ERRANDS[verb].split("|"))
    kinds = r.sample(tuple(KINDS), r.choice((0, 1, 1, 1, 2, 2)))
    names = [r.choice(KINDS[kind][0]) for kind in kinds]
    if len({*names}) < len(names):
        kinds, names = kinds[:1], names[:1]
    name = f"{verb}_{snake(thing)}"
    article = "an" if thing[0] in "aeiou" else "a"
    properties = {parameter: WHOLE if kind in ("number", "amount") else TEXT for kind, parameter in zip(kinds, names)}
    tool = Tool(name, r.choice((f"{verb.capitalize()}s {article} {thing}.", f"{verb.capitalize()}s {article} {thing} for the caller.", f"For callers who want to {verb} {article} {thing}.")), properties, tuple(properties))

    def go(t: Talk) -> None:
        values = [drawn_value(t, kind) for kind in kinds]
        spots = [parameter if kind in ("number", "amount") else "" for kind, parameter in zip(kinds, names)]
        said = [t.often(0.75) for _ in kinds]
        tails = [r.choice(KINDS[kind][1]).replace("{it}", f"{{it{place}}}").replace("{spot}", spots[place]) for place, kind in enumerate(kinds) if said[place]]
        r.shuffle(tails)
        slots = {f"it{place}": words for place, (words, _) in enumerate(values)}
        some = f"[{article}|{article}|my] {thing}"
        wants = f"i need to {verb} {some}|i'd like to {verb} {some}|i want to {verb} {some}|please {verb} {some}|can you {verb} {some}|{verb} {some}"
        if verb in ("order", "book", "send", "find"):
            wants += f"|i need {article} {thing}|i need {article} {thing}|i'd like {article} {thing}|{article} {thing} please|could i get {article} {thing}"
        t.hears(f"[{wants}] {' '.join(tails)}", **slots)
        for place, kind in enumerate(kinds):
            if not said[place]:
                question = KINDS[kind][2].replace("{spot}", spots[place])
                t.says(f"[Sure|Okay|Of course]. {question}?")
                t.hears(r.choice(("{it}", "{it} please", "{it}", *KINDS[kind][1])).replace("{spot}", spots[place]), it=values[place][0])
        act(t, [(name, dict(zip(names, (value for _, value in values))))], "ok", r.choice(("[Okay|Done|Sure].", f"[Okay|Sure|Done], your {thing} is [taken care of|done].")))

    return Kit([tool], [go])
