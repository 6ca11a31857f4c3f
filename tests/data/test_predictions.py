"""The official prediction format: what is written is what is read, and nothing is written by
halves.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.data import Question, read_predictions, write_predictions
from denota.data.coordinates import parse_cells, print_cells
from denota.errors import DataError
from denota.tables.table import Table

TABLE = Table.from_rows(["a", "b"], [["1", "2"], ["3", "4"]])
cells = st.frozensets(st.tuples(st.integers(0, 999), st.integers(0, 99)), max_size=6)


def question(id: str = "nt-1", annotator: str = "0", position: int = 0) -> Question:
    return Question(id, annotator, position, "which?", TABLE, "t.csv")


def test_the_file_is_the_official_one(tmp_path: Path) -> None:
    file = tmp_path / "out.tsv"
    write_predictions(file, [(question(), {(10, 0), (2, 1), (2, 0)}), (question(position=1), [])])
    assert file.read_bytes() == (
        b"id\tannotator\tposition\tanswer_coordinates\n"
        b"nt-1\t0\t0\t['(2, 0)', '(2, 1)', '(10, 0)']\n"
        b"nt-1\t0\t1\t[]\n"
    )


@given(st.dictionaries(st.tuples(st.text(), st.text(), st.integers(0, 99)), cells, max_size=5))
def test_reading_gives_back_what_was_written(
    tmp_path_factory: pytest.TempPathFactory,
    predictions: dict[tuple[str, str, int], frozenset[tuple[int, int]]],
) -> None:
    file = tmp_path_factory.mktemp("predictions") / "out.tsv"
    write_predictions(file, [(question(*key), found) for key, found in predictions.items()])
    assert read_predictions(file) == predictions


@given(cells)
def test_printed_cells_are_parsed_back(found: frozenset[tuple[int, int]]) -> None:
    assert parse_cells(print_cells(found)) == tuple(sorted(found))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "(0, 1)",
        "['(0, 1)'",
        "['(0, 1)' '(1, 1)']",
        "['(-1, 0)']",
        "['(0, 1, 2)']",
        "['(٣, 0)']",
        "['(0, 1)']; x",
        "[open('x')]",
        "['(0, 1)\"]",
        f"['({'9' * 5000}, 0)']",
        "['(0, 1)',]",
    ],
)
def test_nothing_but_a_list_of_cells_is_parsed(text: str) -> None:
    assert parse_cells(text) is None


def test_other_systems_spacing_and_quotes_are_read() -> None:
    assert parse_cells('[ "(0,1)" , "( 2, 3 )" ]') == ((0, 1), (2, 3))


def test_a_failure_midway_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    file = tmp_path / "out.tsv"
    file.write_text("old")

    def failing():  # type: ignore[no-untyped-def]
        yield question(), [(0, 0)]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_predictions(file, failing())
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_is_written_through_and_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real.tsv").write_text("old")
    (tmp_path / "link.tsv").symlink_to("real.tsv")
    write_predictions(tmp_path / "link.tsv", [])
    assert (tmp_path / "link.tsv").is_symlink()
    assert (tmp_path / "real.tsv").read_text() == "id\tannotator\tposition\tanswer_coordinates\n"


def test_a_place_that_cannot_be_written_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file" / "out.tsv", tmp_path / "no" / "out.tsv", tmp_path):
        with pytest.raises(DataError, match="cannot write"):
            write_predictions(place, [])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a\t0\t0\tnone", r"pred.tsv:3 has no list .* \[\] for no answer"),
        ("nt-1\t0\t0\t[]", "pred.tsv:3 answers the question nt-1 0 0 again"),
        ("nt-1\t0\tx\t[]", "pred.tsv:3 has the position 'x'"),
        ("nt-1\t0\t1", "pred.tsv:3 has 3 fields"),
    ],
)
def test_a_bad_prediction_is_said_with_its_line(tmp_path: Path, row: str, message: str) -> None:
    file = tmp_path / "pred.tsv"
    file.write_text(f"id\tannotator\tposition\tanswer_coordinates\nnt-1\t0\t0\t['(0, 0)']\n{row}\n")
    with pytest.raises(DataError, match=message):
        read_predictions(file)
