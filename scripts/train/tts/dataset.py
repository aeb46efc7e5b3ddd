"""The teacher's utterances on disk, and random training batches from them."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import torch

from phones import SEPARATOR, TOKEN_ID, TOKENS
from teacher import HOP_SAMPLES, Utterance

PHONE_IDS = frozenset(i for i, t in enumerate(TOKENS) if t[0].isalpha())


def save(utterances: list[Utterance], path: Path) -> None:
    with path.open("wb") as file:
        pickle.dump([vars(u) for u in utterances], file, protocol=5)


def load(path: Path) -> list[Utterance]:
    with path.open("rb") as file:
        return [Utterance(**fields) for fields in pickle.load(file)]


def fill_f0(f0: np.ndarray) -> np.ndarray:
    """Unvoiced gaps bridged in a straight line, so that f0 can be learned as a smooth curve."""
    voiced = np.flatnonzero(f0)
    if len(voiced) == 0:
        return np.full_like(f0, 165.0)
    return np.interp(np.arange(len(f0)), voiced, f0[voiced]).astype(np.float32)


def spell_out(tokens: np.ndarray, frames: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Some words written phone by phone, with a separator after each: how unknown words will arrive."""
    new_tokens: list[int] = []
    new_frames: list[int] = []
    separator, spelled = TOKEN_ID[SEPARATOR], rng.random() < 0.12
    for token, duration in zip(tokens.tolist(), frames.tolist()):
        if token == separator:
            spelled_before, spelled = spelled, rng.random() < 0.12
            if spelled_before and new_tokens and new_tokens[-1] == separator:
                continue
        new_tokens.append(token)
        new_frames.append(duration)
        if spelled and token in PHONE_IDS:
            new_tokens.append(separator)
            new_frames.append(0)
    return np.array(new_tokens), np.array(new_frames)


class Batches:
    """Whole token streams with a random window of frames each. Short utterances of a voice are joined to fill it."""

    def __init__(self, voices: list[list[Utterance]], batch: int, window_frames: int, seed: int):
        self.voices, self.batch, self.window = voices, batch, window_frames
        self.rng = np.random.default_rng(seed)

    def item(self, utterances: list[Utterance]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        parts, total = [], 0
        while total < self.window + 8 or (len(parts) == 1 and self.rng.random() < 0.1):
            u = utterances[self.rng.integers(len(utterances))]
            parts.append((*spell_out(u.tokens, u.frames, self.rng), u))
            total += len(u.f0)
        tokens = np.concatenate([p[0] for p in parts])
        frames = np.concatenate([p[1] for p in parts])
        audio = np.concatenate([p[2].audio for p in parts])
        return tokens, frames, audio, np.concatenate([p[2].f0 for p in parts])

    def next(self) -> dict[str, torch.Tensor]:
        voices = self.rng.integers(len(self.voices), size=self.batch)
        items = [self.item(self.voices[voice]) for voice in voices]
        longest = max(len(i[0]) for i in items)
        tokens = np.zeros((self.batch, longest), np.int64)
        frames = np.zeros((self.batch, longest), np.int64)
        mask = np.zeros((self.batch, longest), np.float32)
        starts, audio, f0, voiced = [], [], [], []
        for row, (t, d, a, f) in enumerate(items):
            tokens[row, : len(t)], frames[row, : len(t)], mask[row, : len(t)] = t, d, 1.0
            start = int(self.rng.integers(len(f) - self.window + 1))
            starts.append(start)
            audio.append(a[start * HOP_SAMPLES : (start + self.window) * HOP_SAMPLES])
            f0.append(fill_f0(f)[start : start + self.window])
            voiced.append(f[start : start + self.window] > 0)
        return {
            "voice": torch.from_numpy(voices),
            "tokens": torch.from_numpy(tokens),
            "frames": torch.from_numpy(frames),
            "mask": torch.from_numpy(mask),
            "start": torch.tensor(starts),
            "audio": torch.from_numpy(np.stack(audio).astype(np.float32) / 32768.0),
            "f0": torch.from_numpy(np.stack(f0)),
            "voiced": torch.from_numpy(np.stack(voiced).astype(np.float32)),
        }
