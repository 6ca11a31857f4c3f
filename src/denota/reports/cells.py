"""The cells of the paper's tables: which config each is, what it is called, and one run of it.

A cell is a row of a table (`experiments/<table>.<row>.toml`), with or without shaping, with a seed.
Its name is the name of its result (`results/<name>.json`) and of its test predictions
(`results/predictions/<name>.tsv`).
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from denota.config import Config
from denota.data import load_questions, split_names, write_predictions
from denota.data.mixed import load_mixed
from denota.errors import ConfigError
from denota.evaluation.predict import key_of, predict
from denota.learning.presets import load_experiment
from denota.learning.run import real_epochs, train
from denota.learning.trainer import Epoch
from denota.model.checkpoint import load_parser
from denota.search.preparer import Preparer


@dataclass(frozen=True)
class ResultTable:
    """A table of the paper, or one that explains another."""

    rows: tuple[str, ...]
    """Those that matter most first."""
    both: tuple[str, ...] = ()
    """The rows that are run without shaping as well."""
    unshaped: tuple[str, ...] = ()
    """The rows that are run without shaping alone."""
    once: tuple[str, ...] = ()
    """The rows that are run with one seed; others with three."""
    test: Mapping[str, int] = field(default_factory=dict)
    """How many seeds of a row answer the test questions, after training on train and dev
    together."""


_ALGORITHMS: Final = (
    *("maver", "mmr", "mml", "off_policy", "reinforce"),
    *("meritocratic_0", "meritocratic_0.5", "meritocratic_inf"),
)
_STARTS: Final = (
    *("maver_blank", "mmr_blank", "mml_blank"),
    *("maver_extended", "maver_extended_blank"),
)
_CARRIES_SQA: Final = ("sqa_dynsp", "sqa_cues", "sqa_small", "sqa_last", "sqa_mml")
_CARRIES_WTQ: Final = ("wtq_cues", "wtq_last", "wtq_steady")
_PUT_RIGHT: Final = (
    *("maver_early_start", "maver_learnt_vector", "maver_vacuous"),
    *("maver_paper_lexicon", "maver_stems", "off_policy_sample"),
    "off_policy_w_mmr_q_sample",
)
_ABLATED: Final = (
    *("maver_no_surface", "maver_no_bias", "maver_dynsp", "maver_plain_numbers"),
    *("maver_eta1", "maver_beam"),
)
_SPLITS: Final = ("maver_split2", "maver_split3", "maver_split4", "maver_split5")
TABLES: Final = {
    "table2": ResultTable(
        _ALGORITHMS,
        both=_ALGORITHMS,
        test={**dict.fromkeys(_ALGORITHMS, 1), "maver": 3, "mmr": 3, "mml": 3},
    ),
    "table3": ResultTable(
        (*("mmr_w_mml_q", "off_policy_w_mmr_q", "mml_w_maver_q", "off_policy_w_maver_q"),)
    ),
    "explain": ResultTable(
        ("maver_model", "maver_score", "mml_explore", "reinforce_rivals", *_SPLITS),
        once=_SPLITS,
    ),
    "headline": ResultTable((*_STARTS, "maver_extended_blank_grounded"), both=_STARTS),
    "put_right": ResultTable(
        _PUT_RIGHT,
        once=_PUT_RIGHT,
        both=("maver_early_start", "maver_learnt_vector", "maver_vacuous", "off_policy_sample"),
    ),
    "ablate": ResultTable(
        _ABLATED,
        once=_ABLATED,
        both=("maver_no_surface", "maver_no_bias"),
    ),
    "glove": ResultTable(
        ("sqa", "wtq", *_CARRIES_SQA, "sqa_shaped", *_CARRIES_WTQ, "wtq_all_words", "wtq_shaped"),
        unshaped=("sqa", "wtq", *_CARRIES_SQA, *_CARRIES_WTQ, "wtq_all_words"),
        once=(*_CARRIES_SQA, "sqa_shaped", *_CARRIES_WTQ, "wtq_all_words", "wtq_shaped"),
    ),
}
PAPER: Final = tuple(name for name in TABLES if name != "glove")
"""The tables of the paper and those that explain them; `glove` has the records."""
TEST: Final = "test-questions"
SEEDS: Final = 3


@dataclass(frozen=True, order=True)
class ResultCell:
    """A cell of a table."""

    table: str
    row: str
    shaped: bool
    seed: int = 0

    @property
    def name(self) -> str:
        """What its files are called."""
        return f"{self.table}.{self.row}.{'shaped' if self.shaped else 'unshaped'}.seed{self.seed}"

    def config(self, experiments: Path) -> Config:
        """Its settings."""
        changes = [f"seed={self.seed}", *([] if self.shaped else ["search.shaping=none"])]
        return load_experiment(experiments / f"{self.table}.{self.row}.toml", changes)


def cell_named(name: str) -> ResultCell:
    """Return the cell of a name.

    >>> cell_named("table2.meritocratic_0.5.shaped.seed1")
    ResultCell(table='table2', row='meritocratic_0.5', shaped=True, seed=1)
    """
    table, _, rest = name.partition(".")
    row, shaping, seed = rest.rsplit(".", 2) if rest.count(".") >= 2 else ("", "", "")
    if shaping not in ("shaped", "unshaped") or not seed.removeprefix("seed").isdecimal():
        raise ConfigError(f"{name} names no cell; they look like table2.maver.shaped.seed0")
    if table not in TABLES or row not in TABLES[table].rows:
        raise ConfigError(f"{name} names no cell: {table} has no row {row}")
    return ResultCell(table, row, shaping == "shaped", int(seed.removeprefix("seed")))


def cells_of(table: str) -> list[ResultCell]:
    """Return the cells of a table in running order: one seed of all before the second of any."""
    if table not in TABLES:
        raise ConfigError(f"there is no table {table}; there are {', '.join(TABLES)}")
    found = TABLES[table]
    return [
        ResultCell(table, row, shaped, seed)
        for seed in range(SEEDS)
        for row in found.rows
        if seed == 0 or row not in found.once
        for shaped in _shapings(found, row)
    ]


def _shapings(table: ResultTable, row: str) -> tuple[bool, ...]:
    return (True, False) if row in table.both else (row not in table.unshaped,)


def run_cell(
    cell: ResultCell,
    data: Path,
    experiments: Path,
    results: Path,
    runs: Path,
    *,
    again: bool = False,
    device: str | None = None,
    vectors: str | None = None,
    epoch_done: Callable[[Epoch], None] = lambda epoch: None,
) -> Path:
    """Run what a cell lacks, or all of it again, and return its result.

    It trains; and where it owes test predictions, it trains on all data up to the best epoch and
    answers the test questions. A cell that was stopped goes on where it was.
    """
    config = cell.config(experiments)
    if device is not None:
        config = replace(config, train=replace(config.train, device=device))
    run, found = runs / cell.name, result_path(cell, results)
    mixed = load_mixed(config.data.train, data, apart_from=config.data.dev, seed=config.seed)
    examples, dev = mixed.loaded.examples, load_mixed(config.data.dev, data).loaded.examples
    vectors = vectors_of(config, vectors)
    results.mkdir(parents=True, exist_ok=True)
    if again or not found.exists():
        train(config, examples, dev, run, resume=True, vectors=vectors, epoch_done=epoch_done)
        _write(found, _result(cell, config, run, vectors))
    predicted = predictions_path(cell, results)
    if owes_predictions(cell, data) and (again or not predicted.exists()):
        result = json.loads(found.read_text(encoding="utf-8"))
        longer = replace(
            config,
            data=replace(config.data, dev=""),
            train=replace(config.train, epochs=real_epochs(config, result["best_epoch"])),
        )
        final = train(longer, (*examples, *dev), (), run / "final", resume=True, vectors=vectors)
        _predict(final, data, predicted)
        record = json.loads((run / "final" / "run.json").read_text(encoding="utf-8"))
        took = sum(line["seconds"] for line in record["epochs"])
        _write(found, {**result, "predictions": predicted.name, "final_seconds": round(took, 1)})
    return found


def result_path(cell: ResultCell, results: Path) -> Path:
    """Return where a cell's result is."""
    return results / f"{cell.name}.json"


