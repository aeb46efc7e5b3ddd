"""The sounds of words: by the CMU Pronouncing Dictionary, and by flite's rules for other words."""

import re
import subprocess
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

import numpy as np

# Without stress, but an unstressed AH is a sound of its own (AX). The numbers begin at 1: 0 is the CTC blank.
SOUNDS = ("aa ae ah ao aw ax ay b ch d dh eh er ey f g hh ih iy jh k l m n ng ow oy p r s sh t th uh uw v w y z zh").split()
_NUMBER = {sound: number for number, sound in enumerate(SOUNDS, 1)}
DICTIONARY = Path("node_modules/cmu-pronouncing-dictionary/index.js")
_ENTRY = re.compile(r'^  "?([a-z\'.-]+)(?:\(\d\))?"?: "([A-Z0-9 ]+)"', re.MULTILINE)
_SPOKEN_AT_ONCE = 40


def _of_dictionary(phone: str) -> str:
    return "ax" if phone == "AH0" else phone.rstrip("012").lower()


def _flite(words: list[str]) -> list[list[str]]:
    """The phones between the pauses of `words` read as a list."""
    said = subprocess.run(["flite", "-ps", "-t", ", ".join(words), "-o", "none"], check=True, capture_output=True, timeout=60).stdout.decode().split()
    return [list(phones) for is_pause, phones in groupby(said, lambda phone: phone == "pau") if not is_pause]


def _by_rules(words: list[str]) -> Iterator[tuple[str, list[str]]]:
    for begin in range(0, len(words), _SPOKEN_AT_ONCE):
        part = words[begin: begin + _SPOKEN_AT_ONCE]
        read = _flite(part)
        if len(read) != len(part):  # a pause was left out, or a word has one inside
            read = [[phone for phones in _flite([word]) for phone in phones] for word in part]
        yield from zip(part, read, strict=True)


def write(words: Iterable[str], file: Path, dictionary: Path = DICTIONARY) -> None:
    """Writes a line `word sound sound ...` for each pronunciation of `words`."""
    known: dict[str, set[str]] = {}
    for word, phones in _ENTRY.findall(dictionary.read_text("utf-8")):
        known.setdefault(word, set()).add(" ".join(map(_of_dictionary, phones.split())))
    wanted = sorted(set(words))
    known |= {word: {" ".join(phones)} for word, phones in _by_rules([word for word in wanted if word not in known]) if phones}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{word} {sounds}\n" for word in wanted for sounds in sorted(known.get(word, ()))), "utf-8")


class Pronunciations:
    """`of`: the pronunciations of each word, sounds with spaces between them."""

    def __init__(self, file: Path) -> None:
        self.of: dict[str, list[str]] = {}
        for line in file.read_text("utf-8").splitlines():
            word, sounds = line.split(maxsplit=1)
            self.of.setdefault(word, []).append(sounds)

    def sounds(self, text: str, rng: np.random.Generator) -> list[int] | None:
        """Numbers of SOUNDS, one pronunciation a word at random. None where a word has none."""
        said: list[str] = []
        for word in text.split():
            known = self.of.get(word)
            if known is None:
                return None
            said += known[int(rng.integers(len(known)))].split()
        return [_NUMBER[sound] for sound in said]
