"""The starter speech recogniser from nothing to a ggml file: `python -m scripts.train.stt.run --data DIR --work DIR --out DIR`.

Stages (--stages, default all): prepare, words, train, export, evaluate. `--smoke` runs all of them small, in under two minutes.
flite, espeak-ng and ffmpeg must be installed; `--whisper` names a whisper.cpp command line program for the evaluation.
"""

import argparse
import shutil
from dataclasses import replace
from itertools import islice
from pathlib import Path

import torch

from . import corpus, evaluate, export, heldout, ngrams, prepare, pronounce, sound_network, start_from, train_sounds
from .batches import ClipStream, Recipe
from .config import SMOKE_SIZE, ModelSize
from .loop import Job, Task, TrainOptions, train
from .pieces import Pieces, train_pieces
from .store import Store
from .train import RecogniserTask, load_model

STAGES = ("prepare", "words", "train", "sounds", "export", "evaluate")
DEV_SETS = {"phrases": 60, "brief": 60, "cut": 60, "dev-librispeech": 40, "dev-common-voice": 40, "dev-an4": 26, "dev-kathleen": 20, "dev-digits": 30}  # clips of each checked during training


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with recorded speech, noise and text (corpus.py names them)")
    parser.add_argument("--work", type=Path, required=True, help="folder for shards, test clips and checkpoints")
    parser.add_argument("--out", type=Path, required=True, help="folder that receives ggml-starter.bin")
    parser.add_argument("--stages", nargs="+", choices=STAGES, default=STAGES)
    parser.add_argument("--utterances", type=int, default=24_000, help="synthetic clips")
    parser.add_argument("--first-shard", type=int, default=0, help="number, and so seed, of the first shard of synthetic clips")
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--minutes", type=float, default=600.0)
    parser.add_argument("--rate", type=float, default=TrainOptions.rate)
    parser.add_argument("--decay-share", type=float, default=TrainOptions.decay_share)
    parser.add_argument("--processes", type=int, default=2, help="for the synthesis and the training: the number of cores")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="cuda: train in one process on a GPU")
    parser.add_argument("--workers", type=int, default=1, help="processes that make batches for a training process")
    parser.add_argument("--positions", type=int, default=Recipe.positions, help="encoder positions in a batch; a GPU wants about 36,000")
    parser.add_argument("--kind", choices=list(export.KINDS), default="q8_0")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start-from", type=Path, help="a ggml file made by this program: go on from its weights")
    parser.add_argument("--width", type=int, help="channels of the network; a wider one can start from a narrower file")
    parser.add_argument("--mix", type=Path, help="a ggml file made by this program: export weights between the trained ones and its")
    parser.add_argument("--mix-share", type=float, default=0.25, help="how far towards the file of --mix, 0 to 1")
    parser.add_argument("--mix-sounds", type=Path, help="a sound network made by this program (.onnx): export weights between the trained ones and its")
    parser.add_argument("--mix-sounds-share", type=float, default=0.3, help="how far towards the file of --mix-sounds, 0 to 1")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in the work folder")
    parser.add_argument("--whisper", type=Path, help="a whisper.cpp main / whisper-cli binary")
    parser.add_argument("--smoke", action="store_true")
    return parser.parse_args()


def main() -> None:
    args = arguments()
    work: Path = args.work
    shards, tests, pieces_file = work / "shards", work / "tests", work / "pieces.json"
    pronunciations, words_file = work / "pronunciations.txt", work / "starter.words"
    sounds_checkpoint = work / "sounds.pt"
    size = SMOKE_SIZE if args.smoke else ModelSize()
    size = replace(size, n_state=args.width or size.n_state)
    utterances = 60 if args.smoke else args.utterances
    if args.start_from is not None:
        start_from.read_pieces(args.start_from, pieces_file)
    elif "prepare" in args.stages:
        written = islice(corpus.sentences(args.data, args.seed + 4, held_out=False), 1000 if args.smoke else 40_000)
        texts = [text for _, text, _ in written] + [text for *_, text, split in corpus.recorded(args.data) if split == "train"]
        train_pieces(texts, size.n_pieces, pieces_file)
    if "prepare" in args.stages:
        heldout.build(args.data, tests, 3 if args.smoke else 150)
        prepare.noise(args.data, shards)
        prepare.recorded(args.data, shards, args.processes, 40 if args.smoke else None)
        prepare.synthetic(args.data, shards, utterances, args.first_shard, args.processes)
    if "words" in args.stages:
        said = {word for clip, *_ in Store(shards, ("synthetic-", "recorded-")).utterances for word in clip.text.split()}
        model_of_words = ngrams.Mixture(*ngrams.sentences(args.data, args.seed, every=50 if args.smoke else 1))
        pronounce.write([*said, *model_of_words.words[ngrams.FIRST_WORD:]], pronunciations)
        model_of_words.write(words_file, pronounce.Pronunciations(pronunciations))
    pieces, recipe = Pieces(pieces_file), Recipe(positions=1024 if args.smoke else args.positions)
    if {"train", "sounds"} & {*args.stages}:
        dev = [(name, [(heldout.as_mel(c), c.text) for c in heldout.load(tests, name, 2 if args.smoke else clips)]) for name, clips in DEV_SETS.items()]
        processes = args.processes if args.device == "cpu" else 1
        options = TrainOptions(12 if args.smoke else args.steps, args.minutes, args.seed, processes, args.device, args.workers, rate=args.rate, decay_share=args.decay_share, report_every=4 if args.smoke else 100)

        def run(task: Task, checkpoint: Path, of: Recipe) -> None:
            train(Job(task, shards, pieces_file, pronunciations, checkpoint, options, of, args.resume))

        if "train" in args.stages:
            run(RecogniserTask(size, pieces_file, dev, args.start_from), work / "checkpoint.pt", recipe)
        if "sounds" in args.stages:
            sound_size = sound_network.SMOKE_SOUND_SIZE if args.smoke else sound_network.SoundSize()
            start = file if args.start_from and (file := export.sounds_file(args.start_from)).exists() else None
            run(train_sounds.first_task(sound_size, shards, pronunciations, dev, start), sounds_checkpoint, train_sounds.recipe(recipe))
    model_file = args.out / "ggml-starter.bin"
    if "export" in args.stages:
        model = load_model(work / "checkpoint.pt", pieces.rows)
        model.eval()
        if args.mix is not None:
            start_from.mix(model, start_from.read(args.mix, pieces), args.mix_share)
        batches = list(islice(ClipStream(shards, pieces_file, pronunciations, recipe, 4321), 2 if args.smoke else 12))
        args.out.mkdir(parents=True, exist_ok=True)
        partial = model_file.with_suffix(".part")
        export.write(partial, model, pieces, export.decoder_states(model, batches), args.kind)
        shutil.move(partial, model_file)
        if sounds_checkpoint.exists():
            export.write_sounds(model_file)
            shutil.copyfile(words_file, export.words_file(model_file))
            network = train_sounds.load_network(sounds_checkpoint)
            if args.mix_sounds is not None:
                sound_network.mix(network, sound_network.read(args.mix_sounds, network.size), args.mix_sounds_share)
            sound_network.export(export.sounds_file(model_file), network)
        else:
            print("no sound network yet: this file is for --start-from and --mix alone")
        print(f"{model_file.name}: {model_file.stat().st_size / 1e6:.1f} MB, {args.kind}")
    if "evaluate" in args.stages:
        for line in evaluate.report(tests, model_file, args.whisper, limit=2 if args.smoke else None):
            print(line, flush=True)


if __name__ == "__main__":
    main()
