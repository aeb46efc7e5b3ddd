"""Held-out perplexity of replies, and how often replies copy every value right, decoded greedily."""

import math
import random
import re

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

from batches import pack, to_row
from grammar import Dialogue, Grammar, persona, prompt
from grammar_facts import ask_known, ask_unknown, draw_facts
from model import Llama
from notes import Notes, moment
from tokenizer import END, START

WORD = re.compile(r"[a-z0-9']+")


@torch.no_grad()
def perplexity(model: Llama, tokenizer: Tokenizer, dialogues: list[Dialogue]) -> float:
    """exp of the mean loss per reply token (turns with weight 0 left out)."""
    total = count = 0.0
    for ids, targets, weights in pack([to_row(tokenizer, d, None) for d in dialogues], 4096):
        wanted = weights > 0
        if wanted.any():
            logits = model.logits(model.states(ids)[wanted]).float()
            total += F.cross_entropy(logits, targets[wanted], reduction="sum").item()
            count += int(wanted.sum())
    return math.exp(total / count)


@torch.no_grad()
def reply(model: Llama, tokenizer: Tokenizer, system: str, turns: list[tuple[str, str]], limit: int = 64) -> str:
    text = "".join(f"{START}{role}\n{said}{END}\n" for role, said in [("system", system), *turns]) + f"{START}assistant\n"
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    end = tokenizer.token_to_id(END)
    start = len(ids)
    while len(ids) - start < limit and len(ids) < model.shape.context:
        token = int(model.logits(model.states(torch.tensor([ids]))[0, -1]).argmax())
        if token == end:
            break
        ids.append(token)
    return tokenizer.decode(ids[start:])


def value_words(text: str) -> list[str]:
    """Names, numbers and words with digits, in lower case."""
    found = []
    for opening, word in re.findall(r"([.!?] )?([A-Za-z0-9']+)", f". {text}"):
        lower = word.lower()
        is_name = not opening and word[0].isupper() and len(word) > 2 and lower not in CONTRACTIONS
        if any(c.isdigit() for c in word) or is_name or lower in NUMBERS:
            found.append(lower)
    return found


def copied(dialogue: Dialogue, place: int) -> list[str]:
    """Values of a grammar reply that were said or written before it. A reply that declines has none: "one" in "I don't know that one" is not a value."""
    if UNKNOWING.search(dialogue.turns[place][1]):
        return []
    said = " ".join([dialogue.system, *(text for _, text in dialogue.turns[:place])]).lower()
    before = set(WORD.findall(said))
    return [word for word in value_words(dialogue.turns[place][1]) if word in before]


NUMBERS = set("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred".split())


CONTRACTIONS = {"i'm", "i'll", "i've"}
UNKNOWING = re.compile(r"don't know|don't have|can't tell|not sure|afraid", re.I)


def fact_accuracy(model: Llama, tokenizer: Tokenizer, seed: int, amount: int) -> tuple[float, float]:
    """(share of questions about facts of the prompt answered with every value, share of questions about others declined)."""
    r = random.Random(seed)
    known = unknown = 0
    for _ in range(amount):
        who, notes, facts = persona(r), Notes(r, moment(r)), draw_facts(r, r.choice((2, 4, 6, 8)))
        system = prompt(r, who, facts)
        asked = Dialogue(system, notes.add(ask_known(r, facts)))
        words = WORD.findall(reply(model, tokenizer, system, asked.turns[:1]).lower())
        known += bool(words) and not UNKNOWING.search(" ".join(words)) and all(word in words for word in copied(asked, 1))
        unknown += bool(UNKNOWING.search(reply(model, tokenizer, system, notes.add(ask_unknown(r, facts))[:1])))
    return known / amount, unknown / amount


def copy_accuracy(model: Llama, tokenizer: Tokenizer, grammar: Grammar, seed: int, amount: int) -> tuple[float, float, float, list[str]]:
    """(share of values found in the reply, share of replies with every value, share of the reply's values that are right, some misses)."""
    r = random.Random(seed)
    values = right = replies = whole = told = told_right = 0
    misses: list[str] = []
    while replies < amount:
        dialogue = grammar.dialogue(r)
        places = [p for p in range(1, len(dialogue.turns)) if dialogue.turns[p][0] == "assistant" and copied(dialogue, p)]
        if not places:
            continue
        place = r.choice(places)
        wanted = copied(dialogue, place)
        got = reply(model, tokenizer, dialogue.system, dialogue.turns[:place])
        heard = WORD.findall(got.lower())
        hits = sum(word in heard for word in wanted)
        values, right, replies, whole = values + len(wanted), right + hits, replies + 1, whole + (hits == len(wanted))
        expected, said = WORD.findall(dialogue.turns[place][1].lower()), value_words(got)
        told, told_right = told + len(said), told_right + sum(word in expected for word in said)
        if hits < len(wanted) and len(misses) < 12:
            misses.append(f"{dialogue.turns[place - 1][1]!r} -> {got!r} (wanted {dialogue.turns[place][1]!r})")
    return right / values, whole / replies, told_right / max(1, told), misses
