"""The dialogue corpora as training conversations, and the sentence and intent lists, each with its held-out part.

Replies in these corpora name restaurants, prices and numbers that no one mentioned before: a model
trained on them learns to invent. A reply with such a value keeps its place but gets no loss.
"""

import gzip
import json
import random
import re
import zlib
from pathlib import Path

from grammar import DEFAULT_PROMPT, Dialogue, persona, prompt
from notes import Moment, Notes, moment
from phrases import heard, spoken

HELD_OUT_PERCENT = 2
NUMBER_WORDS = set("two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand".split())
WORD = re.compile(r"[^\W_]+")
CLAIM = re.compile(r"\b(booked|reserved|reservation (is|has been)|confirmed|scheduled|added|transferred|cancelled|playing|starting|turned|sent|ordered|purchased|been (made|set|placed)|on its way|coming up)\b", re.I)


def held_out(key: str) -> bool:
    return zlib.crc32(key.encode()) % 100 < HELD_OUT_PERCENT


def invents(reply: str, known: set[str]) -> bool:
    """True when the reply holds a name or number that appears nowhere before it."""
    for sentence in re.split(r"(?<=[.?!])\s+", reply):
        for place, word in enumerate(WORD.findall(sentence)):
            is_name = place > 0 and word[0].isupper() and word not in ("I", "PM", "AM", "OK")
            if (is_name or word.lower() in NUMBER_WORDS) and word.lower() not in known:
                return True
    return False


def claims(reply: str) -> bool:
    """True when the reply says that something was done: without a tool, nothing was."""
    return CLAIM.search(reply) is not None


def tidy(reply: str) -> str:
    reply = spoken(reply).replace(" i ", " I ").strip()
    reply = reply[:1].upper() + reply[1:]
    return reply if reply[-1:] in ".?!" else reply + "."


def to_dialogue(r: random.Random, turns: list[list[str]], max_turns: int) -> Dialogue:
    system = DEFAULT_PROMPT if r.random() < 0.5 else prompt(r, persona(r), [])
    notes = Notes(r, moment(r) if r.random() < 0.92 else Moment())
    known: set[str] = set()
    said: list[tuple[str, str]] = []
    weights: list[float] = []
    for speaker, text in turns[:max_turns]:
        role = "user" if speaker == "U" else "assistant"
        # Two turns of one speaker in a row are one turn.
        line = heard(r, text, 0.05) if role == "user" else tidy(text)
        if not line or len(line) > 300:
            break
        if said and said[-1][0] == role:
            said[-1] = (role, f"{said[-1][1]} {line}")
            weights[-1] *= 0.0 if role == "assistant" and (invents(line, known) or claims(line)) else 1.0
        elif not said and role == "assistant":
            continue
        else:
            said.append((role, line))
            weights.append(0.0 if role == "assistant" and (invents(line, known) or claims(line)) else 1.0)
        known.update(word.lower() for word in WORD.findall(line))
    if said and said[-1][0] == "user":
        said.pop()
        weights.pop()
    return Dialogue(system, notes.add(said), weights)


def read(path: Path) -> list[dict]:
    with gzip.open(path, "rt") as lines:
        return [json.loads(line) for line in lines]


def dialogues(folder: Path, test: bool, seed: int) -> list[Dialogue]:
    r = random.Random(seed)
    found = []
    for file in ("dialogues-sgd.jsonl.gz", "dialogues-taskmaster4.jsonl.gz"):
        for row in read(folder / file):
            if held_out(row["id"]) == test:
                dialogue = to_dialogue(r, row["turns"], r.choice((8, 12, 16)))
                if any(weight > 0 and role == "assistant" for (role, _), weight in zip(dialogue.turns, dialogue.weights)):
                    found.append(dialogue)
    return found


def sentences(folder: Path, test: bool) -> list[str]:
    with gzip.open(folder / "sentences-common-voice.txt.gz", "rt") as lines:
        return [line.strip() for line in lines if line.strip() and held_out(line) == test]


def intents(folder: Path, test: bool) -> list[tuple[str, str]]:
    return [(row["intent"], row["text"]) for row in read(folder / "intents-clinc.jsonl.gz") if held_out(row["text"]) == test]
