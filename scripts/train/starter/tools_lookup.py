"""Tools of other businesses that look something up. Their names and parameters are drawn, so that the model reads the list."""

import re

import values as v
from grammar_facts import THINGS
from phrases import number_words, say
from talk import Kit, Talk, failed, result
from tool_format import Tool

ASPECTS = """price|stock|status|weather|balance|schedule|distance|score|menu|address|size|weight|colour|owner|delivery date|phone number|arrival time|
departure|rating|queue|waiting time|capacity|temperature|platform|gate|forecast|invoice|discount|warranty|availability|speed|level|
population|exchange rate|interest|fee|deadline|result|position|age""".replace("\n", "").split("|")


def snake(text: str) -> str:
    return re.sub(r"[ -]", "_", text.replace("'", "")).lower()


def noun(t: Talk, pool: list[str]) -> str:
    return v.invented(t.r).lower() if t.often(0.25) else t.of(pool)


def key(t: Talk) -> tuple[str, str, str]:
    """(name of the parameter, words, value) of a thing to look up."""
    kind = t.r.random()
    if kind < 0.3:
        city = t.r.choice(v.CITIES)
        return t.r.choice(("city", "place", "location")), city, city
    if kind < 0.55:
        thing = t.of(THINGS)
        return t.r.choice(("product", "item", "thing")), thing, thing
    if kind < 0.8:
        name = v.name(t.r)
        return t.r.choice(("name", "person", "customer")), name, name
    digits = [t.r.randint(0, 9) for _ in range(t.r.randint(3, 6))]
    return t.r.choice(("number", "order_number", "code", "id")), " ".join(number_words(d) for d in digits), "".join(map(str, digits))


def lookup(talk: Talk) -> Kit:
    r = talk.r
    aspect = noun(talk, ASPECTS)
    parameter, _, _ = fixed = key(talk)
    name = f"{talk.of(('get', 'find', 'check', 'look_up', 'read', 'fetch', 'query', 'tell'))}_{snake(aspect)}" if r.random() < 0.8 else snake(aspect)
    tool = Tool(name, say(r, f"[Tells|Finds|Looks up|Gets] the {aspect} of a {parameter.replace('_', ' ')}."), {parameter: {"type": "string"}}, (parameter,))

    def draw(t: Talk) -> tuple[str, str]:
        for _ in range(60):
            drawn = key(t)
            if drawn[0] == parameter:
                return drawn[1:]
        return fixed[1:]

    def ask(t: Talk) -> None:
        words, value = draw(t)
        slots = {"aspect": aspect, "key": words}
        if t.often(0.2):
            t.hears("[what's|what is|tell me|i need|can you check] the {aspect}", **slots)
            t.says(f"[Sure|Of course]. [Of|For] which {parameter.replace('_', ' ')}?")
            t.hears("{key} [please|]|[of|for] {key}|it's {key}", **slots)
        else:
            t.hears(("[what's|what is] the {aspect} [of|for|in] {key}", "check the {aspect} [of|for] {key}", "can you look up the {aspect} [of|for] {key}", "{aspect} [of|for|in] {key} [please|]", "tell me the {aspect} [of|for] {key}",
                     "do you know the {aspect} of {key}", "i'd like to know the {aspect} [of|for] {key}"), **slots)
        for attempt in range(2):
            t.calls((name, {parameter: value}))
            if t.often(0.08):
                as_result, answer = failed(t)
                t.gets(as_result)
                t.turns.append(("assistant", answer))
                return
            found = r.choice((str(r.randint(2, 500)), f"{r.randint(2, 90)} {r.choice(('dollars', 'minutes', 'miles', 'pieces', 'degrees', 'percent'))}", t.of(v.COLOURS), v.written_clock(r), v.last_name(r), "open", "ready", "sunny", "not available"))
            t.gets(result(t, r.choice(({snake(aspect): found}, {parameter: value, snake(aspect): found}, {"value": found}, {"result": found})), r.choice((found, f"The {aspect} is {found}.")), "transfer" if t.often(0.06) else ""))
            t.says("The {aspect} is {found}." if t.often(0.5) else "The {aspect} [of|for] {value} is {found}.", value=value, found=found, aspect=aspect)
            if attempt or not t.often(0.3):
                return
            words, value = draw(t)
            t.hears("[and|what about|and what about] [for|of|] {key}|no i meant {key}|and {key}", key=words)

    return Kit([tool], [ask])
