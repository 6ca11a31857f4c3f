"""Search is right: against brute force over trees, beam against exact, shaping at its limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import torch

from denota.config import SearchConfig
from denota.data.answer import Cells
from denota.programs import Denotation, execute, jaccard, language_of
from denota.programs.operators import TESTS
from denota.programs.tree import And, Condition, Date, Number, Or, Program, Test, Value, Word
from denota.search.axes import BLOCKS, FIXED
from denota.search.beam import beam_search
from denota.search.candidates import explore as explore_of_each
from denota.search.candidates import find_candidates
from denota.search.candidates import rivals as rivals_of_each
from denota.search.exact import AxisScores, first, program_scores
from denota.search.flat_batch import lay_flat
from denota.search.lexicon import read_lexicon
from denota.search.policies import log_explore
from denota.search.prepare import Prepared, prepare
from denota.tables import Table
from denota.tokens import tokenise

TABLE = Table.from_rows(
    ["Nation", "Name", "Points", "Year"],
    [
        ["Kenya", "Ann Odera", "44", "2004"],
        ["Norway", "Karen Lund", "62", "2004"],
        ["England", "Mary Hart", "62", "2008"],
        ["Kenya", "Joy Kamau", "17", "2012"],
        ["Peru", "Ines Rojas", "-", "2012"],
    ],
)
QUESTION = "which nation scored the most points, more than 40?"
GOLD = frozenset({(2, 0)})
LANGUAGES = ("dynsp", "dynsp++", "extended")


def question(language: str, previous: bool = True, gold: frozenset = GOLD) -> Prepared:
    before = Denotation((0, 1, 2), (0,)) if previous else None
    history = ("which nations scored over 40 points?",) if previous else ()
    answer = Cells(gold)
    return prepare(QUESTION, TABLE, history, before, answer, language_of(language), read_lexicon())


def scored(
    prepared: Prepared, seed: int, recall: float = -0.7, model_eta: float = 0.0
) -> AxisScores:
    """Random scores for every axis entry; `nothing` is 0."""
    widths = dict.fromkeys(BLOCKS, 64) | {"fixed": len(FIXED)}
    offsets = np.cumsum([0, *(widths[name] for name in BLOCKS[:-1])])
    entries = np.random.default_rng(seed).normal(size=offsets[-1] + len(FIXED)).astype(np.float32)
    entries[offsets[-1] + FIXED.index("nothing")] = 0
    return AxisScores(entries, offsets, recall, model_eta)


@dataclass(frozen=True, eq=False)
class Found:
    """K of one question."""

    ids: np.ndarray
    log_explore: np.ndarray
    reference: int


def find(prepared: Prepared, axis: AxisScores, cfg: SearchConfig) -> Found:
    entries = torch.from_numpy(axis.entries)[None]
    flat = lay_flat([prepared], axis.offsets, len(axis.entries), cfg, entries.device)
    found, places = find_candidates(flat, entries, torch.tensor(axis.recall), cfg)
    log_u = found.log_explore[found.mask].numpy()
    return Found(places[found.mask].numpy(), log_u, int(found.reference[0]))


def explore(prepared: Prepared, axis: AxisScores, cfg: SearchConfig) -> list[int]:
    return listed(explore_of_each, prepared, axis, cfg)


def rivals(prepared: Prepared, axis: AxisScores, cfg: SearchConfig) -> list[int]:
    return listed(rivals_of_each, prepared, axis, cfg)


def listed(search, prepared: Prepared, axis: AxisScores, cfg: SearchConfig) -> list[int]:
    flat = lay_flat([prepared], axis.offsets, len(axis.entries), cfg, torch.device("cpu"))
    places, there = search(flat, torch.from_numpy(program_scores(prepared, axis)), cfg)
    return places[there].tolist()


def tokens_of(program: Program) -> frozenset[str]:
    """The non-keyword tokens of a program, straight from its tree."""
    found = {token for name in program.columns for token in tokenise(name)}

    def add(condition: Condition | None) -> None:
        if isinstance(condition, Or | And):
            for part in condition.parts:
                add(part)
        elif isinstance(condition, Test):
            found.update(tokenise(condition.column or ""))
            if isinstance(condition.argument, Value | Word):
                found.update(tokenise(condition.argument.text))
            elif (
                isinstance(condition.argument, Number | Date) and condition.operator != "decade_is"
            ):
                found.update(tokenise(condition.argument.written))

    add(program.where)
    return frozenset(found)


def keywords_of(condition: Condition | None) -> frozenset[str]:
    if isinstance(condition, Test):
        return frozenset({condition.operator})
    if isinstance(condition, Or | And):
        joint = "or" if isinstance(condition, Or) else "and"
        return frozenset({joint}).union(*map(keywords_of, condition.parts))
    return frozenset()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("previous", [False, True])
def test_rewards_and_words_are_those_of_the_trees(language: str, previous: bool) -> None:
    prepared = question(language, previous)
    asked = frozenset(tokenise(QUESTION))
    table = {t for name in TABLE.names for t in tokenise(name)}
    table |= {t for column in TABLE.columns for text in column.text for t in tokenise(text)}
    before = Denotation((0, 1, 2), (0,)) if previous else None
    step = max(1, len(prepared.space) // 400)
    for number in range(0, len(prepared.space), step):
        program = prepared.space.program(number)
        own = tokens_of(program)
        words = prepared.words
        assert prepared.rewards is not None
        assert prepared.rewards[number] == pytest.approx(
            jaccard(execute(program, TABLE, before).cells, GOLD)
        )
        assert words.match[number] == pytest.approx(len(own & asked) / max(1, len(own)))
        assert words.recall_missed[number] == pytest.approx(
            len((asked & table) - own) / len(asked & table)
        )
        pairs = sum(t in asked and k in keywords_of(program.where) for t, k in read_lexicon().pairs)
        assert words.co_occur[number] == pairs


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_being_grounded_adds_to_the_critique(language: str) -> None:
    plain = question(language)
    asked = (QUESTION, TABLE, (), None, Cells(GOLD), language_of(language))
    more = prepare(*asked, read_lexicon("paper", 0.5))
    added = more.words.critique - prepare(*asked, read_lexicon()).words.critique
    tests = [np.tile(f.conditions.grounded, len(f.selections)) for f in more.space.families]
    expected = np.where(np.concatenate(tests), 0.5, 0.0)
    np.testing.assert_allclose(added, expected, atol=1e-6)
    assert {0.0, 0.5} == set(expected.tolist())
    assert plain.words.critique.max() < more.words.critique.max()


@pytest.mark.parametrize("language", LANGUAGES)
def test_scores_are_sums_over_actions(language: str) -> None:
    prepared = question(language)
    axis = scored(prepared, 1)
    scores = program_scores(prepared, axis)
    ids = np.arange(0, len(prepared.space), max(1, len(prepared.space) // 300))
    select, condition = prepared.axes.places_of(ids)
    by_hand = axis.selections(prepared)[select] + axis.conditions(prepared)[condition]
    assert scores[ids] == pytest.approx(by_hand - 0.7 * prepared.words.recall_missed[ids], abs=1e-5)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("eta", [0.0, 5.0])
def test_exact_lists_are_brute_force(language: str, eta: float) -> None:
    """EXPLORE by reward, then score + η critique; RIVALS by score − R: sorted in full by Python."""
    prepared = question(language)
    cfg = SearchConfig(shaping="policy", eta=eta)
    for seed in range(5):
        axis = scored(prepared, seed)
        scores = program_scores(prepared, axis)
        rewards, critique = prepared.rewards, prepared.words.critique
        assert rewards is not None
        key = [
            (-rewards[i], -(scores[i] + np.float32(eta) * critique[i]), i)
            for i in range(len(scores))
        ]
        expected = [i for r, _, i in sorted(key)[:15] if r < 0]
        assert explore(prepared, axis, cfg) == expected
        worst = sorted((-(scores[i] - rewards[i]), i) for i in range(len(scores)))[:15]
        assert rivals(prepared, axis, cfg) == [i for _, i in worst]
        top = sorted((-scores[i], i) for i in range(len(scores)))[:3]
        assert first(scores, 3).tolist() == [i for _, i in top]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("previous", [False, True])
@pytest.mark.parametrize("shaping", ["none", "policy", "model"])
def test_a_beam_as_wide_as_the_space_is_exact(language: str, previous: bool, shaping: str) -> None:
    prepared = question(language, previous)
    exact = SearchConfig(shaping=shaping)
    wide = SearchConfig(kind="beam", beam=len(prepared.space), shaping=shaping)
    for seed in range(3):
        axis = scored(prepared, seed, model_eta=exact.model_eta)
        for aim, search in (("explore", explore), ("rivals", rivals)):
            found = beam_search(prepared, axis, wide, aim)
            assert found.tolist() == search(prepared, axis, exact)
        found = beam_search(prepared, axis, wide, "model")[:3]
        assert found.tolist() == first(program_scores(prepared, axis), 3).tolist()
        one, other = find(prepared, axis, wide), find(prepared, axis, exact)
        assert one.ids.tolist() == other.ids.tolist() and one.reference == other.reference


def test_a_narrow_beam_finds_some_of_it() -> None:
    prepared = question("dynsp++")
    axis = scored(prepared, 3)
    assert prepared.rewards is not None
    found = beam_search(prepared, axis, SearchConfig(kind="beam"), "explore")
    assert 0 < len(found) <= 15
    assert (prepared.rewards[found] > 0).all()
    assert (np.diff(prepared.rewards[found]) <= 0).all(), "reward first"


def test_without_shaping_the_critique_changes_nothing() -> None:
    prepared = question("dynsp++")
    axis = scored(prepared, 4)
    none, zero = SearchConfig(shaping="none", eta=5), SearchConfig(shaping="policy", eta=0)
    a, b = find(prepared, axis, none), find(prepared, axis, zero)
    assert a.ids.tolist() == b.ids.tolist()
    assert a.log_explore.tolist() == b.log_explore.tolist()
    assert a.reference == b.reference


def test_with_a_large_eta_the_critique_decides() -> None:
    prepared = question("dynsp++")
    assert prepared.rewards is not None
    consistent = np.flatnonzero(prepared.rewards == 1)
    top = prepared.words.critique[consistent].max()
    for seed in range(5):
        axis = scored(prepared, seed)
        found = find(prepared, axis, SearchConfig(shaping="policy", eta=1e4))
        chosen = found.ids[found.reference]
        assert prepared.words.critique[chosen] == top


def test_the_critique_prefers_the_right_reason() -> None:
    """Of the programs that give the nation with the most points, it takes the one that says so.

    The critique alone does that. After Figures 1 and 2 of the paper.
    """
    prepared = question("dynsp++", previous=False)
    assert prepared.rewards is not None
    consistent = np.flatnonzero(prepared.rewards == 1)
    assert len(consistent) > 3, "the answer has several programs"
    best_one = consistent[np.argmax(prepared.words.critique[consistent])]
    program = prepared.space.program(int(best_one))
    assert program == Program(("Nation",), where=Test("max", "Points"))


def test_k_is_explore_and_then_what_rivals_add() -> None:
    prepared = question("dynsp++")
    axis = scored(prepared, 5)
    found = find(prepared, axis, SearchConfig())
    ahead = explore(prepared, axis, SearchConfig())
    behind = rivals(prepared, axis, SearchConfig())
    assert found.ids.tolist() == ahead + [i for i in behind if i not in ahead]
    assert found.ids[found.reference] == ahead[0]
    everything = find(prepared, axis, SearchConfig(candidates="all"))
    assert everything.ids.tolist() == list(range(len(prepared.space)))


def explored(
    scores: np.ndarray, rewards: np.ndarray, critique: np.ndarray, cfg: SearchConfig
) -> np.ndarray:
    """log u of one question, its last place padding."""
    given = [
        torch.from_numpy(np.append(each, 7).astype(np.float32))[None]
        for each in (scores, rewards, critique)
    ]
    mask = torch.arange(len(scores) + 1)[None] < len(scores)
    log_u = log_explore(given[0], given[1] * mask, given[2], mask, cfg)[0].numpy()
    assert log_u[-1] == -np.inf
    return log_u[:-1]


def test_the_exploration_policy_at_infinity_has_mass_on_the_best_reward_alone() -> None:
    rng = np.random.default_rng(0)
    scores, critique = rng.normal(size=(2, 12)).astype(np.float32)
    rewards = rng.choice([0, 0.5, 1], 12).astype(np.float32)
    log_u = explored(scores, rewards, critique, SearchConfig(shaping="policy", eta=5.0))
    assert np.isfinite(log_u).tolist() == (rewards == rewards.max()).tolist()
    assert np.exp(log_u).sum() == pytest.approx(1, abs=1e-5)
    key = np.exp((scores + 5 * critique)[rewards == 1].astype(np.float64))
    assert np.exp(log_u[rewards == 1]) == pytest.approx(key / key.sum(), rel=1e-4)


def test_first_takes_the_largest_and_breaks_ties_by_place() -> None:
    key = np.array([1, 3, 3, 2, 3], np.float32)
    assert first(key, 2).tolist() == [1, 2]
    assert first(key, 9).tolist() == [1, 2, 4, 3, 0]


def test_the_lexicon_has_forty_pairs_of_known_operators() -> None:
    assert len(read_lexicon().pairs) == 40
    assert {keyword for _, keyword in read_lexicon().pairs} <= set(TESTS)


@pytest.mark.parametrize("kind", ["exact", "beam"])
@pytest.mark.parametrize("language", ["dynsp++", "extended"])
@pytest.mark.parametrize("by", ["policy", "score"])
def test_conditions_that_keep_every_row_are_not_learnt(kind: str, language: str, by: str) -> None:
    """All nations are asked for: SELECT Nation, and WHERE Year > 40 on top of it, give them."""
    asked = "which nation has a year of more than 40?"
    gold = Cells(frozenset((row, 0) for row in range(5)))
    before = Denotation((0, 1, 2, 3, 4), (1,))
    prepared = prepare(asked, TABLE, (), before, gold, language_of(language), read_lexicon())
    vacuous = prepared.is_vacuous(np.arange(prepared.axes.programs))
    for number in range(0, len(prepared.space), max(1, len(prepared.space) // 400)):
        if prepared.space.program(number).where is None:
            assert not vacuous[number]
    assert vacuous.any()
    assert prepared.rewards is not None
    assert (prepared.rewards[vacuous] >= 1).any()
    met = 0
    for seed in range(5):
        axis = scored(prepared, seed)
        for allowed in (True, False):
            cfg = SearchConfig(kind=kind, vacuous=allowed, reference_by=by)
            width = len(axis.entries)
            flat = lay_flat([prepared], axis.offsets, width, cfg, torch.device("cpu"))
            entries = torch.from_numpy(axis.entries)[None]
            found, places = find_candidates(flat, entries, torch.tensor(-0.7), cfg)
            mass = places[0][found.log_explore[0].isfinite()].numpy()
            reference = places[0][found.reference[0]].item()
            if allowed:
                met += vacuous[mass].sum() + vacuous[reference]
            else:
                assert not vacuous[mass].any()
                assert not vacuous[reference]
                assert prepared.rewards[reference] == 1
                assert found.log_explore[0].exp().sum() == pytest.approx(1)
    assert met > 0  # with the default they are


def test_with_stems_a_word_matches_in_either_number() -> None:
    """SELECT Nation has one token, and `nations` is that token in the plural."""
    for language in ("dynsp", "dynsp++"):
        asked = ("list the nations with 62 point", TABLE, (), None, None, language_of(language))
        plain, stems = prepare(*asked, read_lexicon()), prepare(*asked, read_lexicon(stems=True))
        number = next(
            n
            for n in range(len(plain.space))
            if plain.space.program(n).where is None and plain.denotation(n).columns == (0,)
        )
        assert plain.words.critique[number] == 0
        assert stems.words.critique[number] == 1
        assert (stems.words.critique >= plain.words.critique).all()
        np.testing.assert_array_equal(stems.words.recall_missed, plain.words.recall_missed)
        for n in range(0, len(plain.space), max(1, len(plain.space) // 100)):
            own = tokens_of(plain.space.program(n))
            met = own & {"list", "the", "nation", "with", "62", "points"}
            assert stems.words.match[n] == pytest.approx(len(met) / max(1, len(own)))


@pytest.mark.parametrize(
    ("asked", "paper", "careful"),
    [
        ("which nation has at least 44 points?", {"min": 1}, {"at_least": 1}),
        ("which nation has at most 44 points?", {"max": 1}, {"at_most": 1}),
        ("who has 44 points or more?", {"greater": 1}, {"at_least": 1}),
        ("the least, at least 44?", {"min": 1}, {"min": 1, "min_ties": 1, "at_least": 1}),
        ("who has the most points?", {"max": 1}, {"max": 1, "max_ties": 1}),
        ("and the others?", {}, {"others": 1}),
    ],
)  # fmt: skip
def test_the_careful_lexicon_hears_phrases(
    asked: str, paper: dict[str, int], careful: dict[str, int]
) -> None:
    before = Denotation((0, 1), (0,))
    for name, weight in (("paper", paper), ("careful", careful)):
        of = (asked, TABLE, ("and now?",), before, None, language_of("extended"))
        prepared = prepare(*of, read_lexicon(name))
        seen = set()
        for family in prepared.space.families:
            for n in range(family.start, family.start + family.count, 7):
                names = {*keywords_of(prepared.space.program(n).where), family.scope}
                assert prepared.words.co_occur[n] == sum(weight.get(k, 0) for k in names), names
                seen |= names & set(weight)
        assert seen == set(weight)
    assert read_lexicon("paper").pairs == read_lexicon().pairs
