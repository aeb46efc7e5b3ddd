"""Timers and reminders."""

import json

import values as v
from grammar_home import task
from talk import MIND_CHANGED, Kit, Talk, act, kept, result
from tool_format import Tool
from tool_values import clock, day, duration, length_text

LABELS = """pasta|eggs|pizza|rice|laundry|tea|cake|bread|break|nap|chicken|potatoes|oven|soup|coffee|workout|parking|homework|cookies|bath|
steak|meeting|game|fish|sauce|dough|vegetables|dishwasher|beans|lasagna|dog|medicine|stretching|noodles""".replace("\n", "").split("|")
SET = ("[set|start|make] a timer for {long}", "[set|start] a {long} timer", "{long} timer", "timer for {long}", "wake me in {long}", "can you set a timer for {long}", "please start a timer of {long}",
       "i need a timer for {long}", "tell me when {long} are over", "count down {long}", "let me know in {long}", "could you time {long}", "{long} on the timer [please|]")
SET_LABEL = ("[set|start] a timer for {long} for the {label}", "[set|start] a {label} timer for {long}", "start a {long} timer for the {label}", "{label} timer {long}", "can you set a {long} timer for the {label}",
             "{long} for the {label} please", "i need a timer for the {label} {long}", "a {label} timer of {long} please")
REMIND = ("remind me to {task} {when}", "{when} remind me to {task}", "set a reminder to {task} {when}", "can you remind me to {task} {when}", "i need a reminder to {task} {when}", "please remind me {when} to {task}",
          "don't let me forget to {task} {when}", "i have to {task} {when} remind me", "could you remind me {when} to {task}")
TIMER_NAMES = ("set_timer", "set_timer", "set_timer", "start_timer", "timer", "add_timer", "countdown", "new_timer")
REMINDER_NAMES = ("set_reminder", "set_reminder", "set_reminder", "remind", "add_reminder", "new_reminder", "create_reminder")
LIST_NAMES = ("list_timers", "list_timers", "list_timers", "get_timers", "timers", "show_timers", "running_timers")
CANCEL_NAMES = ("cancel_timer", "cancel_timer", "cancel_timer", "stop_timer", "delete_timer", "remove_timer", "end_timer")
DAYS = ["today", "tomorrow", *(name.lower() for name in v.DAYS)]


