"""Models in the format ONNX, which runs without Python packages of training."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.errors import import_extra
from boostbench.weak_learners.forest import Forest


def onnx_model(
    forest: Forest, coefficients: NDArray[np.float64], classes: NDArray[Any], by_sign: bool
) -> Any:
    """Return a model of ``sum_t coefficient_t h_t(x)`` as one operator TreeEnsemble.

    Numbers, thresholds and scores are float64. A tree with a vector in each leaf is repeated for
    each class, as a leaf of ONNX adds to one score.

    Parameters
    ----------
    forest : Forest
    coefficients : ndarray of float64, shape (n_trees,)
    classes : ndarray, shape (n_classes,)
        Labels: integers, floats, booleans or strings.
    by_sign : bool
        Whether the label is that of the largest sign of a score, in place of the largest score.

    Returns
    -------
    onnx.ModelProto
        Input ``X``, of shape (n, n_features), NaN where a value is missing; outputs ``label``, of
        shape (n,), and ``scores``, of shape (n, n_classes).
    """
    onnx = import_extra("onnx", "onnx", where="to_onnx")
    helper, tensor, double = onnx.helper, onnx.numpy_helper.from_array, onnx.TensorProto.DOUBLE
    labels = tensor(classes.astype(object) if classes.dtype.kind == "U" else classes, "classes")
    ensemble = helper.make_node(
        "TreeEnsemble",
        ["X"],
        ["scores"],
        domain="ai.onnx.ml",
        n_targets=len(classes),
        **{
            name: tensor(value) if value.dtype in (np.float64, np.uint8) else value.tolist()
            for name, value in _attributes(forest, coefficients, len(classes)).items()
        },
    )
    nodes = [
        ensemble,
        *([helper.make_node("Sign", ["scores"], ["signs"])] if by_sign else []),
        helper.make_node("ArgMax", ["signs" if by_sign else "scores"], ["k"], axis=1, keepdims=0),
        helper.make_node("Gather", ["classes", "k"], ["label"]),
    ]
    made = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "boostbench",
        [made("X", double, [None, forest.n_features])],
        [made("label", labels.data_type, [None]), made("scores", double, [None, len(classes)])],
        [labels],
    )
    versions = [helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.ml", 5)]
    model = helper.make_model(graph, opset_imports=versions, ir_version=10)
    onnx.checker.check_model(model)
    return model


def _attributes(
    forest: Forest, coefficients: NDArray[np.float64], n_classes: int
) -> dict[str, NDArray[Any]]:
    """Return the attributes of the operator; a node that has no question leads to one leaf."""
    if not forest.n_trees:  # the operator needs one
        leaf = {"leaf_value": [[0.0]], "leaf_column": [0], "leaf_offset": [0, 1]}
        forest = Forest(**forest.__getstate__() | leaf | {"node_offset": [0, 0]})
        coefficients = np.ones(1)
    if forest.width > 1:
        n_trees, columns = forest.n_trees, np.arange(n_classes, dtype=np.int32)
        values, targets = forest.leaf_value.T.reshape(-1, 1), np.repeat(columns, forest.n_leaves)
        forest = forest.take(np.tile(np.arange(n_trees), n_classes))
        forest = forest.with_leaf_values(values, targets)
        coefficients = np.tile(coefficients, n_classes)
    n_nodes, first_leaf = np.diff(forest.node_offset), forest.leaf_offset[:-1]
    factor = np.repeat(coefficients, np.diff(forest.leaf_offset))
    alone = np.flatnonzero(n_nodes == 0)  # trees that are a leaf get a node
    roots = forest.node_offset[:-1].copy()
    roots[alone] = len(forest.feature) + np.arange(len(alone))
    nothing = np.zeros(len(alone))
    made: dict[str, NDArray[Any]] = {
        "tree_roots": roots,
        "nodes_featureids": np.append(forest.feature, nothing.astype(np.int32)),
        "nodes_splits": np.append(forest.threshold, nothing),
        # 0 is BRANCH_LEQ: at most
        "nodes_modes": np.zeros(len(forest.feature) + len(alone), dtype=np.uint8),
        "nodes_missing_value_tracks_true": np.append(forest.missing_left, nothing).astype(int),
        "leaf_targetids": forest.leaf_column,
        "leaf_weights": forest.leaf_value[:, 0] * factor,
    }
    for side, child in (("true", forest.left), ("false", forest.right)):
        to_node = np.repeat(forest.node_offset[:-1], n_nodes) + child
        to_leaf = np.repeat(first_leaf, n_nodes) + ~child
        made[f"nodes_{side}nodeids"] = np.append(
            np.where(child < 0, to_leaf, to_node), first_leaf[alone]
        )
        made[f"nodes_{side}leafs"] = np.append(child < 0, np.ones(len(alone))).astype(int)
    return made
