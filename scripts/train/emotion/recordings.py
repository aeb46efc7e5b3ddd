"""Recordings in memory, and windows of them as a telephone, a room or a bad microphone would give them."""

from dataclasses import dataclass
from pathlib import Path

import librosa
import numpy as np
import soundfile as sf
from scipy.signal import fftconvolve, resample_poly

from network import LABELS, RATE


@dataclass(frozen=True)
class Clip:
    samples: np.ndarray
    label: int
    speaker: str


def read(path: Path) -> np.ndarray:
    samples, rate = sf.read(path, dtype="float32")
    samples = samples.mean(axis=1) if samples.ndim > 1 else samples
    if rate != RATE:
        factor = np.gcd(rate, RATE)
        samples = resample_poly(samples, RATE // factor, rate // factor).astype(np.float32)
    trimmed, _ = librosa.effects.trim(samples, top_db=35)
    return trimmed


def noises(folder: Path, amount: int) -> list[np.ndarray]:
    """Environmental sounds; libsndfile cannot read a few of the Opus files, which are left out."""
    found = []
    for path in sorted(folder.glob("*/*.opus"))[:amount]:
        try:
            found.append(read(path))
        except sf.LibsndfileError as error:
            print(f"left out: {path.name}: {error}")
    return [n for n in found if len(n) > RATE // 2]


def acted(folder: Path) -> list[Clip]:
    """The acted sentences: <label>/<speaker><sentence>.flac."""
    return [Clip(read(path), LABELS.index(label), path.name[:2]) for label in LABELS for path in sorted((folder / label).glob("*.flac"))]


def plain(files: list[Path], speakers: list[str]) -> list[Clip]:
    return [Clip(read(path), LABELS.index("neutral"), speaker) for path, speaker in zip(files, speakers)]


def window(r: np.random.Generator, samples: np.ndarray, length: int) -> np.ndarray:
    """A random stretch; a short recording lies somewhere in silence."""
    if len(samples) >= length:
        start = r.integers(0, len(samples) - length + 1)
        return samples[start : start + length]
    padded = np.zeros(length, np.float32)
    start = r.integers(0, length - len(samples) + 1)
    padded[start : start + len(samples)] = samples
    return padded


def room(r: np.random.Generator) -> np.ndarray:
    """Impulse response of an invented room: a direct sound and a decaying tail."""
    seconds = r.uniform(0.08, 0.5)
    time = np.arange(int(seconds * RATE)) / RATE
    tail = r.standard_normal(len(time)) * np.exp(-6.9 * time / seconds) * r.uniform(0.02, 0.15)
    tail[0] = 1.0
    return tail.astype(np.float32)


def telephone(samples: np.ndarray, low_hz: float = 300, high_hz: float = 3400) -> np.ndarray:
    """The same length after a telephone line: its band, 8 kHz, and mu-law's 8 bits at a peak of a half."""
    spectrum = np.fft.rfft(samples)
    hertz = np.fft.rfftfreq(len(samples), 1 / RATE)
    spectrum[(hertz < low_hz) | (hertz > high_hz)] *= 0.01
    narrow = np.fft.irfft(spectrum, len(samples))[::2]
    narrow = narrow * (0.5 / max(float(np.abs(narrow).max(initial=0.0)), 1e-6))
    steps = np.round(np.sign(narrow) * np.log1p(255 * np.abs(narrow)) / np.log(256) * 127) / 127
    decoded = np.sign(steps) * np.expm1(np.abs(steps) * np.log(256)) / 255
    return resample_poly(decoded, 2, 1)[: len(samples)].astype(np.float32)


def disturb(r: np.random.Generator, samples: np.ndarray, noises: list[np.ndarray]) -> np.ndarray:
    """Speed, room, spectral tilt, telephone band, noise and gain; length is kept to within the speed change."""
    if r.random() < 0.7:
        step = r.uniform(0.88, 1.13)
        samples = np.interp(np.arange(0, len(samples) - 1, step), np.arange(len(samples)), samples).astype(np.float32)
    if r.random() < 0.4:
        samples = fftconvolve(samples, room(r))[: len(samples)]
    if r.random() < 0.7:
        spectrum = np.fft.rfft(samples)
        place = np.linspace(0, 1, len(spectrum))
        knots = r.normal(0, 3.5, 6) + np.linspace(0, r.normal(0, 3), 6)
        decibels = np.interp(place**0.5, np.linspace(0, 1, 6), knots)
        samples = np.fft.irfft(spectrum * 10 ** (decibels / 20), len(samples))
    level = np.sqrt(np.mean(samples**2)) + 1e-6
    if r.random() < 0.6:
        noise = noises[r.integers(len(noises))] if r.random() < 0.7 else r.standard_normal(len(samples))
        noise = np.resize(np.roll(noise, r.integers(len(noise))), len(samples))
        strength = level * 10 ** (-r.uniform(6, 35) / 20) / (np.sqrt(np.mean(noise**2)) + 1e-6)
        samples = samples + noise * strength
    if r.random() < 0.25:
        samples = telephone(samples, r.uniform(200, 350), r.uniform(3000, 3700))
        level = np.sqrt(np.mean(samples**2)) + 1e-6
    return (samples * (10 ** r.uniform(-1.5, 0) / level * 0.1)).astype(np.float32)
