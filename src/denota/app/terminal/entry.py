"""Run the command line and end with its exit code; an error is one sentence on stderr.

Exit codes: 0 done, 1 could not do it, 2 wrong use, 130 stopped by Ctrl-C. `--debug` adds the
traceback.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import Final, NoReturn

import typer
from typer.exceptions import TyperException

from denota.app.terminal.text import visible
from denota.errors import DenotaError
from denota.extras import missing_package

INTERRUPTED: Final = 130
"""The exit code of a command that Ctrl-C stopped; typer returns it instead of raising."""


def run_and_exit(app: typer.Typer, arguments: Sequence[str]) -> NoReturn:
    """Run a command line with these arguments and exit with its code."""
    debug = "--debug" in arguments
    arguments = repeat_set([argument for argument in arguments if argument != "--debug"])
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal may lack a letter
    try:
        code = app(arguments, prog_name="denota", standalone_mode=False)
        if code == INTERRUPTED:
            _fail("stopped", debug, code=INTERRUPTED)
        sys.exit(code)
    except TyperException as error:  # wrong use; without any arguments the help is the message
        message = getattr(error, "format_message", error.__str__)().rstrip(".?")
        if message:
            _fail(f"{message}; see denota {_command(app, arguments)}--help", debug, code=2)
        sys.exit(2)
    except DenotaError as error:
        _fail(str(error), debug)
    except BrokenPipeError:  # the reader of our output went away
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (KeyboardInterrupt, typer.Abort):
        _fail("stopped", debug, code=INTERRUPTED)
    except MemoryError:
        _fail("there is not enough memory for this", debug)
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and (said := missing_package(error, "this")):
            _fail(str(said), debug)
        what = f"{type(error).__name__}: {error}".splitlines()[0]
        _fail(f"something went wrong inside denota ({what}); --debug shows where", debug)


def repeat_set(arguments: Sequence[str]) -> list[str]:
    """Repeat --set before each of several settings behind one.

    >>> repeat_set(["train", "x.toml", "--set", "seed=1", "train.batch=8", "--resume"])
    ['train', 'x.toml', '--set', 'seed=1', '--set', 'train.batch=8', '--resume']
    """
    found: list[str] = []
    setting = False
    for argument in arguments:
        more = setting and "=" in argument and not argument.startswith("-")
        if more and found[-1] != "--set":
            found.append("--set")
        found.append(argument)
        setting = argument == "--set" or more
    return found


def _fail(message: str, debug: bool, code: int = 1) -> NoReturn:
    if debug:
        import traceback

        traceback.print_exc()
    print(f"denota: {visible(message, 1000)}", file=sys.stderr)
    sys.exit(code)


def _command(app: typer.Typer, arguments: Sequence[str]) -> str:
    """Return the command that the arguments begin with, for the message of a wrong use."""
    names = {
        command.name or command.callback.__name__
        for command in app.registered_commands
        if command.callback
    }
    names |= {group.name for group in app.registered_groups if group.name}
    return f"{arguments[0]} " if arguments and arguments[0] in names else ""
