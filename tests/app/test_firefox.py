"""The main path in Firefox: a table is opened, asked, followed up, and the answer seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.browser import Server, free_port
from app.firefox import FIREFOX, KEYS, Firefox

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(FIREFOX is None, reason="firefox is not installed; `make browser` says how"),
]
TWO = ("which castles have the condition intact?", "of those, which has the most annual visitors?")
#: What goes wrong on the page from now on.
LISTEN = """
window.complaints = [];
for (const name of ["error", "unhandledrejection", "securitypolicyviolation"]) {
  addEventListener(name, ({ message, reason, blockedURI }) => {
    window.complaints.push(`${name}: ${message ?? reason ?? blockedURI}`);
  });
}
"""
MARKED = "return [...document.querySelectorAll('#body td.marked')].map((one) => one.textContent)"


def test_the_main_path(server: Server, tmp_path: Path) -> None:
    with Firefox(tmp_path, free_port()) as firefox:
        firefox.open(server.url)
        firefox.script(LISTEN)
        firefox.wait("document.querySelector('#samples button')")
        firefox.script("document.querySelector('#all:not([hidden])')?.click()")
        name = "[...document.querySelectorAll('#samples button')]"
        sample = f"{name}.find((one) => /castles/i.test(one.textContent))"
        firefox.script(f"{sample}.id = 'wanted'; {sample}.scrollIntoView()")
        firefox.click("#wanted")
        firefox.wait("document.querySelector('#work:not([hidden]) #body td[data-cell]')")
        for number, question in enumerate(TWO, 1):
            firefox.type("#question", question + KEYS["Enter"])
            firefox.wait(f"document.querySelectorAll('.turn:not(.pending)').length === {number}")
            firefox.wait("document.querySelector('#body td.marked')")
        last = ".turn:last-child"
        assert firefox.text(f"{last} .value") == "Ysolde's Seat"
        assert firefox.text(f"{last} .scoped").startswith("among the 3 above")
        firefox.wait(f'({MARKED.removeprefix("return ")}).join() === "Ysolde\'s Seat"')
        firefox.click(f"{last} .mini button")  # the row is where it was
        assert firefox.script(MARKED) == ["Ysolde's Seat"]
        assert firefox.script("return document.querySelector('.turn:last-child svg rect') !== null")
        firefox.click(f"{last} .drop")
        firefox.wait("!document.querySelector('.pending') && !document.querySelector('.scoped')")
        firefox.type("#question", KEYS["Backspace"])
        assert firefox.script("return document.querySelector('#afresh').ariaPressed") == "true"
        assert firefox.script("return window.complaints") == []
