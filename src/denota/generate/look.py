"""Look at made-up questions: `python -m denota.generate.look --count 30 --loose 0.5`.

Prints tables by name and columns, each with a conversation, its programs and answers; with
`--check`, how many programs are in the space of their questions, by kind.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from denota import sample
from denota.data.mixed import load_tables
from denota.generate.conversation import Conversation, generate
from denota.generate.examples import TURNS_WITH_VALUES
from denota.generate.invented import invented_tables
from denota.generate.kinds import is_wide, read_kinds
from denota.generate.reach import Reach, places_of, reach
from denota.programs.operators import language_of
from denota.programs.rewards import denotation_items
from denota.programs.text import print_program
from denota.tables.table import Table


def main(arguments: Sequence[str] | None = None) -> None:
    """Print some questions, and with `--check` where their programs are."""
    asked = _parser().parse_args(arguments)
    language = language_of(asked.language)
    made = generate(
        tables_of(asked.tables, asked.data, asked.count, asked.seed),
        asked.seed,
        language=language,
        held_out=asked.held_out,
        loose=asked.loose,
        kinds=read_kinds(asked.kinds) if asked.kinds else None,
        turns=TURNS_WITH_VALUES if is_wide(language) else (1, 2, 3),
    )
    conversations = [*islice(made, asked.count)]
    if asked.check:
        print(report(reach(places_of(conversations, language, asked.jobs))))
    else:
        for conversation in conversations:
            print(shown(conversation))


def tables_of(name: str, data: Path | None, count: int, seed: int) -> Sequence[Table]:
    """Return the tables to ask about: `sample`, `invented`, or NAME:SPLIT beside some data."""
    if name == "sample":
        return [*sample.tables().values()]
    if name == "invented":
        return [*invented_tables(max(8, count // 4), seed)]
    return load_tables(name, data if data is not None else Path())


def shown(conversation: Conversation) -> str:
    """Return a conversation as lines of text."""
    table = conversation.table
    lines = [f"{table.name} ({len(table)} rows): {' | '.join(table.names)}"]
    for turn in conversation.turns:
        items = denotation_items(turn.answer, table)
        answer = ", ".join(map(str, items[:4])) + (", ..." if len(items) > 4 else "")
        lines += [f"  {turn.question}", f"      {print_program(turn.program)}", f"      = {answer}"]
    return "\n".join(lines)


def report(found: dict[str, Reach]) -> str:
    """Return a table of how many programs are in the space and grounded, by kind."""
    whole = Reach(
        *(sum(getattr(one, name) for one in found.values()) for name in Reach.__dataclass_fields__)
    )
    rows = sorted(found.items(), key=lambda entry: -entry[1].asked)
    lines = ["| kind | questions | in the space % | grounded % |", "| --- | --- | --- | --- |"]
    for name, one in [*rows, ("all", whole)]:
        share = 100 / max(1, one.asked)
        there, grounded = share * one.there, share * one.grounded
        lines.append(f"| {name} | {one.asked} | {there:.1f} | {grounded:.1f} |")
    return "\n".join(lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m denota.generate.look")
    parser.add_argument("--tables", default="invented", help="sample, invented or NAME:SPLIT")
    parser.add_argument("--data", type=Path, help="where data lies, for NAME:SPLIT")
    parser.add_argument("--count", type=int, default=20, help="conversations")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--language", default="full")
    parser.add_argument("--loose", type=float, default=0.5, help="share of loose wording")
    parser.add_argument("--kinds", default="", help="weights of kinds, such as groups*2")
    parser.add_argument("--held-out", action="store_true", help="use the held-out wordings")
    parser.add_argument("--check", action="store_true", help="say what is in the space")
    parser.add_argument("--jobs", type=int, default=1, help="processes for --check, 0 for all")
    return parser


if __name__ == "__main__":
    main()
