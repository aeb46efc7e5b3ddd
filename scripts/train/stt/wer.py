"""Word errors: substitutions, insertions and deletions against a reference."""


def word_errors(reference: str, heard: str) -> int:
    words, row = reference.split(), list(range(len(heard.split()) + 1))
    for i, word in enumerate(words, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(heard.split(), 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (word != other))
    return row[-1]
