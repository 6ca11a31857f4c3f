"""The plugin for Datasette, through Datasette's own client."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

app = pytest.importorskip("datasette.app", reason="Datasette is not installed")
plugins = pytest.importorskip("datasette.plugins")

import denota.datasette  # noqa: E402 - where there is none

EVIL = "<script>alert(1)</script>"
CASTLES = "/-/denota/shop/castles"
LARGEST = "which castle has the most visitors?"


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    if not any(one is denota.datasette for one in plugins.pm.get_plugins()):
        plugins.pm.register(denota.datasette, name="denota")
    path = tmp_path_factory.mktemp("datasette") / "shop.db"
    made = sqlite3.connect(path)
    made.executescript(
        f"""
        CREATE TABLE castles (Castle TEXT, Visitors INT);
        INSERT INTO castles VALUES ('Ysolde''s Seat', 900), ('Moor', 20), ('{EVIL}', 5);
        CREATE TABLE salaries (Name TEXT, Paid INT);
        INSERT INTO salaries VALUES ('Ada', 12345), ('Bob', 2);
        CREATE TABLE "odd/name.x" ("{EVIL}" TEXT, n INT);
        INSERT INTO "odd/name.x" VALUES ('a', 1), ('b', 2);
        CREATE VIEW popular AS SELECT * FROM castles WHERE Visitors > 10;
        CREATE VIEW endless AS
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
        SELECT i FROM n WHERE i < 0;
        CREATE TABLE blank (a TEXT);
        """
    )
    made.close()
    tables = {"salaries": {"allow": {"id": "ada"}}}
    config = {"databases": {"shop": {"tables": tables, "allow_sql": {"id": "ada"}}}}
    served = app.Datasette([str(path)], metadata=config)

    def call(address: str, actor: str | None = None, method: str = "GET") -> Any:
        async def main() -> Any:
            cookies = {"ds_actor": served.sign({"a": {"id": actor}}, "actor")} if actor else {}
            how = {"cookies": cookies, "follow_redirects": True}
            return await served.client.request(method, address, **how)

        return asyncio.run(main())

    return call


def test_questions_are_a_conversation(ask: Callable[..., Any]) -> None:
    said = ask(f"{CASTLES}.json?q={LARGEST}&q=how many visitors did it have?").json()
    assert said["ok"] and (said["database"], said["table"]) == ("shop", "castles")
    first, second = said["turns"]
    assert first["answer"] == ["Ysolde's Seat"] and second["answer"] == ["900"]
    assert first["sql"] == "SELECT Castle FROM castles ORDER BY Visitors DESC LIMIT 1"
    page = ask(f"{CASTLES}?q={LARGEST}").text
    assert "Ysolde&#39;s Seat" in page and "SELECT Castle FROM castles" in page
    assert "Run this SQL" not in page  # only where SQL may be run
    assert "Run this SQL" in ask(f"{CASTLES}?q={LARGEST}", actor="ada").text


def test_a_table_has_a_link_to_its_page(ask: Callable[..., Any]) -> None:
    assert f'href="{CASTLES}"' in ask("/shop/castles").text
    page = ask(CASTLES)
    assert page.status_code == 200 and 'name="q"' in page.text


def test_a_view_and_an_odd_name_can_be_asked(ask: Callable[..., Any]) -> None:
    said = ask("/-/denota/shop/popular.json?q=how many castles are there?").json()
    assert said["turns"][0]["answer"] == ["2"]
    odd = ask("/-/denota/shop/odd~2Fname~2Ex?q=what has the largest n?")
    assert odd.status_code == 200 and "odd/name.x" in odd.text and EVIL not in odd.text


@pytest.mark.parametrize(
    "table", ["salaries", "SALARIES", "Salaries", "main~2Esalaries", "%73alaries", "sal~61ries"]
)
@pytest.mark.parametrize("end", ["", ".json", "?q=who is paid the most?", ".json?q=who is Ada?"])
def test_who_may_not_see_a_table_may_not_ask_it(
    ask: Callable[..., Any], table: str, end: str
) -> None:
    said = ask(f"/-/denota/shop/{table}{end}")
    assert said.status_code in (403, 404)
    assert not re.search("12345|Bob", said.text)


def test_who_may_see_it_may_ask_it(ask: Callable[..., Any]) -> None:
    said = ask("/-/denota/shop/salaries.json?q=who is paid the most?", actor="ada").json()
    assert said["turns"][0]["answer"] == ["Ada"]
    assert ask("/-/denota/shop/salaries.json?q=who?", actor="eve").status_code == 403


def test_what_comes_from_tables_and_requests_is_escaped(ask: Callable[..., Any]) -> None:
    for question in ("which castle has the fewest visitors?", EVIL, f"which castle is {EVIL}?"):
        page = ask(f"{CASTLES}?q={quote(question)}").text
        assert EVIL not in page and "<script>alert" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize(
    ("address", "status", "said"),
    [
        ("/-/denota/shop/nowhere.json?q=what?", 404, "not found"),
        ("/-/denota/nowhere/castles.json?q=what?", 404, "not found"),
        ("/-/denota/_internal/tables.json?q=what?", 403, ""),
        ("/-/denota/shop/sqlite_master.json?q=what?", 404, "not found"),
        ("/-/denota/shop/blank.json?q=what?", 400, "no rows"),
        (f"{CASTLES}.json", 400, "there is no question"),
        (f"{CASTLES}.json?q={'x' * 3000}", 400, "longer than"),
        (f"{CASTLES}.json?{'&'.join(['q=why?'] * 21)}", 400, "at most 20 questions"),
    ],
)
def test_what_cannot_be_done_is_told(
    ask: Callable[..., Any], address: str, status: int, said: str
) -> None:
    answer = ask(address)
    assert answer.status_code == status
    assert said in answer.text and "Traceback" not in answer.text


def test_nothing_is_changed_by_asking(ask: Callable[..., Any]) -> None:
    assert ask(f"{CASTLES}?q=delete the first row", method="POST").status_code == 403
    said = ask(f"{CASTLES}.json?q=delete the first row").json()
    assert said["turns"][0]["kind"] == "declined"
    rows = ask("/shop/castles.json?_shape=array").json()
    assert len(rows) == 3


def test_a_table_that_takes_long_is_refused(ask: Callable[..., Any]) -> None:
    """A view can go on for ever; Datasette's own limit of time holds for it."""
    said = ask("/-/denota/shop/endless.json?q=how many are there?")
    assert said.status_code == 400 and "longer to read than Datasette allows" in said.text


def test_a_table_that_is_too_large_is_refused(
    ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(denota.datasette, "LIMITS", denota.datasette.LIMITS.__class__(cells=3))
    said = ask(f"{CASTLES}.json?q={LARGEST}")
    assert said.status_code == 400 and "rows of 2 columns, the most that are read" in said.text


def test_the_page_about_it_states_its_limits() -> None:
    text = (Path(__file__).parents[2] / "docs" / "datasette.md").read_text(encoding="utf-8")
    assert f"more than {denota.datasette.LIMITS.cells:,} cells" in text
