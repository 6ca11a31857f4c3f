"""Constants of a program as SQL literals."""

from __future__ import annotations

import numpy as np
from sqlglot import exp


def number_literal(value: float) -> exp.Expr:
    """Return a number, a whole one without its decimal point."""
    whole = value == int(value) and abs(value) < 1e15
    literal = exp.Literal.number(str(int(abs(value))) if whole else repr(abs(value)))
    return exp.Neg(this=literal) if value < 0 else literal


def moment_text(days: float) -> str:
    """Return a date in days since 1970 as SQL writes it, with the time of day where it has one.

    >>> moment_text(0.0), moment_text(8537.5)
    ('1970-01-01', '1993-05-17 12:00:00')
    """
    moment = np.datetime64(round(days * 86_400_000_000), "us")
    date, _, time = str(moment).partition("T")
    seconds, _, fraction = time.partition(".")
    fraction = fraction.rstrip("0")
    if seconds == "00:00:00" and not fraction:
        return date
    return f"{date} {seconds}.{fraction}" if fraction else f"{date} {seconds}"


def moment_literal(days: float) -> exp.Expr:
    """Return the literal of a date in days: engines compare it with dates as it stands."""
    return exp.Literal.string(moment_text(days))
