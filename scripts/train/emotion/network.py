"""Waveform -> four emotion scores: log-mel front end and a small two-dimensional convolutional network."""

import librosa
import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

LABELS = ("angry", "happy", "neutral", "sad")
RATE = 16000
WINDOW, HOP, MELS = 640, 160, 64
LOWEST_HZ, HIGHEST_HZ = 60, 7600


class LogMel(nn.Module):
    """[batch, samples] at 16 kHz -> [batch, 1, mels, frames]. The Fourier transform is a fixed convolution, so it exports anywhere.

    The mean over the whole window is taken off: loudness of the microphone is not emotion. The shape of
    the spectrum stays, since a raised voice is brighter.
    """

    def __init__(self) -> None:
        super().__init__()
        bins = WINDOW // 2 + 1
        phase = 2 * np.pi * np.outer(np.arange(bins), np.arange(WINDOW)) / WINDOW
        window = np.hanning(WINDOW + 1)[:-1]
        basis = np.concatenate((np.cos(phase), -np.sin(phase))) * window
        self.register_buffer("basis", torch.tensor(basis[:, None], dtype=torch.float32), persistent=False)
        filters = librosa.filters.mel(sr=RATE, n_fft=WINDOW, n_mels=MELS, fmin=LOWEST_HZ, fmax=HIGHEST_HZ)
        self.register_buffer("filters", torch.tensor(filters), persistent=False)
        self.register_buffer("window", torch.tensor(window, dtype=torch.float32), persistent=False)

    def power(self, waveform: Tensor) -> Tensor:
        real, imaginary = F.conv1d(waveform[:, None], self.basis, stride=HOP).chunk(2, dim=1)
        return real.square() + imaginary.square()

    def fast_power(self, waveform: Tensor) -> Tensor:
        """The same through an FFT, for training."""
        return torch.stft(waveform, WINDOW, HOP, WINDOW, self.window, center=False, return_complex=True).abs().square()

    def bands(self, power: Tensor) -> Tensor:
        return (self.filters @ power + 1e-7).log()

    def level(self, mels: Tensor) -> Tensor:
        # Anything 60 dB below the loudest band is silence, whatever the recording's noise floor.
        mels = torch.maximum(mels, mels.amax(dim=(1, 2), keepdim=True) - 14.0)
        return ((mels - mels.mean(dim=(1, 2), keepdim=True)) / 3.0)[:, None]

    def forward(self, waveform: Tensor) -> Tensor:
        return self.level(self.bands(self.power(waveform)))


def block(inputs: int, outputs: int, stride: tuple[int, int]) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, inputs, (3, 5), padding=(1, 2), stride=stride, groups=inputs, bias=False),
        nn.Conv2d(inputs, outputs, 1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.SiLU(),
    )


class EmotionNet(nn.Module):
    def __init__(self, width: int = 32, dropout: float = 0.3) -> None:
        super().__init__()
        self.mel = LogMel()
        self.stem = nn.Sequential(nn.Conv2d(1, width, (5, 5), stride=(2, 2), padding=2, bias=False), nn.BatchNorm2d(width), nn.SiLU())
        self.body = nn.Sequential(
            block(width, width, (1, 1)),
            block(width, 2 * width, (2, 2)),
            block(2 * width, 2 * width, (1, 1)),
            block(2 * width, 3 * width, (2, 2)),
            block(3 * width, 3 * width, (1, 1)),
        )
        features = 3 * width * (MELS // 8)
        self.squeeze = nn.Sequential(nn.Conv1d(features, 96, 1, bias=False), nn.BatchNorm1d(96), nn.SiLU())
        self.attention = nn.Conv1d(96, 1, 1)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(192, len(LABELS))

    def scores(self, features: Tensor) -> Tensor:
        x = self.body(self.stem(features))
        x = self.squeeze(x.flatten(1, 2))
        focus = self.attention(x).softmax(dim=2)
        mean = (x * focus).sum(2)
        spread = ((x - mean[:, :, None]).square() * focus).sum(2).clamp_min(1e-5).sqrt()
        return self.output(self.dropout(torch.cat((mean, spread), dim=1)))

    def forward(self, waveform: Tensor) -> Tensor:
        return self.scores(self.mel(waveform))
