"""The confidence of a parser: judged answers of several data sets, the fit, and its figures.

    python benchmarks/confidence.py judge RUN --data path/to/data --out judged.jsonl
    python benchmarks/confidence.py fit RUN judged.jsonl ... [--save] > results/confidence.json
    python benchmarks/confidence.py look RUN PART

`judge` answers questions that the parser has not learnt from, and questions that their tables do
not answer, made from these (`denota.generate.unanswerable`): WikiTableQuestions split-1 dev about
tables that SQA does not have, WikiSQL training questions that the mix did not draw, made-up
questions in held-out wordings about invented tables and WikiSQL's, and a part of the real tables.
`fit` fits the confidence and prints figures for each data set alone, cross-fitted over tables and
over data sets; `--save` writes it into the run's best parser, from where `denota package
--confidence RUN` takes it. `look` measures a parser with its confidence on a part of the real
tables.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Final

import numpy as np
from real_tables import read_part

from denota.app.paths import load_run, load_run_and_facts, model_path
from denota.conversation.doubt import FEATURES
from denota.conversation.given import items_in
from denota.conversation.judge import judge
from denota.conversation.rating import RatedProgram
from denota.data import Example, Question, load_examples
from denota.data.answer import Values, is_right
from denota.data.example import conversations
from denota.data.mixed import load_mixed
from denota.evaluation.calibration import Calibration
from denota.evaluation.chances import (
    Judged,
    as_record,
    capped,
    chances,
    figures,
    fit_chances,
    from_record,
    joined,
    outcomes,
)
from denota.evaluation.metrics import is_answered
from denota.evaluation.predict import as_values, gold_of, in_form_of, key_of
from denota.generate import generate
from denota.generate.examples import TURNS_WITH_VALUES, examples_from, first_of
from denota.generate.invented import invented_tables
from denota.generate.unanswerable import unanswerable
from denota.model.parser import Parser
from denota.model.saved import save_parser
from denota.programs.operators import LANGUAGES
from denota.tables.table import Table
from denota.tokens import content

SIZES: Final = {"wtq": 900, "wikisql": 500, "invented": 500, "made up": 400}
"""Questions of each data set."""
UNSAID: Final = 0.4
"""Unanswerable questions for each answerable one."""
LEARNT: Final = "sqa:train@extended, wtq:random-split-1-train, wikisql:train*0.15"
"""What the shipped parser learns from (`experiments/shipped.toml`)."""
Judge = Callable[[Question, RatedProgram], bool]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    does = parser.add_subparsers(dest="does", required=True)
    one = does.add_parser("judge")
    one.add_argument("run")
    one.add_argument("--data", type=Path, required=True, help="the folder of sqa, wtq and wikisql")
    one.add_argument("--out", type=Path, required=True)
    one.add_argument("--share", type=float, default=1.0, help="of the questions")
    one.add_argument("--sets", nargs="*", default=[*SIZES, "real"], help="data sets, if not all")
    one = does.add_parser("fit")
    one.add_argument("run")
    one.add_argument("judged", type=Path, nargs="+")
    one.add_argument("--save", action="store_true")
    one = does.add_parser("look")
    one.add_argument("run")
    one.add_argument("part", choices=("choose", "parser", "confidence"))
    given = parser.parse_args()
    if given.does == "judge":
        with given.out.open("w", encoding="utf-8") as out:
            for line in judge_all(load_run(given.run), given.data, given.share, given.sets):
                print(json.dumps(as_record(line)), file=out)
        return
    if given.does == "fit":
        judged: list[Judged] = []
        for file in given.judged:
            lines = file.read_text(encoding="utf-8").splitlines()
            judged = joined(judged, [from_record(json.loads(line)) for line in lines])
        told = fit_run(given.run, judged, given.save)
    else:
        told = look(load_run(given.run), given.part)
    print(json.dumps(told, indent=1))


def judge_all(parser: Parser, data: Path, share: float, names: Sequence[str]) -> list[Judged]:
    """Answer and judge questions of some data sets."""
    sizes = {name: round(share * count) for name, count in SIZES.items()}
    sets = examples_of(data, sizes) if set(names) & set(SIZES) else {}
    found: list[Judged] = []
    for name in names:
        own = (
            judged_part(parser, "choose")
            if name == "real"
            else judged_set(parser, name, sets[name])
        )
        found = joined(found, own)
        _say(name, found)
    return found


def judged_set(parser: Parser, name: str, examples: Sequence[Example]) -> list[Judged]:
    """Answer and judge questions of one data set, and unanswerable ones made from them."""
    gold = gold_of(examples)

    def right(question: Question, way: RatedProgram) -> bool:
        (answer,) = in_form_of(gold, {key_of(question): way.answer}).values()
        return is_answered(gold[key_of(question)], answer)

    found = judge(parser, name, [example.question for example in examples], right)
    return joined(found, judged_unsaid(parser, name, *drawn(examples, Random(name))))


def judged_unsaid(
    parser: Parser, name: str, ways: dict[str, str], questions: Sequence[Question]
) -> list[Judged]:
    """Answer questions that their tables do not answer."""
    return judge(parser, name, questions, lambda q, way: False, lambda q: ways[q.id])


def drawn(examples: Sequence[Example], rng: Random) -> tuple[dict[str, str], list[Question]]:
    """Return unanswerable questions, of each way about as many, and the way of each by its id."""
    made = unanswerable(examples, rng)
    rng.shuffle(made)
    most = round(UNSAID * len(examples))
    wanted = {"column": 0.4, "rows": 0.2, "other table": 0.3, "beyond": 0.1}
    some = []
    for way, part in wanted.items():
        some += [one for one in made if one[0] == way][: round(part * most)]
    return {question.id: way for way, question in some}, [question for _, question in some]


def judged_part(parser: Parser, part: str) -> list[Judged]:
    """Answer and judge the questions of a part of the real tables, and unanswerable ones."""
    questions, turns = read_part(part)

    def right(question: Question, way: RatedProgram) -> bool:
        gold = turns[key_of(question)]["answer"]
        if gold is None:
            return False
        values = as_values(way.answer, question.table).items
        return is_right(values, Values(items_in(gold)))

    def unsaid(question: Question) -> str:
        return "" if turns[key_of(question)]["answer"] is not None else "asked"

    found = judge(parser, "real", questions, right, unsaid)
    made = [
        without
        for question in questions
        if not question.position and (turns[key_of(question)]["answer"] is not None)
        for without in [_without_column(question, turns[key_of(question)]["pandas"])]
        if without is not None
    ]
    ways = {question.id: "column" for question in made}
    return joined(found, judged_unsaid(parser, "real", ways, made))


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


def examples_of(data: Path, sizes: dict[str, int]) -> dict[str, list[Example]]:
    """Return questions that the shipped parser has not learnt from, by data set."""
    sqa = {file.stem for file in (data / "sqa" / "table_csv").iterdir()}
    wtq = load_examples(data / "wtq", "random-split-1-dev").examples
    apart = [e for e in wtq if "_".join(re.findall(r"\d+", e.question.table_file)[:2]) not in sqa]
    learnt = load_mixed(LEARNT, data / "sqa", seed=0).loaded.questions
    known = {question.id.partition(":")[2] for question in learnt}
    wikisql = load_examples(data / "wikisql", "train").examples
    other = [e for e in wikisql if e.question.id not in known]
    found = {
        "wtq": _some(apart, sizes["wtq"], Random(1)),
        "wikisql": _some(other, sizes["wikisql"], Random(2)),
    }
    tables = list({e.question.table_file: e.question.table for e in found["wikisql"]}.values())
    invented = [*invented_tables(max(8, sizes["invented"] // 3), seed=77)]
    return {
        **found,
        "invented": _made_up(invented, sizes["invented"], 77),
        "made up": _made_up(tables, sizes["made up"], 78),
    }


def _some(examples: Sequence[Example], count: int, rng: Random) -> list[Example]:
    talks = list(conversations(examples))
    rng.shuffle(talks)
    found: list[Example] = []
    for talk in talks:
        if len(found) < count:
            found += talk
    return found


def _made_up(tables: Sequence[Table], count: int, seed: int) -> list[Example]:
    language = LANGUAGES["full"]
    manner = {"held_out": True, "loose": 0.6, "turns": TURNS_WITH_VALUES}
    made = generate(tables, seed, language=language, **manner)
    found = examples_from(first_of(made, count), programs=True)
    named = (
        replace(e.question, table_file=f"{n}") for n, e in zip(_places(found), found, strict=True)
    )
    return [replace(e, question=question) for e, question in zip(found, named, strict=True)]


def _places(examples: Sequence[Example]) -> list[int]:
    """The number of each example's table: made-up tables may share a name."""
    known: dict[int, int] = {}
    return [known.setdefault(id(e.question.table), len(known)) for e in examples]


