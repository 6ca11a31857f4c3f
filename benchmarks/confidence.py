"""The confidence of a parser: judged answers of several data sets, the fit, and its figures.

    python benchmarks/confidence.py RUN --data path/to/data [--questions 400] [--jobs 2] [--save]
    python benchmarks/confidence.py RUN --look PART

Questions that the parser has not learnt from are answered, and questions that their tables do not
answer, made from these (`denota.generate.unanswerable`): SQA's and WikiTableQuestions' split-1 dev,
WikiSQL's training questions that were not learnt from, made-up questions in held-out wordings about
invented tables and about WikiSQL's, and the part of the real tables that is there to choose by. The
confidence is fitted to them; figures are cross-fitted over tables, and over data sets.

`--order FILE` puts readings in an order that was learnt first (`denota.evaluation.order`), from
other questions of WikiSQL and made-up ones than those that are judged: FILE is read if it is there,
else written.

A table of figures is printed, and everything is written to results/confidence/, which
`python -m denota.reports.confidence` makes docs/confidence.md of. `--save` writes the confidence
into the run's best parser, from where `denota package --confidence RUN` takes it; `--save-to
FILE` writes it alone, to lie beside a parser of the same recipe as MODEL.confidence.json.
`--look` measures a parser with its confidence on a part of the real tables instead.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import re
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

from real_tables import read_part

from denota.app.paths import load_run, load_run_and_facts, model_path
from denota.conversation.doubt import FEATURES, ORDER, TOGETHER
from denota.conversation.given import items_in
from denota.conversation.judge import choices_of, judge, judge_examples, judge_unsaid
from denota.conversation.rating import RatedProgram
from denota.data import Example, Question, load_examples
from denota.data.answer import Values, is_right
from denota.data.example import conversations
from denota.data.mixed import load_mixed
from denota.evaluation.calibration import Calibration
from denota.evaluation.chances import chances, fit_chances
from denota.evaluation.judged import Judged, as_record, from_record, joined
from denota.evaluation.order import Choices, Order, fit_order
from denota.evaluation.predict import as_values, key_of
from denota.evaluation.selective import figures, outcomes
from denota.evaluation.thresholds import WRONG
from denota.generate import generate
from denota.generate.examples import TURNS_WITH_VALUES, examples_from, first_of
from denota.generate.invented import invented_tables
from denota.model.parser import Parser
from denota.model.saved import save_calibration, save_parser
from denota.programs.operators import LANGUAGES
from denota.tables.table import Table
from denota.tokens import content

RESULTS: Final = Path(__file__).parents[1] / "results" / "confidence"
DATA_SETS: Final = ("sqa", "wtq", "wikisql", "invented", "made up", "real")
ORDER_OF: Final = ("wikisql", "invented", "made up")
"""The data sets that an order of readings is learnt from."""
ORDER_FROM: Final = 1000
"""How many questions of each."""
BY_SHARE: Final = Calibration((0.0, 1.0, -1.0), features=("log_share", "log_rest"))
"""The confidence of a parser without one: its answer's share of all probability."""
LEARNT: Final = "sqa:train"
"""What the shipped parser learnt from (`docs/model_card.md`)."""
TOLD: Final = (
    *("area", "calibration_error", "could_be_sure", "sure", "sure_right", "asked_back", "refused"),
    *("unanswerable_not_answered", "unanswerable_not_sure"),
)
"""The figures that are printed."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run")
    parser.add_argument("--data", type=Path, help="the folder of sqa, wtq and wikisql")
    parser.add_argument("--learnt", default=LEARNT, help="what the parser learnt from")
    parser.add_argument("--questions", type=int, default=400, help="of each data set")
    parser.add_argument("--sets", nargs="*", default=DATA_SETS, choices=DATA_SETS)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--order", type=Path, help="of readings: read if there, else learnt")
    parser.add_argument("--judged", type=Path, help="judged answers: read if there, else written")
    parser.add_argument("--save", action="store_true", help="into the run's best parser")
    parser.add_argument("--save-to", type=Path, help="a file for the confidence alone")
    parser.add_argument("--wrong", type=float, default=WRONG, help="at most, of what is sure")
    parser.add_argument("--look", choices=("choose", "parser", "confidence"))
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args()
    given.results.mkdir(parents=True, exist_ok=True)
    if given.look:
        told = look(load_run(given.run), given.look)
        _write(told, given.results / "look.json")
        _print({name: {"after": told[name]} for name in ("as_asked", "with_made_unanswerable")})
        return
    start = time.monotonic()
    if given.order is not None and not given.order.exists():
        order = learn_order(Source(given.data, given.learnt, ORDER_FROM, seed=1000), given)
        given.order.write_text(json.dumps(asdict(order)) + "\n", encoding="utf-8")
    kept = given.judged
    if kept is not None and kept.exists():
        lines = kept.read_text(encoding="utf-8").splitlines()
        judged = [from_record(json.loads(line)) for line in lines]
    else:
        if given.data is None:
            parser.error("--data names the folder of sqa, wtq and wikisql")
        judged = judge_all(Source(given.data, given.learnt, given.questions), given)
        if kept is not None:
            lines = [json.dumps(as_record(one)) for one in judged]
            kept.write_text("\n".join(lines) + "\n", encoding="utf-8")
    told = {
        "run": Path(given.run).name,
        "learnt": given.learnt,
        "wrong": given.wrong,
        **fit_run(given, judged),
        "seconds": round(time.monotonic() - start),
    }
    _write(told, given.results / "fit.json")
    _print(told["over_tables"])


@dataclass(frozen=True)
class Source:
    """Where questions come from, and how many of each data set."""

    data: Path
    learnt: str
    count: int
    seed: int = 0
    """Another draw."""

    def examples(self, name: str) -> list[Example]:
        """Return questions of a data set that the parser has not learnt from."""
        return {
            "sqa": self._sqa,
            "wtq": self._wtq,
            "wikisql": self._wikisql,
            "invented": self._invented,
            "made up": self._made_up,
        }[name]()

    def _sqa(self) -> list[Example]:
        every = load_examples(self.data / "sqa", "random-split-1-dev").examples
        return _some(every, self.count, Random(3))

    def _wtq(self) -> list[Example]:
        """About tables that SQA does not have."""
        sqa = {file.stem for file in (self.data / "sqa" / "table_csv").iterdir()}
        every = load_examples(self.data / "wtq", "random-split-1-dev").examples
        places = ("_".join(re.findall(r"\d+", one.question.table_file)[:2]) for one in every)
        apart = [one for one, place in zip(every, places, strict=True) if place not in sqa]
        return _some(apart, self.count, Random(1))

    def _wikisql(self) -> list[Example]:
        learnt = load_mixed(self.learnt, self.data / "sqa", seed=0).loaded.questions
        known = {question.id.partition(":")[2] for question in learnt}
        every = load_examples(self.data / "wikisql", "train").examples
        return _some(
            [e for e in every if e.question.id not in known], self.count, Random(2), self.seed
        )

    def _invented(self) -> list[Example]:
        seed = self.seed + 77
        return _generated([*invented_tables(max(8, self.count // 3), seed=seed)], self.count, seed)

    def _made_up(self) -> list[Example]:
        tables = {one.question.table_file: one.question.table for one in self._wikisql()}
        return _generated(list(tables.values()), self.count, self.seed + 78)


def _some(examples: Sequence[Example], count: int, rng: Random, skip: int = 0) -> list[Example]:
    """So many examples of whole conversations, after some that are skipped."""
    talks = list(conversations(examples))
    rng.shuffle(talks)
    found: list[Example] = []
    for talk in talks[skip:]:
        if len(found) < count:
            found += talk
    return found


def _generated(tables: Sequence[Table], count: int, seed: int) -> list[Example]:
    manner: dict[str, Any] = {"held_out": True, "loose": 0.6, "turns": TURNS_WITH_VALUES}
    made = generate(tables, seed, language=LANGUAGES["full"], **manner)
    found = examples_from(first_of(made, count), programs=True)
    places = {id(one.question.table): str(n) for n, one in enumerate(found)}  # names may be shared
    return [
        replace(one, question=replace(one.question, table_file=places[id(one.question.table)]))
        for one in found
    ]


def judge_all(source: Source, given: argparse.Namespace) -> list[Judged]:
    """Answer and judge questions of some data sets, in several processes."""
    context = multiprocessing.get_context("spawn")
    found: list[Judged] = []
    with ProcessPoolExecutor(given.jobs, context) as pool:
        every = [
            pool.submit(judge_set, given.run, source, name, given.order) for name in given.sets
        ]
        for name, one in zip(given.sets, every, strict=True):
            own = one.result()
            found = joined(found, own)
            print(f"{name}: {len(own)} answers are judged", file=sys.stderr)
    return found


def judge_set(run: str, source: Source, name: str, order: Path | None) -> list[Judged]:
    """Answer and judge questions of one data set."""
    if name == "real":
        return judge_part(_parser(run, order), "choose")
    return judge_examples(_parser(run, order), name, source.examples(name), Random(name))


def learn_order(source: Source, given: argparse.Namespace) -> Order:
    """Learn an order of readings from questions of some data sets, in several processes."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(given.jobs, context) as pool:
        every = [pool.submit(_choices, given.run, source, name) for name in ORDER_OF]
        choices = [one for own in every for one in own.result()]
    return fit_order(choices, ORDER)


