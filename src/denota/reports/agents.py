"""docs/agents.md, from results/mcp.json: tables for assistants, and how long they wait.

Usage: python -m denota.reports.agents
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from denota.reports.markdown import table

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "agents.md"
RESULTS: Final = ROOT / "results" / "mcp.json"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(json.loads(RESULTS.read_text("utf-8"))), encoding="utf-8")


def page(found: Mapping[str, Any]) -> str:
    """Return the page's Markdown."""
    talk = "\n\n".join(
        f"› {one['tool']} {json.dumps(one['given'], ensure_ascii=False)}\n{one['text']}"
        for one in found["talk"]
    )
    parts = (_TOP, _TALK.format(talk=talk), _SETTINGS, _TOOLS, _CLOSED, _costs(found), _AGAIN)
    return "\n\n".join(parts) + "\n"


def _costs(found: Mapping[str, Any]) -> str:
    lines = [
        ("", "median", "95% within", "measured"),
        ("start to handshake", _seconds(found["handshake_s"]), "", f"{found['starts']} starts"),
        ("first question", _seconds(found["first_ask_s"]), "", f"{found['starts']} starts"),
        (
            "each after it",
            _seconds(found["ask_median_s"]),
            _seconds(found["ask_p95_s"]),
            f"{found['asks']} questions",
        ),
        ("first SQL", _seconds(found["first_sql_s"]), "", "once"),
        (
            "each after it",
            _seconds(found["sql_median_s"]),
            _seconds(found["sql_p95_s"]),
            f"{found['sqls']} statements",
        ),
    ]
    where = f"{found['cores']} cores with a load of {found['load']} in all"
    return f"## What it costs\n\n{_COSTS.format(where=where)}\n\n{table(*lines)}"


def _seconds(value: float) -> str:
    return f"{value:.2f} s" if value >= 0.995 else f"{1000 * value:.0f} ms"


_TOP: Final = """# For assistants

`denota mcp` lets an assistant ask your tables, by the [Model Context Protocol]\
(https://modelcontextprotocol.io) on standard input and output. The assistant gets cells, values \
and SQL from the table itself instead of reading it row by row, each answer says how sure it is, \
and the tables stay on your machine but for what the assistant is told.

```text
pip install 'denota[mcp]'
```

```sh
denota mcp examples/expeditions.csv examples/shop.sqlite#orders
denota mcp --allow examples
```

The first offers two tables, the second all files of a folder. An assistant starts the command \
itself; there is nothing to type into it."""
_TALK: Final = """## A conversation

What an assistant calls, and the text it gets; with each comes a structured result, below.

```text
{talk}
```"""
_SETTINGS: Final = """## Settings

Write the whole path of `denota`, as `command -v denota` prints it: most assistants do not know \
your virtual environment. `--allow` takes a folder; paths of tables can stand there as well.

**Claude Desktop** (`claude_desktop_config.json`, Settings > Developer), **Cursor** \
(`~/.cursor/mcp.json`, or `.cursor/mcp.json` in a project), **Gemini CLI** \
(`~/.gemini/settings.json`), and others that take the common form:

```json
{"mcpServers": {"denota": {"command": "/home/ada/.venv/bin/denota", "args": ["mcp", "--allow", \
"/home/ada/tables"]}}}
```

**VS Code** (`.vscode/mcp.json`):

```json
{"servers": {"denota": {"type": "stdio", "command": "/home/ada/.venv/bin/denota", "args": ["mcp", \
"--allow", "${workspaceFolder}/data"]}}}
```

**Codex CLI** (`~/.codex/config.toml`):

```toml
[mcp_servers.denota]
command = "/home/ada/.venv/bin/denota"
args = ["mcp", "--allow", "/home/ada/tables"]
```

**Claude Code**, Codex CLI and Gemini CLI also have a command:

```text
claude mcp add denota -- /home/ada/.venv/bin/denota mcp --allow /home/ada/tables
codex mcp add denota -- /home/ada/.venv/bin/denota mcp --allow /home/ada/tables
gemini mcp add denota /home/ada/.venv/bin/denota mcp --allow /home/ada/tables
```"""
_TOOLS: Final = """## Tools

| tool | what |
| --- | --- |
| `open_table` | read a table: an [address](addresses.md), or CSV text; of a folder, a glob or a \
database, what can be opened. Gives an id, rows, columns with types, and what was assumed |
| `list_tables` | what is open, what was named at the start, and files that may be opened |
| `ask` | a question, whatever was asked before |
| `follow_up` | a question that goes on from the last answer |
| `readings`, `choose` | other ways to understand the last question; take one |
| `run_sql` | one SELECT in DuckDB's SQL; opened tables are views named by their id |
| `rows` | rows as they stand, searched and sorted |
| `teach`, `forget` | say what the right answer is, [to learn from](teaching.md); \
take back what was taught here |
| `close_table` | let go of a table |

An answer has what [`denota ask --json`](ask.md#json) has (`kind`, `answer`, `values`, `cells`, \
`program`, `sql`, `explanation`, `confidence`, `sure`, `reason`, `scope`, `among`), \
`builds_on` (the earlier question that was not sure), and `status`:

| `status` | what it means | the text begins with |
| --- | --- | --- |
| `sure` | right as often as [the model's card](model_card.md) says | the answer |
| `unsure` | one of several readings; the others come along | `Not sure (34%):` |
| `ask_back` | one of two readings, both in `readings`: ask the person which, and \
`choose` it | `It is not clear what is meant:` |
| `declined` | not answered; `reason` says why | `The table does not say:` |

Also a sure answer is one to how the question was understood: `explanation` says that in a \
sentence, and an assistant should read it. `sql` of a table that was read runs in `run_sql` as it \
is. What cannot be done is a tool error with one sentence. What is longer than is told says so, in \
`cut`.

Tables too large to be read are [asked where they lie](large.md); `run_sql` sees them if they are \
Parquet files. Calls about one table are served in turn, others at once. A call that is cancelled \
is stopped. Two assistants are two processes; what one is taught the other knows."""
_CLOSED: Final = """## What it may and may not

- Files: only tables named on the command line, and files in folders named with `--allow`. A path \
counts as where it really lies: links and `..` lead nowhere else. The working folder is not open \
unless it is named, `--allow .`.
- Databases on servers, and web addresses: only those named on the command line. Of \
`postgresql://ada@db/shop` all tables, of `...#orders` that one. Passwords are \
[looked for](addresses.md#passwords) and never told.
- SQL: one SELECT over opened tables, run by DuckDB in a process of its own without access to \
files, network and settings, with bounded memory; it is killed when its time is over.
- Nothing is written but lessons: by `teach`, and by going on from answers about a table that was \
taught.
- A table may hold text that tries to give orders. In the text of an answer, cells and names of \
columns stand in quotes, on one line, without control characters; in the structured result they \
are strings as they stand. The server tells assistants that they are data. What an assistant makes \
of them is its own doing: have it ask before it uses other tools on the word of a table.
- The log on stderr has tools and times, no question and no cell.

`tests/app/test_mcp_attacks.py` has the attacks that this was tried with."""
_COSTS: Final = """A table of 8 rows, asked by the official Python client on the same machine \
({where}). The model is loaded while the assistant introduces itself; the first SQL starts a \
process."""
_AGAIN: Final = """## Again

```text
python benchmarks/mcp_server.py > results/mcp.json
python -m denota.reports.agents
```"""

if __name__ == "__main__":
    main()
