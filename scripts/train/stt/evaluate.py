"""Word error rates of the exported file through whisper.cpp itself."""

import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import soundfile

from . import heldout
from .wer import word_errors

Results = dict[Path, str]


def transcribe(whisper: Path, model_file: Path, clips: list[heldout.TestClip], extra: tuple[str, ...] = ()) -> Results:
    """One process per audio context size; greedy, one thread, no temperature fallback."""
    by_ctx: dict[int, list[Path]] = defaultdict(list)
    for clip in clips:
        by_ctx[heldout.audio_ctx_for(soundfile.info(clip.path).frames)].append(clip.path)
    said: Results = {}
    for audio_ctx, paths in by_ctx.items():
        command = [str(whisper), "-m", str(model_file), "-t", "1", "-bs", "1", "-bo", "1", "-nf", "-ac", str(audio_ctx), "-otxt", *(extra or ("-nt",))]
        for path in paths:
            path.with_suffix(".wav.txt").unlink(missing_ok=True)
            command += ["-f", str(path)]
        subprocess.run(command, check=True, capture_output=True, timeout=1800)
        for path in paths:
            text = path.with_suffix(".wav.txt")
            said[path] = re.sub(r"[^a-z' ]", " ", text.read_text(encoding="utf-8", errors="replace").replace("\n", " ")).strip() if text.exists() else ""
    return said


def report(tests: Path, model_file: Path, whisper: Path | None, limit: int | None = None, extra: tuple[str, ...] = ()) -> Iterator[str]:
    """One line per held-out set."""
    if whisper is None:
        yield "evaluation skipped: name a whisper.cpp program with --whisper"
        return
    for name in heldout.SETS:
        clips = heldout.load(tests, name, limit)
        said = transcribe(whisper, model_file, clips, extra)
        if name == "no-speech":
            invented = [said[clip.path] for clip in clips if said[clip.path]]
            yield f"no-speech: words invented on {len(invented)} of {len(clips)} clips, {sum(len(text.split()) for text in invented)} words"
            continue
        errors = sum(word_errors(clip.text, said[clip.path]) for clip in clips)
        words = sum(len(clip.text.split()) for clip in clips)
        whole = sum(clip.text == said[clip.path] for clip in clips)
        yield f"{name}: word error rate {100 * errors / max(words, 1):.1f} % of {words} words; {whole} of {len(clips)} clips without an error"
