"""A compact grammar of callers' sentences to the assistant and of words over its speech. `sentence(rng)` and `brief(rng)` draw one."""

import random
import re

from .normalise import clock_words, number_words, ordinal_words

NAMES = ("anna ben carla daniel emma frank grace henry isabel jack karen liam maria nathan olivia paul quinn rachel "
         "sam tina victor wendy alex brian chloe david ella fiona george hannah ian julia kevin laura mark nina oscar "
         "peter rose steve tom vera will yara zoe alice robert susan james linda michael sarah thomas jennifer "
         "charles patricia joseph barbara lucy sophie martin helen edward clara simon diana").split()
SURNAMES = ("smith jones taylor brown williams wilson johnson davies robinson wright thompson evans walker white "
            "roberts green hall wood jackson clarke miller davis garcia martinez anderson moore lee harris lewis young "
            "king scott baker adams nelson carter mitchell turner parker collins edwards stewart morris murphy cook "
            "rogers morgan cooper peterson reed bailey bell kelly howard ward cox richardson watson brooks bennett gray").split()
ROOMS = ("kitchen", "living room", "bedroom", "bathroom", "hallway", "office", "garage", "garden", "dining room",
         "basement", "attic", "study", "nursery", "guest room", "porch", "entrance", "meeting room", "lobby")
DEVICES = ("lights", "light", "lamp", "ceiling light", "fan", "heating", "heater", "air conditioning", "television",
           "tv", "radio", "music", "speaker", "blinds", "curtains", "coffee machine", "oven", "thermostat", "alarm")
COLOURS = "red blue green yellow white orange purple pink warm cold".split()
DRINKS = ("coffee", "latte", "cappuccino", "espresso", "mocha", "flat white", "americano", "macchiato", "cold brew",
          "hot chocolate", "chai latte", "green tea", "black tea", "iced latte", "iced coffee", "double espresso",
          "orange juice", "glass of water", "cup of tea", "hazelnut latte", "vanilla latte")
EXTRAS = ("oat milk", "almond milk", "soy milk", "whole milk", "skim milk", "sugar", "two sugars", "no sugar",
          "whipped cream", "cinnamon", "caramel", "vanilla", "chocolate", "extra foam", "an extra shot", "ice", "no ice",
          "honey", "coconut milk", "cream")
FOODS = ("croissant", "muffin", "sandwich", "bagel", "cookie", "salad", "slice of cake", "piece of toast", "pizza",
         "burger", "soup of the day", "blueberry muffin", "cheese sandwich")
SIZES = "small medium large regular".split()
DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
MONTHS = ("january february march april may june july august september october november december").split()
PLACES = ("restaurant", "hotel", "clinic", "bank", "pharmacy", "library", "museum", "gym", "pool", "spa", "bar",
          "reception", "kitchen", "shop", "office", "hospital", "parking", "breakfast", "dentist", "post office")
THINGS = ("table", "room", "appointment", "meeting room", "double room", "single room", "taxi", "massage", "haircut",
          "check up", "seat", "ticket", "table by the window", "quiet table", "family room", "suite")
TASKS = ("call my mother", "take out the trash", "buy milk", "water the plants", "take my medicine", "pay the rent",
         "walk the dog", "feed the cat", "send the report", "pick up the kids", "check the oven", "call the doctor",
         "book a flight", "do the laundry", "buy flowers", "go to the gym", "call the bank", "read my email",
         "clean the kitchen", "turn off the stove", "pick up the package", "call the office", "drink some water")
CITIES = ("london", "paris", "berlin", "madrid", "rome", "vienna", "boston", "chicago", "seattle", "denver", "dallas",
          "miami", "new york", "los angeles", "san francisco", "tokyo", "sydney", "dublin", "oslo", "prague", "toronto",
          "lisbon", "amsterdam", "edinburgh", "manchester", "houston", "portland")

