"""What a server refuses, each with the status that HTTP has for it."""

from __future__ import annotations

from typing import ClassVar

from denota.errors import DataError, DenotaError, TooLarge


class Refused(DenotaError):
    """A request that is not done, said in one sentence."""

    status: ClassVar[int] = 422
    retry_after: ClassVar[int | None] = None
    """Seconds after which it may be tried again."""


class NotThere(Refused, DataError):
    """What was asked for does not exist, or belongs to somebody else."""

    status = 404


class GoneOn(Refused):
    """A conversation that has gone on since the client saw it."""

    status = 412


class TooMany(Refused):
    """More requests than one client may have waiting."""

    status, retry_after = 429, 2


class Left(Refused):
    """Work that was stopped because its client left."""

    status = 499


class Busy(Refused):
    """A server with too much to do, or one that is ending."""

    status, retry_after = 503, 5


class Late(Refused):
    """Work that took too long and was stopped; nothing was changed."""

    status = 504


class Damaged(Refused, DataError):
    """What the disk does not give back any more."""

    status = 503


class NoRoom(Refused):
    """No room is left, on the disk or of what a client may keep."""

    status = 507


def no_session() -> NotThere:
    """Return the refusal for a session that is not there."""
    return NotThere("there is no such session; begin a new one")


def status_of(error: DenotaError) -> int:
    """Return the status of an error.

    >>> status_of(no_session()), status_of(DataError("the question is empty"))
    (404, 422)
    """
    if isinstance(error, Refused):
        return error.status
    return 413 if isinstance(error, TooLarge) else 422
