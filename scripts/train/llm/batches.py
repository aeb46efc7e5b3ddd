"""Conversations -> token rows with loss weights -> batches of one length each."""

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.utils.data import IterableDataset, get_worker_info

from drills import Drills
from grammar import Dialogue, Grammar
from grammar_tools import ToolGrammar
from notes import said
from tokenizer import encode_turn
from tool_format import CALL

# Few distinct lengths, since every shape is compiled once.
LENGTHS = (128, 192, 256, 384, 512, 768, 1024)
Row = tuple[list[int], list[float]]
Batch = tuple[Tensor, Tensor, Tensor]


# Tokens below this index are bytes, specials and the most frequent pieces: hardly ever values.
FREQUENT = 700
COPIED_WEIGHT = 3.0
# The first piece of a sentence decides between an answer and "I do not know". The pieces of a question decide which value is asked for.
DECIDING_WEIGHT = 3.0
SENTENCE = re.compile(r"\S[^.?!]*[.?!]*")


def folded(tokenizer: Tokenizer) -> list[int]:
    """For each token the index of its lower-case twin, itself where there is none."""
    vocabulary = tokenizer.get_vocab()
    return [vocabulary.get(token.lower(), index) for token, index in sorted(vocabulary.items(), key=lambda item: item[1])]


def to_row(tokenizer: Tokenizer, dialogue: Dialogue, r: random.Random | None, twins: list[int] | None = None) -> Row:
    """Token ids and, for each, the weight of predicting it.

    In training (`r` given) users' turns count a little, and values copied from before count more.
    """
    newline = tokenizer.encode("\n", add_special_tokens=False).ids
    ids, weights = [], []
    turns = [("system", dialogue.system), *dialogue.turns]
    turn_weights = [0.0, *(dialogue.weights or [1.0] * len(dialogue.turns))]
    seen: set[int] = set()
    before = ""
    for (role, text), weight in zip(turns, turn_weights):
        head, encoded = encode_turn(tokenizer, role, text)
        body = encoded.ids
        if role != "assistant":
            weight = 0.3 if role == "user" and r and r.random() < 0.2 else 0.0
        raised = bool(twins) and role == "assistant" and weight > 0
        ids += head + body + newline
        weights += [0.0] * len(head)
        # After a tool's result, any word may be a value: "on", "free", "closed".
        body_weights = [weight * COPIED_WEIGHT if raised and (before == "tool" or is_value(token) and twins[token] in seen) else weight for token in body]
        if raised and CALL in text:
            # Names of functions and values of arguments count more than the JSON around them.
            raise_spans([match.span(match.lastindex) for match in IN_CALL.finditer(text)], encoded.offsets, body_weights, weight * COPIED_WEIGHT)
        if raised:
            raise_spans(deciding_spans(text), encoded.offsets, body_weights, weight * DECIDING_WEIGHT)
        if role == "user":
            note = tokenizer.encode(text[: len(text) - len(said(text))], add_special_tokens=False).ids
            body_weights[: len(note)] = [0.0] * len(note)
        weights += body_weights
        weights += [0.0] * len(newline)
        before = role
        if twins:
            seen.update(twins[token] for token in body)
    return ids, weights


def is_value(token: int) -> bool:
    return token >= FREQUENT or 3 + 15 <= token < 3 + 25


# In a call: the name of the function, and each value with the mark after it, which decides whether another one follows.
IN_CALL = re.compile(r'"name": "([^"]*)|: ((?:"[^"]*"|-?[\d.]+|true|false)[,}])')
# The first piece of each call, with the line break before it.
CALLS = re.compile(rf"\n?{CALL}")


def deciding_spans(text: str) -> list[tuple[int, int]]:
    """The first character of each sentence, whole questions, the beginning of each call, and the end after the last one."""
    said, call, _ = text.partition(CALL)
    spans = [(match.start(), match.end() if "?" in match[0] else match.start() + 1) for match in SENTENCE.finditer(said)]
    return [*spans, *(match.span() for match in CALLS.finditer(text)), (len(text), len(text) + 1)] if call else spans


def raise_spans(spans: list[tuple[int, int]], offsets: list[tuple[int, int]], weights: list[float], raised: float) -> None:
    for place, (start, end) in enumerate(offsets):
        if any(start < stop and end > begin for begin, stop in spans):
            weights[place] = max(weights[place], raised)


def collate(rows: list[Row], length: int, size: int) -> Batch:
    """Inputs, targets and weights, each [size, length]; short rows and missing rows are padding."""
    ids = torch.zeros(size, length + 1, dtype=torch.long)
    weights = torch.zeros(size, length + 1)
    for place, (row, row_weights) in enumerate(rows):
        ids[place, : len(row)] = torch.tensor(row)[: length + 1]
        weights[place, : len(row)] = torch.tensor(row_weights)[: length + 1]
    return ids[:, :-1], ids[:, 1:], weights[:, 1:]


def pack(rows: list[Row], tokens: int) -> list[Batch]:
    buckets: dict[int, list[Row]] = {length: [] for length in LENGTHS}
    for row in rows:
        fitting = [length for length in LENGTHS if len(row[0]) <= length + 1]
        if fitting:
            buckets[fitting[0]].append(row)
    found = []
    for length, bucket in buckets.items():
        size = max(1, tokens // length)
        found += [collate(bucket[i : i + size], length, size) for i in range(0, len(bucket), size)]
    return found


@dataclass(frozen=True)
class Conversations(IterableDataset):
    """Training batches without end: grammar conversations and drills are always new, corpus conversations come round again.

    `shares` gives, for the tokens read so far, the shares of (corpus conversations, conversations with tools, drills); the rest is grammar.
    `read`: tokens that an interrupted training has read.
    """

    tokenizer: Tokenizer
    grammar: Grammar
    tools: ToolGrammar
    real: list[Dialogue]
    shares: Callable[[int], tuple[float, float, float]]
    tokens: int  # a batch, padding included
    seed: int
    read: int = 0

    def __iter__(self) -> Iterator[Batch]:
        worker = get_worker_info()
        r = random.Random(self.seed if worker is None else f"{self.seed} {worker.id}")
        place, read, real, drills, twins = 0, self.read, self.real[:], Drills(self.grammar.sentences), folded(self.tokenizer)
        count = max(1000, self.tokens // 4)  # many batches of each length
        while True:
            real_share, tool_share, drill_share = self.shares(read)
            pool = [drills.dialogue(r) for _ in range(int(count * drill_share))]
            for _ in range(int(count * real_share)):
                if place % len(real) == 0:
                    r.shuffle(real)
                pool.append(real[place % len(real)])
                place += 1
            pool += [self.tools.dialogue(r) for _ in range(int(count * tool_share))]
            pool += [self.grammar.dialogue(r) for _ in range(count - len(pool))]
            batches = pack([to_row(self.tokenizer, dialogue, r, twins) for dialogue in pool], self.tokens)
            r.shuffle(batches)
            yield from (batch for batch in batches if (batch[2] > 0).any())
            read += sum(ids.numel() for ids, *_ in batches) * (1 if worker is None else worker.num_workers)
