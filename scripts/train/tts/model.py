"""The student: tokens -> durations -> 5 ms frames -> f0, voicing, two spectral envelopes -> waveform.

The waveform is a source-filter synthesis without learned parts: a band-limited pulse train and white
noise, each filtered frame by frame with a minimum-phase filter given by a mel-cepstrum. Everything is
differentiable and exports to ONNX with real-valued operators only.
"""

from __future__ import annotations

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from teacher import HOP_SAMPLES, SAMPLE_RATE_HZ

FFT_SIZE = 512
WINDOW = 320  # four hops; the rest of the FFT is room for the filter's response
LEAD = (WINDOW - HOP_SAMPLES) // 2
WARP = 0.42  # all-pass constant that makes the cepstrum's frequency axis mel-like at 16 kHz
PULSE_ORDER, NOISE_ORDER = 36, 24
TOP_HARMONIC_HZ = 7900.0
MEAN_LOG_F0 = math.log(168.0)
NOISE_PERIOD = 65_536  # samples (4.1 s) of fixed noise in the exported file


class ChannelNorm(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(x.transpose(1, 2)).transpose(1, 2)


class GatedConv(nn.Module):
    """x + W(tanh(a) * sigmoid(b)) with a, b from one dilated convolution over the normalised x."""

    def __init__(self, width: int, kernel: int, dilation: int):
        super().__init__()
        self.norm = ChannelNorm(width)
        self.conv = nn.Conv1d(width, 2 * width, kernel, dilation=dilation, padding=dilation * (kernel - 1) // 2)
        self.out = nn.Conv1d(width, width, 1)
        nn.init.normal_(self.out.weight, std=0.3 / math.sqrt(width))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        h = self.norm(x)
        a, b = self.conv(h if mask is None else h * mask).chunk(2, dim=1)
        return x + self.out(torch.tanh(a) * torch.sigmoid(b))


class Student(nn.Module):
    def __init__(self, token_count: int, voice_count: int, width: int = 192):
        super().__init__()
        self.config = {"token_count": token_count, "voice_count": voice_count, "width": width}
        self.embed = nn.Embedding(token_count, width)
        # For the tokens and for the frames. They begin without effect.
        self.voice = nn.Embedding(voice_count, 2 * width)
        nn.init.zeros_(self.voice.weight)
        self.text = nn.ModuleList(GatedConv(width, 5, d) for d in (1, 2, 4, 8))
        self.text_norm = ChannelNorm(width)
        self.duration = nn.Conv1d(width, 1, 1)
        self.place = nn.Conv1d(4, width, 1)
        self.frame = nn.ModuleList(GatedConv(width, 3, d) for d in (1, 2, 4, 8, 16, 1, 2, 4))
        self.frame_norm = ChannelNorm(width)
        self.heads = nn.Conv1d(width, 2 + PULSE_ORDER + 1 + NOISE_ORDER + 1, 1)
        with torch.no_grad():  # start near typical durations and the level of quiet speech
            self.duration.bias.fill_(2.0)
            self.heads.bias.zero_()
            self.heads.bias[2] = self.heads.bias[2 + PULSE_ORDER + 1] = -4.0

    def encode(self, tokens: Tensor, voice: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Tokens [B, L] and numbers of voices [B] -> states [B, C, L] and log(1 + frames) [B, L]."""
        of_tokens, of_frames = self.voice(voice).unsqueeze(2).chunk(2, dim=1)
        h = self.embed(tokens).transpose(1, 2) + of_tokens
        gate = None if mask is None else mask.unsqueeze(1)
        for layer in self.text:
            h = layer(h, gate)
        h = self.text_norm(h)
        return h + of_frames, self.duration(h).squeeze(1)

    def decode(self, states: Tensor, place: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Frame states [B, C, T] and places [B, 4, T] -> f0 (Hz), voicing logit, pulse and noise cepstra."""
        h = states + self.place(place)
        for layer in self.frame:
            h = layer(h)
        out = self.heads(self.frame_norm(h)).float()
        f0 = torch.exp(MEAN_LOG_F0 + 0.3 * out[:, 0])
        pulse = out[:, 2 : 2 + PULSE_ORDER + 1]
        return f0, out[:, 1], pulse, out[:, 2 + PULSE_ORDER + 1 :]


def places(since: Tensor, until: Tensor) -> Tensor:
    """Where in its token a frame lies, from frames since its start and until its end (both >= 0.5)."""
    length = since + until
    return torch.stack([since / length, torch.log(since), torch.log(until), torch.log(length)], dim=1) * 0.5


def warped_cosines(order: int) -> tuple[Tensor, Tensor]:
    """Matrices [bins, order + 1] from a mel-cepstrum to log magnitude and to minimum phase."""
    omega = np.linspace(0, np.pi, FFT_SIZE // 2 + 1)
    warped = omega + 2 * np.arctan2(WARP * np.sin(omega), 1 - WARP * np.cos(omega))
    angle = warped[:, None] * np.arange(order + 1)
    return torch.tensor(np.cos(angle), dtype=torch.float32), torch.tensor(-np.sin(angle), dtype=torch.float32)


class Vocoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)
        bins = np.arange(FFT_SIZE // 2 + 1)
        forward = 2 * np.pi * bins[:, None] * np.arange(WINDOW) / FFT_SIZE
        analysis = np.concatenate([np.cos(forward), -np.sin(forward)]) * hann  # [2 bins, WINDOW]
        weight = np.where((bins == 0) | (bins == FFT_SIZE // 2), 1.0, 2.0)[:, None] / FFT_SIZE
        backward = 2 * np.pi * bins[:, None] * np.arange(FFT_SIZE) / FFT_SIZE
        synthesis = np.concatenate([weight * np.cos(backward), -weight * np.sin(backward)])
        synthesis *= HOP_SAMPLES / hann.sum()
        noise = np.random.default_rng(7).standard_normal(NOISE_PERIOD)
        self.register_buffer("analysis", torch.tensor(analysis, dtype=torch.float32).unsqueeze(1), persistent=False)
        self.register_buffer("synthesis", torch.tensor(synthesis, dtype=torch.float32).unsqueeze(1), persistent=False)
        self.register_buffer("noise", torch.tensor(noise, dtype=torch.float32), persistent=False)
        for name, order in (("pulse", PULSE_ORDER), ("noise", NOISE_ORDER)):
            cosines, sines = warped_cosines(order)
            self.register_buffer(f"{name}_log", cosines.unsqueeze(2), persistent=False)
            self.register_buffer(f"{name}_phase", sines.unsqueeze(2), persistent=False)

    def pulses(self, f0: Tensor, voicing: Tensor) -> Tensor:
        """f0 [B, T] Hz and voicing [B, T] in 0..1 -> pulse train of unit power where voiced, [B, T * hop].

        The phase is summed per frame in double precision and kept modulo 1, so an hour of speech is as
        exact as its first frame; within a frame it is a closed form.
        """
        f0_next = torch.cat([f0[:, 1:], f0[:, -1:]], dim=1)
        step = (f0.double() + f0_next.double()) * (0.5 * HOP_SAMPLES / SAMPLE_RATE_HZ)
        start = torch.cumsum(step, dim=1) - step
        start = (start - torch.floor(start)).float().unsqueeze(2)
        n = torch.arange(HOP_SAMPLES, device=f0.device, dtype=torch.float32)
        rise = (f0_next - f0).unsqueeze(2) / (2 * HOP_SAMPLES)
        phase = start + (f0.unsqueeze(2) * n + rise * n * n) / SAMPLE_RATE_HZ
        phase = phase - torch.floor(phase + 0.5)
        count = torch.floor(TOP_HARMONIC_HZ / torch.maximum(f0, f0_next)).unsqueeze(2)
        below = torch.sin(math.pi * phase)
        near = below.abs() < 1e-4
        ratio = torch.sin((2 * count + 1) * math.pi * phase) / torch.where(near, torch.ones_like(below), below)
        train = (torch.where(near, 2 * count + 1 + torch.zeros_like(ratio), ratio) - 1) / torch.sqrt(2 * count)
        voicing_next = torch.cat([voicing[:, 1:], voicing[:, -1:]], dim=1).unsqueeze(2)
        ramp = n / HOP_SAMPLES
        gain = voicing.unsqueeze(2) * (1 - ramp) + voicing_next * ramp
        return (train * gain).flatten(1)

    def spectrum(self, signal: Tensor) -> tuple[Tensor, Tensor]:
        padded = F.pad(signal.unsqueeze(1), (LEAD, WINDOW - HOP_SAMPLES - LEAD))
        both = F.conv1d(padded, self.analysis, stride=HOP_SAMPLES)
        return both.chunk(2, dim=1)

    def filtered(self, signal: Tensor, cepstrum: Tensor, to_log: Tensor, to_phase: Tensor) -> tuple[Tensor, Tensor]:
        gain = torch.exp(torch.clamp(F.conv1d(cepstrum, to_log), -14.0, 6.0))
        phase = F.conv1d(cepstrum, to_phase)
        real, imaginary = self.spectrum(signal)
        c, s = gain * torch.cos(phase), gain * torch.sin(phase)
        return real * c - imaginary * s, real * s + imaginary * c

    def forward(self, f0: Tensor, voicing: Tensor, pulse: Tensor, noise: Tensor, white: Tensor) -> Tensor:
        """Frames [B, T], [B, T], [B, order, T] twice and white noise [B, T * hop] -> waveform [B, T * hop]."""
        a = self.filtered(self.pulses(f0, voicing), pulse, self.pulse_log, self.pulse_phase)
        b = self.filtered(white, noise, self.noise_log, self.noise_phase)
        both = torch.cat([a[0] + b[0], a[1] + b[1]], dim=1)
        wave = F.conv_transpose1d(both, self.synthesis, stride=HOP_SAMPLES).squeeze(1)
        return wave[:, LEAD : LEAD + white.shape[1]]
