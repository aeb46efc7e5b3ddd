"""The training loop of both networks: Muon for matrices, AdamW for the rest, checkpoints, and checks on held-out clips.

On a CPU: one process a core, each with its own batches; they share the mean of their gradients. Small matrices gain
little from several threads on one batch. On a GPU: one process, with a worker a core that makes batches.
"""

import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

import torch
from torch import Tensor, distributed, multiprocessing, nn
from torch.nn.utils import parameters_to_vector
from torch.utils.data import DataLoader

from .batches import ClipStream, Recipe

WARM_UP_STEPS = 150

Batch = tuple[Tensor, ...]


@dataclass(frozen=True)
class TrainOptions:
    steps: int
    minutes: float  # whichever of steps and minutes ends first; the rates follow it
    seed: int = 1
    processes: int = 2
    device: str = "cpu"  # or "cuda", with one process
    workers: int = 1  # that make batches for a process
    rate: float = 2e-3
    decay_share: float = 0.45  # the last part of the run, in which the rates fall to nothing
    report_every: int = 100
    check_every: int = 500


class Task(Protocol):
    """A network with its losses and its checks. It is sent to the processes."""

    parts: tuple[str, ...]  # names for the report
    weights: tuple[float, ...]  # in the loss
    matrices: str  # in the names of the layers whose matrices Muon trains

    def first_model(self) -> nn.Module: ...

    def losses(self, model: nn.Module, batch: Batch, bf16: bool, progress: float) -> tuple[Tensor, ...]:
        """`progress`: the part of the training that is done, 0 to 1."""
        ...

    def check(self, model: nn.Module) -> str:
        """Errors on small held-out sets, as one line."""
        ...


@dataclass(frozen=True)
class Job:
    """One training run. `resume`: go on from `checkpoint`."""

    task: Task
    shards: Path
    pieces_file: Path
    pronunciations: Path
    checkpoint: Path
    options: TrainOptions
    recipe: Recipe
    resume: bool


def multiplies_bf16(device: str) -> bool:
    """A CPU without instructions for bfloat16 multiplies it more slowly than float32."""
    return device == "cuda" or any(torch.cpu.get_capabilities().get(name) for name in ("avx512_bf16", "amx_bf16"))


def rate_factor(step: int, progress: float, decay_share: float) -> float:
    return min(1.0, (step + 1) / WARM_UP_STEPS) * min(1.0, max(0.0, (1.0 - progress) / decay_share))


def build_optimisers(model: nn.Module, matrices_of: str, rate: float) -> list[torch.optim.Optimizer]:
    matrices = [p for name, p in model.named_parameters() if p.ndim == 2 and matrices_of in name]
    others = [p for name, p in model.named_parameters() if not (p.ndim == 2 and matrices_of in name)]
    return [
        torch.optim.Muon(matrices, lr=rate, weight_decay=0.02, momentum=0.95, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(others, lr=rate, betas=(0.9, 0.98), weight_decay=0.0),
    ]


def ctc(logits: Tensor, targets: Tensor, counts: Tensor) -> Tensor:
    """CTC loss for each symbol of the targets. A count of -1 leaves the clip out."""
    positions = torch.full((len(logits),), logits.shape[1], device=logits.device)
    log_probabilities = logits.float().log_softmax(-1).transpose(0, 1)
    loss = nn.functional.ctc_loss(log_probabilities, targets, positions, counts.clamp(min=0), zero_infinity=True, reduction="none")
    return loss[counts >= 0].sum() / counts.clamp(min=0).sum().clamp(min=1)


def _save(path: Path, model: nn.Module, optimisers: list[torch.optim.Optimizer], step: int, seconds: float) -> None:
    state = {"size": asdict(model.size), "model": model.state_dict(), "optimisers": [o.state_dict() for o in optimisers], "step": step, "seconds": seconds}
    torch.save(state, path.with_suffix(".part"))
    path.with_suffix(".part").replace(path)


def share_gradients(model: nn.Module) -> None:
    """Every process goes on with the mean of all processes' gradients."""
    if distributed.get_world_size() == 1:
        return
    parameters = [p for p in model.parameters() if p.grad is not None]
    mean = parameters_to_vector([p.grad for p in parameters])
    distributed.all_reduce(mean)
    mean /= distributed.get_world_size()
    for parameter, part in zip(parameters, mean.split([p.numel() for p in parameters]), strict=True):
        parameter.grad.copy_(part.view_as(parameter))


def _meeting_place(job: Job) -> Path:
    """The file by which the processes find each other."""
    return (job.checkpoint.parent / "processes").resolve()


def _process(rank: int, job: Job) -> None:
    options, task = job.options, job.task
    distributed.init_process_group("gloo", init_method=f"file://{_meeting_place(job)}", rank=rank, world_size=options.processes)
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    device, bf16 = torch.device(options.device), multiplies_bf16(options.device)
    model, first_step, spent = task.first_model().to(device), 0, 0.0
    optimisers = build_optimisers(model, task.matrices, options.rate)
    if job.resume and job.checkpoint.exists():
        state = torch.load(job.checkpoint, map_location=device, weights_only=True)
        model.load_state_dict(state["model"])
        for optimiser, saved in zip(optimisers, state["optimisers"], strict=True):
            optimiser.load_state_dict(saved)
        first_step, spent = state["step"], state["seconds"]
    stream = ClipStream(job.shards, job.pieces_file, job.pronunciations, job.recipe, options.seed + first_step + 1_000_003 * rank)
    batches = iter(DataLoader(stream, batch_size=None, num_workers=options.workers, prefetch_factor=8, pin_memory=device.type == "cuda"))
    if rank == 0:
        print(f"{sum(p.numel() for p in model.parameters())} parameters, from step {first_step}", flush=True)
    began, sums, clips, step = time.monotonic() - spent, [0.0] * len(task.parts), 0, first_step

    def checkpoint() -> None:
        _save(job.checkpoint, model, optimisers, step, time.monotonic() - began)
        model.eval()
        with torch.inference_mode():
            print(f"held out at {step}: {task.check(model)}", flush=True)
        model.train()

    while True:
        seconds = time.monotonic() - began
        progress = torch.tensor(max(step / options.steps, seconds / 60 / options.minutes))
        distributed.broadcast(progress, 0)
        if progress >= 1:
            break
        for optimiser in optimisers:
            for group in optimiser.param_groups:
                group["lr"] = options.rate * rate_factor(step, float(progress), options.decay_share)
        batch = tuple(tensor.to(device, non_blocking=True) for tensor in next(batches))
        parts = task.losses(model, batch, bf16, float(progress))
        sum(weight * part for weight, part in zip(task.weights, parts, strict=True)).backward()
        share_gradients(model)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        for optimiser in optimisers:
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
        sums = [total + part.item() for total, part in zip(sums, parts, strict=True)]
        clips += len(batch[0])
        step += 1
        if rank == 0 and step % options.report_every == 0:
            means = "  ".join(f"{name} {total / options.report_every:.3f}" for name, total in zip(task.parts, sums, strict=True))
            print(f"step {step}  {means}  {clips} clips a process  {seconds / 60:.1f} min  {float(progress):.1%}", flush=True)
            sums = [0.0] * len(task.parts)
        if rank == 0 and step % options.check_every == 0:
            checkpoint()
    if rank == 0:
        checkpoint()
    os._exit(0)  # the loader's worker would be waited for


def train(job: Job) -> None:
    """Runs to the end of the options. The result is the checkpoint."""
    _meeting_place(job).unlink(missing_ok=True)
    multiprocessing.spawn(_process, (job,), job.options.processes)
