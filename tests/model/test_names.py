"""Weights by name: a saved parser outlives operators that are added, moved or taken away."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.numpy import save_file
from torch import Tensor

from denota.app.paths import load_run
from denota.config import Config, DataConfig, ModelConfig
from denota.learning.start import new_parser
from denota.model.checkpoint import load_parser
from denota.model.cues import DynSPWithCues
from denota.model.dynsp import DynSP, starting_vector
from denota.model.names import (
    LEGACY_DYNSP,
    LEGACY_ENCODER,
    LEGACY_OPERATORS,
    RowNames,
    brought_by,
    entries_of,
    read_names,
)
from denota.model.parser import Parser
from denota.model.saved import checksum, save_parser
from denota.model.scorer import Scorer
from denota.model.vectors import word_vectors
from denota.programs import Denotation, language_of
from denota.programs.operators import AGGREGATES, FEATURES, LANGUAGES, SCOPES, TESTS
from denota.search.axes import BLOCKS, FIXED
from denota.search.lexicon import read_lexicon
from denota.search.prepare import Prepared, prepare
from denota.search.preparer import Preparer
from denota.tables import Table
from model.tiny import tiny_encoder
from processes import python

ROOT = Path(__file__).parents[2]
SHIPS = Table.from_rows(
    ["Ship", "Built", "Length (m)", "Lost"],
    [
        ["Aurora", "1901", "124", "May 1920"],
        ["Borealis", "1912", "98", ""],
        ["Corona Maris", "1912", "131", "June 1931"],
    ],
)
ASKED = [
    ("which ship is longer than 100?", (), None),
    ("and which was built after 1905?", ("list the ships",), Denotation((0, 1, 2), (0,))),
]
EXTENDED = language_of("extended")


def prepared(language: frozenset[str] = EXTENDED) -> list[Prepared]:
    return [prepare(q, SHIPS, h, p, None, language, read_lexicon()) for q, h, p in ASKED]


def dynsp(names: RowNames = LEGACY_DYNSP) -> DynSP:
    torch.manual_seed(0)
    words = {w for q in prepared() for text in (q.question, *q.names, *q.values) for w in text}
    return DynSPWithCues(word_vectors(words | {"least"}, "random", 12), 4, 0.0, names=names).eval()


BOTH = pytest.mark.parametrize("make", [tiny_encoder, dynsp])
Make = Callable[..., Scorer]


def legacy(make: Make) -> RowNames:
    return LEGACY_DYNSP if make is dynsp else LEGACY_ENCODER


def heads(scorer: Scorer) -> dict[str, list[Tensor]]:
    """The weights whose rows have names, by head."""
    found: dict[str, list[Tensor]] = {}
    for head in scorer.names.heads:
        part = getattr(scorer, head)
        if isinstance(part, torch.nn.Parameter):
            found[head] = [part, *([scorer.get_parameter("bias")] if head == "actions" else [])]
        else:
            linear = getattr(part, "scores", part)
            found[head] = [*linear.parameters()]
    return found


def entries(scorer: Scorer) -> Tensor:
    with torch.no_grad():
        return scorer.eval()(scorer.batch(prepared()))


def without(names: RowNames, *gone: str) -> RowNames:
    kept = {h: tuple(n for n in own if n not in gone) for h, own in names.heads.items()}
    return RowNames(names.operators - {n.partition("/")[2] for n in gone}, kept)


def rows_taken(make: Make, names: RowNames) -> Scorer:
    """A scorer of some names with their weights in a legacy one; other names have random ones."""
    whole, part = make(), make(names)
    own = heads(part)
    with torch.no_grad():
        for name, weight in whole.named_parameters():
            if not any(weight is one for some in heads(whole).values() for one in some):
                part.get_parameter(name).copy_(weight)
        for head, weights in heads(whole).items():
            rows = whole.names.rows(head, names.heads[head])
            for old, new in zip(weights, own[head], strict=True):
                for line, row in enumerate(rows):
                    new[line] = old[row] if row >= 0 else torch.randn(new[line].shape)
    return part


def test_the_legacy_names_are_those_of_the_code() -> None:
    """Frozen: the code of today may have more, in another order, but nothing may go unnamed."""
    known = {
        f"{b}/{n}"
        for b in ("fixed", "outcome", "relation", "breadth", "compare")
        for n in entries_of(b)
    }
    named = {*LEGACY_ENCODER.heads["acts"]}
    assert len(LEGACY_ENCODER.heads["actions"]) == 61 and len(named) == 65
    assert {n for n in known - named if n.partition("/")[2] in LEGACY_OPERATORS} == set()
    assert {*LEGACY_ENCODER.heads["kinds"]} - {"aggregate"} <= {*BLOCKS}
    assert {*TESTS, *SCOPES, *AGGREGATES, *FEATURES} >= LEGACY_OPERATORS
    assert all(language_of(name) <= LEGACY_OPERATORS for name in ("dynsp", "dynsp++", "extended"))


@BOTH
@pytest.mark.parametrize("language", ["dynsp", "dynsp++", "extended"])
def test_a_new_scorer_has_the_rows_it_always_had(make: Make, language: str) -> None:
    scorer = make()
    scorer.grow(language_of(language))
    assert scorer.names.heads == legacy(make).heads


@BOTH
def test_a_saved_file_names_every_row(make: Make, tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    scorer = make(without(legacy(make), "fixed/top"))
    kind = "cues" if make is dynsp else "encoder"
    model = ModelConfig(scorer=kind, width=8, cells=6, hidden=4, dimension=12)
    save_parser(path, Parser(Config(model=model), scorer))
    with safe_open(path, framework="pt") as file:
        metadata = file.metadata()
    assert metadata["format"] == "denota 3"
    saved = json.loads(metadata["names"])
    assert sorted(saved.pop("operators")) == sorted(LEGACY_OPERATORS - {"top"})
    assert {head: [len(names)] * len(heads(scorer)[head]) for head, names in saved.items()} == {
        head: [len(weight) for weight in weights] for head, weights in heads(scorer).items()
    }
    loaded, _, _ = load_parser(path)
    assert loaded.scorer.names == scorer.names
    torch.testing.assert_close(entries(loaded.scorer), entries(scorer), rtol=0, atol=0)
    assert "top" in EXTENDED and "top" not in replace_language(loaded, "extended").language


def replace_language(parser: Parser, language: str) -> Parser:
    return replace(parser, config=replace(parser.config, data=DataConfig(language=language)))


@BOTH
def test_a_file_without_names_is_read_as_one_with(make: Make, tmp_path: Path) -> None:
    kind = "cues" if make is dynsp else "encoder"
    model = ModelConfig(scorer=kind, width=8, cells=6, hidden=4, dimension=12)
    path, old = tmp_path / "a.safetensors", tmp_path / "old.safetensors"
    save_parser(path, Parser(Config(model=model), make()))
    with safe_open(path, framework="np") as file:
        metadata = file.metadata()
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    del metadata["names"]
    for number in (1, 2):
        metadata["format"] = f"denota {number}"
        metadata["sha256"] = checksum(tensors, metadata)
        save_file(tensors, old, metadata)
        one, other = load_parser(path)[0], load_parser(old)[0]
        assert one.scorer.names == other.scorer.names == legacy(make)
        for name, weight in one.scorer.state_dict().items():
            assert torch.equal(weight, other.scorer.state_dict()[name])
        assert torch.equal(entries(one.scorer), entries(other.scorer))


@BOTH
def test_growing_keeps_scores(make: Make) -> None:
    gone = ("fixed/same_value", "fixed/top", "compare/less")
    scorer = rows_taken(make, without(legacy(make), *gone))
    before = entries(scorer)
    old = {head: [w.detach().clone() for w in some] for head, some in heads(scorer).items()}
    scorer.grow(EXTENDED)
    assert scorer.names.operators == LEGACY_OPERATORS
    for head, weights in heads(scorer).items():
        new = [name for name in legacy(make).heads[head] if name in gone]
        count = len(scorer.names.heads[head]) - len(new)
        assert scorer.names.heads[head][count:] == tuple(sorted(new))
        for was, weight in zip(old[head], weights, strict=True):
            assert weight.requires_grad and len(weight) == count + len(new)
            assert torch.equal(weight[:count], was)
            if make is tiny_encoder:
                assert not weight[count:].any()
    if make is dynsp:
        assert isinstance(scorer, DynSP)
        own = scorer.actions[scorer.names.heads["actions"].index("fixed/top")]
        assert torch.equal(own, starting_vector("top", scorer.vectors))
        with torch.no_grad():
            for head, count in (("actions", 31), ("compare", 3)):
                scorer.get_parameter(head)[count:] = 0
    torch.testing.assert_close(entries(scorer), before, rtol=0, atol=1e-6)
    again = scorer.names
    scorer.grow(EXTENDED)
    assert scorer.names.heads == again.heads


@BOTH
def test_what_the_code_lacks_is_ignored(make: Make) -> None:
    whole = make()
    more = {
        h: (*own[:3], f"{own[0].partition('/')[0]}/gone", *own[3:])
        for h, own in whole.names.heads.items()
        if "/" in own[0]
    }
    names = RowNames(LEGACY_OPERATORS | {"gone"}, {**whole.names.heads, **more})
    scorer = rows_taken(make, names)
    torch.testing.assert_close(entries(scorer), entries(whole), rtol=0, atol=1e-6)
    parser = Parser(Config(data=DataConfig(language="extended")), scorer)
    assert "gone" in parser.operators and parser.language == EXTENDED


@BOTH
def test_what_a_model_lacks_scores_nothing(make: Make) -> None:
    """A model from before an operator gives every other entry the score it gave it then."""
    gone = ("fixed/same_value", "fixed/is_zero", "stated")
    whole, part = make(), rows_taken(make, without(legacy(make), *gone))
    batch = part.batch(prepared())
    offsets = dict(zip(BLOCKS, batch.offsets.tolist(), strict=True))
    lost = [offsets["fixed"] + FIXED.index(name) for name in ("same_value", "is_zero")]
    if make is tiny_encoder:
        lost += range(offsets["stated"], offsets["outcome"])
    kept = np.setdiff1d(np.arange(batch.width), lost)
    got, expected = entries(part), entries(whole)
    torch.testing.assert_close(got[:, kept], expected[:, kept], rtol=0, atol=1e-6)
    assert not got[:, lost].any() and expected[:, lost].any()
    config = Config(data=DataConfig(language="extended"))
    parser = Parser(config, part)
    assert parser.language == EXTENDED - {"same_value", "is_zero"}
    ready = Preparer.of(config, operators=parser.language)
    assert ready.language == parser.language
    assert all(len(ids) for ids in parser.best(prepared(parser.language), 30))


def test_a_run_begun_with_another_parser_has_its_language(tmp_path: Path) -> None:
    model = ModelConfig(scorer="cues", hidden=4, dimension=12, dropout=0.0)
    start = Parser(
        Config(data=DataConfig(language="dynsp"), model=model),
        dynsp(without(LEGACY_DYNSP, "fixed/top")),
    )
    config = Config(data=DataConfig(language="extended"), model=model)
    grown = new_parser(config, prepared(), start)
    assert grown.language == EXTENDED and "fixed/top" in grown.scorer.names.heads["actions"]


def test_names_are_read_as_written() -> None:
    names = RowNames(frozenset({"max", "min"}), {"actions": ("fixed/max", "fixed/min")})
    assert read_names({"names": names.to_json()}, LEGACY_DYNSP) == names
    assert read_names({}, LEGACY_DYNSP) is LEGACY_DYNSP
    assert brought_by(frozenset({"max", "greater", "count"}), "fixed") == ["max", "count"]
    assert brought_by(frozenset({"max"}), "relation") == ["0", "1", "2", "3", "4"]


QUESTIONS = (
    "which leaders had a crew of more than 50?",
    "of those, who had the largest crew?",
    "which expeditions had zero ships?",
)
ANSWER = f"""
from denota.conversation.chat import Chat
from denota.app.paths import load_run
from denota.tables import read_table
parser = load_run("default")
chat = Chat(parser, read_table("examples/expeditions.csv"))
for question in {QUESTIONS!r}:
    turn = chat.ask(question)
    print(turn.program, turn.confidence)
