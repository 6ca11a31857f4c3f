"""The command line: thin; every command calls what a Python user would call.

Exit codes: 0 done, 1 could not do it, 2 wrong use. Errors are one sentence on stderr; `--debug` adds the traceback.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from typer.exceptions import TyperException

import denota
from denota.app.terminal.text import to_json, visible
from denota.data.dataset import DataSet
from denota.errors import DenotaError
from denota.tables.delimited import Ragged
from denota.tables.io import Format, read_table

app = typer.Typer(
    name="denota",
    help="Learn to answer questions about tables from answers alone.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    epilog="Example: `denota show results.csv` shows a table as denota understands it.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
INTERRUPTED: Final = 130
"""The exit code of a command that Ctrl-C stopped; typer gives it back instead of raising."""
data_app = typer.Typer(help="Get the data sets denota is measured on.", no_args_is_help=True)
app.add_typer(data_app, name="data")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in arguments
    arguments = _each_set([argument for argument in arguments if argument != "--debug"])
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(
                errors="replace"
            )  # a terminal that lacks a letter is no reason to fail
    try:
        code = app(arguments, prog_name="denota", standalone_mode=False)
        if code == INTERRUPTED:
            _fail("stopped", debug, code=INTERRUPTED)
        sys.exit(code)
    except TyperException as error:  # wrong use; without any arguments the help is the message
        message = getattr(error, "format_message", error.__str__)().rstrip(".?")
        if message:
            _fail(f"{message}; see denota {_command(arguments)}--help", debug, code=2)
        sys.exit(2)
    except DenotaError as error:
        _fail(str(error), debug)
    except BrokenPipeError:  # the reader of our output went away
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (KeyboardInterrupt, typer.Abort):
        _fail("stopped", debug, code=INTERRUPTED)
    except MemoryError:
        _fail("there is not enough memory for this", debug)
    except Exception as error:
        what = f"{type(error).__name__}: {error}".splitlines()[0]
        _fail(f"something went wrong inside denota ({what}); --debug shows where", debug)


def _each_set(arguments: Sequence[str]) -> list[str]:
    """Repeat --set before each of several settings behind one.

    >>> _each_set(["train", "x.toml", "--set", "seed=1", "train.batch=8", "--resume"])
    ['train', 'x.toml', '--set', 'seed=1', '--set', 'train.batch=8', '--resume']
    """
    found: list[str] = []
    setting = False
    for argument in arguments:
        more = setting and "=" in argument and not argument.startswith("-")
        if more and found[-1] != "--set":
            found.append("--set")
        found.append(argument)
        setting = argument == "--set" or more
    return found


def _fail(message: str, debug: bool, code: int = 1) -> None:
    if debug:
        import traceback

        traceback.print_exc()
    print(f"denota: {visible(message, 1000)}", file=sys.stderr)
    sys.exit(code)


def _command(arguments: Sequence[str]) -> str:
    names = {
        command.name or command.callback.__name__
        for command in app.registered_commands
        if command.callback
    }
    names |= {group.name for group in app.registered_groups if group.name}
    return f"{arguments[0]} " if arguments and arguments[0] in names else ""


def _version(asked: bool) -> None:
    if asked:
        print(f"denota {denota.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors.")] = False,
) -> None:
    """Learn to answer questions about tables from answers alone."""


@app.command(
    epilog="Examples: `denota show results.csv` · `zcat log.csv.gz | denota show -` · `denota show book.xlsx --sheet 2024`"
)
def show(
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE",
            help="CSV, TSV, JSON, Parquet or Excel file, gzipped or not; - for a pipe.",
        ),
    ],
    rows: Annotated[int, typer.Option(min=0, help="Rows to preview.")] = 8,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
    format: Annotated[
        Format | None, typer.Option(help="The kind of file; found out if not given.")
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(help="Of a text file, e.g. utf-16 or cp1252; found out if not given."),
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="One character; found out if not given. Say 'tab' for a tab.")
    ] = None,
    quotes: Annotated[bool, typer.Option(help='Whether " quotes a cell.')] = True,
    ragged: Annotated[
        Ragged,
        typer.Option(help="Refuse rows longer or shorter than the header, or fill and cut them."),
    ] = "error",
    sheet: Annotated[
        str | None, typer.Option(help="Of an Excel workbook; the first if not given.")
    ] = None,
) -> None:
    """Show a table as denota understands it: types, ranges, distinct values, what could not be read."""
    from denota.app.commands.show import describe
    from denota.app.commands.show import show as print_table

    read = read_table(
        table,
        format=format,
        encoding=encoding,
        delimiter="\t" if delimiter in ("tab", "\\t") else delimiter,
        quotes=quotes,
        ragged=ragged,
        sheet=sheet,
    )
    if as_json:
        print(to_json(describe(read)))
    else:
        print_table(read, Console(highlight=False), rows)


@app.command(
    epilog='Example: `denota run examples/expeditions.csv "SELECT Leader WHERE Crew IS MAX" "SELECT Cost FOLLOW-UP CELL"`'
)
def run(
    table: Annotated[
        str, typer.Argument(metavar="TABLE", help="Any file that `denota show` reads.")
    ],
    programs: Annotated[
        list[str],
        typer.Argument(metavar="PROGRAM...", help="Programs, executed as one conversation."),
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a program.")
    ] = False,
) -> None:
    """Execute written programs as a conversation, with cells, SQL and a sentence for each."""
    from denota.app.terminal.turns import show_turn
    from denota.conversation.written import run_programs

    read = read_table(table)
    console = Console(highlight=False)
    for turn in run_programs(read, programs):
        if as_json:
            print(to_json(turn.as_json()))
        else:
            show_turn(read, turn, console)


@app.command(
    epilog='Example: `denota ask examples/expeditions.csv "who had the largest crew?" "and the smallest?" --model runs/demo`'
)
def ask(
    table: Annotated[
        str, typer.Argument(metavar="TABLE", help="Any file that `denota show` reads.")
    ],
    questions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[QUESTION...]",
            help="Asked as one conversation. Without any: a conversation on the terminal, or a line each of a pipe.",
        ),
    ] = None,
    model: Annotated[
        str, typer.Option(metavar="RUN", help="The folder of a run, or a .safetensors file.")
    ] = "default",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a question.")
    ] = False,
) -> None:
    """Ask a table questions in conversation, and see the cells, the program, SQL and a sentence that says why.

    On the terminal Tab completes names and values, and `:help` tells of `:why`, `:sql`, `:undo`, `:reset` and `:save`.
    """
    from denota.app.commands.ask import answer

    answer(table, questions, model, as_json, Console(highlight=False))


@app.command(
    epilog="Example: `denota oracle --data data/sqa --split random-split-1-dev --language dynsp++`"
)
def oracle(
    split: Annotated[str, typer.Option(help="The split to measure.")] = "dev",
    language: Annotated[
        str,
        typer.Option(
            help="dynsp, dynsp++, extended or full; '+x' and '-x' behind it add and take operators."
        ),
    ] = "extended",
    data: Annotated[
        str | None, typer.Option(help="Directory or .jsonl file; else DENOTA_DATA.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes; all cores if not given.")
    ] = None,
    sample: Annotated[
        int, typer.Option(min=0, help="So many conversations drawn with a seed; all if 0.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure how far a language reaches: how often some program gives exactly the gold answer."""
    from denota.app.commands.oracle import measure, show_coverage

    found = measure(data, split, language, jobs or os.cpu_count() or 1, sample)
    if as_json:
        print(to_json(found))
    else:
        show_coverage(found, Console(highlight=False))


