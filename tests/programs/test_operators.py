"""Every operator is declared whole, and the languages are made of operators."""

from __future__ import annotations

import re

import pytest

from denota.errors import ProgramError
from denota.programs.lexicon import has_trigger, more_triggers, triggers, words_of
from denota.programs.operators import (
    AGGREGATES,
    COMPARES,
    FEATURES,
    LANGUAGES,
    SCOPES,
    STEPS,
    TESTS,
    declared,
    language_of,
)
from denota.programs.text import parse_program, print_program
from denota.programs.tree import And, Or
from denota.tokens import tokenise
from programs.strategies import conjuncts

EVERY = declared()


def test_no_two_operators_share_a_name() -> None:
    own = {
        name for name in STEPS if name not in TESTS
    }  # a test of place is a step by the same name
    kinds = (TESTS, SCOPES, AGGREGATES, FEATURES, COMPARES, own)
    assert len(EVERY) == sum(map(len, kinds))
    for name, operator in EVERY.items():
        assert operator.name == name and re.fullmatch(r"[a-z_]+", name)


def test_no_two_operators_are_written_alike() -> None:
    written = [(test.has_column, test.keywords) for test in TESTS.values()]
    assert len(set(written)) == len(written)
    for spellings in (
        [s.alone for s in SCOPES.values() if s.alone],
        [s.with_columns for s in SCOPES.values() if s.with_columns],
        [one.keyword for one in (*AGGREGATES.values(), *COMPARES.values())],
        [(step.has_column, step.keywords) for step in STEPS.values()],
    ):
        assert len(set(spellings)) == len(spellings)


ARGUMENTS = {"argument", "ordinal", "times"}
"""How a sentence says an operator's argument."""


@pytest.mark.parametrize("name", TESTS)
def test_a_test_is_declared_whole(name: str) -> None:
    test = TESTS[name]
    assert test.keywords and all(word == word.upper() for word in test.keywords)
    fields = set(re.findall(r"{(\w+)}", test.english))
    assert ("column" in fields) == test.has_column
    assert len(fields & ARGUMENTS) == (test.takes is not None)
    example = parse_program(test.example)
    assert name in [used.operator for used in conjuncts(example)]
    assert print_program(example) == test.example


@pytest.mark.parametrize("name", SCOPES)
def test_a_scope_is_declared_whole(name: str) -> None:
    scope = SCOPES[name]
    if name != "table":
        assert scope.alone or scope.with_columns
        assert scope.english
    assert bool(scope.alone) <= scope.follows
    example = parse_program(scope.example)
    assert example.scope == name and print_program(example) == scope.example


@pytest.mark.parametrize("name", AGGREGATES)
def test_an_aggregate_is_declared_whole(name: str) -> None:
    aggregate = AGGREGATES[name]
    assert aggregate.keyword == aggregate.keyword.upper()
    fields = set(re.findall(r"{(\w+)}", aggregate.english))
    assert ("group" in fields) == aggregate.grouped
    assert ("cells" in fields) == (len(aggregate.of) > aggregate.grouped)
    example = parse_program(aggregate.example)
    assert example.aggregate == name and print_program(example) == aggregate.example


@pytest.mark.parametrize("name", STEPS)
def test_a_step_is_declared_whole(name: str) -> None:
    step = STEPS[name]
    fields = set(re.findall(r"{(\w+)}", step.english))
    assert ("column" in fields) == step.has_column
    assert len(fields & ARGUMENTS) == (step.takes is not None)
    example = parse_program(step.example)
    assert example.then is not None and example.then.operator == name
    assert print_program(example) == step.example


@pytest.mark.parametrize("name", COMPARES)
def test_a_comparison_is_declared_whole(name: str) -> None:
    compare = COMPARES[name]
    assert set(re.findall(r"{(\w+)}", compare.english)) == {"left", "right"}
    example = parse_program(compare.example)
    assert example.compare == name and print_program(example) == compare.example


@pytest.mark.parametrize("name", FEATURES)
def test_a_feature_is_declared_whole(name: str) -> None:
    feature = FEATURES[name]
    assert feature.english and feature.example
    if feature.example.startswith("SELECT"):
        example = parse_program(feature.example)
        kinds = {"or": Or, "and": And}
        assert name not in kinds or isinstance(example.where, kinds[name])
        assert print_program(example) == feature.example


@pytest.mark.parametrize(
    "name", [n for n, operator in EVERY.items() if operator.needs == "trigger"]
)
def test_an_operator_that_needs_a_trigger_has_some(name: str) -> None:
    words = words_of(name)
    assert words and len(set(words)) == len(words)
    for phrase in words:
        bare = phrase.removeprefix("^")
        assert " ".join(tokenise(bare)) == bare, f"{phrase!r} can never be found in a question"
        assert has_trigger(name, f" {bare} one ")
        assert has_trigger(name, f" which {bare} one ") or phrase != bare
        assert not has_trigger(name, f" which x{bare}x zzz ")


def test_the_lexicon_speaks_only_of_operators() -> None:
    for words in (triggers(), more_triggers()):
        assert set(words) <= set(EVERY)
        assert {name for name in words if EVERY[name].needs != "trigger"} == set()


def test_the_words_of_operators_stand_in_the_lexicon_alone() -> None:
    assert {name for name, operator in EVERY.items() if operator.words} == set()


def test_the_languages_contain_each_other() -> None:
    assert LANGUAGES["dynsp"] < LANGUAGES["dynsp++"]
    assert LANGUAGES["dynsp++"] - LANGUAGES["dynsp"] == {"or", "cell"}
    assert LANGUAGES["dynsp"] < LANGUAGES["extended"]
    assert LANGUAGES["extended"] - LANGUAGES["full"] == {"or"}
    assert LANGUAGES["full"] >= {*TESTS, *STEPS, *AGGREGATES, *COMPARES}
    for name, language in LANGUAGES.items():
        assert language <= set(EVERY)
        assert "table" in language
        assert name == "full" or not language & {*AGGREGATES, *COMPARES}


def test_dynsp_is_what_the_paper_says() -> None:
    conditions = {"equal", "not_equal", "greater", "at_least", "less", "at_most", "max", "min"}
    assert LANGUAGES["dynsp"] == conditions | {"table", "previous"}


def test_a_language_can_be_changed_by_operators() -> None:
    assert language_of("dynsp") == LANGUAGES["dynsp"]
    assert language_of("dynsp +or +cell") == LANGUAGES["dynsp++"]
    assert language_of("  dynsp++   -or -cell ") == LANGUAGES["dynsp"]
    assert language_of("dynsp -max -max +max") == LANGUAGES["dynsp"]
    assert language_of("dynsp +count") == LANGUAGES["dynsp"] | {"count"}


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("sql", ["'sql'", *LANGUAGES]),
        ("", list(LANGUAGES)),
        ("  ", list(LANGUAGES)),
        ("+max", ["'+max'", *LANGUAGES]),
        ("dynsp max", ["'max'", "max"]),
        ("dynsp +maximum", ["'+maximum'", "max"]),
        ("dynsp +", ["'+'", "max"]),
        ("dynsp *max", ["'*max'", "max"]),
        ("dynsp +dynsp", ["'+dynsp'", "max"]),
        ("Dynsp", ["'Dynsp'", "dynsp"]),
    ],
)
def test_what_is_no_language_is_refused_with_what_there_is(name: str, named: list[str]) -> None:
    with pytest.raises(ProgramError) as refused:
        language_of(name)
    message = str(refused.value)
    assert all(word in message for word in named) and "\n" not in message
