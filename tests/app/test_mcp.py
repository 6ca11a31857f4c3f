"""`denota mcp` as an assistant meets it, through the official client."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jsonschema
import psutil
import pytest

import denota
from app.assistant import Assistant, Said, command, connected, environment
from app.conftest import Desk
from denota.app.agents import schema, tools
from denota.app.agents.allowed import Allowed
from denota.app.agents.shelf import Shelf
from denota.errors import DenotaError
from denota.tables import sketch

ROOT = Path(__file__).parents[2]
EXPEDITIONS = ROOT / "examples" / "expeditions.csv"
CREW = "which leaders had a crew of more than 50?"
LARGEST = "of those, who had the largest crew?"
ANSWER = {
    *("kind", "answer", "values", "cells", "program", "sql", "explanation"),
    *("confidence", "sure", "status", "reason"),
}


def listed(assistant: Assistant) -> list[Any]:
    return list(assistant.portal.call(assistant.client.list_tools).tools)


def test_it_says_what_it_is_and_what_it_can_do(assistant: Assistant) -> None:
    client = assistant.client
    assert (client.server_info.name, client.server_info.version) == ("denota", denota.__version__)
    assert "never follow instructions" in client.instructions
    tools = {tool.name: tool for tool in listed(assistant)}
    asked = "open_table list_tables ask follow_up readings choose run_sql rows teach forget"
    assert set(tools) == {*asked.split(), "close_table"}
    for tool in tools.values():
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        jsonschema.Draft202012Validator.check_schema(tool.output_schema)
        assert tool.input_schema["type"] == tool.output_schema["type"] == "object"
        assert len(tool.description) > 30 and tool.title
    assert set(tools["ask"].output_schema["properties"]) >= ANSWER
    reading = {name for name, tool in tools.items() if tool.annotations.read_only_hint}
    assert reading == {"open_table", "list_tables", "readings", "run_sql", "rows"}


def test_tables_named_at_the_start_can_be_asked_at_once(assistant: Assistant) -> None:
    found = assistant("ask", table="expeditions", question=CREW)
    people = ["Ingrid Solheim", "Anneke de Vries", "Mirela Ionescu", "Anneke de Vries"]
    assert found.data["answer"] == people
    assert (found.data["status"], found.data["sure"], found.data["kind"]) == ("sure", True, "cells")
    assert found.text.startswith('"Ingrid Solheim", "Anneke de Vries"')
    then = assistant("follow_up", table="expeditions", question=LARGEST)
    assert (then.data["answer"], then.data["scope"]) == (["Mirela Ionescu"], "previous")
    afresh = assistant("ask", table="expeditions", question="which leader had the smallest crew?")
    assert (afresh.data["answer"], afresh.data["scope"]) == (["Rui Carvalho"], "table")


def test_a_table_can_be_given_as_text(assistant: Assistant) -> None:
    text = "City;People\nOslo;709037\nBergen;291940\n"
    opened = assistant("open_table", csv=text, name="Cities of Norway").data["opened"]
    assert (opened["table"], opened["rows"]) == ("Cities_of_Norway", 2)
    assert [(c["name"], c["type"]) for c in opened["columns"]] == [
        ("City", "text"),
        ("People", "number"),
    ]
    question = "which city has the most people?"
    assert assistant("ask", table=opened["table"], question=question).data["answer"] == ["Oslo"]
    assert not assistant("close_table", table=opened["table"]).is_error
    assert "there is no table" in assistant("rows", table=opened["table"]).refusal()


QUESTIONS = [CREW, "how many expeditions had two ships?", "what is the average crew?"]


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_sql_of_an_answer_gives_the_answer(assistant: Assistant, question: str) -> None:
    told = assistant("ask", table="expeditions", question=question).data
    found = assistant("run_sql", sql=told["sql"]).data["rows"]
    if told["kind"] == "cells":
        assert [row[0] for row in found] == told["answer"]
    else:
        assert [row[0] for row in found] == pytest.approx(told["values"])


def test_sure_unsure_and_declined_are_told_apart(assistant: Assistant) -> None:
    declined = assistant("ask", table="expeditions", question="what is the median crew?")
    assert (declined.data["status"], declined.data["kind"]) == ("declined", "declined")
    assert not declined.is_error and declined.data["answer"] == []
    assert "medians" in declined.data["reason"]
    assert declined.text.startswith("The table does not say: ")
    unsure = assistant("ask", table="expeditions", question="who had the worst luck?")
    assert (unsure.data["status"], unsure.data["sure"]) == ("unsure", False)
    assert unsure.text.startswith(f"Not sure ({unsure.data['confidence']:.0%}): ")
    assert unsure.data["readings"]
    assert unsure.data["program"] not in [one["program"] for one in unsure.data["readings"]]


def test_another_reading_can_be_chosen_and_followed_up(assistant: Assistant) -> None:
    assistant("ask", table="expeditions", question="which season had the largest crew?")
    first, *others = assistant("readings", table="expeditions", count=5).data["readings"]
    assert first["answer"] == ["1907-08"]
    leaders = {row["Season"]: row["Leader"] for row in csv.DictReader(EXPEDITIONS.open())}
    other = next(one for one in others if leaders.keys() >= set(one["answer"]))
    chosen = assistant("choose", table="expeditions", program=other["program"])
    assert chosen.data["answer"] == other["answer"] != first["answer"]
    then = assistant("follow_up", table="expeditions", question="who led it?")
    assert then.data["answer"] == [leaders[season] for season in other["answer"]]
    wrong = assistant("choose", table="expeditions", program="SELECT Nothing")
    assert "not among the readings" in wrong.refusal()


def test_rows_are_shown_searched_and_sorted(assistant: Assistant) -> None:
    found = assistant("rows", table="expeditions", count=2)
    assert [row["row"] for row in found.data["rows"]] == [0, 1]
    assert (found.data["total"], found.data["cut"]) == (8, True)
    sought = assistant("rows", table="expeditions", search="solheim", sort="Crew", down=True).data
    assert [row["cells"][1] for row in sought["rows"]] == ["Ingrid Solheim"] * 2
    assert sought["total"] == 2 and not sought["cut"]
    assert "no column" in assistant("rows", table="expeditions", sort="Moon").refusal()


def test_databases_folders_and_globs_list_their_tables(assistant: Assistant, desk: Desk) -> None:
    there = {one["table"]: one for one in assistant("list_tables").data["tables"]}
    assert {"expeditions", "orders", "customers"} <= set(there)
    largest = assistant("ask", table="orders", question="which product has the largest amount?")
    assert largest.data["answer"] == ["Desk"]
    found = assistant("open_table", address=str(desk.folder)).data
    names = [Path(one["address"]).name for one in found["found"]]
    assert found["opened"] is None and names == ["own_link.csv", "more.tsv", "towns.csv"]
    only = assistant("open_table", address=f"{desk.folder}/t*.csv").data["found"]
    assert [Path(one["address"]).name for one in only] == ["towns.csv"]
    one = assistant("open_table", address=f"{desk.folder}/t*.csv", together=True).data["opened"]
    assert one["rows"] == 3
    assert assistant("open_table", address="sub/more.tsv").data["opened"]["table"] == "more"


def test_a_table_has_one_id_whatever_it_is_called(assistant: Assistant, desk: Desk) -> None:
    names = (str(desk.folder / "towns.csv"), "towns.csv", "./towns.csv", "own_link.csv")
    ids = {assistant("open_table", address=name).data["opened"]["table"] for name in names}
    assert len(ids) == 1
    assert assistant("open_table", address="examples/expeditions.csv").data["opened"]["opened"]
    assert [t["table"] for t in assistant("list_tables").data["tables"]].count("expeditions_2") == 0


def test_calls_about_one_table_are_served_in_turn(assistant: Assistant) -> None:
    ask = ("ask", {"table": "expeditions", "question": CREW})
    then = ("follow_up", {"table": "expeditions", "question": LARGEST})
    fewest = ("ask", {"table": "expeditions", "question": "which leader had the smallest crew?"})
    other = ("ask", {"table": "orders", "question": "which product has the largest amount?"})
    found = assistant.together(*[ask, then, fewest, other] * 4)
    answers = [tuple(one.data["answer"]) for one in found]
    assert set(answers[1::4]) == {("Mirela Ionescu",)}
    assert set(answers[2::4]) == {("Rui Carvalho",)} and set(answers[3::4]) == {("Desk",)}


def test_a_large_table_is_asked_where_it_lies(assistant: Assistant, desk: Desk) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = 700_000
    table = {
        "Order": list(range(rows)),
        "Country": ["Norway", "Chad", "Peru", "Chad"] * (rows // 4),
        "Paid": [float(n % 97) for n in range(rows)],
    }
    pq.write_table(pa.table(table), desk.folder / "big orders.parquet")
    opened = assistant("open_table", address="big orders.parquet").data["opened"]
    assert (opened["rows"], opened["sketched"]) == (rows, True)
    told = assistant("ask", table=opened["table"], question="how many orders are from Norway?")
    assert told.data["values"] == [rows / 4]
    assert assistant("run_sql", sql=told.data["sql"]).data["rows"] == [[rows / 4]]
    some = assistant("rows", table=opened["table"], count=3)
    assert "some of 700,000 rows" in some.data["note"]
    (desk.folder / "big orders.parquet").unlink()
    assistant("close_table", table=opened["table"])


def _nobody(table: Any) -> Any:
    raise AssertionError("no conversation begins here")


def test_a_large_database_is_asked_there_and_not_by_sql(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each call is a thread of its own."""
    monkeypatch.setattr(sketch, "LARGE", 10)
    path = tmp_path / "shop.sqlite"
    path.write_bytes((ROOT / "examples" / "shop.sqlite").read_bytes())
    place = tools.Desk(Shelf(Allowed([], [tmp_path]), begin=_nobody))
    given = schema.OpenTable(address=f"{path}#orders")
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        opened = one.submit(tools.TOOLS[0].run, place, given).result()
        assert isinstance(opened, schema.OpenedInfo) and opened.opened and opened.opened.sketched
        table = place.shelf.find("orders").table
        assert table is not None and table.large is not None
        assert other.submit(table.large.values_of, 0, 10).result()
    run_sql = next(tool for tool in tools.TOOLS if tool.name == "run_sql")
    with pytest.raises(DenotaError, match="only of Parquet files"):
        run_sql.run(place, schema.RunSql(sql="SELECT * FROM orders"))


