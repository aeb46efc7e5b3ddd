"""Lights, warmth and the state of a house with rooms."""

import json
from collections.abc import Sequence

from grammar_home import ROOMS
from phrases import number_words
from talk import MIND_CHANGED, Kit, Talk, act, result
from tool_format import Tool
from tool_values import integer

DEMO = ("kitchen", "living room", "bedroom", "bathroom", "study", "hallway")
SWITCH = ("[turn|switch|put] {state} the {thing} in the {room}", "[turn|switch|put] the {room} {thing} {state}", "{room} {thing} {state}", "can you turn {state} the {room} {thing}",
          "could you switch the {thing} in the {room} {state}", "i'd like the {room} {thing} {state}", "the {thing} in the {room} {state} please", "please [turn|switch] {state} the {room} {thing}",
          "[turn|switch] {state} the {room} {thing} please", "would you turn the {room} {thing} {state}", "i want the {thing} {state} in the {room}", "{state} with the {thing} in the {room}",
          "turn everything {state} in the {room}", "[hey|] can you turn everything {state} in the {room}", "everything {state} in the {room} please")
DIM = ("[set|dim|turn] the {room} [lights|light] to {level} percent", "[dim|set] the {thing} in the {room} to {level} percent", "{room} {thing} [at|to] {level} percent", "make the {room} {thing} {level} percent bright",
       "can you dim the {room} to {level} percent", "brightness in the {room} to {level}", "put the {room} at {level} percent brightness")
WARM = ("[set|turn|put] the [temperature|heating] in the {room} to {heat} degrees", "[set|heat|make] the {room} to {heat} degrees", "make it {heat} degrees in the {room}", "{room} {heat} degrees please",
        "i want {heat} degrees in the {room}", "can you set the {room} to {heat}", "{heat} degrees in the {room} please")
ASK_LIGHT = "is the light in the {room} [on|off]|is the {room} light [on|off|still on]|did i leave the {room} light on|what about the light in the {room}"
ASK_WARMTH = "how [warm|cold] is it in the {room}|what's the temperature in the {room}|what temperature does the {room} have|how many degrees are there in the {room}"
LIGHT_NAMES = ("set_light", "set_light", "set_light", "switch_light", "light", "control_lights", "change_light", "lamp_switch", "room_light", "lights_set")
WARM_NAMES = ("set_temperature", "set_temperature", "set_temperature", "heating", "set_heat", "room_temperature", "change_temperature", "thermostat")
STATE_NAMES = ("get_house", "get_house", "get_house", "house_state", "read_rooms", "get_rooms", "home_status")


def questions(talk: Talk) -> Kit:
    """A caller who only asks."""
    return house(talk, asked=(1, 1, 2, 3, 5, 9))


