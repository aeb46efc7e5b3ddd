"""Figures for the model card: DNSMOS against the teacher, duration and f0 errors, speed through sherpa-onnx."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import onnxruntime
import soundfile
import torch

from dataset import fill_f0
from model import Student
from teacher import SAMPLE_RATE_HZ, Utterance
from train import frame_inputs

DNSMOS_SAMPLES = int(9.01 * SAMPLE_RATE_HZ)


def dnsmos_overall(session: onnxruntime.InferenceSession, audio: np.ndarray) -> float:
    """Mean raw overall score over 9.01 s windows (one a second); short audio is repeated to fill one."""
    audio = np.tile(audio, int(np.ceil(DNSMOS_SAMPLES / max(1, len(audio)))) + 1)[: max(len(audio), DNSMOS_SAMPLES)]
    starts = range(0, len(audio) - DNSMOS_SAMPLES + 1, SAMPLE_RATE_HZ)
    name = session.get_inputs()[0].name
    scores = [session.run(None, {name: audio[None, s : s + DNSMOS_SAMPLES].astype(np.float32)})[0][0] for s in starts]
    return float(np.mean([polynomial(score[2]) for score in scores]))


def polynomial(overall: float) -> float:
    """The published DNSMOS P.835 mapping from the raw overall score to the MOS scale."""
    return -0.06766283 * overall**2 + 1.11546468 * overall + 0.04602535


@torch.no_grad()
def prosody_errors(student: Student, voice: int, held: list[Utterance]) -> dict[str, float]:
    duration, pitch, total, voicing = [], [], [], []
    for u in held:
        tokens = torch.from_numpy(u.tokens.astype(np.int64))[None]
        frames = torch.from_numpy(u.frames.astype(np.int64))[None]
        states, log_frames = student.encode(tokens, torch.tensor([voice]))
        guess = torch.exp(log_frames) - 1
        sounded = frames > 0
        duration.append(float((guess - frames).abs()[sounded].mean()) * 5)
        total.append(abs(float(guess.clamp(min=0)[sounded].sum()) / float(frames.sum()) - 1))
        picked, place = frame_inputs(states, frames, torch.zeros(1, dtype=torch.long), len(u.f0))
        f0, logit, _, _ = student.decode(picked, place)
        voiced = torch.from_numpy(u.f0 > 0)
        pitch.append(float((f0[0] - torch.from_numpy(fill_f0(u.f0))).abs()[voiced].mean()))
        voicing.append(float(((logit[0] > 0) != voiced).float().mean()))
    return {
        "phone duration error (ms)": float(np.mean(duration)),
        "sentence length error (%)": 100 * float(np.mean(total)),
        "f0 error (Hz)": float(np.mean(pitch)),
        "voicing error (%)": 100 * float(np.mean(voicing)),
    }


def evaluate(student: Student, voice: int, held: list[Utterance], model: Path, dnsmos: Path, work: Path, node_folder: Path) -> dict[str, float]:
    """Prints and returns the figures of a voice. The spoken sentences stay in <work>/spoken as wav files."""
    torch.set_num_threads(1)
    student.eval()
    figures = prosody_errors(student, voice, held)
    spoken = work / "spoken"
    spoken.mkdir(parents=True, exist_ok=True)
    script = Path(__file__).with_name("speak.mjs").resolve()
    run = subprocess.run(
        ["node", str(script), str(model.resolve()), str(spoken.resolve()), str(voice)],
        input="\n".join(u.text for u in held) + "\n",
        capture_output=True, text=True, check=True, cwd=node_folder,
    )  # fmt: skip
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    if "OOV" in run.stderr or len(rows) != len(held):
        raise SystemExit(f"sherpa-onnx dropped something: {len(rows)} of {len(held)} spoken")
    ours, theirs, lengths = [], [], []
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(dnsmos), options)
    for row, u in zip(rows, held):
        audio = np.fromfile(spoken / f"{row['index']}.f32", np.float32)
        teacher = u.audio.astype(np.float32) / 32768
        soundfile.write(spoken / f"{row['index']}-ours.wav", audio, SAMPLE_RATE_HZ)
        soundfile.write(spoken / f"{row['index']}-teacher.wav", teacher, SAMPLE_RATE_HZ)
        lengths.append(abs(len(audio) / len(teacher) - 1))
        if len(teacher) > SAMPLE_RATE_HZ:
            ours.append(dnsmos_overall(session, audio))
            theirs.append(dnsmos_overall(session, teacher))
    seconds = sum(r["samples"] for r in rows) / SAMPLE_RATE_HZ
    figures |= {
        "DNSMOS overall": float(np.mean(ours)),
        "DNSMOS overall, teacher": float(np.mean(theirs)),
        "length against teacher through sherpa-onnx (%)": 100 * float(np.mean(lengths)),
        "real-time factor, one thread, wall clock": sum(r["ms"] for r in rows) / 1000 / seconds,
        "real-time factor, one thread, processor time": sum(r["cpuMs"] for r in rows) / 1000 / seconds,
        "same samples on a second call": float(all(r["equal"] for r in rows)),
    }
    for name, value in figures.items():
        print(f"{name}: {value:.4g}")
    (work / "figures.json").write_text(json.dumps(figures, indent=1))
    return figures
