"""A sketch of a large table has what its programs need, and a question adds what it leads to."""

from __future__ import annotations

import datetime
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from denota.conversation.linking import VALUES, linked
from denota.tables import sketch as sketch_module
from denota.tables.frames import columns_of_frame
from denota.tables.large import FEW
from denota.tables.large_files import parquet_sketch
from denota.tables.sketch import grown, places_of
from denota.tables.table import Table

ROWS = 20_000


@pytest.fixture(scope="module")
def whole() -> pa.Table:
    random = Random(3)
    names = [f"{random.choice(['Ada', 'Bo', 'Cy'])} Number{n} Ltd" for n in range(ROWS // 2)]
    return pa.table(
        {
            "id": range(ROWS),
            "Customer": random.choices(names, k=ROWS),
            "Country": random.choices(["Norway", "Chile", "Mali", None], k=ROWS),
            "Ordered": [
                datetime.date(2015, 1, 1) + datetime.timedelta(random.randrange(3000))
                for _ in range(ROWS)
            ],
            "Price": [round(random.gauss(100, 30), 2) for _ in range(ROWS)],
        }
    )


@pytest.fixture(scope="module")
def sketch(whole: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Table:
    path = tmp_path_factory.mktemp("large") / "orders.parquet"
    pq.write_table(whole, path)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sketch_module, "DRAWN", 2_000)
        return parquet_sketch([path], path.name)


def rows_of(table: Table) -> list[tuple[str, ...]]:
    return list(zip(*(column.text for column in table.columns), strict=True))


def test_every_row_of_a_sketch_is_one_of_the_table(whole: pa.Table, sketch: Table) -> None:
    every = set(zip(*columns_of_frame(whole, "orders")[1], strict=True))
    assert set(rows_of(sketch)) <= every
    assert len(rows_of(sketch)) == len(set(rows_of(sketch))) < ROWS / 5
    assert sketch.large is not None and sketch.large.rows == ROWS


def test_columns_with_few_values_have_them_all_and_the_ends_are_there(
    whole: pa.Table, sketch: Table
) -> None:
    assert set(sketch["Country"].values) == {"Norway", "Chile", "Mali", ""}
    prices = sorted(map(float, whole["Price"].to_pylist()))
    assert {prices[0], prices[-1]} <= set(sketch["Price"].numbers.tolist())
    assert {"0", str(ROWS - 1)} <= set(sketch["id"].text)
    days = sorted(set(whole["Ordered"].to_pylist()))
    assert {days[0].isoformat(), days[-1].isoformat()} <= set(sketch["Ordered"].text)
    assert sketch.large is not None and sketch.large.long == {0, 1, 3, 4}


def test_a_word_a_number_and_a_date_lead_to_their_rows(whole: pa.Table, sketch: Table) -> None:
    customer = next(c for c in whole["Customer"].to_pylist() if c not in sketch["Customer"].text)
    price = next(p for p in whole["Price"].to_pylist() if p not in sketch["Price"].numbers)
    day = next(
        d for d in whole["Ordered"].to_pylist() if d.isoformat() not in sketch["Ordered"].text
    )
    word = customer.split()[1]
    asked = f"which customer like {word} paid {price} on {day:%B} {day.day}, {day.year}?"
    more = linked(sketch, asked)
    assert customer in more["Customer"].text
    assert price in more["Price"].numbers
    assert day.isoformat() in more["Ordered"].text
    assert len(more) - len(sketch) <= 4 * VALUES
    assert rows_of(more)[: len(sketch)] == rows_of(sketch)  # a row keeps its number


def test_a_word_that_most_values_hold_leads_nowhere(sketch: Table) -> None:
    assert linked(sketch, "which ltd is the largest?") is sketch


@pytest.mark.parametrize("question", ["who is 100% \\ _ '?", "';--", "%", "number'1' OR 1=1"])
def test_no_question_breaks_the_sql(sketch: Table, question: str) -> None:
    assert len(linked(sketch, question)) >= len(sketch)


def test_rows_that_are_there_are_not_added_again(sketch: Table) -> None:
    some = rows_of(sketch)[5:9]
    assert grown(sketch, some) is sketch
    assert places_of(sketch, some) == (5, 6, 7, 8)
    assert FEW < ROWS
