"""Facts that many businesses have: hours, prices, places, people, rules."""

import random
from dataclasses import dataclass

import values as v
from phrases import say

THINGS = """double room|single room|family room|suite|extra bed|breakfast|lunch|dinner|parking space|haircut|massage|
consultation|room|day ticket|child ticket|monthly pass|cappuccino|latte|espresso|tea|hot chocolate|croissant|sandwich|
salad|soup|burger|pizza|pasta|steak|bottle of wine|glass of wine|beer|lemonade|piece of cake|apple pie|taxi to the airport|
airport shuttle|bike rental|guided tour|late checkout|swimming lesson|yoga class|oil change|car wash|phone call|
new card|bank statement|safe deposit box|notary stamp|house visit|eye test|checkup|blood test|dental cleaning|
filling|vaccination|gift card|blanket|umbrella|locker|towel|laundry bag|meeting room|wedding cake|bouquet of roses|
ironing service|boat trip|museum ticket|battery|key|large coffee|small coffee|muffin|bagel|donut|daily special"""
THINGS = [t.strip() for t in THINGS.replace("\n", "").split("|")]
SPOTS = """pool|gym|restaurant|bar|library|garden|sauna|spa|lobby|reception|office|bank counter|pharmacy|emergency room|
waiting room|cafeteria|gift shop|kitchen|cash machine|elevator|bathroom|parking garage|meeting room|terrace|
playground|laundry room|archive|court room|x-ray department|children's ward|main entrance|bike shed|conference hall"""
SPOTS = [t.strip() for t in SPOTS.replace("\n", "").split("|")]
WHERE = """on the first floor|on the second floor|on the third floor|on the top floor|in the basement|next to the lobby|
behind the reception|at the end of the hall|across the street|near the main entrance|on the left|on the right|
in the east wing|in the west wing|beside the elevator|in the garden|opposite the station|on the ground floor"""
WHERE = [t.strip() for t in WHERE.replace("\n", "").split("|")]
JOBS = """manager|owner|chef|head nurse|director|head doctor|receptionist|lawyer|tax adviser|branch manager|
house keeper|head waiter|pharmacist|caretaker|chief accountant|night nurse|bartender|gardener"""
JOBS = [t.strip() for t in JOBS.replace("\n", "").split("|")]
SPANS = ("Monday to Friday", "Monday to Saturday", "Tuesday to Sunday", "every day", "Monday to Thursday", "Wednesday to Sunday",
         "Saturday and Sunday", "weekdays", "Thursday to Sunday", "seven days a week")
WORD_HOURS = "six seven eight nine ten eleven noon".split()
CLOSE_HOURS = "three four five six seven eight nine ten eleven midnight".split()


@dataclass(frozen=True)
class Fact:
    topic: str
    line: str
    question: str
    answer: str


def article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def hours_span(r: random.Random) -> str:
    if r.random() < 0.6:
        return f"{r.choice(WORD_HOURS)} to {r.choice(CLOSE_HOURS)}"
    if r.random() < 0.4:
        return f"{r.randint(5, 11)} to {r.randint(1, 12)}{r.choice(('', ' in the morning', ' in the evening', ' at night'))}"
    return f"{v.written_clock(r)} to {v.written_clock(r)}"


def opening_hours(r: random.Random) -> Fact:
    days, span = r.choice(SPANS), hours_span(r)
    line = r.choice((f"Opening hours: {days}, {span}.", f"We are open {days}, {span}.", f"Opening hours are {days} from {span}.", f"Hours: {days}, {span}."))
    return Fact("hours", line,
                "[what are your|can you tell me the|what are the|do you know the] [opening hours|hours|opening times]|when are you open|what time do you [open|close]|are you open [today|tomorrow|now|on sundays|on the weekend]|when do you [open|close]|how late are you open",
                f"[We're open|We are open] {days}, {span}.|[Our opening hours are|The opening hours are] {days}, {span}.")


