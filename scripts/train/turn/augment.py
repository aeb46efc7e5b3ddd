"""Other speakers, rooms and microphones, made from the frames of a recording while a network learns."""

import numpy as np
import torch
from torch import Tensor

from network import FRAMES, HOP, MELS, RATE

# The speech's speed, a shorter or longer vocal tract (in mel bands), and the width of the pitch range; limits of each.
SPEED, BANDS, RANGE = (0.85, 1.18), (-1.2, 1.2), (0.75, 1.3)


def between(values: Tensor, position: Tensor, dimension: int) -> Tensor:
    """`values` [batch, channels, frames] at fractional positions [batch, n] of one dimension; ends are repeated."""
    last = values.shape[dimension] - 1
    position = position.clamp(0, last).reshape((len(values), -1, 1) if dimension == 1 else (len(values), 1, -1))
    low = position.floor().long()
    before, after = (values.take_along_dim(index, dimension) for index in (low, (low + 1).clamp(max=last)))
    return before + (after - before) * (position - low)


def other_speaker(r: np.random.Generator, frames: Tensor, silence: Tensor) -> Tensor:
    """The speech before the pause at another speed; all of it by another voice. frames [batch, CHANNELS, FRAMES], silence [batch] in seconds."""
    speed, shift, wider = (torch.from_numpy(r.uniform(*limits, (len(frames), 1))).float() for limits in (SPEED, BANDS, RANGE))
    pause = FRAMES - 1 - silence[:, None] * RATE / HOP
    time = torch.arange(FRAMES)[None].float()
    frames = between(frames, torch.where(time < pause, pause + (time - pause) * speed, time), 2)
    mels = between(frames[:, 1 : 1 + MELS], torch.arange(MELS)[None] + shift, 1)
    return torch.cat((frames[:, :1], mels, frames[:, -2:-1] * wider[..., None], frames[:, -1:]), 1)


def other_room(r: np.random.Generator, seen: Tensor) -> Tensor:
    """Each band a little off, four of them missing in half of the batch. seen [batch, SEEN_CHANNELS, SEEN]."""
    seen = seen.clone()
    seen[:, :MELS] = seen[:, :MELS] * (0.75 + 0.5 * torch.rand(len(seen), 1, 1)) + 0.1 * torch.randn(len(seen), MELS, 1)
    low = int(r.integers(0, MELS - 4))
    seen[: len(seen) // 2, low : low + 4] = 0
    return seen
