"""Requests at home and at a counter (timers, reminders, lights, coffee, messages, lists), and things to remember."""

import random
from collections.abc import Callable

import values as v
from phrases import fill, heard, say

Turns = list[tuple[str, str]]
ROOMS = "hallway|kitchen|living room|bedroom|bathroom|hall|office|garage|garden|dining room|basement|nursery|guest room|attic|porch|lobby|meeting room|study|cellar|playroom|laundry room|corridor|pantry|workshop|library|sauna|gym".split("|")
TASKS = """call {name}|call my mother|buy milk|buy bread|take my medicine|pick up the kids|feed the {animal}|water the plants|
pay the rent|send the report|check the oven|take out the trash|book the flight|write to {name}|meet {name}|lock the door|
charge the car|call the doctor|walk the dog|renew my passport|order flowers for {name}|read the contract|email {name}|
buy a present for {name}|clean the {room}|close the window in the {room}|do the laundry|bring the {colour} folder""".replace("\n", "").split("|")
DRINKS = "latte|cappuccino|espresso|americano|mocha|flat white|tea|green tea|hot chocolate|black coffee|macchiato|iced coffee|iced latte|chai latte|cold brew|cortado".split("|")
SIZES = "small|medium|large".split("|")
MILKS = "oat milk|soy milk|almond milk|whole milk|skim milk|coconut milk".split("|")
EXTRAS = "an extra shot|whipped cream|no sugar|two sugars|vanilla|caramel|cinnamon|extra foam|ice|no foam|hazelnut|honey".split("|")
FOOD = "croissant|muffin|bagel|sandwich|cookie|brownie|donut|slice of cake|banana bread|scone".split("|")


def exchange(r: random.Random, pairs: list[tuple[str, str]], **slots: str) -> Turns:
    turns: Turns = []
    for question, answer in pairs:
        turns += [("user", heard(r, fill(r, question, **slots))), ("assistant", say(r, answer, **slots))]
    return turns


def task(r: random.Random) -> str:
    template = r.choice(TASKS)
    return fill(r, template, name=v.name(r), animal=r.choice(v.ANIMALS), room=r.choice(ROOMS), colour=r.choice(v.COLOURS)).replace("\x01", "").replace("\x02", "")


def request(r: random.Random, template: str, **slots: str) -> str:
    return heard(r, fill(r, f"[{template}]", **slots))


def timer(r: random.Random) -> str:
    label = r.choice(("pasta", "eggs", "pizza", "rice", "laundry", "tea", "cake", "bread", "break", "nap", "chicken", "potatoes"))
    return request(r, "[|hey|hi|okay|can you|could you|please] [set a timer for {long}|set a {long} timer|start a timer for {long}|{long} timer|timer for {long}|wake me in {long}] [please|]|"
                   "[set|start|i need] a timer [please|]|[set|start] a timer for {long} for the {label}|set a {label} timer for {long}|[stop|cancel] the timer|how long does the timer run", long=v.duration(r), label=label)


def reminder(r: random.Random) -> str:
    when = r.choice((f"at {v.clock(r)}", v.on_day(v.day(r)), f"{v.on_day(v.day(r))} at {v.clock(r)}", f"in {v.duration(r)}"))
    return request(r, "remind me to {task} {when}|{when} remind me to {task}|set a reminder to {task} {when}|can you remind me to {task} {when}|i need a reminder to {task} {when}|please remind me {when} to {task}|"
                   "remind me to {task}|i have to {task} remind me|set a reminder to {task}", task=task(r), when=when)


def lights(r: random.Random) -> str:
    slots = {"room": r.choice(ROOMS), "colour": r.choice(v.COLOURS), "level": v.number_words(r.randint(1, 20) * 5), "heat": v.number_words(r.randint(15, 28)), "state": r.choice(("on", "off")),
             "thing": r.choice(("lights", "light", "lamp", "fan", "heating", "music"))}
    wanted = r.choice((
        "[turn|switch] {state} the {thing} in the {room}|[turn|switch] the {room} {thing} {state}|{room} {thing} {state}|can you turn {state} the {room} {thing}|turn the {thing} {state} in the {room}",
        "[make|set|turn] the {room} [lights|light] [to |]{colour}|change the {room} lights to {colour}|i want {colour} light in the {room}",
        "[set|dim|turn] the {room} [lights|light] to {level} percent|{room} lights {level} percent|brightness in the {room} to {level}",
        "set the [temperature|heating] [in the {room}|] to {heat} [degrees|]|make it {heat} degrees [in the {room}|]",
        "[make|can you make|could you make] the {room} [warmer|a bit warmer]|it's [too cold|cold] in the {room}|turn up the heating in the {room}",
        "[make|can you make|could you make] the {room} [cooler|colder|a bit cooler]|it's [too warm|too hot|hot] in the {room}|turn down the heating in the {room}",
        "[make|can you make] the {room} [brighter|lights brighter]|it's too dark in [here|the {room}]",
        "[is the front door|is the back door|is the window in the {room}|is the garage] [locked|closed|open]|did i [lock the door|turn off the oven|close the window]",
        "[open|close] the [blinds|curtains] in the {room}|[turn|switch] {state} [all |]the lights|all lights {state}",
    ))
    return request(r, f"[|hey|please|okay|can you|] [{wanted}] [please|||]", **slots)


