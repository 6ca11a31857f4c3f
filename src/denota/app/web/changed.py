"""Which answers of a conversation a lesson would change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from denota.conversation.chat import Chat
from denota.conversation.turn import Turn

LOOKED: Final = 10
"""Answers that are looked at, the last."""


def changed_answers(chat: Chat, before: Sequence[Turn]) -> list[tuple[int, Turn]]:
    """Return the turns that would be answered otherwise if they were asked now, with their places.

    Args:
        chat: the conversation, with a teacher that has learnt something new; it is used up.
        before: its first turns, as they are.
    """
    last = len(before)
    taught, afresh = chat.taught, chat.afresh
    while len(chat.turns) > last:
        chat.undo()
    found = []
    for place in reversed(range(max(0, last - LOOKED), last)):
        chat.undo()
        old = before[place]
        if taught[place] or not old.program:
            continue
        new = chat.ask(old.question, "table" if afresh[place] else "auto")
        if (new.cells, new.values) != (old.cells, old.values):
            found.append((place, new))
        chat.undo()
    return found[::-1]
