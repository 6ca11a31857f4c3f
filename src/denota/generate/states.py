"""Values said without their column: `active members`, `female`, `Norwegian`, `with breakfast`."""

from __future__ import annotations

from typing import Final

from denota.generate.concepts import YES, demonym, opposite, written_out
from denota.generate.profile import ColumnProfile
from denota.generate.scene import Scene, guard
from denota.inflect import with_article


def state_slots(scene: Scene, column: ColumnProfile, said: str) -> dict[str, str]:
    """Return the slots {before}, {state}, {feature}, {without} and {a_job}, where a value fits."""
    concept = column.naming.concept
    if column.is_yes_no:
        return _yes_no(column.naming.own.one, said.lower() in YES)
    if column.unit == "year" and scene.profile.times == 1 and len(said) == 4:
        return {"before": guard(said)}
    if column.kind != "text" or concept is None or len(said.split()) > 2 or not said[0].isalpha():
        return {}
    if concept.name == "country":
        told = demonym(said)
        return {"before": guard(told), "state": guard(told)} if told else {}
    value = guard(written_out(concept, said) or said.lower())
    if concept.name == "job":
        return {"a_job": f"{with_article(said.lower()).split()[0]} {value}"}
    if concept.scale:
        return {"before": f"{value} {column.naming.own.one}"}
    if concept.states:
        return {"before": value, "state": value}
    return {"before": guard(said)} if concept.name in _ADJUNCTS else {}


def _yes_no(name: str, yes: bool) -> dict[str, str]:
    """What a column of yes and no says: how a thing is, or what it has."""
    if name.split()[0].endswith(_LIKE_STATES) or name in _STATES:
        if yes:
            return {"before": name, "state": name}
        told = opposite(name)
        return {"before": told, "state": told} if told else {"state": f"not {name}"}
    if name.endswith(("er", "member")) and name != "newsletter":
        said = with_article(name)
        return {"state": said if yes else f"not {said}"}
    return {"feature": name} if yes else {"without": name}


_ADJUNCTS: Final = frozenset(["category", "department", "plan", "supplier", "channel"])
"""Concepts whose values may stand before a noun: `marketing employees`."""
_LIKE_STATES: Final = ("ed", "ive", "ous", "ile", "able", "ic", "al", "ian", "ory")
_STATES: Final = frozenset(
    """remote full-time paid sold seen read open online vegan gluten-free free new overdue
    recurring""".split()
) | {"sold out", "in stock", "open in winter", "in catalogue", "on time"}
