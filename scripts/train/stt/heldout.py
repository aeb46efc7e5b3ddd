"""Held-out test clips as WAV files: unseen voices on unseen sentences, unseen speakers, and clips without speech."""

import random
import re
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import soundfile
import torch
from torch import Tensor

from . import corpus, grammar, names
from .callers import caller_turns
from .config import AUDIO_CTX_SIZES, HOP_SAMPLES, SAMPLE_RATE
from .mel import FLOOR_LOG10, log_power_mel, whisper_scale
from .prepare import read_audio
from .synthesise import FLITE_HELD_OUT, VARIANTS_HELD_OUT, random_voice, synthesise, words_said

RECORDED = ("librispeech", "common-voice", "speechocean", "an4", "kathleen", "digits")
SETS = ("flite-rms", "espeak", "phrases", "brief", *RECORDED, "no-speech", "cut", "joined", "names", "requests")
DEV_SETS = tuple(f"dev-{source}" for source in RECORDED)  # read during a training; SETS is for its end
FEWEST_FRAMES = 20  # minimum length of a clip after a cut
REQUEST = re.compile(r"[a-z']+( [a-z']+){1,15}")  # without the single words, which `brief` has
DOMAIN_SOURCES = ("grammar", "clinc", "schema", "coffee")


@dataclass(frozen=True)
class TestClip:
    path: Path
    text: str


def _pad(audio: np.ndarray, rng: random.Random, tail_s: float = 0.5) -> np.ndarray:
    """Peak 0.5, with a little room noise and 0.1 to 0.5 s of it before and, at most `tail_s`, after."""
    quiet = np.random.default_rng(rng.randrange(2**32)).normal(0, 0.0005, len(audio) + SAMPLE_RATE).astype(np.float32)
    lead, tail = (int(rng.uniform(min(0.1, longest), longest) * SAMPLE_RATE) for longest in (0.5, tail_s))
    quiet[lead: lead + len(audio)] += audio * (0.5 / max(float(np.abs(audio).max()), 1e-3))
    return quiet[: lead + len(audio) + tail]


def _no_speech(data: Path, rng: random.Random, count: int) -> list[np.ndarray]:
    """Environmental clips that training has not seen, white and brown noise, silence."""
    kept = [path for number, path in enumerate(sorted((data / "noise").glob("*/*.opus"))) if number % 5 == 0]
    clips = []
    for number in range(count):
        length = int(rng.uniform(1.0, 5.0) * SAMPLE_RATE)
        noise = np.random.default_rng(number).normal(0, 1, length).astype(np.float32)
        if number % 10 < 7:
            audio = read_audio(rng.choice(kept))
            begin = rng.randrange(max(1, len(audio) - length))
            noise = audio[begin: begin + length] * rng.uniform(0.2, 1.0)
        elif number % 10 == 7:
            noise *= 10 ** rng.uniform(-4, -1)
        elif number % 10 == 8:
            noise = np.cumsum(noise) * 10 ** rng.uniform(-4, -2)
            noise = (noise - noise.mean()).clip(-1, 1)
        else:
            noise *= rng.choice([0.0, 1e-5])
        clips.append(noise.astype(np.float32))
    return clips


