"""denota learns to answer questions about tables from answers alone."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from denota.errors import DataError, DenotaError, TableError
from denota.imported import when_imported

if TYPE_CHECKING:
    from denota.app.api import TableParser
    from denota.tables import Column, Table, read_table

__version__ = "0.1.0"
when_imported("pandas", "denota.app.frames", "register_pandas")
when_imported("polars", "denota.app.frames", "register_polars")
_TABLES = ("Column", "Table", "read_table")


def load(model: str | Path = "default") -> TableParser:
    """Load a parser: a saved file, the folder of a run, or `default`, the one in the package.

    Raises:
        DenotaError: there is none there, or it cannot be read.
    """
    from denota.app.api import load as load_parser  # numpy and all takes a while to import

    return load_parser(model)


def answer_many(
    asked: Any,
    model: str | Path = "default",
    *,
    on: Literal["processes", "ray", "spark"] = "processes",
    workers: int = 0,
    cluster: str | None = None,
    chunks: str | Path | None = None,
) -> list[dict[str, Any]]:
    """Answer questions about any number of tables, by many workers.

    Args:
        asked: pairs of a table (whatever `read_table` takes) and a question, or the questions of
            one conversation; or a data frame with the columns `table` and `question`.
        model: a saved parser, the folder of a run, or `default`.
        on: who answers: processes of this machine, or a Ray or Spark cluster.
        workers: how many at a time, 0 for one a core.
        cluster: the address of the cluster; else one is started on this machine.
        chunks: a folder that all workers see. Answers are kept there, and the same call after it
            was stopped answers only what is missing.

    Returns:
        For each question, in order, an object with `question`, `answer` (texts), `cells` and
        `values`; nothing where it is declined.

    Raises:
        DenotaError: a table or the model cannot be read, or Ray or Spark is not installed.
    """
    from denota.app.many.asked import answer_many as answer

    return answer(asked, model, on=on, workers=workers, cluster=cluster, chunks=chunks)


def load_ipython_extension(shell: Any) -> None:
    """Bring `%denota` and `%%denota` to a notebook, on `%load_ext denota`."""
    import_module("denota.app.notebook").register(shell)


def __getattr__(name: str) -> Any:
    """Import tables, and numpy with them, when they are first used."""
    if name == "read_table":
        import_module("denota.app")  # it says where passwords are
    if name in _TABLES:
        return getattr(import_module("denota.tables"), name)
    raise AttributeError(f"module 'denota' has no attribute {name!r}")


__all__ = [
    "Column",
    "DataError",
    "DenotaError",
    "Table",
    "TableError",
    "__version__",
    "answer_many",
    "load",
    "read_table",
]
