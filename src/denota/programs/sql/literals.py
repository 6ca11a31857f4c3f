"""Constants of a program as SQL literals."""

from __future__ import annotations

import numpy as np
from sqlglot import exp


def number_literal(value: float) -> exp.Expr:
    """Return a number, a whole one without its decimal point."""
    whole = value == int(value) and abs(value) < 1e15
    literal = exp.Literal.number(str(int(abs(value))) if whole else repr(abs(value)))
    return exp.Neg(this=literal) if value < 0 else literal


def moment_literal(days: float) -> exp.Expr:
    """Return the timestamp of a date in days."""
    moment = np.datetime64(round(days * 86_400_000_000), "us")
    return exp.cast(exp.Literal.string(str(moment).replace("T", " ")), "timestamp")


def sum_of(parts: list[exp.Expr]) -> exp.Expr:
    """Return the sum of some expressions, in parentheses."""
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return exp.paren(total)
