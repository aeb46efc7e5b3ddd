"""Greedy decoding as whisper.cpp does it without timestamps, for checks during training."""

from dataclasses import dataclass

import torch
from torch import Tensor

from .model import Recogniser
from .pieces import Pieces


@dataclass(frozen=True)
class Decoded:
    text: str
    rows: list[int]


@torch.inference_mode()
def greedy(model: Recogniser, mel: Tensor, pieces: Pieces, longest: int = 120) -> Decoded:
    """One clip, scaled mel [1, 80, 2n]."""
    device = model.decoder.token_embedding.weight.device
    heard = model.encoder(mel.to(device))
    rows = [pieces.sot, pieces.no_timestamps]
    for _ in range(longest):
        logits = model.logits(model.decoder(torch.tensor([rows], device=device), heard)[0, -1])
        logits[pieces.sot:] = -torch.inf
        rows.append(int(logits.argmax()))
        if rows[-1] == pieces.eot:
            break
    return Decoded(pieces.decode(rows[2:]), rows)
