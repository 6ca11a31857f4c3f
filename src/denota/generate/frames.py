"""Frames of wordings filled with columns and conditions: the parts that questions are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from denota.generate.before import put_before, said_before
from denota.generate.profile import ColumnProfile
from denota.generate.scene import Drawn, Scene
from denota.generate.slots import agreement, asked_slots, subject_slots
from denota.generate.wordings import choose
from denota.programs.tree import Test

Phrase = tuple[str, tuple[str, ...]]
"""A question or a part of one, and the names of the wordings used."""
Columns = tuple[ColumnProfile, ...]
Slots = Mapping[str, str]


class Part(NamedTuple):
    """A condition that goes into a slot of a frame."""

    drawn: Drawn | None
    """None where words before the noun say it."""
    forms: tuple[str, ...]
    """The forms it may be said in."""
    plural: bool


def framed(
    scene: Scene,
    section: str,
    form: str,
    slots: Slots,
    plural: bool = False,
    parts: Mapping[str, Part] | None = None,
) -> Phrase | None:
    """Fill a frame of a section with conditions, each under the name of its slot."""
    parts = dict(parts or {})
    words = ""
    if "modifier" in parts and "things" in slots:
        words, left = put_before(scene, parts["modifier"].drawn)
        if words:
            slots = said_before(slots, words, False)
            parts["modifier"] = parts["modifier"]._replace(drawn=left)
    filled = {**slots, **agreement(plural, scene.past), **dict.fromkeys(parts, "")}
    chosen = choose(scene.rng, section, (form,), filled, scene.held_out, scene.loose)
    if chosen is None or not chosen.slots >= parts.keys():
        return None
    names = [chosen.name]
    for slot, part in parts.items():
        if part.drawn is None:
            continue
        said = _condition(scene, part.drawn, part.forms, part.plural)
        if said is None:
            return None
        filled[slot] = said[0]
        names += said[1]
    text = chosen.fill(filled)
    return (text, tuple(names)) if words in text else None


def frame(
    scene: Scene,
    section: str,
    form: str,
    slots: Slots,
    plural: bool,
    drawn: Drawn | None = None,
    forms: Sequence[str] = (),
    they_are_many: bool | None = None,
) -> Phrase | None:
    """Fill a frame of a section with a condition in one of some forms, by default the frame's."""
    filled = {**slots, **agreement(plural, scene.past)}
    if they_are_many is not None:
        filled["does"] = agreement(they_are_many, scene.past)["does"]
    if drawn is None:
        return say(scene, section, (form,), filled)
    slot = "predicate" if form == "predicate" or forms == ("predicate",) else "modifier"
    known = {**filled, slot: ""}
    chosen = choose(scene.rng, section, (form,), known, scene.held_out, scene.loose)
    if chosen is None or slot not in chosen.slots:
        return None
    plural = plural and ("who" not in chosen.slots or drawn.operator.endswith("_ties"))
    said = _condition(scene, drawn, forms or FORMS[form], plural)
    return said and (chosen.fill({**filled, slot: said[0]}), (chosen.name, *said[1]))


def _condition(scene: Scene, drawn: Drawn, forms: Sequence[str], plural: bool) -> Phrase | None:
    """Say a condition in one of some forms."""
    if drawn.parts:
        return _joined(scene, drawn, forms, plural)
    prefix = "between_" if drawn.forms[0].startswith("between_") else ""
    allowed = [f"{prefix}{form}" for form in forms if f"{prefix}{form}" in drawn.forms]
    return say(
        scene, drawn.operator, allowed, {**drawn.slots, **agreement(plural, scene.past)}, drawn
    )


def _joined(scene: Scene, drawn: Drawn, forms: Sequence[str], plural: bool) -> Phrase | None:
    fitting = [form for form in forms if form in drawn.forms]
    form = fitting[0] if scene.loose else scene.pick(fitting)
    said = [_condition(scene, part, (form,), plural) for part in drawn.parts]
    texts = [one[0] for one in said if one is not None]
    if len(texts) < len(said):
        return None
    slots = dict(zip(("first", "second", "third"), texts, strict=False))
    names = tuple(name for one in said if one is not None for name in one[1])
    return with_names(say(scene, drawn.operator, (form,), slots), names)


def say(
    scene: Scene, operator: str, forms: Sequence[str], slots: Slots, drawn: Drawn | None = None
) -> Phrase | None:
    """Say an operator in a wording of one of some forms."""
    wording = choose(scene.rng, operator, forms, slots, scene.held_out, scene.loose)
    if wording is None:
        return None
    return wording.fill(slots), (wording.name, *(drawn.wordings if drawn else ()))


def asked_columns(
    scene: Scene, columns: Columns, plural: bool
) -> tuple[dict[str, str], tuple[str, ...]] | None:
    """The slots for the columns asked for, and the name of the wording that joins several."""
    if len(columns) == 1:
        return asked_slots(scene, columns[0], plural), ()
    each = [asked_slots(scene, column, plural)["asked"] for column in columns[:3]]
    slots = dict(zip(("first", "second", "third"), each, strict=False))
    joined = say(scene, "several_columns", ("pair" if len(columns) == 2 else "triple",), slots)
    if joined is None:
        return None
    return {"asked": joined[0], "all": joined[0]} | subject_slots(scene, plural), joined[1]


def said_of(scene: Scene, drawn: Drawn, columns: Columns) -> Drawn:
    """Leave out adjectives of the row's subject (`tallest`) where another column is asked for."""
    if columns == (scene.profile.subject,):
        return drawn
    slots = {
        slot: text
        for slot, text in drawn.slots.items()
        if slot not in _OF_SUBJECT and not (columns and slot.startswith("of_"))
    }
    parts = tuple(said_of(scene, part, columns) for part in drawn.parts)
    return replace(drawn, slots=slots, parts=parts)


def can_do(scene: Scene, columns: Columns) -> bool:
    """Say whether what a column names can have something: teams and years can, amounts cannot."""
    if scene.loose and columns != (scene.profile.subject,) and not scene.chance(0.2):
        return False  # people ask what the row's subject has
    return len(columns) == 1 and columns[0].naming.role not in ("quantity", "label")


def is_plural(scene: Scene, drawn: Drawn) -> bool:
    """Say whether a condition is said of several rows."""
    if drawn.single or (
        drawn.column is scene.profile.subject and isinstance(drawn.condition, Test)
    ):
        return len(drawn.rows) > 1
    return len(drawn.rows) > 1 or scene.chance(0.25)


def with_names(phrase: Phrase | None, names: tuple[str, ...]) -> Phrase | None:
    """Add the names of wordings to those used."""
    return phrase and (phrase[0], (*phrase[1], *names))


def first_said(phrases: Iterable[Phrase | None]) -> Phrase | None:
    """Return the first phrase there is."""
    return next((phrase for phrase in phrases if phrase is not None), None)


FORMS: Final = {
    "predicate": ("predicate",),
    "modifier": ("modifier", "where"),
    "every": ("modifier",),
}
"""The forms of conditions that go into a frame."""
_OF_SUBJECT: Final = frozenset(["tallest", "shortest", "taller", "lower"])
