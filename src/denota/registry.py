"""The one small registry: functions by their own name, so that a name in a config is a name in the code."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from typing import Generic, TypeVar

from denota.errors import ConfigError

F = TypeVar("F", bound=Callable[..., object])


class Registry(Mapping[str, F], Generic[F]):
    """A mapping of names to functions of one kind.

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
        """Add a function under its own name."""
        self._functions[function.__name__] = function
        return function

    def __getitem__(self, name: str) -> F:
        """Return a function, or raise a ConfigError that names the nearest."""
        if name not in self._functions:
            near = difflib.get_close_matches(name, self._functions, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(self._functions)}"
            raise ConfigError(f"there is no {self.kind} {name!r}; {hint}")
        return self._functions[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self._functions)

    def __len__(self) -> int:
        """Count the functions."""
        return len(self._functions)
