"""Every page and state in a real browser, checked by axe-core: no violation of any impact."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from app.browser import Seen

sync_playwright = pytest.importorskip("axe_playwright_python.sync_playwright")

pytestmark = pytest.mark.slow
TWO = ("which castles have the condition intact?", "of those, which has the most annual visitors?")
STANDARDS = "wcag2a wcag2aa wcag21a wcag21aa wcag22aa best-practice".split()
LOOKS = [(scheme, width) for scheme in ("light", "dark") for width in (360, 1440)]


@pytest.fixture(params=LOOKS, ids=lambda look: f"{look[0]}-{look[1]}")
def looked(request: pytest.FixtureRequest, visit: Callable[..., Seen]) -> Iterator[Seen]:
    scheme, width = request.param
    yield visit(color_scheme=scheme, viewport={"width": width, "height": 800})


def violations(seen: Seen, is_waiting: bool = False) -> list[str]:
    """What axe-core finds wrong with the page as it is now, a line for each element."""
    if not is_waiting:
        seen.settle()
    options = {"runOnly": {"type": "tag", "values": STANDARDS}}
    found: Any = sync_playwright.Axe().run(seen.page, options=options).response
    assert len(found["passes"]) > 10
    return [
        f"{one['id']} ({one['impact']}): {node['html'][:120]}"
        for one in found["violations"]
        for node in one["nodes"]
    ]


def test_the_start_page(looked: Seen) -> None:
    looked.open()
    assert not violations(looked)
    looked.sample()
    looked.page.get_by_role("link", name="New table").click()  # with a table to come back to
    looked.page.locator("#recents a").wait_for()
    assert not violations(looked)


def test_a_table_and_how_it_was_read(looked: Seen) -> None:
    page = looked.page
    looked.open()
    text = "Towns of the north\n\nTown;Area\nMoss;12\nOslo;5\n"
    file = {"name": "towns.csv", "mimeType": "text/csv", "buffer": text.encode()}
    page.set_input_files("#file", file)
    page.wait_for_selector("#work td[data-cell]")
    assert not violations(looked)
    page.get_by_text("How it was read").click()
    assert not violations(looked)


def test_a_conversation_its_readings_and_the_export_menu(looked: Seen) -> None:
    page = looked.page
    looked.sample()
    looked.ask(*TWO)
    assert not violations(looked)
    looked.open_part("How")
    looked.open_part("Share")
    page.get_by_role("button", name="Other readings").click()
    page.wait_for_selector("#turns .reading")
    assert not violations(looked)
    page.get_by_role("button", name="Export").click()
    page.locator("#menu").wait_for()
    assert not violations(looked)


def test_doubt_and_an_error(looked: Seen) -> None:
    looked.change_answers(lambda turn: turn.update(sure=False, confidence=0.41))
    looked.sample()
    looked.ask(TWO[0])
    looked.page.wait_for_selector("#turns .reading")
    looked.page.evaluate(
        "import('/page/notices.js').then((notices) => notices.fail(new Error('an example')))"
    )
    looked.page.get_by_role("alert").wait_for()
    assert not violations(looked)


def test_teaching(looked: Seen) -> None:
    page = looked.page
    looked.sample()
    looked.ask(TWO[0])
    page.locator(".wrong").click()
    page.wait_for_selector("#teaching")
    page.wait_for_function("() => document.activeElement.matches('td[data-cell]')")
    assert not violations(looked)
    page.locator("td[data-cell='0,0']").click()
    page.wait_for_selector("#reading-ahead .reading")
    assert not violations(looked)
    page.get_by_role("button", name="Teach", exact=True).click()
    page.wait_for_selector("#teaching", state="hidden")
    looked.settle()
    page.locator("#lessons summary").click()
    assert not violations(looked)


def test_the_api_page(looked: Seen) -> None:
    page = looked.page
    looked.open_api()
    assert not violations(looked)
    samples = next(name for name in paths(looked) if name.endswith("/samples"))
    looked.request(f"GET {samples}").locator("> summary").click()
    looked.request(f"GET {samples}").get_by_role("button", name="Send").click()
    page.locator(".status", has_text="200 OK").wait_for()
    assert not violations(looked)
    for _ in range(3):  # requests, fields, and fields within
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        looked.settle()
    assert page.locator(".request[open] .try").count() == page.locator(".request").count() > 10
    assert not violations(looked)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def paths(seen: Seen) -> list[str]:
    return list(httpx.get(f"{seen.server.url}/openapi.json").json()["paths"])
