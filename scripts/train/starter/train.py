"""Fine-tunes SmolLM2-135M-Instruct to the starter language model.

    python train.py --origin SmolLM2-135M-Instruct.Q4_1.gguf --work WORK --processes 2 --minutes 75 [--resume]

The learning rate falls linearly to zero over `--minutes`, so a slower machine gives a weaker model, not an unfinished one. `--processes 2`
uses two cores: each process reads its own conversations, and they share their gradients. `export.py` writes the GGUF file.
"""

import argparse
import dataclasses
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as multiprocessing
import torch.nn.functional as F
from torch import Tensor

import network as networks
from batches import Batch, batches
from mixture import Mixture
from network import Network
from rendering import CALL_ID, Renderer, read_tokenizer
from weights import read_network

# The new token begins as a copy of one that no conversation has.
SEED_TOKEN = "();"
WARM_UP_STEPS = 20
# Seconds. A step that took longer was stopped in between, which does not use up the minutes.
LONGEST_STEP = 60.0


@dataclasses.dataclass
class Progress:
    """How far a training has come. It goes on from a checkpoint."""

    steps: int = 0
    tokens: int = 0
    seconds: float = 0.0


def number_format() -> torch.dtype:
    """bfloat16 where it is fast. A CPU without instructions for it needs float32."""
    known = torch.cpu.get_capabilities()
    return torch.bfloat16 if known.get("avx512_bf16") or known.get("amx_bf16") else torch.float32


def prepared(origin: Path) -> tuple[Network, Renderer]:
    """The network of the file with the token of calls."""
    tokenizer = read_tokenizer(origin)
    network = read_network(origin)
    with torch.no_grad():
        network.token_embd[CALL_ID] = network.token_embd[tokenizer.token_to_id(SEED_TOKEN)].clone()
    return network, Renderer(tokenizer)


class Trainer:
    """The network in the fast number format, and exact copies of the weights that are learnt."""

    def __init__(self, network: Network, rate: float) -> None:
        self.network, self.rate = network, rate
        self.learnt = {name: parameter for name, parameter in network.named_parameters() if parameter.requires_grad}
        self.exact = {name: parameter.detach().float().clone() for name, parameter in self.learnt.items()}
        self.optimiser = torch.optim.AdamW(self.exact.values(), lr=rate, betas=(0.9, 0.98), weight_decay=0.0, fused=True)

    def step(self, share: float, processes: int) -> None:
        """`share`: of the learning rate."""
        gradients = torch.cat([parameter.grad.flatten() for parameter in self.learnt.values()]).float()
        if processes > 1:
            dist.all_reduce(gradients)
            gradients /= processes
        gradients *= (1.0 / (gradients.norm() + 1e-6)).clamp(max=1.0)
        parts = gradients.split([exact.numel() for exact in self.exact.values()])
        for exact, part in zip(self.exact.values(), parts):
            exact.grad = part.view_as(exact)
        for group in self.optimiser.param_groups:
            group["lr"] = self.rate * share
        self.optimiser.step()
        self.copy()

    @torch.no_grad()
    def copy(self) -> None:
        for name, parameter in self.learnt.items():
            parameter.copy_(self.exact[name])
            parameter.grad = None

    def state(self) -> dict:
        return {"learnt": self.exact, "optimiser": self.optimiser.state_dict()}

    def load(self, state: dict) -> None:
        for name, exact in self.exact.items():
            exact.copy_(state["learnt"][name])
        self.optimiser.load_state_dict(state["optimiser"])
        self.copy()


def loss_of(network: Network, batch: Batch) -> Tensor:
    ids, targets, weights = batch
    wanted = weights > 0
    chosen = weights[wanted]
    losses = F.cross_entropy(network.logits(network.states(ids)[wanted]).float(), targets[wanted], reduction="none")
    return (losses * chosen).sum() / chosen.sum()


def checkpoint(work: Path) -> Path:
    return work / "training.pt"


