"""Facts of all kinds of business, as frames: the line of the prompt, questions about it, and an answer in other words."""

import random
from pathlib import Path

import values as v
from grammar_facts import SPANS, WHERE, Fact, article, hours_span
from phrases import number_words, say

NOUNS = (Path(__file__).parents[1] / "llm" / "nouns.txt").read_text("utf-8").splitlines()

# (topic, line, questions, answers). A topic with a noun may occur several times in one prompt.
FRAMES = (
    ("price {thing}", "[{A_thing} costs {money}.|{A_thing} is {money}.|We sell {thing}s for {money}.|The price of {a_thing} is {money}.]", "how much [is|for] [a|the|one] {thing}|what does [a|the] {thing} cost|what's the price of [a|the] {thing}|how much do i pay for a {thing}", "It's {money}.|{A_thing} is {money}."),
    ("rent {thing}", "You can rent {a_thing} for {money} [a day|an hour|a week|a month].", "can i rent [a|the] {thing}|how much is it to rent a {thing}|do you rent out {thing}s|i don't have a {thing} can i rent one", "Yes, you can rent {a_thing} for {money}."),
    ("fee {thing}", "[There is a fee of {money} for|We charge {money} for] [each|every|a lost|a new] {thing}.", "is there a fee for [the|a] {thing}|how much do you charge for a {thing}|what do i pay for a {thing}", "Yes, the fee is {money}.|We charge {money}."),
    ("free {thing}", "[The {thing} is free.|We give every guest a free {thing}.|{thing_s} are free of charge.|The {thing} is included.]", "[do i have to pay for|how much is|what does it cost to have|is there a charge for] the {thing}|is the {thing} [free|included]", "The {thing} is free.|It's free."),
    ("length {event}", "[The|A|Each] {event} [takes|lasts] {period}.", "how long [does|will] the {event} [take|last]|how long is [the|a] {event}|how much time does the {event} take", "It takes {period}.|The {event} takes {period}."),
    ("start {event}", "[The {event} starts at {clock}.|The {event} begins at {clock} on {day}s.|Every {day} at {clock} there is a {event}.]", "when [is|does] the {event} [start|begin|]|what time does the {event} [start|begin]|at what time is the {event}", "It starts at {clock}.|At {clock}."),
    ("day {event}", "[The {event} is on {day}.|The {event} takes place on {day}s.|Every {day} is {event} day.|We have {a_event} every {day}.]", "when is the {event}|[on which day|what day] is the {event}|which day do you have the {event}", "It's on {day}.|On {day}."),
    ("date {event}", "[The {event} is on {date}.|The {event} is from {date} to {date2}.|The next {event} is on {date}.]", "when is the [next |]{event}|what is the date of the {event}|[on which day|which day] is the {event}", ""),
    ("end {event}", "[The {event} ends at {clock}.|The {event} must end at {clock}.|The {event} goes on until {clock}.]", "when does the {event} end|until when [is|can we have] the {event}|how late does the {event} go", "It ends at {clock}.|Until {clock}."),
    ("places {room}", "[The {room} holds {count} people.|The {room} has {count} seats.|There is room for {count} people in the {room}.|Up to {count} people fit into the {room}.]", "how many [people|guests] fit in[to|] the {room}|how big is the {room}|how many seats does the {room} have|how many people can [come|we be]", "The {room} holds {count} people.|{count} people."),
    ("number {thing}", "[We have {count} {thing}s.|There are {count} {thing}s.|You can choose from {count} {thing}s.]", "how many {thing}s [do you have|are there]", "We have {count} {thing}s.|{count}."),
    ("limit {thing}", "[You may bring {count} {thing}s at most.|Each guest may have {count} {thing}s.|The limit is {count} {thing}s.]", "how many {thing}s [may|can] i [bring|have|take]|is there a limit for {thing}s", "{count} at most.|You may have {count}."),
    ("person {job}", "[Our {job} is {person}.|The {job} is called {person}.|{person} is our {job}.|The {job} is {person}.]", "who is [the|your] {job}|what is the name of [the|your] {job}|what's the {job} called|who works as the {job}", "Our {job} is {person}.|That's {person}."),
    ("two {job}", "[The {job}s are {person} and {person2}.|Our {job}s are {person} and {person2}.]", "who are [the|your] {job}s|what are the names of the {job}s|who are the people who work as {job}s", "That's {person} and {person2}."),
    ("owner {room}", "The {room} [belongs to|is run by|was founded by] {person}.", "who [owns|runs] the {room}|who does the {room} belong to|who is in charge of the {room}|who started the {room}", ""),
    ("place {thing}", "[The {thing} is {where}.|You find the {thing} {where}.|{thing_s} are {where}.]", "where [is|are] the {thing}[s|]|where can i find [the|a] {thing}|where do you keep the {thing}s", "It's {where}.|You find it {where}."),
    ("leave {thing}", "[{thing_s} are taken at|You can leave {thing}s at|Bring {thing}s to|We collect {thing}s at] [gate|desk|counter|door|window] {small}.", "where [can|do] i [leave|bring|drop off] [my|the|a] {thing}[s|]|where do you take {thing}s|where do i go with a {thing}", ""),
    ("bring", "[Please bring|You need to bring|Bring|Do not forget] [your|a|an old] {thing} [and {a_other}|].", "what do i [need to|have to|] bring|what should i [bring|take with me]|do i need [to bring |]anything|do i need a {thing}", "Please bring your {thing}."),
    ("must {thing}", "[You need {a_thing}.|A {thing} is required.|{A_thing} is necessary.]", "do i need a {thing}|is a {thing} necessary|can i come without a {thing}|do i have to have a {thing}", "Yes, you need {a_thing}."),
    ("ban {thing}", "[{thing_s} are not allowed.|You may not bring {a_thing}.|No {thing}s, please.|{thing_s} must stay outside.]", "can i bring [my|a] {thing}|are {thing}s allowed|is it okay to bring a {thing}|may i take my {thing} [inside|with me]", "No, {thing}s are not allowed.|Sorry, {thing}s are not allowed."),
    ("may {thing}", "[You may bring your own {thing}.|{thing_s} are allowed.|You are welcome to bring {a_thing}.]", "can [i|we] bring [my|our own|a] {thing}|are {thing}s allowed|is it okay to bring a {thing}", "Yes, you may bring your {thing}."),
    ("age", "[You must be {age} or older.|Children under {age} are not allowed.|Guests must be at least {age}.|The minimum age is {age}.]", "how old do i have to be|is there a minimum age|can my [son|daughter] come|what age is allowed", "You must be {age} or older.|The minimum age is {age}."),
    ("children", "[Children under {age} come in free.|Children under {age} pay nothing.|Children pay {money}.|Children under {age} pay half.]", "how much [is it for|do] children [pay|]|what do children pay|is it free for children|my [son|daughter] is {young} how much [does|do] [he|she|we] pay", ""),
    ("adults", "[Adults pay {money}.|A ticket for adults is {money}.|Entry is {money}.|Admission costs {money}.]", "how much is it for adults|what does it cost to come in|how much is [the entry|admission|a ticket]|what is the entry fee|how much do i pay to get in", "It's {money}.|Adults pay {money}."),
    ("discount {group}", "[{Group} get a discount of {percent} percent.|{Group} pay {percent} percent less.|There is a discount of {percent} percent for {group}.]", "[do|is there a discount for] {group} [get a discount|]|how much less do {group} pay|i'm calling about the discount for {group}", "Yes, {group} get {percent} percent off."),
    ("delivery", "[Delivery takes {period}.|We deliver within {period}.|Orders arrive within {period}.|Delivery costs {money}.|Delivery is free above {money}.]", "how long does [delivery|it] take [to deliver|]|do you deliver|when will my order [come|arrive]|how much is delivery|what about delivery", ""),
    ("warranty", "[The guarantee is {period}.|We give a guarantee of {period}.|There is a warranty of {period}.]", "how long is the [guarantee|warranty]|is there a [guarantee|warranty]|do i get a guarantee", "The guarantee is {period}.|It's {period}."),
    ("returns", "[You can return things within {period}.|Returns are possible within {period} with the receipt.|We exchange everything within {period}.]", "can i [return|exchange|bring back] [it|something|a {thing}]|how long can i return it|what if i don't like it|how long do i have to bring it back", "Yes, within {period}."),
    ("keep", "[We keep {thing}s for {period}.|Things are kept for {period}.|A {thing} is kept for {period}.]", "how long do you keep [things|it|a {thing}|{thing}s]|for how long is my {thing} kept", "For {period}.|We keep it for {period}."),
    ("ready {thing}", "[{thing_s} are ready in {period}.|Your {thing} is ready after {period}.|A {thing} is ready within {period}.]", "how [fast|soon] is [a|the|my] {thing} ready|when can i pick up my {thing}|how long do i wait for [a|the] {thing}", "It's ready in {period}."),
    ("often {thing}", "[The {thing} leaves every {period}.|There is a {thing} every {period}.|A {thing} comes every {period}.]", "how often [does the {thing} leave|is there a {thing}|does a {thing} come]|when is the next {thing}", "Every {period}."),
    ("leaves {thing}", "[The {thing} leaves at {clock}.|The {thing} leaves from {platform} at {clock}.|The {thing} departs at {clock}.]", "when does the {thing} leave|what time does the {thing} [leave|go|depart]|at what time is the {thing}", "It leaves at {clock}."),
    ("from {thing}", "[The {thing} leaves from {platform}.|The {thing} starts at {platform}.|The {thing} stops at {platform}.]", "where does the {thing} [leave|start|stop]|from where does the {thing} go|where do i get on the {thing}", "From {platform}."),
    ("degrees {room}", "The {room} [has|stays at|is heated to] {small} degrees.", "how [warm|cold] is [it in |]the {room}|what temperature does the {room} have|is it [cold|warm] in the {room}", "It's {small} degrees."),
    ("year {room}", "[The {room} was built in {year}.|The {room} is from {year}.|The {room} opened in {year}.]", "how old is the {room}|when was the {room} [built|opened]|since when do you have the {room}|from which year is the {room}", "It's from {year}."),
    ("closed", "[We are closed on {day}s.|We are closed on {day}s and {day2}s.|On {day}s we stay closed.]", "are you open on {day}[s|]|can i come on {day}|when are you closed|which days are you closed", "No, we are closed on {day}s.|We are closed on {day}s."),
    ("hours", "[We are open {days} from {span}.|Open {days}, {span}.|Our hours are {span}, {days}.|On {day}s we are open until {clock}.]", "when are you open|what are your [opening |]hours|what time do you [open|close]|how late are you open|until when are you open", ""),
    ("hours {room}", "[The {room} is open from {span}.|The {room} closes at {clock}.|The {room} opens at {clock}.|The {room} is open {days}.]", "when is the {room} open|until when is the {room} open|what time does the {room} [open|close]|is the {room} open [now|today|]", ""),
    ("season", "[We are open from {month} to {month2}.|The season is from {month} to {month2}.|We are closed in {month}.|There are no {event}s in {month}.]", "in which months are you open|when is the season|are you open in {month}|can i come in {month}", ""),
    ("special {thing}", "[Today's {thing} is|The {thing} of the day is|This week's {thing} is] {made}.", "what [is|'s] [the|today's|this week's] {thing}|which {thing} do you have today|what {thing} is there today", "It's {made}.|Today it's {made}."),
    ("popular {thing}", "[The most popular {thing} is|Our best {thing} is|Most guests take] the {name}.", "what [is your|'s the] [most popular|best] {thing}|which {thing} [is the most popular|do you recommend|should i take]", "The {name}."),
    ("main {event}", "[The main act of the {event} is|The star of the {event} is|At the {event} you can hear] the {name}.", "who [plays|sings|is] at the {event}|who is the main act of the {event}|what can i hear at the {event}", "The {name}."),
    ("hardest {thing}", "The {name} is the [hardest|largest|oldest|smallest|cheapest|quietest|newest] {thing}.", "which {thing} is the [hardest|largest|oldest|smallest|cheapest|quietest|newest]|what is your [largest|oldest|smallest] {thing}", ""),
    ("kinds", "[We have|We sell|We offer|We teach] {kind}, {kind2} and {kind3}.", "what do you [have|sell|offer|teach]|what kinds do you have|what can i choose from|do you have {kind}|do you have {kind2}", "{kind}, {kind2} and {kind3}."),
    ("walk in", "[Walk-ins are welcome on {day}s.|You can come without an appointment on {day}s.|Without an appointment you can come between {span}.]", "can i [just|] [walk in|come by] [without an appointment|]|do i need an appointment|when can i come without an appointment", ""),
    ("weight", "[The limit is {count} kilograms.|Luggage may weigh {count} kilograms.|Passengers may weigh {count} kilograms at most.]", "how heavy may [it|i|my luggage] be|is there a weight limit|how much may it weigh", "{count} kilograms."),
    ("weather", "[If it rains, {plan}.|When the weather is bad, {plan}.|If the {event} is cancelled, {plan}.]", "what [happens|do you do] [if it rains|if the weather is bad|if it's cancelled|if the {event} is cancelled]|what if it rains", "Then {plan}."),
    ("pay", "[You can pay {payment}.|We take {payment}.|Payment is {payment} only.]", "how can i pay|can i pay [by card|in cash]|do you take [cards|cash|credit cards]|what payment do you accept", ""),
    ("contact", "[Write to {mail}.|Our email address is {mail}.|The telephone number is {phone}.|Call {phone} in an emergency.|The fax number is {phone}.]", "how can i [reach|contact|call|write to] you|what is your [email|number|telephone number|phone number]|where can i write to|is there an emergency number", ""),
    ("address", "[We are at {address}.|You find us at {address}, {where}.|The address is {address}.|Our office is at {address}.]", "where are you|what is your address|how do i find you|where is your office|what street are you in", "We are at {address}."),
    ("stop", "[Bus {small} stops in front of {platform}.|The nearest station is {street}.|Buses stop at {street}.|Take tram {small} to {street}.]", "how do i get [there|to you]|is there a bus|which [bus|tram] do i take|what is the nearest station|where does the bus stop", ""),
    ("code {room}", "[The code of the {room} is {digits}.|The {room} has the code {digits}.|The password of the {room} is {secret}.|The wifi password is {secret}.]", "what is the [code|password] [of the {room}|for the {room}|for the wifi|]|how do i get into the {room}|do you have wifi", ""),
    ("parking", "[Parking is {where}.|Parking costs {money}.|There are {count} parking spaces {where}.|You can park {where} for free.]", "where can i park|is there parking|how much is parking|can i park [here|there|my car]", ""),
    ("notice {room}", "The {room} is closed [for repairs |]until {date}.", "is the {room} open|can i use the {room}|when does the {room} open again|why is the {room} closed", "Sorry, the {room} is closed until {date}."),
    ("deposit", "[A deposit of {money} is needed.|We need a deposit of {money}.|No deposit is needed.]", "do i [need to|have to] pay a deposit|how much is the deposit|is there a deposit", ""),
    ("cancel", "[You can cancel up to {period} before.|Cancelling is free until {period} before the {event}.|Bookings cannot be cancelled.]", "can i cancel|until when can i cancel|is it possible to cancel|what if i can't come", ""),
    ("late", "[Please be there {period} before.|Come {period} early.|Latecomers have to wait.|Late guests are not let in.]", "when should i be there|can i come late|how early should i come|what if i'm late", ""),
    ("language {job}", "[Our {job} speaks {language} and {language2}.|The {event} is in {language}.|We speak {language} and {language2}.]", "what languages do you speak|does [your|the] {job} speak {language}|is the {event} in {language}|which language is it in", ""),
    ("quiet", "[Quiet hours are from {span}.|Please be quiet after {clock}.|Music must stop at {clock}.]", "when are the quiet hours|until when can we [play music|be loud]|how late can we make noise", ""),
    ("trial {event}", "[The first {event} is free.|A trial {event} costs {money}.|You can try the {event} for {period}.]", "[can i try|is there a trial for] the {event}|how much is the first {event}|how long can i try [it|the {event}]|what does a trial cost", ""),
)
EVENTS = """tour|course|show|concert|lesson|class|market|workshop|training|game|meeting|lecture|reading|dinner|tasting|race|match|festival|exhibition|party|ceremony|auction|sale|ride|trip|hike|session|consultation|treatment|
flight|cruise|quiz|rehearsal|test|exam|check|inspection|film|play|dance|seminar|talk|breakfast|brunch|service""".replace("\n", "").split("|")
ROOMS = """hall|pool|kitchen|garden|bar|gym|library|workshop|terrace|cellar|tower|theater|stage|shop|cafe|lounge|gallery|playground|sauna|office|studio|lab|stable|greenhouse|chapel|court|rink|track|dining room|
meeting room|storage room|waiting room|boat|bus|tent|barn|roof|observatory|archive|counter|cloakroom|locker room|garage|courtyard|lab""".replace("\n", "").split("|")
JOBS = """manager|owner|chef|guide|teacher|trainer|coach|director|doctor|nurse|gardener|mechanic|baker|photographer|designer|conductor|captain|pilot|librarian|lawyer|dentist|barber|tailor|carpenter|electrician|head waiter|
cashier|librarian|instructor|curator|technician|driver|judge|host|cook|accountant|caretaker|winemaker|brewer|musician""".replace("\n", "").split("|")
GROUPS = "students|members|schools|families|seniors|groups|residents|teachers|nurses|locals|companies|children".split("|")
PLANS = """we move inside|you get your money back|you get a new date|the {event} is in the {room}|we call you|you can choose another day|you get a voucher|we wait for an hour""".replace("\n", "").split("|")
PAYMENTS = "by card|in cash|cards and cash|cash|credit cards|with your phone|by bank transfer".split("|")
LANGUAGES = "English Spanish French German Italian Arabic Chinese Japanese Polish Turkish Russian Portuguese Hindi Korean Dutch Greek Swedish".split()
STYLES = "grilled fried baked fresh spicy creamy roasted smoked cold hot sweet sour green golden wild little big old".split()


