"""Trains the starter end-of-turn model and writes turn.onnx and turn.json.

    python train.py --data DATA --silero FILE --out OUT [--work FOLDER]
    python train.py --data DATA --silero FILE --out OUT --smoke

DATA holds the folders of PEOPLE in corpora.py, kathleen/, noise/ and text/; FILE is the Silero model that the service uses. Needs flite and
espeak-ng. --work keeps the prepared examples and the finished networks, so that an interrupted run goes on. Figures
named "held out" are for speakers, voices and prompts never trained on.
"""

import argparse
import json
import os
import pickle
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
# onnxruntime reports to its maker unless this is set before it is loaded.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
import onnxruntime
import soundfile as sf
import torch
import torch.nn.functional as F
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from augment import other_room, other_speaker
from corpora import CALIBRATION, HELD_OUT_PROMPTS, PEOPLE, readings, short_turns
from examples import LAST_LOOK, LOOK_STEP, LOOKS, Examples, examples
from network import RATE, SAMPLES, SECONDS, EndOfTurn, Exported, Frames, Panel, summary
from report import curve, delay_at, silence_curve
from speech import read

BATCH = 160
# An end is not always an end: readings are cut where the reader stopped for long enough, in mid-sentence too.
CERTAINTY = 0.98
# Number of silence lengths for training, up to 1.4 s. A moment closer than MARGIN to the next word is left out.
LEARNED_LOOKS, MARGIN = 11, 0.06
FEWEST = 5
# So many examples set the scale of the features.
SCALED = 1500


