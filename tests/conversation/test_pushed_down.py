"""A program answers the same of a large table, asked where it lies, as of the table in memory."""

from __future__ import annotations

import csv
import sqlite3
from collections import Counter
from itertools import islice
from pathlib import Path
from random import Random

import duckdb
import pytest

from denota.app.paths import load_run
from denota.conversation.chat import Chat
from denota.conversation.linking import linked
from denota.conversation.pushed_down import push_down
from denota.errors import DenotaError, TableError
from denota.generate.conversation import generate
from denota.generate.invented import invent
from denota.programs import parse_program, print_program
from denota.programs.denotation import Denotation, value_text
from denota.programs.execute import execute
from denota.programs.operators import LANGUAGES
from denota.programs.order_dependence import depends_on_row_order
from denota.programs.sql import to_sql
from denota.tables import Table, large, read_table
from denota.tables import sketch as sketch_module
from denota.tables.large_files import parquet_sketch
from servers import PASSWORD

ROWS = 700


def write_parquet(table: Table, path: Path) -> None:
    raw = path.with_suffix(".csv")
    with raw.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([table.names, *(table.row(row) for row in range(len(table)))])
    duckdb.sql(f"COPY (FROM read_csv('{raw}')) TO '{path}' (FORMAT parquet)")


def texts(table: Table, found: Denotation, digits: int = 9) -> Counter[str]:
    """What an answer says, in any order, numbers to so many digits."""
    if found.values is not None:
        groups = found.groups or ("",) * len(found.values)
        said = [
            f"{g}: {float(v):.{digits}g}" if isinstance(v, float) else f"{g}: {value_text(v)}"
            for g, v in zip(groups, found.values, strict=True)
        ]
        return Counter(said)
    return Counter(table.cell(row, column) for row, column in found.cells)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_answers_are_those_of_memory(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sketch_module, "DRAWN", 60)
    path = tmp_path / "table.parquet"
    write_parquet(invent(Random(seed), ROWS), path)
    whole, sketch = read_table(path), parquet_sketch([path], path.name)
    assert len(sketch) < len(whole) == ROWS
    tried, apart = 0, []
    for made in islice(generate([whole], seed, language=LANGUAGES["full"], turns=(1,)), 120):
        turn = made.turns[0]
        if depends_on_row_order(turn.program, whole) or len(turn.answer.rows) > large.SHOWN:
            continue
        part = linked(sketch, turn.question)
        try:
            pushed = push_down(to_sql(turn.program, part))
        except DenotaError as error:
            apart.append((print_program(turn.program), str(error)))
            continue
        tried += 1
        if texts(pushed.table, pushed.found) != texts(whole, execute(turn.program, whole)):
            apart.append((print_program(turn.program), pushed.query.sql()))
    assert tried > 40
    assert len(apart) <= 0.02 * tried, apart


def test_a_conversation_about_a_large_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program of memory, the answer of the engine, and a follow-up on rows no sketch had."""
    monkeypatch.setattr(sketch_module, "DRAWN", 50)
    random = Random(1)
    lines = [["Customer", "Country", "Price"]]
    lines += [
        [f"Name{n}", random.choice(["Norway", "Chile"]), str(random.randrange(100, 999))]
        for n in range(3000)
    ]
    lines[1711][1:] = ["Mali", "5000"]
    path = tmp_path / "orders.parquet"
    write_parquet(Table.from_rows(lines[0], lines[1:], "orders.csv"), path)
    chat = Chat(load_run("default"), parquet_sketch([path], path.name))
    before = len(chat.table)
    counted = chat.ask("how many orders are from Norway?")
    assert counted.answer == (str(sum(line[1] == "Norway" for line in lines)),)
    assert counted.sql == "SELECT COUNT(*) FROM orders WHERE Country = 'Norway'"
    chat.reset()
    best = chat.ask("which customer paid the highest price?")
    assert best.answer == ("Name1710",)
    assert [chat.table.cell(*cell) for cell in best.cells] == ["Name1710"]
    assert before < len(chat.table) < 1000
    followed = chat.ask("which country is it from?")
    assert followed.answer == ("Mali",) and "LIMIT 1" in followed.sql
    chat.reset()
    many = chat.ask("which customers are from Chile?")
    assert len(many.answer) == large.SHOWN
    count = sum(line[1] == "Chile" for line in lines)
    assert f"{large.SHOWN} of {count:,} rows" in many.explanation
    assert chat.table.large is not None
    chat.table.large.source.close()
    with pytest.raises(TableError, match="orders"):
        chat.ask("which customers are from Mali?")
    assert chat.turns == (many,)  # what could not be answered changes nothing


PROGRAMS = (
    "SELECT customer WHERE price IS MAX",
    "SELECT customer WHERE price > 990",
    "SELECT price WHERE customer = 'Name77'",
    "SELECT customer WHERE country = 'Mali' AND price < 200",
    "COUNT (ROWS WHERE country = 'Norway')",
    "AVERAGE (SELECT price WHERE country = 'Chile')",
    "SUM PER (SELECT country, price)",
    "EXISTS (ROWS WHERE price > 5000)",
)


@pytest.mark.parametrize("engine", ["sqlite", "duckdb", "postgres", "mariadb"])
def test_a_database_is_asked_where_it_is(
    engine: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(2)
    rows = [
        (f"Name{n}", random.choice(["Norway", "Chile", "Mali"]), random.randrange(10**4) / 10)
        for n in range(1500)
    ]
    rows[77] = ("Name77", "Mali", 1234.5)
    make = (
        "CREATE TABLE big_orders (customer VARCHAR(40), country VARCHAR(40), price NUMERIC(10, 1))"
    )
    listed = ", ".join(f"('{name}', '{country}', {price})" for name, country, price in rows)
    fill = f"INSERT INTO big_orders VALUES {listed}"
    if engine in ("sqlite", "duckdb"):
        address = str(tmp_path / f"shop.{engine}")
        connect = sqlite3.connect if engine == "sqlite" else duckdb.connect
    else:
        server = request.getfixturevalue(engine)
        address, connect = server.address("big_orders", PASSWORD), lambda _: server.connect()
    connection = connect(address)
    cursor = connection.cursor()
    for statement in (make, fill):
        cursor.execute(statement)
    connection.commit()
    connection.close()
    whole = read_table(address, table="big_orders")
    monkeypatch.setattr(sketch_module, "LARGE", 1_000)
    monkeypatch.setattr(sketch_module, "DRAWN", 100)
    monkeypatch.setattr(large, "FEW", 20)
    part = read_table(address, table="big_orders")
    assert whole.large is None and part.large is not None
    assert len(part) < 500 and part.count == len(whole) == 1500
    every = {whole.row(row) for row in range(len(whole))}
    asked = linked(part, "is Name77 from Mali with a price above 200.5 or Name78 from Chile?")
    assert len(asked) > len(part) and "Name77" in asked["customer"].text
    assert {asked.row(row) for row in range(len(asked))} <= every
    for program in map(parse_program, PROGRAMS):
        pushed = push_down(to_sql(program, asked))
        wanted = execute(program, whole)
        if len(wanted.rows) <= large.SHOWN or wanted.values is not None:
            digits = 7 if engine == "mariadb" else 9  # it rounds averages (docs/sql.md)
            said = texts(pushed.table, pushed.found, digits)
            assert said == texts(whole, wanted, digits), pushed.query.sql()
    part.large.source.close()
