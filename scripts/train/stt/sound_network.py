"""The network that hears the sounds of a clip (`src/engines/stt/sound-network.ts`), and its ONNX file.

Layers over three positions each (time-delay network: Peddinti et al., 2015), with the clip's mean beside them.
"""

import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn
from torch.nn import functional

from .config import HOP_SAMPLES, N_FFT, N_MELS
from .mel import filters, window
from .pronounce import SOUNDS
from .synthesise import PHONES

FRAMES = 3  # in a position, 10 ms each
BANDS = N_MELS // 4  # after the two convolutions
DROPOUT = 0.15  # in training


@dataclass(frozen=True)
class SoundSize:
    channels: tuple[int, int] = (24, 32)
    width: int = 256
    hidden: int = 512
    context: int = 64
    distances: tuple[int, ...] = (1, 1, 1, 2, 2, 2, 3, 3, 3, 3)  # positions from the middle one to the others, a layer each


SMOKE_SOUND_SIZE = SoundSize((4, 4), 32, 64, 8, (1, 2))


def _gelu(x: Tensor) -> Tensor:
    return functional.gelu(x, approximate="tanh")


class Layer(nn.Module):
    def __init__(self, size: SoundSize, distance: int) -> None:
        super().__init__()
        self.distance = distance
        self.ln = nn.LayerNorm(size.width)
        self.up = nn.Linear(3 * size.width, size.hidden)
        self.context = nn.Sequential(nn.Linear(size.width, size.context), nn.GELU(approximate="tanh"), nn.Linear(size.context, size.hidden))
        self.down = nn.Linear(size.hidden, size.width)

    def forward(self, x: Tensor) -> Tensor:
        own, distance = self.ln(x), self.distance
        wide = functional.pad(own, (0, 0, distance, distance))
        near = torch.cat([wide[:, : -2 * distance], own, wide[:, 2 * distance:]], -1)
        states = _gelu(self.up(near) + self.context(own.mean(1, keepdim=True)))
        return x + self.down(functional.dropout(states, DROPOUT, self.training))


class SoundNetwork(nn.Module):
    def __init__(self, size: SoundSize) -> None:
        super().__init__()
        self.size = size
        first, second = size.channels
        self.conv1 = nn.Conv2d(1, first, 3, stride=(2, 1), padding=1)
        self.conv2 = nn.Conv2d(first, second, 3, stride=(2, FRAMES), padding=1)
        self.input = nn.Linear(second * BANDS, size.width)
        self.layers = nn.ModuleList(Layer(size, distance) for distance in size.distances)
        self.ln = nn.LayerNorm(size.width)
        self.sounds = nn.Linear(size.width, len(SOUNDS) + 1)
        self.phones = nn.Linear(size.width, len(PHONES))  # in training only

    def hidden(self, mel: Tensor) -> Tensor:
        """Scaled mel [batch, 80, 3n] to states [batch, n, width]."""
        x = _gelu(self.conv2(_gelu(self.conv1(mel[:, None]))))
        x = self.input(x.flatten(1, 2).transpose(1, 2))
        for layer in self.layers:
            x = layer(x)
        return self.ln(x)


def whole_positions(mel: Tensor) -> Tensor:
    """Scaled mel [..., 80, n], with zeros up to whole positions."""
    return functional.pad(mel, (0, -mel.shape[-1] % FRAMES))


class _Exported(nn.Module):
    """Audio [1, samples] to probabilities [1, positions, 41]."""

    def __init__(self, network: SoundNetwork) -> None:
        super().__init__()
        self.network = network
        self.register_buffer("window", torch.from_numpy(window()))
        self.register_buffer("filters", torch.from_numpy(filters()))

    def forward(self, audio: Tensor) -> Tensor:
        parts = torch.stft(functional.pad(audio, (N_FFT // 2, N_FFT // 2)), N_FFT, HOP_SAMPLES, N_FFT, self.window, center=False, return_complex=False)
        mel = (self.filters @ parts.square().sum(-1)).clamp(min=1e-10).log10()
        scaled = (torch.maximum(mel, mel.amax() - 8.0) + 4.0) / 4.0
        return self.network.sounds(self.network.hidden(scaled)).softmax(-1)


def export(path: Path, network: SoundNetwork) -> None:
    """Weights of the matrices in 8 bits; seven of them are used, because older CPUs overflow with eight."""
    full = path.with_suffix(".full")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = {"input_names": ["audio"], "output_names": ["sounds"], "dynamic_axes": {"audio": {1: "samples"}, "sounds": {1: "positions"}}}
        torch.onnx.export(_Exported(network.eval()), (torch.zeros(1, 16_000),), full, **names, dynamo=False, opset_version=17)
    quantize_dynamic(full, path, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True, op_types_to_quantize=["MatMul"])
    full.unlink()
    onnx.checker.check_model(path)


def read(path: Path, size: SoundSize) -> SoundNetwork:
    """The network of an exported file. Its phone layer is new. Raises ValueError when the sizes differ."""
    values = {i.name: torch.from_numpy(onnx.numpy_helper.to_array(i).copy()) for i in onnx.load(path).graph.initializer}
    matrices = iter([(values[name] * values[name.replace("_quantized", "_scale")]).T for name in values if name.endswith("_quantized")])
    network = SoundNetwork(size)
    own = network.state_dict()
    for name, old in own.items():
        if name.startswith("phones."):
            continue
        new = next(matrices, None) if old.ndim == 2 else values.get(f"network.{name}")
        if new is None or new.shape != old.shape:
            raise ValueError(f"{path} is a network of another size: {name} differs")
        own[name] = new
    network.load_state_dict(own)
    return network


def mix(network: SoundNetwork, other: SoundNetwork, share: float) -> None:
    """Moves the weights of `network` by `share` (0 to 1) of the way to those of `other`. Its phone layer stays as it is."""
    theirs = other.state_dict()
    with torch.no_grad():
        for name, weight in network.state_dict().items():
            if not name.startswith("phones."):
                weight.lerp_(theirs[name], share)
