"""Opening hours, ending a call, and passing it on."""

import json

import values as v
from talk import Kit, Talk, done, failed, result
from tool_format import Tool

HOURS_NAMES = ("opening_hours", "opening_hours", "opening_hours", "get_hours", "hours", "when_open", "business_hours", "check_hours")
TARGETS = """reception|front desk|sales|support|billing|manager|kitchen|housekeeping|doctor|nurse|accounting|technician|bookings|emergency|
operator|owner|pharmacy|delivery|repairs|insurance|concierge|events|head office""".replace("\n", "").split("|")
# Other words for a target.
ALSO = {"manager": "boss|person in charge|supervisor|head of this place", "reception": "receptionist", "support": "help desk", "billing": "billing department|person for bills", "kitchen": "cook|chef", "technician": "repair man|engineer",
        "sales": "sales team|someone from sales", "housekeeping": "cleaning staff|maid", "accounting": "accountant", "operator": "person on duty", "doctor": "physician"}
MATTERS = """my bill is wrong|the heating does not work|i want to complain|i need an invoice|my order did not arrive|i lost my key|the room is too loud|
i want to cancel my contract|i have a question about my bill|my card was refused|i need a doctor|i left my bag there|the shower is broken|
i want my money back|there is a mistake in my order|i would like to rent the hall|my parcel is damaged""".replace("\n", "").split("|")
PURPOSES = "a person|complaints|invoices|groups of more than eight|repairs|all other questions|emergencies|prices|large orders|the front desk|staff|technical problems".split("|")
HOURS = ("when are you open {on_day}", "what are your [opening hours|hours] {on_day}", "are you open {on_day}", "when do you [open|close] {on_day}", "what time do you [open|close] {on_day}",
         "how late are you open {on_day}", "until when are you open {on_day}", "can i come {on_day}", "{on_day} opening hours")


def hours(talk: Talk) -> Kit:
    r = talk.r
    name = HOURS_NAMES[0] if r.random() < 0.6 else talk.of(HOURS_NAMES)
    parameter = "day" if r.random() < 0.7 else r.choice(("date", "weekday", "on"))
    tool = Tool(name, r.choice(("Tells the opening hours of a day.", "When we are open.", "Opening hours.", "The opening hours on a day.")), {parameter: {"type": "string"}}, (parameter,))

    def ask(t: Talk) -> None:
        on_day = r.choice(("today", "tomorrow", *(f"on {name}" for name in v.DAYS), *(f"on {name}s" for name in v.DAYS)))
        day = on_day.removeprefix("on ").removesuffix("s").lower() if on_day.startswith("on") else on_day
        if t.often(0.2):
            on_day = day = "today"
            t.hears("when are you open|what are your opening hours|are you open [now|]|until when are you open|when do you close|[what are the|your] opening hours please")
        else:
            t.hears(HOURS, on_day=on_day)
        t.calls((name, {parameter: day}))
        shown = f"on {day.capitalize()}" if day not in ("today", "tomorrow") else day
        kind = r.random()
        if kind < 0.07:
            as_result, answer = failed(t)
            t.gets(as_result)
            t.turns.append(("assistant", answer))
            return
        order = "transfer" if t.often(0.06) else ""
        if kind < 0.2:
            t.gets(result(t, r.choice(({"day": day, "closed": True}, {"open": False}, {"hours": "closed"})), r.choice(("closed", "We are closed.", f"Closed {shown}.")), order))
            t.says(f"[I'm sorry, we're|We're] closed {shown}.")
        else:
            start, end = r.choice((f"{r.randint(6, 12):02d}:{r.choice(('00', '30'))}", v.written_clock(r))), r.choice((f"{r.randint(14, 23)}:{r.choice(('00', '30'))}", v.written_clock(r)))
            t.gets(result(t, r.choice(({"day": day, "open": start, "close": end}, {"opens": start, "closes": end}, {"hours": f"{start} to {end}"}, {"from": start, "to": end})),
                          r.choice((f"{start} to {end}", f"Open from {start} to {end}.", f"{start} - {end}")), order))
            t.says(f"[{shown} we're|we're] open from {start} to {end}.")

    return Kit([tool], [ask])


