"""Errors against a reference: substitutions, insertions and deletions."""

from collections.abc import Sequence


def edits(reference: Sequence, heard: Sequence) -> int:
    row = list(range(len(heard) + 1))
    for i, item in enumerate(reference, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (item != other))
    return row[-1]


def word_errors(reference: str, heard: str) -> int:
    return edits(reference.split(), heard.split())