def predictions_path(cell: ResultCell, results: Path) -> Path:
    """Return where a cell's test predictions are."""
    return results / "predictions" / f"{cell.name}.tsv"


def owes_predictions(cell: ResultCell, data: Path) -> bool:
    """Say whether a cell answers the test questions, where the data has them."""
    return cell.seed < TABLES[cell.table].test.get(cell.row, 0) and TEST in split_names(data)


def _write(path: Path, result: dict[str, Any]) -> None:
    beside = path.with_name(path.name + ".part")
    beside.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    os.replace(beside, path)


def vectors_of(config: Config, given: str | None) -> str | None:
    """Return where word vectors come from, if not as the config says: the file that is given.

    Raises:
        ConfigError: they are not there; without them a cell would quietly come to another figure.
    """
    if config.model.vectors != "random":
        return None
    if not given or not Path(given).is_file():
        state = f"there is no file {given}" if given else "DENOTA_VECTORS is not set"
        raise ConfigError(
            f"{state}: cells take their word vectors from DENOTA_VECTORS, "
            "GloVe 6B in 100 dimensions (glove.6B.100d.txt)"
        )
    return given


def _digest(path: str | None) -> str | None:
    """The sha256 of a file of word vectors."""
    if path is None or not Path(path).is_file():
        return None
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _predict(model: Path, data: Path, out: Path) -> None:
    parser, _, _ = load_parser(model)
    questions = load_questions(data, TEST).questions
    preparer = Preparer.of(parser.config, operators=parser.language)
    preparer.ahead(questions)
    answers = predict(questions, parser.best, preparer)
    out.parent.mkdir(parents=True, exist_ok=True)
    write_predictions(out, [(question, answers[key_of(question)].cells) for question in questions])


