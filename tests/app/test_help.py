"""What the command line says of itself."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import denota
from denota.app import options
from denota.tables.body_rows import Ragged
from denota.tables.io import Format


def test_the_version_is_that_of_the_package(run: Callable) -> None:
    said = run("--version")
    assert (said.code, said.err) == (0, "")
    assert said.out.split() == ["denota", denota.__version__]


@pytest.mark.parametrize("option", ["--help", "-h"])
@pytest.mark.parametrize("command", [[], ["show"], ["mcp"], ["data", "sqa"]], ids=" ".join)
def test_help_has_an_example(run: Callable, command: list[str], option: str) -> None:
    said = run(*command, option)
    assert (said.code, said.err) == (0, "")
    text = " ".join(said.out.split())
    assert re.search(r"[Ee]xamples?:", text)
    assert re.search(rf"denota {' '.join(command) or 'show'} \S+", text.split("xample")[-1])


def test_help_of_show_names_every_option(run: Callable) -> None:
    said = run("show", "--help").out
    for option in (
        "--rows",
        "--json",
        "--format",
        "--encoding",
        "--delimiter",
        "--ragged",
        "--sheet",
    ):
        assert option in said


def test_without_a_command_there_is_help(run: Callable) -> None:
    said = run()
    assert said.code == 2
    assert "show" in said.out + said.err


def test_the_options_name_the_formats_that_are_read() -> None:
    assert (options.Format, options.Ragged) == (Format, Ragged)
