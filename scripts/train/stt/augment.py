"""Everything that happens to a clip between the store and a batch, on log10 mel power (numpy, [frames, 80])."""

import numpy as np
from scipy.signal import lfilter

from .config import N_MELS
from .mel import FLOOR_LOG10

Rng = np.random.Generator


def _add_power(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    high, low = np.maximum(a, b), np.minimum(a, b)
    return high + np.log10(1.0 + np.power(10.0, low - high, dtype=np.float32))


def _stretch(log_mel: np.ndarray, length: int, warp: float) -> np.ndarray:
    """New length in frames, and the mel axis stretched by `warp` (another length of vocal tract)."""
    rows = np.linspace(0, len(log_mel) - 1, length, dtype=np.float32)
    low = np.minimum(rows.astype(np.int64), max(len(log_mel) - 2, 0))
    part = (rows - low)[:, None]
    out = log_mel[low] * (1 - part) + log_mel[np.minimum(low + 1, len(log_mel) - 1)] * part
    columns = np.minimum(np.arange(N_MELS, dtype=np.float32) * warp, N_MELS - 1)
    low = np.minimum(columns.astype(np.int64), N_MELS - 2)
    part = columns - low
    return out[:, low] * (1 - part) + out[:, low + 1] * part


def _reverberate(log_mel: np.ndarray, rng: Rng) -> np.ndarray:
    decay = 10 ** (-0.06 / rng.uniform(0.15, 0.7))
    share = 10 ** rng.uniform(-1.8, -0.3) * (1 - decay)
    power = np.power(10.0, log_mel, dtype=np.float32)
    tail = lfilter([0.0, share], [1.0, -decay], power, axis=0).astype(np.float32)
    return np.log10(np.maximum(power + tail, 1e-10))


def _smooth_curve(rng: Rng, depth: float) -> np.ndarray:
    x = np.linspace(0, np.pi, N_MELS, dtype=np.float32)
    return sum(rng.normal(0, depth / k) * np.cos(k * x + rng.uniform(0, 6.28)) for k in (1, 2, 3)).astype(np.float32)


def vary_voice(log_mel: np.ndarray, phones: np.ndarray, rng: Rng, strength: float) -> tuple[np.ndarray, np.ndarray]:
    """Tempo, vocal tract, room and channel of one clip and its phones per frame; strength 0..1."""
    length = max(4, round(len(log_mel) * np.exp(rng.uniform(-0.2, 0.2) * strength)))
    out = _stretch(log_mel, length, float(np.exp(rng.uniform(-0.16, 0.16) * strength)))
    phones = phones[np.linspace(0, len(phones) - 1, length).round().astype(np.int64)]
    if rng.random() < 0.3 * strength:
        out = _reverberate(out, rng)
    out = out + _smooth_curve(rng, 0.4 * strength)
    return out, phones


def telephone(log_mel: np.ndarray, rng: Rng) -> np.ndarray:
    """Speech and its background after a telephone line: 300 to 3,400 Hz, and the noise of mu-law's steps up to 4 kHz."""
    bands = np.arange(N_MELS, dtype=np.float32)
    low, high = rng.uniform(6, 8), rng.uniform(56, 59)  # bands at 300 and 3,400 Hz
    loss = np.clip((low - bands) * rng.uniform(0.2, 0.5), 0, 3) + np.clip((bands - high) * rng.uniform(0.6, 1.5), 0, 8)
    steps = np.full_like(log_mel, FLOOR_LOG10)
    steps[:, :62] = np.log10(np.power(10.0, log_mel, dtype=np.float32).mean(axis=1, keepdims=True)) - rng.uniform(3.3, 3.8)
    return np.maximum(_add_power(log_mel - loss, steps), FLOOR_LOG10)


def coloured_noise(frames: int, rng: Rng) -> np.ndarray:
    """Stationary noise around level 0 with a random spectrum and exponential power statistics."""
    draws = rng.standard_exponential((frames, N_MELS), dtype=np.float32) * 0.6 + 0.4
    return np.log10(draws) + _smooth_curve(rng, 0.5) - rng.uniform(0, 0.02) * np.arange(N_MELS, dtype=np.float32)


def place(speech: np.ndarray | None, canvas_frames: int, lead: int, audio_frames: int, noise: np.ndarray | None, rng: Rng) -> np.ndarray:
    """Speech on a canvas: background up to `audio_frames`, digital silence after. Returns unclamped log mel."""
    canvas = np.full((canvas_frames, N_MELS), FLOOR_LOG10, np.float32)
    gain = rng.uniform(-2.2, 0.5)
    background = coloured_noise(audio_frames, rng)
    if speech is None:
        level = rng.uniform(-7, 0.5)
    else:
        loudness = float(np.percentile(speech.max(axis=1), 80))
        level = loudness + gain - rng.uniform(1.0, 6.0)
    background += level
    if noise is not None:
        start = int(rng.integers(0, max(1, len(noise) - audio_frames + 1)))
        clip = noise[start: start + audio_frames]
        below = rng.uniform(0.6, 3.0) if speech is not None else 0.0
        target = (loudness + gain - below) if speech is not None else rng.uniform(-2.5, 1.0)
        background[: len(clip)] = _add_power(background[: len(clip)], clip + (target - float(np.percentile(clip.max(axis=1), 80))))
    canvas[:audio_frames] = np.maximum(background, FLOOR_LOG10)
    if speech is not None:
        span = slice(lead, lead + len(speech))
        canvas[span] = _add_power(canvas[span], speech[: canvas_frames - lead] + gain)
    return canvas


def mask(scaled: np.ndarray, rng: Rng) -> np.ndarray:
    """Bands and short stretches replaced by the clip's mean."""
    mean = scaled.mean()
    for _ in range(rng.integers(0, 3)):
        width, low = int(rng.integers(1, 17)), int(rng.integers(0, N_MELS - 17))
        scaled[:, low: low + width] = mean
    for _ in range(rng.integers(0, 2 + len(scaled) // 150)):
        width, low = int(rng.integers(1, 13)), int(rng.integers(0, max(1, len(scaled) - 13)))
        scaled[low: low + width] = mean
    return scaled
