"""Numbers in cells: one normalised text read as a quantity with its unit.

`number_columns` keeps those readings of a column's texts that agree with each other.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from denota.tables.cell_text import is_long

NumberForm = Literal["plain", "range", "bracketed", "accounted", "tied", "even", "flagged", "owed"]
"""`(12)` is bracketed; `(12.00)`, as accounts write it, is accounted; `12-` is owed; `12 p` is
flagged."""


class NumberReading(NamedTuple):
    """A quantity as one cell states it."""

    value: float
    unit: str = ""
    """`%`, a currency sign, `time` (in seconds), or the word behind the number in lower case."""
    form: NumberForm = "plain"
    high: float = 0.0
    """The upper end of a range; `value` is the lower."""


def read_number(text: str, decimal: str = ".") -> NumberReading | None:
    """Read one normalised text as a number, or return None.

    Args:
        text: the cell's text after `cells.normalise`.
        decimal: `.` or `,`, the column's decimal mark (`decimal_mark`).

    >>> read_number("$5.2 million")
    NumberReading(value=5200000.0, unit='$', form='plain', high=0.0)
    >>> read_number("1:23.45").value
    83.45
    """
    if is_long(text) or (len(text) > LONGEST_NUMBER and "(" not in text):
        return None
    if text.isdecimal():
        return NumberReading(float(text))
    if decimal == ",":
        text = text.translate(_SWAP)
    if text[-1:] == "-" and _OWED.match(text):
        return NumberReading(-_value(text[:-1].strip()), form="owed")
    if text[-1:] == "s" and _DECADE.match(text):
        return None
    if ":" in text or "h" in text or "m" in text:
        found = _CLOCK.match(text) or _HOURS.match(text) or _MINUTES.match(text)
        if found:
            return _read_time(found)
    if "'" in text or "f" in text:
        found = _FEET.match(text)
        if found:
            inches = _value(found["inches"], found["fraction"]) if found["inches"] else 0.0
            return NumberReading(_value(found["feet"]) + inches / 12, "ft")
    if "(" in text:
        text = _MONEY_IN_BRACKETS.sub(r"(\1", text)
    found = _NUMBER.match(text)
    if found:
        return _read_quantity(found)
    found = _AGE.match(text)
    if found:
        return NumberReading(float(found["years"]) + float(found["days"]) / 365.25, "years")
    return NumberReading(0.0, form="even") if text in ("E", "Even") else None


def decimal_mark(texts: Iterable[str], usual: str = ".") -> str:
    """Return the decimal mark of a column: a comma only where nothing else explains its texts.

    `usual` is the mark where the texts do not tell.

    >>> decimal_mark(["1.234,56", "7,5"]), decimal_mark(["1,234", "7.5"])
    (',', '.')
    """
    comma = False
    for text in texts:
        if len(text) > LONGEST_NUMBER:
            continue
        if "." in text and _POINT_DECIMAL.search(text):
            return "."
        comma = comma or (
            ("," in text or text.count(".") > 1) and _COMMA_DECIMAL.search(text) is not None
        )
    return "," if comma else usual


LONGEST_NUMBER: Final = 60
"""Characters of a number with all that may stand around it, but for a remark in brackets."""
_FLAGS: Final = frozenset("bcdefpru")
"""Letters behind a number that statistics mark it with: revised, provisional, estimated."""
_SWAP: Final = str.maketrans(".,", ",.")
_SCALES: Final = {
    **dict.fromkeys(("thousand", "k"), 1e3),
    **dict.fromkeys(("million", "millions", "mln", "mio", "mn", "mil", "m"), 1e6),
    **dict.fromkeys(("billion", "billions", "bn", "bln", "b"), 1e9),
    **dict.fromkeys(("trillion", "tn", "t"), 1e12),
    "lakh": 1e5,
    "crore": 1e7,
}
_CURRENCIES: Final = {
    **{sign: sign for sign in "$£€¥₹₽₩₺₪฿"},
    **{"us$": "$", "usd": "$", "a$": "$", "c$": "$", "eur": "€", "gbp": "£", "jpy": "¥"},
    **{"inr": "₹", "rs": "₹", "chf": "chf", "kr": "kr", "r$": "$", "hk$": "$", "nz$": "$"},
}
_UNITS = (
    "psi mhz ghz m km cm mm mi mile ft in yd ha acre sqmi km2 m2 km² m² kg g t lb oz mph min h hr"
    " hour day week month years point pt run goal vote seat mw kw gw"
)
SCALE_WORDS: Final = frozenset(word for word in _SCALES if len(word) > 2)
MONEY_UNITS: Final = frozenset(_CURRENCIES.values())
KNOWN_UNITS: Final = frozenset([*_UNITS.split(), "%", "time", *MONEY_UNITS])

_CORE = (
    r"(?:\d{1,3}(?:[ ']\d{3})+(?!\d)|\d{1,3}(?:,\d{2,3})*,\d{3}(?!\d)"
    r"|\d{1,3}(?:\.\d{3}){2,}(?![\d.])|\d+)(?:\.\d+)?(?:[eE][+-]?\d{1,3}(?![\w.]))?|\.\d+"
)
_FRACTION = r"\d{1,2}/(?:2|3|4|5|6|8|10|12|16|20|32|64|100)(?![\d/])"
_MONTHS: Final = frozenset(
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
)
_MONEY = "|".join(sorted(map(re.escape, _CURRENCIES), key=len, reverse=True))
_SCALE = "|".join(sorted((s for s in _SCALES if len(s) > 2), key=len, reverse=True))
_WORD = r"(?:/\s?|per\s)?[a-zµ°Ω²³][a-zµ°Ω²³/.\-]{0,14}2?"
_REMARK = (
    r"(?:\s*+\(.*\)|(?:\s++/|\s*+[=~≈])\s*+[\d.](?:.*\S)?|\s[\d.,]+\s?[a-z]{1,3}2?|\s*+\+"
    r"|\s(?:and|or)\s(?:over|older|above|more))?"
)
_NUMBER: Final = re.compile(
    r"\A(?P<open>\()?\s*+"
    r"(?:(?P<tied>t-?(?=\d))|(?:~|≈|<|>|≤|≥|±|=|#|№|(?:c|ca|no|nr|approx|est)\b\.?"
    r"|(?:circa|about|over|under|almost|nearly|up to)\b)\s*+)?"
    rf"(?P<sign>[+-])?\s*+(?:(?P<money>{_MONEY})\.?\s*+)?(?P<sign2>[+-])?"
    rf"(?:(?P<only>{_FRACTION})|(?P<core>{_CORE})(?:\s++(?P<fraction>{_FRACTION}))?)"
    rf"(?:\s?(?:-|to)\s?(?:{_MONEY})?(?P<high>{_CORE}))?"
    r"(?:(?P<ordinal>st|nd|rd|th|\.|\)|=)(?![\w.]))?"
    rf"(?:\s?(?P<scale>(?:{_SCALE}|mn|bn|tn)\b)|(?P<letter>[KMBkmb](?![\w²³]))|(?P<thousandth>(?<=\d)[KM](?=\+)))?"
    rf"(?:\s?(?P<percent>%|percent\b|per cent\b|pct\b)|\s?(?P<money2>{_MONEY})(?!\w)"
    rf"|(?P<gap>\s?)(?P<unit>{_WORD}(?:\s{_WORD}){{0,2}}))?"
    rf"(?(percent)(?:\s{_WORD}){{0,4}})"
    rf"(?P<remark>{_REMARK})\s*+(?(open)\)\s*+)$",
    re.IGNORECASE,
)
_OWED: Final = re.compile(rf"\A(?!(?:1\d|20)\d\d\s?-)(?:{_CORE})\s?-$")
"""A minus behind a number; `1998-` is a year that something began in."""
_CLOCK: Final = re.compile(
    r"\A(?P<sign>[+-])?\s*+(?:(?P<hours>\d{1,3}):)?(?P<minutes>\d{1,3}):(?P<seconds>[0-5]\d(?:\.\d+)?)"
    r"(?:\s*+(?P<half>am|pm|a\.m\.|p\.m\.))?(?:\s*+(?:s|sec|min|h|hrs?|[A-Z]{2,4})"
    rf"|\s*(?=\s(?!\s)))?{_REMARK}\s*+$",
    re.IGNORECASE,
)
_HOURS: Final = re.compile(
    r"\A(?P<sign>)(?P<half>)(?P<hours>\d{1,3})\s?h(?:ours?|rs?)?\.?,?\s?(?P<minutes>\d{1,2})\s?m(?:in(?:utes?|s)?)?\.?"
    r"(?:,?\s?(?P<seconds>\d{1,2}(?:\.\d+)?)\s?s(?:ec(?:onds?|s)?)?\.?)?\s*$",
    re.IGNORECASE,
)
_MINUTES: Final = re.compile(
    r"\A(?P<sign>)(?P<half>)(?P<hours>)(?P<minutes>\d{1,3})\s?m(?:in(?:utes?|s)?)?\.?,?\s?"
    r"(?P<seconds>\d{1,2}(?:\.\d+)?)\s?s(?:ec(?:onds?|s)?)?\.?\s*$",
    re.IGNORECASE,
)
_DECADE: Final = re.compile(r"\d{2,3}0'?s$")
_MONEY_IN_BRACKETS: Final = re.compile(rf"^({_MONEY})\s?\(", re.IGNORECASE)
_AGE: Final = re.compile(
    r"(?P<years>\d{1,3}) years?,? (?:and )?(?P<days>\d{1,3}) days?$", re.IGNORECASE
)
_FEET: Final = re.compile(
    rf"\A(?P<feet>{_CORE})\s?(?:ft|feet|foot|')\.?\s?"
    rf"(?:(?P<inches>\d{{1,2}}(?:\.\d+)?)(?:\s++(?P<fraction>{_FRACTION}))?\s?(?:inches|inch|in\b\.?|\"|''))?"
    rf"{_REMARK}\s*+$",
    re.IGNORECASE,
)
_POINT_DECIMAL: Final = re.compile(
    r"(?<![\d,])(?:(?<!\.)\d|,+\d|\d+,+\d)[\d,]*\.(?:\d{1,2}|\d{4,})(?![\d.,])"
    r"|(?<!\d)0\.\d|,\d{3}\.\d"
)
_COMMA_DECIMAL: Final = re.compile(
    r"(?<![\d.])(?:(?<!,)\d|\.+\d|\d+\.+\d)[\d.]*,(?:\d{1,2}|\d{4,})(?![\d.,])"
    r"|(?<!\d)0,\d|\.\d{3},\d|(?<![\d.])\d{1,3}(?:\.\d{3}){2,}(?![\d.])"
)


def _read_quantity(found: re.Match[str]) -> NumberReading | None:
    part = found.groupdict()
    value = _value("0", part["only"]) if part["only"] else _value(part["core"], part["fraction"])
    money = part["money"] or part["money2"]
    unit = _CURRENCIES[money.lower()] if money else "%" if part["percent"] else ""
    scale = part["scale"] or part["letter"] or part["thousandth"]
    if scale and not part["scale"] and not money and not scale.isupper():
        unit, scale = scale, None  # `2 m` is metres, `$2m` and `2M` are millions
    factor = _SCALES[scale.lower()] if scale else 1.0
    if part["unit"]:
        word = _singular(part["unit"])
        if word in ("bc", "bce"):
            return NumberReading(-value)
        if _names_something(part, word):
            return None
        if unit and unit != word and not part["percent"] and not scale:
            return None
        unit = unit or word
    if "-" in (part["sign"], part["sign2"]):
        value = -value
    if part["high"]:
        if part["sign"] or part["ordinal"] or part["fraction"]:
            return None
        high = _value(part["high"]) * factor
        return NumberReading(value * factor, unit, "range", high) if math.isfinite(high) else None
    if not math.isfinite(value * factor):
        return None
    return NumberReading(value * factor, unit, _form(part))


def _form(part: dict[str, str | None]) -> NumberForm:
    if part["gap"] and part["unit"] in _FLAGS:
        return "flagged"
    if part["open"]:
        return "accounted" if "." in (part["core"] or "") else "bracketed"
    return "tied" if part["tied"] else "plain"


def _names_something(part: dict[str, str | None], word: str) -> bool:
    """Tell `2nd Round`, `2007 Worlds` and `3a` from a number with a unit."""
    unit, core = part["unit"] or "", part["core"] or ""
    if word[:3] in _MONTHS or (not part["gap"] and word not in KNOWN_UNITS and len(unit) > 1):
        return True
    if part["ordinal"]:
        return word != "place"
    year = len(core) == 4 and core.isdigit() and "1000" <= core <= "2100"
    return year and unit[0].isupper() and word not in KNOWN_UNITS


def _value(core: str, fraction: str | None = None) -> float:
    if core.count(".") > 1:  # 1.234.567
        core = core.replace(".", "")
    value = float(core.replace(",", "").replace(" ", "").replace("'", ""))
    if fraction:
        above, below = map(int, fraction.split("/"))
        value += above / below if below else 0.0
    return value


def _read_time(found: re.Match[str]) -> NumberReading | None:
    half = (found["half"] or "").lower()
    hours, minutes = int(found["hours"] or 0), int(found["minutes"])
    seconds = float(found["seconds"] or 0)
    if half and not found["hours"]:  # 7:30 pm is a time of day, not seven minutes
        hours, minutes, seconds = minutes, int(seconds), 0.0
    if half:
        hours = hours % 12 + (12 if half.startswith("p") else 0)
    if found["hours"] and minutes > 59:
        return None
    value = 3600.0 * hours + 60 * minutes + seconds
    return NumberReading(-value if found["sign"] == "-" else value, "time")


def _singular(unit: str) -> str:
    unit = unit.lower().rstrip(".")
    if unit in _SINGULAR:
        return _SINGULAR[unit]
    return unit[:-1] if len(unit) > 3 and unit.endswith("s") and not unit.endswith("ss") else unit


_SINGULAR: Final[dict[str, str]] = {
    "feet": "ft",
    "foot": "ft",
    "inches": "in",
    "inch": "in",
    "metres": "m",
    "meters": "m",
    "kilometres": "km",
    "kilometers": "km",
    "miles": "mi",
    "mile": "mi",
    "lbs": "lb",
    "pts": "pt",
    **dict.fromkeys(("year", "years", "yr", "yrs"), "years"),
    "hrs": "hour",
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), "time"),
}
