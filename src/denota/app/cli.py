"""The command line: what commands there are; `options` says what they take.

A file of `commands` does the work of each. It is imported when the command runs, so that
`denota --help` is quick.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

import denota
from denota.app import options as opt
from denota.app.terminal.entry import run_and_exit

app = typer.Typer(
    name="denota",
    help="Learn to answer questions about tables from answers alone.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # help as plain text: rich takes longer to import than all of it
    epilog="Example: `denota show results.csv` shows a table as denota understands it.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
data_app = typer.Typer(help="Get the data sets denota is measured on.", no_args_is_help=True)
app.add_typer(data_app, name="data")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    run_and_exit(app, sys.argv[1:] if arguments is None else arguments)


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
    epilog="Examples: `denota show results.csv` · `zcat log.csv.gz | denota show -` · "
    "`denota show book.xlsx --sheet 2024`"
)
def show(
    table: opt.TableFile,
    rows: opt.PreviewRows = 8,
    as_json: opt.AsJson = False,
    format: opt.FileFormat = None,
    encoding: opt.Encoding = None,
    delimiter: opt.Delimiter = None,
    quotes: opt.Quotes = True,
    ragged: opt.RaggedRows = "error",
    sheet: opt.Sheet = None,
    header: opt.HeaderRow = None,
    text: opt.TextColumns = None,
) -> None:
    """Show a table as denota understands it: types, ranges, distinct values, unread cells."""
    from denota.app.commands.show import show_table
    from denota.app.reading import ReaderOptions

    as_text = tuple(text or ())
    how = ReaderOptions(format, encoding, delimiter, quotes, ragged, sheet, header, as_text)
    show_table(table, rows, as_json, how)


@app.command(
    epilog='Example: `denota run examples/expeditions.csv "SELECT Leader WHERE Crew IS MAX" '
    '"SELECT Cost FOLLOW-UP CELL"`'
)
def run(
    table: opt.TableFile,
    programs: opt.Programs,
    dialect: opt.Dialect = None,
    as_json: opt.AsJson = False,
    format: opt.FileFormat = None,
    encoding: opt.Encoding = None,
    delimiter: opt.Delimiter = None,
    quotes: opt.Quotes = True,
    ragged: opt.RaggedRows = "error",
    sheet: opt.Sheet = None,
    header: opt.HeaderRow = None,
    text: opt.TextColumns = None,
) -> None:
    """Execute written programs as a conversation, with cells, SQL and a sentence for each."""
    from denota.app.commands.run import show_programs
    from denota.app.reading import ReaderOptions

    as_text = tuple(text or ())
    how = ReaderOptions(format, encoding, delimiter, quotes, ragged, sheet, header, as_text)
    show_programs(table, programs, as_json, how, dialect)


@app.command(
    epilog='Example: `denota ask examples/expeditions.csv "who had the largest crew?" '
    '"and the smallest?"`'
)
def ask(
    table: opt.TableFile,
    questions: opt.Questions = None,
    model: opt.Model = "default",
    dialect: opt.Dialect = None,
    as_json: opt.AsJson = False,
    as_csv: opt.AsCsv = False,
    as_sql: opt.AsSql = False,
    format: opt.FileFormat = None,
    encoding: opt.Encoding = None,
    delimiter: opt.Delimiter = None,
    quotes: opt.Quotes = True,
    ragged: opt.RaggedRows = "error",
    sheet: opt.Sheet = None,
    header: opt.HeaderRow = None,
    text: opt.TextColumns = None,
) -> None:
    """Ask a table questions in conversation; see the cells, the program, SQL and a sentence.

    On the terminal Tab completes names and values, and `:help` lists commands such as `:why`.
    """
    from denota.app.commands.ask import answer_questions
    from denota.app.reading import ReaderOptions

    as_text = tuple(text or ())
    how = ReaderOptions(format, encoding, delimiter, quotes, ragged, sheet, header, as_text)
    answer_questions(table, questions, model, as_json, how, dialect, as_csv, as_sql)


@app.command(
    epilog="Example: `denota oracle --data data/sqa --split random-split-1-dev --language dynsp++`"
)
def oracle(
    split: opt.Split = "dev",
    language: opt.Language = "extended",
    data: opt.Data = None,
    jobs: opt.Jobs = None,
    sample: opt.SampleSize = 0,
    as_json: opt.AsJson = False,
) -> None:
    """Measure how far a language reaches: how often some program gives exactly the gold answer."""
    from denota.app.commands.oracle import show_oracle

    show_oracle(data, split, language, jobs, sample, as_json)


@app.command(
    epilog="Example: `denota train experiments/table2.maver.toml --data data/sqa "
    "--out runs/maver --set seed=1`"
)
def train(
    config: opt.ConfigFile,
    out: opt.RunFolder,
    data: opt.Data = None,
    settings: opt.Settings = None,
    resume: opt.Resume = False,
    init: opt.InitialRun = None,
    final: opt.Final = False,
) -> None:
    """Train a parser from answers; keep the best epoch on dev, and draw curves at the end."""
    from denota.app.commands.train import train_run

    train_run(config, out, data, settings or [], resume, init, final)


@app.command(
    epilog="Example: `denota evaluate runs/maver --data data/sqa --split random-split-1-dev`"
)
def evaluate(
    run: opt.RunOrDefault,
    data: opt.Data = None,
    split: opt.Split = "dev",
    gold_history: opt.GoldHistory = False,
    new_tables: opt.NewTables = None,
    without: opt.Without = None,
    only_model: opt.OnlyModel = False,
    each_step: opt.EachStep = False,
    as_json: opt.AsJson = False,
) -> None:
    """Measure a parser on a split, with its own previous answers as history."""
    from denota.app.commands.evaluate import Measured, show_evaluation, show_steps

    measured = Measured(run, data, split, gold_history, new_tables, without or (), only_model)
    show_steps(measured, as_json) if each_step else show_evaluation(measured, as_json)


@app.command(epilog="Example: `denota calibrate runs/maver --data data/sqa --split dev`")
def calibrate(
    run: opt.TrainedRun,
    data: opt.Data = None,
    split: opt.Split = "dev",
    as_json: opt.AsJson = False,
) -> None:
    """Measure how often a parser is right by its confidence, and keep that with the parser."""
    from denota.app.commands.calibrate import calibrate_run, draw_reliability
    from denota.app.terminal.figures import show_calibration

    found = calibrate_run(run, data, split)
    show_calibration(found, draw_reliability(found, run / "reliability.svg"), as_json)


@app.command(
    epilog="Examples: `denota serve`, then open http://127.0.0.1:8000/ · "
    "`denota serve shop.sqlite#orders examples/expeditions.csv`"
)
def serve(
    tables: opt.OfferedTables = None,
    host: opt.Host = "127.0.0.1",
    port: opt.Port = 8000,
    model: opt.Model = "default",
    sessions: opt.SessionsFile = None,
    token: opt.Tokens = None,
    workers: opt.WorkerCount = None,
    share_lessons: opt.ShareLessons = False,
    apart: opt.Apart = False,
    quiet: opt.Quiet = False,
    format: opt.FileFormat = None,
    encoding: opt.Encoding = None,
    delimiter: opt.Delimiter = None,
    quotes: opt.Quotes = True,
    ragged: opt.RaggedRows = "error",
    sheet: opt.Sheet = None,
    header: opt.HeaderRow = None,
    text: opt.TextColumns = None,
) -> None:
    """Serve a page on which tables are asked questions, and a REST API."""
    from denota.app.commands.serve import serve as run
    from denota.app.reading import ReaderOptions

    as_text = tuple(text or ())
    how = ReaderOptions(format, encoding, delimiter, quotes, ragged, sheet, header, as_text)
    files = (sessions, tables or (), how)
    run(host, port, model, *files, token or (), workers, share_lessons and not apart, quiet)


@app.command(
    epilog="Examples: `denota mcp sales.csv shop.sqlite#orders` · `denota mcp --allow data`"
)
def mcp(
    tables: opt.AssistantTables = None,
    allow: opt.AllowedFolders = None,
    model: opt.Model = "default",
) -> None:
    """Let an assistant ask tables, by the Model Context Protocol on standard input and output.

    It opens only the TABLEs named here and files in folders named with --allow; links and `..` lead
    nowhere else, and `--allow .` opens the working folder, which is closed without it. Databases on
    servers and web addresses must be TABLEs. Nothing but lessons is ever written.
    """
    from denota.app.commands.mcp import serve_assistant

    serve_assistant(tables or (), allow or (), model)


@app.command(
    epilog="Examples: `denota teach default lessons.jsonl` · `denota teach default --log` · "
    "`denota teach default --undo` · `denota teach default --retrain taught.safetensors`"
)
def teach(
    model: opt.TaughtModel,
    lessons: opt.LessonsFile = None,
    undo: opt.Undo = False,
    reset: opt.Reset = False,
    log: opt.ShowLog = False,
    export: opt.ExportFile = None,
    save: opt.SaveFile = None,
    forget: opt.Forget = None,
    retrain: opt.RetrainFile = None,
    preview: opt.Preview = False,
) -> None:
    """Teach a model by right answers, and look after what it was taught.

    Lessons are learnt by the paper's update within a second and hold for the tables they are
    about. They are kept in a log beside the model, which `ask` and `serve` write as well.
    """
    from denota.app.commands.teach import show_teaching

    show_teaching(model, lessons, undo, reset, log, export, save, forget, retrain, preview)


@app.command(epilog="Example: `denota package runs/maver maver.safetensors`")
def package(
    run: opt.TrainedRun,
    out: opt.ParserFile,
    confidence: opt.CalibratedRun = None,
    bits: opt.Bits = 8,
) -> None:
    """Write a run's parser into one file of a quarter of the size or less, to keep or to share."""
    from denota.app.commands.package import package_run

    print(f"{out}: {package_run(run, out, confidence, bits) / 1e6:.1f} MB")


