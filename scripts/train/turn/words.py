"""Trains the odds of the end of a turn by words alone, and writes turn-words.json beside turn.onnx.

    python words.py --data DATA --out OUT

A logistic regression over the last three words, the first two and their number. DATA holds text/. Ends are the ends of
sentences that people say or write to an assistant. Pauses are their commas and full stops, and random places. One sentence in twenty is held out.
The features are those of src/language/packs/en/sentence-ends.ts.
"""

import argparse
import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

NUMBERS = set(
    "zero oh one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand".split()
)
BREAK = re.compile(r"[,;:]\s|\.\s+(?=[A-Z])|\s-\s")
# A feature seen less often says nothing.
SEEN = 15
# A pause anywhere is rarer than one at a comma. Sentences that are read aloud have a lower weight.
ANYWHERE, READ = 0.2, 0.5
# A repeated sentence counts up to this often: "what time is it" also begins longer questions.
REPEATED = 30


def words_of(text: str) -> list[str]:
    found = re.findall(r"[a-z0-9']+", text.lower().replace("’", "'"))
    return ["#" if word in NUMBERS or word[0].isdigit() else word for word in found]


def features(words: list[str]) -> list[str]:
    count = min(len(words), 6)
    found = [f"n{count}", f"1 {words[-1]}", f"f {words[0]}"]
    if len(words) > 1:
        found += [f"2 {' '.join(words[-2:])}", f"g {' '.join(words[:2])}"]
    if len(words) > 2:
        found.append(f"3 {' '.join(words[-3:])}")
    if len(words) <= 6:
        found.append(f"f{count} {words[0]}")
    return found


def sentences(text: Path) -> Iterator[tuple[str, bool]]:
    """Sentences of callers, and whether they are only read aloud."""
    for name in ("dialogues-sgd", "dialogues-taskmaster4"):
        with gzip.open(text / f"{name}.jsonl.gz", "rt") as lines:
            for line in lines:
                yield from ((said, False) for speaker, said in json.loads(line)["turns"] if speaker == "U")
    for name in ("intents-clinc", "intents-snips"):
        with gzip.open(text / f"{name}.jsonl.gz", "rt") as lines:
            yield from ((json.loads(line)["text"], False) for line in lines)
    with gzip.open(text / "sentences-common-voice.txt.gz", "rt") as lines:
        yield from ((line.strip(), True) for line in lines)


def places(text: str, r: random.Random) -> Iterator[tuple[list[str], bool, float]]:
    """Beginnings of a sentence, whether it ends there, and what that counts."""
    words = words_of(text)
    yield words, True, 1.0
    for found in BREAK.finditer(text):
        before = words_of(text[: found.start()])
        if 0 < len(before) < len(words):
            yield before, False, 1.0
    if len(words) > 2:
        yield words[: r.randrange(1, len(words))], False, ANYWHERE


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    r = random.Random(1)
    seen: Counter[str] = Counter()
    rows, over, weight, kept_back = [], [], [], []
    for text, is_read in sentences(arguments.data / "text"):
        key = " ".join(words := words_of(text))
        seen[key] += 1
        # Short answers are as common as they are.
        if not words or (len(words) > 3 and seen[key] > REPEATED) or (is_read and r.random() < 0.5):
            continue
        for before, ends, counts in places(text, r):
            rows.append(features(before))
            over.append(ends)
            weight.append(counts * (READ if is_read else 1.0))
            kept_back.append(sum(map(ord, key)) % 20 == 0)
    over, weight, kept_back = np.array(over), np.array(weight), np.array(kept_back)
    counts = Counter(name for row, out in zip(rows, kept_back) if not out for name in row)
    vectors = DictVectorizer(dtype=np.float32)
    table = vectors.fit_transform([{name: 1.0 for name in row if counts[name] >= SEEN} for row in rows])
    model = LogisticRegression(C=0.2, max_iter=300).fit(table[~kept_back], over[~kept_back], weight[~kept_back])
    test = kept_back & (weight >= READ)
    print(f"{len(over)} places, {table.shape[1]} features; kept back: area {roc_auc_score(over[test], model.decision_function(table)[test]):.3f}")
    weights = {name: round(float(value), 2) for name, value in sorted(zip(vectors.feature_names_, model.coef_[0])) if abs(value) >= 0.05}
    facts = {"bias": round(float(model.intercept_[0]), 2), "numbers": sorted(NUMBERS), "weights": weights}
    (arguments.out / "turn-words.json").write_text(json.dumps(facts, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
