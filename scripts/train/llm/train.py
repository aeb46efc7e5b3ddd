"""Trains the starter language model and writes starter.gguf.

    python train.py --data DATA --work WORK --out starter.gguf --minutes 75
    python train.py --data DATA --work WORK --out smoke.gguf --smoke

DATA holds the dialogue, sentence and intent corpora (see CARD.md). The learning rate falls linearly to zero
over `--minutes`, so a slower machine gives a weaker model, not an unfinished one.
"""

import argparse
import dataclasses
import pickle
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

import corpora
import start_from
import tokenizer as bpe
import values
from batches import Batch, Conversations
from evaluate import copy_accuracy, fact_accuracy, perplexity
from evaluate_tools import tool_scores
from exercises import Exercises, Mixture, OtherConversations
from export import export
from focus import Focus
from grammar import Grammar
from grammar_tools import ToolGrammar
from model import Llama, Shape
from optimiser import Optimiser

# Pieces of the tokenizer before their twins without a space, and those of them that are lower-case merges.
PIECES, LOWER = 4096, 2500
SMOKE_SHAPE = Shape(width=64, layers=2, heads=2, hidden=192)


def number_format(device: str) -> torch.dtype:
    """bfloat16 where it is fast. A CPU without instructions for it needs float32."""
    known = torch.cpu.get_capabilities()
    return torch.bfloat16 if device == "cuda" or known.get("avx512_bf16") or known.get("amx_bf16") else torch.float32


def make_tokenizer(grammar: Grammar, real: list, path: Path):
    if path.exists():
        return bpe.load(path)
    r = random.Random(5)
    dialogues = [grammar.dialogue(r) for _ in range(6000)] + r.sample(real, min(5000, len(real)))
    texts = [text for d in dialogues for text in (d.system, *(said for _, said in d.turns))]
    names = values.FIRST + values.LAST + values.CITIES + values.MONTHS + values.DAYS
    texts += [f"my name is {n}, {n.lower()} {n}" for n in names]
    texts += ["system\nuser\nassistant"] * 2000
    r.shuffle(texts)
    made = bpe.train(texts, PIECES, LOWER)
    bpe.save(made, path)
    return made


def load_corpora(data: Path, seed: int, cache: Path) -> tuple[list, list]:
    """(training, held-out) conversations; kept in the work folder, as reading them takes longer than a restart should."""
    if cache.exists():
        return pickle.loads(cache.read_bytes())
    made = corpora.dialogues(data, False, seed), corpora.dialogues(data, True, seed)
    cache.write_bytes(pickle.dumps(made))
    return made


@dataclasses.dataclass
class Progress:
    """How far a training has come. It goes on from a checkpoint."""

    steps: int = 0
    tokens: int = 0
    seconds: float = 0.0


def checkpoint(work: Path) -> Path:
    return work / "training.pt"


def snapshot(model: Llama, optimiser: Optimiser, tokenizer, progress: Progress, work: Path, out: Path) -> None:
    state = {"model": model.state_dict(), "optimiser": optimiser.state(), "progress": dataclasses.asdict(progress)}
    torch.save(state, checkpoint(work).with_suffix(".part"))
    checkpoint(work).with_suffix(".part").replace(checkpoint(work))
    partial = out.with_suffix(".partial")
    export(model, tokenizer, partial)
    partial.replace(out)


