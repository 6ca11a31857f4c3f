"""The one small registry: functions by their own name, which is their name in a config."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from denota.errors import ConfigError

F = TypeVar("F", bound=Callable[..., object])


class Registry(Mapping[str, F], Generic[F]):
    """Functions of one kind by name.

    >>> SHOUTS: Registry = Registry("shout")
    >>> @SHOUTS.register
    ... def hurrah() -> str:
    ...     return "HURRAH"
    >>> SHOUTS["hurrah"]()
    'HURRAH'
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._functions: dict[str, F] = {}

    def register(self, function: F) -> F:
        """Add a function under its own name, which must be new."""
        assert function.__name__ not in self._functions, function.__name__
        self._functions[function.__name__] = function
        return function

    def __getitem__(self, name: str) -> F:
        """Return a function, or raise a ConfigError that names the nearest."""
        if name not in self._functions:
            near = difflib.get_close_matches(name, self._functions, n=1)
            hint = (
                f"did you mean {near[0]!r}?" if near else f"there are {', '.join(self._functions)}"
            )
            raise ConfigError(f"there is no {self.kind} {name!r}; {hint}")
        return self._functions[name]

    def get(self, name: str, default: Any = None) -> Any:
        """Return a function, or the default if there is none of that name."""
        return self._functions.get(name, default)

    def __contains__(self, name: object) -> bool:
        """Say whether there is a function of that name."""
        return name in self._functions

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self._functions)

    def __len__(self) -> int:
        """Count the functions."""
        return len(self._functions)
