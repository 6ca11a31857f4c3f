"""The DynSP++ parser: batches are questions one by one, and scores carry gradients.

Words match as they should.
"""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from denota.config import SearchConfig
from denota.data.answer import Cells
from denota.errors import ConfigError
from denota.learning.presets import PRESETS
from denota.learning.update import surrogate_loss, update_coefficients
from denota.model.batch import make_batch
from denota.model.cues import DynSPWithCues
from denota.model.dynsp import DynSP, starting_words
from denota.model.dynsp_starts import EARLY_STARTS, STARTS, starting_vector
from denota.model.vectors import WordVectors, random_unit, word_vectors
from denota.programs import Denotation, language_of
from denota.programs.tree import Or
from denota.search.axes import BLOCKS, FIXED
from denota.search.candidates import find_candidates
from denota.search.exact import AxisScores, program_scores
from denota.search.flat_batch import lay_flat
from denota.search.lexicon import read_lexicon
from denota.search.prepare import Prepared, prepare
from denota.tables import Table

SHIPS = Table.from_rows(
    ["Ship", "Built", "Length (m)"],
    [["Aurora", "1901", "124"], ["Borealis", "1912", "98"], ["Corona Maris", "1912", "131"]],
)
CITIES = Table.from_rows(
    ["City", "Country", "People", "Founded"],
    [["Oslo", "Norway", "709,037", "1040"], ["Bergen", "Norway", "291,940", "1070"]],
)


@pytest.fixture(scope="module")
def questions() -> list[Prepared]:
    language, lexicon = language_of("dynsp++"), read_lexicon()
    asked = [
        ("which ship is the longest?", SHIPS, (), None, {(2, 0)}),
        (
            "and which was built after 1905?",
            SHIPS,
            ("list the ships",),
            Denotation((0, 1, 2), (0,)),
            {(1, 0), (2, 0)},
        ),
        ("how many people live in oslo or bergen?", CITIES, (), None, {(0, 2), (1, 2)}),
        ("when was it founded?", CITIES, ("oslo",), Denotation((0,), (0,)), {(0, 3)}),
    ]
    return [prepare(q, t, h, p, Cells(frozenset(a)), language, lexicon) for q, t, h, p, a in asked]


@pytest.fixture(scope="module")
def vectors(questions: list[Prepared]) -> WordVectors:
    words = {w for q in questions for w in (*q.question, *q.previous_question)}
    words |= {w for q in questions for text in (*q.names, *q.values) for w in text}
    return word_vectors(words | {"most", "more", "not", "or"}, "random", 20)


@pytest.fixture
def parser(vectors: WordVectors) -> DynSP:
    torch.manual_seed(0)
    return DynSP(vectors, hidden=8).double().eval()


def scores(parser: DynSP, vectors: WordVectors, questions: list[Prepared]) -> list[np.ndarray]:
    batch = make_batch(questions, vectors)
    entries = parser(batch).detach().numpy()
    recall = float(parser.recall.detach())
    return [
        program_scores(q, AxisScores(line, batch.offsets, recall))
        for q, line in zip(questions, entries, strict=True)
    ]


def test_a_batch_is_its_questions_one_by_one(
    parser: DynSP, vectors: WordVectors, questions: list[Prepared]
) -> None:
    together = scores(parser, vectors, questions)
    for question, expected in zip(questions, together, strict=True):
        (alone,) = scores(parser, vectors, [question])
        assert alone == pytest.approx(expected, abs=1e-6)


def test_scores_with_gradient_are_the_searched_ones(
    parser: DynSP, vectors: WordVectors, questions: list[Prepared]
) -> None:
    with torch.no_grad():
        parser.recall.fill_(-0.6)
    batch = make_batch(questions, vectors)
    entries = parser(batch)
    axes = [AxisScores(line, batch.offsets, -0.6) for line in entries.detach().numpy()]
    flat = lay_flat(questions, batch.offsets, batch.width, SearchConfig(), entries.device)
    candidates, places = find_candidates(flat, entries, parser.recall, SearchConfig())
    for line, (question, axis) in enumerate(zip(questions, axes, strict=True)):
        ids = (places[line] - flat.starts[line])[candidates.mask[line]]
        expected = program_scores(question, axis)[ids.numpy()]
        got = candidates.scores[line][candidates.mask[line]].detach().numpy()
        assert got == pytest.approx(expected, abs=1e-5)
        assert candidates.mask[line].sum() == len(ids) > 0


def test_a_question_without_words_has_scores(parser: DynSP, vectors: WordVectors) -> None:
    empty = prepare("?!", SHIPS, (), None, None, language_of("dynsp++"), read_lexicon())
    (got,) = scores(parser, vectors, [empty])
    assert np.isfinite(got).all()


def test_a_bias_makes_an_action_rarer_and_leaves_the_others(
    parser: DynSP, vectors: WordVectors, questions: list[Prepared]
) -> None:
    before = scores(parser, vectors, questions)
    with torch.no_grad():
        parser.bias[FIXED.index("or")] -= 2
    after = scores(parser, vectors, questions)
    for question, old, new in zip(questions, before, after, strict=True):
        programs = [question.space.program(number) for number in range(len(question.space))]
        joined = np.array([isinstance(program.where, Or) for program in programs])
        assert new == pytest.approx(old - 2 * joined, abs=1e-5)