def run(arguments: argparse.Namespace) -> None:
    torch.manual_seed(arguments.seed)
    torch.set_num_threads(arguments.threads)
    arguments.work.mkdir(parents=True, exist_ok=True)
    shape = SMOKE_SHAPE if arguments.smoke else Shape()
    minutes = 0.15 if arguments.smoke else arguments.minutes
    real, real_test = load_corpora(arguments.data, arguments.seed, arguments.work / "corpora.pickle")
    grammar, grammar_test = (Grammar(corpora.sentences(arguments.data, test), corpora.intents(arguments.data, test), test) for test in (False, True))
    if arguments.start_from:
        tokenizer = start_from.read_tokenizer(arguments.start_from)
        shape = dataclasses.replace(shape, layers=start_from.read_shape(arguments.start_from).layers)
    else:
        tokenizer = make_tokenizer(grammar, real, arguments.work / "tokenizer.json")
    shape = dataclasses.replace(shape, vocabulary=tokenizer.get_vocab_size())
    if arguments.layers:
        shape = dataclasses.replace(shape, layers=arguments.layers)
    model = Llama(shape)
    if arguments.start_from:
        model.load_state_dict(start_from.read_weights(arguments.start_from, model))
    kind = number_format(arguments.device)
    model = model.to(arguments.device, kind)
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters in {kind}, {len(real)} corpus dialogues", flush=True)
    old = None
    if arguments.focus:
        old = Llama(dataclasses.replace(shape, layers=start_from.read_shape(arguments.focus).layers))
        old.load_state_dict(start_from.read_weights(arguments.focus, old))
        old = old.to(arguments.device, kind).eval()
    if arguments.device == "cpu" and kind == torch.bfloat16 and not arguments.smoke:
        for layer in [*model.layers, *(old.layers if old else [])]:
            layer.forward = torch.compile(layer.forward, dynamic=False)
        torch._dynamo.config.cache_size_limit = 256
    optimiser, progress = Optimiser(model, arguments.muon_rate, arguments.adam_rate), Progress()
    if arguments.resume and checkpoint(arguments.work).exists():
        state = torch.load(checkpoint(arguments.work), map_location=arguments.device, weights_only=True)
        model.load_state_dict(state["model"])
        optimiser.load(state["optimiser"])
        progress = Progress(**state["progress"])
        print(f"goes on after {progress.steps} steps and {progress.seconds / 60:.0f} minutes", flush=True)
    train(model, old, optimiser, tokenizer, grammar, real, minutes, progress, arguments)

    model = model.float().cpu().eval()
    for layer in model.layers:
        layer.__dict__.pop("forward", None)
    r = random.Random(77)
    made = [grammar_test.dialogue(r) for _ in range(20 if arguments.smoke else 300)]
    print(f"held-out reply perplexity: corpora {perplexity(model, tokenizer, real_test[: 20 if arguments.smoke else 300]):.2f}, grammar {perplexity(model, tokenizer, made):.3f}")
    share, whole, told, misses = copy_accuracy(model, tokenizer, grammar_test, 78, 5 if arguments.smoke else 400)
    print(f"copied values: {share:.1%}; replies with every value right: {whole:.1%}; values of the replies that are right: {told:.1%}")
    print("\n".join(misses))
    answered, declined = fact_accuracy(model, tokenizer, 79, 5 if arguments.smoke else 150)
    print(f"facts of the prompt answered: {answered:.1%}; questions beyond them declined: {declined:.1%}", flush=True)
    for what, score in tool_scores(model, tokenizer, ToolGrammar(True), 80, 5 if arguments.smoke else 200).items():
        print(f"held-out tools: {what}: {score}", flush=True)


