"""Everyday tools in the forms that operators give them: other names, other parameters, free text instead of a list of values."""

import values as v
from grammar_home import FOOD, ROOMS
from phrases import number_words
from talk import MIND_CHANGED, Kit, Talk, act, result
from tool_format import Tool
from tool_values import duration, integer, length_text
from tools_desk import TARGETS
from tools_devices import DEVICES
from tools_house import SWITCH
from tools_lookup import snake
from tools_timers import SET

TEXT, WHOLE = {"type": "string"}, {"type": "integer"}
PEOPLE = """nurse|doctor|porter|waiter|cleaner|technician|plumber|taxi|electrician|guard|maid|bellboy|manager|caretaker|
translator|driver|gardener|locksmith|assistant|messenger""".replace("\n", "").split("|")
GOODS = [*FOOD, *"""towels|soup|salad|water|pillow|blanket|breakfast|newspaper|tea|coffee|menu|wheelchair|ice|soap|slippers|robe|
iron|lamp|charger|umbrella|dinner|wine|fruit|juice|toast|medicine""".replace("\n", "").split("|")]
DOORS = """front door|back door|garage door|main gate|side gate|kitchen window|roof hatch|cellar door|barrier|garden gate|bedroom window|
balcony door|bathroom window|left door|right door|glass door|car park gate|blinds|curtains|shutters""".replace("\n", "").split("|")


def lamps(talk: Talk) -> Kit:
    """A switch for lights: the state is a boolean, a word, or the name of the tool."""
    r = talk.r
    place = talk.of(("room", "where", "place", "area", "zone", "location", "room_name", "light"))
    rooms = [talk.of(ROOMS) for _ in range(r.randint(2, 5))]
    where = {"type": "string", "enum": list(dict.fromkeys(rooms))} if r.random() < 0.25 else TEXT
    noun = talk.of(("light", "lights", "lamp", "lamps", "lighting", "room_light", "room_lights", "light_switch"))
    form = r.choice(("boolean", "boolean", "word", "word", "text", "two tools"))
    said = r.choice(("Switches the lights.", "Switches a light.", "Turns the lights of a room on or off.", "Switches the lights of a room on or off.", "Controls a light.", "Lights in a room."))
    if form == "two tools":
        verb = r.choice(("turn", "switch"))
        names = {True: f"{verb}_on_{noun}", False: f"{verb}_off_{noun}"}
        tools = [Tool(name, f"{verb.capitalize()}{'es' if verb == 'switch' else 's'} {'on' if value else 'off'} the lights of a room.", {place: where}, (place,)) for value, name in names.items()]
    else:
        name = f"{talk.of(('set', 'switch', 'control', 'change', 'turn', 'operate', 'adjust'))}_{noun}"
        state = talk.of(("on", "lit", "active", "enabled", "power")) if form == "boolean" else talk.of(("state", "action", "mode", "status", "power", "switch"))
        schema = {"boolean": {"type": "boolean"}, "word": {"type": "string", "enum": ["on", "off"]}, "text": TEXT}[form]
        properties = {place: where, state: schema} if r.random() < 0.7 else {state: schema, place: where}
        tools = [Tool(name, said, properties, tuple(properties))]

    def call(room: str, value: bool) -> tuple[str, dict]:
        if form == "two tools":
            return names[value], {place: room}
        values = {place: room, state: value if form == "boolean" else "on" if value else "off"}
        return name, {key: values[key] for key in properties}

    def switch(t: Talk) -> None:
        room, value = r.choice(rooms), r.random() < 0.6
        words = {"room": room, "state": "on" if value else "off", "thing": r.choice(("lights", "light", "light", "lamp"))}
        if t.often(0.15):
            t.hears("[turn|switch] {state} the [light|lights|lamp] [please|]", **words)
            t.says("[Sure|Okay]. In which room?")
            t.hears("[the {room}|in the {room}|{room} please|{room}]", **words)
        else:
            t.hears(SWITCH, **words)
        if act(t, [call(room, value)], "ok", "[Okay|Done|Sure], the {room} light is {state}.", **words) and t.often(0.3):
            other, back = r.choice(rooms), "off" if value else "on"
            if t.often(0.5):
                t.hears("[and|also] the {other} [too|as well|please|]|the {other} too", other=other)
                act(t, [call(other, value)], "ok", "[Okay|Done], the {other} light is {state} too.", other=other, **words)
            else:
                t.hears("[turn|switch] it {back} again|[no|actually|wait] [turn it|switch it] {back}|{back} again please", back=back)
                act(t, [call(room, not value)], "ok", "[Okay|Done|Sure], the {room} light is {back}.", back=back, **words)

    return Kit(tools, [switch])


