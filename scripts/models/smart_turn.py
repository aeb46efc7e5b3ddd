"""Converts Smart Turn 3.2 from the Python package that carries it to the ONNX graph that Oakvoice runs.

The package's graph reads a log-mel spectrogram of 8 s. The converted graph reads the waveform, of any length up to 8 s, and computes the
spectrogram itself. A short clip takes the last positions, as speech at the end of 8 s does. The weights stay as they are.

    pip install --requirement scripts/models/requirements.txt
    python scripts/models/smart_turn.py --out models/starter/turn
"""

import argparse
import hashlib
import pathlib
import tempfile

import numpy as np
import onnx
from onnx import helper, numpy_helper

from packages import fetch_packages, require_digest

PACKAGE = "pipecat-ai==1.14.0"
FILE = "pipecat/audio/turn/smart_turn/data/smart-turn-v3.2-cpu.onnx"
DIGEST = "2bb026316b14a660486a75b1733cd3fbab8c2fd0314dc9af7be49f8cca967e4f"
POSITIONS = "inner.encoder.embed_positions.weight"
# The initializer that fixes the number of positions in every reshape.
FIXED_LENGTH = "val_21"
RATE, WINDOW, HOP, BANDS, FULL_SAMPLES = 16000, 400, 160, 80, 8 * 16000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder of the converted model")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        fetch_packages([PACKAGE], work)
        source = work / FILE
        require_digest(source.name, source.read_bytes(), DIGEST)
        model = onnx.load(source)
    accept_any_length(model.graph)
    read_waveform(model.graph)
    onnx.checker.check_model(model)
    target = options.out / "turn-melody.onnx"
    target.write_bytes(model.SerializeToString())
    print(hashlib.sha256(target.read_bytes()).hexdigest(), target)


def constant(graph: onnx.GraphProto, name: str, value: np.ndarray) -> str:
    graph.initializer.append(numpy_helper.from_array(value, name))
    return name


def accept_any_length(graph: onnx.GraphProto) -> None:
    """The last positions of the table are those of the clip."""
    fixed = next(value for value in graph.initializer if value.name == FIXED_LENGTH)
    fixed.CopyFrom(numpy_helper.from_array(np.array([-1], np.int64), FIXED_LENGTH))
    at, add = next((i, node) for i, node in enumerate(graph.node) if POSITIONS in node.input)
    frames = next(name for name in add.input if name != POSITIONS)
    end = constant(graph, "positions_end", np.array([2**31 - 1], np.int64))
    axis = constant(graph, "positions_axis", np.array([0], np.int64))
    added = [
        helper.make_node("Shape", [frames], ["positions_count"], start=1, end=2),
        helper.make_node("Neg", ["positions_count"], ["positions_start"]),
        helper.make_node("Slice", [POSITIONS, "positions_start", end, axis], ["positions"]),
    ]
    add.input[list(add.input).index(POSITIONS)] = "positions"
    for node in reversed(added):
        graph.node.insert(at, node)


def read_waveform(graph: onnx.GraphProto) -> None:
    """
    `waveform` [1, N] becomes Whisper's log-mel spectrogram. N: a multiple of 320. The level is normalised as that of 8 s, in which
    the missing samples are silence.
    """
    basis = np.arange(WINDOW) * np.arange(WINDOW // 2 + 1)[:, None] * (2 * np.pi / WINDOW)
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)
    value = lambda name, array: constant(graph, f"mel_{name}", array)
    full = value("full", np.array(FULL_SAMPLES, np.float32))
    channel = value("channel", np.array([1], np.int64))
    halves = value("halves", np.array([WINDOW // 2 + 1] * 2, np.int64))
    one, last, time = (value(name, np.array([number], np.int64)) for name, number in (("start", 0), ("end", -1), ("time", 2)))
    make = lambda kind, inputs, output, **attributes: helper.make_node(kind, inputs, [f"mel_{output}"], **attributes)
    nodes = [
        make("ReduceSum", ["waveform"], "sum"),
        make("Div", ["mel_sum", full], "mean"),
        make("ReduceSumSquare", ["waveform"], "squares"),
        make("Div", ["mel_squares", full], "power"),
        make("Mul", ["mel_mean", "mel_mean"], "mean_power"),
        make("Sub", ["mel_power", "mel_mean_power"], "variance"),
        make("Add", ["mel_variance", value("least", np.array(1e-7, np.float32))], "safe_variance"),
        make("Sqrt", ["mel_safe_variance"], "deviation"),
        make("Sub", ["waveform", "mel_mean"], "centred"),
        make("Div", ["mel_centred", "mel_deviation"], "normal"),
        make("Unsqueeze", ["mel_normal", channel], "channels"),
        make("Pad", ["mel_channels", value("pads", np.array([0, 0, WINDOW // 2] * 2, np.int64))], "padded", mode="reflect"),
        make(
            "Conv",
            ["mel_padded", value("fourier", (np.concatenate((np.cos(basis), np.sin(basis))) * hann)[:, None].astype(np.float32))],
            "complex",
            strides=[HOP],
        ),
        make("Slice", ["mel_complex", one, last, time], "frames"),
        make("Mul", ["mel_frames", "mel_frames"], "parts"),
        helper.make_node("Split", ["mel_parts", halves], ["mel_real", "mel_imaginary"], axis=1),
        make("Add", ["mel_real", "mel_imaginary"], "spectrum"),
        make("MatMul", [value("bands", mel_bands()), "mel_spectrum"], "energy"),
        make("Max", ["mel_energy", value("floor", np.array(1e-10, np.float32))], "audible"),
        make("Log", ["mel_audible"], "natural"),
        make("Mul", ["mel_natural", value("to_decades", np.array(1 / np.log(10), np.float32))], "decades"),
        make("ReduceMax", ["mel_decades"], "loudest"),
        make("Sub", ["mel_loudest", value("range", np.array(8, np.float32))], "quietest"),
        make("Max", ["mel_decades", "mel_quietest"], "limited"),
        make("Add", ["mel_limited", value("shift", np.array(4, np.float32))], "shifted"),
        helper.make_node("Div", ["mel_shifted", value("scale", np.array(4, np.float32))], ["input_features"]),
    ]
    output = graph.output[0].name
    for node in reversed(nodes):
        graph.node.insert(0, node)
    graph.node.append(helper.make_node("Reshape", [output, value("one", np.array([1], np.int64))], ["probability"]))
    del graph.input[:], graph.output[:]
    graph.input.append(helper.make_tensor_value_info("waveform", onnx.TensorProto.FLOAT, [1, "samples"]))
    graph.output.append(helper.make_tensor_value_info("probability", onnx.TensorProto.FLOAT, [1]))
    del graph.value_info[:]


def mel_bands() -> np.ndarray:
    """Weights [80, 201] of Whisper's mel bands: triangles of equal area on Slaney's scale, which is linear up to 1 kHz."""
    linear, step = 200 / 3, np.log(6.4) / 27
    to_mel = lambda hz: hz / linear if hz < 1000 else 15 + np.log(hz / 1000) / step
    to_hz = lambda mel: mel * linear if mel < 15 else 1000 * np.exp(step * (mel - 15))
    edges = np.array([to_hz(mel) for mel in np.linspace(0, to_mel(RATE / 2), BANDS + 2)])
    bins = np.linspace(0, RATE / 2, WINDOW // 2 + 1)
    low, middle, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    triangles = np.maximum(0, np.minimum((bins - low) / (middle - low), (high - bins) / (high - middle)))
    return (triangles * 2 / (high - low)).astype(np.float32)


if __name__ == "__main__":
    main()
