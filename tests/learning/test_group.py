"""Processes that learn together: the numbers of one process, whatever happens to one of them."""

from __future__ import annotations

import json
import os
import socket
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path
from subprocess import CompletedProcess

import pytest
import torch

from denota import sample
from denota.config import Config, DataConfig, ModelConfig, SearchConfig, TrainConfig
from denota.data import Example, load_examples
from denota.learning.group import ALONE, Group
from denota.learning.start import new_parser
from denota.learning.trainer import Training
from denota.model.checkpoint import load_parser
from denota.model.torch_parser import TorchParser
from denota.search.preparer import Preparer
from model.tiny import tiny_encoder
from processes import denota, python

PROCESSES = 2
CONFIG = Config(
    model=ModelConfig(dimension=16, hidden=4, dropout=0.0),
    search=SearchConfig(shaping="policy"),
    train=TrainConfig(epochs=3, batch=8, device="cpu"),
)
CASES = {
    "word vectors": CONFIG,
    "adam and an average": replace(
        CONFIG, train=replace(CONFIG.train, optimiser="adam", rate=0.01, average=0.9)
    ),
    "processes that make batches, a sampled program": replace(
        CONFIG,
        train=replace(CONFIG.train, workers=1),
        update=replace(CONFIG.update, intensity="reinforce", competing="model"),
    ),
    "an encoder": replace(
        CONFIG,
        data=DataConfig(language="extended"),
        model=ModelConfig(scorer="encoder"),
        search=SearchConfig(),
    ),
}


def few() -> tuple[tuple[Example, ...], tuple[Example, ...]]:
    """Five batches of 8 and one of a single question, which leaves a process with none."""
    examples = load_examples(sample.path(), "train").examples
    return examples[:41], load_examples(sample.path(), "dev").examples[:12]


def together(code: str, folder: Path) -> list[CompletedProcess[str]]:
    """Run Python in processes that each know their `group`, and meet in a file."""
    meeting = folder / f"meeting{next(MEETINGS)}"
    start = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path
import torch
from denota.learning.group import Group, joined
from denota.errors import TrainingError
from denota.learning.run import train
from learning import test_group as t
"""

    def of(rank: int) -> CompletedProcess[str]:
        body = "\n".join(f"    {line}" for line in code.splitlines())
        me = f"Group({rank}, {PROCESSES}, {rank})"
        joining = f"with joined({me}, 'cpu', 'file://{meeting}') as group:\n{body}\n"
        return python(start + joining, folder)

    with ThreadPoolExecutor(PROCESSES) as pool:
        return list(pool.map(of, range(PROCESSES)))


MEETINGS = count()


def learnt(case: str, group: Group) -> dict[str, object]:
    """What two epochs in float64 come to."""
    config, (examples, dev) = CASES[case], few()
    preparer = Preparer.of(config)
    ready = [one for split in (examples, dev) for one in preparer.ahead(split)]
    if config.model.scorer == "encoder":
        parser = TorchParser(config, tiny_encoder())
    else:
        parser = new_parser(config, ready)
    parser.scorer.double().set_dropout(0)
    training = Training(config, parser, examples, dev, preparer, group=group)
    epochs = [training.run_epoch() for _ in range(2)]
    training.close()
    return {
        "losses": torch.tensor([epoch.loss for epoch in epochs], dtype=torch.float64),
        "weights": parser.scorer.state_dict(),
        "moments": training.optimiser.state(),
        "right": [epoch.dev_right for epoch in epochs],
        "answers": training.reference_answers,
    }


@pytest.mark.parametrize("case", CASES)
def test_two_processes_learn_what_one_does(case: str, tmp_path: Path) -> None:
    for run in together(f"torch.save(t.learnt({case!r}, group), f'{{group.rank}}.pt')", tmp_path):
        assert run.returncode == 0, run.stderr
    one = learnt(case, ALONE)
    for rank in range(PROCESSES):
        other = torch.load(tmp_path / f"{rank}.pt", weights_only=False)
        assert other["right"] == one["right"] and other["answers"] == one["answers"]
        for name in ("losses", "weights", "moments"):
            torch.testing.assert_close(other[name], one[name], rtol=0, atol=1e-9)


def test_gradients_of_every_kind_are_summed(tmp_path: Path) -> None:
    """Dense, sparse, of one process alone, and of none: as one process has them."""
    code = """