def countdown(talk: Talk) -> Kit:
    """A timer whose length is minutes alone, a text, or a number with its unit."""
    r = talk.r
    form = r.choice(("minutes", "minutes", "seconds", "text", "unit"))
    name = f"{talk.of(('set', 'start', 'create', 'add', 'begin', 'run'))}_{talk.of(('timer', 'timer', 'countdown', 'alarm', 'kitchen_timer', 'egg_timer'))}"
    length = talk.of({"minutes": ("minutes", "minutes", "duration_minutes", "length_minutes", "time_minutes"), "seconds": ("seconds", "seconds", "duration_seconds", "length_seconds"), "text": ("duration", "length", "time", "for"), "unit": ("amount", "duration", "value", "number")}[form])
    properties = {length: TEXT if form == "text" else WHOLE, **({"unit": {"type": "string", "enum": ["seconds", "minutes", "hours"]}} if form == "unit" else {})}
    tool = Tool(name, r.choice(("Sets a timer.", "Starts a timer.", "Starts a countdown.", "Sets a timer that rings after a time.", "A kitchen timer.")), properties, tuple(properties))

    def draw() -> tuple[str, dict]:
        while True:
            words, parts = duration(r)
            if form == "text":
                return words, {length: length_text(parts)}
            (unit, value), *more = parts.items()
            if not more and form in ("unit", unit):
                return words, {length: value, **({"unit": unit} if form == "unit" else {})}

    def begin(t: Talk) -> None:
        words, arguments = draw()
        if t.often(0.15):
            t.hears("[set|start|i need] a timer [please|]|can you set a timer")
            t.says("[Sure|Okay]. [For how long|How long should it be]?")
            t.hears("[for|make it|] {long} [please|]", long=words)
        else:
            t.hears(SET, long=words)
        if act(t, [(name, arguments)], "ok", "[Okay|Sure|Done], [{long}, starting now|your timer is set for {long}].", long=words) and t.often(0.25):
            words, arguments = draw()
            t.hears(f"{MIND_CHANGED} [make it|make that|i meant|] {{long}}", long=words)
            act(t, [(name, arguments)], "ok", "[Okay|Sure|No problem], {long}, starting now.", long=words)

    return Kit([tool], [begin])


