"""Tools of other businesses that switch, set or start something."""

from grammar_facts import SPOTS
from phrases import say
from talk import Kit, Talk, act
from tool_format import Tool
from tool_values import integer
from tools_lookup import noun, snake

DEVICES = """fan|heating|music|radio|oven|sprinkler|alarm|television|coffee machine|air conditioner|projector|fountain|heater|printer|camera|doorbell|
dishwasher|vacuum|screen|microphone|pump|boiler|washing machine|humidifier|fireplace|sign""".replace("\n", "").split("|")
LEVELS = """volume|speed|brightness|height|pressure|contrast|bass|humidity|power|zoom|intensity|channel""".replace("\n", "").split("|")


def device(talk: Talk) -> Kit:
    r = talk.r
    devices = list(dict.fromkeys(noun(talk, DEVICES) for _ in range(r.randint(1, 4))))
    on = r.choice(("on", "active", "running", "state", "enabled"))
    name = talk.of(("set_device", "switch_device", "control_device", "turn", "switch", "set_state", "device", "operate", "power", "toggle"))
    parameter = r.choice(("device", "what", "machine", "thing"))
    tool = Tool(name, r.choice(("Switches a device.", "Turns a device on or off.", "Starts or stops a machine.")), {parameter: {"type": "string", "enum": devices}, on: {"type": "boolean"}}, (parameter, on))

    def switch(t: Talk) -> None:
        which, value = r.choice(devices), r.random() < 0.6
        slots = {"which": which, "state": "on" if value else "off"}
        t.hears("[turn|switch] {state} the {which} [please|]|[turn|switch] the {which} {state}|{which} {state} please|can you [turn|switch] the {which} {state}|" + ("start the {which}|i need the {which}" if value else "stop the {which}"), **slots)
        if act(t, [(name, {parameter: which, on: value})], "ok", "[Okay|Done|Sure], the {which} is {state}.", **slots) and t.often(0.2):
            back = "off" if value else "on"
            t.hears("[no|actually|wait] [turn it|switch it] {back}|[turn|switch] it {back} again", back=back)
            act(t, [(name, {parameter: which, on: not value})], "ok", "[Okay|Done|Sure], the {which} is {back}.", which=which, back=back)

    def missing(t: Talk) -> None:
        which = r.choice([other for other in DEVICES if other not in devices])
        t.hears("[turn|switch] [on|off] the {which} [please|]|[turn|switch] the {which} [on|off]", which=which)
        t.says("[I'm sorry|Sorry], I can't [reach|control] the {which}.", which=which)

    return Kit([tool], [switch, switch, missing])


def level(talk: Talk) -> Kit:
    r = talk.r
    what = noun(talk, LEVELS)
    parameter = r.choice(("value", "level", "percent", snake(what), "to"))
    name = f"{talk.of(('set', 'change', 'adjust', 'put'))}_{snake(what)}"
    tool = Tool(name, say(r, f"[Sets|Changes|Adjusts] the {what}."), {parameter: {"type": "integer"}}, (parameter,))

    def change(t: Talk) -> None:
        words, value = integer(r, 1, 100)
        t.hears("[set|change|put|turn] the {what} to {level} [percent|]|{what} {level} [please|]|can you [set|make] the {what} {level}|{what} to {level}", what=what, level=words)
        if act(t, [(name, {parameter: value})], "ok", "[Okay|Done|Sure], the {what} is at {level}.", what=what, level=words) and t.often(0.3):
            words, value = integer(r, 1, 100)
            t.hears("[no|actually|sorry|wait] [make it|make that|i meant|] {level}", level=words)
            act(t, [(name, {parameter: value})], "ok", "[Okay|Done|Sure], the {what} is at {level}.", what=what, level=words)

    return Kit([tool], [change])


def action(talk: Talk) -> Kit:
    verb, what = talk.of(("start", "stop", "open", "close", "lock", "unlock", "refresh", "restart", "check", "clean", "water", "ring", "play", "record")), noun(talk, SPOTS + DEVICES)
    name = f"{verb}_{snake(what)}"
    tool = Tool(name, f"{verb.capitalize()}s the {what}." if not verb.endswith(("h", "s")) else f"{verb.capitalize()}es the {what}.")

    def go(t: Talk) -> None:
        t.hears("[|please|can you|could you] {verb} the {what} [please|]", verb=verb, what=what)
        act(t, [(name, {})], "ok", "[Okay|Done|Sure].", verb=verb, what=what)

    return Kit([tool], [go])