def fit_run(run: str, judged: Sequence[Judged], save: bool) -> dict[str, object]:
    """Fit a confidence, write it into a run if asked to, and return its figures."""
    known, across = fit_chances(judged, FEATURES)
    _, apart = fit_chances(judged, FEATURES, by_data=True)
    if save:
        path = model_path(run)
        parser, facts = load_run_and_facts(path)
        parser.calibration = known
        save_parser(path, parser, facts={"epoch": facts.get("epoch", "0")})
    return {
        "run": Path(run).name,
        "standardised": _standardised(known, judged),
        "thresholds": {"sure": known.sure, "declines": known.declines, "asks": known.asks},
        "over_tables": figures(judged, across, outcomes(known, judged, across)),
        "over_data_sets": figures(judged, apart, outcomes(known, judged, apart)),
    }


def _standardised(known: Calibration, judged: Sequence[Judged]) -> dict[str, float]:
    """The weights for being right, of features in units of their spread."""
    spread = np.array([one.features for one in judged if not one.declined]).std(axis=0)
    return dict(zip(known.features, (np.array(known.weights[1:]) * spread).tolist(), strict=True))


def look(parser: Parser, part: str) -> dict[str, object]:
    """Measure a parser with its confidence on a part of the real tables."""
    judged = judged_part(parser, part)
    assert parser.calibration is not None
    rated = [n for n, one in enumerate(judged) if not one.declined]
    own = dict(zip(rated, chances(parser.calibration, [judged[n] for n in rated]), strict=True))
    nothing = replace(own[rated[0]], right=0.0, either=0.0, said=0.0)
    found = capped(judged, [own.get(n, nothing) for n in range(len(judged))])
    asked = [n for n, one in enumerate(judged) if one.unsaid != "column"]
    place = {old: new for new, old in enumerate(asked)}
    plain = [replace(judged[n], builds_on=place.get(judged[n].builds_on or -1)) for n in asked]
    told = outcomes(parser.calibration, judged, found)
    return {
        "part": part,
        "with_made_unanswerable": figures(judged, found, told)["real"]["after"],
        "as_asked": figures(plain, [found[n] for n in asked], [told[n] for n in asked])["real"][
            "after"
        ],
    }


def _say(name: str, found: Sequence[Judged]) -> None:
    own = [one for one in found if one.data == name and not one.unsaid]
    right, either = (sum(flags) for flags in ([o.first for o in own], [o.either for o in own]))
    unsaid = sum(bool(one.unsaid) for one in found if one.data == name)
    print(
        f"{name}: {right} and {either} of {len(own)} right, {unsaid} unanswerable", file=sys.stderr
    )


if __name__ == "__main__":
    main()
