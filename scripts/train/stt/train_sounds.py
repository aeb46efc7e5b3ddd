"""The losses of the sound network: sounds by CTC-CRF, and phones where flite tells their times."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from .batches import IGNORED, Recipe
from .loop import Batch, ctc
from .pronounce import SOUNDS, Pronunciations
from .sound_loss import NONE, log_sum, trigrams
from .sound_network import FRAMES, SoundNetwork, SoundSize, read, whole_positions
from .store import Store

CTC_ALONE = 0.05  # the first part of a training: against other sequences, a new network learns slowly
CTC_SHARE = 0.1  # beside CTC-CRF
SHARES = (("synthetic", 0.09), ("aligned", 0.14), ("librispeech", 0.42), ("common-voice", 0.14), ("speechocean", 0.07),
          ("an4", 0.03), ("kathleen", 0.04), ("digits", 0.04), ("empty", 0.03))


def recipe(of: Recipe) -> Recipe:
    """Larger batches: Muon takes a third of a step otherwise. More masks: the network would know its speakers by heart."""
    return replace(of, shares=SHARES, positions=3 * of.positions, masked=0.7)


def sequences(shards: Path, pronunciations: Path) -> list[list[int]]:
    """The sounds of all read sentences, and of every fourth other one."""
    store, known, rng = Store(shards, ("recorded-", "synthetic-")), Pronunciations(pronunciations), np.random.default_rng(0)
    rows = (store.row(number) for number in range(len(store)))
    texts = (row.text for number, row in enumerate(rows) if number % 4 == 0 or row.source in ("librispeech", "common-voice", "kathleen", "speechocean"))
    return [sounds for text in texts if (sounds := known.sounds(text, rng))]


@dataclass(frozen=True)
class SoundTask:
    """`after`: trigrams of sounds. `dev`: small held-out sets of (scaled mel, sounds). `start`: an exported file to go on from."""

    size: SoundSize
    after: Tensor
    dev: list[tuple[str, list[tuple[Tensor, list[int]]]]]
    start: Path | None = None
    parts: tuple[str, ...] = ("ctc", "others", "phones")
    weights: tuple[float, ...] = (1.0 + CTC_SHARE, 1.0, 0.3)
    matrices: str = "layers."

    def first_model(self) -> SoundNetwork:
        return SoundNetwork(self.size) if self.start is None else read(self.start, self.size)

    def losses(self, model: SoundNetwork, batch: Batch, bf16: bool, progress: float) -> tuple[Tensor, ...]:
        mel, *_, phones, sounds, counts = batch
        known = counts >= 0
        with torch.autocast(mel.device.type, torch.bfloat16, enabled=bf16):
            hidden = model.hidden(whole_positions(mel[known]))
            logits, phone_logits = model.sounds(hidden), model.phones(hidden)
        middles = ((torch.arange(hidden.shape[1], device=mel.device) + 0.5) * FRAMES / 2).long().clamp(max=phones.shape[1] - 1)  # phones are 20 ms apart
        heard_phones = functional.cross_entropy(phone_logits.float().flatten(0, 1), phones[known][:, middles].flatten(), ignore_index=IGNORED)
        heard = ctc(logits, sounds, counts[known])
        if progress < CTC_ALONE and self.start is None:
            return heard, heard.new_zeros(()), heard_phones.nan_to_num()
        others = log_sum(logits.float().log_softmax(-1), self.after.to(mel.device)).sum() / counts[known].sum().clamp(min=1)
        return heard, others, heard_phones.nan_to_num()

    def check(self, model: SoundNetwork) -> str:
        """The trained loss as a log-probability for each sound. The share of wrong likeliest sounds would mislead: it is lower
        for a network that finds no sound more often."""
        parts = []
        for name, clips in self.dev:
            total = sum(self.log_posterior(model, mel, wanted) for mel, wanted in clips)
            parts.append(f"{name} {total / max(1, sum(len(wanted) for _, wanted in clips)):.3f}")
        return "  ".join(parts)

    def log_posterior(self, model: SoundNetwork, mel: Tensor, wanted: list[int]) -> float:
        """Natural logarithm of the probability of the sounds `wanted` in scaled mel [80, n], among all sequences of sounds."""
        device = model.sounds.weight.device
        logits = model.sounds(model.hidden(whole_positions(mel[None].to(device))))
        heard = ctc(logits, torch.tensor([wanted], device=device), torch.tensor([len(wanted)], device=device))
        padded = [NONE, NONE, *wanted, NONE]
        prior = self.after[padded[:-2], padded[1:-1], padded[2:]].log().sum()
        everything = log_sum(logits.float().log_softmax(-1), self.after.to(device)).sum()
        return (prior - len(wanted) * heard.cpu() - everything.cpu()).item()


def first_task(size: SoundSize, shards: Path, pronunciations: Path, dev: list[tuple[str, list[tuple[Tensor, str]]]], start: Path | None) -> SoundTask:
    """`dev` has texts here."""
    known, rng = Pronunciations(pronunciations), np.random.default_rng(0)
    with_sounds = [(name, [(mel, sounds) for mel, text in clips if (sounds := known.sounds(text, rng))]) for name, clips in dev]
    return SoundTask(size, trigrams(sequences(shards, pronunciations), len(SOUNDS) + 1), with_sounds, start)


def load_network(path: Path) -> SoundNetwork:
    state = torch.load(path, weights_only=True)
    network = SoundNetwork(SoundSize(**state["size"]))
    network.load_state_dict(state["model"])
    return network
