"""Data frames that can be asked: `df.denota.ask("...")` of pandas and of polars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from denota.app.api import TableParser
    from denota.conversation.chat import Chat
    from denota.conversation.turn import Turn


class FrameQuestions:
    """Questions about a data frame, which is read anew for each conversation."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def ask(self, *questions: str, parser: TableParser | None = None) -> Turn:
        """Answer questions as one conversation and return the last turn.

        Args:
            questions: in plain English.
            parser: what answers, if not the default model.
        """
        return parser_or_default(parser).ask(self._frame, *questions)

    def chat(self, parser: TableParser | None = None) -> Chat:
        """Begin a conversation.

        Args:
            parser: what answers, if not the default model.
        """
        return parser_or_default(parser).chat(self._frame)


def register_pandas(pandas: Any) -> None:
    """Give `.denota` to the frames of pandas."""
    if hasattr(pandas, "DataFrame") and "denota" not in vars(pandas.DataFrame):
        pandas.api.extensions.register_dataframe_accessor("denota")(FrameQuestions)


def register_polars(polars: Any) -> None:
    """Give `.denota` to the frames of polars."""
    if hasattr(polars, "DataFrame") and "denota" not in vars(polars.DataFrame):
        polars.api.register_dataframe_namespace("denota")(FrameQuestions)


def parser_or_default(given: TableParser | None = None) -> TableParser:
    """Return a parser, the one in the package if none is given."""
    from denota.app.api import default_parser  # numpy and all takes a while to import

    return given if given is not None else default_parser()
