"""Reads a ggml file of `export.py` back, so that training can go on from shipped weights."""

import struct
from dataclasses import replace
from pathlib import Path

import gguf
import numpy as np
import torch
from torch import Tensor

from .config import FIRST_PIECE, N_MELS, ModelSize
from .export import MAGIC
from .model import Block, Encoder, Recogniser
from .pieces import Pieces, pieces_of


def read_pieces(path: Path, file: Path) -> Pieces:
    """Writes the word pieces of the model to `file`. Raises ValueError for a file that is not a ggml file."""
    _, texts, _, _ = _open(path)
    return pieces_of(texts, file)


def _open(path: Path) -> tuple[list[int], list[str], bytes, int]:
    """The sizes in the header, the pieces, all bytes, and where the tensors begin."""
    data = path.read_bytes()
    header = struct.unpack_from("<12i", data)
    if header[0] != MAGIC:
        raise ValueError(f"{path} is no ggml file")
    at = 48
    bands, bins = struct.unpack_from("<2i", data, at)
    at += 8 + 4 * bands * bins
    texts = []
    (count,) = struct.unpack_from("<i", data, at)
    at += 4
    for _ in range(count):
        (length,) = struct.unpack_from("<I", data, at)
        texts.append(data[at + 4: at + 4 + length].decode())
        at += 4 + length
    unused = next(number for number in range(FIRST_PIECE, count) if texts[number] == "")
    return list(header), texts[:unused], data, at


def read(path: Path, pieces: Pieces) -> Recogniser:
    """The model. Its letter and phone heads are new. Raises ValueError when the pieces differ."""
    header, texts, data, at = _open(path)
    _, _, audio_ctx, width, heads, audio_layers, text_ctx, _, _, text_layers, _, _ = header
    if texts != pieces.texts:
        raise ValueError(f"the word pieces of {path} are others than these")
    tensors = {}
    while at < len(data):
        dims, length, kind = struct.unpack_from("<3i", data, at)
        shape = struct.unpack_from(f"<{dims}i", data, at + 12)[::-1]
        at += 12 + 4 * dims
        name = data[at: at + length].decode()
        at += length
        block, size = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType(kind)]
        stored = int(np.prod(shape)) // block * size
        values = gguf.quants.dequantize(np.frombuffer(data, np.uint8, stored, at), gguf.GGMLQuantizationType(kind))
        tensors[name] = torch.from_numpy(values.reshape(shape).astype(np.float32))
        at += stored
    size = ModelSize(audio_ctx, width, heads, audio_layers, text_ctx, text_layers, pieces.eot)
    model = Recogniser(size, pieces.rows)
    table = tensors["decoder.token_embedding.weight"]
    tensors["decoder.token_embedding.weight"] = table[[pieces.whisper_id(row) for row in range(pieces.rows)]]
    own = model.state_dict()
    own |= {name: values.view(own[name].shape) for name, values in tensors.items()}
    model.load_state_dict(own)
    return model


def deepen(model: Recogniser, layers: int) -> Recogniser:
    """The same function with more encoder layers: a new layer adds nothing until it has learned something."""
    size = model.size
    for _ in range(layers - size.n_audio_layer):
        block = Block(size.n_state, size.n_head, cross=False)
        for last in (block.attn.out, block.mlp[2]):
            torch.nn.init.zeros_(last.weight)
            torch.nn.init.zeros_(last.bias)
        model.encoder.blocks.append(block)
    model.size = replace(size, n_audio_layer=max(layers, size.n_audio_layer))
    return model


def _wider(values: Tensor, shape: torch.Size, fill: float = 0.0) -> Tensor:
    """`values` in the first corner of a tensor of `shape`. The rest is random with deviation `fill`."""
    grown = torch.randn(shape) * fill
    grown[tuple(slice(0, length) for length in values.shape)] = values
    return grown


@torch.inference_mode()
def _stem_mean(encoder: Encoder) -> float:
    """Mean of the encoder's channels before its first block, on noise."""
    mel = torch.randn(1, N_MELS, 200, generator=torch.Generator().manual_seed(0)) / 2
    return float(encoder.stem(mel).mean())


def widen(model: Recogniser, width: int) -> Recogniser:
    """Nearly the same function at a larger width. The heads keep their number and grow.

    New channels carry the mean of the old ones. A layer norm takes it away, so nothing else hears them until they have learned
    something. Every layer reads them with random weights. Raises ValueError when the width is smaller, or when the heads do not divide it.
    """
    old = model.size
    if width == old.n_state:
        return model
    if width < old.n_state:
        raise ValueError(f"a network of width {old.n_state} cannot have a width of {width}: give --width {old.n_state} or more")
    if width % old.n_head:
        raise ValueError(f"{old.n_head} heads do not divide a width of {width}")
    grown = Recogniser(replace(old, n_state=width), model.decoder.token_embedding.num_embeddings)
    wanted, share, new = grown.state_dict(), old.n_state / width, slice(old.n_state, None)
    with torch.random.fork_rng():
        torch.manual_seed(0)  # the same for two files that are mixed
        for name, values in model.state_dict().items():
            shape, module = wanted[name].shape, name.rsplit(".", 2)[-2]
            if "ln" in module and name.endswith("weight"):
                wanted[name] = _wider(values, shape) * share**0.5  # the channels deviate less from their mean
                if name != "decoder.ln.weight":
                    wanted[name][new] = wanted[name][: old.n_state].mean()
            elif module in ("query", "key", "value"):
                heads = values.unflatten(0, (old.n_head, -1)) * (share**-0.5 if module == "query" else 1.0)
                wider = _wider(heads, torch.Size((old.n_head, width // old.n_head, *shape[1:])), width**-0.5 if len(shape) == 2 else 0.0)
                if module == "key":
                    wider[:, heads.shape[1] :] = 0  # the scores stay
                wanted[name] = wider.flatten(0, 1)
            elif module == "out" and len(shape) == 2:
                heads = values.unflatten(1, (old.n_head, -1))
                wanted[name] = _wider(heads, torch.Size((width, old.n_head, width // old.n_head))).flatten(1)
            elif name.endswith(("mlp.0.weight", "conv1.weight")):
                wanted[name] = _wider(values, shape, float(values.std()))
            else:
                wanted[name] = _wider(values, shape)
            if module == "out" or ".mlp.2." in name:
                wanted[name][new] = wanted[name][: old.n_state].mean(0)
            elif "decoder" in name and "embedding" in name:
                wanted[name][:, new] = values.mean(1, keepdim=True)
    wanted["encoder.positional_embedding"][:, new] = _stem_mean(model.encoder)
    grown.load_state_dict(wanted)
    return grown


def grow(model: Recogniser, size: ModelSize) -> Recogniser:
    """The model with the width and the encoder layers of `size`, which has as many or more."""
    return deepen(widen(model, size.n_state), size.n_audio_layer)


def mix(model: Recogniser, other: Recogniser, share: float) -> None:
    """Moves the weights of `model` by `share` (0 to 1) of the way to those of `other`, which is as large or smaller.

    Between the weights before and after a training on other speech lie weights that hear both (Wortsman et al., 2022, arXiv 2109.01903).
    The letter and phone heads stay as they are.
    """
    theirs = grow(other, model.size).state_dict()
    with torch.no_grad():
        for name, weight in model.state_dict().items():
            if not name.startswith(("ctc.", "phones.")):
                weight.lerp_(theirs[name], share)