def prepare(arguments: argparse.Namespace, r: np.random.Generator) -> list[Examples]:
    """The turns as they were recorded, and disturbed."""
    cache = arguments.work and arguments.work / f"examples-{arguments.seed}-{arguments.versions}.pickle"
    if cache and cache.exists():
        return pickle.loads(cache.read_bytes())
    amount = 40 if arguments.smoke else 0
    turns = readings(arguments.data, arguments.silero, amount // 5, r) + short_turns(arguments.data, arguments.silero, amount or 1132, r)
    noises = rooms(arguments.data / "noise") if arguments.versions > 1 else []
    made = [examples(turns, r, noises if version else None) for version in range(arguments.versions)]
    for turn in turns:
        object.__setattr__(turn, "samples", None)
    if cache:
        cache.parent.mkdir(parents=True, exist_ok=True)
        cache.write_bytes(pickle.dumps(made))
    return made


def rooms(folder: Path) -> list[np.ndarray]:
    """Environmental sounds; libsndfile cannot read a few of the Opus files, which are left out."""
    found = []
    for path in sorted(folder.glob("*/*.opus"))[::10]:
        try:
            found.append(read(path))
        except sf.LibsndfileError as error:
            print(f"left out: {path.name}: {error}")
    return found


# Chooses so many pauses, and a moment in each: rows, seconds of silence.
Draw = Callable[[np.random.Generator, Examples, int], tuple[np.ndarray, np.ndarray]]


def as_they_come(rows: np.ndarray) -> Draw:
    def draw(r: np.random.Generator, given: Examples, amount: int) -> tuple[np.ndarray, np.ndarray]:
        chosen = r.choice(rows, amount)
        longest = np.minimum(given.length[chosen], LAST_LOOK - MARGIN)
        return chosen, LOOKS[0] + (longest - LOOKS[0]).clip(0) * r.random(amount) * 0.98

    return draw


def evenly(given: Examples, rows: np.ndarray) -> Draw:
    """
    As many ends as inner pauses at every length of silence, in readings and in short turns: how long it lasts says nothing
    then, and what is learned is what is heard in it. As they come, long inner pauses are too rare for that.
    """
    lasting = {}
    for look in range(LEARNED_LOOKS):
        long_enough = rows[given.length[rows] > LOOKS[look] + MARGIN]
        for short in (False, True):
            for over in (False, True):
                lasting[look, short, over] = long_enough[(given.short[long_enough] == short) & (given.over[long_enough] == over)]

    def draw(r: np.random.Generator, given: Examples, amount: int) -> tuple[np.ndarray, np.ndarray]:
        chosen, looks = [], []
        for look in r.integers(0, LEARNED_LOOKS, amount // 4):
            for short in (False, True):
                for over in (False, True):
                    # People who talk to an assistant hardly ever stop for longer than a second.
                    used = look if len(lasting[look, short, over]) >= FEWEST else 0
                    chosen.append(r.choice(lasting[used, short, over]))
                    looks.append(used)
        silence = LOOKS[looks]
        last = np.minimum(given.length[chosen], LAST_LOOK) - MARGIN
        return np.array(chosen), silence + r.random(len(chosen)) * np.minimum(LOOK_STEP, (last - silence).clip(0))

    return draw


@dataclass(frozen=True)
class Member:
    """One network of the panel, and how it is taught."""

    seed: int
    width: int
    steps: int
    evenly: bool


# Those taught evenly hear readers breathe; the others are better at short turns, for which there is less to learn from.
MEMBERS = [
    *(Member(seed, 32, 1500, evenly=False) for seed in (1, 2, 3)),
    *(Member(seed, 48, 4000, evenly=True) for seed in (1, 2, 3)),
    *(Member(seed, 64, 4000, evenly=True) for seed in (1, 2)),
]


# The readings that each panel learns from, beside the short turns. Recordings of Mini LibriSpeech last over long pauses. Most others
# were cut at them. A panel of all people hears pauses of the first kind worse and the rest better; the mean of the two panels hears both.
PANELS = (("librispeech-mini",), PEOPLE)


def kept_or_fitted(versions: list[Examples], rows: np.ndarray, member: Member, work: Path | None) -> EndOfTurn:
    """With a work folder, a network that an interrupted run with the same options has finished is read from there."""
    kept = work and work / f"network-{len(rows)}-{len(versions)}-{member.width}-{member.steps}-{member.seed}.pt"
    if kept and kept.exists():
        net = EndOfTurn(member.width)
        net.load_state_dict(torch.load(kept, weights_only=True))
        print(f"    read {kept.name}", flush=True)
        return net.eval()
    net = fit(versions, rows, member)
    if kept:
        torch.save(net.state_dict(), kept.with_suffix(".part"))
        kept.with_suffix(".part").replace(kept)
    return net


def fit(versions: list[Examples], rows: np.ndarray, member: Member) -> EndOfTurn:
    torch.manual_seed(member.seed)
    r = np.random.default_rng(member.seed)
    net = EndOfTurn(member.width)
    draw = evenly(versions[0], rows) if member.evenly else as_they_come(rows)
    net.fit_scale(summary(*versions[0].window(*draw(r, versions[0], SCALED)))[0])
    # Readers pause longer and more often than callers: what silence alone says differs, what is heard in it does not.
    habit = torch.nn.Linear(2, 2)
    torch.nn.init.zeros_(habit.weight)
    optimiser = torch.optim.AdamW([*net.parameters(), *habit.parameters()], lr=4e-3, weight_decay=0.03)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 4e-3, total_steps=member.steps)
    net.train()
    total = 0.0
    for step in range(member.steps):
        version = versions[step % len(versions)]
        chosen, silence = draw(r, version, BATCH)
        with torch.no_grad():
            frames, silence = version.window(chosen, silence)
            features, seen = summary(other_speaker(r, frames, silence), silence)
            seen = other_room(r, seen)
        kind = torch.from_numpy(version.short[chosen]).float()
        # Centred over the two kinds, so that nothing of it has to be exported.
        offset = (habit(features[:, :2]) * torch.stack((0.5 - kind, kind - 0.5), 1)).sum(1)
        over = torch.from_numpy(version.over[chosen].astype(np.float32))
        loss = F.binary_cross_entropy_with_logits(net(features, seen) + offset, over * (2 * CERTAINTY - 1) + 1 - CERTAINTY)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        total += loss.item()
        if step % 100 == 99:
            print(f"    step {step + 1} loss {total / 100:.3f}", flush=True)
            total = 0.0
    return net.eval()


@torch.no_grad()
def answers(net: Panel, given: Examples, rows: np.ndarray) -> np.ndarray:
    """Logits [pauses, looks]; not a number where the pause was over before."""
    found = np.full((len(rows), len(LOOKS)), np.nan)
    for look, silence in enumerate(LOOKS):
        still = np.flatnonzero(given.length[rows] > silence)
        for part in np.array_split(still, max(1, len(still) // 256)):
            found[part, look] = net(*summary(*given.window(rows[part], np.full(len(part), silence)))).numpy()
    return found


def calibrate(logits: np.ndarray, over: np.ndarray, short: np.ndarray) -> tuple[float, float]:
    """
    Slope and shift that turn logits into log odds: what is heard, and how often silences are ends at all. Each pause counts
    as often as it is looked at. The slope is that of all, the shift that of short turns: in a conversation more silences are
    ends than in a reading.
    """
    asked = ~np.isnan(logits)
    truth = np.repeat(over[:, None], logits.shape[1], 1)[asked]
    kind = np.repeat(short[:, None], logits.shape[1], 1)[asked]
    fitted = LogisticRegression(C=10).fit(np.stack((logits[asked], kind), 1), truth)
    slope, shift = fitted.coef_[0]
    return float(slope), float(shift + fitted.intercept_[0])


def learns_from(given: Examples, rows: np.ndarray, folders: tuple[str, ...]) -> np.ndarray:
    """Which of `rows` are of short turns or of a reader of `folders`."""
    return given.short[rows] | np.isin([speaker.split("/")[0] for speaker in given.speaker[rows]], folders)


def fit_panel(versions: list[Examples], rows: np.ndarray, members: list[Member], calibration: np.ndarray, work: Path | None) -> Panel:
    """A panel whose output is log odds. How far it can be believed is asked of voices that it does not know; then it learns from these, too."""
    clean, asked = versions[0], np.flatnonzero(calibration)
    strangers = Panel([kept_or_fitted(versions, rows[~calibration[rows]], member, work) for member in members])
    slope, shift = calibrate(answers(strangers, clean, asked), clean.over[asked], clean.short[asked])
    print(f"{len(rows)} pauses to learn from; slope {slope:.2f}, shift {shift:.2f}", flush=True)
    return Panel([kept_or_fitted(versions, rows, member, work) for member in members], slope, shift)


def report(name: str, given: Examples, rows: np.ndarray, logits: np.ndarray) -> None:
    over = given.over[rows]
    areas = []
    for look in (0, 1, 3, 5):
        still = ~np.isnan(logits[:, look])
        areas.append(f"{LOOKS[look]:.2f} s {roc_auc_score(over[still], logits[still, look]):.3f}" if 0 < over[still].mean() < 1 else "-")
    asked = ~np.isnan(logits)
    truth = np.repeat(over[:, None], logits.shape[1], 1)[asked]
    probability = 1 / (1 + np.exp(-logits[asked]))
    bins = np.digitize(probability, np.linspace(0, 1, 11))
    error = sum(abs(truth[bins == b].mean() - probability[bins == b].mean()) * (bins == b).mean() for b in np.unique(bins))
    ours, plain = (delay_at(c, 0.05) for c in (curve(given, rows, logits), silence_curve(given, rows)))
    print(f"{name}: {len(rows)} pauses, {over.mean():.0%} ends; area under the curve after {', '.join(areas)}; calibration error {error:.3f}")
    print(f"  at 5 % cut-offs: {1000 * ours:.0f} ms, silence alone {1000 * plain:.0f} ms, ratio {ours / plain:.2f}", flush=True)


def export(net: Panel, out: Path, learned: list[str]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    path = str(out / "turn.onnx")
    graph = Exported(net).eval()
    r = np.random.default_rng(0)
    example = (torch.from_numpy(r.standard_normal((1, SAMPLES)).astype(np.float32) * 0.05), torch.tensor([0.4]))
    torch.onnx.export(graph, example, path, input_names=["waveform", "silence"], output_names=["probability"], opset_version=17, dynamo=False)
    session = onnxruntime.InferenceSession(path)
    with torch.no_grad():
        expected = graph(*example).item()
    found = session.run(None, {"waveform": example[0].numpy(), "silence": example[1].numpy()})[0][0]
    if abs(expected - found) > 1e-4:
        raise SystemExit(f"the exported graph says {found}, the network {expected}")
    facts = {"sampleRateHz": RATE, "seconds": SECONDS, "longestSilenceSeconds": round(float(LOOKS[-1]), 3), "trainedOn": learned}
    (out / "turn.json").write_text(json.dumps(facts, indent=2) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--silero", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--versions", type=int, default=1, help="of every recording: the first as it is, others disturbed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--smoke", action="store_true")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    made = prepare(arguments, np.random.default_rng(arguments.seed))
    clean = made[0]
    calibration = np.isin(clean.speaker, CALIBRATION) & ~clean.kept_back
    learning = np.flatnonzero(~clean.kept_back)
    print(f"{len(clean.over)} pauses of {len(clean.turns)} turns; {len(learning)} to learn from", flush=True)
    members = [replace(member, steps=20) for member in MEMBERS[::3]] if arguments.smoke else MEMBERS
    net = Panel([fit_panel(made, learning[learns_from(clean, learning, folders)], members, calibration, arguments.work) for folders in PANELS]).eval()
    print(sum(p.numel() for p in net.parameters()), "parameters")

    speaker = clean.speaker
    kinds = {folder: np.char.startswith(speaker, f"{folder}/") for folder in PEOPLE}
    kinds |= {"kathleen": speaker == "kathleen", "synthetic": clean.short & (speaker != "kathleen")}
    for name, kind in kinds.items():
        for split, where in (("learned from", ~clean.kept_back), ("held out", clean.kept_back)):
            rows = np.flatnonzero(kind & where)
            if len(rows) > 20:
                report(f"{name}, {split}", clean, rows, answers(net, clean, rows))
    readers = sorted({t.speaker for t in clean.turns if t.kind == "read"} - set(speaker[clean.kept_back]))
    prompts = [p for p in ("arctic_a", *(f"arctic_b0{k}" for k in range(6))) if p not in HELD_OUT_PROMPTS]
    export(net, arguments.out, [f"{s}/" for s in readers] + [f"kathleen/kathleen/{p}" for p in prompts])


if __name__ == "__main__":
    main()
