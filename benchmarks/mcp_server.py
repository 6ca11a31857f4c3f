"""`denota mcp` as an assistant waits for it, by the official client; prints one JSON object.

    python benchmarks/mcp_server.py > results/mcp.json
    python benchmarks/mcp_server.py --talk

From the start of the process to the handshake; the first question, for which the model is loaded;
questions after it; SQL, the first of which starts a process. And a conversation, as it is told,
which `--talk` puts into results/mcp.json again and leaves the figures as they are.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

ROOT: Final = Path(__file__).parents[1]
RESULTS: Final = ROOT / "results" / "mcp.json"
QUESTIONS: Final = (
    "which leaders departed in May?",
    "who departed after 1900?",
    "which season cost the most?",
    "which three seasons had the largest crew?",
    "which season had a crew of 90?",
    "what were the crew and the cost in 1907-08?",
    "how many expeditions had a crew of more than 50?",
    "what is the average crew?",
)
SQL: Final = "SELECT Leader, COUNT(*) FROM expeditions GROUP BY Leader ORDER BY Leader"
TALK: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("open_table", {"address": "examples/expeditions.csv"}),
    ("ask", {"table": "expeditions", "question": "which leaders had a crew of more than 50?"}),
    ("follow_up", {"table": "expeditions", "question": "of those, who had the largest crew?"}),
    ("ask", {"table": "expeditions", "question": "which one sailed to the moon?"}),
    ("ask", {"table": "expeditions", "question": "what is the median crew?"}),
    (
        "run_sql",
        {
            "sql": "SELECT MEDIAN(TRY_CAST(REGEXP_EXTRACT(Crew, '[0-9]+') AS INT)) AS median "
            "FROM expeditions"
        },
    ),
    ("open_table", {"address": "/etc/passwd"}),
)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    asked.add_argument("--starts", type=int, default=5)
    asked.add_argument("--asks", type=int, default=200)
    asked.add_argument("--talk", action="store_true", help="keep the figures; only talk anew")
    given = asked.parse_args()
    if given.talk:
        kept = json.loads(RESULTS.read_text("utf-8"))
        kept["talk"] = asyncio.run(measured(1, 2))["talk"]
        RESULTS.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")
        return
    print(json.dumps(asyncio.run(measured(given.starts, given.asks)), indent=1, ensure_ascii=False))


async def measured(starts: int, asks: int) -> dict[str, Any]:
    """Start several servers, ask the last many questions, and have a conversation with it."""
    handshakes, firsts = [], []
    later: list[float] = []
    sql: list[float] = []
    talk: list[dict[str, Any]] = []
    for number in range(starts):
        with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as nowhere:
            began = time.perf_counter()
            async with Client(stdio_client(_server(folder), errlog=nowhere)) as client:
                handshakes.append(time.perf_counter() - began)
                firsts.append(await _seconds(client, "ask", question=QUESTIONS[0]))
                if number < starts - 1:
                    continue
                for place in range(asks):
                    question = QUESTIONS[place % len(QUESTIONS)]
                    later.append(await _seconds(client, "ask", question=question))
                for _ in range(max(asks // 2, 2)):
                    sql.append(await _seconds(client, "run_sql", sql=SQL))
                for tool, given in TALK:
                    found = await client.call_tool(tool, given)
                    talk.append({"tool": tool, "given": given, "text": found.content[0].text})
    return {
        "command": "python benchmarks/mcp_server.py > results/mcp.json",
        "sdk": version("mcp"),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "starts": starts,
        "handshake_s": _told(statistics.median(handshakes)),
        "first_ask_s": _told(statistics.median(firsts)),
        "asks": asks,
        "ask_median_s": _told(statistics.median(later)),
        "ask_p95_s": _told(_p95(later)),
        "first_sql_s": _told(sql[0]),
        "sqls": len(sql) - 1,
        "sql_median_s": _told(statistics.median(sql[1:])),
        "sql_p95_s": _told(_p95(sql[1:])),
        "talk": talk,
    }


def _server(folder: str) -> StdioServerParameters:
    own = {
        name: os.environ[name] for name in ("PYTHONPATH", "OMP_NUM_THREADS") if name in os.environ
    }
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "denota", "mcp", "examples/expeditions.csv", "--allow", "examples"],
        env={**own, "DENOTA_LESSONS": str(Path(folder) / "lessons.sqlite")},
        cwd=ROOT,
    )


async def _seconds(client: Client, tool: str, **given: Any) -> float:
    began = time.perf_counter()
    told = {"table": "expeditions", **given} if tool == "ask" else given
    found = await client.call_tool(tool, told)
    assert not found.is_error, found
    return time.perf_counter() - began


def _p95(values: list[float]) -> float:
    return sorted(values)[int(0.95 * (len(values) - 1))]


def _told(seconds: float) -> float:
    return round(seconds, 4)


if __name__ == "__main__":
    main()
