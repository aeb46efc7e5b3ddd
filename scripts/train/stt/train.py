"""The training loop: cross entropy on the decoder, CTC and phones on the encoder, Muon for matrices, AdamW for the rest.

One process a core, each with its own batches; they share the mean of their gradients. Small matrices gain little
from several threads on one batch.
"""

import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor, distributed, multiprocessing
from torch.nn import functional
from torch.nn.utils import parameters_to_vector
from torch.utils.data import DataLoader

from . import start_from
from .batches import IGNORED, ClipStream, Recipe
from .config import ModelSize
from .decode import Decoded, greedy
from .model import Recogniser
from .pieces import Pieces
from .wer import word_errors

LOSS_PARTS = ("words", "letters", "phones", "sounds")
LOSS_WEIGHTS = (1.0, 1.0, 1.0, 1.0)
WARM_UP_STEPS = 150


@dataclass(frozen=True)
class TrainOptions:
    steps: int
    minutes: float  # whichever of steps and minutes ends first; the rates follow it
    seed: int = 1
    processes: int = 2
    bf16: bool = True
    rate: float = 2e-3
    decay_share: float = 0.45  # the last part of the run, in which the rates fall to nothing
    report_every: int = 100
    check_every: int = 1500


def rate_factor(step: int, progress: float, decay_share: float) -> float:
    return min(1.0, (step + 1) / WARM_UP_STEPS) * min(1.0, max(0.0, (1.0 - progress) / decay_share))


