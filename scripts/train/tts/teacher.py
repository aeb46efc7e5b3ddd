"""Speech of the teachers (voices of flite) with token durations and f0.

flite prints its own phones with end times; they are aligned with the tokens of our lexicon, so the
student learns from exactly the input it gets at run time.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile

from phones import MARKS, SEPARATOR, TOKEN_ID, VOWELS, split_text, text_tokens

SAMPLE_RATE_HZ = 16_000
HOP_SAMPLES = 80
FRAMES_PER_SECOND = SAMPLE_RATE_HZ // HOP_SAMPLES
LONGEST_END_PAUSE_FRAMES = 24
# Lowest and highest f0 of each voice, Hz.
F0_RANGES_HZ = {"slt": (80.0, 340.0), "rms": (55.0, 230.0)}


@dataclass
class Utterance:
    text: str
    tokens: np.ndarray  # int16 [tokens]
    frames: np.ndarray  # int16 [tokens], duration of each token
    audio: np.ndarray  # int16 [sum(frames) * HOP_SAMPLES]
    f0: np.ndarray  # float32 [sum(frames)], Hz, 0 where unvoiced


def phone_distance(token: str, phone: str) -> float:
    """Cost of reading flite's `phone` as our `token`."""
    if phone == "pau":
        return 0.0 if token in MARKS else 0.4 if token == SEPARATOR else 9.0
    if token in MARKS or token == SEPARATOR:
        return 9.0
    ours, theirs = token.rstrip("012"), phone.upper()
    if ours == theirs or (ours == "AH" and theirs == "AX"):
        return 0.0
    both_vowels = ours in VOWELS and (theirs in VOWELS or theirs == "AX")
    return 0.5 if both_vowels else 0.7 if not (ours in VOWELS or theirs in VOWELS or theirs == "AX") else 1.5


def align(tokens: list[str], phones: list[tuple[str, int]]) -> tuple[list[int], float] | None:
    """Frames per token from (phone, frames); None when flite said something else. Also the mean cost."""
    skip = [0.0 if t == SEPARATOR else 0.05 if t in MARKS else 0.8 for t in tokens]
    n, m = len(tokens), len(phones)
    cost = np.full((n + 1, m + 1), 1e9)
    step = np.zeros((n + 1, m + 1), np.int8)
    cost[0, 0] = 0.0
    for i in range(n + 1):
        for j in range(m + 1):
            options = []
            if i and j:
                options.append((cost[i - 1, j - 1] + phone_distance(tokens[i - 1], phones[j - 1][0]), 1))
            if i:
                options.append((cost[i - 1, j] + skip[i - 1], 2))
            if j and i:
                options.append((cost[i, j - 1] + (9.0 if phones[j - 1][0] == "pau" else 0.8), 3))
            if options:
                cost[i, j], step[i, j] = min(options)
    frames = [0] * n
    i, j = n, m
    while i or j:
        kind = step[i, j]
        if kind == 0:
            return None
        if kind in (1, 3):
            frames[i - 1] += phones[j - 1][1]
            j -= 1
        if kind in (1, 2):
            i -= 1
    return frames, float(cost[n, m]) / max(1, m)