@app.command(
    epilog="Example: `denota predict runs/maver --data data/sqa --split test-questions "
    "--out predictions.tsv` · on a cluster, and again after it was stopped: "
    "`denota predict default --data many.jsonl --split all --out all.tsv --on ray --workers 8`"
)
def predict(
    run: opt.RunOrDefault,
    out: opt.PredictionsOut,
    data: opt.Data = None,
    split: opt.Split = "test",
    without: opt.Without = None,
    only_model: opt.OnlyModel = False,
    on: opt.AnswerOn = None,
    workers: opt.AnswerWorkers = 0,
    cluster: opt.Cluster = None,
    chunks: opt.Chunks = None,
) -> None:
    """Answer a split and write the answers in the official format of its data set.

    With --on or --chunks answers are kept in chunks on the way: the same command given again after
    it was stopped answers only what is missing.
    """
    from denota.app.commands.predict import Workers, predict_run

    who = Workers(on, workers, cluster, chunks)
    print(f"{out}: {predict_run(run, data, split, out, without or (), only_model, who):,} answers")


@app.command(
    epilog="Example: `denota reproduce table2 --data data/sqa --jobs 2` · "
    "one cell: `denota reproduce table2.maver.shaped.seed0`"
)
def reproduce(
    table: opt.PaperTable,
    data: opt.Data = None,
    jobs: opt.Jobs = None,
    again: opt.Again = False,
    device: opt.CellDevice = None,
) -> None:
    """Run the cells of a table of the paper that results/ lacks; a stopped run can be continued.

    Tables and plots of docs/reproduction.md are made anew where there is one.
    """
    from denota.app.commands.reproduce import reproduce_table

    raise typer.Exit(1 if reproduce_table(table, data, jobs, again, device) else 0)