def price(r: random.Random) -> Fact:
    thing = r.choice(THINGS)
    amount = str(r.choice((r.randint(2, 20), r.randint(10, 400), r.randint(1, 60) * 5)))
    unit = r.choice(("dollars", "dollars", "dollars", "euros", "pounds"))
    worth = f"{amount} {unit}"
    line = r.choice((f"{article(thing).capitalize()} costs {worth}.", f"{article(thing).capitalize()} is {worth}.", f"Price of {article(thing)}: {worth}.", f"{thing.capitalize()}: {worth}."))
    return Fact(f"price {thing}", line,
                f"[how much is|how much does it cost for|what does it cost for|what's the price of|how much for|what do you charge for|and how much is] [{article(thing)}|the {thing}]|how much does {article(thing)} cost|what does {article(thing)} cost|what is the price of {article(thing)}",
                f"[{article(thing)}|the {thing}] [costs|is] {worth}.|it's {worth}.|that's {worth} for {article(thing)}.")


def place(r: random.Random) -> Fact:
    spot, where = r.choice(SPOTS), r.choice(WHERE)
    return Fact(f"place {spot}", f"The {spot} is {where}.",
                f"[where is|where's|how do i get to|where can i find|can you tell me where i find|i'm looking for] the {spot}",
                f"the {spot} is {where}.|it's {where}.|you'll find the {spot} {where}.")


def spot_hours(r: random.Random) -> Fact:
    spot, span = r.choice(SPOTS), hours_span(r)
    return Fact(f"hours {spot}", r.choice((f"The {spot} is open from {span}.", f"The {spot}: open {span}.")),
                f"when is the {spot} open|is the {spot} open|what are the hours of the {spot}|what time does the {spot} [open|close]|until when is the {spot} open",
                f"the {spot} is open from {span}.|it's open from {span}.")


def closing(r: random.Random) -> Fact:
    spot, hour, verb = r.choice(SPOTS), r.choice((r.choice(CLOSE_HOURS), v.written_clock(r))), r.choice(("opens", "closes"))
    base = verb[:-1]
    return Fact(f"{verb} {spot}", f"The {spot} {verb} at {hour}.",
                f"when does the {spot} {base}|what time does the {spot} {base}|at what time does the {spot} {base}|does the {spot} {base} late",
                f"the {spot} {verb} at {hour}.|it {verb} at {hour}.|at {hour}.")


def person(r: random.Random) -> Fact:
    job, who = r.choice(JOBS), v.name(r)
    return Fact(f"person {job}", r.choice((f"The {job} is {who}.", f"Our {job} is {who}.", f"{job.capitalize()}: {who}.")),
                f"who is [the|your] {job}|what is the name of [the|your] {job}|[what's the name of the|who's the] {job}|can i speak to the {job}",
                f"[our|the] {job} is {who}.|that's {who}.|it's {who}.")


def address(r: random.Random) -> Fact:
    where = f"{r.randint(1, 240)} {r.choice(v.STREETS)} {r.choice(('Street', 'Road', 'Avenue', 'Lane'))}"
    if r.random() < 0.4:
        where += f", {r.choice(v.CITIES)}"
    return Fact("address", r.choice((f"Address: {where}.", f"We are at {where}.", f"The address is {where}.")),
                "what is [the|your] address|where are you [located|]|how do i find you|what's your address|where can i find you|can you give me the address",
                f"we're at {where}.|the address is {where}.|our address is {where}.")


def phone(r: random.Random) -> Fact:
    number = " ".join(str(r.randint(0, 9)) for _ in range(r.randint(4, 8)))
    if r.random() < 0.5:
        number = f"{r.randint(200, 999)} {r.randint(1000, 9999)}"
    return Fact("phone", r.choice((f"Phone: {number}.", f"The phone number is {number}.", f"Telephone number: {number}.")),
                "what is [the|your] [phone number|number]|can i have your [phone|telephone] number|what number [can i call|should i call]|how can i call you",
                f"[our|the] [phone |]number is {number}.|you can call {number}.|it's {number}.")


def secret(r: random.Random) -> Fact:
    word = r.choice((v.invented(r).lower() + str(r.randint(1, 99)), r.choice(v.STREETS).lower() + str(r.randint(1, 99)), v.invented(r).lower()))
    return Fact("wifi", r.choice((f"The wifi password is {word}.", f"Wifi password: {word}.", f"Guests can use the wifi; the password is {word}.")),
                "[what is|what's|do you have|can i have|tell me] the [wifi|wi-fi|internet] [password|code]|how do i [get on|connect to|use] the [wifi|internet]|do you have wifi",
                f"the wifi password is {word}.|the password is {word}.")


