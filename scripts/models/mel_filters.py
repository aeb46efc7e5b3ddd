"""Whisper's mel filters, on Slaney's scale: linear below 1 kHz, logarithmic above."""

import numpy as np

SAMPLE_RATE = 16_000  # Hz
WINDOW = 400  # samples of a Fourier transform

HZ_PER_MEL = 200 / 3
BREAK_HZ = 1_000
BREAK_MEL = BREAK_HZ / HZ_PER_MEL
# Above the break, 27 mels multiply the frequency by 6.4.
LOG_STEP = np.log(6.4) / 27


def mel_filters(bands: int) -> np.ndarray:
    """Weights float32 [bands, WINDOW / 2 + 1] of triangles over the power spectrum. Each triangle has an area of 1 over Hz."""
    frequencies = np.linspace(0, SAMPLE_RATE / 2, WINDOW // 2 + 1)
    corners = _to_hz(np.linspace(0, _to_mel(SAMPLE_RATE / 2), bands + 2))
    widths = np.diff(corners)
    distances = corners[:, None] - frequencies[None]
    rising = -distances[:-2] / widths[:-1, None]
    falling = distances[2:] / widths[1:, None]
    triangles = np.maximum(0, np.minimum(rising, falling))
    return (triangles * (2 / (corners[2:] - corners[:-2]))[:, None]).astype(np.float32)


def _to_mel(hz: float) -> float:
    """`hz` must be above the break."""
    return BREAK_MEL + np.log(hz / BREAK_HZ) / LOG_STEP


def _to_hz(mels: np.ndarray) -> np.ndarray:
    return np.where(mels >= BREAK_MEL, BREAK_HZ * np.exp(LOG_STEP * (mels - BREAK_MEL)), mels * HZ_PER_MEL)