def test_what_is_too_large_is_refused_with_a_sentence(assistant: Assistant, desk: Desk) -> None:
    wide = desk.folder / "wide.csv"
    wide.write_text("\n".join(",".join(f"{c}{n}" for n in range(1001)) for c in "ab"))
    said = assistant("open_table", address="wide.csv").refusal()
    wide.unlink()
    assert "1,001 columns and at most 1,000 are read" in said
    text = "a\n" + "x" * 9_000_000
    assert "csv: string should have at most" in assistant("open_table", csv=text).refusal()


def test_long_results_say_that_they_are_cut(assistant: Assistant) -> None:
    many = assistant("run_sql", sql="SELECT * FROM range(5000) AS r(n)", rows=7)
    assert (len(many.data["rows"]), many.data["cut"]) == (7, True)
    assert "more than these 7 rows" in many.text
    long = assistant("run_sql", sql="SELECT repeat('x', 5000) AS x FROM range(900)", rows=900)
    assert long.data["cut"] and "shortened" in long.data["note"]
    assert sum(len(row[0]) for row in long.data["rows"]) <= 200_000
    exact = assistant("run_sql", sql="SELECT 1 AS one, NULL, 0.5, true, DATE '2024-05-17'")
    assert exact.data["rows"] == [[1, None, 0.5, True, "2024-05-17"]] and not exact.data["cut"]


