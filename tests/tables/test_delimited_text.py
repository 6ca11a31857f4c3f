"""Delimited text: delimiters, encodings, quotes, line ends, headers."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from denota import TableError, read_table
from denota.tables import Table


def read(text: str | bytes, name: str = "table.csv", **how: object) -> Table:
    return read_table(
        io.BytesIO(text if isinstance(text, bytes) else text.encode()), name=name, **how
    )


def rows(table: Table) -> list[tuple[str, ...]]:
    return [table.names, *(table.row(row) for row in range(len(table)))]


# Delimiters


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n1,2\n", [("a", "b"), ("1", "2")]),
        ("a;b\n1,5;2,5\n3,5;4,5\n", [("a", "b"), ("1,5", "2,5"), ("3,5", "4,5")]),
        ("a\tb\n1,5\tx, y and z\n", [("a", "b"), ("1,5", "x, y and z")]),
        ("a|b\nx, y|z; w\n", [("a", "b"), ("x, y", "z; w")]),
        ('a,b\n"x;y;z",1\n"u;v",2\n', [("a", "b"), ("x;y;z", "1"), ("u;v", "2")]),
        ('a;b\n"x,y,z";1\n"u,v";2\n', [("a", "b"), ("x,y,z", "1"), ("u,v", "2")]),
        ('a,b\n"1|2|3","4|5"\n', [("a", "b"), ("1|2|3", "4|5")]),
        ("name\nAna\nBo\n", [("name",), ("Ana",), ("Bo",)]),
        ('a,b\n"two\nlines",1\n', [("a", "b"), ("two\nlines", "1")]),
        ('a,b\n"say ""hi""",1\n', [("a", "b"), ('say "hi"', "1")]),
        ("a,b\n5'11\",x\n", [("a", "b"), ("5'11\"", "x")]),
        ("a,b\n1,2\n\n\n", [("a", "b"), ("1", "2")]),
        ("\n\na,b\n1,2\n", [("a", "b"), ("1", "2")]),
        ("a,b\n,\n", [("a", "b"), ("", "")]),
        ("a,b\n1,2", [("a", "b"), ("1", "2")]),
        ("a,b\r\n1,2\r\n", [("a", "b"), ("1", "2")]),
        ("a,b\r1,2\r3,4", [("a", "b"), ("1", "2"), ("3", "4")]),
        (
            "a,b\n1,x\u2028y\n2,x\x85y\n3,x\x0cy\n",
            [("a", "b"), ("1", "x\u2028y"), ("2", "x\x85y"), ("3", "x\x0cy")],
        ),
        (
            "Date;Price, net\n1 May;2,50\n2 May;3\n",
            [("Date", "Price, net"), ("1 May", "2,50"), ("2 May", "3")],
        ),
    ],
)
def test_the_delimiter_is_found_out(text: str, expected: list[tuple[str, ...]]) -> None:
    assert rows(read(text)) == expected


def test_a_space_after_the_delimiter_hides_neither_names_nor_numbers() -> None:
    table = read("a, b, c\n1, 2, x y\n")
    assert table.names == ("a", "b", "c")
    assert table["b"].numbers.tolist() == [2]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", ":", " ", "~", "^", "\x1f", "¦"])
def test_a_delimiter_given_is_the_one_used(delimiter: str) -> None:
    others = "".join({",", ";", "|", "\t"} - {delimiter})
    table = read(f"a{delimiter}b\n1{others}2{delimiter}4\n", delimiter=delimiter, format="csv")
    assert rows(table) == [("a", "b"), (f"1{others}2", "4")]


def test_the_name_settles_what_the_text_leaves_open() -> None:
    text = "x,y\tz\n1,2\t3\n"
    assert read(text, name="x.tsv").row(0) == ("1,2", "3")
    assert read(text, name="x.csv").row(0) == ("1", "2\t3")


def test_quotes_may_be_ordinary_characters() -> None:
    table = read('a,b\n"x,y\n5" pipe,z\n', quotes=False)
    assert rows(table) == [("a", "b"), ('"x', "y"), ('5" pipe', "z")]


@pytest.mark.parametrize("delimiter", [",,", "ab", "\n", '"', "\r"])
def test_a_delimiter_is_one_character_that_can_delimit(delimiter: str) -> None:
    with pytest.raises(TableError, match="delimiter"):
        read("a,b\n1,2\n", delimiter=delimiter)


# Encodings

HARBOURS = "Harbour,Boats\nÆrøskøbing,48\nZürich – “See”,7\n"
UNICODE = HARBOURS + "東京,3\n4,Сочи\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (UNICODE, "utf-8"),
        (UNICODE, "utf-8-sig"),
        (UNICODE, "utf-16"),
        ("\ufeff" + UNICODE, "utf-16-le"),
        ("\ufeff" + UNICODE, "utf-16-be"),
        (UNICODE, "utf-16-le"),
        (UNICODE, "utf-16-be"),
        ("a,b\n1,2\n", "utf-16-le"),
        ("a,b\n1,2\n", "utf-16-be"),
        (HARBOURS, "cp1252"),
        (HARBOURS.replace("–", "-").replace("“", "'").replace("”", "'"), "latin-1"),
    ],
)
def test_the_encoding_is_found_out(text: str, encoding: str) -> None:
    expected = [tuple(line.split(",")) for line in text.removeprefix("\ufeff").splitlines()]
    assert rows(read(text.encode(encoding))) == expected
    assert rows(read(text.encode(encoding), encoding=encoding)) == expected


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("町,数\n東京,3\n", "shift_jis"),
        ("n,город\n4,Сочи\n", "cp1251"),
        ("市,数\n北京,3\n", "gb18030"),
        ("ä,n\nö,1\n", "cp437"),
    ],
)
def test_an_encoding_given_is_the_one_used(text: str, encoding: str) -> None:
    assert rows(read(text.encode(encoding), encoding=encoding)) == [
        tuple(line.split(",")) for line in text.splitlines()
    ]


