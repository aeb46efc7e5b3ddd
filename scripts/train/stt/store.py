"""Utterances on disk: per shard a flat float16 array of mel frames, one of phone numbers, and one JSON line per utterance."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from .config import N_MELS


@dataclass(frozen=True)
class Utterance:
    """`start` and `frames` are 10 ms frames inside the shard; `text` is the target ('' for noise).

    `ends`: the frames, from its start, at which its words end; empty where not known.
    """

    source: str
    speaker: str
    text: str
    start: int
    frames: int
    ends: list[int] = field(default_factory=list)


class ShardWriter:
    def __init__(self, folder: Path, name: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / name
        self._mels: list[np.ndarray] = []
        self._phones: list[np.ndarray] = []
        self._rows: list[Utterance] = []
        self._frames = 0

    def add(self, source: str, speaker: str, text: str, log_mel: np.ndarray, phones: np.ndarray | None = None, ends: list[int] | None = None) -> None:
        self._rows.append(Utterance(source, speaker, text, self._frames, len(log_mel), ends or []))
        self._mels.append(log_mel.astype(np.float16))
        self._phones.append(np.full(len(log_mel), -1, np.int8) if phones is None else phones)
        self._frames += len(log_mel)

    def close(self) -> None:
        """Writes all files; the index last, so that a shard with an index is whole."""
        np.save(self._path.with_suffix(".phones.npy"), np.concatenate(self._phones or [np.zeros(0, np.int8)]))
        np.save(self._path.with_suffix(".npy"), np.concatenate(self._mels or [np.zeros((0, N_MELS), np.float16)]))
        with open(self._path.with_suffix(".jsonl"), "w", encoding="utf-8") as index:
            index.writelines(json.dumps(asdict(row)) + "\n" for row in self._rows)


class Store:
    """All shards of a folder whose names start with one of the prefixes, memory mapped."""

    def __init__(self, folder: Path, prefixes: Iterable[str]) -> None:
        self.utterances: list[tuple[Utterance, np.ndarray, np.ndarray | None]] = []
        for prefix in prefixes:
            for index in sorted(folder.glob(f"{prefix}*.jsonl")):
                mels = np.load(index.with_suffix(".npy"), mmap_mode="r")
                phones = index.with_suffix(".phones.npy")
                known = np.load(phones, mmap_mode="r") if phones.exists() else None
                with open(index, encoding="utf-8") as lines:
                    self.utterances += [(Utterance(**json.loads(line)), mels, known) for line in lines]

    def __len__(self) -> int:
        return len(self.utterances)

    def log_mel(self, number: int) -> np.ndarray:
        row, mels, _ = self.utterances[number]
        return np.asarray(mels[row.start: row.start + row.frames], dtype=np.float32)

    def phones(self, number: int) -> np.ndarray:
        """Phone numbers per frame, -1 where unknown."""
        row, _, phones = self.utterances[number]
        return np.full(row.frames, -1, np.int8) if phones is None else np.asarray(phones[row.start: row.start + row.frames])

    def row(self, number: int) -> Utterance:
        return self.utterances[number][0]
