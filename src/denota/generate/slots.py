"""The slots of wordings and what stands in them.

- The column asked for: {asked} in the number of the question, {one} and {all} singular and plural,
  {doer} if it can have something, {named} if it names the row's subject, {person} and {who} for
  people, {how_many} if it counts, {how} `tall`, {asked_place}, {asked_participle}; {subject} is the
  subject of a row.
- Agreement with it: {is} {has} {does} {shares} {comes}; {be} is always singular.
- The column of a condition: {column} {a_column} {columns} {counted} {participle}, {kind_column} and
  the like for one kind of column only.
- Adjectives that call for the operator: {highest} {lowest} of the column, {tallest} {shortest} of
  the thing, {taller} {lower} comparing.
- In loose wording: {asks_price} and the like are empty and say that the column asked for is a price
  (`concepts.toml`), {of_price} that the condition's column is; {by_people} that rows are people.
  {before} stands before the noun (`female employees`), {state} says how a thing is, {feature} what
  it has.
- The answer before: {those} {their} {they} {are_they} {are_those}; of one row {its} {it}
  {that_one}; its noun {previous}, and {ones}.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from denota.generate.nouns import Noun
from denota.generate.profile import ColumnProfile
from denota.generate.scene import Scene
from denota.inflect import with_article


def agreement(plural: bool, past: bool) -> dict[str, str]:
    """Return the verbs in number and tense."""
    return _AGREEMENT[plural, past]


def asked_slots(scene: Scene, column: ColumnProfile, plural: bool) -> dict[str, str]:
    """Return the slots for one column asked for."""
    profile, naming = scene.profile, column.naming
    noun = pick_noun(scene, profile.asked_for(column))
    said = noun.many if plural else noun.one
    slots = {"asked": said, "one": noun.one, "all": noun.many}
    if naming.role not in ("quantity", "label"):
        slots["doer"] = said
    if column is profile.subject:
        slots["named"] = said
    if naming.role == "person":
        slots |= {"person": said, "person_all": noun.many, "who": "who"}
        if scene.loose and column is not profile.subject:
            del slots["who"]
    elif naming.role == "place":
        slots["asked_place"] = said
    if naming.counted:
        slots["how_many"] = scene.pick(naming.counted)
    if naming.participle:
        slots["asked_participle"] = naming.participle
    if naming.family is not None and "how" in naming.family.adjectives and not scene.plain:
        slots["how"] = scene.pick(naming.family.adjectives["how"])
    if naming.concept is not None and scene.loose:
        slots[f"asks_{naming.concept.name}"] = ""
    return slots | subject_slots(scene, plural)


def subject_slots(scene: Scene, plural: bool) -> dict[str, str]:
    """Return the slots for what a row is about, if the table says."""
    if not scene.profile.subject_nouns:
        return {}
    noun = pick_noun(scene, scene.profile.subject_nouns)
    slots = {"subject": noun.many if plural else noun.one, "subjects": noun.many}
    if scene.loose and scene.profile.of_people:
        slots["by_people"] = ""
    return slots


def called(scene: Scene, column: ColumnProfile, said: str) -> str:
    """Return what a row is called: a code mostly with the noun before it, `order A-17`."""
    if not column.naming.is_id or not scene.chance(0.75):
        return said
    return f"{scene.profile.subject_nouns[0].one} {said}"


def column_slots(scene: Scene, column: ColumnProfile, operator: str) -> dict[str, str]:
    """Return the slots for the column of a condition."""
    naming = column.naming
    noun = pick_noun(scene, naming.nouns)
    slots = {"column": noun.one, "a_column": with_article(noun.one), "columns": noun.many}
    if naming.counted:
        slots["counted"] = scene.pick(naming.counted)
    if naming.participle:
        slots["participle"] = naming.participle
    if naming.concept is not None and scene.loose:
        slots[f"of_{naming.concept.name}"] = ""
    if scene.loose and scene.profile.of_people:
        slots["by_people"] = ""
    if naming.role in ("kind", "person", "quantity"):
        slots[f"{naming.role}_column"] = noun.one
    if naming.family is not None:
        lone = scene.profile.families[naming.family.name] == 1
        for slot in _ADJECTIVES.get(operator, ()):
            words = naming.family.fitting(slot, _BY_NUMBER.get(operator, operator))
            words = tuple(word for word in words if word not in noun.one.split())
            if operator in _BY_NUMBER:
                words = tuple(word for word in words if word not in ("first", "last"))
            if scene.loose and "by_people" in slots and naming.family.name == "time":
                words = words if slot in ("highest", "lowest") else ()
            if words and (slot in ("highest", "lowest") or (lone and not scene.plain)):
                slots[slot] = scene.pick(words)
        if operator == "top" and naming.family.name not in _BETTER_LOW:
            slots["top"] = "top"
    return slots


def previous_slots(scene: Scene, columns: tuple[ColumnProfile, ...], rows: int) -> dict[str, str]:
    """Return the slots for speaking of the answer before."""
    slots, named = {"ones_all": "ones"}, ""
    if len(columns) == 1 and columns[0].naming.role not in ("quantity", "label"):
        noun = pick_noun(scene, scene.profile.asked_for(columns[0]))
        slots |= {"previous": noun.many, "previous_one": noun.one, "all": noun.many}
        named = f" {noun.many}" if rows > 1 else f" {noun.one}"
    people = _are_people(columns)
    they = rows > 1 or people or _are_people((scene.profile.subject,))
    slots |= {"their": "their", "they": "they"} if they else {"their": "its", "they": "it"}
    if rows > 1:
        slots["them"] = scene.pick(("them", "these", "those"))
        slots["those"] = scene.pick(
            (slots["them"], slots["them"], f"those{named}", f"these{named}")
        )
    else:
        slots["those"] = scene.pick(("that one", "this one", f"that{named or ' one'}"))
        slots |= {
            "that_one": slots["those"],
            "its": slots["their"],
            "it": "that one" if they else "it",
        }
    now, then = agreement(they, scene.past)["is"], agreement(they, True)["is"]
    slots |= {"are_they": f"{now} {slots['they']}", "were_they": f"{then} {slots['they']}"}
    slots["are_those"] = (
        f"{agreement(rows > 1, scene.past)['is']} {'those' if rows > 1 else 'that'}"
    )
    if people:
        slots |= {
            "who": "who",
            "who_others": "others",
            "next_person": "next",
            "person_before": "before that",
        }
    return slots


def _are_people(columns: tuple[ColumnProfile | None, ...]) -> bool:
    return len(columns) == 1 and columns[0] is not None and columns[0].naming.role == "person"


def pick_noun(scene: Scene, nouns: tuple[Noun, ...]) -> Noun:
    """Draw a noun, the one nearest to the column's own name more often than all others together."""
    near = 1 - scene.loose if scene.loose else 0.6
    return nouns[0] if len(nouns) == 1 or scene.chance(near) else scene.pick(nouns)


