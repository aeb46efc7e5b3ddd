"""Names, wordings and values of the bookings that a tool makes."""

import values as v
from grammar_booking import PLACES, fix_grammar
from talk import Talk
from tool_values import clock, day, integer

NAMES = {"table": ("book_table", "book_table", "book_table", "reserve_table", "table_booking", "new_reservation", "reserve", "make_reservation"),
         "room": ("book_room", "reserve_room", "room_booking", "new_stay", "book_hotel_room"),
         "appointment": ("book_appointment", "make_appointment", "new_appointment", "schedule_visit"),
         "taxi": ("book_taxi", "order_taxi", "call_cab", "order_ride", "get_taxi")}
CHANGE = ("change_booking", "change_booking", "change_booking", "move_booking", "update_reservation", "edit_booking", "change_reservation")
CANCEL = ("cancel_booking", "cancel_booking", "cancel_booking", "delete_booking", "cancel_reservation", "remove_booking")
PARAMETERS = {"people": ("people", "people", "people", "guests", "persons", "party_size", "seats"), "day": ("day", "day", "day", "date", "weekday", "on"), "time": ("time", "time", "time", "at", "hour", "start"),
              "name": ("name", "name", "name", "guest", "under", "customer", "caller_name"), "nights": ("nights", "number_of_nights", "stay"), "who": ("who", "doctor", "staff", "with"), "place": ("place", "destination", "to", "target")}
TYPES = {"people": "integer", "nights": "integer"}
GREETED = "[|||hi|hello|hey|good evening|yes]"
CORRECT = {"people": "[{people}|for {people}|{people} people|we are {people}]", "day": "{on_day}", "time": "at {time}", "name": "[under {name}|the name is {name}]", "nights": "{nights}", "who": "with {who}", "place": "to {place}"}
# The new value of a booking. A number alone is a time.
TO = {"people": "{people} [people|people|guests|persons]", "day": "{day}", "time": "{time}", "nights": "{nights}", "who": "{who}", "place": "{place}"}
ECHO = {"people": "for {people}", "day": "{on_day}", "time": "at {time}", "name": "under {name}", "nights": "for {nights}", "who": "with {who}", "place": "to {place}"}
DONE_REPLY = {"table": "[Your table|A table] for {people} is booked {on_day} at {time}, under {name}.", "room": "[Your room is booked|The room is booked] from {day} for {nights}, under {name}.",
              "appointment": "Your appointment with {who} is booked {on_day} at {time}, for {name}.", "taxi": "Your taxi to {place} is booked {on_day} at {time}, for {name}."}
RECALL = {"people": ("how many people did i [say|book for]|for how many is it", "For {people}."), "day": ("what day [was that|is it|is my {kind}]|which day is it", "It's {on_day}."),
          "time": ("what time [was that|is it|is my {kind}]|at what time is my {kind}|when is my {kind} again", "At {time}."), "name": ("what name is it under|whose name is it under", "Under {name}."),
          "nights": ("how many nights is that", "{nights}."), "who": ("who is it with", "With {who}."), "place": ("where is it going", "To {place}.")}
REFUSED = ("we are full then|we are fully booked|there is no {kind} at that time|that time is taken|nothing is free then|we are closed then|that is too late").split("|")


class Booking:
    """The values of one booking, in words and as arguments."""

    def __init__(self, talk: Talk, kind: str, names: dict[str, str]) -> None:
        self.talk, self.kind, self.names = talk, kind, names
        self.words: dict[str, str] = {"kind": kind}
        self.values: dict[str, object] = {}

    def draw(self, slot: str) -> None:
        r = self.talk.r
        if slot == "people":
            self.words[slot], self.values[slot] = integer(r, 1, 12)
        elif slot == "nights":
            self.words[slot], self.values[slot] = integer(r, 1, 9)
            self.words[slot] += " nights" if self.values[slot] != 1 else " night"
        elif slot == "day":
            self.words["on_day"], self.values[slot] = day(r)
            self.words[slot] = self.words["on_day"].removeprefix("on ").removeprefix("this ")
        elif slot == "time":
            self.words[slot], self.values[slot] = clock(r, evening=self.kind == "table")
        else:
            value = v.name(r) if slot == "name" else r.choice((*PLACES, *v.CITIES)) if slot == "place" else f"{r.choice(('Doctor', 'Doctor', 'Mrs', 'Mr'))} {v.last_name(r)}"
            self.words[slot] = self.values[slot] = value

    def arguments(self, slots) -> dict:
        return {self.names[slot]: self.values[slot] for slot in slots}

    def hears(self, template: str) -> None:
        self.talk.hears(template, **self.words)
        role, text = self.talk.turns[-1]
        self.talk.turns[-1] = (role, fix_grammar(text))

    def says(self, template: str) -> None:
        self.talk.says(template, **self.words)
        role, text = self.talk.turns[-1]
        self.talk.turns[-1] = (role, fix_grammar(text))
