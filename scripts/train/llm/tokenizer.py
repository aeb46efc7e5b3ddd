"""Byte-level BPE with mirrored capitals, in GPT-2's format (what llama.cpp reads as `gpt2`).

Merges are learnt on lower-case text only; each useful merge then gets a twin for the capitalised word.
So " jonathan" and " Jonathan" split at the same places, and a name heard in lower case is copied
piece by piece into a reply with a capital. Words that open a turn or follow a quotation mark have no space before them. So each
piece that begins with a space has a twin without it. No piece contains a digit: numbers are copied digit by digit.
"""

import json
from collections import Counter
from pathlib import Path

from tokenizers import AddedToken, Encoding, Tokenizer, decoders, models, pre_tokenizers, trainers

from tool_format import CALL, CALL_END, RESPONSE, RESPONSE_END

START, END, PAD = "<|im_start|>", "<|im_end|>", "<|endoftext|>"
SPECIALS = (PAD, START, END)
# They come last in the vocabulary.
TOOL_SPECIALS = (CALL, CALL_END, RESPONSE, RESPONSE_END)
SPACE = "Ġ"
TEMPLATE = (Path(__file__).parent / "chat-template.jinja").read_text().rstrip("\n")
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
    for token in TOOL_SPECIALS:
        vocabulary[token] = len(vocabulary)
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in (*SPECIALS, *TOOL_SPECIALS)])
    return tokenizer


def learn_merges(texts: list[str], count: int) -> list[Merge]:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    trainer = trainers.BpeTrainer(vocab_size=256 + count, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator(("".join(" " if c.isdigit() else c for c in text.lower()) for text in texts), trainer)
    return merges_of(tokenizer)


def train(texts: list[str], size: int, lower_count: int) -> Tokenizer:
    """Texts in their real case -> a tokenizer of `size` tokens and the twins without a space.

    `lower_count` of them are lower-case merges, the rest are capitals.
    """
    lower = learn_merges(texts, lower_count)
    capitals: list[Merge] = [("P", "M"), ("A", "M"), (SPACE, "PM"), (SPACE, "AM"), ("O", "K")]
    budget = size - len(SPECIALS) - len(TOOL_SPECIALS) - 256 - lower_count - len(capitals)
    return without_spaces(build(capitals + with_capitals(lower, texts[:60000], budget)))


def merges_of(tokenizer: Tokenizer) -> list[Merge]:
    return [tuple(m) if isinstance(m, list) else tuple(m.split(" ")) for m in json.loads(tokenizer.to_str())["model"]["merges"]]


def spaced(vocabulary: dict[str, int]) -> list[str]:
    """Words, and beginnings of words, whose piece begins with a space."""
    bare = [piece[1:] for piece in sorted(vocabulary, key=vocabulary.get) if piece.startswith(SPACE)]
    return [word for word in bare if word.isascii() and word.isalpha()]


def split(word: str, ranks: dict[Merge, int]) -> list[str]:
    """The pieces of a word of letters: the merge that was learnt first goes first, everywhere in the word."""
    pieces = list(word)
    while found := [pair for pair in zip(pieces, pieces[1:]) if pair in ranks]:
        first = min(found, key=ranks.get)
        place = 0
        while place < len(pieces) - 1:
            if (pieces[place], pieces[place + 1]) == first:
                pieces[place : place + 2] = ["".join(first)]
            place += 1
    return pieces


def without_spaces(tokenizer: Tokenizer) -> Tokenizer:
    """Adds the twins without a space. Their merges come last, so that nearly all other words split as before."""
    ranks = {merge: rank for rank, merge in enumerate(merges_of(tokenizer))}
    for word in spaced(tokenizer.get_vocab()):
        pieces = split(word, ranks)
        while len(pieces) > 1:
            ranks[(pieces[0], pieces[1])] = len(ranks)
            pieces = [pieces[0] + pieces[1], *pieces[2:]]
    return build(list(ranks))


def with_capitals(merges: list[Merge], texts: list[str], budget: int) -> list[Merge]:
    """Puts the capital twin of a merge right behind it, for the `budget` twins that the texts use most."""
    there = set(merges)
    twins = {merge: twin for merge in merges if (twin := mirror(merge)) and twin not in there}
    complete = build([m for merge in merges for m in (merge, twins.get(merge)) if m])
    used: Counter[str] = Counter()
    for encoding in complete.encode_batch(texts):
        used.update(encoding.tokens)
    made_by = {"".join(twin): twin for twin in twins.values()}
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
    return [m for merge in merges for m in (merge, twins.get(merge)) if m and (m in there or m in kept)]


def encode_turn(tokenizer: Tokenizer, role: str, text: str) -> tuple[list[int], Encoding]:
    """One turn as the chat template writes it: (header, text with its end-of-turn token). A tool's results come in a user's turn.

    The template puts a newline after the end token; the caller adds it, as no loss belongs to it.
    """
    head = tokenizer.encode(f"{START}{'user' if role == 'tool' else role}\n", add_special_tokens=False).ids
    return head, tokenizer.encode(f"{text}{END}", add_special_tokens=False)


def save(tokenizer: Tokenizer, path: Path) -> None:
    tokenizer.save(str(path))


def load(path: Path) -> Tokenizer:
    return Tokenizer.from_file(str(path))