TEMPLATES = """
hello | hi | hi there | hello there | hey | good morning | good afternoon | good evening | good day | hey there
hello (how are you|my name is {name}|this is {name}|it's {name}|can you hear me|is anyone there|can you help me|who am i speaking to)
(hi|hello|good morning|good evening) i'm {name} | i am {name} {surname} | my name is {name} {surname} | my name is {name} | it's {name}
my (last name|surname|family name|first name) is (spelled |){surname} | the name is {surname} | {name} {surname} | the booking is under {surname}
how are you | how are you today | how are you doing | how was your day | nice to meet you | how is it going | what's up
what is your name | what's your name | who are you | are you a robot | are you human | are you a real person | what can you do | how old are you
(can|could) you help me (please|) | i need some help | i have a question | can i ask you something | tell me more (about that|)
tell me a joke | tell me a story | tell me something (funny|interesting) | sing a song | do you like music | that's funny | that's great | that's nice
yes | no | yeah | yep | nope | okay | sure | please | stop | wait | maybe | right | correct | exactly | perfect | great | fine | cancel | thanks | sorry | pardon | really | what | why | alright | absolutely | never mind | not now | go on | continue | repeat
yes please | no thanks | no thank you | yes that's (right|correct|fine|good|great|perfect) | no that's (wrong|not right|all|it|fine) | that's (right|correct|fine|wrong|all|it|okay|perfect) | of course | i think so | i don't think so | i don't know | i'm not sure | not really | sounds good | that sounds (good|great|fine) | i guess so
wait a (minute|second|moment) (please|) | hold on (a second|a minute|please|) | one moment please | just a (second|minute|moment) | stop (it|that|now|talking|please|the music|the timer|the alarm) | please stop | be quiet | okay stop | no wait | wait no | hang on | let me think | give me a (second|minute)
(can|could) you (repeat|say) that (again|please|) | say that again (please|) | what did you say | i didn't (hear|understand|catch) (you|that) | pardon me | sorry what (was that|did you say) | speak (louder|slower|up) please | a bit (louder|slower) please
what time is it | what's the time | what is the time (now|please|) | do you know what time it is | what day is (it|it today|today|tomorrow) | what's the date (today|tomorrow|) | what is today's date | what year is it | what month is it | what time is it in {city} | is it (monday|friday|the weekend|late) already | how long until {clock}
set a timer for {duration} | set a {durationadj} timer | start a timer for {duration} | timer for {duration} | can you set a timer for {duration} (please|) | please set a timer for {duration} | {duration} please | how much time is left (on the timer|) | cancel the timer | stop the timer | pause the timer | add {duration} to the timer | set another timer for {duration}
set an alarm for {clock} | wake me up at {clock} (tomorrow|on {day}|) | set an alarm for {clock} (tomorrow|on {day}|every day) | turn off the alarm | cancel my alarm | what alarms do i have | snooze for {duration}
remind me to {task} | remind me to {task} (at {clock}|in {duration}|tomorrow|on {day}|tonight|tomorrow morning|this evening) | set a reminder (to {task}|for {clock}) | don't let me forget to {task} | what are my reminders | delete (my|all) reminders | remind me (at {clock}|in {duration}) to {task} | i need to {task} (today|tomorrow|at {clock}|)
turn (on|off) the {device} | turn the {device} (on|off) | turn (on|off) the {device} in the {room} | turn (on|off) the {room} lights | switch (on|off) the {device} (in the {room}|) | switch the {room} light (on|off) | lights (on|off) | (turn|switch) (everything|all the lights) (on|off)
dim the lights (in the {room}|to {percent} percent|) | set the {room} lights to {percent} percent | make the {room} (brighter|darker|warmer|cooler) | set the lights to {colour} | make the lights {colour} | it's too (dark|bright|cold|hot|loud|warm) in (here|the {room}) | open the (door|window|blinds|curtains|garage|gate) | close the (door|window|blinds|curtains|garage|gate) | lock the (front|back|) door | is the (front door|garage|window|oven) (open|closed|locked|on|off) | are the lights (on|off) in the {room}
set the (temperature|thermostat|heating) to {degrees} degrees | what's the temperature (in the {room}|outside|) | turn the heating (up|down) | make it warmer | make it cooler | turn (up|down) the volume | volume (up|down) | louder | quieter | set the volume to {percent} (percent|)
i'd like to book a {thing} | i would like to book a {thing} for {people} | i want to book a {thing} (for {people}|for {date}|at {clock}) | book a {thing} for {people} {datepart} at {clock} | book a table for {people} | book a table for {people} at {clock} | can i (book|reserve|get) a {thing} (for {people}|for {date}|on {day}|tonight|tomorrow|) | i need a {thing} (for {people}|on {day}|for tonight|for {nights}|) | reserve a {thing} {datepart} at {clock} | i'd like to make a (reservation|booking|appointment) (for {people}|for {date}|under the name {surname}|with doctor {surname}|)
do you have a {thing} (available|free) ({datepart}|) | is there a {thing} free {datepart} | are there any {thing}s (left|available) | have you got anything (earlier|later|cheaper|on {day}|at {clock})
change my (booking|reservation|appointment|table) to {clock} | can i change my (booking|reservation|appointment) (to {day}|to {clock}|to {date}|please|) | i need to (change|move|cancel) my (booking|reservation|appointment|meeting) | cancel my (booking|reservation|appointment|order) (please|for {day}|) | move (it|my appointment) to {day} (at {clock}|) | make it {people} | make it {clock} | can we make it {clock} instead | actually make (it|that) {number} people | i'd rather come (at {clock}|on {day})
for {people} | {people} please | at {clock} | at {clock} please | {clock} | on {day} | {day} | {day} at {clock} | {datepart} | {datepart} at {clock} | {date} | for {nights} | tonight | tomorrow | tomorrow (morning|afternoon|evening|night) | next week | this weekend | around {clock} | {clock} (is fine|would be great|works for me) | between {hour} and {hour}
what are your opening hours | when do you (open|close) ({datepart}|) | what time (do you|does the {place}) (open|close) (on {day}|today|tomorrow|) | are you open (on {day}|today|tomorrow|now|at {clock}|on weekends) | is the {place} open (now|on {day}|today|) | until when are you open (today|on {day}|) | how late is the {place} open | where is the {place} | how do i get to the {place} | is there a {place} (nearby|near here|in the building) | what's your (address|phone number|email address)
how much is (it|that|the room|a {thing}|a {drink}|a {size} {drink}|the {food}|a ticket|parking|breakfast) | how much does (it|that|a {thing}|a {drink}) cost | what does (it|a {drink}|a {thing}) cost | what's the price (of a {drink}|of a {thing}|per night|for {people}) | is breakfast included | is that with tax | that's too expensive | do you have anything cheaper | can i pay (by card|in cash|with my phone) | the bill please | can i have the (bill|check|menu|receipt) (please|) | it costs {price} | that will be {price} | {price}
can i (get|have) a {drink} (please|) | can i get a {size} {drink} with {extra} (please|) | i'd like a {drink} (please|with {extra}|to go|) | i'll have a {size} {drink} | i would like a {size} {drink} with {extra} and {extra} | one {drink} please | {number} {drink}s please | a {drink} and a {food} please | (a|one) {size} {drink} (to go|with {extra}|for {name}|please) | could i get a {food} | and a {food} (please|) | with {extra} (please|) | do you have {extra} | make that a {size} | no {extra} please | can i have a {drink} for {name} | i'd like to order a {drink} | what do you have to drink | what's (in|on) the (menu|{drink}) | is my order ready | for here | to go | to go please | that's all thanks | anything else
my (phone |)number is {phone} | {phone} | my room number is {digits} | room {number} | room {digits} | {digits} | {number} | {number} {number} | it's {number} | number {number} | the code is {digits} | my date of birth is {date} {year} | i am {number} years old | {year} | in {year} | my address is {number} {surname} street | the {ordinal} | {number} (minutes|hours|people|euros|dollars|pounds|degrees|percent) | {number} (plus|minus|times|divided by) {number} | what is {number} (plus|minus|times) {number} | count to {number} | half past {hour} | quarter (to|past) {hour}
what's the weather (like|like today|like tomorrow|in {city}|for {day}|) | will it rain (today|tomorrow|on {day}) | is it (cold|warm|raining|sunny|hot) (outside|today|in {city}) | do i need (an umbrella|a coat|a jacket) | how (hot|cold|warm) (is it|will it be) (today|tomorrow|)
play (some music|my favourite song|some jazz|the radio|the news|something relaxing|that song again) | next song | skip this song | pause the music | what song is this | stop the music | call {name} | call {name} {surname} | send a message to {name} | is {name} (there|home|in the office) | can i speak to {name} (please|{surname}|) | connect me to (reception|the {place}|a person|an agent|{name}) | i'd like to (speak|talk) to (a person|someone|the manager|a doctor|a nurse)
i've been (waiting|trying) for {duration} | the {device} (doesn't work|is broken|is not working|is too loud) | there is no (hot water|towel|light) in my room | can you send someone (up|to my room|) | i lost my (key|card|phone|bag|wallet) | i forgot my (password|key|booking number) | i have a {thing} at {clock} | i'm running late | i'll be there (in {duration}|at {clock}|soon) | i feel (sick|tired|great|better|fine|cold|happy|sad) | my (head|back|stomach|leg) hurts | i need a doctor
thank you | thanks | thanks a lot | thank you very much | thank you so much | thanks for your help | you're welcome | no problem | that was helpful | great thanks | perfect thank you | okay thanks | thank you {name} | you've been very helpful
goodbye | bye | bye bye | see you (later|soon|tomorrow|on {day}|) | good night | have a (nice|good|great) (day|evening|weekend|night|one) | talk to you later | take care | that's all for today | okay bye | thanks bye | goodbye and thank you | see you then
(um|uh|well|so|oh|hmm|mm hmm|uh huh|okay so|and|but|okay) (yes|no|{clock}|i'd like a {drink}|what time is it|for {people}|i don't know|turn off the lights|on {day}|let me see|)
"""

