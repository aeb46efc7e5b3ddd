"""Averages the weights of GGUF files that continue the same file, and writes one file.

    python average.py --out starter.gguf first.gguf second.gguf
"""

import argparse
from pathlib import Path

import start_from
from export import export
from model import Llama


def average(files: list[Path], out: Path) -> None:
    tokenizer = start_from.read_tokenizer(files[0])
    model = Llama(start_from.read_shape(files[0]))
    weights = [start_from.read_weights(file, model) for file in files]
    model.load_state_dict({name: sum(each[name] for each in weights) / len(weights) for name in weights[0]})
    export(model, tokenizer, out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    average(arguments.files, arguments.out)


if __name__ == "__main__":
    main()
