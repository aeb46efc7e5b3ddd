"""Prints turns of callers in the training's conversations, one a line, for the recogniser's word trigrams and held-out sets.

    python callers.py --data DATA --dialogues 20000 --seed 3

DATA holds the same corpora as for `train.py`. `--held-out`: turns with held-out names and wordings of conversations with tools.
"""

import argparse
import random
from pathlib import Path

import corpora
import notes
from grammar import Grammar
from grammar_tools import ToolGrammar
from tools_counter import counter
from tools_desks import desk

TOOL_SHARE = 0.75


class Speakable(ToolGrammar):
    """Without the invented offers of counters, which callers do not ask for."""

    def kinds(self, r: random.Random) -> list:
        return [kind for kind in super().kinds(r) if kind is not counter] or [desk]


def turns(data: Path, dialogues: int, seed: int, held_out: bool) -> list[str]:
    r = random.Random(seed)
    grammars, shares = [Speakable(held_out)], [1.0]
    if not held_out:
        grammars, shares = [*grammars, Grammar(corpora.sentences(data, False), corpora.intents(data, False), False)], [TOOL_SHARE, 1 - TOOL_SHARE]
    made = [r.choices(grammars, shares)[0].dialogue(r) for _ in range(dialogues)]
    said = [notes.said(text).lower() for each in made for role, text in each.turns if role == "user"]
    # One line is what a caller says. A client's settings come before it, and tools' results have tags.
    return [text for text in said if text and "\n" not in text and "<" not in text]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--dialogues", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--held-out", action="store_true")
    arguments = parser.parse_args()
    print("\n".join(turns(arguments.data, arguments.dialogues, arguments.seed, arguments.held_out)))


if __name__ == "__main__":
    main()
