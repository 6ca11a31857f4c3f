"""The rewriting that some databases need before sqlglot renders a query for them."""

from __future__ import annotations

from sqlglot import exp

from denota.programs.sql.identifiers import free_name


def for_dialect(tree: exp.Expr, dialect: str) -> exp.Expr:
    """Return a query that the database can read."""
    if dialect == "bigquery":
        return _bigquery_names(tree)
    return tree.transform(_sqlite_parts) if dialect == "sqlite" else tree


def _bigquery_names(tree: exp.Expr) -> exp.Expr:
    """Replace characters that BigQuery forbids in names by underscores; names stay different."""
    names: dict[str, str] = {}
    used: set[str] = set()
    for node in tree.find_all(exp.Identifier):
        if node.this not in names:
            kept = "".join(c if c.isalnum() or c in " _-()%$#&" else "_" for c in node.this)
            names[node.this] = free_name(kept or "_", used)

    def renamed(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Identifier):
            return exp.to_identifier(names[node.this], quoted=True)
        return node

    return tree.transform(renamed)


def _sqlite_parts(node: exp.Expr) -> exp.Expr:
    """Replace EXTRACT, which SQLite lacks."""
    if not isinstance(node, exp.Extract):
        return node
    letter = {"YEAR": "%Y", "MONTH": "%m", "DAY": "%d"}[node.name.upper()]
    part = exp.Anonymous(this="STRFTIME", expressions=[exp.Literal.string(letter), node.expression])
    return exp.cast(part, "int")
