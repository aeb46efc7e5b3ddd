"""Sizes and token ids shared by training and export. The ids are fixed by whisper.cpp for English-only models."""

from dataclasses import dataclass

EOT = 50256
SOT = 50257
NO_TIMESTAMPS = 50362
FIRST_TIMESTAMP = 50363
N_VOCAB = 51864
N_TIMESTAMPS = N_VOCAB - FIRST_TIMESTAMP  # <|0.00|> .. <|30.00|>, 20 ms apart

# Ids of our own pieces. whisper.cpp looks the piece " " up by name; the model returns the empty
# piece for silence, because whisper.cpp by default forbids the end token as the first one.
BLANK_PIECE = 0
EMPTY_PIECE = 1
FIRST_PIECE = 2

SAMPLE_RATE = 16_000
HOP_SAMPLES = 160
N_FFT = 400
N_MELS = 80

# Encoder positions (20 ms each) that batches are padded to; the pipeline should use the same ones.
AUDIO_CTX_SIZES = (128, 192, 256, 320, 384, 512, 640, 768)

CTC_ALPHABET = " abcdefghijklmnopqrstuvwxyz'"  # index 0 is the CTC blank, letters start at 1


@dataclass(frozen=True)
class ModelSize:
    """Whisper hyper-parameters, in the order and meaning of the ggml header."""

    n_audio_ctx: int = 1500
    n_state: int = 192
    n_head: int = 4
    n_audio_layer: int = 8
    n_text_ctx: int = 256
    n_text_layer: int = 2
    n_pieces: int = 800


SMOKE_SIZE = ModelSize(n_state=64, n_head=2, n_audio_layer=2, n_text_layer=1, n_pieces=200)
