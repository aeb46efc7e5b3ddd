"""Fourier transforms of about a thousand points as two small matrix products each, in an ONNX graph.

One product with a matrix of 1,200 x 1,200 would be eight times as much work. Bin or point `m` stands in row `m // columns` and column
`m % columns`. Where a tensor is complex, real parts come before imaginary parts on the last axis.
"""

from dataclasses import dataclass

import numpy as np

from graph_writer import GraphWriter


@dataclass(frozen=True)
class Fourier:
    """`rows` x `columns` points."""

    rows: int
    columns: int

    @property
    def size(self) -> int:
        return self.rows * self.columns

    @property
    def bins(self) -> int:
        return self.size // 2 + 1

    def spectra(self, writer: GraphWriter, frames: str) -> tuple[str, str]:
        """Real frames [F, size] -> real and imaginary parts, each [F, bins]."""
        points = writer.node("Transpose", writer.reshape(frames, [-1, self.rows, self.columns]), perm=[0, 2, 1])
        turns = _turns(self.rows, self.rows, -1)
        rows = writer.node("MatMul", points, writer.constant(np.concatenate([turns.real, turns.imag], axis=1)))
        # No more columns than half a spectrum has.
        count = self.bins // self.rows + 1
        product = writer.constant(_complex_product(_turns(self.columns, count, -1)))
        both = writer.node("MatMul", self._twiddled(writer, rows, -1), product)
        halves = [writer.part(both, 0, count, 2), writer.part(both, count, 2 * count, 2)]
        return tuple(writer.part(self._in_order(writer, half, count), 0, self.bins, 1) for half in halves)

    def real_frames(self, writer: GraphWriter, real: str, imaginary: str) -> str:
        """Inverse: real and imaginary parts [F, bins] -> real frames [F, size].

        The upper half of the spectrum mirrors the lower one. So a frame is twice the real part of the lower half's transform, where the first and
        the last bin count half.
        """
        weights = np.full(self.bins, 2 / self.size)
        weights[[0, -1]] = 1 / self.size
        count = self.bins // self.columns + 1
        filled = writer.constant([0, 0, 0, count * self.columns - self.bins], np.int64)
        parts = []
        for part in (real, imaginary):
            padded = writer.node("Pad", writer.node("Mul", part, writer.constant(weights)), filled)
            parts.append(writer.node("Transpose", writer.reshape(padded, [-1, count, self.columns]), perm=[0, 2, 1]))
        product = writer.constant(_complex_product(_turns(count, self.rows, 1, of=self.rows)))
        rows = writer.node("MatMul", writer.node("Concat", *parts, axis=2), product)
        only_real = writer.constant(_complex_product(_turns(self.columns, self.columns, 1))[:, :self.columns])
        return self._in_order(writer, writer.node("MatMul", self._twiddled(writer, rows, 1), only_real), self.columns)

    def _twiddled(self, writer: GraphWriter, rows: str, sign: int) -> str:
        """Complex [F, columns, rows] -> complex [F, rows, columns], each number turned by its row times its column."""
        real, imaginary = writer.part(rows, 0, self.rows, 2), writer.part(rows, self.rows, 2 * self.rows, 2)
        twiddle = np.exp(sign * 2j * np.pi * np.outer(np.arange(self.columns), np.arange(self.rows)) / self.size)
        cos, sin = writer.constant(twiddle.real), writer.constant(twiddle.imag)
        turned = [
            writer.node("Sub", writer.node("Mul", real, cos), writer.node("Mul", imaginary, sin)),
            writer.node("Add", writer.node("Mul", real, sin), writer.node("Mul", imaginary, cos)),
        ]
        return writer.node("Concat", *[writer.node("Transpose", part, perm=[0, 2, 1]) for part in turned], axis=2)

    def _in_order(self, writer: GraphWriter, product: str, columns: int) -> str:
        """[F, rows, columns] -> [F, rows * columns]. Number row + rows * column of the result was in that row and column."""
        return writer.reshape(writer.node("Transpose", product, perm=[0, 2, 1]), [-1, self.rows * columns])


def _turns(points: int, bins: int, sign: int, of: int = 0) -> np.ndarray:
    """Complex numbers exp(sign * 2 pi i * point * bin / of). `of`: the number of points unless given."""
    return np.exp(sign * 2j * np.pi * np.outer(np.arange(points), np.arange(bins)) / (of or points))


def _complex_product(matrix: np.ndarray) -> np.ndarray:
    """The real matrix that multiplies rows (real | imaginary) by a complex one."""
    return np.block([[matrix.real, matrix.imag], [-matrix.imag, matrix.real]])