def times(r: random.Random) -> Fact:
    what, verb = r.choice((("breakfast", "served"), ("lunch", "served"), ("dinner", "served"), ("check in", ""), ("check out", ""), ("check-in", ""), ("check-out", ""), ("visiting hour", ""),
                           ("the last train", ""), ("the shuttle", ""), ("the show", ""), ("the meeting", ""), ("happy hour", ""), ("the tour", "")))
    span = r.choice((hours_span(r), f"{r.choice(CLOSE_HOURS)}", v.written_clock(r), str(r.randint(1, 12))))
    joint = "from" if " to " in span else "at"
    state = f"{what} is {verb} {joint} {span}".replace("  ", " ")
    if r.random() < 0.3:
        state += f", {r.choice(WHERE)}"
    return Fact(f"times {what}", f"{state[0].upper()}{state[1:]}.",
                f"[when|at what time|what time] is {what}|what time [can i|do i] [have|get] {what}|when does {what} start|tell me about {what}",
                f"{state}.|{state}.|it's {state.partition(' is ')[2]}.")


def policy(r: random.Random) -> Fact:
    topic, yes, no, question = r.choice((
        ("pets", "Pets are welcome", "Pets are not allowed", "are pets allowed|can i bring my [dog|cat]|do you allow [dogs|pets]"),
        ("pets", "Dogs are welcome", "Dogs are not allowed", "are dogs allowed|can i bring [my|a] dog|do you allow dogs|is my dog welcome"),
        ("smoking", "Smoking is allowed on the terrace", "Smoking is not allowed", "can i smoke [here|inside|]|is smoking allowed|where can i smoke"),
        ("cards", "We take credit cards", "We only take cash", "can i pay [by card|with a card|with a credit card]|do you take [cards|credit cards|cash]|how can i pay"),
        ("parking", "Parking is free", "There is no parking", "[is there|do you have] [any |]parking|can i park [here|my car]|is parking free"),
        ("delivery", "We deliver", "We do not deliver", "do you deliver|is there delivery|can you deliver [it|to my house]"),
        ("vegetarian", "We have vegetarian dishes", "We have no vegetarian dishes", "do you have [anything vegetarian|vegetarian food|vegetarian dishes]|i'm a vegetarian is there something for me"),
        ("cancel", f"You can cancel up to {v.count(r, 2, 48)} hours before", "Bookings cannot be cancelled", "can i cancel my booking|what is the cancellation policy|until when can i cancel|is cancelling free"),
        ("children", "Children are welcome", "Children under twelve are not allowed", "can i bring [my kids|children|my son]|are children [welcome|allowed]"),
        ("wheelchair", "There is a ramp for wheelchairs", "There is no wheelchair access", "is there wheelchair access|can i come in with a wheelchair|is it accessible"),
        ("deposit", f"A deposit of {r.randint(2, 40) * 5} dollars is needed", "No deposit is needed", "do i need to pay a deposit|is there a deposit|how much is the deposit"),
        ("insurance", "We accept all insurance plans", "We do not take insurance", "do you take [my|] insurance|is it covered by insurance"),
    ))
    allowed = r.random() < 0.6
    line = yes if allowed else no
    return Fact(topic, f"{line}.", question, f"[Yes, {line[0].lower() + line[1:]}|{line}]." if allowed else f"[I'm sorry, {line[0].lower() + line[1:]}|{line}].")


def special(r: random.Random) -> Fact:
    dish = f"{r.choice(('grilled', 'fried', 'baked', 'fresh', 'spicy', 'creamy', 'roasted', 'smoked'))} {r.choice(('salmon', 'chicken', 'tomato soup', 'mushrooms', 'trout', 'duck', 'lamb', 'pumpkin', 'beans', 'noodles', 'rice', 'potatoes', 'shrimp', 'tofu'))} with {r.choice(('lemon', 'garlic', 'herbs', 'salad', 'fries', 'rice', 'spinach', 'butter', 'cheese', 'bread', 'peppers'))}"
    return Fact("special", r.choice((f"Today's special is {dish}.", f"Special of the day: {dish}.")),
                "what's [the|today's] special|what do you recommend|do you have a special|what's good today|what can i eat",
                f"today's special is {dish}.|[I recommend|Try] the {dish}.")