def build_optimisers(model: Recogniser, rate: float) -> list[torch.optim.Optimizer]:
    matrices = [p for name, p in model.named_parameters() if p.ndim == 2 and ".blocks." in name]
    others = [p for name, p in model.named_parameters() if not (p.ndim == 2 and ".blocks." in name)]
    return [
        torch.optim.Muon(matrices, lr=rate, weight_decay=0.02, momentum=0.95, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(others, lr=rate, betas=(0.9, 0.98), weight_decay=0.0),
    ]


def _ctc(logits: Tensor, targets: Tensor, counts: Tensor) -> Tensor:
    """CTC loss for each symbol of the targets. A count of -1 leaves the clip out."""
    positions = torch.full((len(logits),), logits.shape[1])
    log_probabilities = logits.float().log_softmax(-1).transpose(0, 1)
    loss = functional.ctc_loss(log_probabilities, targets, positions, counts.clamp(min=0), zero_infinity=True, reduction="none")
    return loss[counts >= 0].sum() / counts.clamp(min=0).sum().clamp(min=1)


def losses(model: Recogniser, batch: tuple[Tensor, ...], bf16: bool) -> tuple[Tensor, ...]:
    mel, given, wanted, letters, letter_counts, phones, sounds, sound_counts = batch
    with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
        heard = model.encoder(mel)
        states = model.decoder(given, heard)
        kept = wanted != IGNORED
        logits = model.logits(states[kept])
        ctc, phone_logits, sound_logits = model.ctc(heard), model.phones(heard), model.sounds(heard)
    spoken = functional.cross_entropy(logits.float(), wanted[kept])
    aligned = _ctc(ctc, letters, letter_counts)
    heard_phones = functional.cross_entropy(phone_logits.float().flatten(0, 1), phones.flatten(), ignore_index=IGNORED)
    return spoken, aligned, heard_phones, _ctc(sound_logits, sounds, sound_counts)


def save(path: Path, model: Recogniser, optimisers: list[torch.optim.Optimizer], step: int, seconds: float) -> None:
    state = {"size": asdict(model.size), "model": model.state_dict(), "optimisers": [o.state_dict() for o in optimisers], "step": step, "seconds": seconds}
    torch.save(state, path.with_suffix(".part"))
    path.with_suffix(".part").replace(path)


def load_model(path: Path, rows: int) -> tuple[Recogniser, dict]:
    state = torch.load(path, weights_only=True)
    model = Recogniser(ModelSize(**state["size"]), rows)
    model.load_state_dict(state["model"])
    return model, state


def check(model: Recogniser, dev: list[tuple[str, list[tuple[Tensor, str]]]], pieces: Pieces) -> str:
    """Word error rates of the decoder on small held-out sets, as one line."""
    model.eval()
    parts = []
    for name, clips in dev:
        said: list[Decoded] = [greedy(model, mel[None], pieces) for mel, _ in clips]
        errors = sum(word_errors(text, decoded.text) for (_, text), decoded in zip(clips, said, strict=True))
        parts.append(f"{name} {100 * errors / max(1, sum(len(text.split()) for _, text in clips)):.1f} %")
    model.train()
    return "  ".join(parts)


def share_gradients(model: Recogniser) -> None:
    """Every process goes on with the mean of all processes' gradients."""
    parameters = [p for p in model.parameters() if p.grad is not None]
    mean = parameters_to_vector([p.grad for p in parameters])
    distributed.all_reduce(mean)
    mean /= distributed.get_world_size()
    for parameter, part in zip(parameters, mean.split([p.numel() for p in parameters]), strict=True):
        parameter.grad.copy_(part.view_as(parameter))


def _meeting_place(job: "Job") -> Path:
    """The file by which the processes find each other."""
    return (job.work / "processes").resolve()


def _process(rank: int, job: "Job") -> None:
    options = job.options
    distributed.init_process_group("gloo", init_method=f"file://{_meeting_place(job)}", rank=rank, world_size=options.processes)
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    pieces, path = Pieces(job.pieces_file), job.work / "checkpoint.pt"
    model, first_step, spent = Recogniser(job.size, pieces.rows), 0, 0.0
    if job.start_from is not None:
        model = start_from.grow(start_from.read(job.start_from, pieces), job.size)
    optimisers = build_optimisers(model, options.rate)
    if job.resume and path.exists():
        model, state = load_model(path, pieces.rows)
        optimisers = build_optimisers(model, options.rate)
        for optimiser, saved in zip(optimisers, state["optimisers"], strict=True):
            optimiser.load_state_dict(saved)
        first_step, spent = state["step"], state["seconds"]
    stream = ClipStream(job.shards, job.pieces_file, job.pronunciations, job.recipe, options.seed + first_step + 1_000_003 * rank)
    batches = iter(DataLoader(stream, batch_size=None, num_workers=1, prefetch_factor=8))
    if rank == 0:
        print(f"{sum(p.numel() for p in model.parameters())} parameters, {pieces.rows} rows, from step {first_step}", flush=True)
    began, sums, clips, step = time.monotonic() - spent, [0.0] * len(LOSS_PARTS), 0, first_step
    while True:
        seconds = time.monotonic() - began
        progress = torch.tensor(max(step / options.steps, seconds / 60 / options.minutes))
        distributed.broadcast(progress, 0)
        if progress >= 1:
            break
        for optimiser in optimisers:
            for group in optimiser.param_groups:
                group["lr"] = options.rate * rate_factor(step, float(progress), options.decay_share)
        batch = next(batches)
        parts = losses(model, batch, options.bf16)
        sum(weight * part for weight, part in zip(LOSS_WEIGHTS, parts, strict=True)).backward()
        share_gradients(model)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        for optimiser in optimisers:
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
        sums = [total + part.item() for total, part in zip(sums, parts, strict=True)]
        clips += len(batch[0])
        step += 1
        if rank == 0 and step % options.report_every == 0:
            means = "  ".join(f"{name} {total / options.report_every:.3f}" for name, total in zip(LOSS_PARTS, sums, strict=True))
            print(f"step {step}  {means}  {clips} clips a process  {seconds / 60:.1f} min  {float(progress):.1%}", flush=True)
            sums = [0.0] * len(LOSS_PARTS)
        if rank == 0 and step % options.check_every == 0:
            save(path, model, optimisers, step, time.monotonic() - began)
            print(f"held out at {step}: {check(model, job.dev, pieces)}", flush=True)
    if rank == 0:
        save(path, model, optimisers, step, time.monotonic() - began)
        print(f"held out at {step}: {check(model, job.dev, pieces)}", flush=True)
    os._exit(0)  # the loader's worker would be waited for


@dataclass(frozen=True)
class Job:
    """One training run.

    `dev`: small held-out sets of (scaled mel, text). `start_from`: a ggml file whose weights to begin with.
    `resume`: go on from the last checkpoint in `work`.
    """

    shards: Path
    pieces_file: Path
    pronunciations: Path
    work: Path
    size: ModelSize
    options: TrainOptions
    recipe: Recipe
    dev: list[tuple[str, list[tuple[Tensor, str]]]]
    start_from: Path | None
    resume: bool


def train(job: Job) -> Path:
    """Runs to the end of the options and returns the checkpoint."""
    _meeting_place(job).unlink(missing_ok=True)
    multiprocessing.spawn(_process, (job,), job.options.processes)
    return job.work / "checkpoint.pt"