# Words over the assistant's speech: back-channels and interruptions.
BRIEF = """
mm | mm hmm | mm hmm mm hmm | hmm | uh huh | uh huh uh huh | mm okay | mm yeah | uh huh (yeah|okay|right|sure) | (yeah|yes|yep|yup|okay|right|sure|mm|oh) mm hmm | (ah|aha|oh|ooh)
{listening}
{listening} | {listening} {listening} | {listening} thanks | (oh|ah|um|uh|well|mm|yeah|okay|right) {listening}
stop | stop stop | no | no no | no no no | wait | wait wait | hold on | hang on | quiet | enough | that's enough | cancel | pause | sorry | actually | but | hello | hey | listen | excuse me | never mind | what | why | who | when | where | how much | how long | {day} | {number} | {clock}
cancel (that|it) | not (that|this) one | not (now|today|that) | one (moment|second|minute) | (just|hang on) a (moment|second|minute) | (no|wait|stop|okay|hey|oh|sorry|but|actually) (no|wait|stop|hold on|not that one|{clock}|{day}|{number}|what about {day}|the other one|i meant {day}) | i (said|meant|want|wanted) (the|that|this) (second|first|last|other) one | you got (that|it|me) wrong | that's (wrong|not right|not what i (said|meant|asked)) | what about {day}
"""
LISTENING = (
    "yeah yes yep yup ya okay right sure good great nice cool fine well wow really exactly absolutely definitely indeed alright understood "
    "gotcha true interesting perfect thanks totally lovely wonderful excellent brilliant amazing"
).split() + (
    "i see|got it|of course|all right|sounds good|thank you|very good|oh my|oh really|no problem|no way|i know|makes sense|for sure|fair enough|"
    "that's right|that's good|that's great|that's true|that's fine|that's nice|that's it|that is right|that is true|that is great|oh i see|"
    "oh okay|ah okay|oh no|oh wow|oh good|i understand|that makes sense|sounds great|sounds fine|so true|very nice|got you|not bad|go on"
).split("|")


