"""Whisper's log-mel front end, kept as unclamped log10 power so that augmentation can work on it."""

from functools import cache

import librosa
import numpy as np

from .config import HOP_SAMPLES, N_FFT, N_MELS, SAMPLE_RATE

FLOOR_LOG10 = -10.0  # log10 of Whisper's 1e-10, the value of digital silence


@cache
def filters() -> np.ndarray:
    """Slaney mel filters, float32 [80, 201]; they also travel in the model file."""
    return librosa.filters.mel(sr=SAMPLE_RATE, n_fft=N_FFT, n_mels=N_MELS).astype(np.float32)


@cache
def window() -> np.ndarray:
    return (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(N_FFT) / N_FFT)).astype(np.float32)


def log_power_mel(audio: np.ndarray) -> np.ndarray:
    """Mono float32 audio at 16 kHz in [-1, 1] to log10 mel power, float32 [frames, 80], 10 ms a frame."""
    padded = np.pad(audio, (N_FFT // 2, N_FFT // 2), mode="reflect") if len(audio) > N_FFT else np.pad(audio, N_FFT)
    frames = np.lib.stride_tricks.sliding_window_view(padded, N_FFT)[::HOP_SAMPLES][: len(audio) // HOP_SAMPLES]
    power = np.abs(np.fft.rfft(frames * window(), axis=1)).astype(np.float32) ** 2
    return np.log10(np.maximum(power @ filters().T, 1e-10))


def whisper_scale(log_mel: np.ndarray) -> np.ndarray:
    """Whisper's clamp to 8 decades below the clip's maximum, and its (x + 4) / 4."""
    return (np.maximum(log_mel, log_mel.max() - 8.0) + 4.0) / 4.0
