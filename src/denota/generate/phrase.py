"""Questions in words: a frame of the scope's wordings, filled with columns and conditions.

Each function returns the question, in lower case and with guards around its constants, and the
names of the wordings used; or None where no wording fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from denota.generate.before import put_before, said_before
from denota.generate.frames import (
    FORMS,
    Columns,
    Phrase,
    Slots,
    asked_columns,
    can_do,
    first_said,
    frame,
    is_plural,
    said_of,
    say,
    with_names,
)
from denota.generate.scene import Drawn, Scene
from denota.generate.slots import agreement, previous_slots, subject_slots
from denota.programs.tree import Test


def fresh(
    scene: Scene, columns: Columns, drawn: Drawn | None, section: str = "table"
) -> Phrase | None:
    """Ask something that stands by itself."""
    plural = drawn is None or is_plural(scene, drawn)
    asked = asked_columns(scene, columns, plural)
    if asked is None:
        return None
    slots, names = asked
    if drawn is None:
        return with_names(frame(scene, section, "alone", slots, plural), names)
    whole = drawn
    drawn = said_of(scene, drawn, columns)
    of_subject = columns == (scene.profile.subject,)
    words, left = put_before(scene, drawn)
    if words and (of_subject or left is None):
        found = _premodified(scene, columns, slots, words, left, section, plural)
        if found is not None:
            return with_names(found, names)
    for way in _ways(scene, columns, drawn, section):
        if way == "question":
            found = say(
                scene, drawn.operator, ("question",), _for_whole(scene, drawn, slots, plural), drawn
            )
        elif way == "predicate":
            found = frame(scene, section, way, slots, plural, drawn)
        else:
            extended, forms = _with_subject(scene, columns, slots, drawn)
            said = whole if scene.loose and extended is not slots else drawn
            found = frame(scene, section, way, extended, plural, said, forms)
        if found is not None:
            return with_names(found, names)
    return None


def _premodified(
    scene: Scene,
    columns: Columns,
    slots: Slots,
    words: str,
    left: Drawn | None,
    section: str,
    plural: bool,
) -> Phrase | None:
    """Ask with words before the noun, and the condition that is left if there is one."""
    of_subject = columns == (scene.profile.subject,)
    if "subject" not in slots and not of_subject:
        return None
    slots = said_before(slots, words, of_subject)
    if left is not None:
        ways = ("predicate", "modifier")
        found = first_said(frame(scene, section, way, slots, plural, left) for way in ways)
    elif of_subject:
        found = frame(scene, section, "alone", slots, True)
    else:
        whole = f"of the {slots['subject']}"
        slots = {**slots, **agreement(plural, scene.past), "modifier": whole}
        found = say(scene, section, ("modifier",), slots)
    return found if found is not None and words in found[0] else None


def everything(scene: Scene, drawn: Drawn) -> Phrase | None:
    """Ask for all columns of some rows."""
    plural = is_plural(scene, drawn)
    return frame(scene, "several_columns", "every", subject_slots(scene, plural), plural, drawn)


def shortened(scene: Scene, drawn: Drawn) -> Phrase | None:
    """Ask again what was just asked, with another constant, in a few words."""
    slots = {**drawn.slots, **agreement(False, scene.past)}
    return say(scene, drawn.operator, ("ellipsis",), slots, drawn)


def narrowed(
    scene: Scene, drawn: Drawn, before: Columns, rows: int, section: str = "previous"
) -> Phrase | None:
    """Ask for some of the answer before, or for some of the others."""
    plural, drawn = is_plural(scene, drawn), said_of(scene, drawn, before)
    slots = previous_slots(scene, before, rows) | {"ones": "ones" if plural else "one"}
    if "previous" in slots:
        slots["asked"] = slots["previous"] = slots["all"] if plural else slots["previous_one"]
    if drawn.operator == "distinct":
        return say(
            scene,
            "distinct",
            ("follow",),
            {**slots, **drawn.slots, **agreement(True, scene.past)},
            drawn,
        )
    ways = ["predicate", "predicate", "modifier"]
    scene.rng.shuffle(ways)
    return first_said(frame(scene, section, way, slots, plural, drawn) for way in ways)


def other_column(
    scene: Scene, section: str, columns: Columns, drawn: Drawn | None, before: Columns, rows: int
) -> Phrase | None:
    """Ask for another column of the rows before, of the others, or of the row beside."""
    drawn = said_of(scene, drawn, before) if drawn else None
    plural = rows > 1 if drawn is None else is_plural(scene, drawn)
    asked = asked_columns(scene, columns, plural)
    if asked is None:
        return None
    follow = previous_slots(scene, before, rows)
    for slot in ("who", "previous", "all"):
        follow.pop(slot, None)
    slots = asked[0] | follow | {"ones": "ones" if plural else "one"}
    if section in ("columns_of_previous", "cell"):
        form = "modifier" if drawn else "named" if "named" in slots else "alone"
    else:
        form = "asked"
    they_are_many = slots["they"] == "they"
    return with_names(
        frame(scene, section, form, slots, plural, drawn, ("modifier",), they_are_many), asked[1]
    )


def bare(scene: Scene, section: str, before: Columns, rows: int) -> Phrase | None:
    """Ask what needs only the answer before: the others, the next one, the same again."""
    return frame(scene, section, "alone", previous_slots(scene, before, rows), rows > 1)


def computed(
    scene: Scene, name: str, columns: Columns, drawn: Drawn | None, before: Columns, rows: int
) -> Phrase | None:
    """Ask for a value computed from cells, of the answer before if that has columns."""
    asked = asked_columns(scene, columns, True)
    if asked is None:
        return None
    if before:
        slots = asked[0] | previous_slots(scene, before, rows)
        return frame(scene, name, "follow", slots, True, drawn, ("predicate",))
    if drawn is None:
        return frame(scene, name, "alone", asked[0], True)
    words, left = put_before(scene, drawn)
    ways = ["predicate", "modifier"]
    scene.rng.shuffle(ways)
    if words:
        found = _computed_of(scene, name, columns, asked[0], words, left, ways)
        if found is not None:
            return found
    return first_said(frame(scene, name, way, asked[0], True, drawn) for way in ways)


def _computed_of(
    scene: Scene,
    name: str,
    columns: Columns,
    slots: Slots,
    words: str,
    left: Drawn | None,
    ways: Sequence[str],
) -> Phrase | None:
    """Ask for a value of the rows that words before the noun tell, and a condition if one is left.

    Without one, a frame of conditions says just `of the female employees`.
    """
    of_subject = columns == (scene.profile.subject,)
    slots = said_before(slots, words, of_subject)
    if left is not None:
        found = first_said(frame(scene, name, way, slots, True, left) for way in ways)
    elif of_subject:
        found = frame(scene, name, "alone", slots, True)
    else:
        bare = {**slots, **agreement(True, scene.past), "modifier": ""}
        found = say(scene, name, ("modifier",), bare)
    return found if found is not None and words in found[0] else None


def _ways(scene: Scene, columns: Columns, drawn: Drawn, section: str) -> list[str]:
    """The ways to ask with a condition, in the order in which to try them."""
    by_name = drawn.operator == "equal" and drawn.column is scene.profile.subject
    ways = ["modifier", *(["predicate"] if can_do(scene, columns) and not by_name else [])]
    if section == "table" and "question" in drawn.forms and (len(columns) == 1 or by_name):
        ways.append("question")
    scene.rng.shuffle(ways)
    if "question" in ways and drawn.operator in _WHOLE and scene.chance(0.7):
        ways.insert(0, "question")
    return ways


def _for_whole(scene: Scene, drawn: Drawn, asked: Slots, plural: bool) -> dict[str, str]:
    """The slots of a condition's own whole question.

    {person} and the like are there what is asked for.
    """
    slots = {**drawn.slots, **agreement(plural, scene.past)}
    slots.pop("person", None)
    if "key" in slots and not isinstance(drawn.condition, Test):
        many = agreement(True, scene.past)
        slots |= {"is_key": many["is"], "does_key": many["does"]}
    return {**asked, **slots}


def _with_subject(
    scene: Scene, columns: Columns, slots: Slots, drawn: Drawn
) -> tuple[Slots, tuple[str, ...]]:
    """Say of what the columns asked for are, where a condition could not be meant of them.

    And the forms the condition may have.
    """
    profile = scene.profile
    if drawn.column is profile.subject and drawn.operator == "equal":
        return slots, ("where", "when")
    if profile.subject in columns or (can_do(scene, columns) and scene.chance(0.5)):
        return slots, FORMS["modifier"]
    if profile.subject is None:
        return slots, FORMS["modifier"] if can_do(scene, columns) else ("where", "when")
    if scene.loose and slots["asked"] == slots["subject"]:
        return slots, ("where", "when")
    extended = {**slots, "asked": f"{slots['asked']} of the {slots['subject']}"}
    extended.pop("person", None)
    return extended, ("modifier",)


_WHOLE: Final = frozenset(
    [
        "equal",
        "top",
        "bottom",
        "first",
        "last",
        "first_k",
        "last_k",
        "distinct",
        "kth_max",
        "kth_min",
    ]
)
"""Operators that are mostly asked for by a whole question of their own."""