def period(r: random.Random) -> str:
    unit = r.choice(("minutes", "minutes", "hours", "days", "weeks", "months", "years", "working days"))
    amount = r.choice((r.randint(2, 12), r.randint(2, 12), r.choice((15, 20, 24, 30, 40, 45, 48, 50, 60, 90, 100)))) if unit in ("minutes", "days", "hours") else r.randint(2, 12)
    if r.random() < 0.1:
        return r.choice(("one hour", "an hour", "half an hour", "one day", "a week", "two to three days", "three to five days", "an hour and a half"))
    return f"{written(r, amount)} {unit}"


def written(r: random.Random, amount: int) -> str:
    return number_words(amount) if r.random() < 0.5 else str(amount)


def clock(r: random.Random) -> str:
    hour = r.randint(1, 12)
    kind = r.random()
    if kind < 0.3:
        return f"{number_words(hour)} {r.choice(('in the morning', 'in the evening', 'in the afternoon', 'thirty', 'fifteen', ''))}".strip()
    if kind < 0.6:
        return f"{hour} {r.choice(('AM', 'PM'))}"
    return f"{hour}:{r.choice((0, 15, 30, 45, 10, 20)):02d}{r.choice(('', ' AM', ' PM', ' in the morning'))}"


def money(r: random.Random) -> str:
    amount = r.choice((r.randint(1, 20), r.randint(10, 99), r.randint(2, 60) * 5, r.randint(2, 50) * 50))
    return f"{number_words(amount) if amount < 100 and r.random() < 0.25 else amount} {r.choice(('dollars', 'dollars', 'dollars', 'euros', 'pounds'))}"


