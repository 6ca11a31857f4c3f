"""Views of answers as JSON."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from denota.conversation.plot import Plot, svg
from denota.conversation.view import View


def view_object(view: View) -> dict[str, Any]:
    """Return a view for JSON."""
    told = {name: getattr(view, name) for name in ("headline", "columns", "total", "note")}
    return {
        **told,
        "rows": [asdict(row) for row in view.rows],
        "counts": view.counts,
        "evidence": view.evidence,
        "plot": None if view.plot is None else plot_object(view.plot),
    }


def plot_object(plot: Plot) -> dict[str, Any]:
    """Return a plot for JSON, with its picture."""
    return {
        "kind": plot.kind,
        "title": plot.title,
        "labels": plot.labels,
        "values": [None if math.isnan(value) else value for value in plot.values],
        "unit": plot.unit,
        "svg": svg(plot),
    }
