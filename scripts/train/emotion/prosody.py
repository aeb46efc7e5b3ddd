"""Numbers about the pitch, level and timbre of a window, and scores from its likeness to windows of the training."""

from dataclasses import dataclass

import librosa
import numpy as np
import torch
from scipy.fft import dct
from torch import Tensor, nn

from network import HIGHEST_HZ, LABELS, LOWEST_HZ, MELS, RATE, WINDOW, LogMel

PITCH_LOW_HZ, PITCH_HIGH_HZ, PITCHES = 66.0, 520.0, 72


@dataclass(frozen=True)
class Timbre:
    """The numbers of a range of the spectrum. `moving`: cepstral coefficients whose changes count."""

    low_hz: float
    high_hz: float
    cepstra: int
    moving: int
    silence: float  # below the loudest band, natural logarithm of power


# The whole band, and what a telephone line transmits.
TIMBRES = (Timbre(0, RATE / 2, 16, 8, 14.0), Timbre(330, 3300, 12, 6, 9.0))


def _mean(values: Tensor, weights: Tensor) -> Tensor:
    """Over frames; 0 where nothing has weight."""
    return (values * weights).sum(-1) / (weights.sum(-1) + 1e-3)


def _spread(values: Tensor, mean: Tensor, weights: Tensor) -> Tensor:
    return _mean((values - mean.unsqueeze(-1)).square(), weights).clamp_min(1e-3).sqrt()


def _level(bands: Tensor) -> Tensor:
    """Each frame's, from the loudest one down."""
    level = bands.exp().sum(1).log()
    return level - level.amax(1, keepdim=True)


def _loud(level: Tensor) -> Tensor:
    return ((level + 5) / 2).clamp(0, 1)


def _change(values: Tensor) -> Tensor:
    return (values[..., 1:] - values[..., :-1]).abs()


def _timbre(bands: Tensor, cepstrum: Tensor, of: Timbre) -> Tensor:
    bands = torch.maximum(bands, bands.amax((1, 2), keepdim=True) - of.silence)
    level = _level(bands)
    loud = _loud(level)
    both_loud = loud[:, 1:] * loud[:, :-1]
    middle = _mean(level, loud)
    levels = torch.stack((level.mean(1), middle, _spread(level, middle, loud), _change(level).mean(1), _mean(_change(level), both_loud)), 1)
    cepstra = cepstrum @ bands
    means = _mean(cepstra, loud[:, None])
    changes = _mean(_change(cepstra[:, : of.moving]), both_loud[:, None])
    return torch.cat((levels, means, _spread(cepstra, means, loud[:, None]), changes), 1)