def _lines(templates: str) -> list[list[str]]:
    return [[alternative.strip() for alternative in re.split(r" \| ", line)] for line in templates.strip().splitlines()]


LINES, BRIEF_LINES = _lines(TEMPLATES), _lines(BRIEF)


def _clock(rng: random.Random) -> str:
    hour = rng.randint(1, 12)
    kind = rng.random()
    if kind < 0.25:
        return f"{number_words(hour)}{rng.choice(['', ' o' + chr(39) + 'clock', ' am', ' pm', ' pm'])}"
    if kind < 0.4:
        return f"{rng.choice(['half past', 'quarter past', 'quarter to', 'ten past', 'twenty to', 'five to'])} {number_words(hour)}"
    minute = rng.choice([15, 30, 45, 5, 10, 20, 40, 50, rng.randint(1, 59)])
    return clock_words(hour, minute) + rng.choice(["", "", " am", " pm", " pm"])


def _duration(rng: random.Random) -> str:
    unit = rng.choice(["minute", "minute", "second", "hour", "day"])
    count = rng.choice([1, 2, 3, 5, 10, 15, 20, 25, 30, 40, 45, 50, 60, 90, rng.randint(2, 59)])
    if rng.random() < 0.1:
        return rng.choice(["half an hour", "an hour", "a minute", "an hour and a half", "a few minutes", "two and a half hours"])
    return f"{number_words(count)} {unit}{'' if count == 1 else 's'}"


def _date(rng: random.Random) -> str:
    day, month = ordinal_words(rng.randint(1, 31)), rng.choice(MONTHS)
    return rng.choice([f"the {day} of {month}", f"{month} {day}", f"{month} the {day}", f"the {day}"])


def _number(rng: random.Random) -> str:
    return number_words(rng.choice([rng.randint(0, 20), rng.randint(0, 99), rng.randint(0, 99), rng.randint(100, 999), rng.randint(1000, 9999)]))


def _digits(rng: random.Random, low: int = 2, high: int = 6) -> str:
    return " ".join(rng.choice("zero oh one two three four five six seven eight nine".split()) for _ in range(rng.randint(low, high)))


