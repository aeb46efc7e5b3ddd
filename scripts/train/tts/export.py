"""Writes the student as one ONNX file with the VITS interface that sherpa-onnx loads."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import onnx
import torch
from torch import Tensor, nn

from model import HOP_SAMPLES, NOISE_ORDER, PULSE_ORDER, SAMPLE_RATE_HZ, Student, Vocoder, places
from phones import MARKS, SEPARATOR, TOKEN_ID

LONGEST_TOKEN_FRAMES = 120.0  # 0.6 s, before length_scale
DEFAULT_NOISE_SCALE = 0.667  # sherpa-onnx's default stands for the level heard in training
TIMING_SPREAD = 0.03  # log-duration jitter at noise_scale_w = 1
DETAIL = 0.9  # detail of the spectral envelope beyond level and tilt, chosen by DNSMOS on texts of the training
VOICED_NOISE = -0.5  # natural logarithm of a gain: noise in voiced frames, chosen in the same way
SMALLEST_FRAMES = 10  # an input that lasts no time still gives 50 ms of near silence


class SpeakingStudent(nn.Module):
    """Tokens and the number of a voice -> waveform with predicted durations and f0. Equal input gives equal samples."""

    def __init__(self, student: Student):
        super().__init__()
        self.student, self.vocoder = student, Vocoder()
        jitter = torch.randn(997, generator=torch.Generator().manual_seed(11))
        self.register_buffer("jitter", jitter.clamp(-2, 2), persistent=False)
        detail = torch.full((1, PULSE_ORDER + 1, 1), DETAIL)
        detail[:, :2] = 1.0
        self.register_buffer("detail", detail, persistent=False)

    def forward(self, x: Tensor, x_length: Tensor, noise_scale: Tensor, length_scale: Tensor, noise_scale_w: Tensor, sid: Tensor) -> Tensor:
        mask = (torch.arange(x.shape[1]) < x_length).float()
        states, log_frames = self.student.encode(x, sid)
        spread = self.jitter[torch.arange(x.shape[1]) % self.jitter.shape[0]]
        scale = length_scale.clamp(0.2, 5.0) * torch.exp(TIMING_SPREAD * noise_scale_w * spread)
        frames = (torch.exp(log_frames[0]) - 1).clamp(0.0, LONGEST_TOKEN_FRAMES) * mask
        frames = torch.where(frames < 0.5, torch.zeros_like(frames), frames) * scale
        # Rounding the running sum, not each token, keeps the sentence's length right.
        ends = torch.floor(torch.cumsum(frames, dim=0) + 0.5).long()
        ends = torch.cat([ends[:-1], ends[-1:].clamp(min=SMALLEST_FRAMES)])
        total = ends[-1:]
        starts = torch.cat([torch.zeros_like(total), ends[:-1]])
        # Token of each frame: the number of tokens that have ended by then.
        t = torch.arange(total[0])
        ended = torch.zeros_like(torch.arange(total[0] + 1)).scatter_add(0, ends, torch.ones_like(ends))
        index = torch.cumsum(ended, dim=0)[:-1].clamp(max=x.shape[1] - 1)
        since, until = (t - starts[index]).float() + 0.5, (ends[index] - t).float() - 0.5
        place = places(since.unsqueeze(0), until.unsqueeze(0))
        f0, voicing, pulse, noise = self.student.decode(states.index_select(2, index), place)
        pulse, noise = pulse * self.detail, noise * self.detail[:, : NOISE_ORDER + 1]
        # A steep sigmoid: frames are voiced or not, with a short glide between.
        voicing = torch.sigmoid(3 * voicing)
        noise = torch.cat([noise[:, :1] + VOICED_NOISE * voicing.unsqueeze(1), noise[:, 1:]], dim=1)
        n = torch.arange(total[0] * HOP_SAMPLES)
        white = self.vocoder.noise[n % self.vocoder.noise.shape[0]].unsqueeze(0)
        white = white * (noise_scale / DEFAULT_NOISE_SCALE).clamp(0.0, 2.0)
        return self.vocoder(f0, voicing, pulse, noise, white).clamp(-1.0, 1.0).unsqueeze(1)


def load(path: Path, token_count: int, voice_count: int) -> Student:
    """A student with the weights of an exported file. Voices that the file does not have begin as its first one."""
    student = Student(token_count, voice_count)
    weights = {weight.name: onnx.numpy_helper.to_array(weight) for weight in onnx.load(path).graph.initializer}
    with torch.no_grad():
        for name, value in student.state_dict().items():
            known = weights.get(f"student.{name}")
            if name == "voice.weight" and known is not None:
                value[: len(known)] = torch.tensor(known)
                value[len(known) :] = value[0].clone()
            elif name != "voice.weight":
                if known is None or known.shape != value.shape:
                    raise SystemExit(f"{path}: {name} is missing or has another shape. Start from a model.onnx of this program.")
                value.copy_(torch.tensor(known))
    return student


def export(student: Student, path: Path, voices: list[str], note: str) -> None:
    """Writes the model, and beside it `<path>.json` with the numbers of the voices."""
    speaking = SpeakingStudent(student.eval()).eval()
    hello = torch.tensor([[TOKEN_ID[t] for t in ("HH", "AH0", "L", "OW1", SEPARATOR, ".", SEPARATOR)]])
    scalar = [torch.tensor([v]) for v in (DEFAULT_NOISE_SCALE, 1.0, 0.8)]
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            speaking,
            (hello, torch.tensor([hello.shape[1]]), *scalar, torch.tensor([0])),
            str(path),
            dynamo=False,
            opset_version=17,
            input_names=["x", "x_length", "noise_scale", "length_scale", "noise_scale_w", "sid"],
            output_names=["y"],
            dynamic_axes={"x": {0: "N", 1: "L"}, "x_length": {0: "N"}, "sid": {0: "N"}, "y": {0: "N", 2: "samples"}},
        )
    model = onnx.load(path)
    facts = {
        "model_type": "vits",
        "comment": note,
        "language": "English",
        "voice": "en-us",
        "frontend": "lexicon",
        "sample_rate": SAMPLE_RATE_HZ,
        "n_speakers": len(voices),
        "add_blank": 0,
        "punctuation": " ".join(MARKS),
        "blank_id": TOKEN_ID[SEPARATOR],
        "has_espeak": 0,
    }
    del model.metadata_props[:]
    for key, value in facts.items():
        model.metadata_props.add(key=key, value=str(value))
    model.doc_string = ""
    for node in model.graph.node:
        node.doc_string = ""
    onnx.checker.check_model(model)
    onnx.save(model, path)
    names = {name: number for number, name in enumerate(voices)}
    path.with_name(f"{path.name}.json").write_text(json.dumps({"speaker_id_map": names}, indent=2) + "\n")
