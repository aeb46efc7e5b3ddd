"""Conversations as the token rows that the server makes of them with `chat-template.jinja`."""

import json
import random
import re
from dataclasses import dataclass, field
from pathlib import Path

import gguf
from tokenizers import Tokenizer, models, pre_tokenizers

from grammar import Dialogue
from tool_format import CALL, CALL_END, RESPONSE, RESPONSE_END
from whisper_style import as_whisper

BEGIN, END, CALL_ID = 1, 2, 3
# The token that begins a call. In the file that the weights come from it has another name, which chats do not use.
RENAMED = {CALL_ID: "<tool_call>"}
# How many times as much the first token of a reply counts: it decides between a call, an answer and a refusal.
FIRST_WEIGHT = 2.0
VALUE_WEIGHT = 1.5


def read_tokenizer(path: Path) -> Tokenizer:
    fields = gguf.GGUFReader(path).fields
    tokens, merges = fields["tokenizer.ggml.tokens"].contents(), fields["tokenizer.ggml.merges"].contents()
    model = models.BPE({token: place for place, token in enumerate(tokens)}, [tuple(merge.split(" ")) for merge in merges])
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    return tokenizer


def literal(value: object) -> str:
    """A value as Python writes it."""
    if isinstance(value, bool):
        return str(value)
    return "None" if value is None else json.dumps(value, ensure_ascii=False)


@dataclass
class Row:
    """Tokens of a conversation and the loss weight of each of them."""

    ids: list[int] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)

    def add(self, ids: list[int], weight: float = 0.0) -> None:
        self.ids += ids
        self.weights += [weight] * len(ids)


class Renderer:
    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer

    def text(self, text: str) -> list[int]:
        return self.tokenizer.encode(text).ids

    def row(self, dialogue: Dialogue) -> Row:
        """The server tokenises each message for itself, between the texts of the template."""
        row = Row()
        system, mark, tools = dialogue.system.partition("\n\nTools:\n")
        row.add([BEGIN, *self.text("system\n"), *self.text(system), *self.text(f"{mark}{tools}"), END, *self.text("\n")])
        for place, (role, text) in enumerate(dialogue.turns):
            weight = dialogue.weights[place] if dialogue.weights else 1.0
            if role == "tool":
                for result in re.findall(rf"{RESPONSE}\n(.*?)\n{RESPONSE_END}", text, re.S):
                    row.add([BEGIN, *self.text("tool\n"), *self.text(result), END, *self.text("\n")])
                continue
            row.add([BEGIN, *self.text(f"{role}\n")])
            if role == "user":
                row.add(self.text(text))
            else:
                self.reply(row, text, weight)
            row.add([END], weight if role == "assistant" else 0.0)
            row.add(self.text("\n"))
        return row

    def reply(self, row: Row, text: str, weight: float) -> None:
        words, *calls = text.split(CALL)
        first = len(row.ids)
        if words.strip():
            row.add(self.text(words.strip()), weight)
        for call in calls:
            read = json.loads(call.partition(CALL_END)[0])
            row.add([CALL_ID, *self.text(read["name"])], weight * VALUE_WEIGHT)
            row.add(self.text("("), 0.0)
            arguments = ", ".join(f"{name}={literal(value)}" for name, value in read["arguments"].items())
            row.add(self.text(f"{arguments})"), weight * VALUE_WEIGHT)
        if first < len(row.ids):
            row.weights[first] = weight * FIRST_WEIGHT


def cased(r: random.Random, dialogue: Dialogue) -> Dialogue:
    """Half of the callers write as Whisper does. The values of calls follow the caller's capitals."""
    names = sorted(set(proper_names(dialogue)), key=len, reverse=True)
    tools = dialogue.system.partition("\n\nTools:\n")[2]
    fixed = {value for values in re.findall(r"[\w -]+(?:\|[\w -]+)+", tools) for value in values.strip().split("|")}
    whisper = r.random() < 0.55
    turns = []
    heard = ""
    for role, text in dialogue.turns:
        if role == "user":
            note, line, words = text.rpartition("\n")
            if whisper and words:
                words = as_whisper(r, words, names)
            heard += f" {words}"
            turns.append((role, f"{note}{line}{words}"))
        elif role == "assistant" and CALL in text:
            turns.append((role, re.sub(r'"arguments": (\{.*\})\}\n', lambda m: f'"arguments": {json.dumps(as_said(json.loads(m[1]), heard, fixed))}}}\n', text)))
        else:
            turns.append((role, text))
    return Dialogue(dialogue.system, turns, dialogue.weights)


def as_said(value: object, heard: str, fixed: set[str]) -> object:
    """`fixed`: values that a tool lists."""
    if isinstance(value, dict):
        return {name: as_said(each, heard, fixed) for name, each in value.items()}
    if not isinstance(value, str) or value in heard or value in fixed:
        return value
    found = re.search(re.escape(value), heard, re.I)
    return found[0] if found else value


def proper_names(dialogue: Dialogue) -> list[str]:
    calls = " ".join(text for role, text in dialogue.turns if role == "assistant")
    values = re.findall(r'": "([A-Z][^"]*)"', calls)
    spoken = re.findall(r"(?<=[a-z,] )[A-Z][a-z]+(?: [A-Z][a-z]+)*", calls)
    return [*values, *spoken]
