"""The table pane, the first page and how a file was read, in a real browser."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from app.browser import Seen
from app.test_accessibility import violations
from denota import sample

pytestmark = pytest.mark.slow
INTACT = "which castles have the condition intact?"
STATES = ("sent", "lost", "sold")
LOOKS = [("light", 1440), ("dark", 360)]


def orders(rows: int = 240) -> str:
    """Orders with many columns, the state last, so that it is not seen at first."""
    names = ["Order", *(f"Measure {n}" for n in range(24)), "State"]
    lines = [
        [f"Order {n}", *(str(n * k % 97) for k in range(1, 25)), STATES[n % 3]] for n in range(rows)
    ]
    return "\n".join(",".join(line) for line in [names, *lines])


def mark(seen: Seen, cells: list[list[int]], evidence: list[list[int]]) -> None:
    seen.page.evaluate(
        "([cells, by]) => import('/page/table.js').then((table) => table.mark(cells, false, by))",
        [cells, evidence],
    )
    seen.settle()


def tinted(seen: Seen, kind: str) -> set[str]:
    return set(
        seen.page.eval_on_selector_all(
            f"#body td.{kind}", "all => all.map((one) => one.dataset.cell)"
        )
    )


def left(seen: Seen, selector: str) -> float:
    return float(
        seen.page.evaluate("one => document.querySelector(one).getBoundingClientRect().x", selector)
    )


def shown_rows(seen: Seen) -> list[int]:
    texts = seen.page.locator("#body tr:not(.space) th.number").all_inner_texts()
    return [int(text.replace(",", "")) - 1 for text in texts]


def test_what_decided_is_seen_beside_names_that_stay(seen: Seen) -> None:
    seen.open(seen.server.begin(orders(), "orders"))
    page = seen.page
    assert not seen.in_view(0, 25)
    before = left(seen, "td[data-cell='0,0']")
    mark(seen, [[0, 0], [3, 0]], [[0, 25], [3, 25]])
    assert tinted(seen, "marked") == {"0,0", "3,0"}
    assert tinted(seen, "decided") == {"0,25", "3,25"}
    assert seen.in_view(0, 25), "the column that decided was scrolled to"
    assert page.evaluate("document.querySelector('#scroll').scrollLeft") > 0
    assert abs(left(seen, "td[data-cell='0,0']") - before) < 2, "the names stayed"
    legend = page.locator("#found").inner_text()
    assert "2 answer cells" in legend and "decided by State" in legend
    colours = page.evaluate(
        "['0,0', '0,25'].map((one) => getComputedStyle("
        "document.querySelector(`td[data-cell='${one}']`)).backgroundColor)"
    )
    assert colours[0] != colours[1]
    mark(seen, [[1, 25]], [])
    assert not tinted(seen, "decided") and "decided" not in page.locator("#found").inner_text()


def test_only_some_rows_with_search_sorting_and_csv(seen: Seen) -> None:
    seen.open(seen.server.begin(orders(), "orders"))
    page = seen.page
    wanted = [n for n in range(240) if STATES[n % 3] == "lost"]
    page.evaluate("rows => import('/page/table.js').then((table) => table.showOnly(rows))", wanted)
    page.get_by_text("80 of 240 rows").wait_for()
    seen.settle()
    rows = shown_rows(seen)
    assert rows == wanted[: len(rows)] and len(rows) > 10
    page.locator("#head button").nth(1).click()  # by Measure 0, which is the order's number % 97
    seen.settle()
    assert shown_rows(seen)[:20] == sorted(wanted, key=lambda n: (n % 97, n))[:20]
    page.fill("#search", "Order 10")
    page.get_by_text("rows found").wait_for()
    seen.settle()
    found = [n for n in wanted if "order 10" in f"order {n}"]
    assert sorted(shown_rows(seen)) == found
    with page.expect_download() as waiting:
        page.locator("#only-csv").click()
    lines = list(csv.reader(Path(waiting.value.path()).read_text().splitlines()))
    assert len(lines[0]) == 27 and lines[0][0] == "row"
    assert [int(line[0]) for line in lines[1:]] == [n + 1 for n in shown_rows(seen)]
    assert all(line[1] == f"Order {int(line[0]) - 1}" for line in lines[1:])
    page.fill("#search", "")
    page.get_by_text("rows found").wait_for(state="hidden")
    page.locator("#only-all").click()
    page.locator("#only").wait_for(state="hidden")
    seen.settle()
    assert sorted(shown_rows(seen)[:3]) == [0, 97, 194], "still sorted, with all rows"


def test_the_conversation_shows_only_its_rows(seen: Seen) -> None:
    seen.sample()
    seen.ask(INTACT)
    only = seen.page.get_by_role("button", name="Only these rows")
    only.click()
    seen.page.get_by_text("3 of 9 rows").wait_for()
    seen.settle()
    assert {row for row, _ in seen.drawn()} == {1, 4, 7}
    assert set(seen.marked()) == {(1, 0), (4, 0), (7, 0)}
    seen.page.locator("#only-all").click()
    seen.page.locator("#only").wait_for(state="hidden")
    assert only.get_attribute("aria-pressed") == "false"
    assert len({row for row, _ in seen.drawn()}) == 9


def test_a_new_table_starts_at_its_top(seen: Seen) -> None:
    seen.open(seen.server.begin(orders(), "orders"))
    seen.page.evaluate("document.querySelector('#scroll').scrollTop = 4000")
    seen.settle()
    seen.page.get_by_role("link", name="New table").click()
    seen.page.fill("#pasted", orders())
    seen.page.get_by_role("button", name="Use these rows").click()
    seen.page.wait_for_selector("#work:not([hidden]) td[data-cell]")
    seen.settle()
    assert seen.page.evaluate("document.querySelector('#scroll').scrollTop") == 0
    assert seen.in_view(0, 0)


def test_the_line_between_the_panes_is_moved(visit: Callable[..., Seen]) -> None:
    seen = visit(viewport={"width": 1440, "height": 800})
    seen.sample()
    line = seen.page.get_by_role("separator")

    def width() -> float:
        return float(seen.page.locator("#chat").bounding_box()["width"])  # type: ignore[index]

    before = width()
    line.focus()
    for _ in range(3):
        seen.page.keyboard.press("ArrowRight")
    assert width() > before + 100
    assert line.get_attribute("aria-orientation") == "vertical"
    box = line.bounding_box()
    assert box is not None
    seen.page.mouse.move(box["x"] + 2, 400)
    seen.page.mouse.down()
    seen.page.mouse.move(500, 400, steps=4)
    seen.page.mouse.up()
    assert abs(width() - 500) < 15
    seen.open(seen.id)
    assert abs(width() - 500) < 15, "it is remembered"
    line.dblclick()
    assert abs(width() - before) < 2


def book() -> bytes:
    made = openpyxl.Workbook()
    first: Any = made.active
    first.title = "Runs"
    for line in [["Runner", "Bib", "Time"], ["Ada", "7", "31"], ["Bo", "12", "DNF"]]:
        first.append(line)
    for bib, time in enumerate(range(32, 42), start=20):
        first.append([f"Runner {bib}", str(bib), str(time)])
    other = made.create_sheet("Jumps")
    for line in [["Jumper", "Metres"], ["Cy", "4"], ["Di", "5"]]:
        other.append(line)
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def test_how_a_workbook_was_read_is_told_and_changed(seen: Seen) -> None:
    page = seen.page
    page.goto(seen.server.url)
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    page.set_input_files("#file", {"name": "sport.xlsx", "mimeType": kind, "buffer": book()})
    page.get_by_text("12 rows, 3 columns").wait_for()
    page.get_by_text("1 cell could not be read").wait_for()
    page.get_by_text("How it was read").click()
    brief = page.locator("#read-brief").inner_text()
    assert "Excel" in brief and "Runs" in brief
    time = page.locator("#read-columns tr").nth(2)
    time.get_by_role("button", name="row 2: DNF").click()
    seen.settle()
    assert page.locator("td.here").get_attribute("data-cell") == "1,2"
    page.get_by_label("Read Bib as").select_option("text")
    page.get_by_role("button", name="Read it so").click()
    page.wait_for_function(
        "() => document.querySelectorAll('#head .kind')[1]?.textContent === 'text'"
    )
    seen.settle()
    assert [one["kind"] for one in seen.session["columns"]] == ["text", "text", "number"]
    page.get_by_text("How it was read").click()
    page.get_by_label("Sheet", exact=True).select_option("Jumps")
    page.get_by_role("button", name="Read it so").click()
    page.get_by_text("2 rows, 2 columns").wait_for()
    seen.settle()
    assert seen.session["read"]["sheet"] == "Jumps"
    assert seen.session["read"]["sheets"] == ["Runs", "Jumps"]
    assert page.locator(".brief svg").count() == 1, "the metres have a histogram"


def teach_castles(seen: Seen) -> None:
    seen.sample()
    seen.ask(INTACT)
    seen.page.locator(".wrong").first.click()
    seen.page.wait_for_function("() => document.activeElement.matches('#body td[data-cell]')")
    seen.settle()


def picked(seen: Seen) -> set[tuple[int, ...]]:
    return {tuple(map(int, one.split(","))) for one in tinted(seen, "marked")}


def test_ranges_values_and_totals_are_taught(seen: Seen) -> None:
    page = seen.page
    teach_castles(seen)
    assert not picked(seen)
    page.locator("td[data-cell='1,1']").click()
    page.locator("td[data-cell='3,2']").click(modifiers=["Shift"])
    page.get_by_text("6 cells", exact=True).wait_for()
    assert picked(seen) == {(row, column) for row in (1, 2, 3) for column in (1, 2)}
    page.locator("#clear").click()
    page.locator("td[data-cell='5,0']").click()
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    page.get_by_text("3 cells", exact=True).wait_for()
    assert picked(seen) == {(5, 0), (6, 0), (7, 0)}
    page.locator("#clear").click()
    page.locator("#ways summary").click()
    page.get_by_label("Take the cells of").select_option("Annual visitors")
    page.get_by_label("where", exact=True).select_option("Condition")
    page.locator("#where-values option").nth(2).wait_for(state="attached")
    page.get_by_label("is", exact=True).fill("RUIN")
    page.get_by_role("button", name="Select", exact=True).click()
    page.get_by_text("4 cells", exact=True).wait_for()
    assert picked(seen) == {(0, 6), (3, 6), (6, 6), (8, 6)}
    page.get_by_label("The selected cells").select_option("sum")
    page.get_by_text("= 41,300, without 2 cells that state no number").wait_for()
    page.wait_for_function("() => !document.querySelector('#teach').disabled")
    with page.expect_request("**/teach?*") as sent:
        page.get_by_role("button", name="Teach", exact=True).click()
    body = sent.value.post_data_json
    assert body == {"turn": 0, "values": [28400 + 12900], "program": None}
    page.wait_for_selector("#teaching", state="hidden")
    seen.settle()
    seen.page.locator(".wrong").first.click()
    page.get_by_label("or type the right answer").fill("intact: 3\nruin: 4")
    page.wait_for_function("() => !document.querySelector('#teach').disabled")
    with page.expect_request("**/teach?*") as sent:
        page.get_by_label("or type the right answer").press("Enter")
    assert sent.value.post_data_json["values"] == [["intact", 3], ["ruin", 4]]


def test_the_reading_is_seen_before_it_is_learnt(seen: Seen) -> None:
    page = seen.page
    teach_castles(seen)
    for row in (0, 3, 6, 8):
        page.locator(f"td[data-cell='{row},0']").click()
    ahead = page.locator("#reading-ahead")
    ahead.get_by_text("The Castle where Condition is ruin").first.wait_for()
    before = seen.session
    assert before["turns"][0]["answer"] == ["Castle Verrin", "Ysolde's Seat", "Fennick Gatehouse"]
    assert seen.get(f"{seen.id}/lessons") == [], "nothing was learnt or written"
    choice = ahead.get_by_role("button", name="Condition is ruin").first
    choice.click()
    page.get_by_role("button", name="Teach", exact=True).click()
    page.wait_for_selector("#teaching", state="hidden")
    seen.settle()
    [turn] = seen.session["turns"]
    assert turn["program"] == "SELECT Castle WHERE Condition = 'ruin'"
    assert len(seen.get(f"{seen.id}/lessons")) == 1


def test_each_lesson_of_this_table_is_forgotten_by_itself(seen: Seen) -> None:
    page = seen.page
    page.route(
        "**/retrain",
        lambda route: route.fulfill(
            json={"said": "It takes about 7 s.", "command": "denota train"}
        ),
    )
    seen.sample("elections")
    seen.ask("which candidate has the most votes?")
    id_ = seen.id
    for row in (1, 2):
        body = {"turn": 0, "cells": [[row, 0]]}
        page.evaluate(
            "([id, body]) => fetch(`/v1/sessions/${id}/teach`, { method: 'POST', headers: "
            "{ 'Content-Type': 'application/json' }, body: JSON.stringify(body) })",
            [id_, body],
        )
    teach_castles(seen)
    page.keyboard.press("Escape")
    assert not page.locator("#lessons").is_visible(), "lessons of another table"
    seen.open(id_)
    page.get_by_text("What you taught").click()
    items = page.locator("#lessons li")
    before = items.count()
    assert before >= 1 and page.locator("#retrain").is_hidden()
    page.get_by_role("button", name="Forget the lesson on").last.click()
    page.wait_for_function(
        "count => document.querySelectorAll('#lessons li').length < count", arg=before
    )
    seen.settle()
    assert len(seen.get(f"{id_}/lessons")) == before - 1
    made = {"program": "SELECT a", "learnt": True, "cells": 1, "values": None, "table": "t"}
    lessons = [{"id": n, "question": f"question {n}?", **made} for n in range(3)]
    page.route("**/lessons", lambda route: route.fulfill(json=lessons))
    seen.open(id_)
    page.get_by_text("What you taught").click()
    page.get_by_role("button", name="Retrain on these").click()
    offer = page.locator("#retrain-offer")
    offer.get_by_text("It takes about 7 s.").wait_for()
    assert "denota train" in offer.inner_text()


def test_the_first_page_shows_true_answers(seen: Seen) -> None:
    seen.open()
    page = seen.page
    page.wait_for_selector("#example-turns button")
    table = sample.table("castles")
    rows = [table.row(row) for row in range(len(table))]
    intact = [row[0] for row in rows if row[3] == "intact"]
    visitors = {row[0]: int(row[6].replace(",", "")) for row in rows if row[6][:1].isdigit()}
    answers = page.locator("#example-turns strong").all_inner_texts()
    ruins = sum(row[3] == "ruin" for row in rows)
    assert answers == [", ".join(intact), max(intact, key=lambda one: visitors[one]), str(ruins)]
    marked = page.locator("#example-table td.marked")
    assert marked.all_inner_texts() == intact
    page.locator("#example-turns button").nth(1).click()
    assert marked.all_inner_texts() == answers[1:2]
    page.locator("#samples .link").nth(1).click()
    page.wait_for_selector("#work:not([hidden]) td[data-cell]")
    page.wait_for_selector(".turn .asked")
    seen.settle()
    assert seen.session["name"] == "elections.csv" and len(seen.session["turns"]) == 1


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: f"{look[0]}-{look[1]}")
def test_no_state_has_a_violation(visit: Callable[..., Seen], look: tuple[str, int]) -> None:
    scheme, width = look
    seen = visit(color_scheme=scheme, viewport={"width": width, "height": 800})
    page = seen.page
    seen.open()
    page.wait_for_selector("#example-turns button")
    assert not violations(seen)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.set_input_files("#file", {"name": "t.xlsx", "mimeType": "", "buffer": book()})
    page.wait_for_selector("#work:not([hidden]) td[data-cell]")
    seen.settle()
    page.locator("#read summary").click()
    assert not violations(seen)
    page.locator("#read summary").click()
    mark(seen, [[0, 0]], [[0, 2]])
    page.evaluate("import('/page/table.js').then((table) => table.showOnly([0, 1]))")
    page.locator("#only").wait_for()
    assert not violations(seen)
    page.locator("#only-all").click()
    page.locator("#only").wait_for(state="hidden")
    seen.settle()
    seen.ask("which runner has the lowest time?")
    page.locator(".wrong").first.click()
    page.wait_for_function("() => document.activeElement.matches('#body td[data-cell]')")
    page.locator("td[data-cell='3,0']").click()
    page.wait_for_selector("#reading-ahead p:not(.fine)")
    page.locator("#ways summary").click()
    assert not violations(seen)
    assert seen.overflow() <= 0