module = t.gradients(group.rank)
loss = group.sum_gradients(module, torch.tensor(float(group.rank + 1)))
torch.save((loss, [weight.grad for weight in module.parameters()]), f'{group.rank}.pt')
"""
    for run in together(code, tmp_path):
        assert run.returncode == 0, run.stderr
    each = [[weight.grad for weight in gradients(rank).parameters()] for rank in range(PROCESSES)]
    for rank in range(PROCESSES):
        loss, found = torch.load(tmp_path / f"{rank}.pt")
        assert float(loss) == 3.0
        for own, *grads in zip(found, *each, strict=True):
            there = [grad.to_dense() for grad in grads if grad is not None]
            assert (own is None) == (not there)
            if own is not None:
                assert own.is_sparse == any(grad is not None and grad.is_sparse for grad in grads)
                assert torch.equal(own.to_dense(), sum(there))
    assert found[0].coalesce().indices().tolist() == [[1, 2, 4]]


def gradients(rank: int) -> torch.nn.Module:
    """Weights with the gradients that a process may have."""
    module = torch.nn.ParameterList(torch.zeros(shape) for shape in ((6, 2), (3,), (), (2,)))
    words, dense, alone, _ = module
    rows = torch.tensor([[2, 1, 2], [4, 2, 4]][rank])
    values = torch.arange(6.0).reshape(3, 2) + rank
    words.grad = torch.sparse_coo_tensor(rows[None], values, words.shape, check_invariants=True)
    dense.grad = torch.arange(3.0) + rank
    if rank:
        alone.grad = torch.tensor(5.0)
    return module


def weights(path: Path) -> dict[str, bytes]:
    parser, state, _ = load_parser(path)
    tensors = {**parser.scorer.state_dict(), **state}
    return {name: tensor.numpy().tobytes() for name, tensor in tensors.items()}


def run_in(out: Path, kill: int | None = None) -> str:
    """A run into a folder, in whose second epoch a process is killed."""
    return f"""
def killed(done, loss):
    if group.rank == {kill} and done > 16 and seen:
        os.kill(os.getpid(), signal.SIGKILL)
seen = []
try:
    train(t.CONFIG, *t.few(), Path({str(out)!r}), resume=True, group=group,
            progress=killed, epoch_done=seen.append)
except TrainingError as error:
    sys.exit(f"denota: {{error}}")
"""


@pytest.mark.parametrize("killed", [0, 1])
def test_a_killed_process_ends_the_others_and_the_run_goes_on(tmp_path: Path, killed: int) -> None:
    ends = together(run_in(tmp_path / "broken", killed), tmp_path)
    assert ends[killed].returncode == -9
    assert ends[1 - killed].returncode == 1
    assert "another process of this training ended" in ends[1 - killed].stderr
    assert len((tmp_path / "broken" / "metrics.jsonl").read_text().splitlines()) == 1
    for out in ("broken", "whole"):
        for run in together(run_in(tmp_path / out), tmp_path):
            assert run.returncode == 0, run.stderr
    for name in ("last", "best"):
        one, other = (tmp_path / out / f"{name}.safetensors" for out in ("broken", "whole"))
        assert weights(one) == weights(other)
    for name in ("metrics.jsonl", "outcomes.jsonl"):
        one, other = (tmp_path / out / name for out in ("broken", "whole"))
        assert one.read_text() == other.read_text()


def test_the_command_learns_with_what_torchrun_says(tmp_path: Path) -> None:
    """Variables of torchrun in each process: one run, and only the first process speaks."""
    config = tmp_path / "tiny.toml"
    config.write_text("[model]\ndimension = 16\nhidden = 4\ndropout = 0.0\n[train]\nepochs = 2\n")
    lines = (sample.path() / "train.jsonl").read_text().splitlines()[:24]
    for name in ("train", "dev"):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines if name == "train" else lines[:4]))
    (tmp_path / "tables").symlink_to(sample.path() / "tables")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def of(rank: int) -> CompletedProcess[str]:
        place = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": PROCESSES}
        place |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
        variables = {name: str(value) for name, value in place.items()}
        arguments = ("train", config, "--data", tmp_path, "--out", tmp_path / "run", "--final")
        return denota(*arguments, env={**os.environ, **variables})

    with ThreadPoolExecutor(PROCESSES) as pool:
        first, second = pool.map(of, range(PROCESSES))
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert "the parser trained on all of it" in first.stdout and not second.stdout + second.stderr
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["machine"]["processes"] == PROCESSES
    assert (tmp_path / "run" / "final" / "best.safetensors").exists()


def test_processes_must_learn_the_same(tmp_path: Path) -> None:
    code = """
config = replace(t.CONFIG, seed=group.rank)
try:
    train(config, *t.few(), Path('run'), group=group)
except TrainingError as error:
    sys.exit(str(error))
"""
    for run in together(code, tmp_path):
        assert run.returncode == 1 and "different settings or data" in run.stderr
