"""Turns of callers in the conversations that the language model learns."""

import subprocess
import sys
from pathlib import Path


def caller_turns(data: Path, dialogues: int, seed: int, held_out: bool) -> list[str]:
    """`held_out`: those with names and wordings that no training conversation has."""
    script = Path(__file__).parents[1] / "llm" / "callers.py"
    command = [sys.executable, script, "--data", data / "text", "--dialogues", str(dialogues), "--seed", str(seed), *(["--held-out"] if held_out else [])]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
