"""The turns a network learns from: long readings, and single sentences as people say them to an assistant."""

import csv
import gzip
import hashlib
import json
import re
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import soundfile as sf

from speech import FRAME_MS, RATE, Turn, continue_room, pauses_of, read, room_tone, voiced_frames

SHORTEST_PAUSE_MS = 160
# Seconds of the room after a recording. The detector finds the end of the last word.
DETECTOR_SECONDS = 1.0
LONGEST_COMMAND = 36
ASKS = re.compile(r"(what|who|how|is|are|can|could|do|does|did|when|where|which|why|will|would)\b", re.IGNORECASE)
BRIEF = re.compile(r"[A-Za-z']+(,? [A-Za-z']+){0,2}[.?!]?")
# People who read aloud, and who spell names: each recording is a turn with its own pauses. A file name is "speaker/...".
PEOPLE = (
    *("librispeech-mini", "librispeech-dev-clean", "librispeech-test-clean", "librispeech-test-other", "librispeech-train-100"),
    *("common-voice", "common-voice-2", "common-voice-3", "speechocean-adults", "an4"),
)
# Speakers of librispeech-mini never trained on, and the short turns that are kept back beside them: the voices are
# those of the bench. One speaker in ten of every other folder is kept back, too.
HELD_OUT = ("118", "226", "7859", "1898", "2136", "3947")
HELD_OUT_SHARE = 0.1
HELD_OUT_VOICES = ("flite-rms", "flite-slt", "espeak-en-us+f4", "espeak-en-us+m3")
HELD_OUT_PROMPTS = ("arctic_b04", "arctic_b05")
# Speakers of the training set that set the calibration and not the weights.
CALIBRATION = ("librispeech-mini/19", "librispeech-mini/3242", "librispeech-mini/669", "espeak-en-us+f2", "espeak-en+m2")
# flite's voices resemble people most, so they say more sentences.
VOICES = (
    *("flite-awb", "flite-kal", "flite-kal16") * 2,
    *("espeak-en-us+m1", "espeak-en-us+m5", "espeak-en-us+f1", "espeak-en-us+f2", "espeak-en-us+Andy", "espeak-en-us+belinda"),
    *("espeak-en+m2", "espeak-en+f3", "espeak-en-gb-scotland+m7", "espeak-en-us+steph", "espeak-en-us-nyc+m4"),
    *HELD_OUT_VOICES,
)
# Length of pauses inside a spoken sentence: log-normal, seconds.
PAUSE_MEDIAN, PAUSE_SPREAD, PAUSE_LONGEST = 0.4, 0.5, 1.6
# A shorter clip may be one word.
STOPPABLE_SECONDS = 1.2


