"""Tensors of a Whisper model: from CTranslate2's names and joined matrices to OpenAI's names and single ones."""

from collections.abc import Iterator, Mapping

import numpy as np

Tensors = Mapping[str, np.ndarray]
Named = Iterator[tuple[str, np.ndarray]]


def layers(tensors: Tensors, part: str) -> int:
    """Number of layers of `part`, "encoder" or "decoder"."""
    return len({name.split("/")[1] for name in tensors if name.startswith(f"{part}/layer_") and name.count("/") > 2})


def openai_tensors(tensors: Tensors) -> Named:
    """Names and float32 tensors in the order of the written file. A weight has the shape [outputs, inputs]; a convolution's
    has [outputs, inputs, 3], and its bias [outputs, 1]."""
    yield "encoder.positional_embedding", tensors["encoder/position_encodings/encodings"]
    for convolution in ("conv1", "conv2"):
        yield f"encoder.{convolution}.weight", tensors[f"encoder/{convolution}/weight"]
        yield f"encoder.{convolution}.bias", tensors[f"encoder/{convolution}/bias"][:, None]
    yield from _norm(tensors, "encoder/layer_norm", "encoder.ln_post")
    yield "decoder.positional_embedding", tensors["decoder/position_encodings/encodings"]
    yield "decoder.token_embedding.weight", tensors["decoder/embeddings/weight"]
    yield from _norm(tensors, "decoder/layer_norm", "decoder.ln")
    for part in ("encoder", "decoder"):
        for number in range(layers(tensors, part)):
            yield from _layer(tensors, f"{part}/layer_{number}", f"{part}.blocks.{number}")


def _layer(tensors: Tensors, source: str, name: str) -> Named:
    attention = f"{source}/self_attention"
    # One matrix has the queries, keys and values.
    query, key, value = _split(tensors, f"{attention}/linear_0", 3)
    yield from _attention(f"{name}.attn", query, key, value)
    yield from _linear(tensors, f"{attention}/linear_1", f"{name}.attn.out")
    yield from _norm(tensors, f"{attention}/layer_norm", f"{name}.attn_ln")
    attention = f"{source}/attention"
    if f"{attention}/linear_0/weight" in tensors:
        # The queries come from the text. One matrix has the keys and values, which come from the sound.
        (query,) = _split(tensors, f"{attention}/linear_0", 1)
        key, value = _split(tensors, f"{attention}/linear_1", 2)
        yield from _attention(f"{name}.cross_attn", query, key, value)
        yield from _linear(tensors, f"{attention}/linear_2", f"{name}.cross_attn.out")
        yield from _norm(tensors, f"{attention}/layer_norm", f"{name}.cross_attn_ln")
    yield from _linear(tensors, f"{source}/ffn/linear_0", f"{name}.mlp.0")
    yield from _linear(tensors, f"{source}/ffn/linear_1", f"{name}.mlp.2")
    yield from _norm(tensors, f"{source}/ffn/layer_norm", f"{name}.mlp_ln")


Linear = tuple[np.ndarray, np.ndarray]


def _attention(name: str, query: Linear, key: Linear, value: Linear) -> Named:
    yield f"{name}.query.weight", query[0]
    yield f"{name}.query.bias", query[1]
    if key[1].any():
        raise ValueError(f"{name}: Whisper's keys have no bias")
    yield f"{name}.key.weight", key[0]
    yield f"{name}.value.weight", value[0]
    yield f"{name}.value.bias", value[1]


def _split(tensors: Tensors, source: str, parts: int) -> list[Linear]:
    """Cuts a weight [parts * width, width] and its bias [parts * width] into equal parts."""
    weights = np.split(tensors[f"{source}/weight"], parts)
    return list(zip(weights, np.split(tensors[f"{source}/bias"], parts), strict=True))


def _linear(tensors: Tensors, source: str, name: str) -> Named:
    yield f"{name}.weight", tensors[f"{source}/weight"]
    yield f"{name}.bias", tensors[f"{source}/bias"]


def _norm(tensors: Tensors, source: str, name: str) -> Named:
    yield f"{name}.weight", tensors[f"{source}/gamma"]
    yield f"{name}.bias", tensors[f"{source}/beta"]
