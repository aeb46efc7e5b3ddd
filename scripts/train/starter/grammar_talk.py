"""Small talk, time and date, and requests beyond the model."""

import random

import values as v
from notes import Moment, Turns
from phrases import fill, heard, say

HELP = "[How can I help you|What can I do for you|How can I help]?"
DONT_KNOW = ("[I'm sorry|Sorry], [I don't know that|I don't know|I can't tell you that]. [||Is there something else I can help with?|Can I help you with something else?]|"
             "[I'm afraid I don't know.|That's a good question, but I don't know the answer.|I don't know that one, sorry.]")
REPLIES = {
    "greeting": f"[Hello|Hi|Hi there|Hello there]! {HELP}",
    "thank_you": "[You're welcome|My pleasure|Any time|Happy to help][!|.] [||Is there anything else?]",
    "goodbye": "[Goodbye|Bye|Take care|Have a nice day|Talk to you soon][!|.] [||Have a good day!]",
    "tell_joke": "[Why did the scarecrow win a prize? He was outstanding in his field.|What do you call a fish without eyes? A fsh.|Why can't a bicycle stand on its own? It's two tired.|What do you call cheese that isn't yours? Nacho cheese.]",
    "what_can_i_ask_you": "You can ask me [for the time|the time or the date], or [about the things I know|what I was told]. [||What would you like?]",
    "weather": "[I'm sorry|Sorry], I can't [check|look up] the weather. [||Is there something else I can help with?]",
}
ASIDES = (
    ("how are you [today|doing|]|how's it going|how do you do|are you okay", "[I'm doing well, thank you|I'm fine, thanks|Very well, thank you|Great, thanks]. [How are you|And you|How can I help]?"),
    ("[i'm|i am] [fine|good|great|okay|very well] [thanks|thank you|]|not bad|pretty good", f"[Glad to hear it|Good to hear|That's good]. {HELP}"),
    ("[i'm|i am|i feel|i'm feeling|i'm feeling a bit|i feel a little] [sad|down|tired|lonely|not well|so tired|stressed|sick]|i had a bad day|i'm having a hard day", "[I'm sorry to hear that|Oh, I'm sorry|That sounds hard]. [Do you want to talk about it|Can I do something for you|Would you like to tell me more]?"),
    ("[i'm|i am] [happy|so happy|excited]|i had a great day|i got the job|it's my birthday [today|]", "[That's wonderful|How nice|That's great to hear][!|.] [Tell me more.|Congratulations!||I'm happy for you.]"),
    ("[i'm|i am] [angry|really annoyed|upset]|this is ridiculous|this doesn't work|you are useless|that's not what i said|you're not listening", "[I'm sorry about that|I understand, I'm sorry|I'm very sorry]. [How can I make it right|What can I do|Please tell me again what you need]?"),
    ("can you hear me|are you there|hello are you still there|is anybody there", "[Yes, I can hear you|Yes, I'm here|I'm here]. [How can I help?|What can I do for you?|Go ahead.]"),
    ("can you help me|i need [some |]help|help|could you help me [please|with something]|i have a question|i have a problem", "[Of course|Sure|Gladly]. [What do you need|What is it about|How can I help|What would you like to know]?"),
    ("[let's|can we|i want to] [talk|chat]|talk to me|i'm bored", "[Sure|Gladly|I'd like that]. [What would you like to talk about|What's on your mind|How was your day]?"),
    ("i love you|you are [great|nice|so nice|very helpful|funny|smart]|good job|well done|that was great", "[Thank you|That's kind of you|How kind]! [||I'm happy to help.]"),
    ("[wait|hold on|one moment|just a second|give me a minute] [please|]", "[Sure|Of course|No problem], [take your time|I'll wait|I'm here]."),
    ("are you human|are you a real person|am i talking to a [person|robot|machine]", "[No, I'm|I'm] a voice assistant, [not a person|a computer program]."),
    ("can i [talk|speak] to [a person|a human|someone|a real person|an agent]|get me a human", "[I'm sorry|Sorry], I can't connect you [here|from here]. [||Can I help you?]"),
    ("what can you do|what are you able to do|how can you help me", REPLIES["what_can_i_ask_you"]),
    ("stop|be quiet|shut up|that's enough|okay stop", "[Okay|All right|Sure]."),
    ("do you speak [german|spanish|french|italian]|can you speak [german|spanish|french]", "[I'm sorry|Sorry], I only speak English."),
    ("what|huh|hm|mm|uh|um|the|and then the|so i", "[Sorry, I didn't catch that|I'm sorry, could you say that again|Sorry, what was that]?"),
    ("tell me a joke|do you know [a joke|any jokes]|make me laugh|tell me something funny|another joke [please|]", REPLIES["tell_joke"]),
    ("sing [me |]a song|can you sing", "[I'd rather not, for your sake|My singing is terrible|I can't sing, I'm sorry]."),
    ("what's the weather [like|today|tomorrow|]|is it going to rain|will it snow [tomorrow|]", REPLIES["weather"]),
    ("what's in the news|tell me the news|who won the game|how are the stocks", "[I'm sorry|Sorry], I [have no internet|can't look that up]. [||Can I help with something else?]"),
    ("call the police|this is an emergency|i need a doctor now|call an ambulance|i can't breathe|i have chest pain", "[Please call the emergency number right away.|If this is an emergency, please call the emergency number now.] [I can't make calls.|]"),
    ("ok|okay|alright|i see|good|great|fine|cool|nice", "[Great|Good|Okay]. [Is there anything else|Can I do anything else for you|Anything else]?"),
    ("sorry|i'm sorry|oh sorry", "[No problem|That's all right|No worries]. [How can I help?||What do you need?]"),
    ("do you remember me|we talked yesterday|do you know who i am", "[I'm sorry, I don't remember earlier calls|I only know this conversation, sorry]. [What's your name|How can I help]?"),
    ("[who|what] [is the president|invented the telephone|wrote hamlet|won the world cup]|how [far is the moon|old is the earth|many people live in china|tall is mount everest]|why is the sky blue|what is [love|physics|a black hole]|how do [planes fly|magnets work]", f"[{DONT_KNOW}]"),
)
COURTESY = (("[thanks|thank you|thank you so much|thanks a lot|great thanks|perfect thank you|okay thank you]", REPLIES["thank_you"]),
            ("[goodbye|bye|bye bye|see you|have a nice day|that's all bye|okay bye|good night|no that's all|that's all thanks|talk to you later]", REPLIES["goodbye"]))