Data = Annotated[
    str | None,
    typer.Option(
        "--data", help="Directory or .jsonl file; else DENOTA_DATA, else the bundled sample."
    ),
]
Split = Annotated[str, typer.Option(help="The name of the split.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command(
    epilog="Example: `denota train experiments/table2.maver.toml --data data/sqa --out runs/maver --set seed=1`"
)
def train(
    config: Annotated[Path, typer.Argument(metavar="CONFIG.toml", help="The settings of the run.")],
    out: Annotated[Path, typer.Option(help="The folder of the run.")],
    data: Data = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="a.b=c", help="Change a setting; may be given again."),
    ] = None,
    resume: Annotated[bool, typer.Option(help="Go on with the run in --out.")] = False,
    init: Annotated[Path | None, typer.Option(help="A run to begin with.")] = None,
    final: Annotated[
        bool,
        typer.Option(
            help="Afterwards train on train and dev together up to the best epoch, into RUN/final."
        ),
    ] = False,
) -> None:
    """Train a parser from answers: the best epoch on dev is kept, and curves are drawn at the end."""
    from denota.app.commands.train import train_run

    train_run(config, out, data, settings or [], resume, init, final)


@app.command(
    epilog="Example: `denota evaluate runs/maver --data data/sqa --split random-split-1-dev`"
)
def evaluate(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The folder of a run, or default.")],
    data: Data = None,
    split: Split = "dev",
    gold_history: Annotated[
        bool, typer.Option("--gold-history", help="Give each question the right previous answer.")
    ] = False,
    new_tables: Annotated[
        str | None,
        typer.Option(
            metavar="SPLIT", help="Only questions about tables that this other split does not have."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure a parser on a split, with its own previous answers as history."""
    from denota.app.commands.train import evaluate_run, show_score

    found = evaluate_run(run, data, split, gold_history, new_tables)
    print(to_json(found)) if as_json else show_score(found, Console(highlight=False))


@app.command(epilog="Example: `denota calibrate runs/maver --data data/sqa --split dev`")
def calibrate(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    data: Data = None,
    split: Split = "dev",
    as_json: AsJson = False,
) -> None:
    """Measure how often a parser is right by how sure it is, and keep that with it: its confidence then means something."""
    from denota.app.commands.calibrate import calibrate_run, draw_reliability

    found = calibrate_run(run, data, split)
    picture = draw_reliability(found, run / "reliability.svg")
    if as_json:
        print(to_json(found))
        return
    print(
        f"{found['questions']:,} questions, {found['answer_accuracy']:.1f}% right; calibration error {found['calibration_error']:.1f}%"
    )
    if found["sure_accuracy"] is not None:
        print(
            f"sure of {found['sure_share']:.0f}% of the answers, {found['sure_accuracy']:.0f}% of them right; its reliability is {picture}"
        )


@app.command(epilog="Example: `denota serve`, then open http://127.0.0.1:8000/")
def serve(
    host: Annotated[
        str,
        typer.Option(help="Where to listen; beyond this machine a token is asked for."),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port.")] = 8000,
    model: Annotated[
        str, typer.Option(metavar="RUN", help="The folder of a run, or default.")
    ] = "default",
    sessions: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where conversations are kept; else DENOTA_SESSIONS."),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(envvar="DENOTA_TOKEN", help="What requests must bring along."),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Processes that answer; one a core, four at most, if not given."),
    ] = None,
    apart: Annotated[
        bool,
        typer.Option("--apart", help="Keep what people teach apart; else it is for everybody."),
    ] = False,
) -> None:
    """Serve a page on which tables are asked questions, and a REST API."""
    from denota.app.commands.serve import serve as run

    run(host, port, model, sessions, token, workers, apart)


@app.command(
    epilog="Examples: `denota teach default lessons.jsonl` · `denota teach default --log` · `denota teach default --undo`"
)
def teach(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="default, the folder of a run, or a saved file.")
    ],
    lessons: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE.jsonl]", help="Conversations with right answers to learn."),
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take the last lesson back.")] = False,
    reset: Annotated[
        bool, typer.Option("--reset", help="Take all lessons back: the model is as it came.")
    ] = False,
    log: Annotated[bool, typer.Option("--log", help="Show all that was ever taught.")] = False,
    export: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the lessons, as `denota train` takes them."),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the model with all it was taught, to share."),
    ] = None,
) -> None:
    """Teach a model by right answers, and look after what it was taught.

    Lessons are learnt by the paper's update within a second, belong to the tables they are about, and are kept in a log beside the model, which `ask` and `serve` write as well.
    """
    from denota.app.commands.teach import teach_model

    for line in teach_model(model, lessons, undo, reset, log, export, save):
        print(visible(line))


@app.command(epilog="Example: `denota package runs/maver maver.safetensors`")
def package(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The folder of a run.")],
    out: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write the parser.")],
    confidence: Annotated[
        str | None,
        typer.Option(metavar="RUN", help="Take the calibration of this run of the same recipe."),
    ] = None,
) -> None:
    """Write a run's parser into one file of a quarter of the size, to keep or to share."""
    from denota.app.commands.package import package_run

    print(f"{out}: {package_run(run, out, confidence) / 1e6:.1f} MB")


@app.command(
    epilog="Example: `denota predict runs/maver --data data/sqa --split test-questions --out predictions.tsv`"
)
def predict(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The folder of a run, or default.")],
    out: Annotated[Path, typer.Option(help="Where to write the predictions.")],
    data: Data = None,
    split: Split = "test",
) -> None:
    """Answer a split and write the answers in SQA's official format."""
    from denota.app.commands.train import predict_run

    print(f"{out}: {predict_run(run, data, split, out):,} answers")


@app.command(
    epilog="Example: `denota reproduce table2 --data data/sqa --jobs 2` · one cell: `denota reproduce table2.maver.shaped.seed0`"
)
def reproduce(
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE", help="table2, table3, explain, ablate, or the name of one cell."
        ),
    ],
    data: Data = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Cells at a time; one a core if not given.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Run cells that results/ has as well.")
    ] = False,
    device: Annotated[
        str | None, typer.Option(help="cpu or cuda, if not what the cell's settings say.")
    ] = None,
) -> None:
    """Run the cells of a table of the paper that results/ lacks; stop it at any time, it goes on where it was.

    Tables and plots of docs/reproduction.md are made anew where there is one.
    """
    from denota.app.commands.reproduce import reproduce_cells
    from denota.app.data import data_path
    from denota.reports.cells import cell_named, cells_of

    cells = [cell_named(table)] if "." in table else cells_of(table)
    failed = reproduce_cells(cells, data_path(data), jobs or os.cpu_count() or 1, again, device)
    raise typer.Exit(1 if failed else 0)