_OTHER_VERBS: Final = (
    *(("works", "work", "worked"), ("lives", "live", "lived"), ("costs", "cost", "cost")),
    *(("earns", "earn", "earned"), ("makes", "make", "made"), ("weighs", "weigh", "weighed")),
    *(("sells", "sell", "sold"), ("takes", "take", "took"), ("joins", "join", "joined")),
    *(("gets", "get", "got"), ("brings", "bring", "brought"), ("holds", "hold", "held")),
    *(("starts", "start", "started"), ("ends", "end", "ended"), ("goes", "go", "went")),
    *(("reports", "report", "reported"), ("uses", "use", "used"), ("draws", "draw", "drew")),
    *(("lasts", "last", "lasted"), ("stays", "stay", "stayed"), ("spends", "spend", "spent")),
)
"""Verbs of loose wordings: singular, plural, past."""


@lru_cache(maxsize=1)
def _verbs() -> dict[tuple[bool, bool], dict[str, str]]:
    forms = {
        "is": ("is", "are", "was", "were"),
        "has": ("has", "have", "had", "had"),
        "does": ("does", "do", "did", "did"),
        "shares": ("shares", "share", "shared", "shared"),
        "comes": ("comes", "come", "came", "came"),
        "be": ("is", "is", "was", "was"),
        "be_many": ("are", "are", "were", "were"),
        "is_key": ("is", "is", "was", "was"),
        "does_key": ("does", "does", "did", "did"),
    } | {one: (one, many, past, past) for one, many, past in _OTHER_VERBS}
    return {
        (plural, past): {verb: words[plural + 2 * past] for verb, words in forms.items()}
        for plural in (False, True)
        for past in (False, True)
    }


_AGREEMENT: Final = _verbs()
_HIGH: Final = ("highest", "tallest")
_LOW: Final = ("lowest", "shortest")
_ADJECTIVES: Final = {
    **dict.fromkeys(("max", "max_ties", "top", "kth_max"), _HIGH),
    **dict.fromkeys(("min", "min_ties", "bottom", "kth_min"), _LOW),
    **{"greater": ("taller",), "less": ("lower",)},
}
_BY_NUMBER: Final = {"kth_max": "max", "kth_min": "min"}
"""Operators called for by their number, so that any adjective of the plain superlative will do."""
_BETTER_LOW: Final = ("rank", "clock", "hour", "birth")
"""Families in which the top is the smallest."""