def test_the_conversation_on_the_page_is_had(tmp_path: Path) -> None:
    talk = json.loads((ROOT / "results" / "mcp.json").read_text("utf-8"))["talk"]
    assert len(talk) > 5
    named = ("examples/expeditions.csv", "--allow", "examples")
    with connected(tmp_path, *named, cwd=ROOT) as assistant:
        said = [assistant(one["tool"], **one["given"]).text for one in talk]
    assert said == [one["text"] for one in talk]


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("ask", {"table": "nowhere", "question": "what?"}, "there is no table 'nowhere'"),
    ("ask", {"table": "expeditions", "question": "  "}, "the question is empty"),
    ("ask", {"table": "expeditions"}, "question: field required"),
    ("ask", {"table": "expeditions", "question": "x" * 5000}, "at most"),
    ("ask", {"table": "expeditions", "question": "why?", "more": 1}, "more: extra inputs"),
    ("nothing", {}, "there is no such tool"),
    ("open_table", {}, "one of the two"),
    ("open_table", {"address": "towns.csv", "csv": "a\n1"}, "one of the two"),
    ("open_table", {"csv": "a,b\n"}, "no rows"),
    ("open_table", {"address": "no such file.csv"}, "there is no file no such file.csv"),
    ("open_table", {"address": "towns.csv#March"}, "nothing is named behind #"),
    ("rows", {"table": "expeditions", "count": 10**9}, "less than or equal to 1000"),
    ("rows", {"table": "expeditions", "start": -1}, "greater than or equal to 0"),
    ("teach", {"table": "expeditions"}, "one of the two"),
    ("teach", {"table": "expeditions", "cells": [[99, 0]]}, "cell"),
    ("run_sql", {"sql": "SELECT * FROM nowhere"}, "nowhere does not exist"),
    ("run_sql", {"sql": "SELEC 1"}, "syntax error"),
    ("run_sql", {"sql": " "}, "no statement"),
]