def losses_of(model: Llama, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """(weighted mean of the cross entropy, mean over the replies)."""
    ids, targets, weights = batch
    wanted = weights > 0
    chosen = weights[wanted]
    losses = F.cross_entropy(model.logits(model.states(ids)[wanted]).float(), targets[wanted], reduction="none")
    loss = (losses * chosen).sum() / chosen.sum()
    return loss, losses[chosen >= 1].mean().detach() if (chosen >= 1).any() else loss.detach()


def distance(model: Llama, old: Llama, batch: Batch) -> torch.Tensor:
    """Weighted mean of the Kullback-Leibler divergence of the replies' next tokens from those of `old`."""
    ids, _, weights = batch
    wanted = weights > 0
    with torch.no_grad():
        theirs = old.logits(old.states(ids)[wanted]).float().log_softmax(-1)
    own = model.logits(model.states(ids)[wanted]).float().log_softmax(-1)
    return (F.kl_div(own, theirs, reduction="none", log_target=True).sum(-1) * weights[wanted]).sum() / weights[wanted].sum()


def train(
    model: Llama, old: Llama | None, optimiser: Optimiser, tokenizer, grammar: Grammar, real: list, minutes: float, done: Progress, arguments: argparse.Namespace
) -> None:
    """With `old` it learns the conversations of `focus.py` or the exercises alone. In others it stays near `old`."""
    last_saved = time.monotonic()
    began = last_saved - done.seconds

    def shares(read: int) -> tuple[float, float, float]:
        """Drills first, conversations of the corpora more and more."""
        progress = (read + 1) / arguments.drill_tokens
        return arguments.real_share * min(1.0, progress), arguments.tool_share * min(1.0, progress), max(0.05, 0.6 - 0.55 * progress)

    def stream(tools: ToolGrammar, of: Callable[[int], tuple[float, float, float]], tokens: int) -> Iterator[Batch]:
        made = Conversations(tokenizer, grammar, tools, real, of, tokens, arguments.seed + done.steps, done.tokens)
        ahead = 64 if arguments.workers else None  # a worker makes many batches at once
        for batch in DataLoader(made, batch_size=None, num_workers=arguments.workers, prefetch_factor=ahead, pin_memory=arguments.device == "cuda"):
            ids, targets, weights = (tensor.to(arguments.device, non_blocking=True) for tensor in batch)
            yield ids, targets, weights

    def without_tools(read: int) -> tuple[float, float, float]:
        real_share, _, drill_share = shares(read)
        return real_share, 0.0, drill_share

    batches = stream(Mixture(False), shares, arguments.tokens)
    if old:
        learnt, kept, of = (Exercises(False), OtherConversations(False), shares) if arguments.exercises else (Focus(False), ToolGrammar(False), without_tools)
        batches = stream(learnt, lambda _: (0.0, 1.0, 0.0), arguments.tokens)
        # Half of the tokens are enough to stay near `old`.
        near = stream(kept, of, arguments.tokens // 2)
    recent: list[float] = []
    while (elapsed := time.monotonic() - began) < minutes * 60:
        done.seconds = elapsed
        batch = next(batches)
        loss, shown = losses_of(model, batch)
        loss.backward()
        if old:
            (arguments.near * distance(model, old, next(near))).backward()
        nn.utils.clip_grad_norm_([p for p, *_ in optimiser.adam], 1.0)
        progress = elapsed / (minutes * 60)
        optimiser.step(min(1.0, (done.steps + 1) / 40) * (1 - progress))
        done.steps, done.tokens = done.steps + 1, done.tokens + batch[0].numel()
        recent.append(shown.item())
        if done.steps % 25 == 0:
            print(f"step {done.steps} {progress:.0%} loss {sum(recent) / len(recent):.3f} {done.tokens / (time.monotonic() - began):.0f} tokens/s", flush=True)
            recent.clear()
        if time.monotonic() - last_saved > arguments.save_minutes * 60:
            snapshot(model, optimiser, tokenizer, done, arguments.work, arguments.out)
            last_saved = time.monotonic()
    snapshot(model, optimiser, tokenizer, done, arguments.work, arguments.out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=75)
    parser.add_argument("--save-minutes", type=float, default=5)
    parser.add_argument("--tokens", type=int, default=4096, help="tokens a batch, padding included")
    parser.add_argument("--real-share", type=float, default=0.2, help="share of corpus dialogues")
    parser.add_argument("--tool-share", type=float, default=0.5, help="share of conversations with tools")
    parser.add_argument("--drill-tokens", type=float, default=1.5e6, help="after so many tokens the drills have become rare")
    parser.add_argument("--muon-rate", type=float, default=0.02)
    parser.add_argument("--adam-rate", type=float, default=0.003)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="a GPU wants about 65,536 tokens a batch, and workers")
    parser.add_argument("--workers", type=int, default=0, help="processes that make conversations; 0: the training's own")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start-from", type=Path, help="a GGUF file made by this program: go on from its weights and tokenizer")
    parser.add_argument("--layers", type=int, help="default: those of the file to start from. Additional ones begin without effect")
    parser.add_argument("--focus", type=Path, metavar="NEAR", help="learn the conversations of focus.py alone; in those without tools stay near this GGUF file")
    parser.add_argument("--exercises", action="store_true", help="with --focus: learn those of exercises.py instead; in all others stay near the file")
    parser.add_argument("--near", type=float, default=5, help="weight of staying near it")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in the work folder, with the same options")
    parser.add_argument("--smoke", action="store_true")
    arguments = parser.parse_args()
    if arguments.exercises and not arguments.focus:
        parser.error("--exercises needs --focus, the file to stay near")
    run(arguments)


if __name__ == "__main__":
    main()
