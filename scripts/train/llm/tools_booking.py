"""Bookings by tool: values come in any order and over several turns, are corrected, asked for, changed and cancelled."""

import json

import values as v
from booking_words import CANCEL, CHANGE, CORRECT, DONE_REPLY, ECHO, GREETED, NAMES, PARAMETERS, RECALL, REFUSED, TO, TYPES, Booking
from grammar_booking import ANSWER, ASK, GIVEN, KINDS, WANT
from talk import MIND_CHANGED, Kit, Talk, act, failed, result
from tool_format import Tool


def changes(talk: Talk) -> Kit:
    """A caller who changes or cancels what was booked before."""
    return bookings(talk, only_changes=True)


def bookings(talk: Talk, only_changes: bool = False) -> Kit:
    r = talk.r
    kind, slots = r.choice((KINDS[0], KINDS[0], KINDS[0], *KINDS[1:]))
    slots = list(slots)
    canonical = r.random() < 0.5
    if not canonical and r.random() < 0.3:
        slots.remove(r.choice(slots[:-1]))
    book, change, cancel = (names[0] if canonical else talk.of(names) for names in (NAMES[kind], CHANGE, CANCEL))
    names = {slot: options[0] if canonical else talk.of(options) for slot, options in PARAMETERS.items()}
    schemas = {names[slot]: {"type": TYPES.get(slot, "string")} for slot in slots}
    a_kind = f"{'an' if kind == 'appointment' else 'a'} {kind}"
    described = {"table": "Books a table.|Reserves a table in the restaurant.|Makes a reservation.", "room": "Books a hotel room.|Reserves a room.", "appointment": "Books an appointment.|Makes an appointment.", "taxi": "Orders a taxi.|Books a ride."}[kind]
    movable = [slot for slot in slots if slot != "name"]
    tools = [Tool(book, r.choice(described.split("|")), schemas, tuple(schemas)),
             Tool(change, r.choice(("Changes a booking.", f"Changes {a_kind} that is booked.", "Moves a booking; only the values that change.")), {names["name"]: {"type": "string"}, **{names[slot]: schemas[names[slot]] for slot in movable}}, (names["name"],)),
             Tool(cancel, r.choice(("Cancels a booking.", f"Cancels {a_kind}.")), {names["name"]: {"type": "string"}}, (names["name"],))]
    kept_tools = tools if only_changes or r.random() < 0.7 else tools[:1]
    can_change = len(kept_tools) > 1

    def correct(b: Booking, given: list[str]) -> str:
        """The caller changes a value that they gave; its slot."""
        slot = r.choice(given)
        b.draw(slot)
        b.hears(f"{MIND_CHANGED} [|make it|make that|i meant|let's say] {CORRECT[slot]}")
        return slot

    def collect(t: Talk, b: Booking, given: list[str]) -> bool:
        """Asks until every value is there. False when the caller gave up. The last turn is the caller's.

        Most questions repeat what the last turn gave. The values in the reply show which one is missing.
        """
        heard = 0
        while missing := [slot for slot in slots if slot not in given]:
            slot = missing[0]
            opening = ""
            fresh = [slot for slot in slots if slot in given[heard:]]
            heard = len(given)
            if fresh and t.often(0.9 if len(fresh) > 1 else 0.5):
                opening = f"[Okay|Sure|All right], {' '.join(ECHO[slot] for slot in fresh)}. "
            elif t.often(0.5):
                opening = "[Sure|Okay|Of course|All right|Great]. "
            b.says(opening + ASK[slot])
            odd = r.random()
            if odd < 0.1 and given:
                changed = correct(b, given)
                b.says(f"[No problem|Okay|Sure][, {ECHO[changed]}|]. " + ASK[slot])
            elif odd < (0.3 if slot == "name" else 0.15):
                b.hears("[yes|yeah|yes please|sure|okay|that's right]" if slot == "name" else "[yes|um|uh|let me think|wait|one moment]")
                b.says("[Sorry|Sure|Take your time]. " + ASK[slot])
            elif 0.3 < odd < 0.34:
                t.hears("[my number is|my phone number is|you can reach me at|call me at|the number is] {digits}", digits=v.digits(r, 5, 9))
                b.says("[Thank you|Thanks|Got it]. " + ASK[slot])
            elif 0.36 < odd < 0.38:
                t.hears("[no never mind|forget it|never mind|no leave it|i changed my mind]")
                t.says("[All right|Okay|No problem]. I won't book anything.")
                return False
            elif 0.38 < odd < 0.41:
                t.hears("[what|sorry what|pardon|say that again|can you repeat that]")
                b.says("[Sorry|Sure|No problem]. " + ASK[slot])
            elif 0.41 < odd < 0.5 and len(missing) > 1:
                # They give another value than the one that was asked for.
                other = r.choice(missing[1:])
                given.append(other)
                b.draw(other)
                b.hears(f"[{ANSWER[other]}]")
                b.says("[Sure|Okay|Thank you|Great]. " + ASK[slot])
            given.append(slot)
            b.draw(slot)
            answer = ANSWER[slot]
            if slot == "day" and "time" in missing and "time" not in given and t.often(0.5):
                given.append("time")
                b.draw("time")
                answer = "{on_day} at {time}|{day} at {time}|at {time} {on_day}"
            b.hears(f"[{answer}]")
            if t.often(0.1):
                # They correct themselves within the turn.
                role, text = t.turns.pop()
                b.draw(slot)
                b.hears(f"{text} [no|no sorry|i mean|sorry no] {CORRECT[slot]}")
        return True

    def finish(t: Talk, b: Booking) -> bool:
        """The call with every value, its result and the answer."""
        t.calls((book, b.arguments(slots)))
        odd = r.random()
        if odd < 0.06:
            as_result, answer = failed(t)
            t.gets(as_result)
            t.turns.append(("assistant", answer))
            return False
        if odd < 0.14 and "time" in slots:
            reason = t.of(REFUSED).replace("{kind}", kind)
            t.gets(r.choice((f"The call did not complete: {reason}.", json.dumps({"error": reason}), json.dumps({"error": reason}), json.dumps({"booked": False, "reason": reason}))))
            t.says(f"[I'm sorry|Sorry], {reason}. [Would another time suit you|Shall I try another time]?")
            if t.often(0.3):
                t.hears("[no|no thanks|no thank you|never mind]")
                t.says("[All right|Okay]. Nothing is booked.")
                return False
            b.draw("time")
            b.hears("[yes|okay|] [at|how about|then at|maybe at] {time}|{time} then")
            t.calls((book, b.arguments(slots)))
        order = r.choice((cancel, "transfer", "end_call", book)) if t.often(0.05) else ""
        t.gets(result(t, r.choice(({"booked": True}, {"ok": True}, {"status": "confirmed", **b.arguments(slots)}, {"id": r.randint(1, 999), "booked": True})), r.choice(("Booked.", f"The {kind} is booked.", "ok")), order))
        summary = DONE_REPLY[kind] if set(slots) == set(dict(KINDS)[kind]) else f"Your {kind} is booked, under {{name}}."
        b.says(f"[Done|Great|Perfect|All right]. {summary}")
        return True

    def new(t: Talk) -> None:
        b = Booking(t, kind, names)
        # A case of its own: everything but the name.
        given = slots[:-1] if t.often(0.45) else [slot for slot in slots if r.random() < r.choice((0.1, 0.5, 0.8))]
        r.shuffle(given)
        for slot in given:
            b.draw(slot)
        b.hears(f"{GREETED} [{WANT[kind]}] " + " ".join(f"[{GIVEN[slot]}]" for slot in given) + " [please||]")
        if not collect(t, b, given) or not finish(t, b):
            return
        after(t, b)

    def after(t: Talk, b: Booking) -> None:
        for _ in range(r.choice((0, 1, 1, 2))):
            kind_of_turn = r.random()
            if kind_of_turn < 0.35:
                slot = r.choice(slots)
                question, answer = RECALL[slot]
                b.hears(f"[{question}]")
                b.says(answer)
            elif kind_of_turn < 0.75 and movable:
                slot = r.choice(movable)
                b.draw(slot)
                b.hears(f"{MIND_CHANGED} [|make it|make that|i meant|can we do|change it to|can you make it] {CORRECT[slot]}")
                moved(t, b, [slot])
            elif kind_of_turn < 0.85 and len(movable) > 1:
                two = r.sample(movable, 2)
                for slot in two:
                    b.draw(slot)
                b.hears(f"[can we make it|change it to|actually] {CORRECT[two[0]]} [and|] {CORRECT[two[1]]}")
                moved(t, b, [slot for slot in slots if slot in two])
            else:
                b.hears("[cancel it|actually cancel that|can you cancel the booking|i need to cancel it|please cancel my {kind}|cancel my {kind}]")
                cancelled(t, b)
                return

    def moved(t: Talk, b: Booking, changed: list[str]) -> None:
        if not can_change:
            t.says("[I'm sorry|Sorry], I can't change bookings here.")
            return
        phrases = " and ".join(ECHO[slot] for slot in changed)
        act(t, [(change, b.arguments(["name", *changed]))], "Changed.", f"[Okay|Done|No problem|Sure], your {kind} is now {phrases}.", **b.words)

    def cancelled(t: Talk, b: Booking) -> None:
        if not can_change:
            t.says("[I'm sorry|Sorry], I can't cancel bookings here.")
            return
        act(t, [(cancel, b.arguments(["name"]))], "Cancelled.", f"[Okay|Done|All right], your {kind} is cancelled.", **b.words)

    def standing(t: Talk) -> None:
        """Something that was booked before this call."""
        b = Booking(t, kind, names)
        b.draw("name")
        changes = r.random() < 0.6 and bool(movable)
        slot = r.choice(movable) if movable else "name"
        if changes:
            b.draw(slot)
        if can_change and t.often(0.25):
            return announced(t, b, slot if changes else "")
        knows_name, knows_new = r.random() < 0.4, r.random() < 0.4
        verb = "[change|move|reschedule]" if changes else "cancel"
        b.hears(f"{GREETED} [i'd like to|i need to|can i|can you|i want to|i have to] {verb} my [booking|reservation|{kind}] [{'under {name}|of {name}' if knows_name else ''}] {'to ' + TO[slot] if changes and knows_new else ''} [please||]")
        if not can_change:
            t.says(f"[I'm sorry|Sorry], I can't {'change' if changes else 'cancel'} bookings here.")
            return
        if not knows_name:
            t.says("[Sure|Of course|No problem]. [What name is it under|Under what name was it made|May I have the name]?")
            if t.often(0.08):
                t.hears("[yes|yeah|sure|okay]")
                t.says("[Sorry|Sure]. What name is it under?")
            b.hears(f"[{ANSWER['name']}]")
        if not changes:
            return cancelled(t, b)
        if not knows_new:
            b.says("[Thank you|Okay|Sure]. [What should I change it to|What would you like to change]?")
            b.hears(f"[to {TO[slot]}|make it {TO[slot]}|{ECHO[slot]}] [please|instead|]")
        moved(t, b, [slot])

    def announced(t: Talk, b: Booking, slot: str) -> None:
        """The caller first says whose booking it is. `slot`: what changes; empty when they cancel."""
        b.hears(f"{GREETED} [this is {{name}}|my name is {{name}}|it's {{name}}] [and|] [i have|we have|i've got] a [booking|{kind}|reservation]|{GREETED} [i have|we have] a [booking|{kind}|reservation] [under|in the name of|for] {{name}}")
        b.says("[Hello, {name}. |Okay, {name}. |]What can I do for you?")
        if slot:
            b.hears(f"[can you|could you|can we|i'd like to] [make it|change it to|move it to] {TO[slot]}|[make it|change it to] {TO[slot]} [please|]|{ECHO[slot]} [please|instead]")
            return moved(t, b, [slot])
        b.hears("[i can't come|we can't come|i won't make it|something came up] [please cancel it|so please cancel|]|[please|can you|i want to] cancel it|cancel [it|that] please")
        cancelled(t, b)

    def unknown(t: Talk) -> None:
        t.hears(f"[what time|when|which day] is my {kind}|at what time did i book")
        t.says("[I'm sorry|Sorry], I can't look up bookings [here|].")

    return Kit(kept_tools, [standing] if only_changes else [new, new, new, new, standing, standing, unknown])
