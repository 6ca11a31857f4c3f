"""Which table of a database a question is about."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from denota.conversation.choose_table import Offer, choose_table, words_of_value

FIXTURE = Path(__file__).parents[1] / "fixtures" / "choose_table.txt"


def offer(name: str, columns: str, *values: str) -> Offer:
    return Offer(name, tuple(columns.split()), frozenset(map(words_of_value, values)))


SHOP = (
    offer("orders", "id customer_id amount placed shippingCost paid", "card", "invoice"),
    offer("customers", "id name city joined loyalty_card", "Ada Lovelace", "Oslo", "Bergen"),
    offer("products", "id title price weight_kg", "Lamp", "Desk chair"),
    offer("employees", "id employee department salary hired", "Logistics", "Warehouse"),
    offer("order_items", "order_id line_no quantity"),
    offer("sales_2023", "region revenue", "North", "South"),
    offer("sales_2024", "region revenue", "North", "South"),
)


def lines() -> list[tuple[str, str, str | None]]:
    """Questions, what is expected, and the table of the question before if it follows up."""
    found: list[tuple[str, str, str | None]] = []
    current: str | None = None
    for line in FIXTURE.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        question, _, expected = line.partition("|")
        follows = question.startswith(">")
        expected = expected.strip()
        found.append((question.strip("> "), expected, current if follows else None))
        if "+" not in expected and expected != "?":
            current = expected
    return found


@pytest.mark.parametrize(("question", "expected", "current"), lines())
def test_the_table_of_a_question(question: str, expected: str, current: str | None) -> None:
    choice = choose_table(question, SHOP, current)
    if expected == "?":
        assert choice.table is None and choice.other is None
    elif "+" in expected:
        assert {choice.table, choice.other} == set(expected.split(" + "))
        assert choice.lacking
    else:
        assert (choice.table, choice.other) == (expected, None)


@pytest.mark.parametrize(("question", "expected", "current"), lines())
def test_the_order_of_tables_is_irrelevant(
    question: str, expected: str, current: str | None
) -> None:
    """But for which of two that are both needed comes first."""
    for order in itertools.islice(itertools.permutations(SHOP), 0, 5040, 613):
        choice = choose_table(question, order, current)
        needed = {choice.table, choice.other} - {None}
        assert needed == (set() if expected == "?" else set(expected.split(" + ")))


def test_one_table_is_the_one_if_it_is_spoken_of() -> None:
    assert choose_table("which city?", SHOP[1:2]).table == "customers"
    assert choose_table("which city?", ()).table is None
