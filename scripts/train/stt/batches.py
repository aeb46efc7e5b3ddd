"""An endless stream of augmented batches, each padded to one of the audio context sizes."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import IterableDataset, get_worker_info

from .augment import mask, place, telephone, vary_voice
from .config import AUDIO_CTX_SIZES, CTC_ALPHABET, N_MELS
from .mel import FLOOR_LOG10, whisper_scale
from .pieces import Pieces
from .pronounce import Pronunciations
from .store import Store
from .synthesise import words_said

FULL_CTX = 1500
TRAIN_SIZES = range(96, 1025, 32)  # finer steps than the pipeline's, for less padding, and longer: half of the read clips are long
KEPT = {"sentences": 0.3, "snips": 0.3, "clinc": 0.7, "schema": 0.7}  # sources far from the assistant's domain are rarer
LETTER = {letter: number for number, letter in enumerate(CTC_ALPHABET, 1)}
IGNORED = -100
EMPTY_FRAMES = (25, 900)  # short ones as often as long ones: partials are short
FEWEST_FRAMES = 12  # minimum length of a clip after a cut
PEOPLE = ("librispeech", "common-voice", "speechocean", "an4", "kathleen", "digits")


@dataclass(frozen=True)
class Recipe:
    """How often each kind of clip is drawn, and how large a batch is: encoder positions, long clips count for more."""

    # "aligned" is synthetic speech whose phone times are known.
    shares: tuple[tuple[str, float], ...] = (
        ("synthetic", 0.17), ("aligned", 0.22), ("librispeech", 0.32), ("common-voice", 0.11), ("speechocean", 0.05),
        ("an4", 0.03), ("kathleen", 0.03), ("digits", 0.04), ("empty", 0.04),
    )
    positions: int = 4096
    strength: float = 0.35  # 0 to 1: how much a synthetic voice is changed
    strength_people: float = 1.0
    masked: float = 0.6  # share of the clips with masked bands and stretches
    telephone: float = 0.2  # share of the clips that come over a telephone line
    cut: float = 0.45  # share of the clips with known word times that are cut in the middle


def cost(size: int) -> float:
    """Processor time of a clip of `size` positions, in those of a very short one: attention grows with the square."""
    return size * (1 + size / 1000)


@dataclass(frozen=True)
class Clip:
    scaled_mel: np.ndarray
    rows: list[int]
    letters: list[int]
    phones: np.ndarray  # per encoder position, IGNORED where unknown
    sounds: list[int] | None  # pronunciation of the text (pronounce.py); None where a word has none


class ClipStream(IterableDataset):
    def __init__(self, shards: Path, pieces_file: Path, pronunciations: Path, recipe: Recipe, seed: int) -> None:
        super().__init__()
        self._shards, self._pieces_file, self._pronunciations_file, self._recipe, self._seed = shards, pieces_file, pronunciations, recipe, seed

    def __iter__(self) -> Iterator[tuple[Tensor, ...]]:
        self._pieces, self._pronunciations = Pieces(self._pieces_file), Pronunciations(self._pronunciations_file)
        self._speech, self._noise = Store(self._shards, ("synthetic-", "recorded-")), Store(self._shards, ("noise-",))
        self._groups: dict[str, list[int]] = {"synthetic": []}
        self._speakers: dict[str, list[int]] = {}
        for number in range(len(self._speech)):
            row = self._speech.row(number)
            group = row.source if row.source in PEOPLE else "synthetic" if self._speech.phones(number)[0] < 0 else "aligned"
            self._groups.setdefault(group, []).append(number)
            self._speakers.setdefault(row.speaker, []).append(number)
        worker = get_worker_info()
        self._rng = np.random.default_rng(self._seed if worker is None else [self._seed, worker.id])
        waiting: dict[int, list[Clip]] = {}
        while True:
            clip = self._draw()
            if clip is None:
                continue
            size = len(clip.scaled_mel) // 2
            waiting.setdefault(size, []).append(clip)
            if len(waiting[size]) >= max(2, int(self._recipe.positions / cost(size))):
                yield self._collate(waiting.pop(size))

    def _draw(self) -> Clip | None:
        rng, shares = self._rng, [(g, s) for g, s in self._recipe.shares if g == "empty" or g in self._groups]
        weights = np.array([share for _, share in shares])
        group = shares[rng.choice(len(shares), p=weights / weights.sum())][0]
        noise = None
        if len(self._noise) and rng.random() < (0.6 if group == "empty" else 0.4 * self._recipe.strength):
            noise = self._noise.log_mel(int(rng.integers(len(self._noise))))
        if group == "empty":
            return self._finish(None, None, "", int(np.exp(rng.uniform(*np.log(EMPTY_FRAMES)))), 0, noise)
        number = int(rng.choice(self._groups[group]))
        row = self._speech.row(number)
        if rng.random() > KEPT.get(row.source, 1.0):
            return None
        strength = self._recipe.strength_people if row.source in PEOPLE else self._recipe.strength
        parts, phones, text = [self._speech.log_mel(number)], [self._speech.phones(number)], row.text
        if row.ends and rng.random() < self._recipe.cut:
            return self._cut(parts[0], phones[0], text, row.ends, noise)
        more = int(rng.integers(0, 6)) if group == "digits" else int(rng.random() < 0.1 and row.frames < 500)
        for _ in range(more):  # several takes of one speaker in a row, with pauses
            other = int(rng.choice(self._speakers[row.speaker]))
            if self._speech.row(other).frames < 500:
                pause = int(rng.integers(2, 60))
                parts += [np.full((pause, N_MELS), FLOOR_LOG10, np.float32), self._speech.log_mel(other)]
                phones += [np.zeros(pause, np.int8), self._speech.phones(other)]
                text += " " + self._speech.row(other).text
        speech, heard = vary_voice(np.concatenate(parts), np.concatenate(phones), rng, strength)
        lead = int(rng.integers(0, 50)) if rng.random() < 0.85 else int(rng.integers(0, 160))
        tail = int(rng.integers(2, 60)) if rng.random() < 0.85 else int(rng.integers(2, 200))
        return self._finish(speech, heard, text, lead + len(speech) + tail, lead, noise)

    def _cut(self, speech: np.ndarray, phones: np.ndarray, text: str, ends: list[int], noise: np.ndarray | None) -> Clip | None:
        """A clip whose speaker goes on, as partials hear it."""
        rng = self._rng
        cut = int(rng.integers(min(FEWEST_FRAMES, len(speech)), len(speech) + 1))
        said = words_said(ends, cut)
        heard, heard_phones = vary_voice(speech[:cut], phones[:cut], rng, self._recipe.strength)
        lead = int(rng.integers(0, 50))
        return self._finish(heard, heard_phones, " ".join(text.split()[:said]), lead + len(heard), lead, noise)

    def _finish(self, speech: np.ndarray | None, phones: np.ndarray | None, text: str, audio_frames: int, lead: int, noise: np.ndarray | None) -> Clip | None:
        rng, pieces = self._rng, self._pieces
        sizes = [size for size in TRAIN_SIZES if 2 * size >= audio_frames]
        if not sizes:
            return None
        chance = rng.random()
        size = FULL_CTX if chance < 0.006 else sizes[min(int(chance < 0.12), len(sizes) - 1)]
        canvas = place(speech, 2 * size, lead, audio_frames, noise, rng)
        if rng.random() < self._recipe.telephone:
            canvas[:audio_frames] = telephone(canvas[:audio_frames], rng)
        scaled = whisper_scale(canvas)
        if speech is not None and rng.random() < self._recipe.masked:
            scaled = mask(scaled, rng)
        words, end = pieces.encode(text), audio_frames if speech is None else lead + len(speech)
        if rng.random() < 0.4 and size <= AUDIO_CTX_SIZES[-1]:  # pieces.py has no later timestamp
            rows = [pieces.sot, pieces.timestamp(lead), *words, pieces.timestamp(end), pieces.eot]
        else:
            rows = [pieces.sot, pieces.no_timestamps, *words, pieces.eot]
        labels = np.zeros(2 * size, np.int64)  # 0 is silence
        if phones is not None:
            span = labels[lead: lead + len(phones)]
            span[:] = phones[: len(span)]
        labels[labels < 0] = IGNORED
        return Clip(scaled.astype(np.float32), rows, [LETTER[letter] for letter in text], labels[::2], self._pronunciations.sounds(text, rng))

    def _collate(self, clips: list[Clip]) -> tuple[Tensor, ...]:
        """mel [b, 80, 2n], decoder input rows, target rows, CTC letters (flat), CTC lengths, phones [b, n], CTC phones (flat), their lengths (-1: unknown)."""
        longest = max(len(clip.rows) for clip in clips) - 1
        given = torch.full((len(clips), longest), self._pieces.eot)
        wanted = torch.full((len(clips), longest), IGNORED)
        for number, clip in enumerate(clips):
            rows = torch.tensor(clip.rows)
            inputs = rows[:-1].clone()
            swap = (torch.from_numpy(self._rng.random(len(inputs)).astype(np.float32)) < 0.07) & (inputs < self._pieces.eot)
            inputs[swap] = torch.from_numpy(self._rng.integers(2, self._pieces.eot, len(inputs)))[swap]
            given[number, : len(inputs)] = inputs
            wanted[number, : len(inputs)] = rows[1:]
            if clip.rows[1] == self._pieces.no_timestamps:
                wanted[number, 0] = IGNORED
        mel = torch.from_numpy(np.stack([clip.scaled_mel.T for clip in clips]))
        letters = torch.tensor([letter for clip in clips for letter in clip.letters], dtype=torch.long)
        counts = torch.tensor([len(clip.letters) for clip in clips])
        sounds = torch.tensor([sound for clip in clips for sound in clip.sounds or []], dtype=torch.long)
        sound_counts = torch.tensor([-1 if clip.sounds is None else len(clip.sounds) for clip in clips])
        return mel, given, wanted, letters, counts, torch.from_numpy(np.stack([clip.phones for clip in clips])), sounds, sound_counts
