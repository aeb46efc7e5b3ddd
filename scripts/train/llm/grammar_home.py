"""Timers, reminders, lights, coffee, messages, things to remember: short requests that copy values."""

import random

import values as v
from phrases import fill, heard, say

Turns = list[tuple[str, str]]
ROOMS = "kitchen|living room|bedroom|bathroom|hall|office|garage|garden|dining room|basement|nursery|guest room|attic|porch|lobby|meeting room|study|cellar|playroom|laundry room|corridor|pantry|workshop|library|sauna|gym".split("|")
TASKS = """call {name}|call my mother|buy milk|buy bread|take my medicine|pick up the kids|feed the {animal}|water the plants|
pay the rent|send the report|check the oven|take out the trash|book the flight|write to {name}|meet {name}|lock the door|
charge the car|call the doctor|walk the dog|renew my passport|order flowers for {name}|read the contract|email {name}|
buy a present for {name}|clean the {room}|close the window in the {room}|do the laundry|bring the {colour} folder""".replace("\n", "").split("|")
DRINKS = "latte|cappuccino|espresso|americano|mocha|flat white|tea|green tea|hot chocolate|black coffee|macchiato|iced coffee|iced latte|chai latte|cold brew|cortado".split("|")
SIZES = "small|medium|large".split("|")
MILKS = "oat milk|soy milk|almond milk|whole milk|skim milk|coconut milk".split("|")
EXTRAS = "an extra shot|whipped cream|no sugar|two sugars|vanilla|caramel|cinnamon|extra foam|ice|no foam|hazelnut|honey".split("|")
FOOD = "croissant|muffin|bagel|sandwich|cookie|brownie|donut|slice of cake|banana bread|scone".split("|")
MORE = "[||||Anything else?|Is there anything else?]"


def exchange(r: random.Random, pairs: list[tuple[str, str]], **slots: str) -> Turns:
    turns: Turns = []
    for question, answer in pairs:
        turns += [("user", heard(r, fill(r, question, **slots))), ("assistant", say(r, answer, **slots))]
    return turns


def task(r: random.Random) -> str:
    template = r.choice(TASKS)
    return fill(r, template, name=v.name(r), animal=r.choice(v.ANIMALS), room=r.choice(ROOMS), colour=r.choice(v.COLOURS)).replace("\x01", "").replace("\x02", "")


def timer(r: random.Random) -> Turns:
    long = v.duration(r)
    label = r.choice(("pasta", "eggs", "pizza", "rice", "laundry", "tea", "cake", "bread", "break", "nap", "chicken", "potatoes"))
    pairs = [(f"[|hey|hi|okay|can you|could you|please] [set a timer for {{long}}|set a {{long}} timer|start a timer for {{long}}|{{long}} timer|timer for {{long}}|wake me in {{long}}] [please|]",
              f"[Okay|Sure|Done|All right], [{{long}}, starting now|your timer is set for {{long}}|I've set a timer for {{long}}|the timer is set for {{long}}]. {MORE}")]
    if r.random() < 0.3:
        pairs = [("[set|start|i need] a timer [please|]", "[Sure|Okay]. [For how long|How long should it be]?"),
                 ("[for|make it|] {long} [please|]", "[Okay|Done], [{long}, starting now|your timer is set for {long}].")]
    if r.random() < 0.25:
        pairs[0] = (f"[set a timer for {{long}} for the {label}|set a {label} timer for {{long}}|start a {{long}} timer for the {label}]",
                    f"[Okay|Sure], [your {label} timer is set for {{long}}|{{long}} for the {label}, starting now].")
        pairs = pairs[:1]
    if r.random() < 0.25:
        pairs.append(("[how long is [the|my] timer|what did i set the timer to|how long did i set it for]", "[It's set for {long}|Your timer is for {long}|{long}]."))
    if r.random() < 0.25:
        pairs.append(("[stop|cancel|delete] the timer [please|]|stop the {long} timer", "[Okay|Done|Sure], [the timer is stopped|I've stopped the timer|the timer is cancelled]."))
        pairs[-1] = (f"[{pairs[-1][0]}]", pairs[-1][1])
    return exchange(r, pairs, long=long)


