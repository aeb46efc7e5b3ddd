"""Trains the student on the teachers' speech; writes checkpoints with averaged weights."""

from __future__ import annotations

import math
import time
from pathlib import Path

import librosa
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from dataset import Batches
from model import Student, Vocoder, places
from teacher import HOP_SAMPLES, SAMPLE_RATE_HZ, Utterance

EDGE_FRAMES = 8  # frames at the ends of a window lack context and are left out of the loss
FLOOR = 2e-3
# A CPU without instructions for bfloat16 multiplies it more slowly than float32.
BF16 = any(torch.cpu.get_capabilities().get(name) for name in ("avx512_bf16", "amx_bf16"))


class SpectralLoss(nn.Module):
    """Distance of log spectra at several resolutions, and of log mel energies.

    Logarithms only: with independent noise on both sides a linear distance is least for a too quiet
    copy, a logarithmic one for an equal level.
    """

    SIZES = (1024, 512, 256, 128)

    def __init__(self) -> None:
        super().__init__()
        for size in self.SIZES:
            self.register_buffer(f"window{size}", torch.hann_window(size), persistent=False)
        mel = librosa.filters.mel(sr=SAMPLE_RATE_HZ, n_fft=512, n_mels=64, fmin=40, fmax=8000)
        self.register_buffer("mel", torch.tensor(mel / mel.sum(axis=1, keepdims=True)), persistent=False)

    def forward(self, ours: Tensor, theirs: Tensor) -> Tensor:
        total = ours.new_zeros(())
        both = torch.cat([ours, theirs])
        for size in self.SIZES:
            window = getattr(self, f"window{size}")
            power = torch.stft(both, size, size // 4, window=window, return_complex=True).abs().square()
            scale = FLOOR**2 * size  # noise power grows with the window
            a, b = torch.log(power + scale).mul(0.5).chunk(2)
            total = total + F.l1_loss(a, b)
            if size == 512:
                a, b = torch.log(self.mel @ power + scale).mul(0.5).chunk(2)
                total = total + 2 * F.l1_loss(a, b)
        return total / (len(self.SIZES) + 2)


def frame_inputs(states: Tensor, frames: Tensor, start: Tensor, window: int) -> tuple[Tensor, Tensor]:
    """States and places of `window` frames from `start`, for the teacher's durations [B, L]."""
    ends = torch.cumsum(frames, dim=1)
    t = start.unsqueeze(1) + torch.arange(window)
    index = torch.searchsorted(ends, t, right=True).clamp(max=frames.shape[1] - 1)
    end = torch.gather(ends, 1, index)
    begin = end - torch.gather(frames, 1, index)
    picked = torch.gather(states, 2, index.unsqueeze(1).expand(-1, states.shape[1], -1))
    return picked, places((t - begin).float() + 0.5, (end - t).float() - 0.5)


def losses(student: Student, vocoder: Vocoder, spectral: SpectralLoss, batch: dict[str, Tensor]) -> dict[str, Tensor]:
    window = batch["f0"].shape[1]
    with torch.autocast("cpu", torch.bfloat16, enabled=BF16):
        states, log_frames = student.encode(batch["tokens"], batch["voice"], batch["mask"])
        picked, place = frame_inputs(states, batch["frames"], batch["start"], window)
        f0, voicing, pulse, noise = student.decode(picked, place)
    white = torch.randn_like(batch["audio"])
    wave = vocoder(batch["f0"], batch["voiced"], pulse, noise, white)
    edge = EDGE_FRAMES * HOP_SAMPLES
    target = torch.log1p(batch["frames"].float())
    duration = (F.smooth_l1_loss(log_frames.float(), target, beta=0.1, reduction="none") * batch["mask"]).sum()
    voiced = batch["voiced"]
    pitch = ((torch.log(f0) - torch.log(batch["f0"])).abs() * voiced).sum() / voiced.sum().clamp(min=1)
    return {
        "spectral": spectral(wave[:, edge:-edge], batch["audio"][:, edge:-edge]),
        "duration": duration / batch["mask"].sum(),
        "pitch": pitch,
        "voicing": F.binary_cross_entropy_with_logits(voicing, voiced),
    }


WEIGHTS = {"spectral": 1.0, "duration": 1.0, "pitch": 4.0, "voicing": 0.3}


def running_mean(mean: Tensor, value: Tensor, count: Tensor | int) -> Tensor:
    """Exponential mean over about 1,000 steps; over fewer at the start, so the first weights are forgotten."""
    return torch.lerp(mean, value, max(0.001, 10.0 / (10.0 + float(count))))


def train(
    student: Student,
    voices: list[list[Utterance]],
    out: Path,
    minutes: float,
    seed: int,
    checkpoint: Path,
    batch: int = 8,
    window_frames: int = 176,
    peak_rate: float = 1.2e-3,
    resume: bool = False,
    checkpoint_minutes: float = 10.0,
    steps_limit: int | None = None,
) -> Student:
    """Trains `student` for `minutes` of wall clock (the learning rate falls to zero over them); returns averaged weights.

    `checkpoint` is written every `checkpoint_minutes` and at the end. With `resume` the training goes on from it.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    vocoder, spectral = Vocoder(), SpectralLoss()
    average = torch.optim.swa_utils.AveragedModel(student, avg_fn=running_mean)
    optimizer = torch.optim.AdamW(student.parameters(), lr=peak_rate, betas=(0.9, 0.98), weight_decay=0.01)
    step, spent = 0, 0.0
    if resume and checkpoint.exists():
        saved = torch.load(checkpoint, weights_only=True)
        student.load_state_dict(saved["student"])
        average.load_state_dict(saved["average"])
        optimizer.load_state_dict(saved["optimizer"])
        step, spent = saved["step"], saved["seconds"]
        print(f"goes on after {step} steps and {spent / 60:.0f} minutes", flush=True)
    batches = Batches(voices, batch, window_frames, seed + step)
    count = sum(p.numel() for p in student.parameters())
    print(f"student: {count / 1e6:.2f} M parameters, {sum(map(len, voices))} utterances", flush=True)
    last_save = time.monotonic()
    began = last_save - spent
    sums: dict[str, float] = {}

    def save() -> None:
        state = {"student": student.state_dict(), "average": average.state_dict(), "optimizer": optimizer.state_dict()}
        torch.save({**state, "step": step, "seconds": time.monotonic() - began}, checkpoint.with_suffix(".part"))
        checkpoint.with_suffix(".part").replace(checkpoint)

    while True:
        now = time.monotonic()
        done = (now - began) / (60 * minutes) if steps_limit is None else step / steps_limit
        if done >= 1:
            break
        warm = min(1.0, (step + 1) / 200)
        rate = peak_rate * warm * (0.5 + 0.5 * math.cos(math.pi * done))
        for group in optimizer.param_groups:
            group["lr"] = rate
        parts = losses(student, vocoder, spectral, batches.next())
        loss = sum(WEIGHTS[name] * value for name, value in parts.items())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(student.parameters(), 1.0)
        if torch.isfinite(norm):
            optimizer.step()
            average.update_parameters(student)
        step += 1
        for name, value in parts.items():
            sums[name] = sums.get(name, 0.0) + value.item()
        if step % 100 == 0 or step == 20:
            over = 100 if step % 100 == 0 else 20
            text = "  ".join(f"{name} {value / over:.4f}" for name, value in sums.items())
            print(f"step {step}  {(now - began) / step:.3f} s/step  {100 * done:.0f} %  {text}", flush=True)
            sums = {} if step % 100 == 0 else sums
        if now - last_save > 60 * checkpoint_minutes:
            last_save = now
            save()
    save()
    print(f"trained {step} steps in {(time.monotonic() - began) / 60:.1f} minutes", flush=True)
    final = average.module
    torch.save({"config": final.config, "state": final.state_dict(), "steps": step}, out)
    return final
