"""Other ways to compute a transformer without torch, to be measured beside numpy.

The layers of a saved encoder as a graph of ONNX, for ONNX Runtime and OpenVINO:

- `float`: as they are.
- `int8`: the file's own 8-bit weights; activations are rounded to 8 bits, one scale a product.
- `two parts`: the same weights; activations are rounded to 8 bits a row, and what that loses to 8
  bits again, so that a product is two of whole numbers.

Needs onnx and onnxruntime or openvino, which denota does not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from denota.model.compact import NUMBERS, SCALE, Arrays, expand
from denota.model.light.transformer import Floats, Layer, Transformer

LOST = 254.0
"""Steps of the second part in one of the first."""


def in_onnxruntime(encoder: Transformer, weights: Arrays, way: str) -> Transformer:
    """Return an encoder whose layers ONNX Runtime computes, on one thread."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    graph = _graph(encoder, weights, way)
    session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    return _with_layers(encoder, lambda hidden: session.run(None, {"hidden": hidden})[0])


def in_openvino(encoder: Transformer, weights: Arrays, way: str) -> Transformer:
    """Return an encoder whose layers OpenVINO computes, on one thread, in `f32` or `bf16`."""
    import openvino

    core = openvino.Core()
    how = {"INFERENCE_PRECISION_HINT": way, "INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1}
    model = core.compile_model(core.read_model(_graph(encoder, weights, "float")), "CPU", how)
    return _with_layers(encoder, lambda hidden: model(hidden)[0])


def _with_layers(encoder: Transformer, compute: Callable[[Floats], Floats]) -> Transformer:
    class Together(Layer):
        def __call__(self, hidden: Floats, bias: Floats | None) -> Floats:
            return compute(hidden)

    first = encoder.layers[0]
    fields = {name: getattr(first, name) for name in first.__dataclass_fields__}
    return replace(encoder, layers=(Together(**fields),))


def _graph(encoder: Transformer, weights: Arrays, way: str) -> bytes:
    """The layers of a BERT, (T, D) to (T, D), serialised."""
    from onnx import TensorProto, helper, numpy_helper

    nodes: list[Any] = []
    constants: list[Any] = []

    def constant(value: Any, kind: Any = np.float32) -> str:
        name = f"c{len(constants)}"
        constants.append(numpy_helper.from_array(np.asarray(value, kind, order="C"), name))
        return name

    def op(kind: str, *given: str, domain: str = "", **how: Any) -> str:
        name = f"t{len(nodes)}"
        nodes.append(helper.make_node(kind, list(given), [name], domain=domain, **how))
        return name

    def linear(given: str, name: str) -> str:
        bias = constant(expand(weights, f"{name}.bias"))
        if way == "float":
            product = op("MatMul", given, constant(expand(weights, f"{name}.weight").T))
            return op("Add", product, bias)
        numbers = constant(weights[f"{name}.weight{NUMBERS}"].T, np.int8)
        scale = constant(weights[f"{name}.weight{SCALE}"])
        if way == "int8":
            zeros = constant(np.zeros(len(weights[f"{name}.weight{SCALE}"])), np.int8)
            how = {"domain": "com.microsoft"}
            return op("DynamicQuantizeMatMul", given, numbers, scale, zeros, bias, **how)
        step = op("Mul", _largest(given), constant(1 / 127))
        step = op("Max", step, constant(1e-12))
        steps = op("Div", given, step)
        first = op("Round", steps)
        second = op("Round", op("Mul", op("Sub", steps, first), constant(LOST)))
        both = op("Add", op("Concat", first, second, axis=0), constant(128))
        whole = op("Cast", both, to=TensorProto.UINT8)
        product = op("MatMulInteger", whole, numbers, constant(128, np.uint8))
        halves = op("Cast", product, to=TensorProto.FLOAT)
        nodes.append(helper.make_node("Split", [halves], [f"a{name}", f"b{name}"], num_outputs=2))
        joined = op("Add", f"a{name}", op("Mul", f"b{name}", constant(1 / LOST)))
        return op("Add", op("Mul", op("Mul", joined, step), scale), bias)

    def _largest(given: str) -> str:
        return op("ReduceMax", op("Abs", given), constant([-1], np.int64), keepdims=1)

    def norm(given: str, name: str) -> str:
        own = (constant(expand(weights, f"{name}.{part}")) for part in ("weight", "bias"))
        return op("LayerNormalization", given, *own, epsilon=encoder.shape.epsilon)

    size, heads = encoder.shape.size, encoder.shape.heads
    hidden = "hidden"
    for number in range(encoder.shape.layers):
        name = f"encoder.layers.{number}"
        parts = constant([0, 3, heads, size // heads], np.int64)
        looked = op(
            "Transpose", op("Reshape", linear(hidden, f"{name}.look"), parts), perm=[1, 2, 0, 3]
        )
        query, key, value = (op("Gather", looked, constant(n, np.int64), axis=0) for n in range(3))
        near = op("MatMul", query, op("Transpose", key, perm=[0, 2, 1]))
        share = op("Softmax", op("Mul", near, constant((size // heads) ** -0.5)), axis=-1)
        seen = op("Transpose", op("MatMul", share, value), perm=[1, 0, 2])
        gathered = linear(op("Reshape", seen, constant([0, size], np.int64)), f"{name}.gather")
        hidden = norm(op("Add", gathered, hidden), f"{name}.gathered")
        inner = op("Gelu", linear(hidden, f"{name}.widen"))
        hidden = norm(op("Add", linear(inner, f"{name}.narrow"), hidden), f"{name}.narrowed")
    ends = [
        helper.make_tensor_value_info(one, TensorProto.FLOAT, ["T", size])
        for one in ("hidden", hidden)
    ]
    graph = helper.make_graph(nodes, "layers", ends[:1], ends[1:], constants)
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
    found: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()
    return found
