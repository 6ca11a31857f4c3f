"""Plots: SVG that any parser of XML reads, bars as long as their values, lines of a terminal."""

from __future__ import annotations

import math
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from denota.conversation.plot import Plot, svg, text
from denota.conversation.view import view_of
from denota.conversation.written import run_programs
from denota.tables import read_table

ROOT = Path(__file__).parents[2]

HOSTILE = (
    '"><script>alert(1)</script>',
    "</title></svg><img src=x onerror=alert(1)>",
    "]]>&amp;&#0;\x00\x1b[31m\ud800\ufffe",
    "a\u202eb\u2066\n\t" * 5,
    "長い名前" * 20,
    "e\u0301" * 50,
)
SVG = "{http://www.w3.org/2000/svg}"
numbers = st.one_of(
    st.floats(-1e300, 1e300), st.floats(-1000, 1000), st.just(math.nan), st.just(0.0)
)
labels = st.one_of(st.text(max_size=40), st.sampled_from(HOSTILE))


@st.composite
def plots(draw: st.DrawFn, kind: str | None = None, most: int = 12) -> Plot:
    count = draw(st.integers(1, most))
    kinds = st.sampled_from(("bar", "line", "share")) if kind is None else st.just(kind)
    return Plot(
        draw(kinds),  # type: ignore[arg-type]
        draw(labels),
        tuple(draw(st.lists(labels, min_size=count, max_size=count))),
        tuple(draw(st.lists(numbers, min_size=count, max_size=count))),
        draw(st.sampled_from(("", "$", "%", "km", "time", "<b>"))),
        frozenset(draw(st.lists(st.integers(0, count - 1), max_size=2))),
    )


@settings(max_examples=150, deadline=None)
@given(plots())
def test_svg_is_xml_without_script_style_or_links(plot: Plot) -> None:
    drawn = svg(plot)
    root = ElementTree.fromstring(drawn)
    assert root.tag == f"{SVG}svg" and root.get("role") == "img"
    assert root[0].tag == f"{SVG}title"
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in ("svg", "title", "text", "rect", "path", "circle")
        for name, value in element.attrib.items():
            assert name != "style" and not name.startswith("on") and "href" not in name
            if name in ("x", "y", "width", "height", "cx", "cy", "r"):
                assert math.isfinite(float(value))
                assert name not in ("width", "height") or float(value) >= 0
        assert "nan" not in element.get("d", "") and "inf" not in element.get("d", "")


def bars(plot: Plot) -> list[tuple[float, float]]:
    """(start, width) of each bar."""
    drawn = ElementTree.fromstring(svg(plot)).iter(f"{SVG}rect")
    found = [one for one in drawn if one.get("class") == "plot-bar"]
    return [(float(one.get("x", "")), float(one.get("width", ""))) for one in found]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=1, max_size=30))
def test_bars_are_as_long_as_their_values(values: list[float]) -> None:
    drawn = bars(Plot("bar", "t", tuple(map(str, range(len(values)))), tuple(values)))
    assert len(drawn) == len(values)
    largest = max(range(len(values)), key=lambda place: abs(values[place]))
    if abs(values[largest]) < 1e-3:
        return
    scale = drawn[largest][1] / abs(values[largest])
    assert scale > 0
    zeros = []
    for value, (start, width) in zip(values, drawn, strict=True):
        assert width == pytest.approx(scale * abs(value), abs=0.02)
        zeros.append(start + width if value < 0 else start)
    assert max(zeros) - min(zeros) < 0.03, "they begin at one zero"


def test_long_labels_leave_room_for_bars() -> None:
    sums = (-1234567890.5, 1234567890.5)
    (first, left), (second, right) = bars(Plot("bar", "t", ("label " * 9,) * 2, sums, "$"))
    assert left == right > 5 and second == pytest.approx(first + left, abs=0.02)