def readings(data: Path, silero: Path, limit: int, r: np.random.Generator) -> list[Turn]:
    """Recordings of people. `limit`: so many of each folder, 0 for all."""
    found = [sorted((data / folder).glob("*/*.opus")) for folder in PEOPLE]
    paths = [path for group in found for path in (group[:: max(1, len(group) // limit)] if limit else group)]
    clips = [(path.stem, f"{path.parent.parent.name}/{path.parent.name}", read(path)) for path in paths]
    return heard(silero, clips, "read", r)


def heard(silero: Path, clips: list[tuple[str, str, np.ndarray]], kind: str, r: np.random.Generator) -> list[Turn]:
    """Names, speakers and recordings as turns, with the pauses that the service hears in them."""
    goes_on = [continue_room(r, clip, 0, DETECTOR_SECONDS) for *_, clip in clips]
    return [
        Turn(name, speaker, kind, clip, pauses)
        for (name, speaker, clip), voiced in zip(clips, voiced_frames(silero, goes_on))
        if (pauses := pauses_of(voiced, SHORTEST_PAUSE_MS))
    ]


def said_by_callers(data: Path) -> Iterator[str]:
    """The callers' turns in the task dialogues."""
    with gzip.open(data / "text" / "dialogues-sgd.jsonl.gz", "rt") as lines:
        for line in lines:
            yield from (text for speaker, text in json.loads(line)["turns"] if speaker.lower().startswith("u"))


def brief_answers(data: Path, amount: int, r: np.random.Generator) -> list[str]:
    """Turns of one to three words."""
    found = {text for text in said_by_callers(data) if BRIEF.fullmatch(text) and not kept_back(text)}
    return [str(s) for s in r.choice(sorted(found), min(amount, len(found)), replace=False)]


def sentences(data: Path, amount: int, r: np.random.Generator) -> list[str]:
    """Sentences of the callers, most of them with a comma inside."""
    asked = (text for text in said_by_callers(data) if 20 <= len(text) <= 90 and re.fullmatch(r"[A-Z][A-Za-z' ,]+[.?]", text))
    found = set(islice(asked, 40000))
    comma = sorted(s for s in found if "," in s[4:])
    plain = sorted(s for s in found if "," not in s)
    return [str(s) for s in (*r.choice(comma, amount * 3 // 4, replace=False), *r.choice(plain, amount // 4, replace=False))]


def synthesise(voice: str, text: str, rate: float) -> np.ndarray:
    """`rate`: 1 is the voice's own, more is faster."""
    engine, name = voice.split("-", 1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speech.wav"
        command = (
            ["flite", "-voice", name, "--setf", f"duration_stretch={1 / rate:.2f}", "-t", text, "-o", path]
            if engine == "flite"
            else ["espeak-ng", "-v", name, "-s", str(int(165 * rate)), "-w", path, text]
        )
        subprocess.run(command, check=True, capture_output=True)
        samples = read(path)
    # The tiniest room, or the silence would be recognised by its zeros.
    at = np.flatnonzero(np.abs(samples) > 0.003)
    return samples[max(0, at[0] - RATE // 20) : at[-1] + RATE // 20]


def commands(data: Path, amount: int, r: np.random.Generator) -> list[str]:
    """Short requests to assistants."""
    found: set[str] = set()
    for name in ("clinc", "snips"):
        with gzip.open(data / "text" / f"intents-{name}.jsonl.gz", "rt") as lines:
            for line in lines:
                text = json.loads(line)["text"]
                if len(text) <= LONGEST_COMMAND and re.fullmatch(r"[A-Za-z' ]{6,}", text) and not kept_back(text):
                    found.add(text[0].upper() + text[1:] + ("?" if ASKS.match(text) else "."))
    return [str(s) for s in r.choice(sorted(found), amount, replace=False)]


def short_turns(data: Path, silero: Path, amount: int, r: np.random.Generator) -> list[Turn]:
    """Sentences by one human voice and several synthetic ones; their inner pauses are drawn out to human lengths."""
    rows = list(csv.DictReader((data / "kathleen" / "transcripts.tsv").open(), delimiter="\t", quoting=csv.QUOTE_NONE))
    rows = rows[:: max(1, len(rows) // amount)]
    names = [f"kathleen/{row['file']}" for row in rows]
    clips = [read(data / "kathleen" / row["file"]) for row in rows]
    texts = sentences(data, amount * 2, r) + commands(data, amount, r) + brief_answers(data, amount, r)
    spoken = [(VOICES[i % len(VOICES)], text, r.uniform(0.85, 1.15)) for i, text in enumerate(texts)]
    with ThreadPoolExecutor(2) as pool:
        clips += list(pool.map(lambda job: synthesise(*job), spoken))
    names += [f"{voice}/{i:04}" for i, (voice, *_) in enumerate(spoken)]
    clips = [clip + r.standard_normal(len(clip)).astype(np.float32) * 10 ** (-r.uniform(55, 75) / 20) for clip in clips]
    drawn_out = [draw_out(r, clip, np.flatnonzero(voiced)) for clip, voiced in zip(clips, voiced_frames(silero, clips))]
    return heard(silero, [(name, name.split("/")[0], clip) for name, clip in zip(names, drawn_out)], "short", r)


def draw_out(r: np.random.Generator, clip: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Every gap of at least two frames becomes a pause. A third of the sentences also stop where nothing was planned."""
    gaps = [(int(a + 1), int(b)) for a, b in zip(at, at[1:]) if b - a > 2]
    cuts = [(start * FRAME_MS, (start + stop) * FRAME_MS / 2) for start, stop in gaps]
    if r.random() < 0.35 and len(clip) > STOPPABLE_SECONDS * RATE:
        # The faintest place in the middle: mostly between two words.
        envelope = np.convolve(np.square(clip), np.ones(320) / 320, "same")
        low, high = (int(len(clip) * part) for part in (0.3, 0.8))
        place = (low + int(np.argmin(envelope[low:high]))) * 1000 / RATE
        if all(abs(place - middle) > 400 for _, middle in cuts):
            cuts.append((place, place))
    pieces, done = [], 0
    for start_ms, middle_ms in sorted(cuts):
        length = float(np.clip(r.lognormal(np.log(PAUSE_MEDIAN), PAUSE_SPREAD), 0.17, PAUSE_LONGEST))
        natural = 2 * (middle_ms - start_ms) / 1000
        middle = int(middle_ms * RATE / 1000)
        pieces += [faded(clip[done:middle]), room_tone(r, clip, int(max(0.0, length - natural) * RATE))]
        done = middle
    return np.concatenate((*pieces, faded(clip[done:])))


def faded(samples: np.ndarray) -> np.ndarray:
    samples = samples.copy()
    edge = min(len(samples) // 2, RATE // 200)
    ramp = np.linspace(0, 1, edge, dtype=np.float32)
    samples[:edge] *= ramp
    samples[len(samples) - edge :] *= ramp[::-1]
    return samples


def kept_back(text: str) -> bool:
    """One sentence in twenty, of which nothing is learned."""
    return sum(map(ord, " ".join(re.findall(r"[a-z0-9']+", text.lower())))) % 20 == 0


def held_out(turn: Turn) -> bool:
    if turn.kind == "read":
        folder, speaker = turn.speaker.split("/")
        if folder == "librispeech-mini":
            return speaker in HELD_OUT
        return hashlib.sha1(turn.speaker.encode()).digest()[0] / 256 < HELD_OUT_SHARE
    if turn.speaker == "kathleen":
        return turn.name.split("/")[1].startswith(HELD_OUT_PROMPTS)
    return turn.speaker in HELD_OUT_VOICES


def with_room(r: np.random.Generator, turn: Turn) -> Turn:
    """
    A reader's room is 1 to 3 dB louder in real pauses than in its quietest moments, of which the continuation is made: by
    that alone an end would be known. The pauses of short turns are drawn out with the same room.
    """
    return replace(turn, samples=continue_room(r, turn.samples, r.uniform(0, 4) if turn.kind == "read" else 0))