@app.command(epilog="Example: `denota bench --data data/sqa --json`")
def bench(
    data: Data = None,
    as_json: AsJson = False,
    device: Annotated[str, typer.Option(help="cpu, cuda, or auto.")] = "cpu",
    batch: Annotated[int, typer.Option(min=1, help="Questions an update.")] = 64,
) -> None:
    """Measure the speed of preparing, training and answering, and the memory it takes."""
    from denota.app.commands.bench import show_speed
    from denota.app.data import data_path
    from denota.learning.speed import measure_speed

    found = measure_speed(data_path(data), device, batch)
    print(to_json(found)) if as_json else show_speed(found, Console(highlight=False))


@app.command(epilog="Example: `denota score data/sqa/random-split-1-dev.tsv predictions.tsv`")
def score(
    gold: Annotated[
        Path,
        typer.Argument(
            metavar="GOLD", help="A split with answers, in the directory of its data set."
        ),
    ],
    predictions: Annotated[
        Path,
        typer.Argument(metavar="PRED.tsv", help="Predictions in the data set's official format."),
    ],
    as_json: AsJson = False,
) -> None:
    """Score predictions by the official metrics of their data set."""
    from denota.app.commands.train import score_files, show_score

    found = score_files(gold, predictions)
    print(to_json(found)) if as_json else show_score(found, Console(highlight=False))


