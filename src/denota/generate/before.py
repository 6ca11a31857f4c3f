"""Conditions said before the noun: `female employees`, `2019 orders`, `high priority tickets`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from denota.generate.scene import Drawn, Scene
from denota.inflect import with_article
from denota.programs.tree import Test


def put_before(scene: Scene, drawn: Drawn | None) -> tuple[str, Drawn | None]:
    """Return what to say before the noun, or nothing, and the condition that is left to say."""
    if drawn is None or drawn.then is not None or not scene.loose or not scene.chance(scene.loose):
        return "", drawn
    if _fits(scene, drawn):
        return drawn.slots["before"], None
    if drawn.operator not in ("and", "three"):
        return "", drawn
    for place, part in enumerate(drawn.parts):
        if _fits(scene, part):
            rest = (*drawn.parts[:place], *drawn.parts[place + 1 :])
            left = rest[0] if len(rest) == 1 else replace(drawn, operator="and", parts=rest)
            return part.slots["before"], left
    return "", drawn


def said_before(slots: Mapping[str, str], words: str, of_subject: bool) -> dict[str, str]:
    """Put words before the nouns for the row's subject, and leave out slots that have no noun.

    Args:
        slots: the slots of a frame.
        words: what to say before the nouns.
        of_subject: whether the column asked for is the subject too.
    """
    nouns = (*_SUBJECT, *(_ASKED if of_subject else ()))
    found = {
        slot: f"{words} {text}" if slot in nouns else text
        for slot, text in slots.items()
        if slot not in ("who", "a_thing")
    }
    if slots.get("some", "").startswith("any "):
        found["some"] = f"any {words} {slots['things']}"
    elif "some" in slots:
        found["some"] = with_article(f"{words} {slots['thing']}")
    if "a_thing" in slots:
        found["a_thing"] = with_article(f"{words} {slots['thing']}")
    return found


def _fits(scene: Scene, drawn: Drawn) -> bool:
    return (
        drawn.operator == "equal"
        and "before" in drawn.slots
        and isinstance(drawn.condition, Test)
        and drawn.column is not scene.profile.subject
    )


_SUBJECT = ("subject", "subjects", "thing", "things")
_ASKED = ("asked", "one", "all", "doer", "named", "person", "person_all")
