"""The training loop: cross entropy on the decoder, CTC and phones on the encoder, Muon for matrices, AdamW for the rest."""

import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.data import DataLoader

from .batches import IGNORED, ClipStream, Recipe
from .config import ModelSize
from .decode import Decoded, greedy
from .model import Recogniser
from .pieces import Pieces
from .wer import word_errors

LOSS_WEIGHTS = (1.0, 1.0, 1.0)  # words, letters (CTC), phones
WARM_UP_STEPS = 150
DECAY_SHARE = 0.45  # the last part of the run, in which the rates fall to nothing


@dataclass(frozen=True)
class TrainOptions:
    steps: int
    minutes: float  # whichever of steps and minutes ends first; the rates follow it
    seed: int = 1
    threads: int = 1
    bf16: bool = True
    rate: float = 2e-3
    report_every: int = 50
    save_every: int = 500


def rate_factor(step: int, progress: float) -> float:
    return min(1.0, (step + 1) / WARM_UP_STEPS) * min(1.0, max(0.0, (1.0 - progress) / DECAY_SHARE))


def build_optimisers(model: Recogniser, rate: float) -> list[torch.optim.Optimizer]:
    matrices = [p for name, p in model.named_parameters() if p.ndim == 2 and ".blocks." in name]
    others = [p for name, p in model.named_parameters() if not (p.ndim == 2 and ".blocks." in name)]
    return [
        torch.optim.Muon(matrices, lr=rate, weight_decay=0.02, momentum=0.95, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(others, lr=rate, betas=(0.9, 0.98), weight_decay=0.0),
    ]


def losses(model: Recogniser, batch: tuple[Tensor, ...], bf16: bool) -> tuple[Tensor, Tensor, Tensor]:
    mel, given, wanted, letters, letter_counts, phones = batch
    with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
        heard = model.encoder(mel)
        states = model.decoder(given, heard)
        kept = wanted != IGNORED
        logits = model.logits(states[kept])
        ctc, phone_logits = model.ctc(heard), model.phones(heard)
    spoken = functional.cross_entropy(logits.float(), wanted[kept])
    positions = torch.full((len(mel),), heard.shape[1])
    aligned = functional.ctc_loss(ctc.float().log_softmax(-1).transpose(0, 1), letters, positions, letter_counts, zero_infinity=True, reduction="sum")
    heard_phones = functional.cross_entropy(phone_logits.float().flatten(0, 1), phones.flatten(), ignore_index=IGNORED)
    return spoken, aligned / letter_counts.sum().clamp(min=1), heard_phones


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


def train(shards: Path, pieces_file: Path, work: Path, size: ModelSize, options: TrainOptions, recipe: Recipe,
          dev: list[tuple[str, list[tuple[Tensor, str]]]], resume: bool) -> Path:
    """Runs to the end of `options` and returns the checkpoint."""
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    pieces, path = Pieces(pieces_file), work / "checkpoint.pt"
    model, first_step, spent = Recogniser(size, pieces.rows), 0, 0.0
    optimisers = build_optimisers(model, options.rate)
    if resume and path.exists():
        model, state = load_model(path, pieces.rows)
        optimisers = build_optimisers(model, options.rate)
        for optimiser, saved in zip(optimisers, state["optimisers"], strict=True):
            optimiser.load_state_dict(saved)
        first_step, spent = state["step"], state["seconds"]
    stream = ClipStream(shards, pieces_file, recipe, options.seed + first_step)
    batches = iter(DataLoader(stream, batch_size=None, num_workers=1, prefetch_factor=8))
    print(f"{sum(p.numel() for p in model.parameters())} parameters, {pieces.rows} rows, from step {first_step}", flush=True)
    began, sums, clips = time.monotonic() - spent, [0.0] * 3, 0
    step = first_step
    while True:
        seconds = time.monotonic() - began
        progress = max(step / options.steps, seconds / 60 / options.minutes)
        if progress >= 1:
            break
        for optimiser in optimisers:
            for group in optimiser.param_groups:
                group["lr"] = options.rate * rate_factor(step, progress)
        batch = next(batches)
        parts = losses(model, batch, options.bf16)
        sum(weight * part for weight, part in zip(LOSS_WEIGHTS, parts, strict=True)).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        for optimiser in optimisers:
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
        sums = [total + part.item() for total, part in zip(sums, parts, strict=True)]
        clips += len(batch[0])
        step += 1
        if step % options.report_every == 0:
            means = "  ".join(f"{name} {total / options.report_every:.3f}" for name, total in zip(("words", "letters", "phones"), sums, strict=True))
            print(f"step {step}  {means}  {clips} clips  {seconds / 60:.1f} min  {progress:.0%}", flush=True)
            sums = [0.0] * 3
        if step % options.save_every == 0:
            save(path, model, optimisers, step, time.monotonic() - began)
            print(f"held out at {step}: {check(model, dev, pieces)}", flush=True)
    save(path, model, optimisers, step, time.monotonic() - began)
    print(f"held out at {step}: {check(model, dev, pieces)}", flush=True)
    return path
