"""Writes the ggml file that whisper.cpp loads: header, mel filters, pieces, tensors."""

import json
import struct
from pathlib import Path

import gguf
import numpy as np
import torch

from .config import EOT, N_VOCAB, ModelSize
from .mel import filters
from .model import Recogniser
from .pieces import Pieces
from .pronounce import SOUNDS

MAGIC = 0x67676D6C
QUANT_VERSION_FACTOR = 1000
# name: (ggml_ftype of the header, ggml_type of the tensors)
KINDS = {"f16": (1, gguf.GGMLQuantizationType.F16), "q8_0": (7, gguf.GGMLQuantizationType.Q8_0),
         "q5_0": (8, gguf.GGMLQuantizationType.Q5_0), "q5_1": (9, gguf.GGMLQuantizationType.Q5_1)}
UNUSED_LOGIT = -30.0
# Parts of a text's score beside the decoder's: src/engines/stt/sound-model.ts.
SOUNDS_SHARE, WORDS_SHARE = 0.4, 0.6


def unused_row(states: torch.Tensor) -> torch.Tensor:
    """The one embedding whose logit is about -30 in every decoder state: ridge regression over `states` [n, width]."""
    gram = states.T @ states
    ridge = 1e-4 * gram.diagonal().mean() * torch.eye(len(gram))
    return torch.linalg.solve(gram + ridge, states.T @ torch.full((len(states),), UNUSED_LOGIT))


def full_embedding(model: Recogniser, pieces: Pieces, states: torch.Tensor) -> np.ndarray:
    """[51864, width]: our rows at whisper.cpp's ids, the unused row everywhere else."""
    table = unused_row(states).repeat(N_VOCAB, 1)
    for row in range(pieces.rows):
        table[pieces.whisper_id(row)] = model.decoder.token_embedding.weight.detach()[row]
    return table.numpy()


def _string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<I", len(data)) + data


def _tensor(name: str, values: np.ndarray, kind: gguf.GGMLQuantizationType) -> bytes:
    shape = values.shape[::-1]
    data = gguf.quants.quantize(np.ascontiguousarray(values, dtype=np.float32), kind)
    head = struct.pack(f"<3i{len(shape)}i", len(shape), len(name), int(kind), *shape)
    return head + name.encode() + data.tobytes()


def write(path: Path, model: Recogniser, pieces: Pieces, states: torch.Tensor, kind: str) -> None:
    """`states` are decoder states of speech like the training data's, at least a few thousand."""
    size: ModelSize = model.size
    ftype, matrix_kind = KINDS[kind]
    header = struct.pack("<12i", MAGIC, N_VOCAB, size.n_audio_ctx, size.n_state, size.n_head, size.n_audio_layer, size.n_text_ctx,
                         size.n_state, size.n_head, size.n_text_layer, filters().shape[0],
                         ftype if kind == "f16" else ftype + 2 * QUANT_VERSION_FACTOR)
    with open(path, "wb") as file:
        file.write(header)
        file.write(struct.pack("<2i", *filters().shape) + filters().tobytes())
        file.write(struct.pack("<i", EOT + 1))
        for number in range(EOT + 1):
            file.write(_string(pieces.texts[number] if number < pieces.eot else ("<end>" if number == EOT else "")))
        tensors = {name: value.detach().float().numpy() for name, value in model.state_dict().items() if name.startswith(("encoder.", "decoder."))}
        tensors["decoder.token_embedding.weight"] = full_embedding(model, pieces, states)
        for name, values in tensors.items():
            if name in ("encoder.conv1.weight", "encoder.conv2.weight"):
                file.write(_tensor(name, values, gguf.GGMLQuantizationType.F16))
            elif name in ("encoder.conv1.bias", "encoder.conv2.bias"):
                file.write(_tensor(name, values[:, None], gguf.GGMLQuantizationType.F32))
            elif values.ndim == 2 and not name.endswith("positional_embedding"):
                file.write(_tensor(name, values, matrix_kind))
            else:
                file.write(_tensor(name, values, gguf.GGMLQuantizationType.F32))


def words_file(path: Path) -> Path:
    """The word trigrams lie here, beside the ggml file `path`."""
    return path.with_suffix(".words")


def sounds_file(path: Path) -> Path:
    """The sound network lies here."""
    return path.with_suffix(".sounds.onnx")


def write_sounds(path: Path) -> None:
    """The names of the sounds, from 1 on, and the parts of a text's score."""
    facts = {"sounds": SOUNDS, "soundsShare": SOUNDS_SHARE, "wordsShare": WORDS_SHARE}
    path.with_suffix(".sounds.json").write_text(json.dumps(facts) + "\n")


@torch.inference_mode()
def decoder_states(model: Recogniser, batches: list[tuple[torch.Tensor, ...]]) -> torch.Tensor:
    """Decoder states of some training batches, [n, width]."""
    return torch.cat([model.decoder(given, model.encoder(mel)).flatten(0, 1) for mel, given, *_ in batches])
