"""`denota train`: a parser trained as a config says."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import torch

from denota.app.paths import data_path, model_path, vectors_path
from denota.app.terminal.problems import checked
from denota.app.terminal.progress import training_progress
from denota.app.torchrun import together
from denota.config import Config
from denota.data import Example
from denota.data.loaded import Loaded
from denota.data.mixed import load_mixed, load_tables
from denota.generate.sources import INVENTED, TRAIN, read_sources
from denota.learning.group import Group
from denota.learning.presets import load_experiment
from denota.learning.run import MADE_OF, real_epochs, train
from denota.model.checkpoint import load_parser
from denota.model.saved import read_saved
from denota.reports.curves import draw_curves
from denota.tables.table import Table


def train_run(
    path: Path,
    out: Path,
    data: str | None,
    settings: Sequence[str],
    resume: bool,
    init: Path | None,
    final: bool,
) -> None:
    """Train as a config says and report each epoch, together with what torchrun started.

    Args:
        path: the config.
        out: the folder of the run.
        data: where the data lies.
        settings: changes of the config, `a.b=c` each.
        resume: whether to go on with the run in `out`.
        init: a run to begin with.
        final: whether to train a second parser, on train and dev together, up to the best epoch.
    """
    config = load_experiment(path, settings)
    with together(config.train.device) as group:
        _train_all(config, out, data_path(data), resume, init, final, group)


def _train_all(
    config: Config,
    out: Path,
    where: Path,
    resume: bool,
    init: Path | None,
    final: bool,
    group: Group,
) -> None:
    """Train, and then again on train and dev together if that is wanted."""
    asked = Loaded(())
    if config.data.dev:
        asked = checked(load_mixed(config.data.dev, where).loaded)
    mixed = load_mixed(config.data.train, where, apart_from=config.data.dev, seed=config.seed)
    for part in mixed.parts:
        if part.left_out:
            name = part.spec.name or part.kind
            why = "their tables are in a dev set"
            print(
                f"denota: {part.left_out:,} questions of {name} are left out: {why}",
                file=sys.stderr,
            )
    examples = checked(mixed.loaded).examples
    tables = _tables_to_ask_about(config, where)
    best = _train(config, examples, asked, out, resume, init, tables, group)
    print(f"the best parser is {best}")
    if final:
        stop = group.from_first(lambda: int(read_saved(best).facts["epoch"]))
        epochs = real_epochs(config, stop)
        longer = replace(
            config,
            data=replace(config.data, dev=""),
            train=replace(config.train, epochs=epochs),
        )
        both = (*examples, *asked.examples)
        best = _train(longer, both, Loaded(()), out / "final", resume, init, tables, group)
        print(f"the parser trained on all of it for {epochs} epochs is {best}")


def _tables_to_ask_about(config: Config, where: Path) -> dict[str, Sequence[Table]]:
    """The tables of data sets that made-up questions are about, none of which dev has."""
    if not config.data.made_up:
        return {}
    names = [source.name for source in read_sources(config.data.made_up_tables)]
    return {
        name: load_tables(name, where, apart_from=config.data.dev)
        for name in names
        if name not in (TRAIN, INVENTED)
    }


def _train(
    config: Config,
    examples: tuple[Example, ...],
    dev: Loaded,
    out: Path,
    resume: bool,
    init: Path | None,
    tables: Mapping[str, Sequence[Table]],
    group: Group,
) -> Path:
    vectors = vectors_path() if config.model.vectors == "random" else None
    counts = f"{len(examples):,} questions to learn from, {len(dev.examples):,} for dev"
    print(counts, file=sys.stderr)
    start = load_parser(model_path(init))[0] if init else None
    if config.model.scorer != "encoder":
        # its steps are too small to share: threads would wait for each other
        torch.set_num_threads(1)
    prepared = len(examples) + len(dev.examples) + config.data.made_up
    if config.data.unanswerable:
        prepared += min(MADE_OF, len(examples) + config.data.made_up)
    trained = config.train.epochs * len(examples) + config.made_up_epochs * config.data.made_up
    with training_progress(prepared, trained, quiet=not group.is_first) as shown:
        best = train(
            config,
            examples,
            dev.examples,
            out,
            resume=resume,
            start_from=start,
            vectors=vectors,
            say=lambda message: print(f"denota: {message}", file=sys.stderr),
            epoch_done=shown.epoch,
            progress=shown.step,
            prepared=shown.prepared,
            dev_questions=dev.questions,
            tables=tables,
            group=group,
        )
    if not group.is_first:
        return best
    try:
        print(f"its curves are {draw_curves(out)}")
    except ImportError:
        print("denota: no curves are drawn: matplotlib is not installed", file=sys.stderr)
    return best
