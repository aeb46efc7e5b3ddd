"""The losses of the recogniser: cross entropy on the decoder, CTC over letters and phones on the encoder."""

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from . import start_from
from .batches import IGNORED
from .config import ModelSize
from .decode import Decoded, greedy
from .loop import Batch, ctc
from .model import Recogniser
from .pieces import Pieces
from .wer import word_errors


@dataclass(frozen=True)
class RecogniserTask:
    """`dev`: small held-out sets of (scaled mel, text). `start_from`: a ggml file whose weights to begin with."""

    size: ModelSize
    pieces_file: Path
    dev: list[tuple[str, list[tuple[Tensor, str]]]]
    start_from: Path | None
    parts: tuple[str, ...] = ("words", "letters", "phones")
    weights: tuple[float, ...] = (1.0, 1.0, 1.0)
    matrices: str = ".blocks."

    def first_model(self) -> Recogniser:
        pieces = Pieces(self.pieces_file)
        if self.start_from is None:
            return Recogniser(self.size, pieces.rows)
        return start_from.grow(start_from.read(self.start_from, pieces), self.size)

    def losses(self, model: Recogniser, batch: Batch, bf16: bool, progress: float) -> tuple[Tensor, ...]:
        mel, given, wanted, letters, letter_counts, phones, *_ = batch
        with torch.autocast(mel.device.type, torch.bfloat16, enabled=bf16):
            heard = model.encoder(mel)
            states = model.decoder(given, heard)
            kept = wanted != IGNORED
            logits = model.logits(states[kept])
            letter_logits, phone_logits = model.ctc(heard), model.phones(heard)
        spoken = functional.cross_entropy(logits.float(), wanted[kept])
        heard_phones = functional.cross_entropy(phone_logits.float().flatten(0, 1), phones.flatten(), ignore_index=IGNORED)
        return spoken, ctc(letter_logits, letters, letter_counts), heard_phones

    def check(self, model: Recogniser) -> str:
        """Word error rates of the decoder."""
        pieces, parts = Pieces(self.pieces_file), []
        for name, clips in self.dev:
            said: list[Decoded] = [greedy(model, mel[None], pieces) for mel, _ in clips]
            errors = sum(word_errors(text, decoded.text) for (_, text), decoded in zip(clips, said, strict=True))
            parts.append(f"{name} {100 * errors / max(1, sum(len(text.split()) for _, text in clips)):.1f} %")
        return "  ".join(parts)


def load_model(path: Path, rows: int) -> Recogniser:
    state = torch.load(path, weights_only=True)
    model = Recogniser(ModelSize(**state["size"]), rows)
    model.load_state_dict(state["model"])
    return model
