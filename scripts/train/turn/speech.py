"""Recordings as calls: speech, where its pauses lie, and the room going on after the last word."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
# onnxruntime reports to its maker unless this is set before it is loaded.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
import onnxruntime
import soundfile as sf
from scipy.signal import fftconvolve, lfilter, resample_poly

RATE = 16000
FRAME = 512
FRAME_MS = 32
# src/conversation/turn/evidence/speech-gate.ts at the default speech_threshold, and src/audio/level.ts.
THRESHOLD, EXIT_MARGIN = 0.3, 0.15
ENTER_DB, STAY_DB, QUIET_DBFS = 10, 3, -60
NOISY_THRESHOLD, NOISY_FROM_DBFS, NOISY_TO_DBFS = 0.5, -55, -40
# The floor is that of a running mean over 50 ms, above the service's: more places to stop are found. With the same floor it was worse (0042).
SMOOTHING = np.exp(-FRAME_MS / 50)
# Silence that is heard after every turn, longer than any wait.
AFTER_SECONDS = 3.0


@dataclass(frozen=True)
class Pause:
    """`start_ms`: end of the last voiced frame. `over`: the turn ended here; then `length_ms` is what was recorded of it."""

    start_ms: int
    length_ms: int
    over: bool


@dataclass(frozen=True)
class Turn:
    name: str
    speaker: str
    # "read" (long readings) or "short" (one sentence)
    kind: str
    samples: np.ndarray
    pauses: tuple[Pause, ...]


def read(path: Path) -> np.ndarray:
    samples, rate = sf.read(path, dtype="float32")
    if rate != RATE:
        factor = np.gcd(rate, RATE)
        samples = resample_poly(samples, RATE // factor, rate // factor)
    return samples.astype(np.float32)


def voiced_frames(model: Path, clips: list[np.ndarray]) -> list[np.ndarray]:
    """Voice activity as the service detects it, for many clips at once: one flag a frame for each clip."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model), options)
    flags: list[np.ndarray] = [np.zeros(0, bool)] * len(clips)
    order = np.argsort([len(clip) for clip in clips])
    for batch in (order[i : i + 64] for i in range(0, len(order), 64)):
        frames = max(len(clips[i]) for i in batch) // FRAME
        audio = np.zeros((len(batch), frames * FRAME), np.float32)
        for row, i in zip(audio, batch):
            row[: min(len(clips[i]), len(row))] = clips[i][: len(row)]
        h = np.zeros((2, len(batch), 64), np.float32)
        c = h.copy()
        found = np.zeros((len(batch), frames), np.float32)
        for k in range(frames):
            feeds = {"input": audio[:, k * FRAME : (k + 1) * FRAME].copy(), "sr": np.array(RATE, np.int64), "h": h, "c": c}
            probability, h, c = session.run(None, feeds)
            found[:, k] = probability[:, 0]
        for row, i in zip(found, batch):
            flags[i] = gated(row[: len(clips[i]) // FRAME], clips[i])
    return flags


def gated(probability: np.ndarray, clip: np.ndarray) -> np.ndarray:
    """The service's rule (src/conversation/turn/evidence/speech-gate.ts) at its default settings, the room being known."""
    power = np.square(clip[: len(probability) * FRAME].reshape(-1, FRAME)).mean(1)
    smooth = lfilter([1 - SMOOTHING], [1, -SMOOTHING], power, zi=[power[0] * SMOOTHING])[0]
    floor = max(QUIET_DBFS, 10 * np.log10(smooth.min() + 1e-10))
    above = 10 * np.log10((power + np.append(power[0], power[:-1])) / 2 + 1e-10) - floor
    threshold = THRESHOLD + (NOISY_THRESHOLD - THRESHOLD) * np.clip((floor - NOISY_FROM_DBFS) / (NOISY_TO_DBFS - NOISY_FROM_DBFS), 0, 1)
    flags, was = np.zeros(len(probability), bool), False
    for k, (p, db) in enumerate(zip(probability, above)):
        was = flags[k] = p >= threshold - EXIT_MARGIN * was and db >= (STAY_DB if was else ENTER_DB)
    return flags


def pauses_of(voiced: np.ndarray, shortest_ms: int) -> tuple[Pause, ...]:
    """Inner pauses of at least `shortest_ms`, and the end."""
    at = np.flatnonzero(voiced)
    if len(at) == 0:
        return ()
    gaps = [(int(a + 1) * FRAME_MS, int(b - a - 1) * FRAME_MS) for a, b in zip(at, at[1:])]
    end_ms = int(at[-1] + 1) * FRAME_MS
    return (*(Pause(*gap, over=False) for gap in gaps if gap[1] >= shortest_ms), Pause(end_ms, (len(voiced) * FRAME_MS) - end_ms, over=True))


def room_tone(r: np.random.Generator, samples: np.ndarray, length: int) -> np.ndarray:
    """
    `length` samples of the recording's own room: its quietest stretches of 40 ms in random order, joined over 10 ms,
    so that neither level nor colour changes where the recording ends. A recording without a quiet place (cut tight)
    gives what is quietest.
    """
    step, join = RATE // 25, RATE // 100
    starts = np.arange(0, max(1, len(samples) - step), step // 2)
    power = np.array([np.mean(np.square(samples[s : s + step])) for s in starts])
    # Digital silence in a part of a recording is not the sound of a room.
    live = np.flatnonzero(power > 1e-10)
    if len(live) == 0 or len(samples) < 2 * step:
        return (r.standard_normal(length) * 1e-4).astype(np.float32)
    quiet = live[np.argsort(power[live])[: max(4, len(live) // 25)]]
    quiet = quiet[power[quiet] < 4 * power[quiet[0]]]
    out = np.zeros(length + step, np.float32)
    fade = np.sin(np.linspace(0, np.pi / 2, join, dtype=np.float32))
    at = 0
    while at < length:
        piece = samples[starts[r.choice(quiet)] :][:step].copy()
        if r.random() < 0.5:
            piece = piece[::-1].copy()
        if r.random() < 0.5:
            piece = -piece
        piece[:join] *= fade
        piece[-join:] *= fade[::-1]
        out[at : at + len(piece)] += piece
        at += len(piece) - join
    return out[:length]


def continue_room(r: np.random.Generator, samples: np.ndarray, louder_db: float, seconds: float = AFTER_SECONDS) -> np.ndarray:
    """The recording with its room going on after it, joined over 10 ms."""
    join = min(RATE // 100, len(samples))
    tone = room_tone(r, samples, int(seconds * RATE) + join) * 10 ** (louder_db / 20)
    fade = np.sin(np.linspace(0, np.pi / 2, join, dtype=np.float32))
    middle = samples[len(samples) - join :] * fade[::-1] + tone[:join] * fade
    return np.concatenate((samples[: len(samples) - join], middle, tone[join:]))


def disturb(r: np.random.Generator, samples: np.ndarray, noises: list[np.ndarray]) -> np.ndarray:
    """Room, spectral tilt, telephone band, noise and gain. Nothing moves in time."""
    if r.random() < 0.3:
        seconds = r.uniform(0.08, 0.35)
        time = np.arange(int(seconds * RATE)) / RATE
        tail = r.standard_normal(len(time)) * np.exp(-6.9 * time / seconds) * r.uniform(0.02, 0.12)
        tail[0] = 1.0
        samples = fftconvolve(samples, tail)[: len(samples)]
    if r.random() < 0.6:
        spectrum = np.fft.rfft(samples)
        place = np.linspace(0, 1, len(spectrum))
        decibels = np.interp(place**0.5, np.linspace(0, 1, 5), r.normal(0, 3, 5))
        if r.random() < 0.4:
            decibels = decibels - 40 * (place > r.uniform(0.42, 0.55))
        samples = np.fft.irfft(spectrum * 10 ** (decibels / 20), len(samples))
    level = np.sqrt(np.mean(np.square(samples))) + 1e-6
    if r.random() < 0.5:
        noise = noises[r.integers(len(noises))] if noises and r.random() < 0.3 else r.standard_normal(len(samples))
        noise = np.resize(np.roll(noise, r.integers(len(noise))), len(samples))
        samples = samples + noise * level * 10 ** (-r.uniform(15, 45) / 20) / (np.sqrt(np.mean(np.square(noise))) + 1e-6)
    return (samples * (10 ** r.uniform(-1.4, 0.1) / level * 0.1)).astype(np.float32)
