"""One command from text to a model with two voices: dictionary -> teachers' speech -> training -> ONNX -> evaluation.

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
from export import export, load
from model import Student
from phones import TOKENS, read_dictionary, write_front_end
from teacher import FRAMES_PER_SECOND, Utterance, collect, read_sentences
from train import train

HELD_OUT = 40
# Names in the configuration, and the teachers in flite. The first one is the default.
VOICES = {"female": "slt", "male": "rms"}
NOTE = "Oakvoice starter voices: English, trained from scratch with flite's slt and rms as teachers"
DICTIONARY = "node_modules/cmu-pronouncing-dictionary/index.js"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, required=True, help="folder with text/ and eval/")
    arguments.add_argument("--work", type=Path, required=True, help="scratch folder")
    arguments.add_argument("--out", type=Path, required=True, help="folder for model.onnx, model.onnx.json, tokens.txt, lexicon.txt")
    arguments.add_argument("--dictionary", type=Path, default=Path(DICTIONARY))
    arguments.add_argument("--node-folder", type=Path, default=Path("."), help="where sherpa-onnx-node is installed")
    arguments.add_argument("--utterances", type=int, default=5000, help="of each voice")
    arguments.add_argument("--minutes", type=float, default=80.0)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--smoke", action="store_true", help="60 utterances, 30 steps: proves the chain, not the voice")
    arguments.add_argument("--resume", action="store_true", help="go on from the checkpoint in the work folder, with the same options")
    arguments.add_argument("--start-from", type=Path, help="a model.onnx made by this program: go on from its weights")
    arguments.add_argument("--evaluate-only", action="store_true", help="no training: export the weights of --start-from or of the work folder, and measure")
    options = arguments.parse_args()
    torch.backends.nnpack.set_flags(False)  # On a processor that NNPACK does not know, each convolution would print a warning.
    for folder in (options.work, options.out):
        folder.mkdir(parents=True, exist_ok=True)

    dictionary = read_dictionary(options.dictionary)
    write_front_end(dictionary, options.out)

    prefix = "smoke-" if options.smoke else ""
    spoken = {name: speech_of(teacher, dictionary, options, prefix) for name, teacher in VOICES.items()}
    kept_back = {u.text for u in next(iter(spoken.values()))[: 8 if options.smoke else HELD_OUT]}
    seen = [[u for u in utterances if u.text not in kept_back] for utterances in spoken.values()]

    weights = options.work / f"{prefix}student.pt"
    if options.evaluate_only and options.start_from:
        student = load(options.start_from, len(TOKENS), len(VOICES))
    elif options.evaluate_only:
        saved = torch.load(weights, weights_only=True)
        student = Student(**saved["config"])
        student.load_state_dict(saved["state"])
    else:
        torch.manual_seed(options.seed)
        student = load(options.start_from, len(TOKENS), len(VOICES)) if options.start_from else Student(len(TOKENS), len(VOICES))
        student = train(
            student,
            seen,
            weights,
            options.minutes,
            options.seed,
            checkpoint=options.work / f"{prefix}training.pt",
            resume=options.resume,
            steps_limit=30 if options.smoke else None,
        )
    export(student, options.out / "model.onnx", list(VOICES), NOTE)
    dnsmos = options.data / "eval" / "dnsmos-sig-bak-ovr.onnx"
    for number, (name, utterances) in enumerate(spoken.items()):
        print(f"voice {name}:", flush=True)
        held = [u for u in utterances if u.text in kept_back]
        evaluate(student, number, held, options.out, dnsmos, options.work / name, options.node_folder)


def speech_of(teacher: str, dictionary: dict[str, list[str]], options: argparse.Namespace, prefix: str) -> list[Utterance]:
    """The teacher's utterances, from the work folder if they are there."""
    file = options.work / f"{prefix}utterances-{teacher}.pkl"
    if not file.exists():
        sentences = read_sentences(options.data, dictionary, options.seed)
        dataset.save(collect(sentences, dictionary, 60 if options.smoke else options.utterances, teacher), file)
    utterances = dataset.load(file)
    hours = sum(len(u.f0) for u in utterances) / FRAMES_PER_SECOND / 3600
    print(f"{teacher}: {len(utterances)} utterances, {hours:.2f} hours", flush=True)
    return utterances


if __name__ == "__main__":
    main()
