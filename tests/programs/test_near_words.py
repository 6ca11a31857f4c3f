"""Words of a table that begin like a question's are offered, in a language that has them."""

from __future__ import annotations

from os.path import commonprefix
from random import Random

from denota.programs.near_words import SHARE, SHORTEST, are_near, near_words
from denota.programs.operators import language_of
from denota.programs.space import ProgramSpace, program_space
from denota.programs.text import parse_program
from denota.search.lexicon import read_lexicon
from denota.search.prepare import prepare
from denota.tables.table import Table

ORIGINS = ("Japan", "Germany", "Italy", "Austria")
CARS = Table.from_rows(
    ["Name", "Origin", "Maker"],
    [[f"Car {n}", ORIGINS[n % 4], ("Toyota", "Skoda")[n % 5 > 2]] for n in range(60)],
)
NEAR, FAR = language_of("full"), language_of("full") - {"near_words"}


def space(question: str, language: frozenset[str] = NEAR) -> ProgramSpace:
    return program_space(question, CARS, None, language)


def test_nearness_is_symmetric_and_never_of_numbers() -> None:
    rng = Random(0)
    words = ["".join(rng.choices("ab", k=rng.randint(1, 9))) for _ in range(300)]
    words += [str(rng.randint(1, 9999)) for _ in range(50)]
    found = 0
    for _ in range(5000):
        one, other = rng.choice(words), rng.choice(words)
        assert are_near(one, other) == are_near(other, one)
        if are_near(one, other):
            found += 1
            assert one != other and not one[0].isdigit()
            longest = max(len(one), len(other))
            alike = len(commonprefix([one, other]))  # noqa: RUF071 - letter by letter is meant
            assert alike >= max(SHORTEST, SHARE * longest) or one + "s" == other
    assert found > 5, "the sample has near words"


def test_near_words_are_those_of_a_search_through_all() -> None:
    rng = Random(1)
    known = sorted({"".join(rng.choices("abc", k=rng.randint(2, 8))) for _ in range(400)})
    for _ in range(200):
        asked = {"".join(rng.choices("abc", k=rng.randint(3, 8))) for _ in range(3)}
        slow = {w for w in known for a in asked if a not in known and are_near(a, w)}
        slow = {w for w in slow if any(w[:3] == a[:3] for a in asked)}  # plurals of two letters
        assert near_words(asked, known) == slow


def test_a_demonym_grounds_two_conditions() -> None:
    meant = parse_program("SELECT Name WHERE Origin = 'Japan' AND Maker = 'Toyota'")
    question = "which are Japanese Toyotas"
    assert space(question).index(meant) is not None
    assert space(question, FAR).index(meant) is None, "no word of a value is in the question"


def test_a_long_column_offers_near_values() -> None:
    rows = [[f"{word} {n}"] for n, word in enumerate(["Chinstrap", "Gentoo", "Adelie"] * 20)]
    table = Table.from_rows(["Bird"], rows)
    meant = parse_program("SELECT Bird WHERE Bird = 'Chinstrap 0'")
    for language, there in ((NEAR, True), (FAR, False)):
        found = program_space("list the chinstraps", table, None, language)
        assert (found.index(meant) is not None) == there


def test_near_words_are_on_the_surface() -> None:
    lexicon = read_lexicon()
    with_near, without = (
        prepare("Japanese cars", CARS, (), None, None, language, lexicon)
        for language in (NEAR, FAR)
    )
    place = with_near.values.index(("japan",))
    assert with_near.value_surface[place, 0] == 1
    assert without.value_surface[without.values.index(("japan",)), 0] == 0
