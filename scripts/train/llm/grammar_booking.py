"""Bookings: tables, rooms, appointments, rides. Values are given in any order, asked for, confirmed, changed."""

import random

import values as v
from phrases import fill, heard, say

Turns = list[tuple[str, str]]

KINDS = (
    ("table", ("people", "day", "time", "name")),
    ("room", ("nights", "day", "people", "name")),
    ("appointment", ("who", "day", "time", "name")),
    ("taxi", ("place", "day", "time", "name")),
)
WANT = {
    "table": "[i'd like to|can i|could i|i want to|i need to|can you] [book|reserve] a table|do you have a table|table [please|]|[book|get] me a table",
    "room": "[i'd like to|can i|i want to|i need to|could you] [book|reserve] a room|do you have a room [free|available]|i need a room|i'm looking for a [room|hotel room]",
    "appointment": "[i'd like to|can i|i need to|i want to|could you] [make|book|schedule] an appointment|i need an appointment|[i'd like to see|i need to see|can i see] someone",
    "taxi": "[i need|can you get me|could you book me|please order|i'd like] a [taxi|cab|ride]|can you call me a [taxi|cab]",
}
GIVEN = {
    "people": "for {people} [people|]",
    "nights": "for {nights}",
    "day": "{on_day}",
    "time": "at {time}",
    "name": "[under the name|under|for|the name is|in the name of] {name}",
    "who": "with {who}",
    "place": "to {place}",
}
ASK = {
    "people": "[for how many people|how many people will that be|how many guests|how many of you will there be]?",
    "nights": "[how many nights will you stay|for how many nights|how long will you stay]?",
    "day": "[for which day|what day would you like|which day suits you|what day would that be]?",
    "time": "[at what time|what time would you like|what time suits you|for what time]?",
    "name": "[what name should I put it under|may I have your name|under what name|whose name should it be under|and your name, please]?",
    "who": "[who would you like to see|with whom|who is the appointment with]?",
    "place": "[where would you like to go|where to|what is the destination]?",
}
ANSWER = {
    "people": "{people}|[we are|there are|there'll be|for|just] {people} [people|of us|]|{people} people [please|]",
    "nights": "{nights}|for {nights}|{nights} please|[we'll|i'll] stay {nights}",
    "day": "{on_day}|{day}|{day} [please|would be great|if possible]|let's say {day}|how about {day}",
    "time": "{time}|at {time}|{time} [please|would be good|if you can]|[around|about] {time}|let's do {time}",
    "name": "{name}|[it's|my name is|the name is|under|this is|i'm|put it under] {name}|{name} [please|is my name]",
    "who": "{who}|with {who}|{who} please|i'd like to see {who}",
    "place": "{place}|to {place}|{place} please|i'm going to {place}",
}
ECHO = {
    "people": "{people} [people|]", "nights": "{nights}", "day": "{day}", "time": "{time}",
    "name": "[thank you|thanks], {name}", "who": "with {who}", "place": "to {place}",
}
SUMMARY = {
    "table": "a table for {people} {on_day} at {time}, under {name}",
    "room": "a room for {people} for {nights}, from {day}, under {name}",
    "appointment": "an appointment with {who} {on_day} at {time}, for {name}",
    "taxi": "a taxi to {place} {on_day} at {time}, for {name}",
}
YES = "yes|yes please|yeah|yep|that's right|that's correct|correct|sure|please do|yes that's correct|go ahead|perfect|sounds good|that works|ok"
NO = "no|no thanks|nope|no thank you|never mind|no leave it|forget it"
PLACES = ("the airport", "the station", "the train station", "the city center", "the hospital", "the hotel", "the museum",
          "the stadium", "the harbor", "the university", "the mall", "the theater")


def draw(r: random.Random, slot: str) -> str:
    if slot == "people":
        return v.count(r, 1, 12)
    if slot == "nights":
        amount = r.randint(1, 9)
        return "one night" if amount == 1 else f"{v.number_words(amount)} nights"
    if slot == "day":
        return v.day(r)
    if slot == "time":
        return v.clock(r)
    if slot == "name":
        return v.name(r)
    if slot == "who":
        title = r.choice(("Doctor", "Doctor", "Mr", "Mrs", "Ms", ""))
        return f"{title} {v.last_name(r)}" if title else v.first_name(r)
    kind = r.random()
    if kind < 0.4:
        return r.choice(PLACES)
    return f"{v.number_words(r.randint(1, 99))} {r.choice(v.STREETS)} Street" if kind < 0.8 else r.choice(v.CITIES)


def fix_grammar(text: str) -> str:
    return text.replace("one people", "one person").replace("at noon", "at noon").replace("at at", "at")


