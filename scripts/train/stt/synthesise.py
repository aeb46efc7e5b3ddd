"""Synthetic speech from flite and espeak-ng: random voice, rate and pitch; some voices are held out."""

import random
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np
import soundfile
import soxr

from . import espeak
from .config import HOP_SAMPLES, SAMPLE_RATE
from .normalise import spoken, spoken_words

FLITE_TRAIN = ("slt", "awb", "kal16", "kal")
FLITE_HELD_OUT = ("rms",)
ACCENTS = ("en-us", "en-us", "en", "en-gb-x-rp", "en-gb-scotland", "en-gb-x-gbclan", "en-029")
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
PAUSE = 0
UNKNOWN_PHONE = -1


@dataclass(frozen=True)
class Speech:
    """float32 mono 16 kHz; phone numbers (of PHONES) for each 10 ms, all UNKNOWN_PHONE when not known.

    `ends`: the 10 ms frames at which the words of the text end; empty when not known.
    """

    audio: np.ndarray
    phones: np.ndarray
    ends: list[int]


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
    words = spoken_words(target)
    text = spoken(words, question)
    if voice in FLITE_TRAIN + FLITE_HELD_OUT:
        audio, rate, phone_ends = _flite(text, voice, rng, tract)
        word_ends = _word_ends(words, phone_ends)
    else:
        said = espeak.say(text, f"{rng.choice(ACCENTS)}+{voice}", round(rng.randint(120, 200) / tract), rng.randint(25, 75))
        audio, rate, phone_ends = said.audio, said.rate, []
        starts = [said.words.get(at) for at in accumulate((len(word) + 1 for word in words[:-1]), initial=0)]
        # A word it has run into the one before ends with it.
        later = [min((s for s in starts[number + 1:] if s is not None), default=len(audio) / rate) for number in range(len(words))]
        word_ends = later if starts[0] is not None else []
    audio = soxr.resample(audio, rate * tract, SAMPLE_RATE) if rate * tract != SAMPLE_RATE else audio
    kept = speech_span(audio)
    trimmed = audio[kept]

    def frame(second: float) -> int:
        return min(max(0, round((second / tract * SAMPLE_RATE - kept.start) / HOP_SAMPLES)), len(trimmed) // HOP_SAMPLES)

    phones = np.full(len(trimmed) // HOP_SAMPLES, UNKNOWN_PHONE, np.int8)
    start = 0
    for phone, end in phone_ends:
        phones[start: frame(end)] = phone
        start = frame(end)
    return Speech(trimmed, phones, [frame(end) for end in word_ends])


def _flite(text: str, voice: str, rng: random.Random, tract: float) -> tuple[np.ndarray, int, list[tuple[int, float]]]:
    """Audio, its rate, and for an aligned voice each phone with the second at which it ends."""
    with tempfile.NamedTemporaryFile(suffix=".wav", dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as file:
        command = ["flite", "-psdur", "-voice", voice, "--setf", f"duration_stretch={tract * rng.uniform(0.8, 1.3):.2f}"]
        if voice != "kal":
            mean_hz = {"slt": 180, "awb": 135, "kal16": 105, "rms": 100}[voice] * rng.uniform(0.8, 1.25)
            command += ["--setf", f"int_f0_target_mean={mean_hz:.0f}"]
        said = subprocess.run([*command, "-t", text, "-o", file.name], check=True, capture_output=True, timeout=30).stdout.decode()
        audio, rate = soundfile.read(file.name, dtype="float32")
    ends = [(PHONES.index(phone), float(end)) for phone, end in (item.split(":") for item in said.split())]
    return audio, rate, ends if voice in ALIGNED_VOICES else []


@cache
def _phone_count(word: str) -> int:
    said = subprocess.run(["flite", "-ps", "-t", word, "-o", "none"], check=True, capture_output=True, timeout=30).stdout.decode()
    return len([phone for phone in said.split() if phone != PHONES[PAUSE]])


def _word_ends(words: list[str], phone_ends: list[tuple[int, float]]) -> list[float]:
    """The second at which each word ends; none when the sentence has other phones than its words one by one."""
    ends = [end for phone, end in phone_ends if phone != PAUSE]
    counts = list(accumulate(_phone_count(word) for word in words)) if ends else [0]
    return [ends[count - 1] for count in counts] if counts[-1] == len(ends) > 0 else []


NEARLY = 0.75  # so much of a word tells it


def words_said(ends: list[int], cut: int) -> int:
    """Number of words that end before frame `cut`, or nearly. A word that has only begun does not count."""
    return sum(cut - start >= NEARLY * (end - start) for start, end in pairwise([0, *ends]))


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