def house(talk: Talk, asked: Sequence[int] = ()) -> Kit:
    """`asked`: a caller only asks, one of these numbers of questions about a report."""
    r = talk.r
    rooms = list(DEMO) if r.random() < 0.3 else r.sample(DEMO, r.randint(3, 5)) if r.random() < 0.2 else [talk.of(ROOMS) for _ in range(r.randint(2, 6))]
    rooms = list(dict.fromkeys(rooms))
    canonical = r.random() < 0.5
    light, warm, state = (names[0] if canonical else talk.of(names) for names in (LIGHT_NAMES, WARM_NAMES, STATE_NAMES))
    place, on, level, heat = ("room", "on", "brightness", "degrees") if canonical else (
        r.choice(("room", "where", "place", "area", "zone")), r.choice(("on", "state", "lit", "active")), r.choice(("brightness", "level", "percent")), r.choice(("degrees", "celsius", "value", "target")))
    where = {"type": "string", "enum": rooms}
    set_light = Tool(light, r.choice(("Switches the light of a room on or off, or dims it.", "Switches a light or dims it.", "Switches the light of a room.", "Turns a light on or off.", "Controls the lights.", "Switches a room's light; brightness in percent.")),
                     {place: where, on: {"type": "boolean"}, level: {"type": "integer"}}, (place, on))
    set_heat = Tool(warm, r.choice(("Sets the temperature of a room in degrees Celsius.", "Sets the temperature of a room.", "Sets the heating.", "Changes how warm a room is.")), {place: where, heat: {"type": "integer"}}, (place, heat))
    get_state = Tool(state, r.choice(("Tells which lights are on and how warm each room is.", "Tells the state of all rooms.", "Lists the rooms with lights and temperatures.", "Reads which lights are on.", "The state of the house.")))
    lit: dict[str, bool] = {room: r.random() < 0.5 for room in rooms}
    degrees = {room: r.randint(16, 25) for room in rooms}
    order = "end_call" if r.random() < 0.5 else light

    def one(room: str, value: bool) -> tuple[str, dict]:
        lit[room] = value
        return light, {place: room, on: value}

    def data_of(_: str, arguments: dict) -> dict:
        return {arguments[place]: {"light": arguments.get(on, lit[arguments[place]]), "brightness": arguments.get(level, 100), "degrees": arguments.get(heat, degrees[arguments[place]])}}

    def do(t: Talk, calls: list[tuple[str, dict]], text: str, reply: str, order: str = "", **words: str) -> bool:
        return act(t, calls, text, reply, order, data_of, **words)

    def slots(room: str) -> dict[str, str]:
        return {"room": room, "thing": r.choice(("lights", "light", "light", "lamp"))}

    def switch(t: Talk) -> None:
        room, value = r.choice(rooms), r.random() < 0.6
        words = {**slots(room), "state": "on" if value else "off"}
        kind = r.random()
        if kind < 0.15 and len(rooms) > 1:
            t.hears("[turn|switch] {state} the [light|lights|lamp] [please|]", **words)
            t.says("[Sure|Okay]. In which room?")
            t.hears("[the {room}|in the {room}|{room} please|{room}]", **words)
        elif kind < 0.27 and len(rooms) > 1:
            wrong = r.choice([name for name in rooms if name != room])
            t.hears(SWITCH, **{**words, "room": f"{wrong} {r.choice(('no', 'no sorry', 'i mean', 'no wait', 'sorry'))} {r.choice(('the ', ''))}{room}"})
        else:
            t.hears(SWITCH, **words)
        went_well = do(t, [one(room, value)], f"The {room} light is {words['state']}.", "[Okay|Done|Sure], the {room} light is {state}.", order if t.often(0.06) else "", **words)
        other = r.choice([name for name in rooms if name != room] or [room])
        if other == room or not went_well:
            return
        kind = r.random()
        if kind < 0.2:
            t.hears("[and|also] the {other} [too|as well|please|]|[now|and] the same in the {other}|the {other} too", other=other)
            do(t, [one(other, value)], f"The {other} light is {words['state']}.", "[Okay|Done], the {other} light is {state} too.", other=other, **words)
        elif kind < 0.42:
            t.hears(f"{MIND_CHANGED} [i meant|i mean|not that one|not the {{room}}|] [in the|the] {{other}}", other=other, **words)
            do(t, [one(room, not value), one(other, value)], "ok", "[Sorry about that|Okay|All right]. The {other} light is {state} now.", other=other, **words)
        elif kind < 0.55:
            back = "off" if value else "on"
            t.hears("[turn|switch] it {back} again|[no|actually|wait] [turn it|switch it|leave it] {back}|{back} again please|no {back}", back=back)
            do(t, [one(room, not value)], f"The {room} light is {back}.", "[Okay|Done|Sure], the {room} light is {back}.", back=back, **words)

    def dim(t: Talk) -> None:
        room, percent = r.choice(rooms), r.randint(1, 20) * 5
        words = {**slots(room), "level": number_words(percent)}
        t.hears(DIM, **words)
        went_well = do(t, [(light, {place: room, on: True, level: percent})], f"The {room} light is at {percent} percent.", "[Okay|Done|Sure], the {room} light is at {level} percent.", **words)
        if went_well and t.often(0.3):
            new = r.randint(1, 20) * 5
            t.hears(f"[{MIND_CHANGED}|make it|a bit different|{MIND_CHANGED} make it] {{level}} [percent|]", level=number_words(new))
            do(t, [(light, {place: room, on: True, level: new})], "ok", "[Okay|Done|Sure], the {room} light is at {level} percent.", room=room, level=number_words(new))

    def two(t: Talk) -> None:
        if len(rooms) < 2:
            return switch(t)
        first, second = r.sample(rooms, 2)
        value, other = r.random() < 0.5, r.random() < 0.5
        words = {"first": first, "second": second, "state": "on" if value else "off", "other": "on" if other else "off"}
        if t.often(0.5):
            t.hears("[turn|switch] {state} the [lights|light] in the {first} and the {second}|{first} and {second} [lights|light] {state}|turn the {first} and the {second} lights {state}", **words)
            calls = [one(first, value), one(second, value)]
            reply = "[Okay|Done|Sure], the lights in the {first} and the {second} are {state}."
        else:
            t.hears("[turn|switch] {state} the {first} light and [turn|switch] {other} the {second} [light|]|{first} light {state} and {second} light {other}", **words)
            calls = [one(first, value), one(second, other)]
            reply = "[Okay|Done|Sure], the {first} light is {state} and the {second} light is {other}."
        act(t, calls, "ok", reply, **words)

    def all_of(t: Talk) -> None:
        value = r.random() < 0.3
        words = {"state": "on" if value else "off"}
        t.hears("[turn|switch] {state} all [the|] lights|all lights {state}|lights {state} everywhere|turn everything {state}|all the lights {state} please", **words)
        do(t, [one(room, value) for room in rooms], "ok", "[Okay|Done], all the lights are {state}.", **words)

    def warmth(t: Talk) -> None:
        room, (words, value) = r.choice(rooms), integer(r, 15, 28)
        kind = r.random()
        if kind < 0.15:
            t.hears("[set|change] the [temperature|heating] to {heat} [degrees|]|make it {heat} degrees", heat=words)
            t.says("[Sure|Okay]. In which room?")
            t.hears("[the {room}|in the {room}|{room} please|{room}]", room=room)
        elif kind < 0.3:
            t.hears("make the {room} [warmer|cooler|colder]|it's too [cold|warm] in the {room}|can you [heat|cool] the {room}", room=room)
            t.says("[Sure|Okay]. [To how many degrees|How many degrees would you like]?")
            t.hears("{heat} [degrees|please|]|to {heat}|let's say {heat}", heat=words)
        else:
            t.hears(WARM, room=room, heat=words)
        went_well = do(t, [(warm, {place: room, heat: value})], f"The {room} is set to {value} degrees.", "[Okay|Done|Sure], the {room} is set to {heat} degrees.", room=room, heat=words)
        if went_well and t.often(0.25):
            words, value = integer(r, 15, 28)
            t.hears(f"{MIND_CHANGED} [make it|make that|i meant|] {{heat}} [degrees|]", heat=words)
            do(t, [(warm, {place: room, heat: value})], "ok", "[Okay|Done|Sure], the {room} is set to {heat} degrees.", room=room, heat=words)

    def report(t: Talk) -> str:
        kind = r.random()
        if kind < 0.45:
            return json.dumps({room: {"light": lit[room], "brightness": 100, "degrees": degrees[room]} for room in rooms})
        if kind < 0.6:
            return json.dumps({room: {"light": "on" if lit[room] else "off", "degrees": degrees[room]} for room in rooms})
        if kind < 0.8:
            return json.dumps([{"room": room, "on": lit[room], "degrees": degrees[room]} for room in rooms])
        return result(t, {"rooms": {room: f"light {'on' if lit[room] else 'off'}, {degrees[room]} degrees" for room in rooms}}, " ".join(f"{room.capitalize()}: light {'on' if lit[room] else 'off'}, {degrees[room]} degrees." for room in rooms))

    def ask(t: Talk) -> None:
        """Questions about a report. Those that begin with "and" need no second one."""
        of_light, room = t.often(0.5), r.choice(rooms)

        def answer() -> None:
            t.says("The {room} light is {state}." if of_light else "It's {degrees} degrees in the {room}.", room=room, state="on" if lit[room] else "off", degrees=str(degrees[room]))

        t.hears(ASK_LIGHT if of_light else ASK_WARMTH, room=room)
        t.calls((state, {}))
        t.gets(report(t))
        answer()
        for _ in range(1, r.choice(asked or (1, 1, 2, 3, 5)) if len(rooms) > 1 else 1):
            room = r.choice([name for name in rooms if name != room])
            if t.often(0.3):
                of_light = not of_light
                t.hears(f"and [{ASK_LIGHT if of_light else ASK_WARMTH}]", room=room)
            else:
                t.hears("[and|what about|how about|and what about] [the|in the] {room}|and the {room}", room=room)
            answer()

    def elsewhere(t: Talk) -> None:
        """A room that the house does not have."""
        room = r.choice([name for name in ROOMS if name not in rooms])
        t.hears(SWITCH if t.often(0.7) else DIM, state=r.choice(("on", "off")), level=number_words(r.randint(1, 20) * 5), **slots(room))
        t.says("[I'm sorry|Sorry], I can't [reach|control] the {room}.", room=room)

    has_heat, has_state = r.random() < 0.6, bool(asked) or r.random() < 0.6
    tools = [set_light, *([set_heat] if has_heat else []), *([get_state] if has_state else [])]
    if asked:
        return Kit(tools, [ask])
    return Kit(tools, [switch, switch, switch, dim, two, elsewhere, *([all_of] if r.random() < 0.6 else []), *([warmth, warmth] if has_heat else []), *([ask] * 4 if has_state else [])])