def service(talk: Talk) -> Kit:
    """A person or a thing is sent to a room. The tool has the thing in its name, or as a parameter."""
    r = talk.r
    is_person = r.random() < 0.5
    things = [talk.of(PEOPLE if is_person else GOODS) for _ in range(r.choice((1, 3, 4)))]
    is_named = len(things) == 1
    verb = talk.of(("call", "send", "request", "get", "page") if is_person else ("order", "bring", "deliver", "request", "send"))
    kind = r.choice(("person", "staff", "who", "role", "service") if is_person else ("item", "what", "dish", "thing", "article", "goods"))
    name = f"{verb}_{snake(things[0]) if is_named else r.choice(('person', 'staff', 'help') if is_person else ('item', 'food', 'to_room', 'room_service', 'goods'))}"
    room = talk.of(("room", "room", "room_number", "number", "bed", "table", "to"))
    spot = room if room in ("bed", "table") else "room"
    properties = {**({} if is_named else {kind: TEXT}), room: WHOLE}
    tool = Tool(name, r.choice((f"Sends {'somebody' if is_person else 'something'} to a {spot}.", f"{verb.capitalize()}s {things[0] if is_named else 'it'} to a {spot}.", f"For a {spot}.")), properties, tuple(properties))

    def send(t: Talk) -> None:
        thing = things[0] if is_named else talk.of(PEOPLE if is_person else GOODS)
        value = r.randint(1, 40) if t.often(0.6) else r.randint(101, 620)
        words = number_words(value) if value <= 40 else r.choice((str(value), str(value), " ".join(number_words(int(digit)) for digit in str(value)).replace("zero", "oh")))
        some = thing if thing.endswith("s") else f"{'an' if thing[0] in 'aeiou' else 'a'} {thing}"
        slots = {"thing": thing, "some": some, "number": words, "spot": spot}
        asks = "[please|can you|could you|] [send|bring|get] {some}|i need {some}|i'd like {some}|i would like {some} please|[can|could] i [get|have] {some}"
        if t.often(0.2):
            t.hears(asks, **slots)
            t.says("[Sure|Of course|Okay]. [To which {spot}|Which {spot} is it]?", **slots)
            t.hears("[{spot}|it's {spot}|to {spot}|] {number} [please|]", **slots)
        else:
            t.hears(f"[{asks}] [to|for|in|at] {{spot}} {{number}} [please|]|{{thing}} [to|for] {{spot}} {{number}} [please|]|{{spot}} {{number}} needs {{some}}|this is {{spot}} {{number}} [{asks}]", **slots)
        act(t, [(name, {**({} if is_named else {kind: thing}), room: value})], "ok", "[Okay|Done|Sure], {some} for {spot} {number}.", **slots)

    return Kit([tool], [send])


def put_through(talk: Talk) -> Kit:
    """A transfer to a department or a person that no list names."""
    r = talk.r
    name = talk.of(("transfer_call", "connect_call", "forward_call", "put_through", "transfer_to", "connect_caller", "redirect_call"))
    to = talk.of(("department", "department", "to", "person", "extension", "whom", "destination"))
    tool = Tool(name, r.choice(("Connects the caller with a person.", "Transfers the call.", "Connects the caller with a department.", "Forwards the call.", "Puts the caller through.")), {to: TEXT}, (to,))

    def connect(t: Talk) -> None:
        target = v.name(r) if t.often(0.3) else t.of(TARGETS)
        if t.often(0.2):
            t.hears("can i [talk|speak] to [someone|somebody]|can you transfer me|i want to be put through")
            t.says("[Of course|Sure]. [Who would you like to speak to|To whom]?")
            t.hears("{target} [please|]|to {target}", target=target)
        else:
            t.hears(("[can|could|may] i [speak|talk] [to|with] {target} [please|]", "put me through to {target} [please|]", "connect me [with|to] {target}", "transfer me to {target}", "i'd like to speak to {target}",
                     "i want to talk to {target}", "get me {target} please"), target=target)
        act(t, [(name, {to: target})], "ok", "[One moment, I'll connect you.|I'll put you through.|One moment, please.]")

    return Kit([tool], [connect])


