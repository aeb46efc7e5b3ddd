"""Averages the weights of GGUF files that continue the same file, and writes one file. Layers that a file lacks count as layers
without effect.

    python average.py --out starter.gguf first.gguf second.gguf
"""

import argparse
from pathlib import Path

import torch

import start_from
from export import export
from model import Llama


def average(files: list[Path], out: Path) -> None:
    deepest = max(files, key=lambda file: start_from.read_shape(file).layers)
    model = Llama(start_from.read_shape(deepest))
    model.load_state_dict(start_from.read_weights(deepest, model))
    weights = []
    for file in files:
        layers = start_from.read_shape(file).layers
        # The last products of a layer that the file lacks are zero: it passes on what it gets.
        without_effect = [name for name in model.state_dict() if is_last_product(name) and int(name.split(".")[1]) >= layers]
        found = start_from.read_weights(file, model)
        weights.append(found | {name: torch.zeros_like(found[name]) for name in without_effect})
    model.load_state_dict({name: sum(each[name] for each in weights) / len(weights) for name in weights[0]})
    export(model, start_from.read_tokenizer(deepest), out)


def is_last_product(name: str) -> bool:
    return name.startswith("layers.") and (".output." in name or ".down." in name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    average(arguments.files, arguments.out)


if __name__ == "__main__":
    main()