def test_without_surface_features_shared_tokens_say_nothing(
    questions: list[Prepared], vectors: WordVectors
) -> None:
    batch = make_batch(questions, vectors)
    other = replace(
        batch,
        column_surface=1 - batch.column_surface,
        value_surface=1 - batch.value_surface,
    )
    for surface in (True, False):
        torch.manual_seed(0)
        scorer = DynSP(vectors, 8, 0.0, surface=surface)
        torch.nn.init.ones_(scorer.equal)
        assert torch.equal(scorer(batch), scorer(other)) != surface


def test_without_bias_nothing_is_learnt_of_it(
    questions: list[Prepared], vectors: WordVectors
) -> None:
    scorer = DynSP(vectors, 8, 0.0, bias=False)
    scorer(make_batch(questions, vectors)).sum().backward()
    assert scorer.bias.grad is None and not scorer.bias.any()
    assert scorer.actions.grad is not None and scorer.actions.grad.any()


def test_with_cues_columns_are_read_where_the_question_names_them(vectors: WordVectors) -> None:
    """The same words in another order ask for the one column and test the other.

    Each name's surroundings go with it.
    """
    language, lexicon = language_of("dynsp++"), read_lexicon()
    asked = [
        prepare(
            f"the {one} of ship where {other} is most", SHIPS, (), None, None, language, lexicon
        )
        for one, other in (("length", "built"), ("built", "length"))
    ]
    torch.manual_seed(0)
    parser = DynSPWithCues(vectors, hidden=6).eval()
    with torch.no_grad():
        parser.question.join.weight.zero_()  # the reading of the whole question says nothing
        first, second = parser(make_batch(asked, vectors))[:, :3]
        assert not torch.allclose(first, second)
        parser.around.weight.zero_()
        first, second = parser(make_batch(asked, vectors))[:, :3]
    assert torch.allclose(first, second)


def test_with_cues_a_word_behind_a_number_compares(vectors: WordVectors) -> None:
    language, lexicon = language_of("dynsp++"), read_lexicon()
    texts = ("which ship has 5 or more?", "which ship has 5 or less?")
    asked = [prepare(text, SHIPS, (), None, None, language, lexicon) for text in texts]
    words = {word for q in asked for text in (q.question, *q.names, *q.values) for word in text}
    known = word_vectors(words | starting_words(), "random")
    for kind, differ in ((DynSP, False), (DynSPWithCues, True)):
        torch.manual_seed(0)
        batch = make_batch(asked, known)
        start = batch.offsets[BLOCKS.index("compare")]
        first, second = kind(known, hidden=6).eval()(batch)[:, start : start + 4].detach()
        assert torch.allclose(first, second) != differ


