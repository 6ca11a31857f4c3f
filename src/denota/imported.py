"""Something to do once a module is imported, without importing it."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from typing import Any


def when_imported(package: str, module: str, function: str) -> None:
    """Call a function with a module: now if it is imported already, else when it gets imported.

    Args:
        package: the module waited for, by its full name.
        module: has the function; it is imported when it is needed.
        function: takes what was imported, which may be half imported if it is there already.
    """
    if package in sys.modules:
        _call(module, function, sys.modules[package])
        return
    sys.meta_path.insert(0, _Finder(package, module, function))


class _Finder:
    """Finds a package as it would be found anyway, and adds a step to the end of its import."""

    def __init__(self, package: str, module: str, function: str) -> None:
        self.package, self.module, self.function = package, module, function

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return the package's spec; None for every other module."""
        if name != self.package or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)  # so that it is found by the others, and this is done once
        spec = find_spec(name)
        loader: Any = spec.loader if spec is not None else None
        if loader is None:
            sys.meta_path.insert(0, self)
            return spec
        execute = loader.exec_module

        def exec_module(module: Any) -> None:
            execute(module)
            _call(self.module, self.function, module)

        loader.exec_module = exec_module
        return spec


def _call(module: str, function: str, package: Any) -> None:
    getattr(import_module(module), function)(package)