def timers(talk: Talk) -> Kit:
    r = talk.r
    canonical = r.random() < 0.6
    start, remind, listing, cancel = (names[0] if canonical else talk.of(names) for names in (TIMER_NAMES, REMINDER_NAMES, LIST_NAMES, CANCEL_NAMES))
    label_name = "label" if canonical else r.choice(("label", "name", "what", "title"))
    text_name = "text" if canonical else r.choice(("text", "task", "about", "message"))
    label_schema = {"type": "string"}
    set_timer = Tool(start, r.choice(("Sets a timer that rings after a time.", "Sets a timer.", "Starts a timer that rings after the given time.", "Starts a countdown.", "Sets a timer; it rings when the time is over.")),
                     {**{unit: {"type": "integer"} for unit in ("hours", "minutes", "seconds")}, label_name: label_schema})
    set_reminder = Tool(remind, r.choice(("Reminds the caller of something at a time of day.", "Sets a reminder.", "Reminds the caller at a time of day.", "Sets a reminder for a day and a time.")),
                        {"day": {"type": "string", "enum": DAYS}, "time": {"type": "string"}, text_name: {"type": "string"}}, ("time", text_name))
    list_timers = Tool(listing, r.choice(("Lists the timers and reminders that are set.", "Lists timers and reminders.", "Tells which timers run and how long they still take.", "Lists what is set.")))
    cancel_timer = Tool(cancel, r.choice(("Cancels a timer or a reminder. Without a label: the only one, or all.", "Cancels a timer.", "Stops a timer or reminder.", "Cancels a timer; without a label the last one.")), {label_name: label_schema})

    def data_of(name: str, arguments: dict) -> dict:
        if name == cancel:
            return {"cancelled": [arguments.get(label_name, "")]}
        if name == remind:
            return {"reminder": arguments[text_name], "rings_at": f"{r.choice(v.DAYS)} {v.written_clock(r)}"}
        return {"timer": arguments.get(label_name, ""), "rings_in": length_text({unit: arguments[unit] for unit in ("hours", "minutes", "seconds") if unit in arguments})}

    def do(t: Talk, calls: list[tuple[str, dict]], text: str, reply: str, order: str = "", **words: str) -> bool:
        return act(t, calls, text, reply, order, data_of, **words)

    def begin(t: Talk, label: str) -> None:
        words, parts = duration(r)
        slots = {"long": words, "label": label}
        named = {label_name: label} if label else {}
        if not label and t.often(0.15):
            t.hears("[set|start|i need] a timer [please|]|can you set a timer")
            t.says("[Sure|Okay]. [For how long|How long should it be]?")
            t.hears("[for|make it|] {long} [please|]", **slots)
        elif t.often(0.12):
            wrong = duration(r)[0]
            t.hears(SET_LABEL if label else SET, **{**slots, "long": f"{wrong} {r.choice(('no', 'no sorry', 'i mean', 'no make it', 'sorry'))} {words}"})
        else:
            t.hears(SET_LABEL if label else SET, **slots)
        text = f"The {label + ' ' if label else ''}timer is set for {length_text(parts)}."
        reply = "[Okay|Sure|Done], [your {label} timer is set for {long}|{long} for the {label}, starting now]." if label else "[Okay|Sure|Done], [{long}, starting now|your timer is set for {long}]."
        order = r.choice((cancel, "transfer", "end_call")) if t.often(0.05) else ""
        if not do(t, [(start, {**parts, **named})], text, reply, order, **slots):
            return
        kind = r.random()
        if kind < 0.3:
            words, parts = duration(r)
            t.hears(f"{MIND_CHANGED} [make it|make that|i meant|i mean|] {{long}}|change it to {{long}}", long=words)
            do(t, [(cancel, named), (start, {**parts, **named})], "ok", "[Okay|Sure|No problem], {long}, starting now.", long=words)
        elif kind < 0.42:
            t.hears("[stop|cancel|delete] [the|that] timer|cancel it|[no|actually] [cancel|stop] that|[never mind|forget it] cancel the timer")
            do(t, [(cancel, named)], "Cancelled.", "[Okay|Done|Sure], the timer is cancelled.")
            return
        elif kind < 0.5:
            t.hears("[how long did i set it for|what did i set the timer to|how long is the timer]")
            t.says("[It's set for|You said] {long}.", **slots)


    def one(t: Talk) -> None:
        begin(t, "" if t.often(0.6) else t.of(LABELS))

    def two(t: Talk) -> None:
        (first, one_parts), (second, two_parts) = duration(r), duration(r)
        labels = r.sample(kept(LABELS, t.test), 2)
        t.hears("[set|start] two timers {first} for the {one} and {second} for the {two}|{first} for the {one} and {second} for the {two} please|a {one} timer for {first} and a {two} timer for {second}",
                first=first, second=second, one=labels[0], two=labels[1])
        do(t, [(start, {**one_parts, label_name: labels[0]}), (start, {**two_parts, label_name: labels[1]})], "ok", "[Okay|Done|Sure], {first} for the {one} and {second} for the {two}.",
            first=first, second=second, one=labels[0], two=labels[1])

    def stop(t: Talk) -> None:
        label = t.of(LABELS)
        t.hears("[stop|cancel|delete|remove] the {label} timer [please|]|i don't need the {label} timer any more|the {label} timer can go", label=label)
        do(t, [(cancel, {label_name: label})], f"The {label} timer is cancelled.", "[Okay|Done|Sure], the {label} timer is cancelled.", label=label)

    def stop_any(t: Talk) -> None:
        t.hears("[stop|cancel|delete|turn off] [the|my] timer [please|]")
        do(t, [(cancel, {})], "Cancelled.", "[Okay|Done|Sure], the timer is cancelled.")

    def show(t: Talk) -> None:
        """The tool knows the running timers."""
        set_now = [(r.choice(("", "", *LABELS)), length_text(duration(r)[1])) for _ in range(r.choice((0, 1, 1, 1, 2, 3)))]
        set_now = list(dict(set_now).items())
        t.hears(("[what|which] timers [do i have|are running|are set]", "how long does the timer still [take|need|run]", "how much time is left [on the timer|]", "what timers did i set", "is there a timer [running|set]", "what did i set",
                 "what's on my timers", "tell me my timers", "do i have any timers"))
        t.calls((listing, {}))
        names = [f"{label} timer" if label else "timer" for label, _ in set_now]
        text = " ".join(f"The {name} has {left} left." for name, (_, left) in zip(names, set_now)) or "No timers are set."
        data = {"timers": [{"label": label, "left": left} if label else {"left": left} for label, left in set_now]}
        kind = r.random()
        t.gets(json.dumps([{"timer": label, "rings_in": left} for label, left in set_now]) if kind < 0.5 else json.dumps(data["timers"]) if kind < 0.65 else result(t, data, text))
        t.says(text)

    def reminder(t: Talk) -> None:
        what = task(r)
        yours = what.replace("my ", "your ")
        on_day, day_value = day(r) if t.often(0.6) else ("", "")
        time_words, time_value = clock(r, evening=False)
        when = r.choice((f"{on_day} at {time_words}", f"at {time_words} {on_day}")).strip() if on_day else f"at {time_words}"
        slots = {"task": what, "yours": yours, "when": when, "day": on_day, "time": time_words}
        named = {"day": day_value} if day_value else {}
        if t.often(0.15):
            t.hears("remind me to {task}|can you remind me to {task}|set a reminder to {task}|i have to {task} remind me", **slots)
            t.says("[Sure|Okay]. [When should I remind you|When|At what time]?")
            t.hears("{when} [please|]", **slots)
        elif on_day and t.often(0.15):
            t.hears("remind me to {task} {day}|{day} remind me to {task}", **slots)
            t.says("[Sure|Okay]. At what time?")
            t.hears("at {time}|{time} [please|]", **slots)
        else:
            t.hears(REMIND, **slots)
        call = {**named, "time": time_value, text_name: what}
        if not do(t, [(remind, call)], f"The reminder is set for {time_value}.", "[Okay|Sure|Of course|Got it], I'll remind you {when} to {yours}.", **slots):
            return
        if t.often(0.25):
            new_words, new_value = clock(r, evening=False)
            t.hears(f"{MIND_CHANGED} [make it|i meant|] at {{time}}", time=new_words)
            do(t, [(cancel, {label_name: what}), (remind, {**call, "time": new_value})], "ok", "[Okay|Sure|No problem], at {time}.", time=new_words)

    def reminder_in(t: Talk) -> None:
        """A reminder after some minutes is a timer with a label."""
        what, (words, parts) = task(r), duration(r)
        slots = {"task": what, "long": words, "yours": what.replace("my ", "your ")}
        t.hears("remind me in {long} to {task}|remind me to {task} in {long}|in {long} remind me to {task}", **slots)
        do(t, [(start, {**parts, label_name: what})], "ok", "[Okay|Sure|Got it], I'll remind you in {long} to {yours}.", **slots)

    has_reminder, has_list = r.random() < 0.7, r.random() < 0.7
    tools = [set_timer, cancel_timer, *([set_reminder] if has_reminder else []), *([list_timers] if has_list else [])]
    return Kit(tools, [one, one, one, two, stop, stop_any, *([reminder, reminder, reminder] if has_reminder else [reminder_in]), *([show, show] if has_list else [])])