def test_utf_32_is_read_or_refused_but_not_garbled() -> None:
    try:
        table = read(UNICODE.encode("utf-32"))
    except TableError:
        return
    assert table.names == ("Harbour", "Boats")


@pytest.mark.parametrize(
    "encoding", ["no-such-encoding", "base64", "rot13", "zip", "hex", "utf-8\0", "idna"]
)
def test_an_encoding_that_is_none_is_refused(encoding: str) -> None:
    with pytest.raises(TableError) as caught:
        read(HARBOURS, encoding=encoding)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "encoding"),
    [(b"a,b\n\xff\xfe,2\n", "utf-8"), (b"a,b\n\xe9,2\n", "ascii"), (b"a,b\n1", "utf-16")],
)
def test_bytes_that_the_encoding_does_not_have_are_refused(data: bytes, encoding: str) -> None:
    with pytest.raises(TableError, match=encoding):
        read(data, encoding=encoding)


def test_a_legacy_encoding_was_guessed_and_that_is_said() -> None:
    assert any(
        "1252" in note or "latin" in note.casefold()
        for note in read(HARBOURS.encode("cp1252")).notes
    )


# Headers


def test_names_are_made_unique_and_that_is_said() -> None:
    table = read("Year,,Year,,Year (2)\n1,2,3,4,5\n")
    assert table.row(0) == ("1", "2", "3", "4", "5")
    assert len(set(table.names)) == 5 and all(name.strip() for name in table.names)
    assert table.names[0] == "Year" and table.names[4] == "Year (2)"
    changed = [
        name
        for name, was in zip(table.names, ["Year", "", "Year", "", "Year (2)"], strict=True)
        if name != was
    ]
    assert len(changed) == 3
    for name in changed:
        assert any(name in note for note in table.notes)


@pytest.mark.parametrize(
    "header",
    ["a,a,a,a", ",,,", "a,a (2),a,a", "a (2),a,a,a (2)", "a, a ,a\t,A", '"a\nb",a b,"a  b",c'],
)
def test_no_header_gives_two_columns_one_name(header: str) -> None:
    table = read(f"{header}\n1,2,3,4\n")
    assert len(set(table.names)) == 4
    assert [table[name].text for name in table.names] == [("1",), ("2",), ("3",), ("4",)]


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "a\n1\n"])
def test_nothing_is_noted_where_nothing_was_changed(text: str) -> None:
    assert read(text).notes == ()


# Rows of another length


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a,b\n1,2\n3\n4,5\n", 3),
        ("a,b\n1,2\n3,4\n5,6,7\n", 4),
        ('a,b\n"one\ntwo\nthree",2\n3\n', 5),
        ('a,b\r\n"one\r\ntwo",2\r\n3,4\r\n5,6,7\r\n', 5),
        ('"a\nx",b\n1\n', 3),
        ("a,b\r1,2\r3\r", 3),
        ("a,b\n\n\n1,2\n3,4,5\n", 5),
        ('a,b\n"x\n\ny",2\n\n3,4\n1\n', 7),
    ],
)
def test_a_row_of_another_length_is_named_by_its_line(text: str, line: int) -> None:
    with pytest.raises(TableError, match=rf"\bline {line}\b"):
        read(text, delimiter=",")


def test_rows_can_be_filled_and_cut_and_that_is_said() -> None:
    table = read("a,b\n1\n2,3,4\n5,6\n", ragged="fill")
    assert rows(table) == [("a", "b"), ("1", ""), ("2", "3"), ("5", "6")]
    assert table.notes


@pytest.mark.parametrize(
    ("text", "line"),
    [('a,b\n1,2\n3,"4\n5,6\n', 3), ('a,b\n"x\ny",2\n"z,4\n5,6\n7,8\n', 4), ('"a,b\n1,2\n', 1)],
)
def test_an_open_quote_is_named_by_its_line(text: str, line: int) -> None:
    with pytest.raises(TableError, match=rf"\bline {line}\b"):
        read(text, delimiter=",")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" ",
        b"\n\n\n",
        b" \t\r\n ",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\xff\xfe\n\0",
        b"a,b\n",
        b"a,b",
        b"\xef\xbb\xbf\n",
    ],
)
def test_nothing_to_read_is_said(data: bytes) -> None:
    with pytest.raises(TableError) as caught:
        read(data)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "data", [b"a,b\n1,\0\n", b"a,b\n1,2\n\0\0\0\0", b"\0a,b\n1,2\n", b"a\0b\n1\n"]
)
def test_nul_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(TableError):
        read(data)


def test_a_file_name_is_the_name_of_the_table(tmp_path: Path) -> None:
    path = tmp_path / "harbours.csv"
    path.write_text("a,b\n1,2\n")
    assert read_table(path).name == "harbours.csv"
    assert read_table(path, name="ours").name == "ours"
