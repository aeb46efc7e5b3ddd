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

RECORDED = {
    "librispeech": ("librispeech-mini", "librispeech-test-clean", "librispeech-dev-clean", "librispeech-test-other", "librispeech-train-100"),
    "common-voice": ("common-voice", "common-voice-2", "common-voice-3"),
    "speechocean": ("speechocean-adults",),
    "an4": ("an4",),
    "kathleen": ("kathleen",),
}
TEST_SPEAKERS = ("118", "226", "7859")  # LibriSpeech readers that no model of this recipe was trained on
# Share of the speakers, for "kathleen" of the sentences.
TEST_SHARES = {"librispeech": 0.03, "common-voice": 0.12, "speechocean": 0.05, "an4": 0.05, "kathleen": 0.04}
DEV_SHARE = 0.02
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
        "sentences": [line.strip() for line in _lines(text / "sentences-common-voice.txt.gz")],
    }


SHARES = {"grammar": 0.40, "brief": 0.24, "clinc": 0.15, "snips": 0.05, "schema": 0.18, "coffee": 0.05, "sentences": 0.17}
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


def _split(corpus: str, speaker: str, text: str) -> str:
    """"train", "dev" or "test", by speaker. Nothing of "test" is read before the final measurement."""
    if corpus == "kathleen":  # one speaker: by sentence
        share = hashlib.sha1(text.encode()).digest()[0] / 256
    elif corpus == "librispeech" and speaker in TEST_SPEAKERS:
        return "test"
    else:
        share = hashlib.sha1(f"{corpus} {speaker}".encode()).digest()[0] / 256
    return "test" if share < TEST_SHARES[corpus] else "dev" if share < TEST_SHARES[corpus] + DEV_SHARE else "train"


def recorded(data: Path) -> Iterator[tuple[str, str, Path, str, str]]:
    """(corpus, speaker, file, target text, split) of every recorded utterance whose text has a certain reading."""
    for corpus, folders in RECORDED.items():
        for folder in folders:
            with open(data / folder / "transcripts.tsv", encoding="utf-8") as rows:
                for row in csv.DictReader(rows, delimiter="\t", quoting=csv.QUOTE_NONE):
                    speaker = row.get("speaker", corpus)
                    target = row["text"] if corpus == "an4" else normalise(row["text"])  # a spelled "u" is no "you"
                    if target:
                        yield corpus, speaker, data / folder / row["file"], target, _split(corpus, speaker, target)
    for path in sorted((data / "digits").glob("*.flac")):
        digit, speaker, take = path.stem.split("_")
        yield "digits", f"digits-{speaker}", path, DIGIT_WORDS[int(digit)], "train" if int(take) < 46 else "dev" if int(take) < 47 else "test"
