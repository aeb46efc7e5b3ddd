"""Reads a ggml file of `export.py` back, so that training can go on from shipped weights."""

import json
import struct
from pathlib import Path

import gguf
import numpy as np
import torch

from .config import FIRST_PIECE, ModelSize
from .export import MAGIC, letters_file
from .model import Block, Recogniser
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
    """The model. Its CTC head is that beside the file; without one it is new. Its phone head is new. Raises ValueError when the pieces differ."""
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
    if letters_file(path).exists():
        head = json.loads(letters_file(path).read_text())
        own |= {"ctc.bias": torch.tensor(head["biases"]), "ctc.weight": torch.tensor(head["weights"])}
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
    model.size = ModelSize(size.n_audio_ctx, size.n_state, size.n_head, max(layers, size.n_audio_layer), size.n_text_ctx, size.n_text_layer, size.n_pieces)
    return model


def mix(model: Recogniser, other: Recogniser, share: float) -> None:
    """Moves the weights of `model` by `share` (0 to 1) of the way to those of `other`, which has as many layers or fewer.

    Between the weights before and after a training on other speech lie weights that hear both (Wortsman et al., 2022, arXiv 2109.01903).
    The phone heads stay as they are.
    """
    theirs = deepen(other, model.size.n_audio_layer).state_dict()
    with torch.no_grad():
        for name, weight in model.state_dict().items():
            if not name.startswith("phones."):
                weight.lerp_(theirs[name], share)
