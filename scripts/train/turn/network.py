"""
From the last five seconds a microphone heard, and how long the user has been silent, to the probability that the
turn is over. Everything is inside the graph, so that the service feeds it samples and shares no code with this file.
"""

from collections.abc import Sequence

import librosa
import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

RATE = 16000
WINDOW, HOP = 512, 256
SECONDS = 5.0
SAMPLES = int(SECONDS * RATE)
FRAMES = (SAMPLES - WINDOW) // HOP + 1
MELS = 20
PITCH_LOW_HZ, PITCH_HIGH_HZ, PITCHES = 66.0, 420.0, 60
# Per frame: level, mel bands (both in dB), pitch in semitones, how periodic.
CHANNELS = 1 + MELS + 2


class Frames(nn.Module):
    """[batch, samples] -> [batch, CHANNELS, frames]. The Fourier transform is a fixed convolution, so it exports anywhere."""

    def __init__(self) -> None:
        super().__init__()
        bins = WINDOW // 2 + 1
        phase = 2 * np.pi * np.outer(np.arange(bins), np.arange(WINDOW)) / WINDOW
        window = np.hanning(WINDOW + 1)[:-1]
        hz = np.arange(bins) * RATE / WINDOW
        pitches = np.geomspace(PITCH_LOW_HZ, PITCH_HIGH_HZ, PITCHES)
        lags = RATE / pitches
        # The autocorrelation is the cosine transform of the power spectrum; both sides of the spectrum count.
        sides = np.where((np.arange(bins) == 0) | (np.arange(bins) == bins - 1), 1.0, 2.0)
        correlation = np.cos(2 * np.pi * np.outer(lags, np.arange(bins)) / WINDOW) * sides
        # Above 3 kHz there is more noise than voice.
        correlation *= (hz < 3000) & (hz > 50)
        own = np.abs(np.fft.rfft(window, 4 * WINDOW)) ** 2
        taper = np.interp(lags, np.arange(2 * WINDOW), np.fft.irfft(own)[: 2 * WINDOW])
        self.register_buffer("basis", torch.tensor((np.concatenate((np.cos(phase), -np.sin(phase))) * window)[:, None], dtype=torch.float32))
        self.register_buffer("window", torch.tensor(window, dtype=torch.float32), persistent=False)
        self.register_buffer("correlation", torch.tensor(correlation * (taper[0] / taper)[:, None], dtype=torch.float32))
        self.register_buffer("voice", torch.tensor(sides * ((hz < 3000) & (hz > 50)), dtype=torch.float32))
        self.register_buffer("semitones", torch.tensor(12 * np.log2(pitches / 150.0), dtype=torch.float32))
        mels = librosa.filters.mel(sr=RATE, n_fft=WINDOW, n_mels=MELS, fmin=80, fmax=7600, norm=None)
        self.register_buffer("bands", torch.tensor(np.concatenate(((hz >= 80)[None], mels)), dtype=torch.float32))

    def power(self, waveform: Tensor) -> Tensor:
        real, imaginary = F.conv1d(waveform[:, None], self.basis, stride=HOP).chunk(2, dim=1)
        return real.square() + imaginary.square()

    def fast_power(self, waveform: Tensor) -> Tensor:
        """The same through an FFT, for training."""
        return torch.stft(waveform, WINDOW, HOP, WINDOW, self.window, center=False, return_complex=True).abs().square()

    def describe(self, power: Tensor) -> Tensor:
        level = 10 * (self.bands @ power / WINDOW + 1e-9).log10()
        periodic = (self.correlation @ power) / ((self.voice @ power)[:, None] + 1e-6)
        best = periodic.amax(1).clamp(0, 1)
        focus = (30 * periodic).softmax(1)
        pitch = (focus * self.semitones[:, None]).sum(1)
        return torch.cat((level, pitch[:, None], best[:, None]), 1)

    def forward(self, waveform: Tensor) -> Tensor:
        return self.describe(self.power(waveform))


# Stretches of speech before the pause, in seconds from its start.
STRETCHES = ((-0.1, 0.04), (-0.25, 0.04), (-0.5, -0.2), (-1.0, -0.4), (-2.0, -0.8))
# Frames the convolutions see, and what they see in each.
SEEN = 192
SEEN_CHANNELS = MELS + 5


def mean(values: Tensor, weights: Tensor) -> Tensor:
    """Over frames; 0 where nothing has weight."""
    return (values * weights).sum(-1) / (weights.sum(-1) + 1e-3)