@app.command(epilog="Example: `denota bench --data data/sqa --json`")
def bench(
    data: opt.Data = None,
    as_json: opt.AsJson = False,
    device: opt.Device = "cpu",
    batch: opt.Batch = 64,
    workers: opt.Workers = -1,
) -> None:
    """Measure the speed of preparing, training and answering, and the memory it takes."""
    from denota.app.commands.bench import show_bench

    show_bench(data, device, batch, workers, as_json)


@app.command(epilog="Example: `denota score data/sqa/random-split-1-dev.tsv predictions.tsv`")
def score(
    gold: opt.GoldFile, predictions: opt.PredictionsFile, as_json: opt.AsJson = False
) -> None:
    """Score predictions by the official metrics of their data set."""
    from denota.app.commands.score import score_files

    score_files(gold, predictions, as_json)


@data_app.command(
    epilog="Example: `denota data sqa --to data/sqa`, then `export DENOTA_DATA=data/sqa`"
)
def sqa(
    to: opt.FetchTo = Path("data/sqa"),
    source: opt.FetchFrom = None,
    sha256: opt.Checksum = None,
) -> None:
    """Download, check and unpack the official SQA release (Microsoft Research; its own licence)."""
    from denota.app.commands.data import fetch_release

    fetch_release("sqa", to, source, sha256)


@data_app.command(
    epilog="Example: `denota data wtq --to data/wtq`, then `denota predict default "
    "--data data/wtq --split pristine-unseen-tables --out p.tsv`"
)
def wtq(
    to: opt.FetchTo = Path("data/wtq"),
    source: opt.FetchFrom = None,
    sha256: opt.Checksum = None,
) -> None:
    """Download, check and unpack the official release of WikiTableQuestions (CC BY-SA 4.0)."""
    from denota.app.commands.data import fetch_release

    fetch_release("wtq", to, source, sha256)