def name(r: random.Random) -> str:
    words = [v.invented(r), v.invented(r), r.choice(NOUNS).title(), r.choice(STYLES).title(), r.choice(v.STREETS), r.choice(v.FIRST)]
    return " ".join(r.sample(words, r.choice((1, 2, 2))))


def drawn(r: random.Random) -> dict[str, str]:
    thing, other, event, group = r.choice(NOUNS), r.choice(NOUNS), r.choice(EVENTS), r.choice(GROUPS)
    if r.random() < 0.25:
        thing = f"{r.choice((*STYLES, *NOUNS))} {thing}"
    if r.random() < 0.3:
        event = f"{r.choice((*STYLES, *NOUNS))} {event}"
    room = r.choice(ROOMS)
    age = r.randint(3, 21)
    kinds = [r.choice(NOUNS) + "s" for _ in range(3)] if r.random() < 0.6 else r.sample(LANGUAGES, 3)
    day, day2 = r.sample(v.DAYS, 2)
    month, month2 = r.sample(v.MONTHS, 2)
    return {
        "thing": thing, "a_thing": article(thing), "A_thing": article(thing).capitalize(), "thing_s": f"{thing}s".capitalize(), "a_other": article(other), "event": event, "a_event": article(event), "room": room,
        "group": group, "Group": group.capitalize(), "money": money(r), "period": period(r), "clock": clock(r), "day": day, "day2": day2, "month": month, "month2": month2, "count": written(r, r.randint(2, 60) if r.random() < 0.7 else r.randint(60, 400)),
        "small": written(r, r.randint(1, 29)), "date": f"{month} {r.randint(1, 28)}", "date2": f"{month2} {r.randint(1, 28)}", "age": written(r, age), "young": number_words(max(1, age - 1)), "percent": written(r, r.choice((5, 10, 15, 20, 25, 30, 40, 50))),
        "person": person(r), "person2": person(r), "job": r.choice(JOBS), "where": r.choice(WHERE), "platform": r.choice((f"pier {number_words(r.randint(1, 9))}", f"gate {r.randint(1, 20)}", f"platform {r.randint(1, 12)}", f"{v.last_name(r)}'s Field", f"{r.choice(v.STREETS)} Square", "the main entrance", "the station")),
        "year": str(r.randint(1750, 2020)), "days": r.choice(SPANS), "span": hours_span(r), "made": f"{r.choice(STYLES)} {r.choice(NOUNS)}", "name": name(r), "kind": kinds[0], "kind2": kinds[1], "kind3": kinds[2], "plan": r.choice(PLANS).format(event=event, room=room),
        "payment": r.choice(PAYMENTS), "mail": f"{v.invented(r).lower()} at {v.invented(r).lower()} dot {r.choice(('com', 'org', 'net'))}", "phone": " ".join(str(r.randint(100, 9999)) for _ in range(2)), "address": f"{r.randint(1, 240)} {r.choice(v.STREETS)} {r.choice(('Street', 'Road', 'Lane', 'Avenue', 'Square'))}",
        "street": f"{r.choice(v.STREETS)} {r.choice(('Street', 'Road', 'Park', 'Hill'))}", "digits": str(r.randint(100, 99999)), "secret": f"{r.choice(NOUNS).replace(' ', '')}{r.randint(1, 99)}" if r.random() < 0.6 else v.invented(r).lower(), "language": r.choice(LANGUAGES), "language2": r.choice(LANGUAGES),
    }


