"""Writes a Whisper model as whisper.cpp reads it: header, mel filters, vocabulary and tensors in one ggml file.

All numbers are little-endian 32-bit integers.
"""

import struct
from collections.abc import Mapping, Sequence

import numpy as np
from gguf import GGMLQuantizationType as Type
from gguf import quants

from mel_filters import mel_filters
from whisper_tensors import layers, openai_tensors

MAGIC = 0x67676D6C
# The file's type: weights of q8_0 (7), in the second version of ggml's quantised formats.
FILE_TYPE = 2 * 1_000 + 7
HEAD_WIDTH = 64
# whisper.cpp adds these to the sound, so they stay exact. Biases and norms do too.
EXACT = ("conv1.bias", "conv2.bias", "positional_embedding")


def whisper_ggml(tensors: Mapping[str, np.ndarray], vocabulary: Sequence[str]) -> bytes:
    """`tensors`: as read_tensors gives them. `vocabulary`: all tokens by number, in GPT-2's spelling of bytes."""
    mels = tensors["encoder/conv1/weight"].shape[1]
    parts = [_integers(MAGIC), _header(tensors, mels), _integers(mels), _mel_part(mels), _tokens(vocabulary)]
    return b"".join([*parts, *(_tensor(name, tensor) for name, tensor in openai_tensors(tensors))])


def _integers(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}i", *values)


def _header(tensors: Mapping[str, np.ndarray], mels: int) -> bytes:
    rows, width = tensors["decoder/embeddings/weight"].shape
    sound_positions = tensors["encoder/position_encodings/encodings"].shape[0]
    text_positions = tensors["decoder/position_encodings/encodings"].shape[0]
    heads = width // HEAD_WIDTH
    encoder = (sound_positions, width, heads, layers(tensors, "encoder"))
    decoder = (text_positions, width, heads, layers(tensors, "decoder"))
    return _integers(rows, *encoder, *decoder, mels, FILE_TYPE)


def _mel_part(mels: int) -> bytes:
    filters = mel_filters(mels)
    return _integers(filters.shape[1]) + filters.tobytes()


def _tokens(vocabulary: Sequence[str]) -> bytes:
    """The tokens of text. whisper.cpp makes up the names of the special tokens, which begin with the end of the text."""
    byte_of = _byte_of_letter()
    texts = [bytes(byte_of[letter] for letter in token) for token in vocabulary[: vocabulary.index("<|endoftext|>")]]
    return b"".join([_integers(len(texts)), *(_integers(len(text)) + text for text in texts)])


def _byte_of_letter() -> dict[str, int]:
    """GPT-2 spells visible bytes of Latin-1 as themselves, and the others as the letters from U+0100 on."""
    visible = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in visible]
    return {chr(byte): byte for byte in visible} | {chr(256 + place): byte for place, byte in enumerate(others)}


def _tensor(name: str, tensor: np.ndarray) -> bytes:
    if tensor.ndim < 2 or name.endswith(EXACT):
        kind, content = Type.F32, tensor.astype(np.float32).tobytes()
    elif tensor.ndim == 2:
        kind, content = Type.Q8_0, quants.quantize(np.ascontiguousarray(tensor), Type.Q8_0).tobytes()
    else:
        kind, content = Type.F16, tensor.astype(np.float16).tobytes()
    encoded = name.encode()
    # ggml names the fastest dimension first.
    return _integers(tensor.ndim, len(encoded), int(kind), *reversed(tensor.shape)) + encoded + content
