"""One command from text to a voice: dictionary -> teacher's speech -> training -> ONNX -> evaluation.

    python scripts/train/tts/run.py --data <text and eval data> --work <scratch> --out models/starter/tts
    python scripts/train/tts/run.py --data ... --work ... --out <scratch>/voice --smoke     (under 2 minutes)

Needs flite on the path, and Node with sherpa-onnx-node for the evaluation. Every stage keeps its result
in the work folder and is skipped when that is there.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

import dataset
from evaluate import evaluate
from export import export
from model import Student
from phones import TOKENS, read_dictionary, write_front_end
from teacher import FRAMES_PER_SECOND, collect, read_sentences
from train import train

HELD_OUT = 40
NOTE = "Oakvoice starter voice: English, one speaker, trained from scratch with flite slt as teacher"
DICTIONARY = "node_modules/cmu-pronouncing-dictionary/index.js"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, required=True, help="folder with text/ and eval/")
    arguments.add_argument("--work", type=Path, required=True, help="scratch folder")
    arguments.add_argument("--out", type=Path, required=True, help="folder for model.onnx, tokens.txt, lexicon.txt")
    arguments.add_argument("--dictionary", type=Path, default=Path(DICTIONARY))
    arguments.add_argument("--node-folder", type=Path, default=Path("."), help="where sherpa-onnx-node is installed")
    arguments.add_argument("--utterances", type=int, default=5000)
    arguments.add_argument("--minutes", type=float, default=80.0)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--smoke", action="store_true", help="60 utterances, 30 steps: proves the chain, not the voice")
    arguments.add_argument("--resume", action="store_true", help="go on from the checkpoint in the work folder, with the same options")
    arguments.add_argument("--evaluate-only", action="store_true")
    options = arguments.parse_args()
    for folder in (options.work, options.out):
        folder.mkdir(parents=True, exist_ok=True)

    dictionary = read_dictionary(options.dictionary)
    write_front_end(dictionary, options.out)

    name = "smoke-utterances.pkl" if options.smoke else "utterances.pkl"
    speech = options.work / name
    if not speech.exists():
        sentences = read_sentences(options.data, dictionary, options.seed)
        count = 60 if options.smoke else options.utterances
        dataset.save(collect(sentences, dictionary, count), speech)
    utterances = dataset.load(speech)
    hours = sum(len(u.f0) for u in utterances) / FRAMES_PER_SECOND / 3600
    print(f"{len(utterances)} utterances, {hours:.2f} hours", flush=True)
    held, seen = utterances[: 8 if options.smoke else HELD_OUT], utterances[8 if options.smoke else HELD_OUT :]

    weights = options.work / ("smoke.pt" if options.smoke else "student.pt")
    if options.evaluate_only:
        saved = torch.load(weights, weights_only=True)
        student = Student(saved["config"]["token_count"], saved["config"]["width"])
        student.load_state_dict(saved["state"])
    else:
        student = train(
            seen,
            len(TOKENS),
            weights,
            options.minutes,
            options.seed,
            checkpoint=options.work / ("smoke-training.pt" if options.smoke else "training.pt"),
            resume=options.resume,
            steps_limit=30 if options.smoke else None,
        )
    export(student, options.out / "model.onnx", NOTE)
    evaluate(student, held, options.out, options.data / "eval" / "dnsmos-sig-bak-ovr.onnx", options.work, options.node_folder)


if __name__ == "__main__":
    main()
