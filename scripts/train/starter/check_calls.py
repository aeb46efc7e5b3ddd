"""Draws conversations and names the calls that do not fit the list of tools in their prompt."""

import random
import sys

from grammar import Dialogue
from mixture import Mixture
from tool_format import listed, read_calls

KINDS = {"integer": int, "boolean": bool, "string": str}


def fits(values: dict[str, object], kinds: dict[str, str]) -> bool:
    needed = {name for name in kinds if not name.endswith("?")}
    known = {name.removesuffix("?"): kind for name, kind in kinds.items()}
    return needed <= values.keys() <= known.keys() and all(type(value) is KINDS[known[name]] if known[name] in KINDS else value in known[name].split("|") for name, value in values.items())


def faults(dialogue: Dialogue) -> tuple[int, list[str]]:
    """(number of calls, descriptions of those that do not fit)."""
    tools, number, found = listed(dialogue.system), 0, []
    for _, text in (turn for turn in dialogue.turns if turn[0] == "assistant"):
        for name, values in read_calls(text) or []:
            number += 1
            if name not in tools or not fits(values, tools[name]):
                found.append(f"{name} {values} does not fit {tools.get(name)}")
    return number, found


def main(dialogues: int) -> None:
    r, number, found = random.Random(1), 0, []
    for grammar in (Mixture(False), Mixture(True)):
        for _ in range(dialogues):
            more, wrong = faults(grammar.dialogue(r))
            number, found = number + more, found + wrong
    print("\n".join([*found, f"{number} calls, {len(found)} do not fit"]))


if __name__ == "__main__":
    main(int(sys.argv[1]))
