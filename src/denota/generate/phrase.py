"""Questions in words: a frame of the scope's wordings, filled with columns and conditions.

Each function returns the question, in lower case and with guards around its constants, and the
names of the wordings used; or None where no wording fits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from denota.generate.before import put_before, said_before
from denota.generate.profile import ColumnProfile
from denota.generate.scene import Drawn, Scene
from denota.generate.slots import agreement, asked_slots, previous_slots, subject_slots
from denota.generate.wordings import choose
from denota.programs.tree import Test

Phrase = tuple[str, tuple[str, ...]]
Columns = tuple[ColumnProfile, ...]
Slots = Mapping[str, str]


def fresh(
    scene: Scene, columns: Columns, drawn: Drawn | None, section: str = "table"
) -> Phrase | None:
    """Ask something that stands by itself."""
    plural = drawn is None or _is_plural(scene, drawn)
    asked = _asked(scene, columns, plural)
    if asked is None:
        return None
    slots, names = asked
    if drawn is None:
        return _with(_frame(scene, section, "alone", slots, plural), names)
    whole = drawn
    drawn = said_of(scene, drawn, columns)
    of_subject = columns == (scene.profile.subject,)
    words, left = put_before(scene, drawn)
    if words and (of_subject or left is None):
        found = _premodified(scene, columns, slots, words, left, section, plural)
        if found is not None:
            return _with(found, names)
    for way in _ways(scene, columns, drawn, section):
        if way == "question":
            found = _say(
                scene, drawn.operator, ("question",), _for_whole(scene, drawn, slots, plural), drawn
            )
        elif way == "predicate":
            found = _frame(scene, section, way, slots, plural, drawn)
        else:
            extended, forms = _with_subject(scene, columns, slots, drawn)
            said = whole if scene.loose and extended is not slots else drawn
            found = _frame(scene, section, way, extended, plural, said, forms)
        if found is not None:
            return _with(found, names)
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
        found = _first(_frame(scene, section, way, slots, plural, left) for way in ways)
    elif of_subject:
        found = _frame(scene, section, "alone", slots, True)
    else:
        whole = f"of the {slots['subject']}"
        slots = {**slots, **agreement(plural, scene.past), "modifier": whole}
        found = _say(scene, section, ("modifier",), slots)
    return found if found is not None and words in found[0] else None


def everything(scene: Scene, drawn: Drawn) -> Phrase | None:
    """Ask for all columns of some rows."""
    plural = _is_plural(scene, drawn)
    return _frame(scene, "several_columns", "every", subject_slots(scene, plural), plural, drawn)


def shortened(scene: Scene, drawn: Drawn) -> Phrase | None:
    """Ask again what was just asked, with another constant, in a few words."""
    slots = {**drawn.slots, **agreement(False, scene.past)}
    return _say(scene, drawn.operator, ("ellipsis",), slots, drawn)


def narrowed(
    scene: Scene, drawn: Drawn, before: Columns, rows: int, section: str = "previous"
) -> Phrase | None:
    """Ask for some of the answer before, or for some of the others."""
    plural, drawn = _is_plural(scene, drawn), said_of(scene, drawn, before)
    slots = previous_slots(scene, before, rows) | {"ones": "ones" if plural else "one"}
    if "previous" in slots:
        slots["asked"] = slots["previous"] = slots["all"] if plural else slots["previous_one"]
    if drawn.operator == "distinct":
        return _say(
            scene,
            "distinct",
            ("follow",),
            {**slots, **drawn.slots, **agreement(True, scene.past)},
            drawn,
        )
    ways = ["predicate", "predicate", "modifier"]
    scene.rng.shuffle(ways)
    return _first(_frame(scene, section, way, slots, plural, drawn) for way in ways)


def other_column(
    scene: Scene, section: str, columns: Columns, drawn: Drawn | None, before: Columns, rows: int
) -> Phrase | None:
    """Ask for another column of the rows before, of the others, or of the row beside."""
    drawn = said_of(scene, drawn, before) if drawn else None
    plural = rows > 1 if drawn is None else _is_plural(scene, drawn)
    asked = _asked(scene, columns, plural)
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
    return _with(
        _frame(scene, section, form, slots, plural, drawn, ("modifier",), they_are_many), asked[1]
    )


def bare(scene: Scene, section: str, before: Columns, rows: int) -> Phrase | None:
    """Ask what needs only the answer before: the others, the next one, the same again."""
    return _frame(scene, section, "alone", previous_slots(scene, before, rows), rows > 1)


def computed(
    scene: Scene, name: str, columns: Columns, drawn: Drawn | None, before: Columns, rows: int
) -> Phrase | None:
    """Ask for a value computed from cells, of the answer before if that has columns."""
    asked = _asked(scene, columns, True)
    if asked is None:
        return None
    if before:
        slots = asked[0] | previous_slots(scene, before, rows)
        return _frame(scene, name, "follow", slots, True, drawn, ("predicate",))
    if drawn is None:
        return _frame(scene, name, "alone", asked[0], True)
    words, left = put_before(scene, drawn)
    ways = ["predicate", "modifier"]
    scene.rng.shuffle(ways)
    if words:
        found = _computed_of(scene, name, columns, asked[0], words, left, ways)
        if found is not None:
            return found
    return _first(_frame(scene, name, way, asked[0], True, drawn) for way in ways)


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
        found = _first(_frame(scene, name, way, slots, True, left) for way in ways)
    elif of_subject:
        found = _frame(scene, name, "alone", slots, True)
    else:
        bare = {**slots, **agreement(True, scene.past), "modifier": ""}
        found = _say(scene, name, ("modifier",), bare)
    return found if found is not None and words in found[0] else None


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
    left: Drawn | None = None
    if "modifier" in parts and "things" in slots:
        words, left = put_before(scene, parts["modifier"].drawn)
        if words:
            slots = said_before(slots, words, False)
            parts["modifier"] = parts["modifier"]._replace(drawn=left)
    filled = {**slots, **agreement(plural, scene.past), **dict.fromkeys(parts, "")}
    frame = choose(scene.rng, section, (form,), filled, scene.held_out, scene.loose)
    if frame is None or not frame.slots >= parts.keys():
        return None
    names = [frame.name]
    for slot, part in parts.items():
        if part.drawn is None:
            continue
        said = _condition(scene, part.drawn, part.forms, part.plural)
        if said is None:
            return None
        filled[slot] = said[0]
        names += said[1]
    return frame.fill(filled), tuple(names)


def _ways(scene: Scene, columns: Columns, drawn: Drawn, section: str) -> list[str]:
    """The ways to ask with a condition, in the order in which to try them."""
    by_name = drawn.operator == "equal" and drawn.column is scene.profile.subject
    ways = ["modifier", *(["predicate"] if _can_do(columns) and not by_name else [])]
    if section == "table" and "question" in drawn.forms and (len(columns) == 1 or by_name):
        ways.append("question")
    scene.rng.shuffle(ways)
    if "question" in ways and drawn.operator in _WHOLE and scene.chance(0.7):
        ways.insert(0, "question")
    return ways


def _frame(
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
        return _say(scene, section, (form,), filled)
    slot = "predicate" if form == "predicate" or forms == ("predicate",) else "modifier"
    known = {**filled, slot: ""}
    frame = choose(scene.rng, section, (form,), known, scene.held_out, scene.loose)
    if frame is None or slot not in frame.slots:
        return None
    plural = plural and ("who" not in frame.slots or drawn.operator.endswith("_ties"))
    said = _condition(scene, drawn, forms or _FORMS[form], plural)
    return said and (frame.fill({**filled, slot: said[0]}), (frame.name, *said[1]))


def _condition(scene: Scene, drawn: Drawn, forms: Sequence[str], plural: bool) -> Phrase | None:
    """Say a condition in one of some forms."""
    if drawn.parts:
        return _joined(scene, drawn, forms, plural)
    prefix = "between_" if drawn.forms[0].startswith("between_") else ""
    allowed = [f"{prefix}{form}" for form in forms if f"{prefix}{form}" in drawn.forms]
    return _say(
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
    return _with(_say(scene, drawn.operator, (form,), slots), names)


def _say(
    scene: Scene, operator: str, forms: Sequence[str], slots: Slots, drawn: Drawn | None = None
) -> Phrase | None:
    wording = choose(scene.rng, operator, forms, slots, scene.held_out, scene.loose)
    if wording is None:
        return None
    return wording.fill(slots), (wording.name, *(drawn.wordings if drawn else ()))


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


def _asked(
    scene: Scene, columns: Columns, plural: bool
) -> tuple[dict[str, str], tuple[str, ...]] | None:
    """The slots for the columns asked for, and the name of the wording that joins several."""
    if len(columns) == 1:
        return asked_slots(scene, columns[0], plural), ()
    each = [asked_slots(scene, column, plural)["asked"] for column in columns[:3]]
    slots = dict(zip(("first", "second", "third"), each, strict=False))
    joined = _say(scene, "several_columns", ("pair" if len(columns) == 2 else "triple",), slots)
    if joined is None:
        return None
    return {"asked": joined[0], "all": joined[0]} | subject_slots(scene, plural), joined[1]


def _with_subject(
    scene: Scene, columns: Columns, slots: Slots, drawn: Drawn
) -> tuple[Slots, tuple[str, ...]]:
    """Say of what the columns asked for are, where a condition could not be meant of them.

    And the forms the condition may have.
    """
    profile = scene.profile
    if drawn.column is profile.subject and drawn.operator == "equal":
        return slots, ("where", "when")
    if profile.subject in columns or (_can_do(columns) and scene.chance(0.5)):
        return slots, _FORMS["modifier"]
    if profile.subject is None:
        return slots, _FORMS["modifier"] if _can_do(columns) else ("where", "when")
    extended = {**slots, "asked": f"{slots['asked']} of the {slots['subject']}"}
    extended.pop("person", None)
    return extended, ("modifier",)


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


def _can_do(columns: Columns) -> bool:
    """Say whether what a column names can have something: teams and years can, amounts cannot."""
    return len(columns) == 1 and columns[0].naming.role not in ("quantity", "label")


def _is_plural(scene: Scene, drawn: Drawn) -> bool:
    if drawn.single or (
        drawn.column is scene.profile.subject and isinstance(drawn.condition, Test)
    ):
        return len(drawn.rows) > 1
    return len(drawn.rows) > 1 or scene.chance(0.25)


def _with(phrase: Phrase | None, names: tuple[str, ...]) -> Phrase | None:
    return phrase and (phrase[0], (*phrase[1], *names))


def _first(phrases: Iterable[Phrase | None]) -> Phrase | None:
    return next((phrase for phrase in phrases if phrase is not None), None)


_FORMS: Final = {
    "predicate": ("predicate",),
    "modifier": ("modifier", "where"),
    "every": ("modifier",),
}
"""The forms of conditions that go into a frame."""
_OF_SUBJECT: Final = frozenset(["tallest", "shortest", "taller", "lower"])
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
