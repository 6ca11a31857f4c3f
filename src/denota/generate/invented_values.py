"""Values of invented columns: names, codes, categories, money, dates and so on, by kind.

Each function returns the texts of one column. How they are written (currency signs, date formats,
commas) is drawn once for a column, as it is where one person or one program wrote it.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from random import Random
from typing import Final

from denota.programs.codes import codes_of_name

Lists = Mapping[str, tuple[str, ...]]


@dataclass
class Draft:
    """A table while it is invented: its random generator, its length, and what is drawn so far."""

    rng: Random
    rows: int
    lists: Lists
    people: list[str] = field(default_factory=list)
    """The names of people, so that they recur across columns."""
    pools: dict[str, list[str]] = field(default_factory=dict)
    dates: list[date] = field(default_factory=list)
    """The last column of dates."""
    date_style: int = 0
    money_style: str | None = None

    def pick(self, items: Sequence[str]) -> str:
        """Draw one of some texts."""
        return items[int(self.rng.random() * len(items))]

    def pool(self, name: str) -> list[str]:
        """Return the values of a list that the table has: the same ones in all its columns."""
        if name not in self.pools:
            own = self.people_of(12) if name == "people" else list(self.lists[name])
            self.rng.shuffle(own)
            most = max(2, 2 + int(self.rng.random() * min(9, 1 + self.rows // 3)))
            self.pools[name] = own if name in _WHOLE else own[:most]
        return list(self.pools[name])

    def people_of(self, count: int) -> list[str]:
        """Return some people's names, those that the table has already if it has any."""
        if self.people:
            return self.people[:count]
        firsts, lasts = self.lists["first_names"], self.lists["surnames"]
        return [f"{self.pick(firsts)} {self.pick(lasts)}" for _ in range(count)]


def values_of(draft: Draft, kind: str, arguments: Sequence[str]) -> list[str]:
    """Return the texts of a column of a kind, a text a row."""
    return KINDS[kind](draft, *arguments)


