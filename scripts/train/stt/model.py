"""Whisper's network with its tensor names, a compact vocabulary, and CTC and phone heads used in training only."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from .config import CTC_ALPHABET, N_MELS, ModelSize
from .synthesise import PHONES


def sinusoids(length: int, channels: int) -> Tensor:
    """Whisper's encoder positions, [length, channels]."""
    step = math.log(10_000) / (channels // 2 - 1)
    angles = torch.arange(length)[:, None] * torch.exp(-step * torch.arange(channels // 2))[None, :]
    return torch.cat([angles.sin(), angles.cos()], dim=1)


class Attention(nn.Module):
    def __init__(self, size: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.value, self.out = nn.Linear(size, size), nn.Linear(size, size), nn.Linear(size, size)
        self.key = nn.Linear(size, size, bias=False)

    def forward(self, x: Tensor, other: Tensor | None = None, causal: bool = False) -> Tensor:
        source = x if other is None else other
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in (self.query(x), self.key(source), self.value(source)))
        if x.is_cuda:
            return self.out(functional.scaled_dot_product_attention(q, k, v, is_causal=causal).transpose(1, 2).flatten(2))
        # Written out: on a CPU in bfloat16 this is three times faster than the fused kernel at these lengths.
        scores = (q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2)
        if causal:
            scores = scores + torch.full(scores.shape[-2:], -torch.inf, dtype=scores.dtype).triu(1)
        mixed = scores.softmax(-1, dtype=scores.dtype) @ v
        return self.out(mixed.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, size: int, heads: int, cross: bool) -> None:
        super().__init__()
        self.attn, self.attn_ln = Attention(size, heads), nn.LayerNorm(size)
        self.cross_attn = Attention(size, heads) if cross else None
        self.cross_attn_ln = nn.LayerNorm(size) if cross else None
        self.mlp = nn.Sequential(nn.Linear(size, 4 * size), nn.GELU(approximate="tanh"), nn.Linear(4 * size, size))
        self.mlp_ln = nn.LayerNorm(size)

    def forward(self, x: Tensor, heard: Tensor | None = None) -> Tensor:
        x = x + self.attn(self.attn_ln(x), causal=heard is not None)
        if self.cross_attn is not None and self.cross_attn_ln is not None:
            x = x + self.cross_attn(self.cross_attn_ln(x), heard)
        return x + self.mlp(self.mlp_ln(x))


class Encoder(nn.Module):
    def __init__(self, size: ModelSize) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(N_MELS, size.n_state, 3, padding=1)
        self.conv2 = nn.Conv1d(size.n_state, size.n_state, 3, stride=2, padding=1)
        self.register_buffer("positional_embedding", sinusoids(size.n_audio_ctx, size.n_state))
        self.blocks = nn.ModuleList(Block(size.n_state, size.n_head, cross=False) for _ in range(size.n_audio_layer))
        self.ln_post = nn.LayerNorm(size.n_state)

    def stem(self, mel: Tensor) -> Tensor:
        """Scaled mel [batch, 80, 2n] to the input of the first block, [batch, n, width]."""
        x = functional.gelu(self.conv1(mel), approximate="tanh")
        x = functional.gelu(self.conv2(x), approximate="tanh").transpose(1, 2)
        return x + self.positional_embedding[: x.shape[1]]

    def forward(self, mel: Tensor) -> Tensor:
        """Scaled mel [batch, 80, 2n] to states [batch, n, width]."""
        x = self.stem(mel)
        for block in self.blocks:
            x = block(x)
        return self.ln_post(x)


class Decoder(nn.Module):
    def __init__(self, size: ModelSize, rows: int) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(rows, size.n_state)
        nn.init.normal_(self.token_embedding.weight, std=0.05)
        self.positional_embedding = nn.Parameter(0.05 * sinusoids(size.n_text_ctx, size.n_state))
        self.blocks = nn.ModuleList(Block(size.n_state, size.n_head, cross=True) for _ in range(size.n_text_layer))
        self.ln = nn.LayerNorm(size.n_state)

    def forward(self, rows: Tensor, heard: Tensor) -> Tensor:
        """Compact rows [batch, n] to states [batch, n, width]; logits are states times the embedding."""
        x = self.token_embedding(rows) + self.positional_embedding[: rows.shape[1]]
        for block in self.blocks:
            x = block(x, heard)
        return self.ln(x)


class Recogniser(nn.Module):
    def __init__(self, size: ModelSize, rows: int) -> None:
        super().__init__()
        self.size = size
        self.encoder, self.decoder = Encoder(size), Decoder(size, rows)
        self.ctc = nn.Linear(size.n_state, len(CTC_ALPHABET) + 1)
        self.phones = nn.Linear(size.n_state, len(PHONES))

    def logits(self, states: Tensor) -> Tensor:
        return states @ self.decoder.token_embedding.weight.T
