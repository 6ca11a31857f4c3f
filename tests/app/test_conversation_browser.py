"""The conversation in a real browser: scope, the answer at a glance, readings, waiting, sharing."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.browser import CONTRAST, Seen, cells_of
from app.test_accessibility import violations

pytestmark = pytest.mark.slow
TWO = ("which castles have the condition intact?", "of those, which has the most annual visitors?")
LOOKS = [(scheme, width) for scheme in ("light", "dark") for width in (360, 768, 1440)]
PLOT = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20" role="img" class="bars">'
    "<title>Castles by condition</title>"
    '<rect x="0" y="2" width="30" height="6" fill="currentColor"/></svg>'
)


@pytest.fixture
def asked(seen: Seen) -> list[dict[str, Any]]:
    """The bodies of the questions that the page sends."""
    bodies: list[dict[str, Any]] = []

    def note(request: Any) -> None:
        if "/ask?" in request.url:
            bodies.append(request.post_data_json)

    seen.page.on("request", note)
    return bodies


# Scope


def test_a_narrowed_answer_says_so_and_is_widened(seen: Seen, asked: list[dict[str, Any]]) -> None:
    seen.sample()
    for how in ("click", "Delete", "Backspace"):
        seen.ask(*TWO)
        narrow = seen.session["turns"][-1]
        assert (narrow["scope"], narrow["among"]) == ("previous", 3)
        last = seen.page.locator(".turn").last
        assert last.locator(".scoped").inner_text().startswith("among the 3 above")
        assert seen.page.locator(".turn .scoped").count() == len(
            [turn for turn in seen.session["turns"] if turn["scope"] == "previous"]
        )
        many = len(seen.session["turns"])
        drop = last.get_by_role("button", name="Ask the whole table instead")
        if how == "click":
            drop.click()
        else:
            drop.focus()
            seen.page.keyboard.press(how)
        last.locator(".scoped").wait_for(state="detached")
        seen.wait_for_turn(TWO[1])
        turns = seen.session["turns"]
        assert len(turns) == many, "the turn was taken back and asked again"
        assert (turns[-1]["question"], turns[-1]["scope"]) == (TWO[1], "table")
        assert asked[-1] == {"question": TWO[1], "scope": "table"}
        assert seen.page.input_value("#question") == ""
        assert seen.page.evaluate("document.activeElement.id") == "question"
    seen.ask(*TWO, "who built it?")  # of an earlier answer nothing can be taken away
    narrowed = seen.page.locator(".turn:has(.scoped)")
    assert narrowed.count() >= 2
    assert seen.page.locator(".turn:not(:last-child) .drop").count() == 0


def test_what_the_next_question_may_be_about(seen: Seen, asked: list[dict[str, Any]]) -> None:
    page = seen.page
    seen.sample()
    chip, button = page.locator("#next"), page.get_by_role("button", name="New question")
    assert not chip.is_visible() and not button.is_visible()
    seen.ask(TWO[0])
    assert "Alt+N" in (button.get_attribute("title") or "")
    assert asked[-1]["scope"] == "auto"
    for how in ("Backspace", "Escape", "Alt+n", "click", "button"):
        assert "may be about: the 3 above" in chip.text_content()
        if how == "click":
            chip.get_by_role("button", name="Ask the whole table instead").click()
        elif how == "button":
            button.click()
        else:
            page.focus("#question")
            page.keyboard.press(how)
        assert not chip.is_visible()
        assert page.get_by_text("about: the whole table").is_visible()
        assert button.get_attribute("aria-pressed") == "true"
        assert page.evaluate("document.activeElement.id") == "question"
        if how != "button":
            button.click()  # and back
            assert button.get_attribute("aria-pressed") == "false"
    page.fill("#question", "x")
    page.keyboard.press("Backspace")  # takes the letter, and nothing else
    assert page.input_value("#question") == "" and not chip.is_visible()
    question = "which castle has the most towers?"
    seen.ask(question)
    assert asked[-1] == {"question": question, "scope": "table"}
    assert seen.session["turns"][-1]["scope"] == "table"
    assert not page.locator(".turn").last.locator(".scoped").count(), "nothing is said of it"
    assert chip.is_visible() and button.get_attribute("aria-pressed") == "false"
    seen.ask("who built it?")
    assert asked[-1]["scope"] == "auto"


# An answer at a glance


def glance(turn: dict[str, Any]) -> None:
    """Give an answer a view with everything in it, and doubt."""
    rows = [
        {"row": row, "cells": [f"Castle {row}", "ruin"], "marked": [True, False]}
        for row in (0, 6, 8)
    ]
    view = {
        "headline": "1,234 castles",
        "columns": ["Castle", "Condition"],
        "rows": rows,
        "total": 9,
        "counts": [["Paid", 1200], ["Open", 34]],
        "evidence": [],
        "note": "Two of them are tied.",
        "plot": {"kind": "bar", "title": "t", "labels": [], "values": [], "unit": "", "svg": PLOT},
    }
    cells = [[row, 0] for row in range(9)]
    answer = [f"Castle {row}" for row in range(9)]
    turn.update(sure=False, confidence=0.41, view=view, cells=cells, answer=answer)


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_an_answer_at_a_glance(visit: Callable[..., Seen], scheme: str, width: int) -> None:
    seen = visit(color_scheme=scheme, viewport={"width": width, "height": 740})
    page = seen.page
    seen.change_answers(glance)
    seen.sample()
    seen.ask(TWO[0])
    page.wait_for_selector("#turns .reading")
    item = page.locator(".turn")
    order = ".asked .said .sure.not .headline .counts .note .mini .picture>svg .actions".split()
    tops = [item.locator(part).bounding_box()["y"] for part in order]
    assert tops == sorted(tops), "the sentence and the doubt come first"
    talk, doubt = page.locator("#talk").bounding_box(), item.locator(".sure.not").bounding_box()
    assert talk["y"] <= doubt["y"] <= talk["y"] + talk["height"] - doubt["height"], "it is seen"
    assert item.locator(".value").inner_text() == "1,234 castles"
    counts = item.locator(".counts li").all_inner_texts()
    assert counts == ["Paid 1,200", "Open 34"]
    assert seen.answers() == ["Castle 0", "Castle 6", "Castle 8"]
    assert item.locator(".mini thead th").all_inner_texts() == ["Castle", "Condition"]
    assert not item.locator(".program, .sql").first.is_visible()
    colour = "one => getComputedStyle(one).backgroundColor"
    hit = item.locator(".mini .hit").first.evaluate(colour)
    assert hit == page.locator("#body td.marked").first.evaluate(colour), "as in the table"
    page.locator("#scroll").evaluate("one => { one.scrollTop = 0 }")
    item.locator(".mini tbody tr").nth(2).locator("button").click()
    page.locator("td.here[data-cell='8,0']").wait_for()
    assert seen.in_view(8, 0)
    assert seen.overflow() <= 0
    assert not violations(seen)
    assert not [one for one in page.evaluate(CONTRAST) if one["ratio"] < one["least"]]
    page.keyboard.press("Alt+n")
    assert not violations(seen)
    box = page.locator("#afresh").bounding_box()
    assert box["x"] + box["width"] <= width


def test_only_pictures_are_taken_for_pictures(seen: Seen) -> None:
    seen.expected = ("Applying inline style",)  # of how Chromium shows what it cannot parse
    seen.open()
    draw = """async (svg) => {
      const { pictureOf } = await import("/page/answer.js");
      document.body.append(...pictureOf({ svg }));
      const found = document.querySelectorAll(".picture").length;
      document.querySelector(".picture")?.remove();
      return found;
    }"""
    script = "<script>window.hit = 1</script>"
    for svg in (
        "",
        "<p>no picture</p>",
        PLOT.replace("</svg>", f"{script}</svg>"),
        PLOT.replace("</svg>", "<foreignObject><b>hi</b></foreignObject></svg>"),
        PLOT.replace("</svg>", ""),
        "<svg><rect/></svg>",
        f"<html xmlns='http://www.w3.org/1999/xhtml'>{PLOT}</html>",
    ):
        assert seen.page.evaluate(draw, svg) == 0, svg
    assert seen.page.evaluate(draw, PLOT) == 1
    assert seen.page.evaluate("window.hit") is None


def test_long_answers_are_shown_in_full_and_rows_alone(seen: Seen) -> None:
    lines = [f"{10_000 + n},Town {n % 7},{['Paid', 'Open', 'Lost'][n % 3]},{n}" for n in range(120)]
    seen.open(seen.server.begin("\n".join(["Order,Town,Status,Weight", *lines]), "orders"))
    seen.ask("which orders have the status paid?")
    page, turn = seen.page, seen.session["turns"][-1]
    rows = {cell[0] for cell in turn["cells"]}
    assert len(rows) == 40
    item = page.locator(".turn")
    before = item.locator(".mini tbody tr").count()
    assert before == 8
    item.get_by_role("button", name="Show all 40").click()
    page.wait_for_function("() => document.querySelectorAll('.mini tbody tr').length === 40")
    assert seen.answers() == turn["answer"]
    assert page.evaluate("document.activeElement.closest('tr').rowIndex") == before + 1
    only = item.get_by_role("button", name="Only these rows")
    only.click()
    page.wait_for_function(
        "() => document.querySelector('#grid').getAttribute('aria-rowcount') === '41'"
    )
    seen.settle()
    assert {row for row, _ in seen.drawn()} <= rows
    assert only.get_attribute("aria-pressed") == "true"
    share = seen.open_part("Share")
    with page.expect_download() as download:
        share.get_by_role("link", name="Its rows as CSV, all columns").click()
    text = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    assert text[0].endswith("Order,Town,Status,Weight") and len(text) == 41
    assert all(line.split(",")[-2] == "Paid" for line in text[1:])
    only.click()
    page.wait_for_function(
        "() => document.querySelector('#grid').getAttribute('aria-rowcount') === '121'"
    )
    only.click()
    seen.ask("which town has the highest weight?")  # another answer is not looked for among them
    page.wait_for_function(
        "() => document.querySelector('#grid').getAttribute('aria-rowcount') === '121'"
    )
    assert page.locator(".only[aria-pressed=true]").count() == 0


# Readings


def test_differences_of_readings_are_bold(seen: Seen) -> None:
    seen.open()
    bold = """async ([text, base]) => {
      const { emphasised } = await import("/page/readings.js");
      const box = document.createElement("p");
      box.append(...emphasised(text, base));
      return [box.textContent, [...box.querySelectorAll("strong")].map((one) => one.textContent)];
    }"""
    taken = "The Order where Region is North and Status is not Lost."
    for text, differs in {
        taken: [],
        "The Order where Region is North and Status is Lost.": [],
        "The Town where Region is North and Status is not Lost.": ["Town"],
        "The Order where Region is North.": [],
        "The Order where Region is South, ties included.": ["South, ties included."],
        "How many there are: the Order where Region is North and Status is not Lost.": [
            "How many there are:"
        ],
    }.items():
        assert seen.page.evaluate(bold, [text, taken]) == [text, differs]


def test_near_copies_are_left_out(seen: Seen) -> None:
    def reading(sentence: str, rows: range) -> dict[str, Any]:
        cells = [[row, 0] for row in rows]
        return {"program": sentence, "explanation": sentence, "kind": "cells", "cells": cells}

    taken = reading("The Order where it is North.", range(9))
    found = [
        taken,
        reading("The Order where it is North and Weight is not 7.", range(8)),
        reading("The Order where it is North and Weight is not 1,250.5.", range(1, 9)),
        reading("The Town where it is North.", range(9)),
        reading("The Status where it is North.", range(9)),
        reading("The Order where it is South.", range(20, 30)),
        reading("The Town where it is South.", range(20, 30)),
        reading("The Order.", range(99)),
    ]
    seen.open()
    first, more = seen.page.evaluate(
        """async ([found, taken]) => {
          const { different } = await import("/page/readings.js");
          return different(found, taken).map((some) => some.map((one) => one.program));
        }""",
        [found, taken],
    )
    sentences = [one["program"] for one in found]
    assert taken["program"] not in first + more
    assert first == [sentences[1], sentences[3], sentences[5]]
    assert sorted(more) == sorted([sentences[4], sentences[6], sentences[7]])


def test_more_readings_and_none_of_these(seen: Seen) -> None:
    page = seen.page
    seen.sample()
    seen.ask(TWO[0])
    assert page.locator("#turns .reading").count() == 0, "a sure answer is left alone"
    page.get_by_role("button", name="Other readings").click()
    page.wait_for_selector("#turns .reading")
    taken = seen.session["turns"][0]["explanation"]
    assert page.locator("#turns .reading").count() == 3
    assert page.locator("#turns .reading strong").count() >= 1
    page.get_by_role("button", name="More", exact=True).click()
    told = page.locator("#turns .reading span:first-child").all_inner_texts()
    assert len(told) > 3 and len(set(told)) == len(told) and taken not in told
    assert "reading" in page.evaluate("document.activeElement.className")
    page.get_by_role("button", name="None of these: show the right cells").click()
    page.wait_for_selector("#teaching")
    assert TWO[0] in page.locator("#teaching").inner_text()


# Right


def test_an_answer_is_accepted_by_a_click_alone(seen: Seen) -> None:
    sent: list[Any] = []

    def note(request: Any) -> None:
        if "/accept?" in request.url:
            sent.append(request.post_data_json)

    seen.page.on("request", note)
    seen.sample()
    seen.ask(*TWO)
    assert not sent, "asking on is not consent"
    seen.page.locator(".turn").first.get_by_role("button", name="Right", exact=True).click()
    done = seen.page.get_by_role("button", name="Right ✓")
    done.wait_for()
    assert sent == [{"turn": 0}] and done.is_disabled()
    assert "right" in seen.page.locator("#announce").inner_text()
    assert not seen.page.locator("#error").is_visible()
    seen.expected = ("404",)
    seen.page.route("**/accept?*", lambda route: route.fulfill(status=404, json={"detail": "no"}))
    seen.page.locator(".turn").last.get_by_role("button", name="Right", exact=True).click()
    seen.page.wait_for_function("() => !document.querySelector('.right-answer')")
    assert not seen.page.locator("#error").is_visible()


# Waiting


def test_a_question_that_takes_long_is_cancelled(seen: Seen) -> None:
    page = seen.page
    seen.expected = ("Failed to load resource", "net::ERR")
    seen.sample()
    seen.ask(TWO[0])
    held: list[Any] = []
    page.route("**/ask?*", lambda route: held.append(route))
    page.fill("#question", TWO[1])
    page.keyboard.press("Enter")
    begun = time.monotonic()
    assert not page.locator(".wait").count(), "at first nothing is said"
    wait = page.locator(".pending .wait")
    wait.get_by_text("2 s").wait_for()
    assert 1.5 < time.monotonic() - begun < 6
    assert page.get_by_role("button", name="Ask", exact=True).is_disabled()
    assert page.input_value("#question") == "", "it stands above"
    assert not violations(seen, is_waiting=True)
    wait.get_by_role("button", name="Cancel").click()
    page.wait_for_function("() => !document.querySelector('#ask').disabled")
    assert page.locator(".pending").count() == 0
    assert page.input_value("#question") == TWO[1]
    assert not page.locator("#error").is_visible(), "who cancels knows"
    assert len(seen.session["turns"]) == 1 == page.locator(".turn").count()

    def answer_unseen(route: Any) -> None:
        held.append(route.fetch())  # and say nothing of it

    page.unroute("**/ask?*")
    page.route("**/ask?*", answer_unseen)
    page.keyboard.press("Enter")
    wait.get_by_role("button", name="Cancel").click()
    page.wait_for_function("() => !document.querySelector('#ask').disabled")
    assert held[-1].ok, "it was answered all the same"
    assert len(seen.session["turns"]) == 1, "and taken back"
    page.unroute("**/ask?*")
    page.keyboard.press("Enter")
    seen.wait_for_turn(TWO[1])
    assert len(seen.session["turns"]) == 2
    assert set(seen.marked()) == cells_of(seen.session["turns"][1])


def test_a_file_on_its_way_is_told_and_cancelled(seen: Seen) -> None:
    page = seen.page
    seen.open()
    wire = page.context.new_cdp_session(page)
    slow = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 600_000}
    wire.send("Network.enable")
    wire.send("Network.emulateNetworkConditions", slow)
    content = b"Name,Value\n" + b"some town or other,12345\n" * 120_000
    file = {"name": "towns.csv", "mimeType": "text/csv", "buffer": content}
    page.set_input_files("#file", file)
    wait = page.locator("#waiting .wait")
    wait.get_by_text("Sending towns.csv: 1.").wait_for()
    assert "of 2.9 MB" in wait.inner_text()
    assert 0.1 < wait.locator("progress").evaluate("one => one.value") < 0.9
    assert not violations(seen, is_waiting=True)
    wait.get_by_role("button", name="Cancel").click()
    wait.wait_for(state="detached")
    assert page.locator("#start").is_visible() and not page.locator("#error").is_visible()
    late = {**slow, "uploadThroughput": -1, "latency": 2500}
    wire.send("Network.emulateNetworkConditions", late)
    page.set_input_files("#file", {**file, "buffer": b"Name,Value\nMoss,1\n"})
    wait.get_by_text("Reading towns.csv").wait_for()
    wire.send("Network.emulateNetworkConditions", {**late, "latency": 0})
    page.wait_for_selector("#work td[data-cell]")
    assert wait.count() == 0


# What goes wrong


def answering(**answer: Any) -> Callable[[Any], None]:
    return lambda route: route.fulfill(**answer)


def test_errors_say_what_is_the_matter(seen: Seen) -> None:
    page = seen.page
    seen.expected = ("Failed to load resource",)
    seen.sample()
    error = page.get_by_role("alert")
    for status, headers, body, said in (
        (503, {}, "Service Unavailable", "The server has too much to do; try again in a moment."),
        (503, {"Retry-After": "7"}, "", "The server has too much to do; try again in 7 s."),
        (500, {}, "<h1>Internal Server Error</h1>", "Something went wrong inside the server"),
        (504, {}, "<html>", "The server took too long"),
        (422, {}, '{"detail": "the question is empty"}', "The question is empty."),
    ):
        page.route("**/ask?*", answering(status=status, headers=headers, body=body))
        page.fill("#question", TWO[0])
        page.keyboard.press("Enter")
        error.get_by_text(said).wait_for()
        assert "still running" not in error.inner_text()
        assert page.input_value("#question") == TWO[0]
        page.unroute("**/ask?*")
    page.get_by_role("link", name="New table").click()
    for name in ("bad.png", "my bad file", "iPhone sales"):
        file = {"name": name, "mimeType": "", "buffer": b"\x89PNG\r\n\x1a\n" + b"\0" * 20}
        page.set_input_files("#file", file)
        error.get_by_text(name).wait_for()
        assert error.inner_text().startswith(name), "a file keeps its name"


# Sharing


def test_an_answer_is_copied_and_printed(visit: Callable[..., Seen]) -> None:
    seen = visit(permissions=["clipboard-read", "clipboard-write"])
    page = seen.page
    seen.sample()
    seen.ask(*TWO)
    turns = seen.session["turns"]
    for number, turn in enumerate(turns):
        seen.open_part("Share", number).get_by_role("button", name="Copy answer").click()
        page.locator(".turn").nth(number).get_by_text("Copied").wait_for()
        copied = page.evaluate("navigator.clipboard.readText()")
        places = [copied.index(turn[name]) for name in ("question", "explanation", "sql")]
        assert places == sorted(places)
        assert all(text in copied for text in turn["answer"])
    page.locator(".asked button").first.click()
    page.emulate_media(media="print")
    shown = page.locator(".turn:visible")
    assert shown.count() == 1
    text = shown.inner_text()
    assert TWO[0] in text and turns[0]["sql"] in text and turns[0]["explanation"] in text
    for part in ("header", "#sheet", "#form", ".actions"):
        assert not page.locator(part).first.is_visible(), part
    assert page.locator("#work > :visible").count() == 1, "nothing else is on the paper"