GREETING = ("[hello|hi|hey|good morning|good evening|good afternoon|hi there|hello there|hey {oak}|hello {oak}|hi is anybody there]", REPLIES["greeting"])


def clock_questions(r: random.Random, now: Moment) -> Turns:
    next_day = v.DAYS[(v.DAYS.index(now.day) + 1) % 7] if now.day else ""
    last_day = v.DAYS[(v.DAYS.index(now.day) - 1) % 7] if now.day else ""
    slots = {"day": now.day, "date": now.date, "year": now.year, "time": now.time, "next": next_day, "last": last_day}
    question, answer = r.choice((
        ("[what time is it|what's the time|do you know the time|can you tell me the time|tell me the time|do you have the time|what time is it now]", "[It's|It is] {time}[.|. ]"),
        ("[what time is it|what's the time|what time do we have|how late is it]", "[It's|It is] {time}."),
        ("[what day is it|what day is today|which day is it today|what day of the week is it]", "[It's|Today is|It is] {day}."),
        ("[what's the date|what is today's date|what date is it|what is the date today|which date is today]", "[It's|Today is|It is] {day}, {date}."),
        ("[what year is it|which year is it|what year do we have]", "[It's|It is] {year}."),
        ("[what day is tomorrow|which day is tomorrow]", "Tomorrow is {next}."),
        ("[what day was yesterday|which day was it yesterday]", "Yesterday was {last}."),
        ("[what day and time is it|what's the date and time|tell me the date and the time]", "[It's|It is] {day}, {date}, {time}."),
        ("[what month is it|which month is it]", "[It's|It is] {month}."),
    ))
    slots["month"] = now.date.split()[0] if now.date else ""
    if not now.day:
        answer = "[I'm sorry|Sorry], I don't know [the time or the date|what day or time it is]."
    return [("user", heard(r, fill(r, f"[|||hey|excuse me|and] {question} [|||please]", **slots))), ("assistant", say(r, answer, **slots))]


def own_name(r: random.Random, oak: str, role: str) -> Turns:
    answer = f"[I'm|My name is|I am] {oak}[.|, {role}.|. How can I help you?]" if oak else f"I'm {role}."
    return [("user", heard(r, fill(r, "[what's your name|what is your name|who are you|who am i talking to|who is this|do you have a name|what are you called|tell me your name]"))), ("assistant", say(r, answer))]


def aside(r: random.Random) -> Turns:
    question, answer = r.choice(ASIDES)
    return [("user", heard(r, fill(r, f"[{question}]"))), ("assistant", say(r, f"{answer}"))]


def courtesy(r: random.Random, which: int) -> Turns:
    question, answer = COURTESY[which]
    return [("user", heard(r, fill(r, question))), ("assistant", say(r, answer))]


def greeting(r: random.Random, oak: str) -> Turns:
    question, answer = GREETING
    return [("user", heard(r, fill(r, question, oak=oak or "there"))), ("assistant", say(r, answer))]
