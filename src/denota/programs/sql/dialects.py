"""The dialects that SQL is written in, and what sqlglot leaves to be done for some of them."""

from __future__ import annotations

import difflib
from functools import cache
from typing import Any, Final

from sqlglot import exp

from denota.errors import ProgramError
from denota.programs.sql.identifiers import free_name

ENGINES: Final = ("duckdb", "sqlite", "postgres", "mysql")
"""Dialects whose SQL is run by the engine itself in the tests."""


def check_dialect(name: str) -> str:
    """Return the name of a dialect as sqlglot has it.

    Raises:
        ProgramError: there is no such dialect.
    """
    from sqlglot.dialects.dialect import Dialect

    known = sorted(own for own in Dialect.classes if own)
    own = {"postgresql": "postgres", "sqlite3": "sqlite", "mariadb": "mysql"}.get(
        name.lower(), name.lower()
    )
    if own in known:
        return own
    near = difflib.get_close_matches(own, known, n=1)
    hint = f"did you mean {near[0]}" if near else f"there are {', '.join(ENGINES)} and others"
    raise ProgramError(f"there is no SQL dialect {name!r}; {hint}")


def for_dialect(tree: Any, dialect: str) -> Any:
    """Return a query that the database can read."""
    if dialect == "bigquery":
        return _bigquery_names(tree)
    return tree.transform(_mysql_limits) if dialect == "mysql" else tree


def _bigquery_names(tree: Any) -> Any:
    """Replace characters that BigQuery forbids in names by underscores; names stay different."""
    names: dict[str, str] = {}
    used: set[str] = set()
    for node in tree.find_all(exp.Identifier):
        if node.this not in names:
            kept = "".join(c if c.isalnum() or c in " _-()%$#&" else "_" for c in node.this)
            names[node.this] = free_name(kept or "_", used)

    def renamed(node: Any) -> Any:
        if isinstance(node, exp.Identifier):
            return exp.to_identifier(names[node.this], quoted=node.args.get("quoted"))
        return node

    return tree.transform(renamed)


def _mysql_limits(node: Any) -> Any:
    """MySQL takes no LIMIT in the query of IN; a query around it may have one."""
    if not isinstance(node, exp.In) or not isinstance(node.args.get("query"), exp.Subquery):
        return node
    inner = node.args["query"].this
    if inner.args.get("limit") is not None:
        alias = exp.TableAlias(this=exp.to_identifier("chosen"))
        around = exp.select(exp.Star()).from_(exp.Subquery(this=inner.copy(), alias=alias))
        node.set("query", exp.Subquery(this=around))
    return node


def written(tree: Any, dialect: str, pretty: bool = False) -> str:
    """Return the text of a query."""
    from sqlglot.dialects.dialect import Dialect

    text: str = _generator(dialect)(dialect=Dialect.get_or_raise(dialect), pretty=pretty).generate(
        tree
    )
    return text


@cache
def _generator(dialect: str) -> Any:
    """Sqlglot's writer of a dialect, but for `x NOT IN (...)`, which it writes `NOT x IN (...)`."""
    from sqlglot.dialects.dialect import Dialect

    own = Dialect.get_or_raise(dialect).generator_class
    rules: dict[Any, Any] = {**own.TRANSFORMS, exp.Not: _not_inside}
    if dialect == "mysql":  # MariaDB has no REGEXP_LIKE
        rules[exp.RegexpLike] = lambda self, node: self.binary(node, "REGEXP")
    return type("Written", (own,), {"TRANSFORMS": rules})


def _not_inside(generator: Any, node: Any) -> str:
    inner = node.this
    for kind, word in (
        (exp.In, "IN"),
        (exp.Like, "LIKE"),
        (exp.ILike, "ILIKE"),
        (exp.RegexpLike, "REGEXP"),
    ):
        if type(inner) is kind:
            left, found, right = generator.sql(inner).partition(f" {word} ")
            if found and left == generator.sql(inner, "this"):
                return f"{left} NOT {word} {right}"
    return str(generator.not_sql(node))
