"""The options and arguments of the command line, by the commands that take them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

# those of `denota.tables`, which would import numpy before any help is shown
Format = Literal["csv", "tsv", "json", "jsonl", "parquet", "excel"]
Ragged = Literal["error", "fill"]

# several commands
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON: one object, or one a line.")]
AsCsv = Annotated[bool, typer.Option("--csv", help="Print the last answer as CSV.")]
AsSql = Annotated[bool, typer.Option("--sql", help="Print the SQL of the last answer.")]
TableFile = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="CSV, TSV, JSON, Parquet or Excel file, gzipped or not; a folder or glob of files; "
        "- for a pipe; shop.sqlite#orders, shop.duckdb#orders, book.xlsx#Sheet; "
        "postgresql://user@host/database#table, mysql://, https://.",
    ),
]
Model = Annotated[
    str,
    typer.Option(metavar="RUN", help="default, the folder of a run, or a .safetensors file."),
]
RunOrDefault = Annotated[
    str, typer.Argument(metavar="RUN", help="The folder of a run, or default.")
]
Data = Annotated[
    str | None,
    typer.Option(
        "--data", help="Directory or .jsonl file; else DENOTA_DATA, else the bundled sample."
    ),
]
Split = Annotated[str, typer.Option(help="The name of the split.")]
Jobs = Annotated[int | None, typer.Option(min=1, help="Processes; one a core if not given.")]

# show, run, ask and serve
PreviewRows = Annotated[int, typer.Option(min=0, help="Rows to preview.")]
FileFormat = Annotated[
    Format | None, typer.Option(help="The kind of file; found out if not given.")
]
Encoding = Annotated[
    str | None,
    typer.Option(help="Of a text file, e.g. utf-16 or cp1252; found out if not given."),
]
Delimiter = Annotated[
    str | None, typer.Option(help="One character; found out if not given. Say 'tab' for a tab.")
]
Quotes = Annotated[bool, typer.Option(help='Whether " quotes a cell.')]
RaggedRows = Annotated[
    Ragged,
    typer.Option(help="Refuse rows longer or shorter than the header, or fill and cut them."),
]
Sheet = Annotated[
    str | None,
    typer.Option(help="Of an Excel workbook; the first that holds a table if not given."),
]
HeaderRow = Annotated[
    int | None,
    typer.Option("--header", min=1, help="The row of the names; found out if not given."),
]
TextColumns = Annotated[
    list[str] | None,
    typer.Option("--text", metavar="COLUMN", help="A column to read as text; may be given again."),
]

# run and ask
Dialect = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Whose SQL to write: duckdb, sqlite, postgres, mysql or another that sqlglot knows.",
    ),
]
Programs = Annotated[
    list[str], typer.Argument(metavar="PROGRAM...", help="Programs, executed as one conversation.")
]
Questions = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[QUESTION...]",
        help="Asked as one conversation. "
        "Without any: a conversation on the terminal, or a line each of a pipe.",
    ),
]

# oracle
Language = Annotated[
    str,
    typer.Option(
        help="dynsp, dynsp++, extended or full; '+x' and '-x' behind it add and take operators."
    ),
]
SampleSize = Annotated[
    int, typer.Option(min=0, help="Conversations to draw with a seed; all if 0.")
]

# train
ConfigFile = Annotated[Path, typer.Argument(metavar="CONFIG.toml", help="The settings of the run.")]
RunFolder = Annotated[Path, typer.Option(help="The folder of the run.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="a.b=c", help="Change a setting; may be given again."),
]
Resume = Annotated[bool, typer.Option(help="Go on with the run in --out.")]
InitialRun = Annotated[Path | None, typer.Option(help="A run to begin with.")]
Final = Annotated[
    bool,
    typer.Option(
        help="Afterwards train on train and dev together up to the best epoch, into RUN/final."
    ),
]

# evaluate, calibrate, predict, score and package
GoldHistory = Annotated[
    bool, typer.Option("--gold-history", help="Give each question the right previous answer.")
]
NewTables = Annotated[
    str | None,
    typer.Option(
        metavar="SPLIT",
        help="Only questions about tables that this other split, or NAME:SPLIT, does not have.",
    ),
]
Without = Annotated[
    list[str] | None,
    typer.Option(metavar="STEP", help="Leave out a step of understanding; may be given again."),
]
OnlyModel = Annotated[
    bool, typer.Option("--only-model", help="Take the parser's best program, without any step.")
]
EachStep = Annotated[
    bool, typer.Option("--each-step", help="Measure what each step of understanding brings.")
]
TrainedRun = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")]
PredictionsOut = Annotated[Path, typer.Option(help="Where to write the predictions.")]
AnswerOn = Annotated[
    Literal["processes", "ray", "spark"] | None,
    typer.Option(help="Who answers: processes of this machine, or a Ray or Spark cluster."),
]
AnswerWorkers = Annotated[int, typer.Option(min=0, help="How many at a time; 0: one a core.")]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS", help="auto, ray://head:10001, spark://head:7077; else one is started."
    ),
]
Chunks = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="A folder that all workers see, where chunks of answers stay; else beside --out.",
    ),
]
GoldFile = Annotated[
    Path,
    typer.Argument(metavar="GOLD", help="A split with answers, in the directory of its data set."),
]
PredictionsFile = Annotated[
    Path,
    typer.Argument(metavar="PRED.tsv", help="Predictions in the data set's official format."),
]
ParserFile = Annotated[Path, typer.Argument(metavar="FILE", help="Where to write the parser.")]
Bits = Annotated[
    int, typer.Option(help="Bits of a weight: 8, or 4, which rounds more.", show_default=True)
]
CalibratedRun = Annotated[
    str | None,
    typer.Option(metavar="RUN", help="Take the calibration of this run of the same recipe."),
]

# serve
OfferedTables = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[TABLE...]",
        help="Tables that the first page offers, as `denota ask` takes them. "
        "The server opens no others but those that are sent to it.",
    ),
]
Host = Annotated[
    str, typer.Option(help="Where to listen; beyond this machine a token is asked for.")
]
Port = Annotated[int, typer.Option(min=0, max=65535, help="The port.")]
SessionsFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Where conversations are kept; else DENOTA_SESSIONS."),
]
Tokens = Annotated[
    list[str] | None,
    typer.Option(
        "--token",
        envvar="DENOTA_TOKEN",
        help="What requests must bring along; may be given again, one for each program.",
    ),
]
WorkerCount = Annotated[
    int | None,
    typer.Option(min=1, help="Processes that answer; one a core, four at most, if not given."),
]
ShareLessons = Annotated[
    bool, typer.Option("--share-lessons", help="What one person teaches is for everybody.")
]
Apart = Annotated[
    bool, typer.Option("--apart", hidden=True, help="What people teach is theirs: always so now.")
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Write no line for each request.")]

# mcp
AssistantTables = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[TABLE...]", help="Tables that may be opened, as `denota ask` takes them."
    ),
]
AllowedFolders = Annotated[
    list[Path] | None,
    typer.Option("--allow", metavar="FOLDER", help="Its files may be opened; may be given again."),
]

# teach
TaughtModel = Annotated[
    str, typer.Argument(metavar="MODEL", help="default, the folder of a run, or a saved file.")
]
LessonsFile = Annotated[
    Path | None,
    typer.Argument(metavar="[FILE.jsonl]", help="Conversations with right answers to learn."),
]
Undo = Annotated[bool, typer.Option("--undo", help="Take the last lesson back.")]
Forget = Annotated[
    int | None,
    typer.Option("--forget", metavar="ID", help="Take one lesson back; --log shows the ids."),
]
RetrainFile = Annotated[
    Path | None,
    typer.Option(
        "--retrain",
        metavar="OUT.safetensors",
        help="Train on all lessons, and write the model that comes of it.",
    ),
]
Preview = Annotated[
    bool, typer.Option("--preview", help="With --retrain: only say what it would take.")
]
Reset = Annotated[
    bool, typer.Option("--reset", help="Take all lessons back: the model is as it came.")
]
ShowLog = Annotated[bool, typer.Option("--log", help="Show all that was ever taught.")]
ExportFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the lessons, as `denota train` takes them."),
]
SaveFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the model with all it was taught, to share."),
]

# reproduce and bench
PaperTable = Annotated[
    str,
    typer.Argument(
        metavar="TABLE", help="table2, table3, explain, ablate, or the name of one cell."
    ),
]
Again = Annotated[bool, typer.Option("--again", help="Run cells that results/ has as well.")]
CellDevice = Annotated[
    str | None, typer.Option(help="cpu or cuda, if not what the cell's settings say.")
]
Device = Annotated[str, typer.Option(help="cpu, cuda, or auto.")]
Batch = Annotated[int, typer.Option(min=1, help="Questions an update.")]
Workers = Annotated[
    int, typer.Option(min=-1, help="Processes that make batches; -1 leaves it to the device.")
]

# data
FetchTo = Annotated[Path, typer.Option(help="Where to put it.")]
FetchFrom = Annotated[
    str | None, typer.Option("--from", help="Another address, or a zip file you have.")
]
Checksum = Annotated[
    str | None, typer.Option(help="Refuse the download unless it has this checksum.")
]
