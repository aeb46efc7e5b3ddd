"""The loss of the sound network: CTC against all other sequences of sounds, weighted by trigrams (CTC-CRF: Xiang and Ou, 2019)."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

NONE = 0  # no sound; in trigrams the begin of a sequence, and its end
_BACKOFF = (20.0, 10.0)  # counts of a bigram's and of a trigram's shorter context


def trigrams(sequences: Iterable[list[int]], symbols: int) -> Tensor:
    """Probabilities [symbols, symbols, symbols] of a sound after two others. A sequence has numbers from 1 on."""
    counted: Counter[tuple[int, int, int]] = Counter()
    for sounds in sequences:
        padded = [NONE, NONE, *sounds, NONE]
        counted.update(zip(padded, padded[1:], padded[2:], strict=False))
    counts = torch.zeros(symbols, symbols, symbols, dtype=torch.float64)
    for gram, count in counted.items():
        counts[gram] = count
    two = counts.sum(0)
    one = two.sum(0) + 1
    result = one / one.sum()
    for level, backoff in zip((two, counts), _BACKOFF, strict=True):
        result = (level + backoff * result) / (level.sum(-1, keepdim=True) + backoff)
    return result.float()


class _LogSum(torch.autograd.Function):
    """Forward and backward algorithm over states (last two sounds, whether the last position had the sound). A state's axes are
    [last, clip, one before]."""

    @staticmethod
    def forward(ctx: Any, log_probabilities: Tensor, after: Tensor) -> Tensor:
        clips, positions, symbols = log_probabilities.shape
        heard, all_symbols = log_probabilities.exp(), torch.arange(symbols, device=after.device)
        end = after[:, :, NONE].T[:, None]
        onward = after.permute(1, 0, 2).clone()  # [last, one before, next]
        onward[:, :, NONE] = 0
        again = onward[all_symbols, :, all_symbols][:, None]  # the last sound once more
        none, some = (after.new_zeros(positions + 1, symbols, clips, symbols) for _ in range(2))
        none[0, NONE, :, NONE] = 1
        result = after.new_zeros(clips)
        for at in range(positions):
            both, now = none[at] + some[at], heard[:, at].T[..., None]
            reached = both @ onward
            reached[all_symbols, :, all_symbols] -= (some[at] * again).sum(-1)  # needs a position without sound between
            next_some = now * (some[at] + reached.permute(2, 1, 0))
            next_some[NONE] = 0
            next_none = both * now[NONE]
            scale = next_none.sum((0, 2)) + next_some.sum((0, 2))
            none[at + 1], some[at + 1] = next_none / scale[:, None], next_some / scale[:, None]
            result += scale.log()
        result += ((none[-1] + some[-1]) * end).sum((0, 2)).log()
        gradient = torch.empty_like(heard)
        backward = onward.transpose(1, 2).contiguous()
        from_none = from_some = end.expand(symbols, clips, symbols)
        for at in reversed(range(positions)):
            shares = (some[at + 1] * from_some).sum(-1)
            shares[NONE] = (none[at + 1] * from_none).sum((0, 2))
            gradient[:, at] = (shares / shares.sum(0)).T
            now = heard[:, at].T[..., None]
            with_sound = now * from_some
            with_sound[NONE] = 0
            before_none = from_none * now[NONE] + with_sound.permute(2, 1, 0) @ backward
            before_some = before_none - with_sound[all_symbols, :, all_symbols][..., None] * again + with_sound
            scale = before_none.amax((0, 2))[:, None]
            from_none, from_some = before_none / scale, before_some / scale
        ctx.save_for_backward(gradient)
        return result

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        (own,) = ctx.saved_tensors
        return own * gradients[0][:, None, None], None


def log_sum(log_probabilities: Tensor, after: Tensor) -> Tensor:
    """For each clip the logarithm of the sum of all sequences' probabilities, each times its probability by the trigrams `after`.

    `log_probabilities`: [clips, positions, symbols].
    """
    return _LogSum.apply(log_probabilities, after)
