"""The forms in which texts write dates, as SQL's date functions name them."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from typing import Any, Final

from sqlglot import exp

_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_PARTS: Final = {
    "%Y": r"(?P<year>[0-9]{4})",
    "%m": r"(?P<month>[0-9]{1,2})",
    "%d": r"(?P<day>[0-9]{1,2})",
    "%B": rf"(?P<name>{'|'.join(_MONTHS)})",
    "%b": rf"(?P<name>{'|'.join(name[:3] for name in _MONTHS)})",
}
FORMS: Final = (
    *("%Y-%m-%d", "%B %d, %Y", "%d %B %Y", "%b %d, %Y", "%d %b %Y", "%B %d %Y", "%d-%b-%Y"),
    *("%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y", "%m-%d-%Y", "%B %Y", "%b %Y", "%Y"),
)
_POSTGRES: Final = {"%Y": "YYYY", "%m": "MM", "%d": "DD", "%B": "Month", "%b": "Mon"}
_MYSQL: Final = {"%B": "%M"}


def _pattern(form: str) -> re.Pattern[str]:
    body = re.escape(form)
    for code, part in _PARTS.items():
        body = body.replace(code, part)
    return re.compile(body, re.IGNORECASE)


_PATTERNS: Final = {form: _pattern(form) for form in FORMS}


def read_form(text: str, form: str) -> float | None:
    """Return the days since 1970 of a date in a form, None if the text has another.

    >>> read_form("August 2, 1907", "%B %d, %Y")
    -22798.0
    """
    found = _PATTERNS[form].fullmatch(text)
    if found is None:
        return None
    parts = found.groupdict()
    month = int(parts.get("month") or 1)
    if "name" in parts:
        month = next(i for i, m in enumerate(_MONTHS, 1) if m.startswith(parts["name"].lower()))
    try:
        date = datetime.date(int(parts["year"]), month, int(parts.get("day") or 1))
    except ValueError:
        return None
    return float(date.toordinal() - datetime.date(1970, 1, 1).toordinal())


def dates_in_forms(column: Any, forms: Sequence[str], dialect: str) -> Any:
    """Return the date of a text in one of some forms, NULL if it has none; None without words."""
    if dialect == "duckdb":
        texts = [exp.Literal.string(form) for form in forms]
        wanted = texts[0] if len(texts) == 1 else exp.Array(expressions=texts)
        parsed = exp.Anonymous(this="TRY_STRPTIME", expressions=[column, wanted])
        return exp.cast(parsed, "date")
    if dialect == "mysql" and all("%d" in form for form in forms):
        found = [
            exp.Anonymous(
                this="STR_TO_DATE",
                expressions=[column.copy(), exp.Literal.string(form.replace("%B", "%M"))],
            )
            for form in forms
        ]
        return found[0] if len(found) == 1 else exp.Coalesce(this=found[0], expressions=found[1:])
    if dialect == "postgres":
        chosen = exp.case()
        for form in forms:
            pattern, written = re.escape(form).replace("\\ ", " ").replace("\\-", "-"), form
            for code, own in _POSTGRES.items():
                pattern = pattern.replace(code, _SHAPES[code])
                written = written.replace(code, own)
            fits = exp.RegexpLike(this=column.copy(), expression=exp.Literal.string(f"^{pattern}$"))
            date = exp.Anonymous(
                this="TO_DATE", expressions=[column.copy(), exp.Literal.string(written)]
            )
            chosen = chosen.when(fits, date)
        return chosen
    return None


_SHAPES: Final = {
    "%Y": "[0-9]{4}",
    "%m": "[0-9]{1,2}",
    "%d": "[0-9]{1,2}",
    "%B": "[A-Za-z]+",
    "%b": "[A-Za-z]{3}",
}
