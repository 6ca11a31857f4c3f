"""What denota does, in a minute: it answers, it learns from answers, and it takes a lesson.

Usage: python examples/first_minute.py, or `make demo`
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

import denota
from denota.app.api import TableParser
from denota.app.terminal.turns import show_turn, shown_answer
from denota.conversation.turn import Turn
from denota.data import load_examples
from denota.learning.run import train
from denota.learning.start import new_parser
from denota.model.checkpoint import load_parser
from denota.sample import path as sample
from denota.search.preparer import Preparer
from denota.settings import config_of, read_settings

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "examples" / "expeditions.csv"
QUESTIONS = (
    "which leaders had a crew of more than 50?",
    "of those, who had the largest crew?",
    "what is the total cost for each leader?",
)
WRONG, RIGHT, PUT_OTHERWISE = (
    "which season was the dearest?",
    "1907-08",
    "what was the dearest season?",
)


def main() -> None:
    """Show it."""
    out = Console(highlight=False)
    parser = denota.load()
    _title(out, "1. It answers questions about a table", f"{TABLE.name}, its own model")
    chat = parser.chat(TABLE)
    for question in QUESTIONS:
        show_turn(chat.ask(question), out)
    _title(out, "2. It learns from answers alone", "a new model, on invented tables, in seconds")
    before, after, questions = learnt()
    out.print(
        f"Of {questions} questions about tables it never saw it answers {before:.0f}% before,"
    )
    out.print(f"and {after:.0f}% after it was told the right cells of others; nobody wrote SQL.\n")
    _title(out, "3. It takes a lesson", "a wrong answer is put right, and the lesson carries over")
    chat = parser.chat(TABLE)
    turn = chat.ask(WRONG)
    out.print(f"› {WRONG}\n{answer_of(turn)}  (wrong)")
    out.print(f"› :teach {RIGHT}\n{chat.teach(turn, values=[RIGHT]).said}")
    later = parser.chat(TABLE).ask(PUT_OTHERWISE)
    out.print(f"› {PUT_OTHERWISE}\n{answer_of(later)}  (put in other words, and right)\n")
    _title(out, "Now you", "after `source .venv/bin/activate`")
    out.print("denota serve           a page to drop your own table on")
    out.print("denota ask FILE.csv    the same in the terminal; :help lists what else it does")
    out.print("README.md, docs/       everything else")


def answer_of(turn: Turn) -> str:
    """Return an answer and how it was understood, in a line."""
    return f"{', '.join(shown_answer(turn))}. {turn.explanation}"


def learnt() -> tuple[float, float, int]:
    """Return the percentage of right answers before and after training, and of how many questions.

    The questions are about tables that are not trained on.
    """
    settings = ["train.epochs=3", "data.dev="]
    config = config_of(read_settings(ROOT / "experiments" / "sample.toml", settings))
    examples = load_examples(sample(), "train").examples
    kept_apart = sample() / "dev.jsonl"
    ready = [Preparer.of(config)(one.question, None) for one in examples[:1]]
    before = TableParser(new_parser(config, ready)).score(kept_apart)
    with tempfile.TemporaryDirectory() as folder:
        best = train(config, examples, (), Path(folder) / "run")
        after = TableParser(load_parser(best)[0]).score(kept_apart)
    return before, after, len(load_examples(kept_apart, "all").examples)


def _title(out: Console, title: str, more: str) -> None:
    out.print(Text(title, "bold"), Text(f"({more})\n", "dim"))


if __name__ == "__main__":
    main()
