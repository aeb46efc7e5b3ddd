"""Synthetic speech from flite and espeak-ng: random voice, rate and pitch; some voices are held out."""

import random
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
import soxr

from .config import HOP_SAMPLES, SAMPLE_RATE
from .normalise import spoken

FLITE_TRAIN = ("slt", "awb", "kal16", "kal")
FLITE_HELD_OUT = ("rms",)
ACCENTS = ("en-us", "en-us", "en-gb", "en-gb-x-rp", "en-gb-scotland", "en-gb-x-gbclan", "en-029")
VARIANTS_HELD_OUT = ("Andy", "f4", "m6", "steph2", "Michael", "linda")
VARIANTS_TRAIN = (
    "f1 f2 f3 f5 m1 m2 m3 m4 m5 m7 m8 adam Alex Alicia Andrea Annie antonio aunty belinda benjamin caleb david Denis "
    "Diogo ed edward edward2 Gene Gene2 Henrique Hugo iven iven2 iven3 iven4 Jacky john Lee marcelo Marco Mario max "
    "miguel mike Nguyen pablo paul pedro quincy rob robert sandro shelby steph steph3 travis victor Zac grandpa "
    "klatt klatt2 klatt3 klatt4 anika norbert boris kaukovalta"
).split()


# flite tells where each phone ends; for these voices the times agree with the audio.
ALIGNED_VOICES = ("slt", "awb", "rms")
PHONES = ("pau aa ae ah ao aw ax ay b ch d dh eh er ey f g hh ih iy jh k l m n ng ow oy p r s sh t th uh uw v w y z zh").split()
UNKNOWN_PHONE = -1


@dataclass(frozen=True)
class Speech:
    """float32 mono 16 kHz; phone numbers (of PHONES) for each 10 ms, all UNKNOWN_PHONE when not known."""

    audio: np.ndarray
    phones: np.ndarray


def random_voice(rng: random.Random, held_out: bool) -> str:
    if held_out:
        return rng.choice(FLITE_HELD_OUT * 3 + VARIANTS_HELD_OUT)
    if rng.random() < 0.5:
        return rng.choice(FLITE_TRAIN[:3] * 2 + FLITE_TRAIN[3:])
    return rng.choice(VARIANTS_TRAIN)


def random_tract(rng: random.Random) -> float:
    """Half of the clips keep the voice as it is."""
    return 1.0 if rng.random() < 0.5 else rng.uniform(0.82, 1.2)


def synthesise(target: str, question: bool, voice: str, rng: random.Random, tract: float = 1.0) -> Speech:
    """The text said by a voice, silence at both ends cut off.

    `tract` above 1 plays the voice that much faster than it was made, and slows its speech down to make up for it:
    the pitch and the formants of another, smaller speaker.
    """
    words, ends = spoken(target, question), []
    with tempfile.NamedTemporaryFile(suffix=".wav", dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as file:
        if voice in FLITE_TRAIN + FLITE_HELD_OUT:
            command = ["flite", "-psdur", "-voice", voice, "--setf", f"duration_stretch={tract * rng.uniform(0.8, 1.3):.2f}"]
            if voice != "kal":
                mean_hz = {"slt": 180, "awb": 135, "kal16": 105, "rms": 100}[voice] * rng.uniform(0.8, 1.25)
                command += ["--setf", f"int_f0_target_mean={mean_hz:.0f}"]
            command += ["-t", words, "-o", file.name]
        else:
            command = ["espeak-ng", "-v", f"{rng.choice(ACCENTS)}+{voice}", "-s", str(round(rng.randint(120, 200) / tract)),
                       "-p", str(rng.randint(25, 75)), "-w", file.name, "--", words]
        said = subprocess.run(command, check=True, capture_output=True, timeout=30).stdout.decode()
        if voice in ALIGNED_VOICES:
            ends = [(PHONES.index(phone), float(end)) for phone, end in (item.split(":") for item in said.split())]
        audio, rate = soundfile.read(file.name, dtype="float32")
    ends = [(phone, end / tract) for phone, end in ends]
    audio = soxr.resample(audio, rate * tract, SAMPLE_RATE) if rate * tract != SAMPLE_RATE else audio
    kept = speech_span(audio)
    trimmed = audio[kept]
    return Speech(trimmed, _phone_frames(ends, kept.start, len(trimmed) // HOP_SAMPLES))


def _phone_frames(ends: list[tuple[int, float]], first_sample: int, frames: int) -> np.ndarray:
    out = np.full(frames, UNKNOWN_PHONE, np.int8)
    start = 0.0
    for phone, end in ends:
        span = [max(0, round((t * SAMPLE_RATE - first_sample) / HOP_SAMPLES)) for t in (start, end)]
        out[span[0]: span[1]] = phone
        start = end
    return out


def speech_span(audio: np.ndarray, keep_s: float = 0.03) -> slice:
    """The samples between the first and last 20 ms that are within 40 dB of the loudest."""
    block = SAMPLE_RATE // 50
    if len(audio) < block:
        return slice(0, len(audio))
    level = np.sqrt(np.mean(audio[: len(audio) // block * block].reshape(-1, block) ** 2, axis=1))
    loud = np.flatnonzero(level > max(level.max() * 0.01, 1e-4))
    if not len(loud):
        return slice(0, 0)
    keep = int(keep_s * SAMPLE_RATE)
    return slice(max(0, loud[0] * block - keep), (loud[-1] + 1) * block + keep)