def test_what_is_drawn_of_one_bar_of_none_and_of_zero() -> None:
    assert len(bars(Plot("bar", "t", ("a",), (3.0,)))) == 1
    assert bars(Plot("bar", "t", ("a", "b"), (math.nan, 2.0)))[0][1] > 0
    assert len(bars(Plot("bar", "t", ("a", "b"), (math.nan, math.inf)))) == 0
    assert [width for _, width in bars(Plot("bar", "t", ("a", "b"), (0.0, 0.0)))] == [0, 0]
    empty = svg(Plot("line", "t", ("a", "b"), (math.nan, math.nan)))
    assert "<circle" not in empty


def test_shares_fill_the_whole() -> None:
    (first, width), (second, rest) = bars(Plot("share", "t", ("a", "b"), (25.0, 75.0), "%"))
    assert first == 0 and second == pytest.approx(width) and rest == pytest.approx(3 * width)


def test_a_line_breaks_where_a_value_is_missing() -> None:
    drawn = svg(Plot("line", "t", tuple("abcde"), (1.0, 2.0, math.nan, 3.0, 4.0)))
    (path,) = re.findall(r'class="plot-line" d="([^"]*)"', drawn)
    assert [step[0] for step in path.split() if step[0].isalpha()] == ["M", "L", "M", "L"]
    places = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', drawn)
    xs, ys = ([float(one[axis]) for one in places] for axis in (0, 1))
    assert xs == sorted(xs) and ys == sorted(ys, reverse=True), "later is right, larger is up"


@pytest.mark.parametrize("count", range(3, 60))
def test_labels_below_a_line_do_not_touch(count: int) -> None:
    names = tuple(f"{1900 + n}-{n:02}" for n in range(count))
    drawn = svg(Plot("line", "t", names, tuple(map(float, range(count)))))
    ticks = re.findall(r'<text x="([\d.]+)"[^>]* text-anchor="(\w+)"[^>]*>(\d{4}-\d\d)<', drawn)
    assert ticks[0][2] == names[0] and ticks[-1][2] == names[-1]
    before = -1.0
    for x, anchor, label in ticks:
        wide = 6 * len(label)
        start = float(x) - wide * {"start": 0, "middle": 0.5, "end": 1}[anchor]
        assert start > before
        before = start + wide


@settings(max_examples=150, deadline=None)
@given(plots(most=50), st.integers(1, 100))
def test_lines_of_a_terminal_fit(plot: Plot, width: int) -> None:
    lines = text(plot, width).split("\n")
    assert all(cell_len(line) <= max(width, 12) for line in lines)
    one_row = plot.kind == "line" and len(plot.labels) > 30
    assert len(lines) == (3 if one_row else len(plot.labels))


def test_bars_of_a_terminal() -> None:
    drawn = text(Plot("bar", "t", ("up", "down", "none", "zero"), (8.0, -4.0, math.nan, 0.0)), 40)
    up, down, none, zero = drawn.split("\n")
    assert up.count("█") == pytest.approx(2 * down.count("█"), abs=1)
    assert up.index("█") == down.rindex("█") + 1, "they part at zero"
    assert "█" not in none + zero and none.endswith("none") and zero.endswith("0")
    rising = text(Plot("line", "t", tuple(map(str, range(40))), tuple(map(float, range(40)))), 40)
    row, ends, bounds = rising.split("\n")
    assert list(row) == sorted(row) and row[0] == "▁" and row[-1] == "█"
    assert (ends, bounds) == ("0 – 39", "0 to 39")


def test_the_picture_of_the_documents_is_drawn_so() -> None:
    table = read_table(ROOT / "examples" / "expeditions.csv")
    (turn,) = run_programs(table, ["AVERAGE PER (SELECT Leader, Crew)"])
    plot = view_of(turn).plot
    assert plot is not None
    grey = svg(plot).replace("<svg ", '<svg color="#6e7781" ', 1)  # it stands on any ground
    assert (ROOT / "docs" / "plot.svg").read_text(encoding="utf-8") == grey + "\n"


def test_each_label_has_a_value() -> None:
    with pytest.raises(ValueError, match="each label"):
        Plot("bar", "t", ("a",), ())
