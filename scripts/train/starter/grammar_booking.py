"""How callers ask for tables, rooms, appointments and rides, and give their values."""

import random

import values as v
from phrases import fill, heard

KINDS = (
    ("table", ("people", "day", "time", "name")),
    ("room", ("nights", "day", "people", "name")),
    ("appointment", ("who", "day", "time", "name")),
    ("taxi", ("place", "day", "time", "name")),
)
WANT = {
    "table": "[i'd like to|can i|could i|i want to|i need to|can you|we'd like to|i would like to] [book|reserve] a table|do you have a table|table [please|]|[book|get] me a table|[i'd like|i need|we need|i'm calling to book] a table|is there a table free|[we'd like to|we want to|can we|could i] [come|eat there|come for dinner|have dinner]",
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


def drawn(r: random.Random) -> tuple[str, tuple[str, ...], dict[str, str]]:
    """A kind of booking, its slots and their values."""
    kind, slots = r.choice(KINDS)
    known = {slot: draw(r, slot) for slot in slots}
    return kind, slots, {**known, "on_day": v.on_day(known["day"])}


def booking(r: random.Random) -> str:
    kind, slots, known = drawn(r)
    given = [slot for slot in slots if r.random() < r.choice((0.1, 0.4, 0.8))]
    r.shuffle(given)
    return heard(r, fix_grammar(fill(r, f"[|hi|hello|hey|good evening|] [{WANT[kind]}] " + " ".join(f"[{GIVEN[s]}]" for s in given) + " [please||]", **known)))


def standing(r: random.Random) -> str:
    """Changing or cancelling something booked before this conversation."""
    kind, _, known = drawn(r)
    thing = r.choice(("booking", "reservation", kind))
    return heard(r, fill(r, f"[i'd like to|i need to|can i|can you|i want to|i have to] [change|move|reschedule|cancel] my {thing} [under {{name}}|] [{{on_day}}|]", **known))
