"""Trains the starter emotion classifier and writes emotion.onnx and emotion.json.

    python train.py --data DATA --out OUT            (cross-validation by speaker, then the final network)
    python train.py --data DATA --out OUT --smoke

DATA holds emotion/, librispeech-mini/, kathleen/ and noise/. The figures printed are for speakers
that the network of their fold has never heard; the temperature comes from the same folds.
"""

import argparse
import copy
import itertools
import json
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from network import HOP, LABELS, RATE, EmotionNet, LogMel
from panel import Calibrated, Panel
from prosody import Likeness, Prosody
from recordings import Clip, acted, disturb, noises, plain, telephone, window
from report import accuracy, best_temperature, calibration_error, confusion

MIN_SECONDS, MAX_SECONDS = 1.0, 3.0
# Read English counts as neutral, but weakly: the target leaves room, and it is a small share of each batch.
ENGLISH_SHARE, ENGLISH_CERTAINTY, CERTAINTY = 0.2, 0.75, 0.94
BATCH = 32
# Windows of each acted clip that the likeness knows, and the readings' share of its weight.
LIKENESS_WAYS = ("plain",) * 6 + ("telephone",) * 6 + ("disturbed",) * 8
SMOKE_WAYS = ("plain", "telephone", "disturbed")
LIKENESS_ENGLISH_SHARE = 0.05


