"""Conversations -> token rows -> batches of rows of about one length."""

import random
from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from grammar import Dialogue
from rendering import Renderer, Row, cased

Batch = tuple[Tensor, Tensor, Tensor]
LONGEST = 1024
# Rows that are sorted by length before they become batches.
SORTED_ROWS = 48


def rows(renderer: Renderer, draw: Callable[[random.Random], Dialogue], seed: int) -> Iterator[Row]:
    r = random.Random(seed)
    while True:
        row = renderer.row(cased(r, draw(r)))
        if 1 < len(row.ids) <= LONGEST and any(row.weights):
            yield row


def batches(renderer: Renderer, draw: Callable[[random.Random], Dialogue], seed: int, tokens: int) -> Iterator[Batch]:
    """(input tokens, next tokens, loss weights). A batch has `tokens` tokens at most, padding included, or one row."""
    source, r = rows(renderer, draw, seed), random.Random(seed)
    while True:
        some = sorted((next(source) for _ in range(SORTED_ROWS)), key=lambda row: len(row.ids))
        groups: list[list[Row]] = [[]]
        for row in some:
            if groups[-1] and len(row.ids) * (len(groups[-1]) + 1) > tokens:
                groups.append([])
            groups[-1].append(row)
        r.shuffle(groups)
        yield from (padded(group) for group in groups)


def padded(group: list[Row]) -> Batch:
    length = max(len(row.ids) for row in group) - 1
    ids = torch.full((len(group), length), 2)
    targets, weights = ids.clone(), torch.zeros(len(group), length)
    for place, row in enumerate(group):
        size = len(row.ids) - 1
        ids[place, :size] = torch.tensor(row.ids[:-1])
        targets[place, :size] = torch.tensor(row.ids[1:])
        weights[place, :size] = torch.tensor(row.weights[1:])
    return ids, targets, weights