def reminder(r: random.Random) -> Turns:
    slots = {"task": task(r), "when": r.choice((f"at {v.clock(r)}", v.on_day(v.day(r)), f"{v.on_day(v.day(r))} at {v.clock(r)}", f"in {v.duration(r)}"))}
    # "my" in the request is "your" in the answer; the grammar keeps the two in step.
    slots["yours"] = slots["task"].replace("my ", "your ")
    pairs = [("[remind me to {task} {when}|{when} remind me to {task}|set a reminder to {task} {when}|can you remind me to {task} {when}|i need a reminder to {task} {when}|please remind me {when} to {task}]",
              "[Okay|Sure|Of course|Got it], [I'll remind you to {yours} {when}|I'll remind you {when} to {yours}].")]
    if r.random() < 0.35:
        pairs = [("[remind me to {task}|i have to {task} remind me|can you remind me to {task}|set a reminder to {task}]", "[Sure|Okay]. [When should I remind you|When|At what time]?"),
                 ("{when} [please|]", "[Okay|Got it], [I'll remind you to {yours} {when}|I'll remind you {when} to {yours}].")]
    if r.random() < 0.25:
        pairs.append(("[what did i ask you to remind me of|what was the reminder|what do i have to do|what are my reminders]", "[You wanted to|I'll remind you to] {yours} {when}."))
    return exchange(r, pairs, **slots)


def lights(r: random.Random) -> Turns:
    slots = {"room": r.choice(ROOMS), "other": r.choice(ROOMS), "colour": r.choice(v.COLOURS), "level": v.number_words(r.randint(1, 20) * 5),
             "heat": v.number_words(r.randint(15, 28))}
    state = r.choice(("on", "off"))
    thing, verb = r.choice((("lights", "are"), ("light", "is"), ("lamp", "is"), ("fan", "is"), ("heating", "is"), ("music", "is")))
    pool = [
        (f"[turn|switch] {state} the {thing} in the {{room}}|[turn|switch] the {{room}} {thing} {state}|{{room}} {thing} {state}|can you turn {state} the {{room}} {thing}|turn the {thing} {state} in the {{room}}",
         f"[Okay|Done|Sure], the {{room}} {thing} {verb} {state}.|The {{room}} {thing} {verb} {state} now."),
        ("[make|set|turn] the {room} [lights|light] [to |]{colour}|change the {room} lights to {colour}|i want {colour} light in the {room}", "[Okay|Done|Sure], the {room} [lights are|light is] {colour} now."),
        ("[set|dim|turn] the {room} [lights|light] to {level} percent|{room} lights {level} percent|brightness in the {room} to {level}", "[Okay|Done|Sure], the {room} lights are at {level} percent."),
        ("set the [temperature|heating] [in the {room}|] to {heat} [degrees|]|make it {heat} degrees [in the {room}|]", "[Okay|Sure|Done], [I've set it to {heat} degrees|the temperature is set to {heat} degrees]."),
        ("[make|can you make|could you make] the {room} [warmer|a bit warmer]|it's [too cold|cold] in the {room}|turn up the heating in the {room}", "[Okay|Sure|Done], [I've turned up the heating in the {room}|the {room} will be warmer soon]."),
        ("[make|can you make|could you make] the {room} [cooler|colder|a bit cooler]|it's [too warm|too hot|hot] in the {room}|turn down the heating in the {room}", "[Okay|Sure|Done], [I've turned down the heating in the {room}|the {room} will be cooler soon]."),
        ("[make|can you make] the {room} [brighter|lights brighter]", "[Okay|Sure|Done], the {room} lights are brighter now."),
        ("[is the front door|is the back door|is the window in the {room}|is the garage] [locked|closed|open]|did i [lock the door|turn off the oven|close the window]", "[I'm sorry|Sorry], I can't [check that|see that] from here."),
        ("[open|close] the [blinds|curtains] in the {room}", "[Okay|Sure], I'm on it in the {room}."),
        (f"turn [{state}|{state} all] the lights", f"[Sure|Okay]. [In which room|Which room]?"),
        (f"[turn|switch] {state} all the lights|all lights {state}", f"[Okay|Done], all the lights are {state}."),
        ("it's too dark in [here|the {room}]", "Should I turn on the lights [in the {room}|]?"),
    ]
    question, answer = r.choice(pool)
    if question.startswith("it's too dark"):
        return exchange(r, [("it's too dark in the {room}", "Should I turn on the lights in the {room}?"), ("[yes|yes please|yeah|sure]", "[Okay|Done], the {room} lights are on.")], **slots)
    if question.startswith("turn ["):
        return exchange(r, [(f"[turn|switch] {state} the lights", "[Sure|Okay]. [In which room|Which room]?"), ("[the|in the|] {room} [please|]", f"[Okay|Done], the {{room}} lights are {state}.")], **slots)
    pairs = [(f"[|hey|please|okay|can you|] [{question}] [please|||]", f"[{answer}]")]
    if r.random() < 0.2:
        pairs.append(("[and|now] the {other} [too|as well|]", "[Okay|Done], the {other} too."))
    return exchange(r, pairs, **slots)


