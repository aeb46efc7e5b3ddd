"""Reads a GGUF file of `export.py` back, so that training can go on from shipped weights."""

from pathlib import Path

import gguf
import torch
from tokenizers import Tokenizer
from torch import Tensor

import tokenizer as bpe
from export import gguf_name
from model import Llama, Shape


def read_tokenizer(path: Path) -> Tokenizer:
    fields = gguf.GGUFReader(path).fields
    merges = fields["tokenizer.ggml.merges"]
    made = bpe.build([tuple(bytes(merges.parts[i]).decode().split(" ")) for i in merges.data])
    tokens = fields["tokenizer.ggml.tokens"]
    in_file = [bytes(tokens.parts[i]).decode() for i in tokens.data]
    if in_file != sorted(made.get_vocab(), key=made.get_vocab().get):
        raise ValueError(f"the tokenizer of {path} was not made by this program")
    return made


def read_shape(path: Path) -> Shape:
    layers = gguf.GGUFReader(path).fields["llama.block_count"]
    return Shape(vocabulary=read_tokenizer(path).get_vocab_size(), layers=int(layers.parts[layers.data[0]][0]))


def read_weights(path: Path, model: Llama) -> dict[str, Tensor]:
    """The file's weights under the model's names. Weights of a layer that the file lacks stay the model's own.

    `load_state_dict` refuses other shapes.
    """
    tensors = {tensor.name: tensor for tensor in gguf.GGUFReader(path).tensors}
    found = {}
    for name, own in model.state_dict().items():
        tensor = tensors.get(gguf_name(name))
        found[name] = own if tensor is None else torch.from_numpy(gguf.quants.dequantize(tensor.data, tensor.tensor_type).copy())
    return found