def english(data: Path, r: np.random.Generator, amount: int) -> tuple[list[Clip], list[Clip]]:
    """(for training, for testing): the last five LibriSpeech speakers are never trained on."""
    folders = sorted(path for path in (data / "librispeech-mini").iterdir() if path.is_dir())
    chosen = [(p, f.name) for f in folders for p in sorted(f.glob("*.opus"))]
    held = {f.name for f in folders[-5:]}
    readings = {True: [c for c in chosen if c[1] in held], False: [c for c in chosen if c[1] not in held]}
    readings[False] += [(p, "kathleen") for p in sorted((data / "kathleen").glob("*.opus"))[:400]]
    picked = {test: [readings[test][i] for i in r.permutation(len(readings[test]))[: amount // (3 if test else 1)]] for test in (True, False)}
    train, test = (plain([p for p, _ in picked[key]], [s for _, s in picked[key]]) for key in (False, True))
    return train, test


@dataclass(frozen=True)
class Sample:
    """One disturbed stretch of a clip as log-mel bands [mels, frames], not yet levelled."""

    bands: torch.Tensor
    label: int
    speaker: str
    certainty: float


def disturbed(r: np.random.Generator, clips: list[Clip], sounds: list[np.ndarray], versions: int, certainty: float) -> list[Sample]:
    """Made once and used by every fold: disturbing costs more than a training step."""
    mel = LogMel()
    found = []
    for clip in clips:
        for _ in range(versions):
            stretch = window(r, clip.samples, min(len(clip.samples), int(MAX_SECONDS * 1.2 * RATE)))
            waveform = torch.tensor(disturb(r, stretch, sounds))
            with torch.no_grad():
                bands = mel.bands(mel.fast_power(waveform[None]))[0]
            found.append(Sample(bands.half(), clip.label, clip.speaker, certainty))
    return found


@dataclass(frozen=True)
class Measured:
    """The prosody of one window. `is_read`: of read English."""

    numbers: torch.Tensor
    label: int
    speaker: str
    is_read: bool


@torch.no_grad()
def measured(r: np.random.Generator, clips: list[Clip], readings: list[Clip], sounds: list[np.ndarray], ways: tuple[str, ...]) -> list[Measured]:
    """Each clip in all `ways`, each reading in one of them in turn."""
    mel = LogMel()
    prosody = Prosody(mel)

    def measure(clip: Clip, way: str, is_read: bool) -> Measured:
        length = int(r.uniform(MIN_SECONDS, MAX_SECONDS) * RATE)
        samples = window(r, clip.samples, min(length, len(clip.samples)))
        if way == "telephone":
            samples = telephone(samples, r.uniform(200, 350), r.uniform(3000, 3700))
        if way == "disturbed":
            samples = disturb(r, samples, sounds)
        numbers = prosody(mel.fast_power(torch.tensor(samples, dtype=torch.float32)[None]))[0]
        return Measured(numbers, clip.label, clip.speaker, is_read)

    in_turn = itertools.cycle(sorted(set(ways)))
    return [measure(clip, way, False) for clip in clips for way in ways] + [measure(clip, way, True) for clip, way in zip(readings, in_turn)]


def target(label: int, certainty: float) -> np.ndarray:
    row = np.full(len(LABELS), (1 - certainty) / (len(LABELS) - 1))
    row[label] = certainty
    return row


def likeness(rows: list[Measured]) -> Likeness:
    """The labels have the same weight."""
    groups = [(row.label, row.is_read) for row in rows]
    sizes = Counter(groups)
    shares = [LIKENESS_ENGLISH_SHARE if is_read else (1 - LIKENESS_ENGLISH_SHARE) / len(LABELS) for _, is_read in groups]
    weights = torch.tensor([share / sizes[group] for share, group in zip(shares, groups)])
    targets = np.stack([target(row.label, ENGLISH_CERTAINTY if row.is_read else CERTAINTY) for row in rows])
    return Likeness(torch.stack([row.numbers for row in rows]), torch.tensor(targets), weights / weights.mean())


def batch(r: np.random.Generator, mel: LogMel, groups: list[list[Sample]], shares: list[float]) -> tuple[torch.Tensor, torch.Tensor]:
    """Windows of one random length; `groups` are the four labels and the read English."""
    frames = int(r.uniform(MIN_SECONDS, MAX_SECONDS) * RATE / HOP) - 3
    rows, targets = [], []
    for group in r.choice(len(groups), BATCH, p=shares):
        sample = groups[group][r.integers(len(groups[group]))]
        length = sample.bands.shape[1]
        start = r.integers(0, max(1, length - frames + 1))
        bands = sample.bands[:, start : start + frames].float()
        if length < frames:
            before = int(r.integers(0, frames - length + 1))
            bands = F.pad(bands, (before, frames - length - before), value=bands.min().item())
        rows.append(bands)
        targets.append(target(sample.label, sample.certainty))
    return mel.level(torch.stack(rows)), torch.tensor(np.stack(targets), dtype=torch.float32)


def mask_features(r: np.random.Generator, features: torch.Tensor) -> torch.Tensor:
    features = features.clone()
    for row in features:
        low, wide = r.integers(0, 56), r.integers(1, 9)
        row[:, low : low + wide] = 0
        start, long = r.integers(0, max(1, row.shape[2] - 20)), r.integers(1, 20)
        row[:, :, start : start + long] = 0
    return features


def fit(samples: list[Sample], readings: list[Sample], steps: int, seed: int) -> EmotionNet:
    torch.manual_seed(seed)
    r = np.random.default_rng(seed)
    net = EmotionNet().to(memory_format=torch.channels_last)
    average = copy.deepcopy(net).eval()
    groups = [[s for s in samples if s.label == label] for label in range(len(LABELS))] + [readings]
    shares = [(1 - ENGLISH_SHARE) / len(LABELS)] * len(LABELS) + [ENGLISH_SHARE]
    optimiser = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 3e-3, total_steps=steps, pct_start=0.15)
    net.train()
    for step in range(steps):
        features, targets = batch(r, net.mel, groups, shares)
        features = mask_features(r, features).to(memory_format=torch.channels_last)
        if r.random() < 0.5:
            part = r.beta(0.4, 0.4)
            order = torch.from_numpy(r.permutation(BATCH))
            features, targets = part * features + (1 - part) * features[order], part * targets + (1 - part) * targets[order]
        loss = F.cross_entropy(net.scores(features), targets)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        keep = min(0.99, step / (step + 10))
        with torch.no_grad():
            for mean, new in zip(average.state_dict().values(), net.state_dict().values()):
                mean.lerp_(new, 1 - keep) if mean.is_floating_point() else mean.copy_(new)
        if step % 100 == 99:
            print(f"    step {step + 1} loss {loss.item():.3f}", flush=True)
    return average


@dataclass(frozen=True)
class Fits:
    """Trains panels. With a work folder, networks that an interrupted run has finished are read from there."""

    readings: list[Sample]
    steps: int
    members: int
    work: Path | None

    def panel(self, samples: list[Sample], rows: list[Measured], seed: int) -> Panel:
        return Panel([self._member(samples, seed + 100 * member) for member in range(self.members)], likeness(rows)).eval()

    def _member(self, samples: list[Sample], seed: int) -> EmotionNet:
        kept = self.work and self.work / f"network-{len(samples)}-{self.steps}-{seed}.pt"
        if kept and kept.exists():
            net = EmotionNet().to(memory_format=torch.channels_last).eval()
            net.load_state_dict(torch.load(kept, weights_only=True))
            print(f"    read {kept.name}", flush=True)
            return net
        net = fit(samples, self.readings, self.steps, seed)
        if kept:
            torch.save(net.state_dict(), kept.with_suffix(".part"))
            kept.with_suffix(".part").replace(kept)
        return net


@torch.no_grad()
def scores(net: Panel, clips: list[Clip], seconds: float) -> np.ndarray:
    """One window a clip, from its middle."""
    found = []
    for clip in clips:
        length = int(seconds * RATE)
        start = max(0, (len(clip.samples) - length) // 2)
        found.append(net(torch.tensor(clip.samples[None, start : start + length]))[0].numpy())
    return np.stack(found)


def export(net: Panel, temperature: float, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        Calibrated(net, temperature).eval(), (torch.zeros(1, 3 * RATE),), str(out / "emotion.onnx"), input_names=["waveform"], output_names=["probabilities"],
        dynamic_axes={"waveform": {1: "samples"}}, opset_version=17, dynamo=False,
    )
    description = {"labels": LABELS, "sampleRateHz": RATE, "minSeconds": MIN_SECONDS, "maxSeconds": MAX_SECONDS}
    (out / "emotion.json").write_text(json.dumps(description, indent=2) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--work", type=Path, help="keeps finished networks: an interrupted run with the same options goes on after them")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--members", type=int, default=4, help="networks whose mean is the answer")
    parser.add_argument("--versions", type=int, default=12, help="disturbed versions of every acted clip")
    parser.add_argument("--folds", type=int, default=4, help="0: no cross-validation, temperature 1")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--smoke", action="store_true")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    if arguments.work:
        arguments.work.mkdir(parents=True, exist_ok=True)
    steps, folds, amount, members = (20, 1, 30, 2) if arguments.smoke else (arguments.steps, arguments.folds, 900, arguments.members)
    r = np.random.default_rng(arguments.seed)
    clips = acted(arguments.data / "emotion")[:: 6 if arguments.smoke else 1]
    readings, readings_test = english(arguments.data, r, amount)
    sounds = noises(arguments.data / "noise", 10 if arguments.smoke else 400)
    print(f"{len(clips)} acted, {len(readings)} + {len(readings_test)} read, {len(sounds)} noises", flush=True)

    samples = disturbed(r, clips, sounds, 1 if arguments.smoke else arguments.versions, CERTAINTY)
    samples_read = disturbed(r, readings, sounds, 1 if arguments.smoke else 3, ENGLISH_CERTAINTY)
    rows = measured(np.random.default_rng(arguments.seed), clips, readings, sounds, SMOKE_WAYS if arguments.smoke else LIKENESS_WAYS)
    print(f"{len(samples)} + {len(samples_read)} disturbed stretches, {len(rows)} windows for the likeness", flush=True)
    fits = Fits(samples_read, steps, members, arguments.work)
    temperature = 1.0
    speakers = sorted({clip.speaker for clip in clips})
    held: list[Clip] = []
    kinds = [(seconds, line) for line in (False, True) for seconds in (1.0, 2.0, 3.0)]  # window, over a telephone line
    outputs: dict[tuple[float, bool], list[np.ndarray]] = {kind: [] for kind in kinds}
    read_scores: dict[bool, list[np.ndarray]] = {False: [], True: []}
    for fold in range(folds):
        out_speakers = speakers[fold :: folds] if folds > 1 else speakers[:1]
        known, known_rows = ([each for each in group if each.speaker not in out_speakers] for group in (samples, rows))
        panel = fits.panel(known, known_rows, arguments.seed + fold)
        test = [c for c in clips if c.speaker in out_speakers]
        held += test
        for line in (False, True):
            heard, read = ([replace(c, samples=telephone(c.samples)) if line else c for c in cs] for cs in (test, readings_test[:60]))
            for seconds in (1.0, 2.0, 3.0):
                outputs[seconds, line].append(scores(panel, heard, seconds))
            read_scores[line].append(scores(panel, read, 3.0))
        print(f"  fold {fold} {out_speakers}: {accuracy(outputs[3.0, False][-1], np.array([c.label for c in test])):.1%}", flush=True)
    if folds:
        truth = np.array([c.label for c in held])
        every = np.concatenate([np.concatenate(parts) for parts in outputs.values()])
        repeated = np.tile(truth, len(outputs))
        temperature = best_temperature(every, repeated)
        print(f"temperature {temperature:.2f}; calibration error {calibration_error(every, repeated, temperature):.3f} (without {calibration_error(every, repeated, 1.0):.3f})")
        for (seconds, line), parts in outputs.items():
            print(f"window {seconds:.0f} s{', telephone' if line else ''}: unweighted accuracy {accuracy(np.concatenate(parts), truth):.1%}")
        for line in (False, True):
            print(f"confusion, rows are the truth (3 s windows{', telephone' if line else ''}):", LABELS)
            print(confusion(np.concatenate(outputs[3.0, line]), truth))
            called = np.bincount(np.concatenate(read_scores[line]).argmax(1), minlength=len(LABELS)) / sum(map(len, read_scores[line]))
            print("read English of unheard speakers is called", {label: f"{share:.1%}" for label, share in zip(LABELS, called)}, flush=True)
    export(fits.panel(samples, rows, arguments.seed), temperature, arguments.out)


if __name__ == "__main__":
    main()
