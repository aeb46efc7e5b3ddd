"""Writes the GGUF file of a training's checkpoint.

    python export.py --origin SmolLM2-135M-Instruct.Q4_1.gguf --work WORK --out starter.gguf [--matrices Q5_0] [--embedding Q8_0]
"""

import argparse
from pathlib import Path

import torch
from gguf import GGMLQuantizationType as Kind

from rendering import RENAMED
from train import checkpoint, prepared
from weights import write_network

TEMPLATE = Path(__file__).parent / "chat-template.jinja"
METADATA = {
    "general.name": "Oakvoice starter",
    "general.basename": "oakvoice-starter",
    "general.finetune": "Conversations of voice services, from SmolLM2-135M-Instruct",
    "general.license": "apache-2.0",
    "tokenizer.chat_template": TEMPLATE.read_text("utf-8"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--origin", type=Path, required=True, help="the GGUF file that the training started from")
    parser.add_argument("--work", type=Path, nargs="+", required=True, help="several: the mean of their additions")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--matrices", default="Q5_0")
    parser.add_argument("--embedding", default="Q5_0", help="Q8_0 makes a file of more than 100 MB")
    arguments = parser.parse_args()
    network, _ = prepared(arguments.origin)
    for work in arguments.work:
        state = torch.load(checkpoint(work), mmap=True, weights_only=True)
        network.add(state["learnt"], 1 / len(arguments.work))
    kinds = Kind[arguments.matrices], Kind[arguments.embedding]
    write_network(network, arguments.origin, arguments.out, METADATA, RENAMED, *kinds)
    print(f"{arguments.out}: {arguments.out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