@pytest.mark.parametrize("name", PRESETS)
def test_every_algorithm_makes_a_step(
    name: str, vectors: WordVectors, questions: list[Prepared]
) -> None:
    """The gradient of the loss through the whole parser is Σ c(y) ∇s(y).

    It is checked against c and autograd of the scores alone.
    """
    torch.manual_seed(1)
    parser = DynSP(vectors, hidden=8).double().eval()
    batch = make_batch(questions, vectors)
    entries = parser(batch)
    cfg, update = SearchConfig(shaping="policy"), PRESETS[name]
    source = {"reinforce": "model", "off_policy": "explore"}.get(update.intensity)
    flat = lay_flat(questions, batch.offsets, batch.width, cfg, entries.device)
    uniforms = torch.full((len(questions),), 0.4)
    candidates, _ = find_candidates(
        flat, entries, parser.recall, cfg, draws_from=source, uniforms=uniforms
    )
    weights = [p for p in parser.parameters() if p is not parser.words.weight]
    got = torch.autograd.grad(
        surrogate_loss(candidates, update), weights, retain_graph=True, allow_unused=True
    )
    c = update_coefficients(candidates, update)
    by_hand = torch.autograd.grad(-(c * candidates.scores).sum(), weights, allow_unused=True)
    assert any(g is not None and g.abs().sum() > 0 for g in got)
    for one, other in zip(got, by_hand, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            assert torch.allclose(one, other)


def test_a_rare_name_in_question_and_cell_matches_with_dot_one() -> None:
    vectors = word_vectors(["zyxgrund", "oslo"], "random", 50)
    place = vectors.ids(["zyxgrund"])[0]
    assert vectors.matrix[place] == pytest.approx(random_unit("zyxgrund", 50))
    assert float(vectors.matrix[place] @ vectors.matrix[place]) == pytest.approx(1, abs=1e-5)
    assert abs(float(vectors.matrix[place] @ vectors.matrix[vectors.ids(["oslo"])[0]])) < 0.6


@pytest.mark.parametrize("packed", [False, True])
def test_glove_text_is_read(tmp_path: Path, packed: bool) -> None:
    text = "the 3.0 4.0\noslo 0.0 -2.0\nunused 1 1\n"
    path = tmp_path / ("v.txt.gz" if packed else "v.txt")
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    vectors = word_vectors(["oslo", "the", "new"], str(path))
    assert vectors.matrix[vectors.words["the"]] == pytest.approx([0.6, 0.8])
    assert vectors.matrix[vectors.words["oslo"]] == pytest.approx([0, -1])
    assert vectors.matrix[vectors.words["new"]] == pytest.approx(random_unit("new", 2))
    assert not vectors.matrix[0].any()


def test_bad_vectors_are_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no word vectors at"):
        word_vectors(["a"], str(tmp_path / "none.txt"))
    (tmp_path / "odd.txt").write_text("a 1 2\nb 1 2 3\n")
    with pytest.raises(ConfigError, match="line 2"):
        word_vectors(["a", "b"], str(tmp_path / "odd.txt"))
    (tmp_path / "spaces.txt").write_text("a 1 2\nb c@d.e 3 4\nb 5 6\n")
    known = word_vectors(["a", "b"], str(tmp_path / "spaces.txt"))
    assert known.matrix[known.words["b"]] == pytest.approx(np.array([5, 6]) / 61**0.5)
    with gzip.open(tmp_path / "cut.txt.gz", "wt") as file:
        file.write("a 1 2\n" * 1000)
    whole = (tmp_path / "cut.txt.gz").read_bytes()
    (tmp_path / "cut.txt.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ConfigError, match="not a file of word vectors"):
        word_vectors(["a"], str(tmp_path / "cut.txt.gz"))
    with pytest.raises(ConfigError, match="no vector for any word"):
        word_vectors(["zzz"], str(tmp_path / "odd.txt"))


def by_letters(*phrases: str) -> WordVectors:
    """Words at right angles: a dot product of two averages counts the words they share."""
    words = sorted({word for phrase in phrases for word in phrase.split()})
    matrix = np.concatenate([np.zeros((1, len(words))), np.eye(len(words))]).astype(np.float32)
    return WordVectors({word: place for place, word in enumerate(words, start=1)}, matrix)


@pytest.mark.parametrize(
    ("strict", "loose", "asked"),
    [("greater", "at_least", "more than"), ("less", "at_most", "fewer than")],
)
def test_more_than_is_nearer_to_greater_from_the_words_of_dynsp(
    strict: str, loose: str, asked: str
) -> None:
    vectors = by_letters(*STARTS.values(), *EARLY_STARTS.values(), "than")
    said = torch.from_numpy(vectors.matrix[[vectors.words[w] for w in asked.split()]]).mean(dim=0)

    def near(name: str, start: str) -> float:
        return float(starting_vector(name, vectors, start) @ said)

    # both words are among the four of each early start, and among nine of DynSP's
    assert near(strict, "early") == near(loose, "early") == 1 / 4
    assert near(strict, "dynsp") == 1 / 4
    assert near(loose, "dynsp") == pytest.approx(1 / 9)
    assert {"equal", "to", "at"} <= starting_words(start="dynsp")


def test_a_blank_start_knows_nothing_of_words(
    vectors: WordVectors, questions: list[Prepared]
) -> None:
    torch.manual_seed(0)
    usual = DynSP(vectors, hidden=8).double().eval()
    blank = DynSP(vectors, hidden=8, start="blank").double().eval()
    batch = make_batch(questions, vectors)
    equal = slice(batch.offsets[BLOCKS.index("equal")], batch.offsets[BLOCKS.index("not_equal")])
    assert "nearness" not in usual.state_dict()
    assert usual(batch)[:, equal].abs().sum() > 0
    assert (blank(batch)[:, equal] == 0).all()  # before learning, no value is any nearer
    with torch.no_grad():
        blank.nearness.fill_(1)
    assert torch.allclose(blank(batch)[:, equal], usual(batch)[:, equal])
    assert not torch.equal(blank.compare, usual.compare)
    assert not torch.equal(blank.negation, usual.negation)
    blank(batch)[:, equal].sum().backward()
    assert blank.nearness.grad is not None
    assert blank.nearness.grad[0] != 0


def test_same_as_previous_is_how_near_the_two_questions_are(
    vectors: WordVectors, questions: list[Prepared]
) -> None:
    torch.manual_seed(0)
    parser = DynSP(vectors, hidden=8, same_as_previous="questions").double().eval()
    again = FIXED.index("same_as_previous")

    def score(asked: tuple[str, ...], before: tuple[str, ...]) -> float:
        one = replace(questions[1], question=asked, previous_question=before)
        batch = make_batch([one], vectors)
        return float(parser(batch)[0, batch.offsets[BLOCKS.index("fixed")] + again].detach())

    with torch.no_grad():
        parser.same[:] = torch.tensor([0.0, 2.0])
    word = vectors.matrix[vectors.words["ship"]].astype(float)
    other = vectors.matrix[vectors.words["built"]].astype(float)
    assert score(("ship",), ("built",)) == pytest.approx(2 * float(word @ other), abs=1e-6)
    assert score(("ship",), ("ship", "built")) == pytest.approx(
        float(word @ (word + other)), abs=1e-6
    )
    assert score(("ship",), ()) == 0  # nothing was asked before
