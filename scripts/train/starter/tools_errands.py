"""Tools of other businesses that take messages, orders, list items and dates."""

import values as v
from grammar_home import DRINKS, SIZES
from phrases import say
from talk import Kit, Talk, act
from tool_format import Tool
from tool_values import clock, day, integer
from tools_lookup import noun, snake

ITEMS = """milk|bread|eggs|butter|cheese|apples|bananas|rice|coffee|sugar|soap|tomatoes|onions|potatoes|candles|batteries|honey|
lemons|paper|flour|pepper|salt|oranges|carrots|yogurt|spinach""".replace("\n", "").split("|")
SAID = """i'll be late|the meeting is moved|i can't come|please call me back|the package is here|happy birthday|dinner is ready|i left the keys inside|
thank you for the flowers|the train is delayed|we need more chairs|the door is open|i am on my way|see you soon|bring an umbrella""".replace("\n", "").split("|")
LISTS = "shopping list|list|order|cart|basket|wish list|inventory".split("|")


def message(talk: Talk) -> Kit:
    r = talk.r
    to, text = r.choice(("to", "recipient", "name", "person")), r.choice(("text", "message", "content", "words"))
    name = talk.of(("send_message", "take_message", "leave_message", "write_note", "send_text", "tell", "notify"))
    tool = Tool(name, r.choice(("Sends a message to a person.", "Passes on a message.", "Leaves a message for somebody.")), {to: {"type": "string"}, text: {"type": "string"}}, (to, text))

    def send(t: Talk) -> None:
        who, said = v.name(r), t.of(SAID)
        if t.often(0.4):
            t.hears("[take a message for|i have a message for|leave a message for|can you take a message for|send a message to] {who}", who=who)
            t.says("[Sure|Of course]. [What should I tell {who}|What is the message]?", who=who)
            t.hears("[tell them|say|] {said}", said=said)
        else:
            t.hears("[tell|send a message to|text|message] {who} {said}|let {who} know {said}", who=who, said=said)
        act(t, [(name, {to: who, text: said})], "ok", "[Okay|Done|Sure], I've told {who}: {said}.", who=who, said=said)

    return Kit([tool], [send])


def listing(talk: Talk) -> Kit:
    r = talk.r
    which = talk.of(LISTS)
    item, amount = r.choice(("item", "product", "what", "article")), r.choice(("quantity", "amount", "count", "number"))
    name = f"{talk.of(('add', 'put', 'append', 'insert'))}_{r.choice(('item', 'product', snake(which)))}"
    tool = Tool(name, f"Adds something to the {which}.", {item: {"type": "string"}, amount: {"type": "integer"}}, (item,))

    def one(t: Talk) -> tuple[dict, str]:
        thing = t.of(ITEMS)
        if t.often(0.4):
            words, value = integer(r, 2, 20)
            return {item: thing, amount: value}, f"{words} {thing}"
        return {item: thing}, thing

    def add(t: Talk) -> None:
        first, words = one(t)
        calls = [(name, first)]
        if t.often(0.3):
            second, more = one(t)
            calls.append((name, second))
            words += f" and {more}"
        t.hears(f"[add|put] {{things}} [to|on] [the|my] {which}|[i need|also] {{things}} on the {which}|{{things}} for the {which} [please|]", things=words)
        act(t, calls, "ok", f"[Okay|Done|Sure], {{things}} {'are' if ' ' in words else 'is'} on the {which}.", things=words)

    return Kit([tool], [add])


def drink(talk: Talk) -> Kit:
    r = talk.r
    drinks = list(dict.fromkeys(talk.of(DRINKS) for _ in range(r.randint(3, 6))))
    what, size, amount = r.choice(("drink", "item", "what")), r.choice(("size", "cup")), r.choice(("quantity", "count", "how_many"))
    name = talk.of(("order_drink", "order", "order_coffee", "new_order", "add_drink", "place_order"))
    tool = Tool(name, r.choice(("Orders a drink.", "Takes an order.", "Orders coffee and tea.")), {what: {"type": "string", "enum": drinks}, size: {"type": "string", "enum": SIZES}, amount: {"type": "integer"}}, (what, size))

    def order(t: Talk) -> None:
        which, cup = r.choice(drinks), r.choice(SIZES)
        words, value = integer(r, 2, 6) if t.often(0.3) else ("a", 0)
        has_size = t.often(0.6)
        plural = "s" if value and not which.endswith("ee") else ""
        t.hears("[can i get|i'd like|could i have|i'll have|give me] {words} {size} {drink} [please|]", words=words, size=cup if has_size else "", drink=which + plural)
        if not has_size:
            t.says("[Sure|Okay]. [What size would you like|Small, medium or large]?")
            t.hears("{size} [please|]|a {size} one", size=cup)
        act(t, [(name, {what: which, size: cup, **({amount: value} if value else {})})], "ok", "[Okay|Done|Sure], {words} {size} {drink}.", words=words, size=cup, drink=which + plural)

    def not_there(t: Talk) -> None:
        which = r.choice([other for other in DRINKS if other not in drinks])
        t.hears("[can i get|i'd like|could i have|i'll have] a [small|medium|large] {drink} [please|]", drink=which)
        t.says("[I'm sorry|Sorry], we don't have {drink}.", drink=which)

    return Kit([tool], [order, order, not_there])


def event(talk: Talk) -> Kit:
    """Something with a title, a day and a time."""
    r = talk.r
    what = noun(talk, "meeting|delivery|call|visit|pickup|inspection|lesson|tour|rehearsal|cleaning|repair|training|interview".split("|"))
    names = [r.choice(options) for options in (("day", "date", "on"), ("time", "at", "hour"), ("name", "with", "person"))]
    has_name = r.random() < 0.5
    name = f"{talk.of(('schedule', 'plan', 'book', 'add', 'arrange', 'create'))}_{snake(what)}"
    schemas = {parameter: {"type": "string"} for parameter in names[: 3 if has_name else 2]}
    tool = Tool(name, say(r, f"[Schedules|Plans|Arranges|Books] a {what}."), schemas, tuple(schemas))

    def plan(t: Talk) -> None:
        (on_day, day_value), (time, time_value), who = day(r), clock(r, evening=False), v.name(r)
        slots = {"what": what, "day": on_day, "time": time, "who": who}
        tail = " with {who}" if has_name else ""
        if t.often(0.3):
            t.hears("[schedule|plan|arrange|book|i need] a {what}" + tail, **slots)
            t.says("[Sure|Okay]. [For when|On which day and at what time]?", **slots)
            t.hears("{day} at {time}|at {time} {day}", **slots)
        elif t.often(0.3):
            t.hears("[schedule|plan|arrange|book|i need] a {what}" + tail + " {day}", **slots)
            t.says("[Sure|Okay]. At what time?", **slots)
            t.hears("at {time}|{time} [please|]", **slots)
        else:
            t.hears("[schedule|plan|arrange|book|i need] a {what}" + tail + " {day} at {time}|can you [schedule|plan] a {what}" + tail + " at {time} {day}", **slots)
        arguments = dict(zip(schemas, (day_value, time_value, who)))
        act(t, [(name, arguments)], "ok", "[Okay|Done|Sure], the {what} is planned {day} at {time}.", **slots)

    return Kit([tool], [plan])