def summary(frames: Tensor, silence: Tensor) -> tuple[Tensor, Tensor]:
    """
    The sound as differences from the same speaker and room a little earlier. Voice, microphone and level do not matter then.
    Returns [batch, FEATURES] about how the speech ended, and [batch, SEEN_CHANNELS, SEEN] frame by frame.
    frames [batch, CHANNELS, FRAMES], silence [batch] in seconds.
    """
    level, mels, pitch, periodic = frames[:, 0], frames[:, 1 : 1 + MELS], frames[:, -2], frames[:, -1]
    # Middle of each frame, in seconds from the pause's start.
    now = (torch.arange(FRAMES, device=frames.device) * HOP + WINDOW / 2) / RATE - SECONDS
    at = now[None] + silence[:, None]
    before = (at < 0.0).to(level.dtype)
    loud = torch.where(at < 0.04, level, torch.full_like(level, -90.0)).topk(40, dim=1).values[:, 10:].mean(1, keepdim=True)
    # Where a recording is silent to the last bit there is no floor to be found: 55 dB under the voice is silence.
    quiet = torch.maximum(level.topk(16, dim=1, largest=False).values.mean(1, keepdim=True), loud - 55)
    quiet_mels = torch.maximum(mels.topk(16, dim=2, largest=False).values.mean(2, keepdim=True), loud[:, None] - 65)
    depth = (loud - quiet).clamp_min(6)
    voice = ((periodic - 0.45) / 0.3).clamp(0, 1) * ((level - loud + 25) / 10).clamp(0, 1)
    middle = mean(pitch, voice * before)[:, None]
    swing = mean((pitch - middle).square(), voice * before).clamp_min(0.25).sqrt()

    features = [silence, silence.clamp_min(0.05).log(), depth[:, 0] / 30, swing / 4]
    tilt = mels[:, 13:].mean(1) - mels[:, :6].mean(1)
    for start, end in STRETCHES:
        part = ((at >= start) & (at < end)).to(level.dtype)
        features += [mean(pitch - middle, part * voice) / 4, mean(voice, part), mean(level - loud, part) / 20, mean(tilt, part) / 20]
    features += [features[4] - features[12], features[6] - features[14]]
    spoken = (level - quiet > 0.45 * depth).to(level.dtype)
    features += [(spoken * before * (at > -3.0)).sum(1) * HOP / RATE / 3]

    inside = ((at > 0.05) & (now < 10.0)).to(level.dtype)
    seen = torch.cat(
        (
            ((mels - quiet_mels) / 10).clamp(0, 5),
            ((level - quiet) / depth).clamp(0, 1.2)[:, None],
            ((pitch - middle) / 4 * voice)[:, None],
            voice[:, None],
            inside[:, None],
            (at.clamp(0, 2.5) / 2)[:, None],
        ),
        1,
    )
    return torch.stack(features, 1), seen[:, :, FRAMES - SEEN :]


FEATURES = 4 + 4 * len(STRETCHES) + 3


class EndOfTurn(nn.Module):
    def __init__(self, width: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.register_buffer("centre", torch.zeros(FEATURES))
        self.register_buffer("scale", torch.ones(FEATURES))
        self.first = nn.Conv1d(SEEN_CHANNELS, width, 5, stride=2, padding=2)
        self.second = nn.Conv1d(width, width, 5, stride=2, padding=2)
        self.dropout = nn.Dropout(dropout)
        self.body = nn.Sequential(nn.Linear(FEATURES + 4 * width, 24), nn.SiLU(), nn.Dropout(dropout), nn.Linear(24, 1))
        # Half a second in all: a breath is heard in its course.
        self.third = nn.Conv1d(width, width, 5, padding=4, dilation=2)

    def fit_scale(self, features: Tensor) -> None:
        self.centre.copy_(features.mean(0))
        self.scale.copy_(features.std(0).clamp_min(1e-3))

    def forward(self, features: Tensor, seen: Tensor) -> Tensor:
        """The logit."""
        x = F.silu(self.second(F.silu(self.first(seen))))
        x = x + F.silu(self.third(x))
        inside = seen[:, MELS + 3, ::4]
        late = inside.clone()
        late[:, : SEEN // 4 - 3] = 0
        speech = 1 - inside
        speech[:, : SEEN // 8] = 0
        pooled = [mean(x, mask[:, None]) for mask in (inside, late, speech)]
        pooled.append((x * inside[:, None]).amax(2))
        features = ((features - self.centre) / self.scale).clamp(-4, 4)
        return self.body(self.dropout(torch.cat((features, *pooled), 1)))[:, 0]


class Panel(nn.Module):
    """The mean of several networks, which is better than each of them, as log odds by `slope` and `shift`."""

    def __init__(self, members: Sequence[nn.Module], slope: float = 1.0, shift: float = 0.0) -> None:
        super().__init__()
        self.members, self.slope, self.shift = nn.ModuleList(members), slope, shift

    def forward(self, features: Tensor, seen: Tensor) -> Tensor:
        return torch.stack([member(features, seen) for member in self.members]).mean(0) * self.slope + self.shift


class Exported(nn.Module):
    """waveform [1, SAMPLES], silence [1] in seconds -> probability [1]."""

    def __init__(self, net: Panel) -> None:
        super().__init__()
        self.frames, self.net = Frames(), net

    def forward(self, waveform: Tensor, silence: Tensor) -> Tensor:
        return self.net(*summary(self.frames(waveform), silence)).sigmoid()