def packed(right: str) -> str:
    """Return outcomes, 1 or 0 a question, eight to a byte, in base 64.

    >>> packed("0111"), len(packed("1" * 2265))
    ('cA==', 380)
    """
    bits = np.packbits(np.array([*right], np.uint8))
    return base64.b64encode(bits.tobytes()).decode("ascii")


def _result(
    cell: ResultCell,
    config: Config,
    run: Path,
    vectors: str | None,
) -> dict[str, Any]:
    """What `results/` keeps of a cell."""
    epochs, outcomes = (_lines(run / name) for name in ("metrics.jsonl", "outcomes.jsonl"))
    best = max(epochs, key=lambda line: (line["dev_answer_accuracy"], -line["epoch"]))
    record = json.loads((run / "run.json").read_text(encoding="utf-8"))
    settings = asdict(config)
    settings["update"]["beta"] = str(settings["update"]["beta"])
    return {
        "cell": asdict(cell),
        "dev_answer_accuracy": best["dev_answer_accuracy"],
        "dev_sequence_accuracy": best["dev_sequence_accuracy"],
        "best_epoch": best["epoch"],
        "epochs": epochs,
        "dev_questions": len(outcomes[0]["dev_right"]),
        "dev_right": [packed(line["dev_right"]) for line in outcomes],
        "predictions": None,
        "config": settings,
        "vectors": {"file": record["vectors"], "sha256": _digest(vectors)},
        "versions": record["versions"],
        "machine": record["machine"],
        "train_seconds": round(sum(line["seconds"] for line in record["epochs"]), 1),
        "final_seconds": 0.0,
        "finished": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