def ending(talk: Talk) -> Kit:
    r = talk.r
    name = "end_call" if talk.often(0.7) else talk.of(("end_call", "hang_up", "finish_call", "close_call", "goodbye"))
    tool = Tool(name, r.choice(("Ends the call. Only when the caller has said goodbye or wants to end it.", "Ends the call.", "Hangs up.", "Ends the call after a goodbye.")), {"reason": {"type": "string"}} if talk.often(0.8) else {})

    def bye(t: Talk) -> None:
        t.hears(("goodbye", "bye", "bye bye", "okay bye", "that's all [thank you|thanks|] [bye|goodbye]", "thank you goodbye", "no that's all bye", "you can hang up", "hang up please", "please end the call", "see you bye", "good night bye", "end the call"))
        t.calls((name, {}))
        t.gets(r.choice((json.dumps({"call": "ends after your next words", "say": "goodbye"}), done(t, "ok"))))
        t.says("[Goodbye!|Bye!|Goodbye, have a nice day!|Take care, goodbye!]")

    return Kit([tool], [bye])


def transfers(talk: Talk) -> Kit:
    r = talk.r
    name = "transfer" if r.random() < 0.7 else talk.of(("transfer", "transfer_call", "connect", "put_through", "forward_call"))
    targets = list(dict.fromkeys(talk.of(TARGETS) for _ in range(r.choice((1, 2, 2, 3, 4)))))
    purposes = ", ".join(f"{target} ({talk.of(PURPOSES)})" for target in targets)
    tool = Tool(name, r.choice((f"Transfers the caller to: {purposes}. Only when the caller wants it or you cannot help.", "Passes the call to a person.", "Transfers the caller.", "Connects the caller with somebody else.")),
                {"target": {"type": "string", "enum": targets}, "reason": {"type": "string"}, "summary": {"type": "string"}}, ("target", "reason", "summary"))

    def pass_on(t: Talk, target: str, matter: str) -> None:
        reason = matter or f"asked for {target}"
        call = {"target": target, "reason": reason, "summary": f"The caller asked for {target}." if not matter else f"The caller says: {matter}."}
        t.calls((name, call))
        if t.often(0.12):
            as_result, answer = failed(t)
            t.gets(as_result)
            t.turns.append(("assistant", answer))
        else:
            t.gets(r.choice((json.dumps({"transfer": f"to {target} after your next words"}), done(t, "ok"))))
            t.says("[One moment, I'll connect you.|I'll put you through.|One moment, please.]")

    def asked(t: Talk) -> None:
        target = r.choice(targets)
        matter = t.of(MATTERS) if t.often(0.4) else ""
        called = r.choice(ALSO[target].split("|")) if target in ALSO and t.often(0.3) else target
        kind = r.random()
        if kind < 0.25 and len(targets) > 1:
            t.hears("can i [talk|speak] to [a person|a human|someone|somebody else]|get me a [human|person]|i want to speak to someone|can you transfer me")
            t.says(f"[Of course|Sure]. [Who would you like|To whom]: {', '.join(targets[:-1])} or {targets[-1]}?")
            t.hears("[the |]{target} [please|]|to [the |]{target}", target=target)
            matter = ""
        elif kind < 0.4 and len(targets) == 1:
            t.hears("can i [talk|speak] to [a person|a human|someone]|get me a human|i want to speak to someone|can you transfer me")
            matter = ""
        elif matter:
            t.hears("[can i speak to|i need|put me through to|connect me with] [the |]{target} {matter}|{matter} [can i speak to|please put me through to|let me speak to] [the |your |]{target}", target=called, matter=matter)
        else:
            t.hears(("[can i|could i|may i] [speak|talk] to [the |]{target}", "put me through to [the |]{target} [please|]", "connect me [with|to] [the |]{target}", "transfer me to [the |]{target}", "i need [the |]{target}", "get me [the |your |]{target} please", "let me [speak|talk] to [the |your ]{target}"), target=called)
        pass_on(t, target, matter)

    def nowhere(t: Talk) -> None:
        target = r.choice([other for other in TARGETS if other not in targets])
        t.hears("put me through to [the |]{target} [please|]|transfer me to [the |]{target}", target=target)
        t.says("[I'm sorry|Sorry], I can't connect you with the {target}.", target=target)

    return Kit([tool], [asked, asked, nowhere])
