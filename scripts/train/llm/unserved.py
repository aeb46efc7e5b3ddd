"""Callers of an assistant without tools, who ask for something, hear a refusal, and give their values anyway."""

import random

from desks import DESKS
from grammar import Dialogue, persona, prompt
from notes import Notes, moment
from talk import Talk
from tools_desks import Request, offered

DECLINED = "[I'm sorry|Sorry], I [can't|can't|can't|really can't] do that [here|from here|]. [|||Please ask a colleague.|Is there something else I can help with?]"


def unserved(r: random.Random, test: bool) -> Dialogue:
    talk, who = Talk(r, test), persona(r)
    for _ in range(r.choice((1, 1, 2))):
        matter = r.choice([matter for matter in DESKS[talk.of(tuple(DESKS))] if not matter.finds])
        request = Request(talk, offered(talk, matter))
        missing = request.asked()
        talk.says(DECLINED)
        for slot in missing[:3] or r.sample(request.slots, min(1, len(request.slots))):
            request.hears(f"[{matter.slot(slot).answer}] [||please]")
            talk.says(DECLINED)
    turns = Notes(r, moment(r)).add(talk.turns)
    return Dialogue(prompt(r, who, []), turns, [1.0] * len(turns))