def _people(rng: random.Random) -> str:
    count = rng.randint(1, 12)
    return rng.choice([number_words(count), f"{number_words(count)} {'person' if count == 1 else 'people'}", f"{number_words(count)} {'guest' if count == 1 else 'guests'}"])


def _datepart(rng: random.Random) -> str:
    return rng.choice(["today", "tonight", "tomorrow", "tomorrow night", "tomorrow morning", f"on {rng.choice(DAYS)}", f"next {rng.choice(DAYS)}",
                       f"this {rng.choice(DAYS)}", f"on {_date(rng)}", f"on {rng.choice(DAYS)} {rng.choice(['morning', 'evening', 'afternoon'])}"])


def _price(rng: random.Random) -> str:
    unit = rng.choice(["dollars", "euros", "pounds"])
    cents = f" {rng.choice(['', 'and '])}{number_words(rng.randint(5, 99))}{rng.choice(['', ' cents'])}" if rng.random() < 0.4 else ""
    return f"{number_words(rng.choice([rng.randint(2, 30), rng.randint(20, 300)]))} {unit}{cents}".replace("  ", " ")


def _year(rng: random.Random) -> str:
    if rng.random() < 0.3:
        return f"two thousand {rng.choice(['', 'and '])}{number_words(rng.randint(1, 9))}"
    return f"{rng.choice(['nineteen', 'nineteen', 'twenty'])} {number_words(rng.randint(10, 99))}"


SLOTS = {
    "listening": lambda r: r.choice(LISTENING), "name": lambda r: r.choice(NAMES), "surname": lambda r: r.choice(SURNAMES), "room": lambda r: r.choice(ROOMS),
    "device": lambda r: r.choice(DEVICES), "colour": lambda r: r.choice(COLOURS), "drink": lambda r: r.choice(DRINKS),
    "extra": lambda r: r.choice(EXTRAS), "food": lambda r: r.choice(FOODS), "size": lambda r: r.choice(SIZES),
    "day": lambda r: r.choice(DAYS), "place": lambda r: r.choice(PLACES), "thing": lambda r: r.choice(THINGS),
    "task": lambda r: r.choice(TASKS), "city": lambda r: r.choice(CITIES), "clock": _clock,
    "duration": _duration, "durationadj": lambda r: f"{number_words(r.choice([1, 2, 3, 5, 10, 15, 20, 30, 45]))} minute",
    "date": _date, "number": _number, "digits": _digits, "phone": lambda r: _digits(r, 6, 10), "people": _people,
    "datepart": _datepart, "price": _price, "year": _year, "hour": lambda r: number_words(r.randint(1, 12)),
    "percent": lambda r: number_words(r.choice([5, 10, 20, 25, 30, 40, 50, 60, 70, 75, 80, 90, 100, r.randint(1, 99)])),
    "degrees": lambda r: number_words(r.randint(5, 35)), "ordinal": lambda r: ordinal_words(r.randint(1, 31)),
    "nights": lambda r: r.choice(["one night", "two nights", "three nights", "a week", f"{number_words(r.randint(2, 9))} nights"]),
}
QUESTION_STARTS = tuple("what who where when why how is are can could do does will have".split())


def _expand(template: str, rng: random.Random) -> str:
    while "(" in template:
        template = re.sub(r"\(([^()]*)\)", lambda m: rng.choice(m[1].split("|")), template)
    while "{" in template:
        template = re.sub(r"\{(\w+)\}", lambda m: SLOTS[m[1]](rng), template)
    return re.sub(r"\ba (?=[aeio])", "an ", " ".join(template.split()))


def sentence(rng: random.Random) -> str:
    """One utterance: a template, sometimes with a polite opening or two sentences in a row."""
    text = _expand(rng.choice(rng.choice(LINES)), rng)
    chance = rng.random()
    if chance < 0.06:
        text = f"{rng.choice(['hello', 'hi', 'good morning', 'okay', 'yes', 'well', 'thanks', 'excuse me', 'hey'])} {text}"
    elif chance < 0.10:
        text = f"{text} {rng.choice(['please', 'thank you', 'thanks', 'okay'])}"
    elif chance < 0.16:
        text = f"{text} {rng.choice(['and', 'then', 'but', 'and then'])} {_expand(rng.choice(rng.choice(LINES)), rng)}"
    return text


def brief(rng: random.Random) -> str:
    """One to a few words over the assistant's speech. Three of five are back-channels, two are interruptions."""
    return _expand(rng.choice(rng.choice(BRIEF_LINES)), rng)


def is_question(text: str) -> bool:
    return text.startswith(QUESTION_STARTS)
