"""What was worked out for objects, kept while they live: the newest so many."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any, Generic, TypeVar

V = TypeVar("V")


class Kept(Generic[V]):
    """Values that belong to an object, by key; the one not used for longest goes first.

    A value must not refer to its owner: it goes when the owner does, and never keeps it alive.

    >>> kept, owner = Kept[int](2), frozenset("ab")
    >>> for number in range(3):
    ...     _ = kept.put(owner, number, number * number)
    >>> kept.get(owner, 0), kept.get(owner, 2), len(kept)
    (None, 4, 2)
    >>> del owner
    >>> len(kept)
    0
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._values: OrderedDict[tuple[int, Hashable], V] = OrderedDict()
        self._owners: dict[int, tuple[weakref.ref[object], set[Hashable]]] = {}
        self._lock = threading.RLock()  # an owner may die while one is held

    def __reduce__(self) -> tuple[Any, ...]:
        """Begin empty in a copy or another process."""
        return Kept, (self.most,)

    def __len__(self) -> int:
        """Count the values."""
        return len(self._values)

    def get(self, owner: object, key: Hashable = None) -> V | None:
        """Return the value of an object, None if it is not kept."""
        place = (id(owner), key)
        with self._lock:
            found = self._values.get(place)
            if found is not None:
                self._values.move_to_end(place)
            return found

    def put(self, owner: object, key: Hashable, value: V) -> V:
        """Keep a value, and return it."""
        number = id(owner)
        with self._lock:
            if number not in self._owners:
                self._owners[number] = weakref.ref(owner, lambda _: self._forget(number)), set()
            self._owners[number][1].add(key)
            self._values[number, key] = value
            self._values.move_to_end((number, key))
            self.keep(self.most)
        return value

    def keep(self, most: int) -> None:
        """Set how many values are kept."""
        with self._lock:
            self.most = most
            while len(self._values) > most:
                (number, key), _ = self._values.popitem(last=False)
                _, keys = self._owners.get(number, (None, set()))  # its owner may just have died
                keys.discard(key)
                if not keys:
                    self._owners.pop(number, None)

    def _forget(self, number: int) -> None:
        with self._lock:
            _, keys = self._owners.pop(number, (None, ()))
            for key in keys:
                self._values.pop((number, key), None)
