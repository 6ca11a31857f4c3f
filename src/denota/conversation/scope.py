"""Whether a question starts afresh or goes on from the answer before it: learnt, not ruled.

    log odds(afresh | question, conversation, table) = Σ_f w_f · value_f

The features f are how the question is built (its function words, alone and in pairs) and how it
stands to what was said: words it shares with earlier questions, columns and values it names,
how many rows the last answer has. `learn_scope` fits w; `scope.json` holds it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final

from denota.conversation.mentions import named_in
from denota.conversation.words import words_of
from denota.inflect import singular
from denota.programs.lexicon import words_of as words_that_call_for
from denota.tables.table import Table
from denota.tokens import FUNCTION_WORDS, content, tokenise

WEIGHTS: Final = Path(__file__).with_name("scope.json")
VALUES: Final = ("count", "sum", "average")
"""What questions ask to be computed, told by the lexicon's words."""
FEW: Final = 5
"""Rows of an answer that is short."""


def starts_afresh(text: str, table: Table, questions: Sequence[str], rows: int) -> bool:
    """Say whether a question has nothing to do with what was asked and answered before it.

    Args:
        text: the question.
        table: what it is about.
        questions: what was asked before, the last of them at the end.
        rows: how many rows the last answer has.
    """
    return bool(questions) and log_odds(scope_features(text, table, questions, rows)) > 0


def log_odds(features: Mapping[str, float]) -> float:
    """Return the log odds that a question starts afresh."""
    weights = _weights()
    return sum(weights.get(name, 0.0) * value for name, value in features.items())


def scope_features(
    text: str, table: Table, questions: Sequence[str], rows: int
) -> dict[str, float]:
    """Return what tells whether a question starts afresh; every value is between 0 and 1."""
    words = tokenise(text)
    plain = [word if word in FUNCTION_WORDS else "*" for word in words] or ["*"]
    found = {"always": 1.0, f"first {plain[0]}": 1.0, f"last {plain[-1]}": 1.0}
    found |= {word: 1.0 for word in plain if word != "*"}
    found |= {f"{one} {other}": 1.0 for one, other in pairwise(plain) if (one, other) != ("*", "*")}
    said = f" {' '.join(words)} "
    asks = [f"asks for the {kind}" for kind in VALUES if _calls(kind, said)]
    found |= dict.fromkeys(asks, 1.0)
    found |= {f"{one} of one row": 1.0 for one in asks if rows == 1}
    own, before = _stems(text), _stems(questions[-1])
    earlier = frozenset[str]().union(*map(_stems, questions))
    names = frozenset(map(singular, words_of(table).names))
    named = named_in(text, table)
    last = " ".join(tokenise(questions[-1]))
    return found | {
        "length": min(len(words), 20) / 20,
        "content words": min(len(own), 6) / 6,
        "columns named": min(len(own & names), 4) / 4,
        "no column named": float(not own & names),
        "new columns named": min(len(own & names - earlier), 3) / 3,
        "shared with the last question": _share(own & before, own),
        "shared with earlier questions": _share(own & earlier, own),
        "last question said again": _share(own & before, before),
        "not of the table": _share(own - words_of(table).all, own),
        "values named": min(len(named), 2) / 2,
        "values named again": float(any(one in last for one in named)),
        "one row before": float(rows == 1),
        "few rows before": float(1 < rows <= FEW),
        "all rows before": float(rows >= 0.9 * len(table)),
    }


def _calls(kind: str, said: str) -> bool:
    return any(f" {word} " in said for word in words_that_call_for(kind))


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(singular, content(text)))


def _share(part: frozenset[str], whole: frozenset[str]) -> float:
    return len(part) / max(1, len(whole))


@cache
def _weights() -> Mapping[str, float]:
    found: dict[str, float] = json.loads(WEIGHTS.read_text(encoding="utf-8"))["weights"]
    return found