"""
MORE = """
from dataclasses import replace
import denota.programs.operators as known
new = replace(known.TESTS["is_zero"], name="is_nought", keywords=("IS", "NOUGHT"))
tests = {new.name: new, **known.TESTS}
known.TESTS.clear()
known.TESTS.update(tests)
known.AGGREGATES["spread"] = replace(known.AGGREGATES["largest"], name="spread", keyword="SPREAD")
known.LANGUAGES["full"] |= {"is_nought", "spread"}
"""
GROWN = """
from denota.programs import language_of
from denota.search.axes import FIXED
from denota.model.checkpoint import load_parser, trainable
from denota.model.saved import save_parser
from pathlib import Path
assert FIXED.index("is_nought") < FIXED.index("max")
assert not {"is_nought", "spread"} & parser.language
assert not {"is_nought", "spread"} & chat.preparer.language
parser = trainable(parser)
scorer = parser.scorer
heads = scorer.names.heads
actions, acts = len(heads["actions"]), len(heads["acts"])
scorer.grow(language_of("full"))
assert scorer.names.heads["actions"][actions:] == ("fixed/is_nought", "fixed/spread")
assert not scorer.actions.scores.weight[actions:].any() and not scorer.acts.weight[acts:].any()
assert {"is_nought", "spread"} <= parser.language
save_parser(Path(FILE), parser)
again = load_parser(Path(FILE))[0]
assert again.scorer.names == scorer.names
chat = Chat(again, read_table("examples/expeditions.csv"))
turn = chat.ask("which leaders had a crew of more than 50?")
print(turn.program)
"""


def answers(code: str) -> list[str]:
    run = python(code, ROOT)
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


def test_the_shipped_model_outlives_a_new_operator(tmp_path: Path) -> None:
    """A first test and an aggregate are declared before anything is built from the lists."""
    plain = answers(ANSWER)
    assert plain[0].startswith("SELECT Leader WHERE Crew > 50")
    assert answers(MORE + ANSWER) == plain
    grown = answers(f"FILE = {str(tmp_path / 'a.safetensors')!r}\n" + MORE + ANSWER + GROWN)
    assert grown[: len(plain)] == plain and grown[-1] == "SELECT Leader WHERE Crew > 50"


def test_the_shipped_model_names_its_rows() -> None:
    parser = load_run("default")
    for head, rows in LEGACY_ENCODER.heads.items():
        assert parser.scorer.names.heads[head][: len(rows)] == rows
    assert parser.operators >= parser.language == LANGUAGES["full"]