def _id(draft: Draft, pattern: str) -> list[str]:
    """Codes after a pattern; all different, and rising where they are numbers."""
    letters = "ABCDEFGHJKLMNPRSTUVWX"
    digits = pattern.count("#")
    if "@" not in pattern and 10**digits > 2 * draft.rows:
        first = int(draft.rng.random() * (10**digits - draft.rows))
        step = 1 if draft.rng.random() < 0.5 else max(1, (10**digits - first) // (draft.rows + 1))
        return [_filled(pattern, str(first + i * step).zfill(digits)) for i in range(draft.rows)]
    found: dict[str, None] = {}
    for _ in range(draft.rows * 4):
        made = "".join(
            draft.pick(letters)
            if c == "@"
            else str(int(draft.rng.random() * 10))
            if c == "#"
            else c
            for c in pattern
        )
        found[made] = None
        if len(found) == draft.rows:
            break
    return _around(list(found), draft.rows)


def _filled(pattern: str, digits: str) -> str:
    parts = iter(digits)
    return "".join(next(parts) if c == "#" else c for c in pattern)


def _serial(draft: Draft) -> list[str]:
    return [str(i + 1) for i in range(draft.rows)]


def _pick(draft: Draft, name: str) -> list[str]:
    """Values that recur, some more often than others."""
    kept = draft.pool(name)
    if draft.rng.random() < 0.5:  # a sibling has the same values, not as often each
        draft.rng.shuffle(kept)
    weights = [1.0 / (1 + 0.35 * place) for place in range(len(kept))]
    return draft.rng.choices(kept, weights, k=draft.rows)


def _each(draft: Draft, name: str) -> list[str]:
    own = list(draft.lists[name])
    draft.rng.shuffle(own)
    return _around(own, draft.rows)


def _two(draft: Draft, first: str, second: str) -> list[str]:
    found = [f"{a} {b}" for a in draft.lists[first] for b in draft.lists[second] if a != b]
    draft.rng.shuffle(found)
    return _around(found, draft.rows)


def _around(found: list[str], rows: int) -> list[str]:
    """As many as wanted: a number behind those that come again."""
    whole = [
        one if turn == 0 else f"{one} {turn + 1}"
        for turn in range(-(-rows // len(found)))
        for one in found
    ]
    return whole[:rows]


def _person(draft: Draft) -> list[str]:
    names = [f"{a} {b}" for a in draft.lists["first_names"] for b in draft.lists["surnames"]]
    style = draft.rng.random()
    drawn = draft.rng.sample(names, min(draft.rows, len(names)))
    if style < 0.12:
        drawn = [", ".join(reversed(name.split(" ", 1))) for name in drawn]
    draft.people = drawn[:40]
    if draft.rows > len(drawn):
        return [draft.pick(drawn) for _ in range(draft.rows)]
    return drawn


def _city(draft: Draft) -> list[str]:
    return _pick(draft, "cities")


def _country(draft: Draft) -> list[str]:
    """Countries, now and then by their codes of two or three letters."""
    return _perhaps_as_codes(draft, _pick(draft, "countries"), 0.3)


def _state(draft: Draft) -> list[str]:
    """States of the USA, mostly by their codes."""
    return _perhaps_as_codes(draft, _pick(draft, "states"), 0.8)


def _perhaps_as_codes(draft: Draft, names: list[str], share: float) -> list[str]:
    if draft.rng.random() >= share:
        return names
    place = draft.rng.choice((0, 1))
    codes = {name: codes_of_name(name) for name in {*names}}
    return [codes[name][min(place, len(codes[name]) - 1)].upper() for name in names]


def _gender(draft: Draft) -> list[str]:
    """Female and male, now and then by their first letters."""
    texts = _pick(draft, "genders")
    return [text[:1] for text in texts] if draft.rng.random() < 0.3 else texts


def _email(draft: Draft) -> list[str]:
    ends = ("example.com", "mail.example", "example.org")
    known = draft.people if len(draft.people) == draft.rows else _person(draft)
    return [
        f"{name.lower().replace(', ', '.').replace(' ', '.')}@{draft.pick(ends)}" for name in known
    ]


def _yes_no(draft: Draft) -> list[str]:
    yes, no = draft.rng.choice(YES_AND_NO)
    share = 0.2 + 0.6 * draft.rng.random()
    return [yes if draft.rng.random() < share else no for _ in range(draft.rows)]


def _numbers(draft: Draft, low: float, high: float) -> list[float]:
    """Numbers, small ones more often than large ones where the range is wide."""
    wide = low > 0 and high / low > 200
    bent = 3.0 if wide else 1.0
    return [low + (high - low) * draft.rng.random() ** bent for _ in range(draft.rows)]


def _int(draft: Draft, low: str, high: str) -> list[str]:
    commas = draft.rng.random() < 0.5
    whole = [round(value) for value in _numbers(draft, float(low), float(high))]
    return [f"{value:,}" if commas else str(value) for value in whole]


def _decimal(draft: Draft, low: str, high: str, places: str) -> list[str]:
    return [f"{value:.{places}f}" for value in _numbers(draft, float(low), float(high))]


def _money(draft: Draft, low: str, high: str) -> list[str]:
    if draft.money_style is None:
        draft.money_style = draft.rng.choice(("$", "$", "€", "£", "", "", ",", " EUR"))
    style, cents = draft.money_style, float(high) < 5000 and draft.rng.random() < 0.7
    round_to = draft.rng.choice((1, 50, 100, 1000)) if float(low) >= 2000 else 1
    found = []
    for value in _numbers(draft, float(low), float(high)):
        exact = round(value, 2) if cents else round(value / round_to) * round_to
        size = abs(exact)
        written = f"{size:,.2f}" if cents else f"{size:,}"
        written = written.replace(",", "") if style == "" else written
        sign = style if style in ("$", "€", "£") else ""
        back = style if style == " EUR" else ""
        found.append(f"{'-' * (exact < 0)}{sign}{written}{back}")
    return found


def _percent(draft: Draft, low: str, high: str) -> list[str]:
    places, mark = draft.rng.choice((0, 0, 1)), draft.rng.choice(("%", "%", ""))
    return [f"{v:.{places}f}{mark}" for v in _numbers(draft, float(low), float(high))]


def _year(draft: Draft, low: str, high: str) -> list[str]:
    return [str(round(value)) for value in _numbers(draft, float(low), float(high))]


def _date(draft: Draft, low: str, high: str) -> list[str]:
    first = date(int(low), 1, 1)
    span = (date(int(high), 12, 28) - first).days
    if draft.rng.random() < 0.4:  # an export of a year or so
        start = int(draft.rng.random() * max(1, span - 400))
        first, span = first + timedelta(days=start), min(span, 400)
    draft.date_style = int(draft.rng.random() * len(_DATES))
    draft.dates = [
        first + timedelta(days=int(draft.rng.random() * span)) for _ in range(draft.rows)
    ]
    if draft.rng.random() < 0.4:
        draft.dates.sort()
    return [_DATES[draft.date_style](day) for day in draft.dates]


def _later(draft: Draft, low: str, high: str) -> list[str]:
    if not draft.dates:
        return _date(draft, "2020", "2024")
    span = int(high) - int(low)
    later = [d + timedelta(days=int(low) + int(draft.rng.random() * span)) for d in draft.dates]
    return [_DATES[draft.date_style](day) for day in later]


def _clock(draft: Draft) -> list[str]:
    halves = draft.rng.random() < 0.4
    found = []
    for _ in range(draft.rows):
        hour, minute = 6 + int(draft.rng.random() * 16), int(draft.rng.random() * 12) * 5
        if halves:
            found.append(f"{hour % 12 or 12}:{minute:02d} {'am' if hour < 12 else 'pm'}")
        else:
            found.append(f"{hour:02d}:{minute:02d}")
    return found


def _text(draft: Draft) -> list[str]:
    return [draft.pick(draft.lists["texts"]) for _ in range(draft.rows)]


def _month(day: date) -> str:
    return calendar.month_name[day.month]


_DATES: Final[tuple[Callable[[date], str], ...]] = (
    date.isoformat,
    date.isoformat,
    date.isoformat,
    lambda d: f"{d.month}/{d.day}/{d.year}",
    lambda d: f"{d.day:02d}/{d.month:02d}/{d.year}",
    lambda d: f"{_month(d)} {d.day}, {d.year}",
    lambda d: f"{d.day} {_month(d)} {d.year}",
    lambda d: f"{d.day} {_month(d)[:3]} {d.year}",
    lambda d: f"{_month(d)[:3]} {d.day}, {d.year}",
)
"""The ways to write a date."""
_WHOLE: Final = frozenset(["genders", "months", "weekdays"])
"""Lists that are never cut short."""
KINDS: Final[dict[str, Callable[..., list[str]]]] = {
    **{"id": _id, "serial": _serial, "pick": _pick, "each": _each, "two": _two},
    **{"person": _person, "city": _city, "country": _country, "email": _email},
    **{"state": _state, "gender": _gender},
    **{"yes_no": _yes_no, "int": _int, "decimal": _decimal, "money": _money},
    **{"percent": _percent, "year": _year, "date": _date, "later": _later},
    **{"clock": _clock, "text": _text},
}
YES_AND_NO: Final = (
    *(("Yes", "No"), ("yes", "no"), ("Y", "N"), ("TRUE", "FALSE"), ("true", "false"), ("1", "0")),
)
"""How flags are written."""
