"""Fourier transforms of 1,200 points as two small matrix products each, in an ONNX graph.

One product with a matrix of 1,200 x 1,200 would be eight times as much work. Bin or point `m` of 1,200 stands in row `m // COLUMNS` and column
`m % COLUMNS`. Where a tensor is complex, real parts come before imaginary parts on the last axis.
"""

import numpy as np

from graph_writer import GraphWriter

SIZE = 1200
ROWS, COLUMNS = 40, 30
BINS = SIZE // 2 + 1


def spectra(writer: GraphWriter, frames: str) -> tuple[str, str]:
    """Real frames [F, SIZE] -> real and imaginary parts, each [F, BINS]."""
    points = writer.node("Transpose", writer.reshape(frames, [-1, ROWS, COLUMNS]), perm=[0, 2, 1])
    turns = _turns(ROWS, ROWS, -1)
    rows = writer.node("MatMul", points, writer.constant(np.concatenate([turns.real, turns.imag], axis=1)))
    # No more columns than half a spectrum has.
    count = BINS // ROWS + 1
    product = writer.constant(_complex_product(_turns(COLUMNS, count, -1)))
    both = writer.node("MatMul", _twiddled(writer, rows, -1), product)
    halves = [writer.part(both, 0, count, 2), writer.part(both, count, 2 * count, 2)]
    return tuple(writer.part(_in_order(writer, half, count), 0, BINS, 1) for half in halves)


def real_frames(writer: GraphWriter, real: str, imaginary: str) -> str:
    """Inverse: real and imaginary parts [F, BINS] -> real frames [F, SIZE].

    The upper half of the spectrum mirrors the lower one. So a frame is twice the real part of the lower half's transform, where the first and
    the last bin count half.
    """
    weights = np.full(BINS, 2 / SIZE)
    weights[[0, -1]] = 1 / SIZE
    count = BINS // COLUMNS + 1
    filled = writer.constant([0, 0, 0, count * COLUMNS - BINS], np.int64)
    parts = []
    for part in (real, imaginary):
        padded = writer.node("Pad", writer.node("Mul", part, writer.constant(weights)), filled)
        parts.append(writer.node("Transpose", writer.reshape(padded, [-1, count, COLUMNS]), perm=[0, 2, 1]))
    product = writer.constant(_complex_product(_turns(count, ROWS, 1, of=ROWS)))
    rows = writer.node("MatMul", writer.node("Concat", *parts, axis=2), product)
    only_real = writer.constant(_complex_product(_turns(COLUMNS, COLUMNS, 1))[:, :COLUMNS])
    return _in_order(writer, writer.node("MatMul", _twiddled(writer, rows, 1), only_real), COLUMNS)


def _twiddled(writer: GraphWriter, rows: str, sign: int) -> str:
    """Complex [F, COLUMNS, ROWS] -> complex [F, ROWS, COLUMNS], each number turned by its row times its column."""
    real, imaginary = writer.part(rows, 0, ROWS, 2), writer.part(rows, ROWS, 2 * ROWS, 2)
    twiddle = np.exp(sign * 2j * np.pi * np.outer(np.arange(COLUMNS), np.arange(ROWS)) / SIZE)
    cos, sin = writer.constant(twiddle.real), writer.constant(twiddle.imag)
    turned = [
        writer.node("Sub", writer.node("Mul", real, cos), writer.node("Mul", imaginary, sin)),
        writer.node("Add", writer.node("Mul", real, sin), writer.node("Mul", imaginary, cos)),
    ]
    return writer.node("Concat", *[writer.node("Transpose", part, perm=[0, 2, 1]) for part in turned], axis=2)


def _in_order(writer: GraphWriter, product: str, columns: int) -> str:
    """[F, ROWS, columns] -> [F, ROWS * columns]. Number row + ROWS * column of the result was in that row and column."""
    return writer.reshape(writer.node("Transpose", product, perm=[0, 2, 1]), [-1, ROWS * columns])


def _turns(points: int, bins: int, sign: int, of: int = 0) -> np.ndarray:
    """Complex numbers exp(sign * 2 pi i * point * bin / of). `of`: the number of points unless given."""
    return np.exp(sign * 2j * np.pi * np.outer(np.arange(points), np.arange(bins)) / (of or points))


def _complex_product(matrix: np.ndarray) -> np.ndarray:
    """The real matrix that multiplies rows (real | imaginary) by a complex one."""
    return np.block([[matrix.real, matrix.imag], [-matrix.imag, matrix.real]])
