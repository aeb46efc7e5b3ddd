"""Gives every piece that begins with a space a twin without it.

    python add_twins.py --file starter.gguf --out wider.gguf

A value in a call follows a quotation mark. Without the twin, "cat" there has other pieces than " cat" in the caller's words, and the
network has to spell it instead of copying it. A twin begins with the embedding of its piece, moved by the mean difference of the
pairs that the file has.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor

import start_from
import tokenizer as bpe
from export import export
from model import Llama


def embeddings(old: dict[str, int], made: Tokenizer, rows: Tensor) -> Tensor:
    """Rows [old pieces, width] -> rows [pieces, width]. A piece that is not a twin begins as the mean of its parts."""
    place = made.get_vocab()
    pairs = [word for word in bpe.spaced(old) if word in old]
    without_space = {capital: torch.stack([rows[old[word]] - rows[old[bpe.SPACE + word]] for word in pairs if word[0].isupper() == capital]).mean(0) for capital in (False, True)}
    found = {piece: rows[index] for piece, index in old.items()}
    for left, right in bpe.merges_of(made):
        piece = left + right
        if piece not in found:
            spaced_piece = old.get(bpe.SPACE + piece)
            found[piece] = (found[left] + found[right]) / 2 if spaced_piece is None else rows[spaced_piece] + without_space[piece[0].isupper()]
    return torch.stack([found[piece] for piece in sorted(place, key=place.get)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    shape = start_from.read_shape(arguments.file)
    old = start_from.read_tokenizer(arguments.file)
    weights = start_from.read_weights(arguments.file, Llama(shape))
    made = bpe.without_spaces(old)
    weights["embedding.weight"] = embeddings(old.get_vocab(), made, weights["embedding.weight"])
    model = Llama(replace(shape, vocabulary=made.get_vocab_size()))
    model.load_state_dict(weights)
    export(model, made, arguments.out)
    print(f"{old.get_vocab_size()} pieces before, {made.get_vocab_size()} now")


if __name__ == "__main__":
    main()