def openers(talk: Talk) -> Kit:
    """Doors, windows and machines by their names: one tool for each deed, or one with a parameter for it."""
    r = talk.r
    pairs = (("open", "close"), ("lock", "unlock"), ("start", "stop"))
    deeds = talk.of(pairs)
    things = DEVICES if "start" in deeds else DOORS
    what = talk.of(("device", "machine", "appliance", "what") if "start" in deeds else ("door", "door", "name", "which", "what", "entrance"))
    has_deed = r.random() < 0.5
    deed_name = talk.of(("action", "command", "state", "operation"))
    noun = "device" if "start" in deeds else "door"
    name = f"{talk.of(('control', 'operate', 'set', 'move'))}_{noun}"
    if has_deed:
        tools = [Tool(name, r.choice((f"{deeds[0].capitalize()}s or {deeds[1]}s something.", "Does it.", "Controls it.")), {what: TEXT, deed_name: {"type": "string", "enum": list(deeds)}}, (what, deed_name))]
    else:
        tools = [Tool(f"{deed}_{noun}", f"{deed.capitalize()}s {r.choice(('it', 'a ' + noun))}.", {what: TEXT}, (what,)) for deed in deeds]

    def go(t: Talk) -> None:
        deed, thing = r.choice(deeds), t.of(things)
        t.hears("[|please|can you|could you|would you] {deed} the {thing} [please|]|i want the {thing} to {deed}|{deed} the {thing} for me", deed=deed, thing=thing)
        act(t, [(name, {what: thing, deed_name: deed}) if has_deed else (f"{deed}_{noun}", {what: thing})], "ok", "[Okay|Done|Sure].")

    return Kit(tools, [go])


def weather(talk: Talk) -> Kit:
    r = talk.r
    place = talk.of(("city", "place", "location", "town", "where"))
    name = f"{talk.of(('get', 'check', 'fetch', 'read', 'find'))}_{talk.of(('weather', 'weather', 'forecast'))}"
    tool = Tool(name, r.choice(("Returns the weather of a city.", "The weather in a place.", "Tells the weather.", "Forecast for a city.")), {place: TEXT}, (place,))

    def ask(t: Talk) -> None:
        city = r.choice(v.CITIES)
        t.hears(("[what's|what is|how is|how's] the weather in {city} [today|]", "will it rain in {city} [today|]", "is it [raining|cold|warm|sunny|snowing] in {city}", "what's the forecast for {city}", "do i need an umbrella in {city}",
                 "how [warm|cold] is it in {city}", "weather in {city} please", "tell me the weather in {city}"), city=city)
        t.calls((name, {place: city}))
        sky, (words, degrees) = t.of(("sunny", "rain", "cloudy", "snow", "windy", "clear", "fog", "storms")), integer(r, 1, 32)
        t.gets(result(t, r.choice(({"weather": sky, "degrees": degrees}, {"sky": sky, "temperature": degrees}, {"conditions": sky, "temp_c": degrees})), f"{sky}, {degrees} degrees"))
        t.says(f"In {{city}}, it's {sky}, with {degrees} degrees.", city=city)

    return Kit([tool], [ask])


def climate(talk: Talk) -> Kit:
    """One temperature for everything."""
    r = talk.r
    what = talk.of(("heating", "temperature", "thermostat", "air_conditioning", "heat", "climate"))
    value_name = talk.of(("degrees", "temperature", "celsius", "target", "value"))
    name = f"{talk.of(('set', 'change', 'adjust', 'control'))}_{what}"
    tool = Tool(name, r.choice(("Sets the temperature.", "Changes the heating.", "Sets the thermostat in degrees.", "How warm it is.")), {value_name: WHOLE}, (value_name,))

    def change(t: Talk) -> None:
        words, value = integer(r, 14, 30)
        if t.often(0.2):
            t.hears("[make it|i want it] [warmer|colder|cooler]|it's too [cold|warm] in here|i'm [cold|freezing]")
            t.says("[Sure|Okay]. [To how many degrees|How many degrees would you like]?")
            t.hears("{heat} [degrees|please|]|to {heat}", heat=words)
        else:
            t.hears("make it {heat} degrees|[set|put|turn] the [heating|temperature|thermostat] to {heat} [degrees|]|{heat} degrees please|i want {heat} degrees|can you make it {heat} degrees", heat=words)
        act(t, [(name, {value_name: value})], "ok", "[Okay|Done|Sure], it's set to {heat} degrees.", heat=words)

    return Kit([tool], [change])


FORMS = (lamps, countdown, service, put_through, openers, weather, climate)
