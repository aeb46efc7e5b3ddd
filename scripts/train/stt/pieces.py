"""The recogniser's own word pieces (leading space included) on ids 0..n of Whisper's vocabulary."""

from collections.abc import Iterable
from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from .config import BLANK_PIECE, EMPTY_PIECE, EOT, FIRST_PIECE, FIRST_TIMESTAMP, NO_TIMESTAMPS, SOT

SPACE = "\u2581"
USED_TIMESTAMPS = 769  # 0 .. 15.36 s, the longest clip trained on


class Pieces:
    """Text to compact rows and back. Compact rows: pieces, then end, start, no-timestamps, then timestamps."""

    def __init__(self, file: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(file))
        names = sorted(self._tokenizer.get_vocab().items(), key=lambda item: item[1])
        self.texts = [" ", ""] + [name.replace(SPACE, " ") for name, _ in names if name != SPACE]
        self._row_of = {text: row for row, text in enumerate(self.texts)}
        self.eot = len(self.texts)
        self.sot, self.no_timestamps, self.first_timestamp = self.eot + 1, self.eot + 2, self.eot + 3
        self.rows = self.first_timestamp + USED_TIMESTAMPS

    def encode(self, text: str) -> list[int]:
        if not text:
            return [EMPTY_PIECE]
        return [self._row_of[token.replace(SPACE, " ")] for token in self._tokenizer.encode(text).tokens]

    def decode(self, rows: Iterable[int]) -> str:
        return "".join(self.texts[row] for row in rows if row < self.eot).strip()

    def timestamp(self, frames_10ms: int) -> int:
        return self.first_timestamp + min(frames_10ms // 2, USED_TIMESTAMPS - 1)

    def whisper_id(self, row: int) -> int:
        """The id that whisper.cpp knows a compact row by."""
        if row < self.eot:
            return row
        if row >= self.first_timestamp:
            return FIRST_TIMESTAMP + row - self.first_timestamp
        return (EOT, SOT, NO_TIMESTAMPS)[row - self.eot]


def pieces_of(texts: list[str], file: Path) -> Pieces:
    """The pieces with these `Pieces.texts`. Each joins the two that the ones before it make of its letters."""
    names = [SPACE, *(text.replace(" ", SPACE) for text in texts[FIRST_PIECE:])]
    joined: list[tuple[str, str]] = []
    for name in names:
        parts = list(name)
        for left, right in joined:
            parts = _join(parts, left, right)
        if len(parts) > 1:
            left, right = parts
            joined.append((left, right))
    tokenizer = Tokenizer(models.BPE({name: row for row, name in enumerate(names)}, joined))
    tokenizer.pre_tokenizer = _words()
    file.parent.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(file))
    return Pieces(file)


def _join(parts: list[str], left: str, right: str) -> list[str]:
    out: list[str] = []
    for part in parts:
        if out and out[-1] == left and part == right:
            out[-1] += part
        else:
            out.append(part)
    return out


def _words() -> pre_tokenizers.PreTokenizer:
    return pre_tokenizers.Metaspace(replacement=SPACE, prepend_scheme="always")


def train_pieces(texts: Iterable[str], size: int, file: Path) -> Pieces:
    """Byte-pair pieces over lower-case words; `size` counts the two special pieces."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = _words()
    alphabet = [SPACE, *"abcdefghijklmnopqrstuvwxyz'"]
    trainer = trainers.BpeTrainer(vocab_size=size - FIRST_PIECE + 1, initial_alphabet=alphabet, limit_alphabet=len(alphabet), show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    file.parent.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(file))
    assert BLANK_PIECE == 0 and EMPTY_PIECE == 1
    return Pieces(file)