def build(data: Path, folder: Path, per_set: int, seed: int = 77) -> None:
    """Writes `folder/<set>/<number>.wav` and `folder/<set>.tsv` (file, text)."""
    rng = random.Random(seed)
    sets: dict[str, list[tuple[np.ndarray, str]]] = {name: [] for name in SETS + DEV_SETS}
    domain = (s for s in corpus.sentences(data, seed, held_out=True) if s[0] in DOMAIN_SOURCES)
    for number, (_, text, question) in enumerate(islice(domain, 2 * per_set)):
        name, voices = (("flite-rms", FLITE_HELD_OUT), ("espeak", VARIANTS_HELD_OUT))[number % 2]
        sets[name].append((_pad(synthesise(text, question, rng.choice(voices), rng).audio, rng), text))
    recorded = [row for row in corpus.recorded(data) if row[4] != "train"]
    for source in RECORDED:
        for split, name in (("test", source), ("dev", f"dev-{source}")):
            rows = [row for row in recorded if (row[0], row[4]) == (source, split)]
            for _, _, path, text, _ in rng.sample(rows, min(per_set, len(rows))):
                audio = read_audio(path)
                if len(audio) <= 14.5 * SAMPLE_RATE:
                    sets[name].append((_pad(audio, rng) if source == "digits" else audio, text))
    # The assistant's own domain alone, without the freer sentences of the corpora.
    own = (text for source, text, _ in corpus.sentences(data, seed + 1, held_out=True) if source == "grammar")
    # Few words have no unseen sentences: these are known ones, by unseen voices.
    brief = iter(lambda: grammar.brief(rng), None)
    for name, texts in (("phrases", own), ("brief", brief)):
        for text in islice(texts, per_set):
            said = synthesise(text, grammar.is_question(text), random_voice(rng, held_out=True), rng)
            sets[name].append((_pad(said.audio, rng), text))
    sets["no-speech"] = [(audio, "") for audio in _no_speech(data, rng, 4 * per_set // 3)]
    # Sentences and few words that end in the middle.
    while len(sets["cut"]) < per_set:
        text = rng.choice((grammar.sentence, grammar.brief))(rng)
        said = synthesise(text, grammar.is_question(text), random_voice(rng, held_out=True), rng)
        if said.ends:
            frames = rng.randint(min(FEWEST_FRAMES, len(said.phones)), len(said.phones))
            audio = _pad(said.audio[: frames * HOP_SAMPLES], rng, tail_s=0.0)
            sets["cut"].append((audio, " ".join(text.split()[: words_said(said.ends, frames)])))
    # Several unseen phrases of one voice in one clip: as long as a window of a long turn, or longer.
    phrases = (text for source, text, _ in corpus.sentences(data, seed + 2, held_out=True) if source == "grammar")
    while len(sets["joined"]) < per_set:
        voice, wanted = random_voice(rng, held_out=True), rng.uniform(4.0, 12.0) * SAMPLE_RATE
        parts, texts = [], []
        while sum(map(len, parts)) < wanted:
            text = next(phrases)
            parts += [synthesise(text, grammar.is_question(text), voice, rng).audio, np.zeros(int(rng.uniform(0.1, 0.4) * SAMPLE_RATE), np.float32)]
            texts.append(text)
        if sum(map(len, parts)) <= 14 * SAMPLE_RATE:
            sets["joined"].append((_pad(np.concatenate(parts), rng), " ".join(texts)))
    # Answers to a question for a name, and requests with names and wordings that the language model's training lacks. A part of the requests has mistakes of a recogniser.
    asked = (text for text in caller_turns(data, per_set, seed, held_out=True) if REQUEST.fullmatch(text))
    for name, texts in (("names", iter(lambda: names.answer(rng), None)), ("requests", dict.fromkeys(asked))):
        for text in islice(texts, per_set):
            said = synthesise(text, grammar.is_question(text), random_voice(rng, held_out=True), rng)
            sets[name].append((_pad(said.audio, rng), text))
    for name, clips in sets.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        with open(folder / f"{name}.tsv", "w", encoding="utf-8") as index:
            for number, (audio, text) in enumerate(clips):
                path = folder / name / f"{number:03d}.wav"
                soundfile.write(path, np.pad(audio, (0, max(0, int(1.1 * SAMPLE_RATE) - len(audio)))).clip(-1, 1), SAMPLE_RATE, subtype="PCM_16")
                index.write(f"{name}/{path.name}\t{text}\n")


def load(folder: Path, name: str, limit: int | None = None) -> list[TestClip]:
    with open(folder / f"{name}.tsv", encoding="utf-8") as index:
        rows = [line.rstrip("\n").split("\t") for line in index]
    return [TestClip(folder / file, text) for file, text in rows[:limit]]


def audio_ctx_for(samples: int) -> int:
    """The smallest trained audio context that holds the clip."""
    return next((size for size in AUDIO_CTX_SIZES if size * 2 * 160 >= samples), 1500)


def as_mel(clip: TestClip) -> Tensor:
    """Scaled mel [80, 2n] as whisper.cpp computes it with that audio context."""
    audio, _ = soundfile.read(clip.path, dtype="float32")
    mel = log_power_mel(audio)
    canvas = np.full((2 * audio_ctx_for(len(audio)), mel.shape[1]), FLOOR_LOG10, np.float32)
    canvas[: len(mel)] = mel[: len(canvas)]
    return torch.from_numpy(whisper_scale(canvas).T.copy())
