"""A lexicon learnt from answers alone finds the words that call for operators."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from denota.data.answer import Values
from denota.learning import learn_lexicon as own
from denota.programs.operators import language_of
from denota.search.lexicon import read_lexicon
from denota.search.operators_of_axes import OPERATORS
from denota.search.prepare import Prepared, prepare
from denota.tables.table import Table


def _questions(count: int = 60) -> list[Prepared]:
    """Of a made-up language: `zork` asks for the largest of a column, `plim` for how many rows."""
    rng = np.random.default_rng(0)
    found = []
    for number in range(count):
        values = rng.choice(np.arange(20, 99), size=6, replace=False)
        teams = rng.choice(["Oslo", "Moss", "Bergen"], size=6)
        rows = [[str(t), str(v)] for t, v in zip(teams, values, strict=True)]
        table = Table.from_rows(["Team", "Points"], rows)
        if number % 2:
            text, answer = "zork points", str(values.max())
        else:
            text, answer = "plim oslo", str((teams == "Oslo").sum())
        full = language_of("full")
        lexicon = read_lexicon("none")
        found.append(prepare(text, table, (), None, Values((answer,)), full, lexicon))
    return found


def test_words_that_call_for_operators_are_found(tmp_path: Path) -> None:
    evidence = [e for one in _questions() if (e := own.evidence_of(one)) is not None]
    text, likelihoods = own.learn_lexicon(evidence)
    assert max(likelihoods.values()) > likelihoods["0"]
    file = tmp_path / "learnt.txt"
    file.write_text(text)
    weights = {(t, o): w for t, o, w in read_lexicon(str(file)).weights or ()}
    counted = {o: weights.get(("plim", o), 0.0) for o in OPERATORS}
    assert counted["count"] > 0 and counted["count"] > weights.get(("zork", "count"), 0.0)
    largest = max(weights.get(("zork", o), 0.0) for o in ("max", "largest", "max_ties"))
    assert largest > max(weights.get(("plim", o), 0.0) for o in ("max", "largest"))


def test_the_likelihood_is_that_of_the_programs_themselves() -> None:
    """Summing by sets of operators changes nothing: each program counted by itself is the same."""
    ready = _questions(6)
    evidence = [e for one in ready if (e := own.evidence_of(one)) is not None]
    corpus = own.Corpus(evidence, sorted({token for e in evidence for token in e.said}))
    generator = torch.Generator().manual_seed(0)
    weights = torch.randn(len(corpus.tokens), len(OPERATORS), generator=generator)
    found = corpus.log_likelihood(weights, range(len(evidence)))
    told = [one for one in ready if own.evidence_of(one) is not None]
    for one, e, got in zip(told, evidence, found.tolist(), strict=True):
        of_word = weights[[corpus.tokens.index(t) for t in e.said]].sum(dim=0).numpy()
        scores = own.ETA * one.words.critique.astype(np.float64)
        select = own.selection_operators(one.axes) @ of_word
        condition = own.condition_operators(one.axes) @ of_word
        of_select, of_condition = one.axes.places_of(np.arange(one.axes.programs))
        scores += select[of_select] + condition[of_condition]
        assert one.rewards is not None
        right = scores[one.rewards >= 1]
        by_hand = np.logaddexp.reduce(right) - np.logaddexp.reduce(scores)
        assert abs(got - by_hand) < 1e-3


def test_an_experiment_that_is_not_there_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        own.main([str(tmp_path / "none.toml"), str(tmp_path / "out.txt"), "--data", str(tmp_path)])
    assert "there is no config" in capsys.readouterr().err
