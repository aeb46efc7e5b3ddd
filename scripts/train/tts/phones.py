"""Tokens, dictionary and lexicon of the starter voice.

The token stream mirrors what sherpa-onnx builds from `lexicon.txt`: the phones of a word, then " ", a
punctuation mark as its own token, and " " after a mark that ends a sentence.
"""

from __future__ import annotations

import re
from pathlib import Path

CONSONANTS = "B CH D DH F G HH JH K L M N NG P R S SH T TH V W Y Z ZH".split()
VOWELS = "AA AE AH AO AW AY EH ER EY IH IY OW OY UH UW".split()
MARKS = [",", ".", "?", "!", ";", ":", "-"]
SEPARATOR = " "
TOKENS = [SEPARATOR, *MARKS, *CONSONANTS, *(v + s for v in VOWELS for s in "012")]
TOKEN_ID = {token: index for index, token in enumerate(TOKENS)}
SENTENCE_ENDS = frozenset(MARKS) - {","}

# Words a voice service meets that the dictionary lacks, and the reading it should prefer for others.
OWN_WORDS = dict(
    line.split(" ", 1)
    for line in """
oakvoice OW1 K V OY2 S
ai EY1 AY1
airbnb EH1 R B IY2 AH0 N B IY1
aha AA0 HH AA1
app AE1 P
apps AE1 P S
checkin CH EH1 K IH2 N
close K L OW1 Z
cortado K AO0 R T AA1 D OW0
covid K OW1 V IH0 D
dont D OW1 N T
dr D AA1 K T ER0
email IY1 M EY2 L
emails IY1 M EY2 L Z
emoji IH0 M OW1 JH IY0
faq EH1 F EY1 K Y UW1
hmm HH AH1 M
hows HH AW1 Z
id AY1 D IY1
isnt IH1 Z AH0 N T
ive AY1 V
kombucha K AA0 M B UW1 CH AH0
lattes L AA1 T EY2 Z
lead L IY1 D
live L IH1 V
login L AO1 G IH2 N
macchiato M AA2 K IY0 AA1 T OW0
matcha M AA1 CH AH0
mm M AH1 M
mmm M AH1 M
ok OW2 K EY1
okay OW2 K EY1
omelette AA1 M L AH0 T
online AO1 N L AY2 N
paracetamol P EH2 R AH0 S IY1 T AH0 M AA2 L
passcode P AE1 S K OW2 D
physiotherapist F IH2 Z IY0 OW0 TH EH1 R AH0 P IH0 S T
podcast P AA1 D K AE2 S T
ramen R AA1 M AH0 N
read R IY1 D
showtimes SH OW1 T AY2 M Z
signup S AY1 N AH2 P
smartphone S M AA1 R T F OW2 N
thats DH AE1 T S
theyre DH EH1 R
touchscreen T AH1 CH S K R IY2 N
uh AH1
um AH1 M
unfurnished AH0 N F ER1 N IH0 SH T
use Y UW1 Z
username Y UW1 Z ER0 N EY2 M
vs V ER1 S AH0 S
wasnt W AA1 Z AH0 N T
wi W AY1
wifi W AY1 F AY2
xray EH1 K S R EY2
youre Y UH1 R
""".strip().splitlines()
)


def read_dictionary(path: Path) -> dict[str, list[str]]:
    """word -> phones with stress, first pronunciation only, from the npm package's index.js."""
    words: dict[str, list[str]] = {}
    for word, phones in re.findall(r'^\s*"([^"]+)": "([^"]+)"', path.read_text("utf-8"), re.M):
        if re.fullmatch(r"[a-z']+", word):
            words.setdefault(word, phones.split("#")[0].split())
    if len(words) < 100_000:
        raise SystemExit(f"{path}: only {len(words)} words read; is this cmu-pronouncing-dictionary's index.js?")
    words["'s"] = ["Z"]
    words |= {word: phones.split() for word, phones in OWN_WORDS.items()}
    return {word: phones for word, phones in words.items() if all(p in TOKEN_ID for p in phones)}


def phone_words() -> dict[str, list[str]]:
    """One pseudo word per phone ("0ae1" -> AE1): any sound can be written, so no word is ever dropped."""
    return {"0" + token.lower(): [token] for token in TOKENS if token[0].isalpha()}


def write_front_end(dictionary: dict[str, list[str]], out: Path) -> None:
    lines = [f"{w} {' '.join(p)}" for w, p in sorted({**dictionary, **phone_words()}.items())]
    (out / "lexicon.txt").write_text("\n".join(lines) + "\n", "utf-8")
    (out / "tokens.txt").write_text("".join(f"{t} {i}\n" for t, i in TOKEN_ID.items()), "utf-8")


def split_text(text: str) -> list[str]:
    """Words and marks as sherpa-onnx splits them (lower case; the apostrophe belongs to the word)."""
    return re.findall(r"[a-z0-9']+|[,.?!;:-]", text.lower().replace("’", "'"))


def text_tokens(parts: list[str], dictionary: dict[str, list[str]]) -> list[str]:
    tokens: list[str] = []
    for part in parts:
        if part in MARKS:
            tokens.append(part)
            if part in SENTENCE_ENDS:
                tokens.append(SEPARATOR)
        else:
            tokens.extend(dictionary[part])
            tokens.append(SEPARATOR)
    return tokens
