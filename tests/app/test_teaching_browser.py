"""Teaching by clicking the right cells, in a real browser: what the page sends and shows."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.browser import CONTRAST, Seen, Server, cells_of

pytestmark = pytest.mark.slow
QUESTION = "which castles have the condition intact?"
FOLLOW_UP = "of those, which has the most annual visitors?"
READINGS = {
    "SELECT Castle WHERE Built IS MIN": "The Castle where Built is earliest.",
    "SELECT Castle WHERE Rooms IS MAX": "The Castle where Rooms is largest.",
    "SELECT Castle WHERE Keeper = Wren": "The Castle where Keeper is Wren.",
}


class Teacher:
    """What the server would answer to teaching, and what it was sent."""

    def __init__(self, seen: Seen, **changes: Any) -> None:
        self.seen, self.changes = seen, changes
        self.sent: list[dict[str, Any]] = []
        self.looked: list[dict[str, Any]] = []
        """What a preview was asked for."""
        self.lessons: list[dict[str, Any]] = []
        self.before: list[list[dict[str, Any]]] = []
        seen.page.route("**/teach?*", self.teach)
        seen.page.route("**/unteach?*", self.unteach)
        seen.page.route("**/lessons", lambda route: route.fulfill(json=self.lessons))

    def teach(self, route: Any) -> None:
        body = route.request.post_data_json
        is_preview = body.pop("preview", False)
        (self.looked if is_preview else self.sent).append(body)
        session = self.seen.get(route.request.url.split("/")[-2])
        if not is_preview:
            self.before.append(session["turns"])
        readings = self.changes.get("readings", READINGS)
        program = body["program"] if body["program"] is not None else next(iter(readings), "")
        learnt = program in readings
        said = f"I now read this as: {readings[program]}" if learnt else "It is kept for later."
        turn = {
            **session["turns"][body["turn"]],
            **answer_of(body),
            "program": program or next(iter(readings), ""),
            "explanation": readings.get(program, "These are the cells that you clicked."),
        }
        found = [
            {**turn, "program": p, "explanation": e, "probability": 0.3, "critique": 0.0}
            for p, e in readings.items()
        ]
        answer = {"turn": turn, "readings": found, "learnt": learnt, "said": said}
        lesson = {"question": turn["question"], "program": program, "learnt": learnt, "cells": 1}
        if not is_preview:
            self.lessons = [{**lesson, "values": body.get("values")}]
        changes = self.changes.get("changes", []) if is_preview else []
        more = {"contradicts": self.changes.get("contradicts"), "changes": changes}
        route.fulfill(json={**answer, **more})

    def unteach(self, route: Any) -> None:
        self.lessons = []
        route.fulfill(json={"said": "The last teaching is forgotten.", "turns": self.before[0]})

    def cells(self) -> set[tuple[int, ...]]:
        """The cells of the last request, each once and in the order of the table."""
        cells = self.sent[-1]["cells"]
        assert cells == sorted(cells)
        assert len(cells) == len({tuple(cell) for cell in cells})
        return {tuple(cell) for cell in cells}


def answer_of(body: dict[str, Any]) -> dict[str, Any]:
    """What was taught, as the answer of a turn."""
    if "values" in body:
        texts = [str(value) for value in body["values"]]
        told = {"kind": "value", "values": body["values"], "cells": [], "answer": texts}
        return {**told, "view": None}
    texts = [f"cell {row} {column}" for row, column in body["cells"]]
    told = {"kind": "cells", "values": [], "cells": body["cells"], "answer": texts}
    return {**told, "view": None}


def start(seen: Seen, turn: int = 0) -> None:
    seen.page.locator(".wrong").nth(turn).click()
    seen.page.wait_for_selector("#teaching")
    seen.page.wait_for_function("() => document.activeElement.matches('td[data-cell]')")
    seen.settle()


def click(seen: Seen, *cells: tuple[int, int], **how: Any) -> None:
    for row, column in cells:
        seen.page.locator(f"td[data-cell='{row},{column}']").click(**how)


def number(seen: Seen, row: int) -> Any:
    return seen.page.locator(f"tr:has(td[data-cell^='{row},']) th.number")


def head(seen: Seen, column: int) -> Any:
    return seen.page.locator("#head button").nth(column)


def selected(seen: Seen) -> set[tuple[int, ...]]:
    """The cells that are drawn as selected, and are said to be."""
    found = seen.page.eval_on_selector_all(
        "td[aria-selected=true]", "all => all.map((one) => one.dataset.cell)"
    )
    cells = {tuple(map(int, cell.split(","))) for cell in found}
    assert cells == set(seen.marked())
    assert seen.page.locator("td[data-cell]:not([aria-selected])").count() == 0
    return cells


def ghosts(seen: Seen) -> set[tuple[int, ...]]:
    """The cells of the old answer that are hinted at, and not selected."""
    found = seen.page.eval_on_selector_all("td.ghost", "all => all.map((one) => one.dataset.cell)")
    return {tuple(map(int, cell.split(","))) for cell in found}


def take_old(seen: Seen) -> None:
    """Begin with the cells that the question was answered with."""
    seen.page.locator("#ways summary").click()
    seen.page.locator("#old").click()
    seen.page.locator("#ways summary").click()


def count(seen: Seen) -> str:
    return str(seen.page.locator("#picked").inner_text())


def at(seen: Seen) -> tuple[int, ...]:
    """The cell with the focus, which is the only one that Tab reaches."""
    seen.page.wait_for_function("() => document.activeElement.matches('td[data-cell]')")
    cell = seen.page.evaluate("document.activeElement.dataset.cell")
    tabs = seen.page.eval_on_selector_all(
        "#scroll [tabindex='0'], #scroll[tabindex='0']", "all => all.map((one) => one.dataset.cell)"
    )
    assert tabs == [cell]
    return tuple(map(int, cell.split(",")))


def teach(seen: Seen) -> None:
    seen.page.get_by_role("button", name="Teach", exact=True).click()
    seen.page.wait_for_selector("#teaching", state="hidden")
    seen.settle()


def ask_castles(seen: Seen, *questions: str) -> None:
    seen.sample()
    seen.ask(*(questions or (QUESTION,)))


def test_cells_are_clicked_and_sent(seen: Seen) -> None:
    teacher = Teacher(seen)
    ask_castles(seen)
    before = cells_of(seen.session["turns"][0])
    start(seen)
    assert selected(seen) == set() and count(seen) == "0 cells"
    assert ghosts(seen) == before
    take_old(seen)
    assert selected(seen) == before and ghosts(seen) == set()
    assert count(seen) == "3 cells"
    assert QUESTION in seen.page.locator("#teaching").inner_text()
    gone = min(before)
    click(seen, (0, 2), gone, (1, 1))  # type: ignore[arg-type]
    wanted = before - {gone} | {(0, 2), (1, 1)}
    assert selected(seen) == wanted
    assert count(seen) == "4 cells"
    assert "4 cells" in seen.page.locator("#announce").inner_text()
    click(seen, (1, 1))
    teach(seen)
    assert teacher.sent[0] == {"turn": 0, "cells": teacher.sent[0]["cells"], "program": None}
    assert teacher.cells() == wanted - {(1, 1)} == set(seen.marked())
    turn = seen.page.locator(".turn")
    assert "I now read this as: The Castle where Built is earliest." in turn.inner_text()
    assert turn.locator(".how .program").text_content() == next(iter(READINGS))
    assert seen.page.evaluate("document.activeElement.id") == "question"
    assert "I now read this as" in seen.page.locator("#announce").inner_text()
    assert seen.page.locator("[aria-selected], td[tabindex], [role=grid]").count() == 0


def test_rows_and_columns_are_taken_whole(seen: Seen) -> None:
    teacher = Teacher(seen)
    ask_castles(seen)
    rows, columns = seen.session["rows"], len(seen.session["columns"])
    start(seen)
    click(seen, (5, 2))
    seen.page.get_by_role("button", name="Clear", exact=True).click()
    assert selected(seen) == set() and count(seen) == "0 cells"
    assert seen.page.get_by_role("button", name="Teach", exact=True).is_disabled()
    number(seen, 2).click()
    assert selected(seen) == {(2, column) for column in range(columns)}
    head(seen, 1).click()
    column = {(row, 1) for row in range(rows)}
    seen.page.wait_for_function(
        "count => document.querySelectorAll('#body td.marked').length === count",
        arg=rows + columns - 1,
    )
    assert selected(seen) == {(2, column) for column in range(columns)} | column
    assert seen.page.locator("#head th[aria-sort=none]").count() == columns  # not sorted
    number(seen, 2).click()  # all of it again: left out
    assert selected(seen) == column - {(2, 1)}
    head(seen, 1).click()  # what is missing
    seen.page.wait_for_selector("#body td.marked[data-cell='2,1']")
    teach(seen)
    assert teacher.cells() == column
    start(seen)
    for _ in range(2):
        head(seen, 1).click()
        seen.settle()
    seen.page.wait_for_function("() => !document.querySelector('#body td.marked')")
    assert count(seen) == "0 cells"


def test_cells_are_dragged_over(seen: Seen) -> None:
    teacher = Teacher(seen)
    ask_castles(seen)
    start(seen)

    def drag(*cells: str) -> None:
        seen.page.locator(f"td[data-cell='{cells[0]}']").hover()
        seen.page.mouse.down()
        for cell in cells[1:]:
            seen.page.locator(f"td[data-cell='{cell}']").hover()
        seen.page.mouse.up()
        seen.settle()

    drag("1,1", "4,3", "3,2")
    block = {(row, column) for row in (1, 2, 3) for column in (1, 2)}
    assert selected(seen) == block
    drag("1,1", "1,2")  # from a selected one: left out
    assert selected(seen) == block - {(1, 1), (1, 2)}
    drag("5,0", "6,0", "5,0")
    click(seen, (6, 1))
    teach(seen)
    assert teacher.cells() == block - {(1, 1), (1, 2)} | {(5, 0), (6, 1)}


def test_sorted_and_searched_tables_send_the_tables_own_cells(seen: Seen) -> None:
    teacher = Teacher(seen)
    ask_castles(seen)
    columns = len(seen.session["columns"])
    for _ in range(2):
        seen.page.locator("#head button").last.click()  # down by the last column
        seen.settle()
    places = seen.page.locator("#body tr:not(.space) th").all_inner_texts()
    assert places != sorted(places)
    start(seen)
    first, second = (int(place) - 1 for place in places[:2])
    seen.page.locator("#body tr:not(.space) td[data-cell]").first.click()
    number(seen, second).click()
    wanted = {(first, 0), *((second, column) for column in range(columns))}
    assert selected(seen) == wanted
    seen.page.fill("#search", "fenwick")
    seen.page.wait_for_function("() => document.querySelectorAll('#body th').length === 2")
    seen.settle()
    found = [int(place) - 1 for place in seen.page.locator("#body th").all_inner_texts()]
    hidden = {cell for cell in wanted if cell[0] not in found}
    assert selected(seen) == wanted - hidden
    assert f"{len(hidden)} of them hidden" in seen.page.locator("#teaching").inner_text()
    head(seen, 3).click()  # of the found rows only
    seen.page.wait_for_selector(f"#body td.marked[data-cell='{found[0]},3']")
    wanted |= {(row, 3) for row in found}
    assert count(seen) == f"{len(wanted)} cells"
    seen.page.focus("#search")
    seen.page.keyboard.press("Escape")  # clears the search first
    seen.page.wait_for_function("() => document.querySelectorAll('#body th').length === 9")
    seen.settle()
    assert "hidden" not in seen.page.locator("#teaching").inner_text()
    assert selected(seen) == wanted
    seen.page.fill("#search", "no such thing")
    seen.page.get_by_text("No row contains").wait_for()
    teach(seen)
    assert teacher.cells() == wanted


def test_by_keyboard_alone(seen: Seen) -> None:
    teacher = Teacher(seen)
    ask_castles(seen)
    rows, columns = seen.session["rows"], len(seen.session["columns"])
    press = seen.page.keyboard.press
    for _ in range(20):
        press("Shift+Tab")
        if seen.page.evaluate("document.activeElement.textContent") == "Not right?":
            break
    press("Enter")
    seen.page.wait_for_selector("#teaching")
    assert at(seen) == min(cells_of(seen.session["turns"][0]))
    assert seen.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    press("Control+Home")
    assert at(seen) == (0, 0)
    press("ArrowLeft")
    press("ArrowUp")
    assert at(seen) == (0, 0)
    for key, cell in {
        "ArrowDown": (1, 0),
        "ArrowRight": (1, 1),
        "End": (1, columns - 1),
        "PageDown": (rows - 1, columns - 1),
        "Home": (rows - 1, 0),
        "PageUp": (0, 0),
        "Control+End": (rows - 1, columns - 1),
    }.items():
        press(key)
        assert at(seen) == cell, key
        assert seen.in_view(*cell)
    press(" ")
    seen.page.wait_for_selector("#reading-ahead .reading")
    for _ in range(24):  # to the bar and back: the table is one stop
        press("Shift+Tab")
        if seen.page.evaluate("document.activeElement.id") == "clear":
            break
    press("Enter")
    assert selected(seen) == set()
    press("Tab")
    assert seen.page.evaluate("document.activeElement.closest('details').id") == "ways"
    press("Tab")
    assert seen.page.evaluate("document.activeElement.id") == "typed"
    press("Tab")
    assert at(seen) == (rows - 1, columns - 1)
    press(" ")
    assert selected(seen) == {(rows - 1, columns - 1)}
    press(" ")
    assert selected(seen) == set()
    press("Enter")  # nothing to teach yet
    assert seen.page.locator("#teaching").is_visible() and not teacher.sent
    press("Control+Home")
    press("Shift+ ")
    press("ArrowDown")
    press("Control+ ")
    wanted = {(0, column) for column in range(columns)} | {(row, 0) for row in range(rows)}
    seen.page.wait_for_function(
        "count => document.querySelectorAll('#body td.marked').length === count", arg=len(wanted)
    )
    press("Enter")  # before it is known how it would be read
    assert not teacher.sent
    seen.page.wait_for_selector("#reading-ahead .reading")
    press("Enter")
    seen.page.wait_for_selector("#teaching", state="hidden")
    assert teacher.cells() == wanted


def test_escape_cancels(seen: Seen) -> None:
    teacher = Teacher(seen)
    ask_castles(seen)
    before = seen.marked()
    start(seen)
    click(seen, (0, 2), (1, 1))
    seen.page.keyboard.press("/")  # not while something else is asked for
    assert seen.page.evaluate("document.activeElement.id") != "question"
    seen.page.keyboard.press("Escape")
    assert not seen.page.locator("#teaching").is_visible()
    assert seen.marked() == before and not teacher.sent
    assert seen.page.evaluate("document.activeElement.textContent") == "Not right?"
    click(seen, (0, 2))
    assert seen.marked() == before
    head(seen, 0).click()
    seen.page.wait_for_selector("th[aria-sort=ascending]")
    start(seen)
    assert ghosts(seen) == set(before) and selected(seen) == set()
    seen.page.get_by_role("button", name="Cancel").click()
    assert ghosts(seen) == set()
    assert seen.page.locator("[aria-selected]").count() == 0


def test_another_reading_is_chosen(seen: Seen) -> None:
    teacher = Teacher(seen)
    ask_castles(seen)
    start(seen)
    click(seen, (0, 1))
    teach(seen)
    choices = seen.page.locator(".choices .reading")
    assert choices.count() == len(READINGS) + 1
    pressed = [one.get_attribute("aria-pressed") for one in choices.all()]
    assert pressed == ["true", "false", "false", "false"]
    second = list(READINGS)[1]
    seen.page.locator(".choices .reading").nth(1).click()
    seen.page.locator(".taught", has_text=READINGS[second]).wait_for()
    seen.settle()
    assert teacher.sent[1] == {**teacher.sent[0], "program": second}
    pressed = [one.get_attribute("aria-pressed") for one in choices.all()]
    assert pressed == ["false", "true", "false", "false"]
    assert "Rooms" in choices.nth(1).inner_text()  # where it was
    choices.nth(1).click()  # taken already
    seen.settle()
    assert len(teacher.sent) == 2
    seen.page.get_by_role("button", name="None of these").click()
    seen.page.locator(".taught", has_text="It is kept for later.").wait_for()
    seen.settle()
    assert teacher.sent[2] == {**teacher.sent[0], "program": ""}
    pressed = [one.get_attribute("aria-pressed") for one in choices.all()]
    assert pressed == ["false", "false", "false", "true"]
    seen.ask(FOLLOW_UP)  # what was chosen among is settled then
    assert choices.count() == 0 and seen.page.locator(".unteach").count() == 0


def test_cells_that_no_reading_gives_are_kept(seen: Seen) -> None:
    Teacher(seen, readings={})
    ask_castles(seen)
    start(seen)
    click(seen, (0, 1), (1, 1))
    teach(seen)
    turn = seen.page.locator(".turn")
    assert "declined" not in (turn.get_attribute("class") or "")
    assert turn.locator(".said").inner_text().startswith("It is kept for later.")
    assert len(seen.answers()) > 1 and (0, 1) in seen.marked()
    for part in (".program", ".sql", ".choices .reading", ".others"):
        assert turn.locator(part).count() == 0
    seen.page.get_by_text("What you taught").click()
    assert "kept for later" in seen.page.locator("#lessons").inner_text()


def test_a_corrected_turn_of_an_earlier_visit(seen: Seen) -> None:
    explanation = "These are the cells that you clicked."
    Teacher(seen)
    seen.change_answers(
        lambda turn: turn.update(
            cells=[[0, 0]], answer=["a"], program="", sql="", explanation=explanation, sure=False
        )
    )
    ask_castles(seen)
    turn = seen.page.locator(".turn")
    assert turn.locator(".said").inner_text() == explanation
    assert seen.answers() == ["a"]
    assert turn.get_by_role("button", name="Not right?").is_visible()
    assert set(seen.marked()) == {(0, 0)}


def test_a_declined_question_is_taught(seen: Seen) -> None:
    teacher = Teacher(seen)
    seen.change_answers(
        lambda turn: turn.update(
            kind="declined", answer=[], cells=[], program="", explanation="No.", sure=False
        )
    )
    ask_castles(seen)
    seen.page.get_by_role("button", name="Show it the right answer").click()
    seen.page.wait_for_selector("#teaching")
    assert at(seen) == (0, 0)
    assert selected(seen) == set()
    click(seen, (3, 0))
    assert count(seen) == "1 cell"
    teach(seen)
    assert teacher.cells() == {(3, 0)}
    assert seen.page.get_by_role("button", name="Not right?").is_visible()


def test_contradiction_list_and_undo(seen: Seen) -> None:
    said = "Earlier you taught that “oldest” means Built is latest."
    teacher = Teacher(seen, contradicts=said)
    ask_castles(seen)
    before = seen.marked()
    assert not seen.page.locator("#lessons").is_visible()
    start(seen)
    click(seen, (0, 1))
    teach(seen)
    assert seen.page.locator(".contradicts").inner_text() == said
    seen.page.get_by_text("What you taught").click()
    listed = seen.page.locator("#lessons li")
    assert QUESTION in listed.inner_text() and next(iter(READINGS)) in listed.inner_text()
    for undo in ("Undo the last", "Undo teaching"):
        seen.page.get_by_role("button", name=undo).click()
        seen.page.get_by_text("The last teaching is forgotten.").first.wait_for()
        seen.settle()
        assert seen.marked() == before
        assert not seen.page.locator("#lessons").is_visible()
        assert seen.page.locator(".contradicts, .choices, .unteach").count() == 0
        if undo == "Undo the last":
            start(seen)
            click(seen, (0, 1))
            teach(seen)
    assert len(teacher.sent) == 2


def test_an_earlier_turn_takes_the_later_ones_back(seen: Seen) -> None:
    teacher = Teacher(seen)
    ask_castles(seen, QUESTION, FOLLOW_UP)
    start(seen, 1)
    assert "taken back" not in seen.page.locator("#teaching").inner_text()
    seen.page.keyboard.press("Escape")
    start(seen, 0)
    assert "question after it will be taken back" in seen.page.locator("#teaching").inner_text()
    assert ghosts(seen) == cells_of(seen.session["turns"][0])
    click(seen, (0, 1))
    teach(seen)
    assert teacher.sent[0]["turn"] == 0
    assert seen.page.locator(".asked").all_inner_texts() == [QUESTION]


def test_what_goes_wrong_costs_no_clicks(seen: Seen) -> None:
    seen.expected = ("Failed to load resource",)
    teacher = Teacher(seen)
    ask_castles(seen)
    seen.page.route("**/teach?*", lambda route: route.fulfill(status=400, json={"detail": "no"}))
    start(seen)
    click(seen, (0, 1))
    picked = selected(seen)
    seen.page.get_by_role("button", name="Teach", exact=True).click()
    seen.page.get_by_role("alert").wait_for()
    assert selected(seen) == picked
    seen.page.unroute("**/teach?*")
    seen.page.route("**/teach?*", teacher.teach)
    seen.page.keyboard.press("Escape")  # the message
    teach(seen)
    assert teacher.cells() == picked


def test_another_table_ends_it(seen: Seen) -> None:
    Teacher(seen)
    ask_castles(seen)
    start(seen)
    seen.page.get_by_role("link", name="New table").click()
    seen.page.locator("#recents a").first.click()
    seen.page.wait_for_selector("#body td.marked")
    assert not seen.page.locator("#teaching").is_visible()
    assert seen.page.locator("[aria-selected]").count() == 0
    seen.ask(FOLLOW_UP)


ROWS = 30_000


@pytest.fixture(scope="module")
def large(server: Server) -> str:
    lines = [f"Station {n},{(n * 7919) % ROWS},Region {n % 13}" for n in range(ROWS)]
    return server.begin("\n".join(["Station,Reading,Region", *lines]), "stations")


def test_a_large_table(seen: Seen, large: str) -> None:
    teacher = Teacher(seen)
    seen.open(large)
    seen.ask("which station has the highest reading?")
    [cell] = cells_of(seen.session["turns"][-1])
    start(seen)
    assert at(seen) == cell and seen.in_view(*cell)
    press = seen.page.keyboard.press
    press("Control+End")
    seen.page.wait_for_function(f"() => document.activeElement.dataset.cell === '{ROWS - 1},2'")
    assert seen.in_view(ROWS - 1, 2)
    press(" ")
    press("PageUp")
    row = at(seen)[0]
    assert ROWS - 40 < row < ROWS - 10 and seen.in_view(row, 2)
    seen.page.evaluate("document.querySelector('#scroll').scrollTop = 0")  # away from the cursor
    seen.settle()
    assert seen.page.evaluate("document.activeElement.id") == "scroll"
    press("ArrowDown")  # and back
    assert at(seen) == (row + 1, 2) and seen.in_view(row + 1, 2)
    press("Control+ ")
    seen.page.get_by_role("alert").wait_for()
    assert "at most 20,000" in seen.page.get_by_role("alert").inner_text()
    press("Escape")
    assert count(seen) == "1 cell"
    take_old(seen)
    assert count(seen) == "2 cells"
    seen.page.fill("#search", "Region 3")
    seen.page.get_by_text("rows found").wait_for()
    seen.settle()
    head(seen, 1).click()
    found = {(row, 1) for row in range(3, ROWS, 13)}
    seen.page.get_by_text(f"{len(found) + 2:,} cells", exact=True).wait_for()
    teach(seen)
    assert teacher.cells() == {cell, (ROWS - 1, 2), *found}


def test_a_wide_table(seen: Seen) -> None:
    lines = [[f"Site {row}", *(str(row * 1000 + n) for n in range(60))] for row in range(50)]
    content = [["Site", *(f"Measure {n}" for n in range(60))], *lines]
    teacher = Teacher(seen)
    seen.open(seen.server.begin("\n".join(",".join(line) for line in content)))
    seen.ask("which site has the highest measure 2?")
    start(seen)
    row = at(seen)[0]
    seen.page.keyboard.press("End")
    assert at(seen) == (row, 60) and seen.in_view(row, 60)
    seen.page.keyboard.press("ArrowLeft")
    seen.page.keyboard.press(" ")
    seen.page.keyboard.press("Home")
    assert at(seen) == (row, 0) and seen.in_view(row, 0)
    number(seen, row - 1).click()
    before = cells_of(seen.session["turns"][0])
    teach(seen)
    assert before == {(row, 0)}, "which was hinted at, and is not taught"
    assert teacher.cells() == {(row, 59)} | {(row - 1, column) for column in range(61)}


def test_at_phone_width(visit: Callable[..., Seen]) -> None:
    seen = visit(viewport={"width": 360, "height": 700}, has_touch=True, is_mobile=True)
    teacher = Teacher(seen, contradicts="Earlier you taught otherwise. " * 4)
    ask_castles(seen, QUESTION, "x" * 300)
    for turn in (1, 0):
        start(seen, turn)
        assert seen.overflow() <= 0
        for name in ("Teach", "Clear", "Cancel"):
            box = seen.page.get_by_role("button", name=name, exact=True).bounding_box()
            assert box and box["x"] >= 0 and box["x"] + box["width"] <= 360
            assert box["y"] > 350 and box["y"] + box["height"] <= 700
        table = seen.page.locator("#scroll").bounding_box()
        assert table and table["height"] > 300
        if turn:
            seen.page.get_by_role("button", name="Cancel").tap()
    take_old(seen)
    before = selected(seen)
    assert before == cells_of(seen.session["turns"][0])
    seen.page.locator("td[data-cell='0,1']").tap()
    number(seen, 2).tap()
    columns = len(seen.session["columns"])
    teach(seen)
    assert teacher.cells() == before | {(0, 1)} | {(2, column) for column in range(columns)}
    assert seen.overflow() <= 0
    assert seen.page.get_by_role("button", name="None of these").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_is_readable(visit: Callable[..., Seen], scheme: str) -> None:
    seen = visit(color_scheme=scheme)
    Teacher(seen, contradicts="Earlier you taught otherwise.")
    ask_castles(seen, QUESTION, FOLLOW_UP)
    for _ in range(2):
        start(seen)
        head(seen, 0).hover()
        assert not [one for one in seen.page.evaluate(CONTRAST) if one["ratio"] < one["least"]]
        click(seen, (0, 1))
        teach(seen)
        seen.page.get_by_text("What you taught").click()
        assert not [one for one in seen.page.evaluate(CONTRAST) if one["ratio"] < one["least"]]


HOSTILE = '<img src=x onerror="window.hit=1"><script>window.hit=1</script><b>\'"`${hit}'


def test_hostile_texts_stay_texts(seen: Seen) -> None:
    rows = [HOSTILE, "javascript:window.hit=1", "\x1b[31mred\x07", "\u202eright to left", "0,0"]
    content = io.StringIO()
    lines = [[HOSTILE, "b"], *([text, str(n)] for n, text in enumerate(rows))]
    csv.writer(content).writerows(lines)
    teacher = Teacher(seen, readings={"SELECT a": HOSTILE, HOSTILE: "\u202eb"}, contradicts=HOSTILE)
    seen.open(seen.server.begin(content.getvalue(), HOSTILE))
    seen.ask(HOSTILE)
    start(seen)
    assert count(seen) == "0 cells"
    number(seen, 0).click()
    head(seen, 0).click()
    seen.page.get_by_text("6 cells", exact=True).wait_for()
    teach(seen)
    assert teacher.cells() == {(0, 1), *((row, 0) for row in range(5))}
    seen.page.get_by_text("What you taught").click()
    seen.page.locator(".choices .reading").nth(1).click()
    seen.page.wait_for_selector(".choices .reading:nth-of-type(2)[aria-pressed=true]")
    seen.settle()
    assert teacher.sent[-1]["program"] == HOSTILE
    assert seen.page.evaluate("window.hit") is None
    allowed = seen.page.evaluate(
        "[...document.querySelectorAll('img, script, b, iframe')].map((one) => one.outerHTML)"
    )
    assert len(allowed) == 2  # the page's own picture and script
    assert "\u202e" not in seen.page.inner_text("body")


def test_what_was_taught_is_known_after_a_restart_until_it_is_undone(
    visit: Callable[..., Seen], tmp_path: Path
) -> None:
    right, meant = (0, 0), "SELECT Castle WHERE Built IS MIN"
    paraphrase = "what is the most venerable castle?"
    server = Server(tmp_path / "sessions.db")

    def ask_anew() -> dict[str, Any]:
        seen.sample()
        seen.ask(paraphrase, "which castle has the most towers?")
        first, other = seen.session["turns"]
        assert other["answer"] == ["Ysolde's Seat"]  # not taught, and as right as it was
        return dict(first)

    try:
        seen = visit(server)
        before = ask_anew()
        assert right not in cells_of(before)
        ask_castles(seen, "which castle is the most venerable?")
        assert right not in seen.marked()
        start(seen)
        click(seen, right)
        teach(seen)
        assert set(seen.marked()) == {right}
        choices = seen.page.locator(".choices .reading")
        assert choices.count() == 4
        choices.filter(has_text=meant).click()
        seen.page.locator(".reading[aria-pressed=true]", has_text=meant).wait_for()
        seen.settle()
        assert seen.session["turns"][-1]["program"] == meant
        first = ask_anew()
        assert cells_of(first) == {right} and first["program"] == meant
        server.stop()
        server.start()
        again = ask_anew()
        assert cells_of(again) == {right} and again["program"] == meant
        seen.page.get_by_text("What you taught").click()
        assert (
            "which castle is the most venerable?" in seen.page.locator("#lessons li").inner_text()
        )
        seen.page.get_by_role("button", name="Undo the last").click()
        seen.page.wait_for_selector("#lessons", state="hidden")
        after = ask_anew()
        own = {"confidence": 0, "id": ""}
        assert after | own == before | own
    finally:
        server.stop()


def test_the_right_answer_can_be_typed(seen: Seen) -> None:
    teacher = Teacher(seen)
    ask_castles(seen)
    start(seen)
    box = seen.page.get_by_label("or type the right answer")
    box.fill("1,200; Dun Fort ;; 7.5")
    assert "The typed answer counts" in seen.page.locator("#teaching-note").inner_text()
    seen.page.wait_for_selector("#reading-ahead .reading")
    box.press("Enter")
    seen.page.wait_for_selector("#teaching", state="hidden")
    assert teacher.sent[-1]["values"] == [1200, "Dun Fort", 7.5] and "cells" not in teacher.sent[-1]
    answer = seen.page.locator(".turn .answer .value")
    assert answer.inner_text() == "1,200, Dun Fort, 7.5"
    start(seen)
    assert box.input_value() == "", "the next lesson begins anew"
    teach_button = seen.page.get_by_role("button", name="Teach", exact=True)
    assert teach_button.is_disabled(), "there is nothing to teach"
    box.fill("4")
    seen.page.wait_for_function("() => !document.querySelector('#teach').disabled")


def test_values_and_groups_are_shown(seen: Seen) -> None:
    def answer(route: Any) -> None:
        told = route.fetch()
        groups = {
            "kind": "groups",
            "values": [["intact", 3], ["ruin", 1234.5]],
            "program": "COUNT PER (SELECT Condition)",
        }
        more = {**groups, "answer": ["intact: 3", "ruin: 1234.5"], "view": None}
        route.fulfill(response=told, json=told.json() | more)

    seen.sample()
    seen.page.route("**/ask?*", answer)
    seen.ask(QUESTION)
    table = seen.page.locator(".turn .mini tbody")
    lines = [line.split("\t") for line in table.inner_text().splitlines()]
    assert lines == [["intact", "3"], ["ruin", "1,234.5"]]
    seen.page.unroute("**/ask?*")

    def yes(route: Any) -> None:
        told = route.fetch()
        more = {"kind": "value", "values": [True], "answer": ["yes"], "view": None}
        route.fulfill(response=told, json=told.json() | more)

    seen.page.route("**/ask?*", yes)
    seen.ask(QUESTION)
    assert seen.page.locator(".turn .value").last.inner_text() == "yes"