def save(trainer: Trainer, progress: Progress, work: Path) -> None:
    partial = checkpoint(work).with_suffix(".part")
    torch.save({**trainer.state(), "progress": dataclasses.asdict(progress)}, partial)
    partial.replace(checkpoint(work))


def run(rank: int, arguments: argparse.Namespace) -> None:
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(arguments.seed)
    if arguments.processes > 1:
        dist.init_process_group("gloo", init_method=f"file://{arguments.work}/meeting", rank=rank, world_size=arguments.processes)
    network, renderer = prepared(arguments.origin)
    network.open(arguments.rank, arguments.frozen)
    network = network.to(number_format())
    trainer, progress = Trainer(network, arguments.rate), Progress()
    if arguments.resume and checkpoint(arguments.work).exists():
        state = torch.load(checkpoint(arguments.work), mmap=True, weights_only=True)
        trainer.load(state)
        progress = Progress(**state["progress"])
        if rank == 0:
            print(f"goes on after {progress.steps} steps and {progress.seconds / 60:.0f} minutes", flush=True)
    if arguments.compiled:
        networks.step = torch.compile(networks.step, dynamic=True)
    seed = arguments.seed + 1000 * progress.steps + rank
    source = batches(renderer, Mixture().dialogue, seed, arguments.tokens)
    train(rank, trainer, source, progress, arguments)
    if arguments.processes > 1:
        dist.destroy_process_group()


def train(rank: int, trainer: Trainer, source, progress: Progress, arguments: argparse.Namespace) -> None:
    before = saved = time.monotonic()
    recent: list[float] = []
    while True:
        batch = next(source)
        loss = loss_of(trainer.network, batch)
        loss.backward()
        before, passed = time.monotonic(), time.monotonic() - before
        figures = torch.tensor([min(passed, LONGEST_STEP), float(batch[0].numel()), loss.item()], dtype=torch.float64)
        if arguments.processes > 1:  # all of them end at the same step
            dist.all_reduce(figures)
        progress.seconds += figures[0].item() / arguments.processes
        done = progress.seconds / (arguments.minutes * 60)
        trainer.step(max(0.0, min(1.0, (progress.steps + 1) / WARM_UP_STEPS, 1.0 - done)), arguments.processes)
        progress.steps, progress.tokens = progress.steps + 1, progress.tokens + int(figures[1].item())
        recent.append(figures[2].item() / arguments.processes)
        if rank == 0 and progress.steps % 3 == 0:
            print(f"step {progress.steps} {done:.0%} loss {sum(recent) / len(recent):.3f} {progress.tokens} tokens {progress.tokens / progress.seconds:.0f}/s", flush=True)
            recent.clear()
        is_over = done >= 1 or (arguments.steps is not None and progress.steps >= arguments.steps)
        if rank == 0 and (is_over or time.monotonic() - saved > arguments.save_minutes * 60):
            save(trainer, progress, arguments.work)
            saved = time.monotonic()
        if is_over:
            return


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--origin", type=Path, required=True, help="the GGUF file to start from")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=75)
    parser.add_argument("--steps", type=int, help="stop earlier, after so many steps")
    parser.add_argument("--save-minutes", type=float, default=4)
    parser.add_argument("--tokens", type=int, default=2048, help="tokens a batch of one process, padding included")
    parser.add_argument("--rate", type=float, default=2.5e-3, help="highest learning rate")
    parser.add_argument("--rank", type=int, default=32, help="of the additions to the matrices")
    parser.add_argument("--frozen", type=int, default=4, help="so many of the first layers do not learn")
    parser.add_argument("--threads", type=int, default=1, help="of each process")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--compiled", action="store_true", help="compile the layers with the C++ compiler")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in the work folder")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    (arguments.work / "meeting").unlink(missing_ok=True)
    if arguments.processes == 1:
        return run(0, arguments)
    multiprocessing.spawn(run, (arguments,), nprocs=arguments.processes)


if __name__ == "__main__":
    main()