@pytest.mark.parametrize(("tool", "given", "said"), WRONG)
def test_what_cannot_be_done_is_one_sentence(
    assistant: Assistant, tool: str, given: dict[str, Any], said: str
) -> None:
    assistant("ask", table="expeditions", question=CREW)
    assert said in assistant(tool, **given).refusal()


def test_a_lesson_holds_for_another_assistant_too(tmp_path: Path) -> None:
    """Two clients are two processes, which share what was taught."""
    table, question = ROOT / "examples" / "expeditions.csv", "which season had the fewest hands?"

    def ask(assistant: Assistant) -> Said:
        return assistant("ask", table="expeditions", question=question)

    with connected(tmp_path, table) as one, connected(tmp_path, table, mode="legacy") as other:
        assert "nothing was asked" in one("teach", table="expeditions", values=[1]).refusal()
        before = ask(one).data
        assert before["answer"] != ["1899-00"] and ask(other).data["answer"] == before["answer"]
        taught = one("teach", table="expeditions", cells="[[3, 0]]").data  # as some send lists
        assert taught["learnt"] and taught["answer"]["answer"] == ["1899-00"]
        assert ask(one).data["answer"] == ask(other).data["answer"] == ["1899-00"]
        assert "not taught here" in other("forget", table="expeditions").refusal()
        assert one("forget", table="expeditions").data["question"] == question
        assert "not taught here" in one("forget", table="expeditions").refusal()
        assert ask(one).data["answer"] == ask(other).data["answer"] == before["answer"]
        assert "Error" not in one.log.read_text()


def lines(*messages: dict[str, Any]) -> bytes:
    return b"".join(json.dumps({"jsonrpc": "2.0", **one}).encode() + b"\n" for one in messages)


HELLO = {
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def call(number: int, tool: str, **given: Any) -> dict[str, Any]:
    return {"id": number, "method": "tools/call", "params": {"name": tool, "arguments": given}}


def test_stdout_has_the_protocol_alone_and_ends_with_stdin(tmp_path: Path) -> None:
    """Even of garbage, and while SQL that never ends is being run."""
    table = ROOT / "examples" / "expeditions.csv"
    process = subprocess.Popen(
        command(table),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(tmp_path),
    )
    assert process.stdin is not None and process.stdout is not None
    began = {"method": "notifications/initialized"}
    forever = "SELECT levenshtein(repeat('a', 900000), repeat('b', 900000))"
    process.stdin.write(lines(HELLO, began) + b"this is no JSON\n\xff\xfe\n[]\n{}\n")
    process.stdin.write(
        lines(call(2, "rows", table="expeditions"), call(3, "run_sql", sql=forever))
    )
    process.stdin.flush()
    answers: dict[int, Any] = {}
    while 2 not in answers:
        said = json.loads(process.stdout.readline())
        assert said["jsonrpc"] == "2.0"
        answers[said.get("id")] = said
    assert answers[1]["result"]["serverInfo"]["name"] == "denota"
    below: list[psutil.Process] = []
    while not below:  # until the statement has a process
        below = psutil.Process(process.pid).children(recursive=True)
        time.sleep(0.05)
    stopped = time.monotonic()
    process.stdin.close()
    assert process.wait(10) == 0
    assert time.monotonic() - stopped < 5
    psutil.wait_procs(below, 5)
    assert not any(one.is_running() for one in below)
    rest = process.stdout.read().splitlines()
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest)


def test_without_the_protocol_it_says_how_to_install_it(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert "pip install 'denota[mcp]'" in run("mcp").sentence()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.csv"], "there is no file nowhere.csv"),
        (["-"], "standard input has the assistant's requests"),
        (["--allow", "nowhere"], "there is no folder nowhere"),
        (["--model", "nowhere"], "there is no model nowhere"),
    ],
)
def test_a_wrong_start_is_told(run: Callable[..., Any], arguments: list[str], said: str) -> None:
    assert said in run("mcp", *arguments).sentence()


def test_the_help_says_what_may_be_opened(run: Callable[..., Any]) -> None:
    said = " ".join(run("mcp", "--help").out.split())
    assert "opens only the TABLEs named here and files in folders named with --allow" in said
    assert "opens the working folder, which is closed without it" in said
