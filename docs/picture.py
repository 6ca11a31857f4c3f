"""docs/way_of_a_question.svg, made from the steps of `understand`.

Usage: python docs/picture.py
"""

from __future__ import annotations

from html import escape
from pathlib import Path

from denota.conversation.understand import PARSE, STEPS, TAKE

WIDTH, LINE, LEFT = 760, 26, 24
PARSER = (
    ("programs.space", "every program of the language, as arrays"),
    ("search.prepare", "axes, critique, surface features"),
    ("model", "scores of the axes"),
    ("search.exact", "the best programs with their probabilities"),
)


def picture() -> str:
    """Return the SVG."""
    parts: list[str] = []
    y = _box(parts, 16, "question · conversation so far · table", "")
    for step in STEPS:
        y = _arrow(parts, y)
        if step is PARSE:
            y = _group(parts, y, step.name, step.help)
        else:
            y = _box(parts, y, step.name, step.help, strong=step is TAKE)
    y = _arrow(parts, y)
    y = _box(parts, y, "program · answer · confidence, or a reason to decline", "")
    y = _arrow(parts, y)
    y = _box(parts, y, "conversation.turn", "cells or values, SQL, a sentence that says why")
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 16}" role="img"'
    title = "The way of a question through the steps of understanding"
    font = "font-family: system-ui, sans-serif; font-size: 14px"
    return (
        f'{head} aria-label="{title}" style="{font}">\n<rect width="100%" height="100%" '
        f'fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _box(parts: list[str], y: int, name: str, says: str, strong: bool = False) -> int:
    fill = "#d9ead3" if strong else "#eef3fa"
    parts.append(
        f'<rect x="{LEFT}" y="{y}" width="{WIDTH - 2 * LEFT}" height="{LINE}" rx="5" '
        f'fill="{fill}" stroke="#5b7fa8"/>'
    )
    parts.append(_text(LEFT + 12, y + 18, name, says))
    return y + LINE


def _group(parts: list[str], y: int, name: str, says: str) -> int:
    height = LINE * (len(PARSER) + 1) + 8
    parts.append(
        f'<rect x="{LEFT}" y="{y}" width="{WIDTH - 2 * LEFT}" height="{height}" rx="5" '
        'fill="#d9ead3" stroke="#5b7fa8"/>'
    )
    parts.append(_text(LEFT + 12, y + 18, name, says))
    for number, (file, does) in enumerate(PARSER, 1):
        parts.append(_text(LEFT + 40, y + 18 + LINE * number, file, does))
    return y + height


def _text(x: int, y: int, name: str, says: str) -> str:
    shown = f' <tspan fill="#444">{escape(says)}</tspan>' if says else ""
    return (
        f'<text x="{x}" y="{y}" fill="#111"><tspan font-weight="600">{escape(name)}</tspan>'
        f"{'  ' if says else ''}{shown}</text>"
    )


def _arrow(parts: list[str], y: int) -> int:
    x = WIDTH // 2
    parts.append(f'<path d="M{x} {y} v8 m-4 -4 l4 4 l4 -4" fill="none" stroke="#5b7fa8"/>')
    return y + 10


if __name__ == "__main__":
    (Path(__file__).parent / "way_of_a_question.svg").write_text(picture(), encoding="utf-8")
