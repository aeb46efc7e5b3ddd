"""Compares the graph that `deep_filter.py` writes with the published graphs of DeepFilterNet3.

The published graphs run over the whole clip. NumPy computes their features, and the sound from their gains and filters. The converted graph gets the
clip in frames of 10 ms, once with the weights as they are, which shows whether the conversion is right, and once with the rounded ones.

    python scripts/models/compare_deep_filter.py CLIP.wav
"""

import argparse
import os
import pathlib
import sys
import wave
from collections.abc import Mapping

import numpy as np
import onnx
# onnxruntime reports to its maker unless this is set before it is loaded.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
import onnxruntime

from deep_filter import BANDS, HOP, KEPT, LATE, LOW, ORDER, RATE, WINDOW, band_widths, fetch_published, product, streaming
from graph_writer import GraphWriter


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clip", type=pathlib.Path, help="WAV file: 48 kHz, one channel, 16 bits")
    sound = read_clip(parser.parse_args().clip)
    published, _ = fetch_published()
    expected = by_published(sound, published)
    for name, multiply in (("32-bit weights", exact_product), ("8-bit weights", product)):
        difference = by_converted(sound, streaming(published, multiply)) - expected
        # With the best gain, the expected sound is the part of the result that is not distortion.
        result = expected + difference
        same = expected * (result @ expected) / (expected @ expected)
        distance = 10 * np.log10((same @ same) / ((result - same) @ (result - same)))
        largest, mean = np.abs(difference).max(), np.sqrt(np.mean(difference**2))
        print(f"{name}: largest difference {largest:.1e}, RMS difference {mean:.1e}, SI-SDR {distance:.1f} dB")


def read_clip(path: pathlib.Path) -> np.ndarray:
    """Whole frames, -1 to 1."""
    with wave.open(str(path)) as file:
        if (file.getframerate(), file.getnchannels(), file.getsampwidth()) != (RATE, 1, 2):
            sys.exit(f"{path} is not a WAV file of 48 kHz, one channel and 16 bits")
        samples = np.frombuffer(file.readframes(file.getnframes()), np.int16) / 32768
    return samples[: len(samples) // HOP * HOP]


def exact_product(writer: GraphWriter, row: str, weight: np.ndarray, bias: np.ndarray) -> str:
    return writer.node("Add", writer.node("MatMul", row, writer.constant(weight.T)), writer.constant(bias))


def by_converted(sound: np.ndarray, model: onnx.ModelProto) -> np.ndarray:
    session = onnxruntime.InferenceSession(model.SerializeToString())
    state = np.zeros(session.get_inputs()[1].shape, np.float32)
    frames = []
    for frame in sound.astype(np.float32).reshape(-1, HOP):
        suppressed, state = session.run(["suppressed", "next_state"], {"frame": frame, "state": state})
        frames.append(suppressed)
    return np.concatenate(frames).astype(np.float64)


def by_published(sound: np.ndarray, published: Mapping[str, onnx.ModelProto]) -> np.ndarray:
    """The same samples as `by_converted`, with the same delay."""
    frames = np.lib.stride_tricks.sliding_window_view(np.concatenate([np.zeros(HOP), sound]), 2 * HOP)[::HOP]
    bins = np.fft.rfft(frames * WINDOW) / (2 * HOP)
    widths = band_widths()
    bands = np.add.reduceat(np.abs(bins) ** 2, np.cumsum(widths) - widths, axis=1) / widths
    decibels = 10 * np.log10(bands + 1e-10)
    loudness = (decibels - averages(decibels, np.linspace(-60, -90, BANDS))) / 40
    levelled = bins[:, :LOW] / np.sqrt(averages(np.abs(bins[:, :LOW]), np.linspace(1e-3, 1e-4, LOW)))
    known = {"feat_erb": loudness[None, None], "feat_spec": np.stack([levelled.real, levelled.imag])[None]}
    for name in ("enc", "erb_dec", "df_dec"):
        session = onnxruntime.InferenceSession(published[name].SerializeToString())
        inputs = {value.name: known[value.name].astype(np.float32) for value in session.get_inputs()}
        known |= dict(zip([value.name for value in session.get_outputs()], session.run(None, inputs)))

    count = len(bins)
    past = np.concatenate([np.zeros((ORDER - 1, bins.shape[1])), bins])
    filters = known["coefs"].reshape(count, LOW, ORDER, 2) @ np.array([1, 1j])
    gains = np.repeat(known["m"].reshape(count, BANDS), widths, axis=1)
    suppressed = past[ORDER - 1 - LATE :][:count] * gains
    suppressed[:, :LOW] = sum(past[at : at + count, :LOW] * filters[:, :, at] for at in range(ORDER))
    windowed = np.fft.irfft(suppressed) * WINDOW * (2 * HOP)
    later = np.concatenate([np.zeros((1, HOP)), windowed[:-1, HOP:]])
    return (windowed[:, :HOP] + later).reshape(-1)


def averages(rows: np.ndarray, first: np.ndarray) -> np.ndarray:
    """The running average after each row. `first`: before them."""
    result = np.empty_like(rows)
    for at, row in enumerate(rows):
        first = result[at] = first * KEPT + row * (1 - KEPT)
    return result


if __name__ == "__main__":
    main()
