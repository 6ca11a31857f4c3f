"""The configuration as text: read from TOML, changed on the command line, saved with every run."""

from __future__ import annotations

import difflib
import tomllib
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from math import inf, isinf
from pathlib import Path
from typing import Any, Final, Literal

from denota.config import Config
from denota.errors import ConfigError


def read_settings(path: str | Path, changes: Sequence[str] = ()) -> dict[str, Any]:
    """Read settings from TOML, on top of the file that it extends, changed by `a.b=c` settings.

    Raises:
        ConfigError: a file is not there or no TOML, or a change is not written as it should be.
    """
    tree = _read(Path(path), ())
    for change in changes:
        _change(tree, change)
    return tree


def _read(path: Path, extended_by: tuple[Path, ...]) -> dict[str, Any]:
    """The settings of a file: those of the file it `extends`, and its own on top."""
    if path in extended_by:
        raise ConfigError(f"{path} extends itself")
    try:
        tree = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"there is no config {path}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path} is not a readable TOML file: {error}") from None
    base = tree.pop("extends", None)
    if base is None:
        return tree
    if not isinstance(base, str):
        raise ConfigError(f"extends names a file beside {path.name}, not {base!r}")
    return _merged(_read(path.parent / base, (*extended_by, path)), tree)


def _merged(base: dict[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with others on top."""
    for key, value in own.items():
        known = base.get(key)
        if isinstance(known, dict) and isinstance(value, dict):
            value = _merged(known, value)
        base[key] = value
    return base


def config_of(tree: Mapping[str, Any]) -> Config:
    """Return the config of a tree of plain values; what is not given keeps its default."""
    built = _build(Config, tree, "")
    assert isinstance(built, Config)
    return built


def saved_config(text: str) -> Config:
    """Return the config that was saved with a model, whose settings may have been removed since."""
    tree = tomllib.loads(text)
    for name in RETIRED:
        section, key = name.split(".")
        tree.get(section, {}).pop(key, None)
    for name, now in RENAMED.items():
        section, key = name.split(".")
        values = tree.get(section, {})
        if key in values:
            values[now.split(".")[1]] = values.pop(key)
    for name, gone in RETIRED_VALUES.items():
        section, key = name.split(".")
        if tree.get(section, {}).get(key) == gone:
            del tree[section][key]
    for name, before in ADDED.items():
        section, key = name.split(".")
        tree.setdefault(section, {}).setdefault(key, before)
    return config_of(tree)


RETIRED: Final[dict[str, Any]] = {
    "search.anneal": 0.0,
    "search.greed": inf,
    "search.of_those": False,
    "update.reference_min_reward": 0.0,
    "train.decay": 0.0,
    "train.gold_share": 0.5,
    "train.history": "reference",
    "train.tensorboard": False,
}
"""Settings that were removed, each with the value that runs now always have."""
RETIRED_VALUES: Final = {"train.optimiser": "adagrad", "train.schedule": "cosine"}
"""Values that were removed."""
RENAMED: Final = {
    "search.reference": "search.reference_by",
    "train.first": "train.made_up_epochs",
}
"""Settings that have another name now."""


ADDED: Final = {
    "model.start": "early",
    "model.same_as_previous": "vector",
    "search.lexicon": "paper",
    "search.vacuous": True,
    "update.draw": "sample",
}
"""Settings whose default is not what models had that were saved before there was the setting."""


def to_toml(config: Config) -> str:
    """Return the config as TOML, every setting in it.

    >>> config_of(tomllib.loads(to_toml(Config(seed=3)))).seed
    3
    """
    tree = asdict(config)
    lines = [
        f"{key} = {_toml(value)}" for key, value in tree.items() if not isinstance(value, dict)
    ]
    for section, values in tree.items():
        if isinstance(values, dict):
            lines += ["", f"[{section}]"]
            lines += [
                f"{key} = {_toml(value)}" for key, value in values.items() if value is not None
            ]
    return "\n".join(lines) + "\n"


def _change(tree: dict[str, Any], change: str) -> None:
    key, equals, text = change.partition("=")
    if not equals:
        raise ConfigError(f"a setting is written a.b=c, not {change!r}")
    try:
        value = tomllib.loads(f"x = {text}")["x"]
    except tomllib.TOMLDecodeError:
        value = text  # a bare word
    *parents, last = key.strip().split(".")
    for parent in parents:
        tree = tree.setdefault(parent, {})
        if not isinstance(tree, dict):
            raise ConfigError(f"{key} goes below a setting that has nothing below it")
    tree[last] = value


def _build(kind: type, tree: Mapping[str, Any], prefix: str) -> Any:
    known = {f.name: f for f in fields(kind)}
    hints = typing.get_type_hints(kind)
    values = {}
    for key, value in tree.items():
        if key not in known:
            raise ConfigError(_unknown(key, prefix, known))
        values[key] = _value(hints[key], value, f"{prefix}{key}")
    return kind(**values)


def _unknown(key: str, prefix: str, known: Iterable[str]) -> str:
    """What to say of a setting that does not exist."""
    name = prefix + key
    if name in RENAMED:
        return f"{name} is now called {RENAMED[name]}"
    if name in RETIRED:
        return f"{name} was removed; every run is now as with {name} = {_toml(RETIRED[name])}"
    near = difflib.get_close_matches(key, known, n=1)
    hint = f"did you mean {prefix}{near[0]}?" if near else f"there are {', '.join(known)}"
    return f"there is no setting {name}; {hint}"


def _value(kind: Any, value: Any, name: str) -> Any:
    if is_dataclass(kind):
        if not isinstance(value, dict):
            raise ConfigError(f"{name} is a section, not a value")
        return _build(kind, value, f"{name}.")  # type: ignore[arg-type]
    if typing.get_origin(kind) is Literal:
        if value not in typing.get_args(kind):
            raise ConfigError(
                f"{name} must be one of {', '.join(typing.get_args(kind))}, not {value!r}"
            )
        return value
    if isinstance(kind, types.UnionType):
        return value if value is None or isinstance(value, str) else _value(str, value, name)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind is float and value in ("inf", "infinity"):
        return inf
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ConfigError(f"{name} must be a {kind.__name__}, not {value!r}")
    return value


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return "inf" if isinf(value) else repr(value)
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return str(value)
