"""A word trigram model of callers' and read sentences, and its file for the recogniser (`src/engines/stt/native/ngrams.h`)."""

import math
import random
import re
import struct
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from . import corpus, grammar, names
from .callers import caller_turns
from .normalise import normalise
from .pronounce import Pronunciations

MAGIC = b"OAKNGRAM"
BEGIN, END = "<s>", "</s>"
FIRST_WORD = 2  # behind these two
WORD = re.compile(r"[a-z'][a-z']*")
OWN_SENTENCES, BRIEF, DIGIT_STRINGS, SPELLED_COPIES, NAMES, DIALOGUES = 60_000, 25_000, 15_000, 6, 40_000, 60_000
CALLERS_SHARE = 0.7
# Steps of the stored natural logarithms: 7 bits each, beside 18 bits of a word's number.
PROBABILITY_STEP, BACKOFF_STEP, HIGHEST_BACKOFF = 0.15, 0.1, 1.0
MOST_WORDS = 1 << 18  # that the file can number

Gram = tuple[str, ...]


def sentences(data: Path, seed: int, every: int = 1) -> tuple[list[str], list[str]]:
    """Sentences of callers, and read sentences; one in `every` from each source. Held-out sentences and those of held-out speakers are left out."""
    rng = random.Random(seed)
    rows = list(corpus.recorded(data))
    held_out = {text for source, *_, text, split in rows if split != "train" and source not in ("an4", "digits")}
    written = {name: [text for text in map(normalise, raw[::every]) if text] for name, raw in corpus.written_sources(data).items()}
    said = {source: [text for name, *_, text, split in rows if name == source and split == "train"][::every] for source in corpus.RECORDED}
    callers = [make(rng) for make, count in ((grammar.sentence, OWN_SENTENCES), (grammar.brief, BRIEF)) for _ in range(count // every)]
    callers += 2 * written["clinc"] + written["snips"] + written["schema"] + written["coffee"]
    callers = [text for text in callers if not corpus.is_held_out(text)]
    callers += SPELLED_COPIES * said["an4"]
    callers += [" ".join(rng.choices(corpus.DIGIT_WORDS, k=rng.randint(1, 7))) for _ in range(DIGIT_STRINGS // every)]
    callers += [names.answer(rng) for _ in range(NAMES // every)]
    known = {word for text in callers for word in text.split()}
    turns = [text for text in caller_turns(data, DIALOGUES // every, seed, held_out=False) if not corpus.is_held_out(text)]
    callers += [text for text in turns if known.issuperset(text.split())]  # the others have invented names and mistakes of a recogniser
    read = 2 * said["librispeech"] + said["common-voice"] + said["speechocean"] + said["kathleen"] + written["sentences"]
    return [text for text in callers if text not in held_out], [text for text in read if text not in held_out]


class _Level:
    """Counts of one order with the discounts of modified Kneser-Ney smoothing (Chen and Goodman, 1999)."""

    def __init__(self, counts: Counter[Gram]) -> None:
        self.counts = counts
        of_count = Counter(min(count, 4) for count in counts.values())
        share = of_count[1] / max(1, of_count[1] + 2 * of_count[2])
        self._discounts = [0.0] + [max(0.1, n - (n + 1) * share * of_count[n + 1] / max(1, of_count[n])) for n in (1, 2, 3)]
        self.totals: Counter[Gram] = Counter()
        self._taken: defaultdict[Gram, float] = defaultdict(float)
        for gram, count in counts.items():
            self.totals[gram[:-1]] += count
            self._taken[gram[:-1]] += self._discounts[min(count, 3)]

    def mix(self, gram: Gram, lower: float) -> float:
        count, total = self.counts.get(gram, 0), self.totals[gram[:-1]]
        return (max(0.0, count - self._discounts[min(count, 3)]) + self._taken[gram[:-1]] * lower) / total


class Trigrams:
    """An interpolated trigram model of some sentences. `vocabulary`: the number of words of all models that are mixed."""

    def __init__(self, texts: Iterable[str], vocabulary: int) -> None:
        self._uniform = 1 / vocabulary
        counts: Counter[Gram] = Counter()
        for text in texts:
            words = [BEGIN, BEGIN, *text.split(), END]
            counts.update(zip(words, words[1:], words[2:], strict=False))
        two: Counter[Gram] = Counter(gram[1:] for gram in counts)
        for gram, count in counts.items():  # nothing comes before the first words, so they are counted as they are
            if gram[1] == BEGIN:
                two[gram[1:]] = count
        self.levels = [_Level(level) for level in (Counter(gram[1:] for gram in two), two, counts)]

    def probability(self, word: str, before: Gram) -> float:
        result = self._uniform
        for order, level in enumerate(self.levels):
            context = before[len(before) - order:]
            if order > len(before) or context not in level.totals:
                break
            result = level.mix((*context, word), result)
        return result


class Mixture:
    """Two models, mixed by their shares, as one backoff model. Trigrams that only one sentence has are left to the backoff."""

    def __init__(self, callers: list[str], read: list[str]) -> None:
        words = {word for text in (*callers, *read) for word in text.split() if WORD.fullmatch(word)}
        self.words = [BEGIN, END, *sorted(words)]
        if len(self.words) > MOST_WORDS:
            raise SystemExit(f"{len(self.words)} words are more than the file can number ({MOST_WORDS})")
        parts = [(CALLERS_SHARE, Trigrams(callers, len(self.words))), (1 - CALLERS_SHARE, Trigrams(read, len(self.words)))]

        def probability(*gram: str) -> float:
            return sum(share * part.probability(gram[-1], gram[:-1]) for share, part in parts)

        known = set(self.words)
        seen: Counter[Gram] = Counter()
        for _, part in parts:
            seen.update(part.levels[2].counts)
        three = {gram for gram, count in seen.items() if count > 1 and known.issuperset(gram)}
        two = {gram for _, part in parts for gram in part.levels[1].counts if known.issuperset(gram)} | {gram[:2] for gram in three}
        self.one = {(word,): probability(word) for word in self.words}
        self.two = {gram: probability(*gram) for gram in two}
        self.three = {gram: probability(*gram) for gram in three}
        self.backoff = self._backoffs(self.two, self.one) | self._backoffs(self.three, self.two)

    @staticmethod
    def _backoffs(grams: dict[Gram, float], lower: dict[Gram, float]) -> dict[Gram, float]:
        """For each context: what is left for other words, as a factor on their probability in a shorter context."""
        taken: defaultdict[Gram, list[float]] = defaultdict(lambda: [0.0, 0.0])
        for gram, probability in grams.items():
            sums = taken[gram[:-1]]
            sums[0] += probability
            sums[1] += lower[gram[1:]]
        return {context: max(1e-5, 1 - own) / max(1e-5, 1 - others) for context, (own, others) in taken.items()}

    def write(self, path: Path, pronunciations: Pronunciations) -> None:
        """The layout, little-endian: magic; numbers of words, of two-word and three-word entries, and of bytes of text; the words, one a
        line, each with its pronunciations;
        a 32-bit entry for each word, and how many two-word entries it begins; the two-word entries, and how many three-word
        entries each begins (16 bits); the three-word entries. An entry has the number of its last word in the low 18 bits, then
        7 bits of probability and 7 of backoff."""
        number = {word: place for place, word in enumerate(self.words)}
        two = sorted(self.two, key=lambda gram: (number[gram[0]], number[gram[1]]))
        place = {gram: index for index, gram in enumerate(two)}
        three = sorted(self.three, key=lambda gram: (place[gram[:2]], number[gram[2]]))
        text = "\n".join(" ".join([word, *", ".join(pronunciations.of.get(word, ())).split()]) for word in self.words).encode()

        def entries(grams: Iterable[Gram], probabilities: dict[Gram, float]) -> bytes:
            return np.array([_entry(number[gram[-1]], probabilities[gram], self.backoff.get(gram, 1.0)) for gram in grams], "<u4").tobytes()

        def begun(grams: Iterable[Gram], contexts: Iterable[Gram], kind: str) -> bytes:
            counts = Counter(gram[:-1] for gram in grams)
            return np.array([counts[context] for context in contexts], kind).tobytes()

        one = [(word,) for word in self.words]
        parts = [MAGIC, struct.pack("<4I", len(one), len(two), len(three), len(text)), text, entries(one, self.one), begun(two, one, "<u4")]
        path.write_bytes(b"".join([*parts, entries(two, self.two), begun(three, two, "<u2"), entries(three, self.three)]))


def _entry(word: int, probability: float, backoff: float) -> int:
    low = min(127, round(-math.log(probability) / PROBABILITY_STEP))
    back = min(127, max(0, round((HIGHEST_BACKOFF - math.log(backoff)) / BACKOFF_STEP)))
    return word | low << 18 | back << 25