def coffee(r: random.Random) -> str:
    slots = {"drink": r.choice(DRINKS), "size": r.choice(("", "", *SIZES)), "milk": r.choice(MILKS), "extra": r.choice(EXTRAS), "amount": r.choice(("a", "a", "a", "one", "two", "three")), "food": r.choice(FOOD)}
    return request(r, "[|hi|hello|good morning|hey] [can i get|i'd like|could i have|i'll have|may i have|i want to order|give me|] {amount} [{size} {drink}|{size} {drink} with {milk}|{drink} with {extra}|{food}] [please|]", **slots)


def message(r: random.Random) -> str:
    text = r.choice(("i'll be late", "the meeting is at {clock}", "i can't come {day}", "please call me back", "my number is {digits}", "the package is here", "happy birthday", "see you {day}", "dinner is at {clock}"))
    said = fill(r, text, clock=v.clock(r), day=v.day(r), digits=v.digits(r)).replace("\x01", "").replace("\x02", "")
    return request(r, "[take a message for|i have a message for|leave a message for|can you take a message for|i'd like to leave a message for] {who}|tell {who} {said}|let {who} know {said}|send a message to {who} {said}",
                   who=v.name(r), said=said)


def items(r: random.Random) -> str:
    a, b = r.sample("milk|bread|eggs|butter|cheese|apples|bananas|rice|pasta|coffee|tea|sugar|salt|soap|tomatoes|onions|potatoes|chicken|fish|yogurt|oranges|carrots|flour|candles|batteries|honey".split("|"), 2)
    return request(r, "[add|put] {a} [and {b} |][to|on] [my|the] [shopping list|list]|[what's|what is|read me what's] on my [shopping |]list", a=a, b=b)


def memory(r: random.Random, between: Callable[[], Turns]) -> Turns:
    """Something to remember, often asked for after the turns `between`."""
    slots = {"name": v.name(r), "city": r.choice(v.CITIES) if r.random() < 0.8 else v.invented(r), "colour": r.choice(v.COLOURS), "animal": r.choice(v.ANIMALS),
             "pet": v.first_name(r), "code": v.digits(r), "number": v.number_words(r.randint(1, 9999)), "drink": r.choice(DRINKS), "other": v.first_name(r), "age": v.number_words(r.randint(4, 90))}
    tell, ack, ask, answer = r.choice((
        ("[my name is|i'm|i am|call me|this is|it's] {name}", "[Nice to meet you|Hello|Hi|Good to meet you], {name}. [How can I help you|What can I do for you]?", "[what's my name|do you remember my name|what is my name|who am i]", "Your name is {name}.|You're {name}."),
        ("[i live in|i'm from|i come from|i'm calling from] {city}", "{city}, [how nice|that's nice|I see]. [How can I help you|What can I do for you]?", "[where do i live|where am i from|what city did i say]", "[You said|] {city}."),
        ("[my favorite color is|i like the color|i love] {colour}", "{colour} is a [nice|lovely|great] color.", "[what's my favorite color|which color do i like]", "[It's {colour}|Your favorite color is {colour}|{colour}]."),
        ("[i have a {animal}|my {animal} is] called {pet}|my {animal}'s name is {pet}", "{pet} is a [nice|lovely|good] name for a {animal}.", "[what's the name of my {animal}|what is my {animal} called]", "[Your {animal} is called {pet}|{pet}]."),
        ("[my code is|remember the code|the code is|remember this number|my room number is|my number is] {code}", "[Okay|Got it], {code}.", "[what was the code|what's my code|what number did i give you|tell me the number]", "[It's|It was|You said] {code}."),
        ("[my room is|i'm in room|my number is|remember] {number}", "[Okay|Got it], {number}.", "[what's my room number|what number was that|what did i say]", "[You said|It's|] {number}."),
        ("i am {age} years old|i'm {age}", "{age} is a [good|fine|great] age.", "[how old am i|what's my age]", "You're {age}."),
        ("[my sister's name is|my brother is called|my friend is called|my wife is|my husband is] {other}", "[That's a nice name|I'll remember that]. {other}.", "[what name did i tell you|who did i tell you about]", "[You told me about|] {other}."),
    ))
    turns = exchange(r, [(f"[|hi|hello] [{tell}]", f"{ack}")], **slots)
    if r.random() < 0.4:
        turns += between()
    if r.random() < 0.6:
        turns += exchange(r, [(ask, f"[{answer}]")], **slots)
    return turns
