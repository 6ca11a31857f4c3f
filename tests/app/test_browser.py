"""The page in a real browser: Chromium, driven by Playwright, with the real server behind it."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.browser import CONTRAST, Seen, Server, cells_of

pytestmark = pytest.mark.slow
TWO = ("which castles have the condition intact?", "of those, which has the most annual visitors?")


def test_two_turns_mark_exactly_the_answers_cells(seen: Seen) -> None:
    seen.sample()
    seen.ask(TWO[0])
    assert set(seen.marked()) == cells_of(seen.session["turns"][0])
    assert len(seen.marked()) == 3
    seen.ask(TWO[1])
    first, last = seen.session["turns"]
    assert set(seen.marked()) == cells_of(last)
    assert list(seen.marked().values()) == last["answer"] == ["Ysolde's Seat"]
    seen.page.locator(".asked button").first.click()  # the first answer again
    assert set(seen.marked()) == cells_of(first)


def test_each_answer_has_program_sql_and_sentence(seen: Seen) -> None:
    seen.sample()
    seen.ask(*TWO)
    for number, turn in enumerate(seen.session["turns"]):
        item = seen.page.locator(".turn").nth(number)
        assert item.locator(".said").inner_text().startswith(turn["explanation"])
        assert seen.answers(number) == turn["answer"]
        assert not item.locator(".sql").is_visible()
        assert not item.locator(".program").is_visible()
        seen.open_part("How", number)
        assert item.locator(".program").inner_text() == turn["program"]
        assert item.locator(".sql").inner_text() == turn["sql"]


def test_sql_is_copied(visit: Callable[..., Seen]) -> None:
    seen = visit(permissions=["clipboard-read", "clipboard-write"])
    seen.sample()
    seen.ask(TWO[0])
    seen.open_part("How")
    seen.page.get_by_role("button", name="Copy the SQL").click()
    seen.page.get_by_text("Copied").wait_for()
    copied = seen.page.evaluate("navigator.clipboard.readText()")
    assert copied == seen.session["turns"][0]["sql"]


def test_another_reading_is_one_click_away(seen: Seen) -> None:
    seen.sample()
    seen.ask(*TWO)
    seen.page.get_by_role("button", name="Other readings").click()
    seen.page.wait_for_selector("#turns .reading")
    readings = seen.get(f"{seen.id}/readings?count=12")
    cards = seen.page.locator("#turns .reading")
    assert cards.count() == 3
    told = cards.locator("span:first-child").all_inner_texts()
    assert readings[0]["explanation"] not in told  # it stands above already
    assert told[0] == readings[1]["explanation"]
    assert set(told) <= {one["explanation"] for one in readings}
    cards.first.hover()  # its cells are shown while one looks
    assert set(seen.marked()) == cells_of(readings[1])
    seen.page.mouse.move(700, 700)
    assert set(seen.marked()) == cells_of(readings[0])
    cards.first.click()
    seen.page.wait_for_function("() => !document.querySelector('#turns .reading')")
    seen.settle()
    assert seen.session["turns"][-1]["program"] == readings[1]["program"] != readings[0]["program"]
    assert set(seen.marked()) == cells_of(readings[1])


def test_doubt_is_said_and_three_readings_shown(seen: Seen) -> None:
    seen.change_answers(lambda turn: turn.update(sure=False, confidence=0.41))
    seen.sample()
    seen.ask(TWO[0])
    seen.page.wait_for_selector("#turns .reading")
    assert "not sure, 41%" in seen.page.locator(".said").inner_text()
    assert seen.page.locator("#turns .reading").count() == 3
    assert seen.page.get_by_text("Did you mean one of these?").is_visible()
    assert "I am not sure" in seen.page.locator("#announce").inner_text()
    seen.page.keyboard.press("Escape")
    assert not seen.page.locator("#turns .reading").first.is_visible()


def test_a_computed_value_shows_what_it_was_computed_from(seen: Seen) -> None:
    def count(turn: dict[str, Any]) -> None:
        many = len(turn["cells"])
        turn.update(kind="value", values=[many], answer=[str(many)])

    seen.change_answers(count)
    seen.sample()
    seen.ask(TWO[0])
    assert seen.page.locator(".value").inner_text() == "3"
    assert seen.page.locator(".answer.from .value").count() == 1
    assert len(seen.marked()) == 3
    assert "computed" in (seen.page.get_attribute("#grid", "class") or "")


def test_a_declined_question_is_a_remark(seen: Seen) -> None:
    why = "The table does not say how warm it was."
    seen.change_answers(
        lambda turn: turn.update(
            kind="declined", answer=[], cells=[], program="", sql="", explanation=why, sure=False
        )
    )
    seen.sample()
    seen.ask(TWO[0])
    turn = seen.page.locator(".turn")
    assert turn.locator(".said").inner_text() == why
    for part in (".answer", ".program", ".sql", ".sure", "a[download]"):
        assert turn.locator(part).count() == 0
    assert not seen.marked()
    seen.page.get_by_text("The closest I can do").wait_for()


def test_suggested_questions_are_answered(seen: Seen) -> None:
    seen.sample()
    chips = seen.page.locator("#suggestions button")
    assert chips.count() >= 3
    question = chips.first.inner_text()
    chips.first.click()
    seen.wait_for_turn(question)
    assert seen.session["turns"][0]["question"] == question
    assert seen.marked()
    following = chips.first.inner_text()
    assert following != question
    chips.first.click()
    seen.wait_for_turn(following)
    assert all(turn["sure"] for turn in seen.session["turns"])


def test_undo_and_starting_over(seen: Seen) -> None:
    seen.sample()
    seen.ask(*TWO)
    seen.page.get_by_role("button", name="Undo").click()
    seen.page.wait_for_function("() => document.querySelectorAll('.turn').length === 1")
    seen.settle()
    assert len(seen.session["turns"]) == 1
    assert set(seen.marked()) == cells_of(seen.session["turns"][0])
    assert seen.page.input_value("#question") == TWO[1]
    seen.page.get_by_role("button", name="Export").click()
    seen.page.get_by_role("button", name="Start the conversation over").click()
    assert len(seen.session["turns"]) == 1  # it asks first
    seen.page.get_by_role("button", name="Forget all questions?").click()
    seen.page.wait_for_function("() => !document.querySelector('.turn')")
    assert seen.session["turns"] == []
    assert not seen.marked()


def test_rows_are_pasted(seen: Seen) -> None:
    seen.open()
    seen.page.fill("#pasted", "City\tPeople\nOslo\t717710\nBergen\t291940\nTromsø\t78745\n")
    seen.page.get_by_role("button", name="Use these rows").click()
    seen.page.wait_for_selector("#work td[data-cell]")
    seen.ask("which city has the most people?")
    assert seen.marked() == {(0, 0): "Oslo"}
    assert seen.page.locator("thead .kind").all_inner_texts() == ["text", "number"]


def test_a_file_is_picked_or_dropped(seen: Seen, tmp_path: Path) -> None:
    file = tmp_path / "boats.csv"
    file.write_text("Boat,Mast (m)\nGull,9\nTern,14\n", encoding="utf-8")
    seen.open()
    seen.page.set_input_files("#file", file)
    seen.page.wait_for_selector("#work td[data-cell]")
    assert seen.drawn() == {(0, 0): "Gull", (0, 1): "9", (1, 0): "Tern", (1, 1): "14"}
    assert "boats" in seen.page.title()
    before = seen.id
    seen.page.evaluate(
        """() => {
          const carried = new DataTransfer();
          carried.items.add(new File(["Bird,Eggs\\nWren,7\\n"], "birds.csv"));
          for (const name of ["dragenter", "dragover", "drop"]) {
            const how = { dataTransfer: carried, bubbles: true, cancelable: true };
            document.body.dispatchEvent(new DragEvent(name, how));
          }
        }"""
    )
    seen.page.wait_for_function("() => document.title.startsWith('birds')")
    seen.page.wait_for_selector("#work td[data-cell]:has-text('Wren')")
    assert seen.drawn() == {(0, 0): "Wren", (0, 1): "7"}
    assert seen.id != before


def test_what_cannot_be_read_is_said_and_dismissed(seen: Seen, tmp_path: Path) -> None:
    seen.expected = ("Failed to load resource",)
    seen.open()
    seen.page.set_input_files("#file", {"name": "x.xlsx", "mimeType": "", "buffer": b"\0no sheet"})
    error = seen.page.get_by_role("alert")
    error.wait_for()
    assert len(error.inner_text()) > 10
    error.get_by_role("button", name="Dismiss").click()
    assert not error.is_visible()


def test_a_server_that_is_away_costs_no_question(seen: Seen) -> None:
    seen.expected = ("Failed to load resource", "net::ERR")
    seen.sample()
    seen.ask(TWO[0])
    seen.page.route("**/ask?*", lambda route: route.abort())
    seen.page.fill("#question", TWO[1])
    seen.page.keyboard.press("Enter")
    seen.page.get_by_role("alert").wait_for()
    assert "does not answer" in seen.page.get_by_role("alert").inner_text()
    assert seen.page.input_value("#question") == TWO[1]
    assert set(seen.marked()) == cells_of(seen.session["turns"][0])
    seen.page.unroute("**/ask?*")
    seen.page.keyboard.press("Enter")
    seen.wait_for_turn(TWO[1])
    assert len(seen.session["turns"]) == 2


def test_a_session_is_found_again_and_forgotten(seen: Seen) -> None:
    seen.sample()
    seen.ask(*TWO)
    before = seen.marked()
    seen.page.reload()
    seen.page.wait_for_selector("#body td.marked")
    assert seen.marked() == before
    assert seen.page.locator(".asked").all_inner_texts() == list(TWO)
    seen.page.get_by_role("link", name="New table").click()
    recent = seen.page.locator("#recents a")
    recent.wait_for()
    assert "2 questions" in recent.inner_text()
    recent.click()
    seen.page.wait_for_selector("#body td.marked")
    assert seen.marked() == before
    id_ = seen.id
    seen.page.go_back()
    seen.page.get_by_role("button", name="Forget castles").click()
    assert recent.is_visible(), "it asks first"
    seen.page.get_by_role("button", name="Forget castles").click()
    seen.page.wait_for_function("() => !document.querySelector('#recents a')")
    assert httpx.get(f"{seen.server.url}/v1/sessions/{id_}").status_code >= 400
    seen.page.reload()
    seen.page.wait_for_selector("#samples button")
    assert recent.count() == 0


def test_a_session_survives_the_server(visit: Callable[..., Seen], tmp_path: Path) -> None:
    server = Server(tmp_path / "sessions.db")
    try:
        seen = visit(server)
        seen.expected = ("Failed to load resource",)
        seen.sample()
        seen.ask(*TWO)
        before = seen.marked()
        server.stop()
        server.start()
        seen.page.reload()
        seen.page.wait_for_selector("#body td.marked")
        assert seen.marked() == before
        seen.page.goto(f"{server.url}/#gone")
        seen.page.get_by_role("alert").wait_for()
        assert seen.page.locator("#start").is_visible()
    finally:
        server.stop()


def test_everything_by_keyboard(seen: Seen) -> None:
    def focused(what: str) -> Any:
        return seen.page.evaluate(f"document.activeElement.{what}")

    def tab_to(wanted: Callable[[], bool], key: str = "Tab") -> None:
        for _ in range(60):
            seen.page.keyboard.press(key)
            outline = seen.page.evaluate(
                """() => {
                  const one = document.activeElement;
                  return getComputedStyle(one.closest("label") ?? one).outlineStyle;
                }"""
            )
            assert outline != "none", focused("outerHTML")
            if wanted():
                return
        raise AssertionError("it was not reached")

    seen.open()
    tab_to(lambda: focused("id") == "file")
    tab_to(lambda: focused("textContent").startswith("Castles"))
    seen.page.keyboard.press("Enter")
    seen.page.wait_for_selector("#work td[data-cell]")
    seen.page.wait_for_function("() => document.activeElement.id === 'question'")
    for question in TWO:
        seen.page.keyboard.type(question)
        seen.page.keyboard.press("Enter")
        seen.wait_for_turn(question)
        assert focused("id") == "question"
    assert set(seen.marked()) == cells_of(seen.session["turns"][1])
    for expected in (TWO[1], TWO[0]):
        seen.page.keyboard.press("ArrowUp")
        assert seen.page.input_value("#question") == expected
    for _ in range(2):
        seen.page.keyboard.press("ArrowDown")
    assert seen.page.input_value("#question") == ""
    tab_to(lambda: focused("textContent") == "Other readings", "Shift+Tab")
    seen.page.keyboard.press("Enter")
    seen.page.wait_for_selector("#turns .reading")
    tab_to(lambda: "reading" in focused("className"))
    seen.page.keyboard.press("Escape")
    assert not seen.page.locator("#turns .reading").first.is_visible()
    assert focused("textContent") == "Other readings"
    seen.page.keyboard.press("/")
    assert focused("id") == "question"
    assert seen.page.input_value("#question") == ""
    tab_to(lambda: focused("id") == "search")
    seen.page.keyboard.type("fenwick")
    seen.page.wait_for_function("() => document.querySelectorAll('#body th').length === 2")
    seen.page.keyboard.press("Escape")
    seen.page.wait_for_function("() => document.querySelectorAll('#body th').length === 9")
    tab_to(lambda: focused("id") == "scroll")
    tab_to(lambda: focused("textContent").startswith("Castle"))
    seen.page.keyboard.press("Enter")
    seen.page.wait_for_selector("th[aria-sort=ascending]")
    assert focused("textContent").startswith("Castle")


def test_sorting_and_searching_keep_cells_what_they_are(seen: Seen) -> None:
    seen.sample()
    seen.ask(TWO[0])
    table, marked = seen.drawn(), seen.marked()
    places = []
    for order in ("ascending", "descending", "none"):
        seen.page.locator("#head button").last.click()
        seen.page.locator(f"#head th:nth-child(8)[aria-sort={order}]").wait_for()
        seen.settle()
        assert seen.drawn() == table
        assert seen.marked() == marked
        shown = seen.page.locator("#body tr:not(.space) th").all_inner_texts()
        places.append([int(text) - 1 for text in shown])
    assert places[0] != places[1] != places[2] == sorted(places[2])
    visitors = {row: text for (row, column), text in table.items() if column == 6}
    numbers = [
        int(visitors[row].replace(",", "")) for row in places[0] if visitors[row][:1].isdigit()
    ]
    assert numbers == sorted(numbers) and len(numbers) > 3
    seen.page.fill("#search", "fennick")
    seen.page.wait_for_function("() => document.querySelectorAll('#body th').length === 1")
    seen.settle()
    assert seen.drawn().items() <= table.items()
    assert seen.marked() == {cell: text for cell, text in marked.items() if "Fennick" in text}
    assert "hidden by the search" in seen.page.locator("#found").inner_text()
    seen.page.get_by_role("button", name="Clear the search").click()
    seen.page.wait_for_function("() => document.querySelectorAll('#body th').length === 9")
    seen.settle()
    assert seen.marked() == marked
    seen.page.fill("#search", "no such thing")
    seen.page.get_by_text("No row contains").wait_for()


ROWS = 100_000


@pytest.fixture(scope="module")
def large(server: Server) -> str:
    lines = [f"Station {n},{(n * 7919) % ROWS},Region {n % 13}" for n in range(ROWS)]
    return server.begin("\n".join(["Station,Reading,Region", *lines]), "stations")


def test_a_hundred_thousand_rows(seen: Seen, large: str) -> None:
    seen.open(large)
    widths = "[...document.querySelectorAll('#head th')].map((one) => one.offsetWidth)"
    lines = "document.querySelectorAll('#body tr').length"
    before = seen.page.evaluate(widths)
    most, begun = 0, time.monotonic()
    for part in (0.1, 0.5, 0.3, 0.9, 0.01, 1):
        seen.page.evaluate(
            """part => {
              const box = document.querySelector("#scroll");
              box.scrollTop = part * box.scrollHeight;
            }""",
            part,
        )
        most = max(most, seen.page.evaluate(lines))
    seen.page.wait_for_selector(f"td[data-cell='{ROWS - 1},0']")
    assert time.monotonic() - begun < 3
    assert seen.in_view(ROWS - 1, 0)
    seen.settle()
    assert max(most, seen.page.evaluate(lines)) < 100
    assert seen.drawn()[ROWS - 1, 0] == f"Station {ROWS - 1}"
    assert seen.page.evaluate(widths) == before
    assert seen.page.locator("#grid").get_attribute("aria-rowcount") == str(ROWS + 1)
    for key, wanted in (("Home", 0), ("PageDown", 30), ("End", ROWS - 1)):
        seen.page.focus("#scroll")
        seen.page.keyboard.press(key)
        seen.page.wait_for_selector(f"td[data-cell='{wanted},0']")


def test_the_answer_is_brought_into_view_in_any_order(seen: Seen, large: str) -> None:
    seen.open(large)
    seen.ask("which station has the highest reading?")
    [cell] = cells_of(seen.session["turns"][-1])
    assert seen.marked() == {cell: f"Station {cell[0]}"}
    assert cell[0] > 1000 and seen.in_view(*cell)
    for _ in range(2):  # down: it comes first
        seen.page.locator("#head button").nth(1).click()
        seen.settle()
    assert seen.in_view(*cell)
    assert seen.page.locator("#body tr:not(.space) th").first.inner_text() == f"{cell[0] + 1:,}"
    jump = """() => {
      const box = document.querySelector("#scroll");
      box.scrollTop = box.scrollHeight / 2;
    }"""
    for down in (True, False):  # rows fetched in another order are not shown in this one
        seen.page.evaluate(jump)
        seen.settle()
        readings = [int(text) for (_, column), text in seen.drawn().items() if column == 1]
        assert readings == sorted(readings, reverse=down) and len(readings) > 20
        if down:
            for _ in range(2):
                seen.page.locator("#head button").nth(1).click()
                seen.settle()
    seen.page.fill("#search", "Region 3")
    seen.page.get_by_text("rows found").wait_for()
    seen.settle()
    drawn = seen.drawn()
    assert all(text == f"Region {row % 13}" for (row, column), text in drawn.items() if column == 2)


def test_an_answer_far_to_the_right_is_brought_into_view(seen: Seen) -> None:
    columns = [f"Measure {n}" for n in range(60)]
    lines = [[f"Site {row}", *(str(row * 1000 + n) for n in range(120))] for row in range(200)]
    content = "\n".join(",".join(line) for line in [["Site", *columns], *lines])
    seen.open(seen.server.begin(content))
    assert seen.page.locator("#body td").count() < 45 * 50  # of so many columns not all are drawn
    cell = [150, 60]
    seen.change_answers(lambda turn: turn.update(cells=[cell], answer=["150059"]))
    seen.ask("which site has the highest measure 59?")
    assert seen.marked() == {(150, 60): "150059"}
    assert seen.in_view(150, 60)


def test_answer_rows_are_stepped_through(seen: Seen, large: str) -> None:
    seen.open(large)
    cells = [[10, 0], [50_000, 0], [99_990, 1]]

    def scattered(turn: dict[str, Any]) -> None:
        turn.update(cells=cells, answer=["a", "b", "c"])
        marked = [True] * len(turn["view"]["columns"])
        texts = ["a"] * len(marked)
        rows = [{"row": row, "cells": texts, "marked": marked} for row, _ in cells]
        turn["view"].update(rows=rows, total=3, evidence=[])

    seen.change_answers(scattered)
    seen.ask("which station has the highest reading?")
    assert "3 answer cells" in seen.page.locator("#found").inner_text()
    stepped: list[list[int]] = []
    for _ in cells:
        before = stepped and ",".join(map(str, stepped[-1]))
        seen.page.get_by_role("button", name="Next answer row").click()
        seen.page.locator(f".here.marked:not([data-cell='{before}'])").wait_for()
        cell = str(seen.page.locator(".here").get_attribute("data-cell"))
        stepped.append([int(part) for part in cell.split(",")])
        assert seen.in_view(*stepped[-1])
    assert sorted(stepped) == cells
    assert stepped in [cells[n:] + cells[:n] for n in range(3)]
    seen.settle()
    last = seen.page.locator(".turn").last  # others asked before in this conversation
    last.locator(".mini tbody tr").nth(2).locator("button").click()
    seen.page.wait_for_selector("td.marked[data-cell='99990,1']")
    assert seen.in_view(99_990, 1)


def test_phone_width_has_no_overflow(visit: Callable[..., Seen]) -> None:
    seen = visit(viewport={"width": 360, "height": 700}, has_touch=True, is_mobile=True)
    seen.change_answers(lambda turn: turn.update(sure=False))
    seen.open()
    assert seen.overflow() <= 0
    seen.sample()
    seen.ask("x" * 300, *TWO)
    seen.page.locator(".others").wait_for()
    seen.page.wait_for_selector("#turns .reading")
    assert seen.overflow() <= 0
    for part in ("#question", "#scroll", "#search", "#new", "#export", "#turns .reading >> nth=0"):
        box = seen.page.locator(part).bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= 360, part
    seen.open(seen.server.begin(f"{'w' * 400},b\n{'y' * 400},2\nz,3\n", "v" * 180))
    assert seen.overflow() <= 0
    seen.page.get_by_role("link", name="New table").click()
    seen.page.locator("#recents a").first.wait_for()
    assert seen.overflow() <= 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_is_readable(visit: Callable[..., Seen], scheme: str) -> None:
    seen = visit(color_scheme=scheme)
    grounds = []

    def check(least: int) -> None:
        found = seen.page.evaluate(CONTRAST)
        assert len(found) >= least
        assert not [one for one in found if one["ratio"] < one["least"]]
        grounds.append(seen.page.evaluate("getComputedStyle(document.body).backgroundColor"))

    seen.open()
    check(20)
    seen.change_answers(lambda turn: turn.update(sure="most" in turn["question"]))
    seen.sample()
    check(70)
    seen.ask(*TWO[::-1])
    seen.page.wait_for_selector("#turns .reading")
    seen.open_part("How")
    seen.page.evaluate(
        "import('/page/notices.js').then((notices) => notices.fail(new Error('an example')))"
    )
    seen.page.get_by_role("button", name="Export").click()
    check(90)
    first = [int(part) for part in grounds[0][4:-1].split(",")]
    assert (max(first) < 60) == (scheme == "dark")


HOSTILE = '<img src=x onerror="window.hit=1"><script>window.hit=1</script><b>\'"`${hit}'


def test_a_hostile_table_runs_nothing(seen: Seen) -> None:
    rows = [
        HOSTILE,
        "javascript:window.hit=1",
        "\x1b[31mred\x07",
        "\u202eright to left",
        "=HYPERLINK(1)",
    ]
    content = io.StringIO()
    lines = [[HOSTILE, f"{HOSTILE}2"], *([text, str(n)] for n, text in enumerate(rows))]
    csv.writer(content).writerows(lines)
    seen.open(seen.server.begin(content.getvalue(), HOSTILE))
    seen.ask(HOSTILE, "which has the highest " + HOSTILE)
    if seen.page.locator(".others").get_attribute("aria-expanded") == "false":
        seen.page.locator(".others").click()
    seen.page.wait_for_selector("#turns .readings > *")
    seen.page.fill("#search", "<img")
    seen.page.get_by_text("found").first.wait_for()
    seen.settle()
    assert seen.page.evaluate("window.hit") is None
    allowed = seen.page.evaluate(
        "[...document.querySelectorAll('img, script, b, iframe')].map((one) => one.outerHTML)"
    )
    assert len(allowed) == 2  # the page's own picture and script
    assert HOSTILE in seen.page.title()
    assert seen.drawn()[0, 0] == HOSTILE
    seen.page.fill("#search", "")
    seen.page.wait_for_function("() => document.querySelectorAll('#body th').length > 3")
    assert not any(set(text) & set("\x1b\x07\u202e") for text in seen.drawn().values())
    seen.page.get_by_role("link", name="New table").click()
    seen.page.locator("#recents a").first.wait_for()
    assert seen.page.evaluate("window.hit") is None


def test_exports_are_downloaded(seen: Seen) -> None:
    seen.sample()
    seen.ask(*TWO)

    def downloaded(click: Callable[[], None]) -> str:
        with seen.page.expect_download() as download:
            click()
        return Path(download.value.path()).read_text(encoding="utf-8")

    def export(name: str) -> Callable[[], None]:
        def click() -> None:
            seen.page.get_by_role("button", name="Export").click()
            seen.page.locator("#menu").get_by_text(name).first.click()

        return click

    lines = [json.loads(line) for line in downloaded(export("JSONL")).splitlines()]
    turns = [turn for line in lines for turn in line["turns"]]
    assert [turn["question"] for turn in turns] == list(TWO)
    assert [turn["cells"] for turn in turns] == [turn["cells"] for turn in seen.session["turns"]]
    assert downloaded(export("CSV")).startswith("Castle,Built,")
    for number, turn in enumerate(seen.session["turns"]):
        item = seen.open_part("Share", number)
        text = downloaded(item.get_by_role("link", name="Answer as CSV").click)
        assert len(text.splitlines()) == 1 + len(turn["cells"])
        assert all(answer in text for answer in turn["answer"])


def test_how_a_file_was_read_is_told_and_changed(seen: Seen) -> None:
    page = seen.page
    page.goto(seen.server.url)
    text = "Towns of the north\n\nTown;Area\nMoss;12\nOslo;5\n"
    page.set_input_files(
        "#file", {"name": "towns.csv", "mimeType": "text/csv", "buffer": text.encode()}
    )
    page.get_by_text("2 rows, 2 columns").wait_for()
    page.get_by_text("How it was read").click()
    assert "title" in page.locator("#read-notes").inner_text()
    page.get_by_label("Row of the header").fill("4")
    page.get_by_role("button", name="Read it so").click()
    page.get_by_text("1 row, 2 columns").wait_for()
    page.locator("#head").get_by_text("Moss").wait_for()  # drawn after the size is told
    assert page.get_by_label("Row of the header").input_value() == "4"
    page.reload()  # the page has no file any more, and still tells
    page.get_by_text("1 row, 2 columns").wait_for()
    page.get_by_text("How it was read").click()
    assert not page.locator("#reread").is_visible()


def test_tables_that_the_server_offers(visit: Callable[..., Seen], tmp_path: Path) -> None:
    shop = Path(__file__).parents[2] / "examples" / "shop.sqlite"
    server = Server(tmp_path / "offered.db", [str(shop)])
    try:
        page = visit(server).page
        page.goto(server.url)
        offers = page.locator("#offers button")
        offers.first.wait_for()
        assert offers.all_inner_texts() == ["shop.sqlite#customers", "shop.sqlite#orders"]
        offers.nth(1).click()
        page.get_by_text("6 rows, 6 columns").wait_for()
        page.goto("about:blank")  # or it asks a server that has stopped
    finally:
        server.stop()


def test_a_server_without_tables_offers_none(seen: Seen) -> None:
    seen.page.goto(seen.server.url)
    seen.page.locator("#samples button").first.wait_for()
    assert not seen.page.locator("#offered").is_visible()


def test_two_tabs_do_not_undo_each_other(seen: Seen) -> None:
    """What a tab has not seen it does not change; it is shown instead."""
    seen.sample()
    seen.ask(TWO[0])
    other = Seen(seen.page.context.new_page(), seen.server)
    other.open(seen.id)
    other.ask(TWO[1])
    seen.expected = ("412",)
    seen.page.get_by_role("button", name="Undo", exact=True).click()
    seen.page.wait_for_function("() => document.querySelectorAll('.asked').length === 2")
    assert "another tab" in seen.page.locator("#error").inner_text()
    assert seen.page.locator(".asked").all_inner_texts() == list(TWO)
    assert len(seen.session["turns"]) == 2, "nothing was taken back"
    seen.page.get_by_role("button", name="Undo", exact=True).click()
    seen.page.wait_for_function("() => document.querySelectorAll('.asked').length === 1")
    assert len(seen.session["turns"]) == 1
    other.page.close()
