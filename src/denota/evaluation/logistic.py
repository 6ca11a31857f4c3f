"""Logistic regression by Newton's method. n lines, W weights."""

from __future__ import annotations

import numpy as np

from denota.evaluation.calibration import Flags, Floats, chance


def fitted(given: Floats, happens: Flags, ridge: float, counts: Floats) -> tuple[float, ...]:
    """Return the weights that make what happens most likely: the constant, then one a column.

    Args:
        given: (n, W - 1) what is weighed, each column about as wide as the others.
        happens: (n,) in which lines it does.
        ridge: how much weights are held back, for one line.
        counts: (n,) how much each line counts, compared with the others.
    """
    lines = np.concatenate([np.ones((len(given), 1)), given], axis=1)
    counts = counts * len(given) / counts.sum()
    penalty = ridge * len(given) * np.eye(lines.shape[1])
    penalty[0, 0] = 1e-6  # of the constant
    own = np.zeros(lines.shape[1])
    for _ in range(50):
        expected = chance(given, own.tolist())
        gradient = lines.T @ (counts * (happens - expected)) - penalty @ own
        curvature = (lines * (counts * expected * (1 - expected))[:, None]).T @ lines + penalty
        step = np.linalg.solve(curvature, gradient)
        own += step
        if np.abs(step).max() < 1e-9:
            break
    return tuple(own.tolist())
