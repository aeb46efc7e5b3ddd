"""Writes nodes into an ONNX graph, one call for each operation."""

import numpy as np
import onnx
from onnx import helper, numpy_helper


class GraphWriter:
    """Names of tensors are strings. Every name that this class invents begins with `prefix`."""

    def __init__(self, graph: onnx.GraphProto, prefix: str):
        self._graph = graph
        self._prefix = prefix
        self._count = 0

    def constant(self, value: np.ndarray | float | int | list, kind: type = np.float32) -> str:
        name = self._name("constant")
        self._graph.initializer.append(numpy_helper.from_array(np.asarray(value, kind), name))
        return name

    def node(self, operation: str, *inputs: str, output: str | None = None, **attributes: object) -> str:
        """Adds an operation with one output. Returns the name of the output."""
        name = output or self._name(operation)
        self._graph.node.append(helper.make_node(operation, list(inputs), [name], **attributes))
        return name

    def quantized(self, tensor: str) -> tuple[str, str, str]:
        """`tensor` in 8 bits, its scale and its zero."""
        names = (self._name("quantized"), self._name("scale"), self._name("zero"))
        self._graph.node.append(helper.make_node("DynamicQuantizeLinear", [tensor], names))
        return names

    def reshape(self, tensor: str, shape: list[int]) -> str:
        return self.node("Reshape", tensor, self.constant(shape, np.int64))

    def part(self, tensor: str, start: int, end: int, axis: int) -> str:
        bounds = [self.constant([number], np.int64) for number in (start, end, axis)]
        return self.node("Slice", tensor, *bounds)

    def _name(self, kind: str) -> str:
        self._count += 1
        return f"{self._prefix}/{kind}_{self._count}"
