"""The errors a user can meet: one root, one subclass for each stage that can fail.

Every message is one plain sentence that says what is wrong, where, and what to do about it. The
command line prints it and exits with 1.
"""


class DenotaError(Exception):
    """Something denota could not do, said in one sentence."""


class TableError(DenotaError):
    """A table that cannot be read."""


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