def booking(r: random.Random) -> Turns:
    kind, slots = r.choice(KINDS)
    known = {slot: draw(r, slot) for slot in slots}
    known["on_day"] = v.on_day(known["day"])
    turns: Turns = []

    def user(template: str) -> None:
        turns.append(("user", heard(r, fix_grammar(fill(r, template, **known)))))

    def oak(template: str) -> None:
        turns.append(("assistant", fix_grammar(say(r, template, **known))))

    given = [slot for slot in slots if r.random() < r.choice((0.1, 0.4, 0.8))]
    r.shuffle(given)
    user(f"[|hi|hello|hey|good evening|] [{WANT[kind]}] " + " ".join(f"[{GIVEN[s]}]" for s in given) + " [please||]")
    missing = [slot for slot in slots if slot not in given]
    if r.random() < 0.2:
        r.shuffle(missing)
    opening = "[Sure|Of course|Certainly|Gladly|With pleasure]" + r.choice((". ", ", "))
    if given and r.random() < 0.6:
        opening = "[Sure|Of course|Certainly], a " + kind + " " + " ".join(GIVEN[s] if s != "name" else "under {name}" for s in given) + ". "
        opening = opening.replace("a appointment", "an appointment")
    prefix = opening
    for slot in missing:
        if r.random() < 0.04 and turns:
            oak(prefix + ASK[slot])
            user("[what|sorry what|pardon|can you repeat that|say that again|what did you say]")
            prefix = "[Sorry|Sure|No problem]. "
        oak(prefix + ASK[slot])
        if r.random() < 0.03:
            user(f"[{NO}]")
            oak("[No problem|All right|Okay]. [Let me know if you need anything else.|I won't book anything.]")
            return turns
        user(f"[{ANSWER[slot]}]")
        prefix = r.choice((f"[Okay|Great|Good|Got it|All right], {ECHO[slot]}. ", f"{ECHO[slot]}. ", "[Okay|Great|Thank you]. ")) \
            if slot != "name" else f"{ECHO['name']}. "
    oak(f"{prefix}[So that's|That's|I have|Let me check:] {SUMMARY[kind]}. [Shall I book it|Is that right|Is that correct|Should I confirm it]?")
    while r.random() < 0.35:
        slot = r.choice(slots)
        known[slot] = draw(r, slot)
        known["on_day"] = v.on_day(known["day"])
        value = {"day": "{day}", "name": "under {name}", "people": "{people} people", "who": "with {who}", "place": "to {place}"}
        user(f"[no|no sorry|actually|wait|sorry|hmm no] [make it|make that|can we do|i meant|change it to|let's make it] {value.get(slot, '{' + slot + '}')}")
        oak(f"[No problem|Of course|Okay|Sure], {ECHO[slot] if slot != 'name' else 'under {name}'}. [So that's|Now it's] {SUMMARY[kind]}. [Shall I book it|Is that right|Okay]?")
    if r.random() < 0.06:
        user(f"[{NO}]")
        oak("[All right|Okay|No problem]. [I won't book it.|Nothing is booked.] [Is there anything else|Can I do anything else for you]?")
        return turns
    user(f"[{YES}]")
    brief = {"table": "{on_day} at {time}", "room": "from {day} for {nights}", "appointment": "{on_day} at {time}", "taxi": "{on_day} at {time}"}[kind]
    oak(f"[Done|Great|Perfect|Wonderful]. [Your {kind} is booked|It's booked|The {kind} is booked|You're all set] {brief}[.|, {{name}}.] [See you then.||Anything else?|]")
    for _ in range(r.choice((0, 0, 1, 1, 2))):
        recall(r, kind, slots, known, user, oak)
    if r.random() < 0.2:
        user("[cancel it|actually cancel that|can you cancel the booking|i need to cancel it|please cancel my booking]")
        oak(f"[Okay|All right|No problem], I've cancelled your {kind} {brief}. [Anything else?|]")
    return turns


RECALL = {
    "people": ("how many people did i [say|book for]", "You said {people}.|For {people} [people|]."),
    "nights": ("how many nights [is that|did i book]|how long am i staying", "You're staying {nights}.|{nights}."),
    "day": ("what day was that|which day is it|when is it again", "It's {on_day}.|{on_day}."),
    "time": ("what time was that|at what time [again|is it]|what time is the booking", "At {time}.|It's at {time}."),
    "name": ("what name is it under|whose name is it under|what name did you put", "It's under {name}.|Under {name}."),
    "who": ("who is it with|who am i seeing", "With {who}.|You're seeing {who}."),
    "place": ("where is it going|where to again", "To {place}.|It will take you to {place}."),
}


def recall(r: random.Random, kind: str, slots, known, user, oak) -> None:
    question, answer = RECALL[r.choice(slots)]
    user(f"[{question}]")
    oak(f"[{answer}]")


def standing(r: random.Random) -> Turns:
    """Changing or cancelling something booked before this conversation."""
    kind, slots = r.choice(KINDS)
    known = {slot: draw(r, slot) for slot in slots}
    known["on_day"] = v.on_day(known["day"])
    known["new"] = v.day(r) if r.random() < 0.5 else v.clock(r)
    kind_word = r.choice(("booking", "reservation", kind))
    asks_change = r.random() < 0.5
    turns: Turns = []
    verb = "[change|move|reschedule]" if asks_change else "cancel"
    with_name = r.random() < 0.4
    tail = " under {name}" if with_name else ""
    turns.append(("user", heard(r, fill(r, f"[i'd like to|i need to|can i|can you|i want to|i have to] {verb} my {kind_word}{tail} [{{on_day}}|]", **known))))
    if not with_name:
        turns.append(("assistant", say(r, f"[Sure|Of course|No problem]. [What name is it under|Under what name was it made|May I have the name]?", **known)))
        turns.append(("user", heard(r, fill(r, f"[{ANSWER['name']}]", **known))))
    if not asks_change:
        turns.append(("assistant", say(r, f"[Thank you, {{name}}|Okay, {{name}}]. [Should I cancel|Do you want me to cancel|Shall I cancel] your {kind_word}?", **known)))
        turns.append(("user", heard(r, fill(r, f"[{YES}]"))))
        turns.append(("assistant", say(r, f"[Done|Okay]. [Your {kind_word} is cancelled|I've cancelled it], {{name}}.", **known)))
        return turns
    turns.append(("assistant", say(r, "[Thank you, {name}|Okay, {name}]. [What should I change it to|When would you like it instead|What would you like to change it to]?", **known)))
    turns.append(("user", heard(r, fill(r, "[to|make it|how about|can we do|] {new} [please|instead|]", **known))))
    turns.append(("assistant", say(r, f"[Done|Okay|All right], [your {kind_word} is now|I've moved it to|I've changed it to] {{new}}.", **known)))
    return turns
