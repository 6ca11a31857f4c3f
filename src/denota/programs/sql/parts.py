"""Parts of a cell's text in SQL: what stands first, in brackets, its numbers."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from denota.programs.operators.parts import PARTS, read_part
from denota.programs.sql.cleaning import MOST_WRITTEN_PLAINLY
from denota.programs.sql.literals import number_literal
from denota.programs.sql.readings import Reading
from denota.programs.sql.recipes import PLAIN, extracted


def part_of(reading: Reading, cell: Any, literals: dict[str, Any], name: str, dialect: str) -> Any:
    """Return a part of a cell's text as an expression, NULL if it has no such part.

    Args:
        reading: the column.
        cell: the column in SQL.
        literals: text -> its literal, for every text.
        name: of the aggregate that gives the part.
        dialect: of the SQL.
    """
    if reading.kind != "text" or (
        dialect in (*PLAIN, "mysql") and len(literals) <= MOST_WRITTEN_PLAINLY
    ):
        chosen = exp.Case(this=cell)
        for text, literal in literals.items():
            part = read_part(name, text)
            if part is not None:
                is_text = isinstance(part, str)
                own = exp.Literal.string(str(part)) if is_text else number_literal(float(part))
                chosen = chosen.when(literal, own, copy=False)
        return chosen if chosen.args.get("ifs") else exp.null()
    inside = name.endswith("_inside")
    pattern = PARTS["two_numbers" if inside else name]
    if not any("\n" in text or "\u00a0" in text for text in literals):
        pattern = pattern.replace(r"\n", "").replace(r"[ \xa0]*", " *").replace(r"\xa0", "")

    def group(number: int) -> Any:
        if dialect == "postgres":
            found = exp.Anonymous(
                this="REGEXP_MATCH", expressions=[cell.copy(), exp.Literal.string(pattern)]
            )
            return exp.Bracket(
                this=exp.paren(found), expressions=[exp.Literal.number(number)], offset=1
            )
        found = extracted(cell.copy(), pattern, dialect, number)
        return exp.Nullif(this=found, expression=exp.Literal.string(""))

    def stated(number: int) -> Any:
        text = group(number)
        if any("," in own for own in literals):
            comma, nothing = exp.Literal.string(","), exp.Literal.string("")
            text = exp.Replace(this=text, expression=comma, replacement=nothing)
        return exp.cast(text, "double")

    if name == "difference_inside":
        return exp.Abs(this=stated(1) - stated(2))
    if name == "sum_inside":
        return stated(1) + stated(2)
    return group(1) if name in ("first_part", "last_part", "in_brackets") else stated(1)