def _choices(run: str, source: Source, name: str) -> list[Choices]:
    return choices_of(_parser(run, None), name, source.examples(name))


@cache
def _parser(run: str, order: Path | None) -> Parser:
    parser = load_run(run)
    if order is not None:
        known = parser.calibration or BY_SHARE
        parser.calibration = replace(known, order=_order(order))
    return parser


def _order(path: Path) -> Order:
    told = json.loads(path.read_text(encoding="utf-8"))
    return Order(**{name: tuple(own) for name, own in told.items()})


def judge_part(parser: Parser, part: str) -> list[Judged]:
    """Answer and judge the questions of a part of the real tables, and unanswerable ones."""
    questions, turns = read_part(part)

    def right(question: Question, way: RatedProgram) -> bool:
        gold = turns[key_of(question)]["answer"]
        values = as_values(way.answer, question.table).items
        return gold is not None and is_right(values, Values(items_in(gold)))

    def unsaid(question: Question) -> str:
        return "" if turns[key_of(question)]["answer"] is not None else "asked"

    found = judge(parser, "real", questions, right, unsaid)
    made = (
        _without_column(question, turns[key_of(question)]["pandas"])
        for question in questions
        if not question.position and not unsaid(question)
    )
    taken = [("column", question) for question in made if question is not None]
    return joined(found, judge_unsaid(parser, "real", taken))


