"""The speed of generating on one core: questions a second over invented tables of SQA's size.

    python benchmarks/generate.py [--questions N] [--tables N]

Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import random
import time

from denota.generate import generate
from denota.tables import Table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=100_000)
    parser.add_argument("--tables", type=int, default=300)
    arguments = parser.parse_args()
    draw = random.Random(0)
    tables = [invent_table(draw) for _ in range(arguments.tables)]
    start = time.perf_counter()
    questions = conversations = 0
    for conversation in generate(tables, seed=0):
        questions += len(conversation.turns)
        conversations += 1
        if questions >= arguments.questions:
            break
    seconds = time.perf_counter() - start
    result = {
        "questions": questions,
        "conversations": conversations,
        "tables": len(tables),
        "seconds": round(seconds, 2),
        "questions_per_s": round(questions / seconds),
    }
    print(json.dumps(result, indent=2))


def invent_table(draw: random.Random) -> Table:
    """Return a table of names and of some columns of other kinds, 6 to 24 rows."""
    rows = draw.randrange(6, 25)
    names = [word(draw) + " " + word(draw) for _ in range(rows)]
    places = [word(draw) for _ in range(4)]
    kinds = {
        "Country": lambda: draw.choice(places),
        "Hometown": lambda: f"{word(draw)}, {draw.choice(places)}",
        "Type": lambda: draw.choice(("arch", "beam", "cable", "-")),
        "Year": lambda: str(draw.randrange(1950, 2020)),
        "Date": lambda: (
            f"{draw.choice(('May', 'June', 'July'))} {draw.randrange(1, 29)},"
            f" {draw.randrange(1990, 2010)}"
        ),
        "Points": lambda: str(draw.randrange(40)),
        "Attendance": lambda: f"{draw.randrange(50_000):,}",
        "Price": lambda: f"${draw.random() * 100:.2f}",
        "Time": lambda: f"{draw.randrange(10, 60)}:{draw.randrange(60):02d}",
        "Height (m)": lambda: str(draw.randrange(100, 900)),
        "Share": lambda: f"{draw.random() * 100:.1f}%",
        "Notes": lambda: draw.choice(("", "", word(draw))),
    }
    chosen = draw.sample(sorted(kinds), draw.randrange(3, 8))
    body = [[name, *(kinds[kind]() for kind in chosen)] for name in names]
    return Table.from_rows([draw.choice(("Player", "Bridge", "Team", "Name")), *chosen], body)


def word(draw: random.Random) -> str:
    """Return a word that could be a name."""
    syllables = ("ka", "ro", "min", "tel", "va", "os", "dra", "ley", "sun", "bri")
    return "".join(draw.choice(syllables) for _ in range(draw.randrange(2, 4))).capitalize()


if __name__ == "__main__":
    main()