def coffee(r: random.Random) -> Turns:
    size, drink, milk, extra = r.choice(SIZES), r.choice(DRINKS), r.choice(MILKS), r.choice(EXTRAS)
    amount = r.choice(("a", "a", "a", "one", "two", "three"))
    many = amount in ("two", "three")
    has_size, has_milk, has_extra = r.random() < 0.5, r.random() < 0.4, r.random() < 0.3
    slots = {"drink": drink + ("s" if many and not drink.endswith("ee") else ""), "size": size, "milk": milk, "extra": extra, "amount": amount,
             "name": v.first_name(r), "food": r.choice(FOOD)}
    parts = "{amount} " + ("{size} " if has_size else "") + "{drink}" + (" with {milk}" if has_milk else "") + ((" and {extra}" if has_milk else " with {extra}") if has_extra else "")
    order = fill(r, parts, **slots).replace("\x01", "").replace("\x02", "").replace("a iced", "an iced").replace("a americano", "an americano").replace("a espresso", "an espresso")
    slots["order"] = order
    pairs = [("[|hi|hello|good morning|hey] [can i get|i'd like|could i have|i'll have|may i have|i want to order|give me|] {order} [please|]", "")]
    if not has_size:
        pairs[0] = (pairs[0][0], "[Sure|Of course|Okay], {order}. [What size would you like|Small, medium or large|Which size]?")
        slots["order"] = order.replace(amount + " ", f"{amount} {size} ", 1) if order.startswith(amount + " ") else order.replace("an ", f"a {size} ", 1)
        pairs.append((f"{{size}} [please|]|[a|make it] {size}".join(("[", "]")), ""))
        slots_first = order
    else:
        slots_first = order
    finish = r.random()
    last_question = pairs[-1][0]
    full = slots["order"]
    turns: Turns = []
    if not has_size:
        turns += exchange(r, [(pairs[0][0], pairs[0][1])], **{**slots, "order": slots_first})
    slots["order"] = full
    if finish < 0.5:
        turns += exchange(r, [(last_question, "[Got it|Okay|Great], {order}. [Anything else|Would you like anything else|Will that be all]?")], **slots)
        if r.random() < 0.5:
            turns += exchange(r, [("[and|also|yes|] a {food} [please|too|]", "[Sure|Okay], {order} and a {food}. [Is that all|What name is it for]?")], **slots)
            slots["order"] += f" and a {slots['food']}"
        else:
            turns += exchange(r, [("[no|no thanks|that's all|that's it|nope that's everything]", "[All right|Great|Okay]. [What name is it for|May I have your name]?")], **slots)
        turns += exchange(r, [("[{name}|it's for {name}|for {name}|my name is {name}]", "[Thank you|Thanks], {name}. {order}, [coming up|right away|it will be ready in a few minutes].")], **slots)
    else:
        turns += exchange(r, [(last_question, "[Got it|Okay|Sure], {order}[, coming up|, right away|]. [Enjoy|Anything else|]")], **slots)
        text = turns[-1][1]
        turns[-1] = ("assistant", text + "?" if text.endswith("else") else (text + "!" if text.endswith("Enjoy") else text))
    return turns


