"""The last touches: slips of the finger where they do no harm, and nowhere else."""

from __future__ import annotations

from random import Random

import pytest

from denota.generate.scene import guard
from denota.generate.typos import finish

TEXT = f"which bridges from {guard('Port Alder')} have the longest span after {guard('1950')}"
PLAIN = "which bridges from port alder have the longest span after 1950"


def finished(typos: float, text: str = TEXT) -> list[str]:
    return [finish(text, Random(seed), typos).lower().rstrip("?.") for seed in range(500)]


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5, 1.0])
def test_the_rate_of_slips(rate: float) -> None:
    wrong = sum(text != PLAIN for text in finished(rate)) / 500
    assert abs(wrong - rate) < 0.1 or (
        rate == 1.0 and wrong > 0.8
    )  # a double letter's letters may be exchanged


def test_constants_and_telling_words_are_spared() -> None:
    for text in finished(1.0):
        assert {"port alder", "longest", "after", "1950"} <= {
            w for w in (*text.split(), "port alder") if w in text
        }


def test_a_slip_changes_one_word() -> None:
    for text in finished(1.0):
        assert len(text.split()) == len(PLAIN.split())
        assert sum(a != b for a, b in zip(text.split(), PLAIN.split(), strict=True)) <= 1


def test_nothing_to_slip_on() -> None:
    assert set(finished(1.0, f"and {guard('Port Alder')}")) == {"and port alder"}


def test_orders_end_in_a_full_stop_and_questions_in_a_question_mark() -> None:
    assert {finish("name the bridges", Random(s), 0)[-1] for s in range(50)} == {".", "s"}
    assert {finish("of those, name the longest", Random(s), 0)[-1] for s in range(50)} == {".", "t"}
    assert {finish("which bridges", Random(s), 0)[-1] for s in range(50)} == {"?", "s"}


def test_capitals() -> None:
    assert {finish(TEXT, Random(s), 0)[:5] for s in range(50)} == {"Which", "which"}
    assert any("Port Alder" in finish(TEXT, Random(s), 0) for s in range(9))
