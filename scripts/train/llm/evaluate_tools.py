"""How well held-out conversations with tools are continued. Each turn is scored on the true conversation before it.

    python evaluate_tools.py --model starter.gguf

A call counts as right when greedy decoding would write it token by token: the name and every argument.
"""

import argparse
import random
import re
from dataclasses import dataclass, field
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor

import start_from
from batches import folded, is_value
from focus import OtherForms
from grammar import Dialogue
from grammar_tools import ToolGrammar
from model import Llama
from tokenizer import encode_turn
from tool_format import CALL, listed

# The longest conversation that fits the context.
LONGEST = 1900
NAME = re.compile(r'[^"]*"name": "([^"]*)')


@dataclass
class Score:
    right: int = 0
    amount: int = 0
    misses: list[str] = field(default_factory=list)

    def add(self, is_right: bool, miss: str) -> None:
        self.right += is_right
        self.amount += 1
        if not is_right and len(self.misses) < 12:
            self.misses.append(miss)

    def __str__(self) -> str:
        return f"{self.right / max(1, self.amount):.1%} of {self.amount}"


@torch.no_grad()
def tool_scores(model: Llama, tokenizer: Tokenizer, grammar: ToolGrammar, seed: int, amount: int) -> dict[str, Score]:
    """Shares of right calls, of right tools when the name must be one of the list, of turns without a call that begin with words, and of answers whose copied values are right."""
    r = random.Random(seed)
    twins = folded(tokenizer)
    scores = {"calls right": Score(), "tools right": Score(), "no call when none is due": Score(), "answers with the values of the result": Score()}
    for _ in range(amount):
        dialogue = grammar.dialogue(r)
        ids, spans = laid_out(tokenizer, dialogue)
        if len(ids) > LONGEST:
            continue
        names = list(listed(dialogue.system))
        logits = model.logits(model.states(torch.tensor([ids]))[0])
        best = logits.argmax(-1).tolist()
        seen: set[int] = set()
        before = "system"
        for role, text, start, end in spans:
            body = ids[start:end]
            predicted = best[start - 1 : end - 1]
            if role == "assistant":
                miss = f"{text!r}, not {tokenizer.decode(predicted, skip_special_tokens=False)!r}"
                if CALL in text:
                    begin = body.index(tokenizer.token_to_id(CALL))
                    scores["calls right"].add(predicted[begin:] == body[begin:], miss)
                    if text.startswith(CALL) and len(names) > 1:
                        scores["tools right"].add(finds_tool(tokenizer, logits[start - 1 : end - 1], text, names), miss)
                else:
                    scores["no call when none is due"].add(predicted[0] != tokenizer.token_to_id(CALL), miss)
                    values = [place for place, token in enumerate(body) if place and is_value(token) and twins[token] in seen]
                    if before == "tool" and values:
                        scores["answers with the values of the result"].add(all(predicted[place] == body[place] for place in values), miss)
            seen.update(twins[token] for token in body)
            before = role
    return scores


def finds_tool(tokenizer: Tokenizer, logits: Tensor, text: str, names: list[str]) -> bool:
    """Whether greedy decoding that may only write one of `names` writes that of the first call. `logits`: a row for each token of the text."""
    found = NAME.match(text)
    pieces = {name: tokenizer.encode(f'{text[: found.start(1)]}{name}", ', add_special_tokens=False).ids for name in names}
    right, others = pieces.pop(found[1]), list(pieces.values())
    for place, token in enumerate(right):
        others = [other for other in others if other[:place] == right[:place]]
        if any(logits[place, other[place]] > logits[place, token] for other in others):
            return False
    return True


def laid_out(tokenizer: Tokenizer, dialogue: Dialogue) -> tuple[list[int], list[tuple[str, str, int, int]]]:
    """Token ids of a whole conversation, and where each turn's text begins and ends in them."""
    newline = tokenizer.encode("\n", add_special_tokens=False).ids
    ids, spans = [], []
    for role, text in [("system", dialogue.system), *dialogue.turns]:
        head, encoded = encode_turn(tokenizer, role, text)
        start = len(ids) + len(head)
        ids += head + encoded.ids + newline
        spans.append((role, text, start, start + len(encoded.ids)))
    return ids, spans


def report(model: Llama, tokenizer: Tokenizer, amount: int) -> None:
    held_out = "held-out names, wordings and tools"
    grammars = {"names, wordings and tools of the training": ToolGrammar(False), held_out: ToolGrammar(True), f"{held_out} of other forms": OtherForms(True)}
    for title, grammar in grammars.items():
        for what, score in tool_scores(model, tokenizer, grammar, 80, amount).items():
            print(f"{title}: {what}: {score}")
            print("\n".join(f"   {miss}" for miss in score.misses))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True, help="a GGUF file made by train.py")
    parser.add_argument("--amount", type=int, default=200, help="conversations of each kind")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    tokenizer = start_from.read_tokenizer(arguments.model)
    model = Llama(start_from.read_shape(arguments.model))
    model.load_state_dict(start_from.read_weights(arguments.model, model))
    report(model.eval(), tokenizer, arguments.amount)


if __name__ == "__main__":
    main()
