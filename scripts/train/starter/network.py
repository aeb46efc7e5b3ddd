"""SmolLM2-135M as a PyTorch module: a Llama network with grouped queries and one matrix for input and output tokens.

Its own weights stay as they are. Each matrix of a layer has an addition of low rank (LoRA), which is learnt.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True)
class Shape:
    """Sizes of the network. The defaults are those of SmolLM2-135M."""

    vocabulary: int = 49152
    width: int = 576
    layers: int = 30
    heads: int = 9
    kv_heads: int = 3
    hidden: int = 1536
    rope_base: float = 100_000.0
    epsilon: float = 1e-5

    @property
    def head_width(self) -> int:
        return self.width // self.heads


def normed(x: Tensor, weight: Tensor, epsilon: float) -> Tensor:
    wide = x.float()
    return (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + epsilon)).to(x.dtype) * weight


def rotated(x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    """The rotary position of each head. The two numbers of a pair stand half a head apart."""
    first, second = x.chunk(2, -1)
    return torch.cat((first * cosines - second * sines, second * cosines + first * sines), -1)


MATRICES = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")


class Layer(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        width, kv_width = shape.width, shape.kv_heads * shape.head_width
        self.attn_norm, self.ffn_norm = (nn.Parameter(torch.ones(width), requires_grad=False) for _ in range(2))
        sizes = {"attn_k": (kv_width, width), "attn_v": (kv_width, width), "ffn_gate": (shape.hidden, width), "ffn_up": (shape.hidden, width), "ffn_down": (width, shape.hidden)}
        for name in MATRICES:
            self.register_parameter(name, nn.Parameter(torch.empty(sizes.get(name, (width, width))), requires_grad=False))

    def open(self, rank: int) -> None:
        """Gives each matrix an addition without effect at first."""
        for name in MATRICES:
            outputs, inputs = self.get_parameter(name).shape
            self.register_parameter(f"{name}_in", nn.Parameter(torch.randn(rank, inputs) / inputs**0.5))
            self.register_parameter(f"{name}_out", nn.Parameter(torch.zeros(outputs, rank)))

    def matrices(self) -> list[tuple[Tensor, Tensor | None, Tensor | None]]:
        return [(self.get_parameter(name), getattr(self, f"{name}_in", None), getattr(self, f"{name}_out", None)) for name in MATRICES]

    def forward(self, x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
        return step(self.shape, x, cosines, sines, self.attn_norm, self.ffn_norm, self.matrices())


def product(x: Tensor, matrix: tuple[Tensor, Tensor | None, Tensor | None]) -> Tensor:
    own, into, out = matrix
    made = F.linear(x, own)
    return made if into is None or out is None else made + F.linear(F.linear(x, into), out)


def step(shape: Shape, x: Tensor, cosines: Tensor, sines: Tensor, attn_norm: Tensor, ffn_norm: Tensor, matrices: list[tuple[Tensor, Tensor | None, Tensor | None]]) -> Tensor:
    """One layer as a function, so that it is compiled once for all layers."""
    to_q, to_k, to_v, to_out, to_gate, to_up, to_down = matrices
    rows, length, width = x.shape
    repeats = shape.heads // shape.kv_heads

    def heads(matrix: tuple[Tensor, Tensor | None, Tensor | None], number: int) -> Tensor:
        return product(h, matrix).view(rows, length, number, shape.head_width).transpose(1, 2)

    h = normed(x, attn_norm, shape.epsilon)
    q, k = rotated(heads(to_q, shape.heads), cosines, sines), rotated(heads(to_k, shape.kv_heads), cosines, sines)
    k, v = k.repeat_interleave(repeats, 1), heads(to_v, shape.kv_heads).repeat_interleave(repeats, 1)
    read = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    x = x + product(read.transpose(1, 2).reshape(rows, length, width), to_out)
    h = normed(x, ffn_norm, shape.epsilon)
    return x + product(F.silu(product(h, to_gate)) * product(h, to_up), to_down)


class Network(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.token_embd = nn.Parameter(torch.empty(shape.vocabulary, shape.width), requires_grad=False)
        self.blk = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.output_norm = nn.Parameter(torch.ones(shape.width), requires_grad=False)
        self._positions: tuple[Tensor, Tensor] | None = None

    def open(self, rank: int, frozen: int) -> None:
        """All layers but the first `frozen` ones can learn."""
        for layer in self.blk[frozen:]:
            layer.open(rank)

    @torch.no_grad()
    def add(self, learnt: dict[str, Tensor], share: float) -> None:
        """The learnt additions become part of the matrices."""
        for name, out in learnt.items():
            if name.endswith("_out"):
                own = name.removesuffix("_out")
                self.get_parameter(own).add_(out.float() @ learnt[f"{own}_in"].float(), alpha=share)

    def positions(self, length: int, kind: torch.dtype) -> tuple[Tensor, Tensor]:
        if self._positions is None or self._positions[0].shape[0] < length or self._positions[0].dtype != kind:
            half = self.shape.head_width // 2
            rates = self.shape.rope_base ** (-torch.arange(half, dtype=torch.float64) / half)
            angles = torch.outer(torch.arange(max(length, 2048), dtype=torch.float64), rates)
            self._positions = angles.cos().to(kind), angles.sin().to(kind)
        cosines, sines = self._positions
        return cosines[:length], sines[:length]

    def states(self, ids: Tensor) -> Tensor:
        """The last layer's output for rows of tokens, padded at their ends."""
        x = F.embedding(ids, self.token_embd)
        cosines, sines = self.positions(ids.shape[1], x.dtype)
        for layer in self.blk:
            x = layer(x, cosines, sines)
        return normed(x, self.output_norm, self.shape.epsilon)

    def logits(self, states: Tensor) -> Tensor:
        return F.linear(states, self.token_embd)
