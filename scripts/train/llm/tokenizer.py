"""Byte-level BPE with mirrored capitals, in GPT-2's format (what llama.cpp reads as `gpt2`).

Merges are learnt on lower-case text only; each useful merge then gets a twin for the capitalised word.
So " jonathan" and " Jonathan" split at the same places, and a name heard in lower case is copied
piece by piece into a reply with a capital. No piece contains a digit: numbers are copied digit by digit.
"""

import json
from collections import Counter
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

START, END, PAD = "<|im_start|>", "<|im_end|>", "<|endoftext|>"
SPECIALS = (PAD, START, END)
SPACE = "Ġ"
TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
Merge = tuple[str, str]


def mirror(merge: Merge) -> Merge | None:
    left, right = merge
    if left == SPACE:
        return (SPACE, right[0].upper() + right[1:]) if right[0].isalpha() and right[0].islower() else None
    bare = left.removeprefix(SPACE)
    if not bare or not (bare[0].isalpha() and bare[0].islower() and bare[0].isascii()):
        return None
    return (left[: len(left) - len(bare)] + bare[0].upper() + bare[1:], right)


def build(merges: list[Merge]) -> Tokenizer:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: index for index, token in enumerate([*SPECIALS, *alphabet])}
    for left, right in merges:
        vocabulary.setdefault(left + right, len(vocabulary))
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIALS])
    return tokenizer


def learn_merges(texts: list[str], count: int) -> list[Merge]:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    trainer = trainers.BpeTrainer(vocab_size=256 + count, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator(("".join(" " if c.isdigit() else c for c in text.lower()) for text in texts), trainer)
    return [tuple(m) if isinstance(m, list) else tuple(m.split(" ")) for m in json.loads(tokenizer.to_str())["model"]["merges"]]


def train(texts: list[str], size: int, lower_count: int) -> Tokenizer:
    """Texts in their real case -> a tokenizer of exactly `size` tokens, `lower_count` of them lower-case merges."""
    lower = learn_merges(texts, lower_count)
    capitals: list[Merge] = [("P", "M"), ("A", "M"), (SPACE, "PM"), (SPACE, "AM"), ("O", "K")]
    twins = {merge: mirror(merge) for merge in lower}
    complete = build(capitals + [m for merge in lower for m in (merge, twins[merge]) if m])
    used: Counter[str] = Counter()
    for encoding in complete.encode_batch(texts[:60000]):
        used.update(encoding.tokens)
    budget = size - len(SPECIALS) - 256 - len(lower) - len(capitals)
    made_by = {"".join(twin): twin for twin in twins.values() if twin}
    kept: set[Merge] = set()
    for token, _ in used.most_common():
        chain, pending = set(), [token]
        while pending:
            twin = made_by.get(pending.pop())
            if twin and twin not in kept and twin not in chain:
                chain.add(twin)
                pending.extend(twin)
        if len(kept) + len(chain) <= budget:
            kept |= chain
    merges = capitals + [m for merge in lower for m in (merge, twins[merge]) if m and (m == merge or m in kept)]
    return build(merges)


def encode_turn(tokenizer: Tokenizer, role: str, text: str) -> tuple[list[int], list[int]]:
    """One turn as the chat template writes it: (header, text with its end-of-turn token).

    The template puts a newline after the end token; the caller adds it, as no loss belongs to it.
    """
    head = tokenizer.encode(f"{START}{role}\n", add_special_tokens=False).ids
    body = tokenizer.encode(f"{text}{END}", add_special_tokens=False).ids
    return head, body


def save(tokenizer: Tokenizer, path: Path) -> None:
    tokenizer.save(str(path))


def load(path: Path) -> Tokenizer:
    return Tokenizer.from_file(str(path))
