"""A question back: two readings that differ, and one key, click or call from either answer."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fastapi.testclient import TestClient
from rich.console import Console

from app.serving import serve_inline
from conversation.doubting import asking_back, declining, doubting
from denota.app.paths import load_run
from denota.app.terminal.repl import Repl
from denota.app.web.server import make_app
from denota.conversation.chat import Chat
from denota.conversation.html import turn_html, turn_text
from denota.conversation.turn import difference
from denota.model.parser import Parser
from denota.model.saved import save_parser
from denota.tables import read_table

if TYPE_CHECKING:
    from app.browser import Seen

EXPEDITIONS = Path(__file__).parents[2] / "examples/expeditions.csv"
QUESTION = "which leaders had a crew of more than 50?"
OF_THOSE = "of those, who had the largest crew?"


@pytest.fixture(scope="module")
def parser() -> Parser:
    return asking_back(load_run("default"))


@pytest.fixture
def chat(parser: Parser) -> Chat:
    return Chat(parser, read_table(EXPEDITIONS))


def test_its_two_readings_differ(chat: Chat) -> None:
    turn = chat.ask(QUESTION)
    assert turn.kind == "ask_back" and turn.asks_back and not turn.sure and not turn.declined
    first, second = turn.readings
    assert first.program == turn.program != second.program
    assert first.answer != second.answer and first.explanation != second.explanation
    assert first.differs or second.differs, "the difference in words"
    for one, other in ((first, second), (second, first)):
        assert one.differs in one.explanation
        assert one.differs == difference(one.explanation, other.explanation)
    assert turn.explanation.startswith("Did you mean ") and turn.explanation.endswith("?")
    told = turn.as_json()
    assert told["kind"] == "ask_back" and told["sure"] is False
    assert [one["program"] for one in told["readings"]] == [first.program, second.program]
    assert chat.readings(2)[1].turn.program == second.program, "the same are offered"


@pytest.mark.parametrize("place", [0, 1])
def test_either_is_one_call_away(chat: Chat, place: int) -> None:
    wanted = chat.ask(QUESTION).readings[place]
    turn = chat.choose(wanted.program)
    assert turn.kind == "cells" and turn.readings == ()
    assert (turn.program, turn.answer) == (wanted.program, wanted.answer)
    assert turn.sure and turn.confidence == 1, "a person says so"
    assert chat.turns == (turn,)


def test_what_goes_on_from_it_may_correct_it_first(chat: Chat) -> None:
    chat.ask(QUESTION)
    later = chat.ask(OF_THOSE)
    assert later.scope == "previous" and later.builds_on == 0
    assert later.confidence <= chat.turns[0].confidence
    second = chat.readings(2, 0)[1].turn.program
    corrected = chat.choose(second, 0)
    assert chat.turns == (corrected,), "what came after is dropped"
    assert chat.ask(OF_THOSE).builds_on is None, "now that is what was meant"


def test_a_parser_that_is_sure_asks_nothing_back() -> None:
    sure = Chat(doubting(load_run("default"), sure=0.4), read_table(EXPEDITIONS))
    turn = sure.ask(QUESTION)
    assert turn.kind == "cells" and turn.sure and turn.readings == ()
    assert sure.ask(OF_THOSE).builds_on is None


def test_what_the_table_does_not_say_is_declined_with_a_reason() -> None:
    chat = Chat(declining(load_run("default")), read_table(EXPEDITIONS))
    turn = chat.ask("which leaders won prizes?")
    assert turn.declined and turn.program == "" and turn.answer == ()
    assert "The table does not say: I find nothing about “prizes”" in turn.reason


def test_the_shape_of_the_first_reading_is_kept(chat: Chat) -> None:
    turn = chat.ask("how many expeditions had a crew of more than 50?")
    assert turn.asks_back and turn.shape == "value"
    assert replace(turn, kind="cells", values=()).shape == "cells"


def test_text_and_html_show_both(chat: Chat) -> None:
    turn = chat.ask(QUESTION)
    for shown in (turn_text(turn), turn_html(turn)):
        assert "Did you mean" in shown
        for one in turn.readings:
            assert all(text in shown for text in one.answer[:1])


@pytest.fixture
def say(chat: Chat) -> Callable[..., str]:
    """Give lines to a conversation in the terminal and return what it shows for the last."""
    out = io.StringIO()
    conversation = Repl(chat, Console(file=out, width=200), str(EXPEDITIONS))

    def lines(*given: str) -> str:
        for line in given:
            out.seek(0)
            out.truncate()
            conversation.take(line)
        return out.getvalue()

    return lines


def test_one_key_answers_it_in_the_terminal(say: Callable[..., str], chat: Chat) -> None:
    shown = say(QUESTION)
    assert "Did you mean" in shown and ":1" in shown and ":2" in shown
    assert "Not sure" not in shown and "(taken)" not in shown
    second = chat.turns[0].readings[1]
    assert f"[{second.answer[0]}]" in say("2")
    assert chat.turns[0].program == second.program


def test_the_terminal_corrects_the_earlier_answer_first(
    say: Callable[..., str], chat: Chat
) -> None:
    assert ":first corrects that first" in say(QUESTION, OF_THOSE)
    second = chat.turns[0].readings[1].program
    assert QUESTION in say(":first")
    say("2")
    assert [turn.question for turn in chat.turns] == [QUESTION, OF_THOSE], "it is asked again"
    assert chat.turns[0].program == second and chat.turns[1].builds_on is None
    assert "builds on none" in say(":first")


@pytest.fixture
def client(parser: Parser, tmp_path: Path) -> Iterator[TestClient]:
    service = serve_inline(parser, tmp_path)
    yield TestClient(make_app(service))
    service.close()


def test_one_call_answers_it_over_rest(client: TestClient) -> None:
    id_ = client.post("/v1/sessions", json={"sample": "castles"}).json()["id"]
    asked = {"question": "which castles are there?"}
    turn = client.post(f"/v1/sessions/{id_}/ask", json=asked).json()
    assert turn["kind"] == "ask_back" and len(turn["readings"]) == 2
    program = turn["readings"][1]["program"]
    chosen = client.post(f"/v1/sessions/{id_}/choose", json={"program": program}).json()
    assert (chosen["kind"], chosen["program"], chosen["sure"]) == ("cells", program, True)
    assert chosen["answer"] == turn["readings"][1]["answer"] and chosen["readings"] == []
    assert client.get(f"/v1/sessions/{id_}").json()["turns"] == [chosen]


@pytest.mark.slow
def test_an_assistant_asks_the_person(parser: Parser, tmp_path: Path) -> None:
    from app.assistant import connected

    (tmp_path / "run").mkdir()
    save_parser(tmp_path / "run" / "best.safetensors", parser)
    with connected(tmp_path, EXPEDITIONS, "--model", tmp_path / "run") as assistant:
        found = assistant("ask", table="expeditions", question=QUESTION)
        assert (found.data["status"], found.data["kind"]) == ("ask_back", "ask_back")
        assert found.text.startswith("It is not clear what is meant: ")
        first, second = found.data["readings"]
        assert first["answer"] != second["answer"]
        chosen = assistant("choose", table="expeditions", program=second["program"])
        assert (chosen.data["status"], chosen.data["answer"]) == ("sure", second["answer"])


def test_one_click_or_key_answers_it_on_the_page(seen: Seen) -> None:
    found: list[dict[str, Any]] = []

    def ask_back(turn: dict[str, Any]) -> None:
        found[:] = seen.get(f"{seen.id}/readings")[:2]
        readings = [
            {name: one[name] for name in ("explanation", "program", "answer")}
            | {"differs": "", "confidence": 0.4}
            for one in found
        ]
        turn.update(kind="ask_back", sure=False, explanation="Did you mean A, or B?")
        turn.update(readings=readings, builds_on=None)

    seen.change_answers(ask_back)
    seen.sample()
    for number, take in enumerate((lambda card: card.click(), None)):
        seen.ask("which castles are there?")
        cards = seen.page.locator(".ask-back .reading")
        assert cards.count() == 2 and "Did you mean" in seen.page.locator(".said").last.inner_text()
        assert "Did you mean" in seen.page.locator("#announce").inner_text()
        if take is not None:
            take(cards.nth(1))
        else:
            seen.page.keyboard.press("Alt+Digit2")
        seen.page.wait_for_function("() => !document.querySelector('.ask-back')")
        seen.settle()
        assert len(seen.session["turns"]) == number + 1
        assert seen.session["turns"][-1]["program"] == found[1]["program"]
