"""The page that follows one question through search, shaping and every update, with real numbers.

python -m denota.reports.walkthrough      writes docs/walkthrough.md
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import torch

from denota.config import SearchConfig
from denota.data.answer import Cells
from denota.learning.intensity import DRAWS_FROM
from denota.learning.presets import PRESETS
from denota.learning.update import update_coefficients
from denota.model.batch import make_batch
from denota.model.dynsp import STARTS, DynSP
from denota.model.vectors import word_vectors
from denota.programs import language_of, print_program
from denota.search.candidates import Candidates, find_candidates
from denota.search.critique import LexicalScores
from denota.search.exact import AxisScores, program_scores
from denota.search.flat_batch import lay_flat
from denota.search.lexicon import read_lexicon
from denota.search.prepare import Prepared, prepare
from denota.tables import Table

PAGE: Final = Path("docs/walkthrough.md")
QUESTION: Final = "which nation scored the most points?"
TABLE: Final = Table.from_rows(
    ["Index", "Name", "Nation", "Points", "Year"],
    [
        ["1", "Mary Hart", "England", "44", "2004"],
        ["2", "Ann Odera", "Kenya", "38", "2004"],
        ["3", "Karen Lund", "Norway", "31", "2008"],
        ["4", "Joy Kamau", "Kenya", "29", "2008"],
    ],
    name="scores",
)
GOLD: Final = frozenset({(0, 2)})


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """Return the page's Markdown."""
    language, lexicon = language_of("dynsp++"), read_lexicon()
    question = prepare(QUESTION, TABLE, (), None, Cells(GOLD), language, lexicon)
    parser, entries, axis = _scored(question)
    assert question.rewards is not None
    scores = program_scores(question, axis)
    consistent = np.flatnonzero(question.rewards == 1)
    lines = [
        _BEGIN.format(question=QUESTION, programs=f"{len(scores):,}", consistent=len(consistent))
    ]
    lines += ["| | " + " | ".join(TABLE.names) + " |", "| --- " * 6 + "|"]
    lines += [f"| {r} | " + " | ".join(TABLE.row(r)) + " |" for r in range(len(TABLE))]
    lines += [
        "",
        _CRITIQUE,
        "| program | score | match | co_occur | critique |",
        "| --- " * 5 + "|",
    ]
    order = consistent[np.argsort(-question.words.critique[consistent], kind="stable")]
    for number in order[:10].tolist():
        words = question.words
        assert isinstance(words, LexicalScores)
        lines.append(
            f"| `{print_program(question.space.program(number))}` | {scores[number]:.3f} | "
            f"{words.match[number]:.3f} | {words.co_occur[number]:.0f} | "
            f"{words.critique[number]:.3f} |"
        )
    plain = SearchConfig(explore=5, rivals=5)
    shaped = SearchConfig(explore=5, rivals=5, shaping="policy")
    lines += ["", _REFERENCE]
    for name, cfg in (("without shaping", plain), ("with shaping", shaped)):
        found, ids = _found(question, parser, entries, axis, cfg)
        chosen = ids[int(found.reference[0])]
        lines.append(f"- {name}: `{print_program(question.space.program(chosen))}`")
    lines += ["", _UPDATES, *_update_table(question, parser, entries, axis, shaped), "", _END]
    return "\n".join(lines)


def _scored(question: Prepared) -> tuple[DynSP, torch.Tensor, AxisScores]:
    """An untrained parser with random word vectors, its axis scores with and without gradient."""
    torch.manual_seed(0)
    words = {*question.question, *(w for text in (*question.names, *question.values) for w in text)}
    vectors = word_vectors(
        words | {w for start in STARTS.values() for w in start.split()}, "random", 50
    )
    parser = DynSP(vectors).eval()
    batch = make_batch([question], vectors)
    entries = parser(batch)
    axis = AxisScores(entries[0].detach().numpy(), batch.offsets, float(parser.recall.detach()))
    return parser, entries, axis


def _found(
    question: Prepared,
    parser: DynSP,
    entries: torch.Tensor,
    axis: AxisScores,
    cfg: SearchConfig,
    draws_from: str | None = None,
) -> tuple[Candidates, list[int]]:
    """K of the question, and its programs."""
    flat = lay_flat([question], axis.offsets, len(axis.entries), cfg, entries.device)
    uniforms = torch.tensor([0.3])
    found, places = find_candidates(
        flat, entries, parser.recall, cfg, draws_from=draws_from, uniforms=uniforms
    )
    return found, places[found.mask].tolist()


def _update_table(
    question: Prepared,
    parser: DynSP,
    entries: torch.Tensor,
    axis: AxisScores,
    cfg: SearchConfig,
) -> list[str]:
    assert question.rewards is not None
    names = list(PRESETS)
    lines = ["| program | R | s | " + " | ".join(names) + " |", "| --- " * (3 + len(names)) + "|"]
    columns = []
    for name in names:
        source = DRAWS_FROM.get(PRESETS[name].intensity)
        found, ids = _found(question, parser, entries, axis, cfg, source)
        columns.append(update_coefficients(found, PRESETS[name])[0].tolist())
    scores = program_scores(question, axis)
    for place, number in enumerate(ids):
        mark = " (y*)" if place == int(found.reference[0]) else ""
        program = print_program(question.space.program(number))
        values = " | ".join(f"{column[place]:+.2f}" for column in columns)
        lines.append(
            f"| `{program}`{mark} | {question.rewards[number]:.2f} | {scores[number]:.2f} | "
            f"{values} |"
        )
    return lines


_BEGIN: Final = """# One question, step by step

<!-- Written by `python -m denota.reports.walkthrough`; edit src/denota/reports/walkthrough.py \
instead. -->

After Figures 1 and 2 of the paper, on an invented table. The question is *{question}*, the answer \
the cell (0, 2), England. The space
of `dynsp++` has {programs} programs, {consistent} of which give that cell. The parser is \
untrained, its word vectors random.
"""
_CRITIQUE: Final = """## The critique

`match` is the share of a program's tokens that the question has, `co_occur` counts lexical pairs \
(here *most* and MAX). Neither
looks at the model. Of the programs with the right answer, these have the highest critique:
"""
_REFERENCE: Final = """## Search

EXPLORE ranks by reward, then by score + η critique (η = 5; 0 without shaping); RIVALS ranks by \
score − R. The reference y* is the first of EXPLORE:
"""
_UPDATES: Final = """## Every update

K here is five programs of EXPLORE and five of RIVALS. Each column is an algorithm's coefficients \
c = w − (Σ w) q: the update is
Σ c(y) ∇s(y), so a positive number pulls a program's score up, a negative one pushes it down, and \
each column sums to 0. The
sampled algorithms (REINFORCE, off-policy) are shown for one draw.
"""
_END: Final = """MML spreads its pull over the consistent programs by their probability; β = 0 \
evenly, β = ∞ on the most probable. The margin methods pull one
program, y*, and push rivals: MMR the worst, MAVER all that violate the margin alike, the spurious \
consistent ones too.
"""


if __name__ == "__main__":
    main()