class Prosody(nn.Module):
    """Power spectra [batch, bins, frames] of network.LogMel -> numbers [batch, n]. None depends on the level of the whole window."""

    def __init__(self, mel: LogMel) -> None:
        super().__init__()
        self.mel = mel
        bins = WINDOW // 2 + 1
        hz = np.arange(bins) * RATE / WINDOW
        pitches = np.geomspace(PITCH_LOW_HZ, PITCH_HIGH_HZ, PITCHES)
        lags = RATE / pitches
        # The autocorrelation is the cosine transform of the power spectrum. Both sides of the spectrum count, and only the band of the voice.
        sides = np.where((np.arange(bins) == 0) | (np.arange(bins) == bins - 1), 1.0, 2.0) * ((hz > 50) & (hz < 3000))
        own = np.fft.irfft(np.abs(np.fft.rfft(np.hanning(WINDOW + 1)[:-1], 4 * WINDOW)) ** 2)
        taper = np.interp(lags, np.arange(2 * WINDOW), own[: 2 * WINDOW]) / own[0]
        correlation = np.cos(2 * np.pi * np.outer(lags, np.arange(bins)) / WINDOW) * sides / taper[:, None]
        centres = librosa.mel_frequencies(MELS + 2, fmin=LOWEST_HZ, fmax=HIGHEST_HZ)[1:-1]
        self.ranges = [tuple(np.searchsorted(centres, (timbre.low_hz, timbre.high_hz))) for timbre in TIMBRES]
        for name, values in {"correlation": correlation, "voice": sides, "semitones": 12 * np.log2(pitches / 150)}.items():
            self.register_buffer(name, torch.tensor(values, dtype=torch.float32), persistent=False)
        for place, ((low, high), timbre) in enumerate(zip(self.ranges, TIMBRES)):
            cepstrum = dct(np.eye(high - low), norm="ortho", axis=0)[1 : 1 + timbre.cepstra]
            self.register_buffer(f"cepstrum{place}", torch.tensor(cepstrum, dtype=torch.float32), persistent=False)

    def forward(self, power: Tensor) -> Tensor:
        bands = self.mel.bands(power)
        parts = enumerate(zip(self.ranges, TIMBRES))
        timbres = [_timbre(bands[:, low:high], self.get_buffer(f"cepstrum{place}"), timbre) for place, ((low, high), timbre) in parts]
        return torch.cat((self._melody(power, _loud(_level(bands))), *timbres), 1)

    def _melody(self, power: Tensor, loud: Tensor) -> Tensor:
        periodic = (self.correlation @ power) / ((self.voice @ power)[:, None] + 1e-6)
        periodicity = periodic.amax(1).clamp(0, 1)
        pitch = ((30 * periodic).softmax(1) * self.semitones[:, None]).sum(1)
        voiced = ((periodicity - 0.45) / 0.3).clamp(0, 1) * loud
        sureness = 3 * voiced.clamp_min(1e-4).log()
        place = torch.ones_like(loud).cumsum(1)
        place = 2 * place / place[:, -1:] - 1
        middle = _mean(pitch, voiced)
        high, low = ((pitch * (sign * pitch / 3 + sureness).softmax(1)).sum(1) for sign in (1, -1))
        change = _mean(_change(pitch).clamp(max=3), voiced[:, 1:] * voiced[:, :-1])
        course = _mean((pitch - middle[:, None]) * place, voiced)
        return torch.stack((middle, _spread(pitch, middle, voiced), high, low, change, course, _mean(periodicity, loud), voiced.mean(1), loud.mean(1)), 1)


class Likeness(nn.Module):
    """Kernel ridge regression: numbers [batch, n] of Prosody -> scores of the labels, 0.75 and -0.25 for certain answers."""

    SHARPNESS, RIDGE = 1.0, 1.0
    FARTHEST = 4.0  # standard deviations

    def __init__(self, numbers: Tensor, targets: Tensor, weights: Tensor) -> None:
        """`numbers` [rows, n], `targets` [rows, labels] as probabilities, `weights` [rows], 1 in the mean."""
        super().__init__()
        self.register_buffer("centre", numbers.mean(0))
        self.register_buffer("scale", numbers.std(0) + 1e-6)
        known = self._scaled(numbers)
        self.register_buffer("known", known.T.contiguous())  # [n, rows], as the exported product wants it
        self.register_buffer("squares", known.square().sum(1))
        likeness = self._likeness(known).double()
        answers = torch.linalg.solve(likeness + self.RIDGE * torch.diag(1 / weights.double()), targets.double() - 1 / len(LABELS))
        self.register_buffer("answers", answers.float())

    def _scaled(self, numbers: Tensor) -> Tensor:
        return ((numbers - self.centre) / self.scale).clamp(-self.FARTHEST, self.FARTHEST)

    def _likeness(self, scaled: Tensor) -> Tensor:
        distances = scaled.square().sum(1, keepdim=True) + self.squares - 2 * scaled @ self.known
        return (-self.SHARPNESS / self.known.shape[0] * distances.clamp_min(0)).exp()

    def forward(self, numbers: Tensor) -> Tensor:
        return self._likeness(self._scaled(numbers)) @ self.answers
