"""Sentences to synthesise and recorded speech to train on, each split into train and held-out parts."""

import csv
import gzip
import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path

from . import grammar
from .normalise import normalise

HELD_OUT_SPEAKERS = ("118", "226", "7859")  # LibriSpeech readers never trained on
MAX_WORDS = 24
DIGIT_WORDS = "zero one two three four five six seven eight nine".split()


def is_held_out(text: str) -> bool:
    """True of one sentence in fifty, which no training uses, with any speaker. Very short sentences are exempt."""
    return len(text.split()) >= 3 and hashlib.sha1(text.encode()).digest()[0] < 5


def _lines(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from lines


def _dialogue_turns(path: Path) -> list[str]:
    return [text for line in _lines(path) for who, text in json.loads(line)["turns"] if who == "U"]


def written_sources(data: Path) -> dict[str, list[str]]:
    """Raw sentences by source."""
    text = data / "text"
    return {
        "clinc": [json.loads(line)["text"] for line in _lines(text / "intents-clinc.jsonl.gz")],
        "snips": [json.loads(line)["text"] for line in _lines(text / "intents-snips.jsonl.gz")],
        "schema": _dialogue_turns(text / "dialogues-sgd.jsonl.gz"),
        "coffee": _dialogue_turns(text / "dialogues-taskmaster4.jsonl.gz"),
        "common-voice": [line.strip() for line in _lines(text / "sentences-common-voice.txt.gz")],
    }


SHARES = {"grammar": 0.40, "brief": 0.24, "clinc": 0.15, "snips": 0.05, "schema": 0.18, "coffee": 0.05, "common-voice": 0.17}
WRITTEN_HERE = {"grammar": grammar.sentence, "brief": grammar.brief}


def sentences(data: Path, seed: int, held_out: bool) -> Iterator[tuple[str, str, bool]]:
    """Endless (source, target text, is a question) of the wanted split."""
    rng = random.Random(seed)
    written = written_sources(data)
    for source in written.values():
        rng.shuffle(source)
    positions = dict.fromkeys(written, 0)
    while True:
        source = rng.choices(list(SHARES), list(SHARES.values()))[0]
        if source in WRITTEN_HERE:
            target = WRITTEN_HERE[source](rng)
            question = grammar.is_question(target)
        else:
            raw = written[source][positions[source] % len(written[source])]
            positions[source] += 1
            target, question = normalise(raw), raw.rstrip().endswith("?")
        if target and len(target.split()) <= MAX_WORDS and is_held_out(target) == held_out:
            yield source, target, question


def recorded(data: Path) -> Iterator[tuple[str, str, Path, str, bool]]:
    """(source, speaker, file, target text, held out) of every recorded utterance."""
    with open(data / "librispeech-mini/transcripts.tsv", encoding="utf-8") as rows:
        for row in csv.DictReader(rows, delimiter="\t", quoting=csv.QUOTE_NONE):
            target = normalise(row["text"])
            if target:
                yield "librispeech", row["speaker"], data / "librispeech-mini" / row["file"], target, row["speaker"] in HELD_OUT_SPEAKERS
    with open(data / "kathleen/transcripts.tsv", encoding="utf-8") as rows:
        for number, row in enumerate(csv.DictReader(rows, delimiter="\t", quoting=csv.QUOTE_NONE)):
            target = normalise(row["text"])
            if target:
                yield "kathleen", "kathleen", data / "kathleen" / row["file"], target, number % 25 == 0
    for path in sorted((data / "digits").glob("*.flac")):
        digit, speaker, take = path.stem.split("_")
        yield "digits", f"digits-{speaker}", path, DIGIT_WORDS[int(digit)], int(take) >= 46
