"""Questions answered by yes or no, and questions that nothing in the table answers."""

from __future__ import annotations

from denota.generate import frames, phrase
from denota.generate.asking import Asked, columns_to_ask
from denota.generate.begin import leaves_totals_out, whole_table
from denota.generate.draw import draw_condition, draw_filter, draw_nothing
from denota.generate.frames import Part
from denota.generate.named import ask_program, named_row, thing_slots
from denota.generate.scene import Drawn, Scene
from denota.programs.tree import And, Program, Test


def whether(scene: Scene) -> Asked | None:
    """Ask whether there is a row with something, or whether a named row has it."""
    if "exists" not in scene.language:
        return None
    if "and" in scene.language and "nothing_left" in scene.language and scene.chance(0.6):
        return _of_named(scene)
    scope, rows = whole_table(scene)
    nothing = "nothing_left" in scene.language and scene.chance(0.5)
    drawn = draw_nothing(scene, rows) if nothing else draw_filter(scene, rows, least=1)
    if drawn is None or not leaves_totals_out(scene, drawn):
        return None
    drawn = frames.said_of(scene, drawn, ())
    form, plural = scene.pick(("predicate", "modifier")), scene.chance(0.6)
    slots = thing_slots(scene)
    slots |= {"some": f"any {slots['things']}" if plural else slots["a_thing"]}
    parts = {form: Part(drawn, (form,), plural)}
    said = frames.framed(scene, "exists", form, slots, plural, parts)
    return ask_program(scene, Program((), scope, drawn.condition, "exists"), said, drawn)


def nothing_there(scene: Scene) -> Asked | None:
    """Ask for rows that there are none of, or how many there are."""
    scope, rows = whole_table(scene)
    columns = columns_to_ask(scene)[:1]
    if "nothing_left" not in scene.language or "and" not in scene.language:
        return None
    drawn = draw_nothing(scene, rows, columns)
    if drawn is None:
        return None
    subject = scene.profile.subject
    if subject is not None and "count" in scene.language and scene.chance(0.7):
        said = phrase.computed(scene, "count", (subject,), drawn, (), len(rows))
        return ask_program(scene, Program((), scope, drawn.condition, "count"), said, drawn)
    said = phrase.fresh(scene, columns, drawn)
    return ask_program(scene, Program((columns[0].name,), scope, drawn.condition), said, drawn)


def _of_named(scene: Scene) -> Asked | None:
    """Ask whether a named row satisfies a condition; as often as not it does not."""
    scope, rows = whole_table(scene)
    named, subject = named_row(scene, rows), scene.profile.subject
    if named is None or subject is None:
        return None
    wanted = scene.chance(0.5)
    for _ in range(3):
        drawn = draw_condition(scene, rows, (subject,), to_join=True)
        if drawn is not None and (named.row in drawn.rows) == wanted:
            return _is_it(scene, scope, drawn, named.test, named.said)
    return None


_OF_VALUE = ("column", "value", "state", "feature")


def _is_it(scene: Scene, scope: str, drawn: Drawn, test: Test, said: str) -> Asked | None:
    form = scene.pick(("named", "among"))
    part = "predicate" if form == "named" else "modifier"
    drawn = frames.said_of(scene, drawn, ())
    slots = {"key": said, **thing_slots(scene)}
    parts = {part: Part(drawn, (part,), plural=form == "among")}
    if drawn.operator == "equal" and scene.chance(0.4) and "column" in drawn.slots:
        slots |= {slot: drawn.slots[slot] for slot in _OF_VALUE if slot in drawn.slots}
        form, parts = "value", {}
    phrased = frames.framed(scene, "exists", form, slots, False, parts)
    if not isinstance(drawn.condition, Test):
        return None
    program = Program((), scope, And((test, drawn.condition)), "exists")
    return ask_program(scene, program, phrased, drawn)
