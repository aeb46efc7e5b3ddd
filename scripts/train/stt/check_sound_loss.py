"""Compares the loss of the sound network and its gradient with sums over all alignments of a short clip."""

from itertools import groupby, product

import torch

from .sound_loss import log_sum, trigrams

SYMBOLS, POSITIONS, CLIPS = 4, 5, 2

torch.manual_seed(0)
after = trigrams([[1, 2, 2, 3], [3, 1], []], SYMBOLS)
scores = torch.randn(CLIPS, POSITIONS, SYMBOLS, requires_grad=True)
heard = scores.log_softmax(-1)

total = torch.zeros(CLIPS)
for alignment in product(range(SYMBOLS), repeat=POSITIONS):
    sounds = [0, 0, *(sound for sound, _ in groupby(alignment) if sound), 0]
    language = torch.stack([after[gram] for gram in zip(sounds, sounds[1:], sounds[2:], strict=False)]).log().sum()
    total = total + (heard[:, range(POSITIONS), alignment].sum(-1) + language).exp()

torch.testing.assert_close(after.sum(-1), torch.ones(SYMBOLS, SYMBOLS))
torch.testing.assert_close(log_sum(heard, after), total.log())
gradients = [torch.autograd.grad(result.sum(), scores, retain_graph=True)[0] for result in (log_sum(heard, after), total.log())]
torch.testing.assert_close(*gradients)
