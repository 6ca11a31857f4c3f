"""Turns in a notebook: HTML that stands for itself, on light and on dark ground.

Colours are those of the surroundings, or so strong that both bear them; there is no script.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, Final

from denota.conversation.plot import svg
from denota.conversation.turn import OfferedReading, Turn
from denota.conversation.view import View, view_of

MOST_TURNS: Final = 50
"""Turns of a conversation that are shown, the last."""
LONGEST: Final = 400
"""Letters of a cell that are shown."""
_LINE: Final = "border-bottom:1px solid rgba(128,128,128,.35)"
_CELL: Final = "padding:.2em .8em .2em .4em;text-align:left;vertical-align:top"
_MARKED: Final = "font-weight:600;background:rgba(59,125,221,.18)"
_FAINT: Final = "opacity:.75"


def turn_html(turn: Turn) -> str:
    """Return a turn as HTML: the question, how it was understood, the answer, SQL to look at."""
    return f'<div class="denota" style="margin:.4em 0">{"".join(_parts(turn))}</div>'


def turns_html(turns: Sequence[Turn]) -> str:
    """Return the turns of a conversation as HTML, one below the other."""
    if not turns:
        return f'<div class="denota" style="{_FAINT}">Nothing was asked yet.</div>'
    return "".join(map(turn_html, turns[-MOST_TURNS:]))


class ShownTurns:
    """What has turns, and is shown by them in a notebook."""

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return turns_html(self.turns)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text("\n\n".join(map(turn_text, self.turns)) or "Nothing was asked yet.")


def turn_text(turn: Turn) -> str:
    """Return a turn as a few lines of text: the question, the sentence, the answer."""
    lines = [f"› {turn.question}", turn.explanation + _doubt(turn)]
    if turn.asks_back:
        lines += [f"  {one.explanation}  {_in_short(one)}" for one in turn.readings]
    else:
        lines.append(view_of(turn).headline)
    return "\n".join(_plain(line) for line in lines if line)


def _parts(turn: Turn) -> Iterable[str]:
    yield f'<div style="font-weight:600">{_escaped(turn.question)}</div>'
    doubt = _doubt(turn)
    told = f"<strong>{_escaped(doubt)}</strong>" if doubt else ""
    sentence = _escaped(turn.explanation, 2_000)
    yield f'<div><span style="{_FAINT}">{sentence}</span>{told}</div>'
    if turn.declined:
        return
    if turn.asks_back:
        yield from _readings(turn)
        return
    view = view_of(turn)
    big = "font-size:1.25em;font-weight:600;margin:.25em 0"
    yield f'<div style="{big}">{_escaped(view.headline)}</div>'
    if view.counts:
        some = ", ".join(
            _escaped(text) + (f" ×{count:,}" if count > 1 else "")
            for text, count in view.counts[:8]
        )
        yield f"<div>{some}{' …' if len(view.counts) > 8 else ''}</div>"
    yield from _table(view)
    if view.note:
        yield f"<div>{_escaped(view.note)}</div>"
    if view.plot is not None:
        yield f'<div style="margin:.5em 0">{svg(view.plot)}</div>'
    if turn.sql:
        code = _escaped(turn.sql_in(pretty=True), 20_000, lines=True)
        style = "white-space:pre-wrap;text-align:left;background:none;color:inherit"
        yield f'<details><summary style="{_FAINT}">SQL</summary>'
        yield f'<pre style="{style}">{code}</pre></details>'


def _readings(turn: Turn) -> Iterable[str]:
    """The readings to choose from, each with its answer and how to take it."""
    yield "<ul>"
    for one in turn.readings:
        sentence, differs = _escaped(one.explanation), _escaped(one.differs)
        if differs:
            sentence = sentence.replace(differs, f"<strong>{differs}</strong>", 1)
        code = f"<code>chat.choose({_escaped(repr(one.program))})</code>"
        yield f'<li>{sentence} {_escaped(_in_short(one))} <span style="{_FAINT}">{code}</span></li>'
    yield "</ul>"


def _in_short(one: OfferedReading) -> str:
    return ", ".join(one.answer[:4]) + (" …" if len(one.answer) > 4 else "")


def _table(view: View) -> Iterable[str]:
    if not view.rows:
        return
    yield '<table style="border-collapse:collapse;margin:.25em 0"><thead><tr>'
    for name in view.columns:
        yield f'<th scope="col" style="{_CELL};{_LINE}">{_escaped(name)}</th>'
    yield "</tr></thead><tbody>"
    for row in view.rows:
        cells = zip(row.cells, row.marked, strict=True)
        shown = (
            f'<td style="{_CELL}{f";{_MARKED}" if own else ""}">{_escaped(text)}</td>'
            for text, own in cells
        )
        yield f"<tr>{''.join(shown)}</tr>"
    yield "</tbody></table>"
    more = view.total - len(view.rows)
    if more > 0:
        yield f'<div style="{_FAINT}">and {more:,} more</div>'


def _doubt(turn: Turn) -> str:
    return (
        ""
        if turn.sure or turn.declined or turn.asks_back
        else f" Not sure ({turn.confidence:.0%})."
    )


def _escaped(text: str, most: int = LONGEST, lines: bool = False) -> str:
    cut = text if len(text) <= most else text[: most - 1] + "…"
    return escape(_plain(cut, lines))


def _plain(text: str, lines: bool = False) -> str:
    """Letters that a page can show; a control character may end or turn a line."""
    return (_CONTROLS if lines else _BREAKS).sub("\ufffd", text)


_BREAKS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_CONTROLS: Final = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
