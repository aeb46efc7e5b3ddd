"""A small llama: the network that llama.cpp calls `llama`, in plain torch.

Rotary positions turn neighbouring pairs (llama.cpp's NORM type), so that the weights need no
permutation on export. Input and output embeddings are one matrix.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True)
class Shape:
    vocabulary: int = 4864
    width: int = 256
    layers: int = 4
    heads: int = 4
    hidden: int = 768
    context: int = 2048
    rope_base: float = 10000.0
    norm_epsilon: float = 1e-5

    @property
    def head_width(self) -> int:
        return self.width // self.heads


def rope_tables(shape: Shape) -> tuple[Tensor, Tensor]:
    """cos and sin, [context, head_width], each value twice: once for either half of its pair."""
    steps = torch.arange(0, shape.head_width, 2, dtype=torch.float64) / shape.head_width
    angles = torch.outer(torch.arange(shape.context, dtype=torch.float64), shape.rope_base**-steps)
    angles = angles.repeat_interleave(2, dim=1)
    return angles.cos().float(), angles.sin().float()


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turns pairs (x0, x1) of `x` [batch, time, heads, head_width] by the angles of their positions."""
    turned = torch.stack((-x[..., 1::2], x[..., 0::2]), dim=-1).flatten(-2)
    return x * cos + turned * sin


class Layer(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.attention_norm = nn.Parameter(torch.ones(shape.width))
        self.query = nn.Linear(shape.width, shape.width, bias=False)
        self.key = nn.Linear(shape.width, shape.width, bias=False)
        self.value = nn.Linear(shape.width, shape.width, bias=False)
        self.output = nn.Linear(shape.width, shape.width, bias=False)
        self.feed_norm = nn.Parameter(torch.ones(shape.width))
        self.gate = nn.Linear(shape.width, shape.hidden, bias=False)
        self.up = nn.Linear(shape.width, shape.hidden, bias=False)
        self.down = nn.Linear(shape.hidden, shape.width, bias=False)

    def norm(self, x: Tensor, weight: Tensor) -> Tensor:
        return F.rms_norm(x, (self.shape.width,), weight, self.shape.norm_epsilon)

    def attend(self, x: Tensor, cos: Tensor, sin: Tensor, mask: Tensor) -> Tensor:
        batch, time, width = x.shape
        heads = (batch, time, self.shape.heads, self.shape.head_width)
        query = rotate(self.query(x).view(heads), cos, sin).transpose(1, 2)
        key = rotate(self.key(x).view(heads), cos, sin).transpose(1, 2)
        value = self.value(x).view(heads).transpose(1, 2)
        if x.is_cuda or x.dtype == torch.float32:
            mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        else:  # Written out: on a CPU in bfloat16 two products and a softmax beat the fused kernel.
            scores = query @ key.transpose(2, 3) * self.shape.head_width**-0.5 + mask
            mixed = scores.softmax(-1) @ value
        return self.output(mixed.transpose(1, 2).reshape(batch, time, width))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, mask: Tensor) -> Tensor:
        x = x + self.attend(self.norm(x, self.attention_norm), cos, sin, mask)
        hidden = self.norm(x, self.feed_norm)
        return x + self.down(F.silu(self.gate(hidden)) * self.up(hidden))


class Llama(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(shape.vocabulary, shape.width)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.final_norm = nn.Parameter(torch.ones(shape.width))
        cos, sin = rope_tables(shape)
        self.register_buffer("cos", cos[:, None], persistent=False)
        self.register_buffer("sin", sin[:, None], persistent=False)
        nn.init.normal_(self.embedding.weight, std=0.02)
        for layer in self.layers:
            for weight in (layer.output.weight, layer.down.weight):
                nn.init.zeros_(weight)

    def states(self, ids: Tensor) -> Tensor:
        """Token ids [batch, time] -> normalised last states [batch, time, width]."""
        time = ids.shape[1]
        x = self.embedding(ids)
        cos, sin = self.cos[:time], self.sin[:time]
        mask = torch.full((time, time), float("-inf"), dtype=x.dtype, device=x.device).triu(1)
        for layer in self.layers:
            x = layer(x, cos, sin, mask)
        return F.rms_norm(x, (self.shape.width,), self.final_norm, self.shape.norm_epsilon)

    def logits(self, states: Tensor) -> Tensor:
        return states @ self.embedding.weight.T
