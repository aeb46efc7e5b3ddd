"""Pauses as arrays: what was heard around each, frame by frame, so that any moment of any pause is a cheap cut."""

from dataclasses import dataclass

import numpy as np
import torch

from corpora import held_out, with_room
from network import FRAMES, HOP, RATE, SAMPLES, WINDOW, Frames
from speech import Turn, disturb

# Silences at which the service asks, in seconds: src/conversation/turn/evidence/policy.ts.
FIRST_LOOK, LOOK_STEP, LAST_LOOK = 0.16, 0.128, 2.21
LOOKS = np.arange(FIRST_LOOK, LAST_LOOK, LOOK_STEP)
AFTER_FRAMES = int(LAST_LOOK * RATE / HOP) + 1


@dataclass
class Examples:
    # [pauses, CHANNELS, FRAMES + AFTER_FRAMES], half precision: a window ending `silence` into the pause is a slice.
    frames: torch.Tensor
    over: np.ndarray
    length: np.ndarray  # seconds; infinite when the turn is over
    begin: np.ndarray  # seconds into the turn
    turn: np.ndarray
    turns: list[Turn]

    def window(self, rows: np.ndarray, silence: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        start = np.round(silence * RATE / HOP).astype(int)
        cut = torch.from_numpy(start[:, None] + np.arange(FRAMES)[None])
        frames = self.frames[torch.from_numpy(rows)]
        return frames.gather(2, cut[:, None].expand(-1, frames.shape[1], -1)).float(), torch.from_numpy(silence).float()

    @property
    def kept_back(self) -> np.ndarray:
        return np.array([held_out(self.turns[t]) for t in self.turn])

    @property
    def speaker(self) -> np.ndarray:
        return np.array([self.turns[t].speaker for t in self.turn])

    @property
    def short(self) -> np.ndarray:
        return np.array([self.turns[t].kind == "short" for t in self.turn])


@torch.no_grad()
def examples(turns: list[Turn], r: np.random.Generator, noises: list[np.ndarray] | None) -> Examples:
    """`noises`: disturb the recordings; None leaves them as they are."""
    front = Frames()
    parts, over, length, begin, index = [], [], [], [], []
    for number, turn in enumerate(turns):
        samples = with_room(r, turn).samples
        if noises is not None:
            samples = disturb(r, samples, noises)
        # A call that begins with this turn, or one in which the room was heard before.
        lead = np.zeros(SAMPLES, np.float32) if r.random() < 0.3 else np.resize(samples[-2 * RATE :], SAMPLES)
        stream = torch.from_numpy(np.concatenate((lead, samples)))[None]
        frames = front.describe(front.fast_power(stream))[0].half()
        for pause in turn.pauses:
            first = (pause.start_ms * RATE // 1000 + SAMPLES - WINDOW) // HOP + 1 - FRAMES
            piece = frames[:, first : first + FRAMES + AFTER_FRAMES]
            if piece.shape[1] < FRAMES + AFTER_FRAMES:
                continue
            parts.append(piece)
            over.append(pause.over)
            length.append(np.inf if pause.over else pause.length_ms / 1000)
            begin.append(pause.start_ms / 1000)
            index.append(number)
    return Examples(torch.stack(parts), np.array(over), np.array(length), np.array(begin), np.array(index), turns)
