"""The errors a user can meet: one root, one subclass for each stage that can fail.

Every message is one plain sentence that says what is wrong, where, and what to do about it. The
command line prints it and exits with 1.
"""

from pathlib import Path


class DenotaError(Exception):
    """Something denota could not do, said in one sentence."""


class TableError(DenotaError):
    """A table that cannot be read."""


class TooLarge(TableError):
    """A table with more in it than is read."""


class DataError(DenotaError):
    """A dataset that cannot be read, resolved or fetched."""


class ProgramError(DenotaError):
    """A program that cannot be read or executed."""


class ConfigError(DenotaError):
    """A setting that does not exist or has no such value."""


class TrainingError(DenotaError):
    """A run that cannot go on."""


class ModelError(DenotaError):
    """Pretrained weights that cannot be found, read or used."""


class MissingPackage(DenotaError):
    """A package that is not installed, and that what was asked for needs."""


class FormatError(DenotaError):
    """A file that a newer denota wrote."""


def newer_format(file: Path, found: int, newest: int) -> FormatError:
    """Return the error for a file of a newer format than can be read.

    >>> print(newer_format(Path("lessons.sqlite"), 4, 3))
    lessons.sqlite was written by a newer denota (format 4, this one reads up to 3); update denota
    """
    known = f"format {found}, this one reads up to {newest}"
    return FormatError(f"{file} was written by a newer denota ({known}); update denota")