def person(r: random.Random) -> str:
    return f"{r.choice(('Mr.', 'Mrs.', 'Ms.', 'Dr.'))} {v.last_name(r)}" if r.random() < 0.2 else v.name(r)


def notice(r: random.Random) -> Fact:
    """A fact whose answer is most often the line itself."""
    topic, line, question, answer = r.choice(FRAMES)
    slots = drawn(r)
    text = say(r, line, **slots)
    known = {key: value for key, value in slots.items() if value.lower() in text.lower() or key in ("young",)}
    answer = answer if answer and all(f"{{{word}}}" not in answer or word in known for word in slots) and r.random() < 0.35 else ""
    questions = "|".join(one for one in alternatives(question) if all(f"{{{word}}}" not in one or word in known for word in slots)) or "[what about the {event}|tell me about the {event}]".replace("{event}", text.split()[1])
    return Fact(topic.format(**slots), text, filled(questions, slots), filled(answer, slots) if answer else text)


def alternatives(text: str) -> list[str]:
    """Those outside brackets."""
    parts, depth, part = [], 0, ""
    for character in text:
        depth += (character == "[") - (character == "]")
        if character == "|" and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += character
    return [*parts, part]


def filled(text: str, slots: dict[str, str]) -> str:
    for word, value in slots.items():
        text = text.replace(f"{{{word}}}", value)
    return text