FetchFrom = Annotated[
    str | None, typer.Option("--from", help="Another address, or a zip file you have.")
]
Checksum = Annotated[
    str | None, typer.Option(help="Refuse the download unless it has this checksum.")
]


@data_app.command(
    epilog="Example: `denota data sqa --to data/sqa`, then `export DENOTA_DATA=data/sqa`"
)
def sqa(
    to: Annotated[Path, typer.Option(help="Where to put it.")] = Path("data/sqa"),
    source: FetchFrom = None,
    sha256: Checksum = None,
) -> None:
    """Download, check and unpack the official SQA release (Microsoft Research; its own licence applies)."""
    from denota.data.sqa import SQA

    _fetch(SQA, to, source, sha256)


@data_app.command(
    epilog="Example: `denota data wtq --to data/wtq`, then `denota predict default --data data/wtq --split pristine-unseen-tables --out p.tsv`"
)
def wtq(
    to: Annotated[Path, typer.Option(help="Where to put it.")] = Path("data/wtq"),
    source: FetchFrom = None,
    sha256: Checksum = None,
) -> None:
    """Download, check and unpack the official release of WikiTableQuestions (CC BY-SA 4.0)."""
    from denota.data.wtq import WTQ

    _fetch(WTQ, to, source, sha256)


def _fetch(kind: DataSet, to: Path, source: str | None, sha256: str | None) -> None:
    from denota.app.terminal.progress import bytes_progress
    from denota.data.fetch import fetch

    assert kind.release is not None
    with bytes_progress(f"{kind.release.title} release") as progress:
        fetched = fetch(kind.release, to, url=source, sha256=sha256, progress=progress)
    print(f"{fetched.path}: {fetched.questions:,} questions")
    if fetched.sha256:
        print(f"sha256 of the archive: {fetched.sha256}")
    print(f"Use it with --data {fetched.path} or DENOTA_DATA={fetched.path}")
