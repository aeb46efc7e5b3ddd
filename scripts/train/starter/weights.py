"""Reads the weights of a GGUF file into a network, and writes them into another GGUF file with other metadata."""

from pathlib import Path

import gguf
import numpy as np
import torch
from gguf import GGMLQuantizationType as Kind

from network import Network, Shape


def paired(weight: np.ndarray, heads: int, halves: bool) -> np.ndarray:
    """Reorders the rows of queries and keys. llama.cpp rotates neighbours, and the network (`halves`) the halves of a head."""
    head_width = weight.shape[0] // heads
    pairs = (head_width // 2, 2) if halves else (2, head_width // 2)
    return weight.reshape(heads, *pairs, -1).swapaxes(1, 2).reshape(weight.shape)


def heads_of(name: str, shape: Shape) -> int | None:
    """The number of heads of a matrix with rotated rows. None for other matrices."""
    return {"attn_q": shape.heads, "attn_k": shape.kv_heads}.get(name.rpartition(".")[2])


def read_shape(reader: gguf.GGUFReader) -> Shape:
    def number(key: str) -> float:
        return reader.fields[f"llama.{key}"].contents()

    return Shape(
        vocabulary=int(number("vocab_size")), width=int(number("embedding_length")), layers=int(number("block_count")),
        heads=int(number("attention.head_count")), kv_heads=int(number("attention.head_count_kv")), hidden=int(number("feed_forward_length")),
        rope_base=float(number("rope.freq_base")), epsilon=float(number("attention.layer_norm_rms_epsilon")),
    )


def read_network(path: Path) -> Network:
    """The network with float32 weights."""
    reader = gguf.GGUFReader(path)
    shape = read_shape(reader)
    with torch.device("meta"):
        network = Network(shape)
    state = {}
    for tensor in reader.tensors:
        values = gguf.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        name = tensor.name.removesuffix(".weight")
        heads = heads_of(name, shape)
        values = values if heads is None else paired(values, heads, halves=True)
        state[name] = torch.from_numpy(values.copy())
    network.load_state_dict(state, assign=True)
    return network.requires_grad_(False)


def kind_of(name: str, matrices: Kind, embedding: Kind) -> Kind:
    if "norm" in name:
        return Kind.F32
    return embedding if name.startswith("token_embd") else matrices


def write_network(network: Network, origin: Path, out: Path, changed: dict[str, object], renamed: dict[int, str], matrices: Kind = Kind.Q8_0, embedding: Kind = Kind.Q8_0) -> None:
    """Metadata and tokens come from the file `origin`, except `changed` metadata and `renamed` tokens."""
    reader = gguf.GGUFReader(origin)
    writer = gguf.GGUFWriter(out, "llama")
    skipped = {"general.architecture", "general.file_type", "GGUF.version", "GGUF.tensor_count", "GGUF.kv_count", *changed}
    for key, field in reader.fields.items():
        if key in skipped:
            continue
        value = field.contents()
        if key == "tokenizer.ggml.tokens":
            value = [renamed.get(place, token) for place, token in enumerate(value)]
        kind, *inner = field.types
        writer.add_key_value(key, value, kind, inner[0] if inner else None)
    for key, value in changed.items():
        writer.add_string(key, value) if isinstance(value, str) else writer.add_uint32(key, value)
    for name, values in network.state_dict().items():
        if name.endswith(("_in", "_out")):
            continue
        array, heads = values.float().numpy(), heads_of(name, network.shape)
        array = np.ascontiguousarray(array if heads is None else paired(array, heads, halves=False))
        kind = kind_of(name, matrices, embedding)
        writer.add_tensor(f"{name}.weight", gguf.quantize(array, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
