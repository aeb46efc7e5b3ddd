"""Converts Moonshine tiny (English) from the Python package that carries it to the two ONNX graphs that Oakvoice runs.

The package has graphs in onnxruntime's own format. onnxruntime writes them as ONNX, and this script changes the decoder's graph.
The cross-attention becomes an output, because word times are computed from it. A step with a past does not copy the encoder's keys
and values. The weights stay as they are.

    pip install --requirement scripts/models/requirements.txt
    python scripts/models/moonshine_tiny.py --out models/starter/fast-stt
"""

import argparse
import base64
import hashlib
import os
import pathlib
import tempfile

import onnx
# onnxruntime reports to its maker unless this is set before it is loaded.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
import onnxruntime
from onnx import helper

from packages import fetch_packages, require_digest

PACKAGE = "moonshine-voice==0.0.59"
FOLDER = "moonshine_voice/assets/tiny-en"
DIGESTS = {
    "encoder_model.ort": "94e90a4654fc45cdfedb77c4c08e1739f48862998e58fada384b25118134f221",
    "decoder_model_merged.ort": "cf524c4862d36e9e5ab032eddc73637efd822d70e868ac575cf1a46e1e4708a0",
    "tokenizer.bin": "6884b35fd6377d4c4d32336a0bc152f36b64d1e45b6503683cdc238250a8472d",
}
LAYERS = 6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder of the converted model")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        fetch_packages([PACKAGE], work)
        source = work / FOLDER
        for name, digest in DIGESTS.items():
            require_digest(name, (source / name).read_bytes(), digest)
        save(as_onnx(source / "encoder_model.ort", work), options.out / "encoder.onnx")
        save(with_attention(as_onnx(source / "decoder_model_merged.ort", work)), options.out / "decoder.onnx")
        pieces = read_pieces((source / "tokenizer.bin").read_bytes())
        lines = (f"{base64.b64encode(piece).decode()} {number}\n" for number, piece in enumerate(pieces))
        (options.out / "tokens.txt").write_text("".join(lines))
    for file in sorted(options.out.glob("*.*")):
        print(hashlib.sha256(file.read_bytes()).hexdigest(), file)


def as_onnx(path: pathlib.Path, folder: pathlib.Path) -> onnx.ModelProto:
    """A graph in onnxruntime's format as ONNX, without further changes."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    target = folder / (path.stem + ".onnx")
    options.optimized_model_filepath = str(target)
    options.add_session_config_entry("session.save_model_format", "ONNX")
    onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return onnx.load(str(target))


def with_attention(model: onnx.ModelProto) -> onnx.ModelProto:
    """Adds the output `attention`: layers x heads x new tokens x positions of the encoder.

    The graph is one `If` with a branch for the first tokens and one for further tokens. The second branch hands the encoder's keys
    and values through; here it gives empty tensors instead, because their copies cost more than a step.
    """
    choice = next(node for node in model.graph.node if node.op_type == "If")
    for attribute in choice.attribute:
        graph = attribute.g
        graph.name = attribute.name  # onnxruntime leaves it empty, and refuses an empty one
        layers = [f"/model/decoder/layers.{layer}/encoder_attn/Softmax_output_0" for layer in range(LAYERS)]
        graph.node.append(helper.make_node("Concat", layers, [f"{attribute.name}_attention"], axis=0))
        graph.output.append(tensor(f"{attribute.name}_attention", ["layers", "heads", "tokens", "positions"]))
        if attribute.name == "then_branch":
            for output in graph.output:
                if ".encoder." in output.name:
                    empty_output(graph, output)
    # Shapes that onnxruntime derived. They depend on its version.
    del model.graph.value_info[:]
    choice.output.append("attention")
    model.graph.output.append(tensor("attention", ["layers", "heads", "tokens", "positions"]))
    for output in model.graph.output:
        if ".encoder." in output.name:
            output.CopyFrom(tensor(output.name, [None, None, None, None]))
    return model


def empty_output(graph: onnx.GraphProto, output: onnx.ValueInfoProto) -> None:
    name = f"{output.name}.none"
    empty = helper.make_tensor(f"{name}_value", onnx.TensorProto.FLOAT, [0, 0, 0, 0], [])
    graph.node.append(helper.make_node("Constant", [], [name], value=empty))
    output.CopyFrom(tensor(name, [0, 0, 0, 0]))


def tensor(name: str, shape: list) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)


def save(model: onnx.ModelProto, path: pathlib.Path) -> None:
    model.graph.name = path.stem
    # onnxruntime lists every operator set that it knows. A reader refuses sets that it does not know.
    used = {"", "com.microsoft"}
    for opset in [each for each in model.opset_import if each.domain not in used]:
        model.opset_import.remove(opset)
    onnx.save(model, str(path))


def read_pieces(table: bytes) -> list[bytes]:
    """Texts of the tokens. Each has its length in one byte, or in two (low seven bits first), and its bytes; 0: no text."""
    pieces, at = [], 0
    while at < len(table):
        length = table[at]
        at += 1
        if length >= 128:
            length += 128 * (table[at] - 1)
            at += 1
        pieces.append(table[at : at + length])
        at += length
    return pieces


if __name__ == "__main__":
    main()
