"""Parsers on disk: one safetensors file each, with config, words and a checksum; no pickle.

A file is written beside its place and moved there, so a reader finds the old one or the new one,
never half of one. Everything is arrays here: nothing knows of torch.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from denota.config import Config
from denota.errors import ConfigError, TrainingError, newer_format
from denota.evaluation.calibration import Calibration, Scale
from denota.evaluation.order import Order
from denota.model.compact import compact, expanded
from denota.model.memory import Memory, TableMemory
from denota.model.parser import Parser
from denota.model.wording import Wording
from denota.settings import saved_config, to_toml

Arrays = Mapping[str, NDArray[np.generic]]
CHECKPOINT_FORMAT: Final = 3
"""1 had no checksum of its metadata, 2 did not name the rows of its heads; both are read."""
STATE: Final = "state."
"""What names of arrays that are not weights begin with."""
MEMORY: Final = "memory."
"""What names of what was taught begin with."""


@dataclass(frozen=True, eq=False)
class Saved:
    """What a file holds."""

    config: Config
    weights: Arrays
    """Those of the scorer, compact or not."""
    state: Arrays
    """What was saved beside them."""
    calibration: Calibration | None
    memory: Memory
    facts: Mapping[str, str]


def read_saved(path: Path) -> Saved:
    """Read the file of a parser.

    Raises:
        TrainingError: there is no such file, it is damaged, or it is no parser.
        FormatError: a newer denota wrote it.
    """
    try:
        with safe_open(path, framework="np") as file:
            metadata = file.metadata() or {}
            names = list(file.keys())  # `file` is no mapping
            arrays = {name: file.get_tensor(name) for name in names}
    except FileNotFoundError:
        raise TrainingError(f"there is no model at {path}") from None
    except (OSError, SafetensorError) as error:
        raise TrainingError(f"{path} is damaged, or no model at all: {error}") from None
    name, _, number = metadata.get("format", "").partition(" ")
    if name != "denota" or not number.isdecimal():
        raise TrainingError(f"{path} is not a model of denota")
    if int(number) > CHECKPOINT_FORMAT:
        raise newer_format(path, int(number), CHECKPOINT_FORMAT)
    if metadata.get("sha256") != checksum(arrays, metadata):
        raise TrainingError(
            f"{path} is damaged: its contents do not have the checksum it was saved with"
        )
    try:
        return Saved(
            saved_config(metadata["config"]),
            {k: v for k, v in arrays.items() if not k.startswith((STATE, MEMORY))},
            {k.removeprefix(STATE): v for k, v in arrays.items() if k.startswith(STATE)},
            _calibration_beside(path)
            or _calibration(json.loads(metadata.get("calibration", "null"))),
            _memory(metadata, arrays),
            metadata,
        )
    except (ValueError, KeyError, TypeError, ConfigError) as error:
        raise unreadable(path, error) from None


def unreadable(path: Path, error: Exception) -> TrainingError:
    """Return what to say of a file that holds no parser after all."""
    return TrainingError(f"{path} is not a model that can be read: {error}")


def save_parser(
    path: Path,
    parser: Parser,
    state: Arrays | None = None,
    facts: Mapping[str, str] | None = None,
    *,
    bits: int | None = None,
) -> None:
    """Write a parser, with more arrays and facts beside it if given.

    With 8 or 4 `bits` weights are rounded, to a quarter or an eighth of the size.
    """
    arrays = dict(parser.scorer.weights())
    if bits is not None:
        arrays = compact(expanded(arrays), bits)
    arrays |= {f"{MEMORY}{header}": one.questions for header, one in parser.memory.tables.items()}
    arrays |= {f"{STATE}{name}": array for name, array in (state or {}).items()}
    metadata = {
        "format": f"denota {CHECKPOINT_FORMAT}",
        "config": to_toml(parser.config),
        **parser.scorer.facts(),
        **_calibration_facts(parser.calibration),
        **_memory_facts(parser.memory),
        **(facts or {}),
    }
    metadata["sha256"] = checksum(arrays, metadata)
    beside = path.with_name(path.name + ".part")
    try:
        save_file({k: np.asarray(v, order="C") for k, v in arrays.items()}, beside, metadata)
        with beside.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(beside, path)
    except (OSError, SafetensorError) as error:
        beside.unlink(missing_ok=True)
        what = str(getattr(error, "strerror", None) or error).lower()
        size, free = sum(a.nbytes for a in arrays.values()), shutil.disk_usage(path.parent).free
        room = f"; it takes {size >> 20:,} MiB and {free >> 20:,} are free" if free < size else ""
        raise TrainingError(
            f"{path} cannot be written ({what}{room}); what was saved before is still there"
        ) from None


def _calibration(known: Mapping[str, Any] | None) -> Calibration | None:
    if known is None:
        return None
    found = Calibration(**_with_tuples(known))  # older files name no features
    many, scale = len(found.features), known.get("scale")
    if scale is not None:
        own = Scale(**_with_tuples(scale))
        own = replace(own, products=tuple((one, other) for one, other in own.products))
        if not len(own.middle) == len(own.spread) == many:
            raise ValueError(
                f"its confidence has a scale of {len(own.middle)}, not {many} features"
            )
        many += len(own.products)
        found = replace(found, scale=own)
    for weights in (found.weights, found.either, found.said):
        if weights and len(weights) != many + 1:
            raise ValueError(f"its confidence has {len(weights)} weights, not {many + 1}")
    return replace(found, order=_order(known.get("order")))


def _order(known: Mapping[str, Any] | None) -> Order | None:
    if known is None:
        return None
    found = Order(**_with_tuples(known))
    many = len(found.features)
    if not len(found.middle) == len(found.spread) == len(found.weights) - 1 == many:
        raise ValueError(f"its order has {len(found.weights)} weights for {many} features")
    return found


def _with_tuples(record: Mapping[str, Any]) -> dict[str, Any]:
    """What JSON kept as lists as tuples again."""
    return {name: tuple(own) if isinstance(own, list) else own for name, own in record.items()}


def calibration_path(path: Path) -> Path:
    """Return the file beside a parser whose confidence takes the place of the parser's own.

    A confidence can be fitted anew without writing the weights again.
    """
    return path.with_suffix(".confidence.json")


def save_calibration(path: Path, calibration: Calibration) -> None:
    """Write a confidence into a file of its own."""
    path.write_text(json.dumps(asdict(calibration), indent=1) + "\n", encoding="utf-8")


def _calibration_beside(path: Path) -> Calibration | None:
    try:
        return _calibration(json.loads(calibration_path(path).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None


def _calibration_facts(calibration: Calibration | None) -> dict[str, str]:
    return {} if calibration is None else {"calibration": json.dumps(asdict(calibration))}


def _memory_facts(memory: Memory) -> dict[str, str]:
    if not memory.tables:
        return {}
    asked = {
        header: [
            [own.text, sorted(own.words), program]
            for own, program in zip(one.wordings, one.programs, strict=True)
        ]
        for header, one in memory.tables.items()
    }
    weights = {header: one.weights for header, one in memory.tables.items()}
    return {"memory": json.dumps(weights), "memory_asked": json.dumps(asked)}


def _memory(metadata: Mapping[str, str], arrays: Arrays) -> Memory:
    weights = json.loads(metadata.get("memory", "{}"))
    asked = json.loads(metadata.get("memory_asked", "{}"))  # older files have none
    found = {}
    for header, lines in weights.items():
        known = asked.get(header) or [["", [], ""]] * len(lines)
        found[header] = TableMemory(
            arrays[f"{MEMORY}{header}"].astype(np.float32),
            tuple(lines),
            tuple(Wording(text, frozenset(words)) for text, words, _ in known),
            tuple(program for *_, program in known),
        )
    return Memory(found)


def checksum(arrays: Arrays, metadata: Mapping[str, str]) -> str:
    """Return the checksum of a file's contents, which its metadata holds under sha256.

    Types are named as torch names them, which wrote the first files. The first format left out the
    metadata.
    """
    digest = hashlib.sha256()
    facts = {k: v for k, v in metadata.items() if k != "sha256"}
    for name in sorted(facts) if metadata["format"] != "denota 1" else ():
        digest.update(f"{name}={facts[name]}\n".encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} torch.{array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