def _without_column(question: Question, pandas: str) -> Question | None:
    """A question without a column that the code for its answer names."""
    table = question.table
    named = [n for n in table.names if re.search(rf"(?<![\w ]){re.escape(n)}(?![\w ])", pandas)]
    for gone in (*named[-1:], *named[:1]):
        left = tuple(column for column in table.columns if column.name != gone)
        if not any(content(gone) & content(column.name) for column in left):
            own = f"not-{question.id}"
            return replace(question, id=own, table=Table(left, table.name), history=())
    return None


def fit_run(given: argparse.Namespace, judged: Sequence[Judged]) -> dict[str, Any]:
    """Fit a confidence, write it into a run or a file if asked to, and return its figures."""
    known, across = fit_chances(judged, FEATURES, TOGETHER, wrong=given.wrong)
    known = replace(known, order=_order(given.order) if given.order is not None else None)
    other, apart = fit_chances(judged, FEATURES, TOGETHER, by_data=True, wrong=given.wrong)
    if given.save:
        path = model_path(given.run)
        parser, facts = load_run_and_facts(path)
        parser.calibration = known
        save_parser(path, parser, facts={"epoch": facts.get("epoch", "0")})
    if given.save_to is not None:
        save_calibration(given.save_to, known)
    return {
        "weights": dict(zip(_named(known), known.weights[1:], strict=True)),
        "order": _told_of(known.order),
        "thresholds": {name: getattr(known, name) for name in _THRESHOLDS},
        "over_tables": figures(judged, across, outcomes(known, judged, across)),
        "over_data_sets": figures(judged, apart, outcomes(other, judged, apart)),
    }


_THRESHOLDS: Final = ("sure", "declines", "asks", "close")


def _named(known: Calibration) -> Iterator[str]:
    """What each weight but the constant is of."""
    yield from known.features
    for one, other in known.scale.products if known.scale is not None else ():
        yield f"{known.features[one]} × {known.features[other]}"


def _told_of(order: Order | None) -> dict[str, float]:
    """The weights of an order by what they are of."""
    if order is None:
        return {}
    return dict(zip(("log_probability", *order.features), order.weights, strict=True))


def look(parser: Parser, part: str) -> dict[str, Any]:
    """Measure a parser with its confidence on a part of the real tables."""
    if parser.calibration is None or not parser.calibration.sees_doubt:
        sys.exit("the parser's confidence was not fitted to features of doubt: fit it with --save")
    judged = judge_part(parser, part)
    asked = [one for one in judged if one.unsaid != "column"]  # the made ones come last
    told: dict[str, Any] = {"part": part}
    for name, some in (("as_asked", asked), ("with_made_unanswerable", judged)):
        found = chances(parser.calibration, some)
        told[name] = figures(some, found, outcomes(parser.calibration, some, found))["real"][
            "after"
        ]
    return told


def _write(told: dict[str, Any], path: Path) -> None:
    path.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _print(every: dict[str, dict[str, dict[str, Any]]]) -> None:
    """Print figures, a line a data set before and one after."""
    print(f"{'':30}" + "".join(f"{name[:14]:>16}" for name in ("questions", "accuracy", *TOLD)))
    for name, sides in every.items():
        for side, own in sides.items():
            cells = (own[key] for key in ("questions", "accuracy", *TOLD))
            shown = ("-" if c is None else f"{c:.1f}" if isinstance(c, float) else c for c in cells)
            print(f"{f'{name} {side}':30}" + "".join(f"{cell:>16}" for cell in shown))


if __name__ == "__main__":
    main()
