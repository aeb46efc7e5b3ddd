"""Builds the training shards: synthetic speech, recorded speech, noise."""

import random
import subprocess
from itertools import islice
from multiprocessing import Pool
from pathlib import Path

import numpy as np
import soundfile
import soxr

from . import corpus
from .config import SAMPLE_RATE
from .mel import log_power_mel
from .store import ShardWriter
from .synthesise import random_tract, random_voice, speech_span, synthesise

SHARD_UTTERANCES = 2000
MAX_SECONDS = 15.0
LONGEST_RECORDED_SECONDS = 30.0


def read_audio(path: Path) -> np.ndarray:
    """Any recorded file as float32 mono 16 kHz."""
    try:
        audio, rate = soundfile.read(path, dtype="float32")
    except soundfile.LibsndfileError:  # some Opus files have an end that libsndfile refuses and ffmpeg reads
        command = ["ffmpeg", "-v", "error", "-i", str(path), "-f", "f32le", "-ac", "1", "-ar", str(SAMPLE_RATE), "-"]
        return np.frombuffer(subprocess.run(command, check=True, capture_output=True).stdout, np.float32)
    if audio.ndim > 1:
        audio = audio.mean(axis=1)
    return soxr.resample(audio, rate, SAMPLE_RATE) if rate != SAMPLE_RATE else audio


def at_peak(audio: np.ndarray) -> np.ndarray:
    """Scaled to a peak of 0.5; level variation is left to augmentation."""
    return audio * (0.5 / max(float(np.abs(audio).max(initial=0.0)), 1e-3))


def _synthetic_shard(job: tuple[Path, Path, int, int]) -> int:
    data, folder, seed, count = job
    rng = random.Random(seed)
    writer = ShardWriter(folder, f"synthetic-{seed:04d}")
    made = 0
    for source, text, question in islice(corpus.sentences(data, seed, held_out=False), count):
        voice = random_voice(rng, held_out=False)
        try:
            speech = synthesise(text, question, voice, rng, random_tract(rng))
        except (subprocess.SubprocessError, RuntimeError, ValueError) as error:
            print(f"skipped one sentence ({voice}): {error}", flush=True)
            continue
        if 0.15 < len(speech.audio) / SAMPLE_RATE <= MAX_SECONDS:
            writer.add(source, voice, text, log_power_mel(at_peak(speech.audio)), speech.phones, speech.ends)
            made += 1
    writer.close()
    return made


def synthetic(data: Path, folder: Path, utterances: int, first_seed: int, processes: int) -> None:
    """`utterances` synthetic clips in shards of 2,000; seeds, and so contents, are fixed by shard number."""
    size = min(SHARD_UTTERANCES, utterances)
    jobs = [(data, folder, first_seed + i, size) for i in range(-(-utterances // size))]
    with Pool(processes) as pool:
        for done, made in enumerate(pool.imap_unordered(_synthetic_shard, jobs), 1):
            print(f"synthetic shard {done}/{len(jobs)}: {made} utterances", flush=True)


def _recorded_shard(job: tuple[Path, int, list[tuple[str, str, Path, str]]]) -> int:
    folder, number, rows = job
    writer = ShardWriter(folder, f"recorded-{number:02d}")
    for source, speaker, path, text in rows:
        audio = read_audio(path)
        if len(audio) / SAMPLE_RATE <= LONGEST_RECORDED_SECONDS:
            writer.add(source, speaker, text, log_power_mel(at_peak(audio[speech_span(audio)])))
    writer.close()
    return len(rows)


def recorded(data: Path, folder: Path, processes: int, limit: int | None = None) -> None:
    """The training part of the recorded speech."""
    rows = [(source, speaker, path, text) for source, speaker, path, text, split in corpus.recorded(data) if split == "train"][:limit]
    jobs = [(folder, number, rows[first: first + SHARD_UTTERANCES]) for number, first in enumerate(range(0, len(rows), SHARD_UTTERANCES))]
    with Pool(processes) as pool:
        for made in pool.imap_unordered(_recorded_shard, jobs):
            print(f"recorded shard: {made} utterances", flush=True)


def noise(data: Path, folder: Path) -> None:
    writer = ShardWriter(folder, "noise-0")
    for number, path in enumerate(sorted((data / "noise").glob("*/*.opus"))):
        if number % 5:  # every fifth clip is kept for the test of invented words
            audio = read_audio(path)
            writer.add("noise", path.parent.name, "", log_power_mel(at_peak(audio)))
    writer.close()