def memory(r: random.Random) -> Turns:
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
        turns += r.choice((timer, lights, coffee))(r)
    if r.random() < 0.6:
        turns += exchange(r, [(ask, f"[{answer}]")], **slots)
    return turns


def message(r: random.Random) -> Turns:
    text = r.choice(("i'll be late", "the meeting is at {clock}", "i can't come {day}", "please call me back", "my number is {digits}", "the package is here", "happy birthday",
                     "i need the {colour} folder", "see you {day}", "dinner is at {clock}", "thank you for the flowers", "the {animal} is fine", "i left the keys in the {room}"))
    said = fill(r, text, clock=v.clock(r), day=v.day(r), digits=v.digits(r), colour=r.choice(v.COLOURS), animal=r.choice(v.ANIMALS), room=r.choice(ROOMS)).replace("\x01", "").replace("\x02", "")
    shown = "I" + said[1:] if said.startswith("i") and said[1] in " '" else said[0].upper() + said[1:]
    slots = {"who": v.name(r), "said": said, "shown": shown}
    pairs = [("[take a message for|i have a message for|leave a message for|can you take a message for|i'd like to leave a message for] {who}", "[Sure|Of course]. [What should I tell {who}|What is the message for {who}|What would you like to say to {who}]?"),
             ("[tell them|say|] {said}", "[Okay|Got it]. [The message for {who} is|I'll tell {who}]: {shown}.")]
    if r.random() < 0.3:
        pairs = [("[tell|let] {who} [know |]{said}".replace("[tell|let] {who} [know |]", r.choice(("tell {who} ", "let {who} know ", "send a message to {who} ", "text {who} "))), "[Okay|Sure]. [The message for {who} is|I'll tell {who}]: {shown}.")]
    return exchange(r, pairs, **slots)


def items(r: random.Random) -> Turns:
    things = r.sample("milk|bread|eggs|butter|cheese|apples|bananas|rice|pasta|coffee|tea|sugar|salt|soap|tomatoes|onions|potatoes|chicken|fish|yogurt|oranges|carrots|flour|candles|batteries|honey".split("|"), 3)
    a, b, c = things
    pairs = [("[add|put] {a} [and {b} |]".replace("[and {b} |]", "and {b} ") + "[to|on] [my|the] [shopping list|list]", "[Okay|Done], {a} and {b} are on your list.")]
    if r.random() < 0.5:
        pairs.append(("[and|also|add|also add] {c} [too|please|]", "[Okay|Done], I've added {c}."))
        pairs.append(("[what's|read me what's|what is] on my [shopping |]list", "[You have|There's] {a}, {b} and {c} on your list."))
    else:
        pairs.append(("[what's|what is|read me what's] on my [shopping |]list", "[You have|There's] {a} and {b} on your list."))
    return exchange(r, pairs, a=a, b=b, c=c)


SCENES = (timer, timer, reminder, reminder, lights, lights, coffee, memory, memory, memory, message, items)


def home(r: random.Random) -> Turns:
    return r.choice(SCENES)(r)
