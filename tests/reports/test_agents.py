"""The page on assistants says what was measured, and shows settings that can be read."""

from __future__ import annotations

import json
import re
import tomllib

from denota.reports.agents import PAGE, RESULTS, page


def test_the_page_is_what_its_results_make() -> None:
    assert PAGE.read_text("utf-8") == page(json.loads(RESULTS.read_text("utf-8")))


def test_what_was_measured_is_in_order() -> None:
    found = json.loads(RESULTS.read_text("utf-8"))
    assert 0 < found["ask_median_s"] <= found["ask_p95_s"] < found["first_ask_s"]
    assert 0 < found["sql_median_s"] <= found["sql_p95_s"]


def test_settings_can_be_read() -> None:
    text = PAGE.read_text("utf-8")
    for block in re.findall(r"```json\n(.*?)```", text, re.DOTALL):
        (servers,) = json.loads(block).values()
        assert servers["denota"]["args"][:2] == ["mcp", "--allow"]
    (block,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert tomllib.loads(block)["mcp_servers"]["denota"]["args"][0] == "mcp"