def track_f0(audio: np.ndarray, frame_count: int, range_hz: tuple[float, float]) -> np.ndarray:
    """f0 per frame (Hz, 0 = unvoiced) within `range_hz`, by normalised cross-correlation with parabolic refinement."""
    window, low, high = 480, int(SAMPLE_RATE_HZ / range_hz[1]), int(SAMPLE_RATE_HZ / range_hz[0]) + 2
    half = (window + high) // 2
    padded = np.pad(audio.astype(np.float64), (half - HOP_SAMPLES // 2, half + HOP_SAMPLES))
    starts = np.arange(frame_count) * HOP_SAMPLES
    blocks = padded[starts[:, None] + np.arange(window + high)]
    size = 1024
    head = np.fft.rfft(blocks[:, :window], size)
    whole = np.fft.rfft(blocks, size)
    cross = np.fft.irfft(np.conj(head) * whole, size)[:, :high]
    energy = np.cumsum(np.pad(blocks**2, ((0, 0), (1, 0))), axis=1)
    tail = energy[:, window : window + high] - energy[:, :high]
    score = cross / np.sqrt(tail[:, :1] * tail + 1e-9)
    score[:, :low] = -1.0
    inner = score[:, 1:-1]
    peak = np.where((inner >= score[:, :-2]) & (inner >= score[:, 2:]), inner, -1.0)
    best = peak.max(axis=1)
    lag = (peak >= 0.9 * best[:, None]).argmax(axis=1) + 1
    rows = np.arange(frame_count)
    a, b, c = score[rows, lag - 1], score[rows, lag], score[rows, np.minimum(lag + 1, high - 1)]
    shift = np.where((lag > low) & (np.abs(a - 2 * b + c) > 1e-6), 0.5 * (a - c) / (a - 2 * b + c + 1e-12), 0.0)
    f0 = SAMPLE_RATE_HZ / (lag + np.clip(shift, -0.5, 0.5))
    loud = np.sqrt((blocks**2).mean(axis=1)) > 0.006
    voiced = (best > 0.62) & loud
    # Single-frame flips are tracking errors.
    votes = np.convolve(voiced, np.ones(3), "same")
    voiced = votes >= 2
    f0 = np.where(voiced, f0, np.nan)
    smooth = np.pad(f0, 2, constant_values=np.nan)
    with np.errstate(all="ignore"):
        stack = np.stack([smooth[k : k + frame_count] for k in range(5)])
        stack[:, ~voiced] = 0.0
        middle = np.nanmedian(stack, axis=0)
    return np.nan_to_num(np.where(voiced, middle, 0.0)).astype(np.float32)


def teach(text: str, dictionary: dict[str, list[str]], voice: str) -> Utterance | None:
    """How `voice` reads `text`, or None when a word is unknown or flite reads it otherwise."""
    parts = split_text(text)
    if not parts or parts[0] in MARKS or any(p not in MARKS and p not in dictionary for p in parts):
        return None
    tokens = text_tokens(parts, dictionary)
    with tempfile.NamedTemporaryFile(suffix=".wav") as wav:
        spoken = " ".join(parts)
        spoken = re.sub(r" ([,.?!;:-])", r"\1", spoken)
        run = subprocess.run(
            ["flite", "-voice", voice, "-psdur", "-t", " " + spoken, "-o", wav.name], capture_output=True, text=True, check=True
        )
        audio, rate = soundfile.read(wav.name, dtype="float32")
    assert rate == SAMPLE_RATE_HZ
    phones, last = [], 0
    for entry in run.stdout.split():
        name, end = entry.split(":")
        end_frame = round(float(end) * FRAMES_PER_SECOND)
        phones.append((name, end_frame - last))
        last = end_frame
    if len(phones) < 3 or phones[0][0] != "pau":
        return None
    start = phones[0][1]
    end_pause = phones[-1][1] if phones[-1][0] == "pau" else 0
    aligned = align(tokens, phones[1:-1] if end_pause else phones[1:])
    if aligned is None or aligned[1] > 0.12:
        return None
    frames = aligned[0]
    if any(f > 0 for f, t in zip(frames, tokens) if t == SEPARATOR):
        return None  # a pause that nothing in the text announces
    # The end pause belongs to the last mark; without one, a short decay belongs to the last phone.
    marks = [k for k, t in enumerate(tokens) if t != SEPARATOR]
    frames[marks[-1]] += min(end_pause, LONGEST_END_PAUSE_FRAMES if tokens[marks[-1]] in MARKS else 4)
    total = sum(frames)
    audio = np.pad(audio[start * HOP_SAMPLES :], (0, total * HOP_SAMPLES))[: total * HOP_SAMPLES]
    return Utterance(
        text=spoken,
        tokens=np.array([TOKEN_ID[t] for t in tokens], np.int16),
        frames=np.array(frames, np.int16),
        audio=np.clip(audio * 32767, -32768, 32767).astype(np.int16),
        f0=track_f0(audio, total, F0_RANGES_HZ[voice]),
    )


UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
TENS = ". . twenty thirty forty fifty sixty seventy eighty ninety".split()


def number_words(n: int) -> str:
    if n < 20:
        return UNITS[n]
    if n < 100:
        return TENS[n // 10] + (" " + UNITS[n % 10] if n % 10 else "")
    if n < 1000:
        return UNITS[n // 100] + " hundred" + (" " + number_words(n % 100) if n % 100 else "")
    if n < 1_000_000:
        return number_words(n // 1000) + " thousand" + (" " + number_words(n % 1000) if n % 1000 else "")
    return " ".join(UNITS[int(d)] for d in str(n))


def read_sentences(data: Path, dictionary: dict[str, list[str]], seed: int) -> list[str]:
    """An endless-enough shuffled mix: read sentences, service dialogue, short replies, rare words, letters."""
    rng = random.Random(seed)
    text = data / "text"
    with gzip.open(text / "sentences-common-voice.txt.gz", "rt", encoding="utf-8") as file:
        read = [line.strip() for line in file]
    turns: list[str] = []
    for name in ("dialogues-sgd.jsonl.gz", "dialogues-taskmaster4.jsonl.gz"):
        with gzip.open(text / name, "rt", encoding="utf-8") as file:
            turns += [turn for line in file for _, turn in json.loads(line)["turns"]]
    turns = sorted({re.sub(r"\b[0-9]{1,9}\b", lambda m: number_words(int(m[0])), turn) for turn in turns})
    for group in (read, turns):
        rng.shuffle(group)
    short = [t for t in turns if len(t.split()) <= 4]
    words = [w for w in dictionary if re.fullmatch(r"[a-z]{3,12}", w)]
    letters = list("bcdefghijklmnopqrstuvwxyz")
    mixed = []
    for k in range(len(turns) // 2):
        mixed.append(read[k % len(read)])
        mixed.append(turns[k])
        if k % 4 == 0:
            mixed.append(rng.choice(short))
        if k % 5 == 0:
            mixed.append(", ".join(rng.sample(words, rng.randint(1, 4))) + rng.choice([".", "?", ""]))
        if k % 40 == 0:
            mixed.append(", ".join(rng.sample(letters, rng.randint(1, 5))) + ".")
    # A text without its last mark is what a cut-off clause looks like.
    return [re.sub(r"[.?!]+$", "", t) if rng.random() < 0.1 else t for t in mixed]


def collect(sentences: list[str], dictionary: dict[str, list[str]], count: int, voice: str, workers: int = 2) -> list[Utterance]:
    """The first `count` sentences that `voice` and the lexicon read alike, 1 to 45 words each."""
    out: list[Utterance] = []
    chosen = [s for s in dict.fromkeys(sentences) if len(s.split()) <= 45 and not re.search(r"[0-9()\[\]]", s)]
    with ThreadPoolExecutor(workers) as pool:
        for begin in range(0, len(chosen), 200):
            for got in pool.map(lambda s: teach(s, dictionary, voice), chosen[begin : begin + 200]):
                if got is not None and len(out) < count:
                    out.append(got)
            if begin % 1000 == 0:
                print(f"{voice}: {len(out)} of {count} utterances ({begin + 200} tried)", flush=True)
            if len(out) >= count:
                break
    return out
