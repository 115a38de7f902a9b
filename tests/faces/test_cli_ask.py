"""`ask`, `sessions`, `kb` and `terms` on a real base: what people see, and what programs get."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.faces.shell import Here, Shell
from tests.faults.chat_servers import chatting, says
from tests.faults.disks import ReadOnly, mounted

from sourcebook import Answer, OnReadOnly, Sourcebook, Tier
from sourcebook.errors import BaseReadOnly
from sourcebook.faces.cli.terminal.answer_reasons import reasons
from sourcebook.faces.cli.terminal.answer_text import say_sources
from sourcebook.storage.sqlite import driver

PRUNING = "Everbearing raspberries fruit twice. Prune everbearing raspberries in late autumn."
SOIL = "Blueberries want sour soil. The pH of the soil for blueberries is between 4.0 and 5.0."
WATER = "Tomatoes are watered in the morning. Two litres of water for each tomato plant are enough."
QUESTION = "When do I prune everbearing raspberries?"
PH = "Which pH does the soil for blueberries need?"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    db = tmp_path / "data" / "knowledge_base.db"
    db.parent.mkdir()
    with Sourcebook(db) as book:
        book.add_text(PRUNING, id="pruning.md", title="Pruning")
        book.add_text(SOIL, id="soil.md", title="Soil")
        book.add_text(WATER, id="water.md", title="Water")
    return Here(tmp_path)


def change(shell: Shell, name: str, text: str | None) -> None:
    with Sourcebook(shell.folder / "data" / "knowledge_base.db") as book:
        if text is None:
            book.remove_document(name)
        else:
            book.add_text(text, id=name, title=name)


def chat_with(url: str) -> dict[str, str]:
    return {"SOURCEBOOK_CHAT_MODEL": "openai:berry", "SOURCEBOOK_CHAT_BASE_URL": f"{url}/v1"}


def test_an_answer_is_shown_with_its_source_once(shell: Shell) -> None:
    done = Shell(shell.folder).run("ask", QUESTION)
    assert done.returncode == 0
    assert "in late autumn. [1]" in done.stdout
    assert done.stdout.count("[1] Pruning · pruning.md") == 1
    assert done.stdout.count("Prune everbearing raspberries in late autumn.") == 1
    assert done.stderr.startswith("Session ")


def test_words_without_quotes_are_one_question_wherever_the_options_stand(shell: Shell) -> None:
    said = shell.json("ask", *QUESTION.split(), "--explain")
    assert said["question"] == QUESTION
    assert (
        shell.json("search", *QUESTION.split()[:2], "--top-k", "1", *QUESTION.split()[2:])["query"]
        == QUESTION
    )
    added = shell.json("kb", "add", "In", "late", "autumn.", "--question", QUESTION, "--category", "fruit")
    number = str(added["entry"]["id"])
    assert added["entry"]["answer"].startswith("In late autumn.")
    assert (
        shell.json("kb", "also", number, "When", "is", "pruning?")["wording"]["question"]
        == "When is pruning?"
    )
    assert (
        shell.json("sessions", "rename", said["session_id"], "About", "fruit")["session"]["title"]
        == "About fruit"
    )
    assert shell.json("terms", "add", "berry", "soft", "fruit")["term"]["preferred_phrase"] == "soft fruit"
    draft = str(shell.json("ask", "Who", "won", "the", "chess", "match?")["draft_id"])
    assert shell.json("moderate", "answer", draft, "Nobody", "did.")["draft"]["answer"] == "Nobody did."


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ("привет", "Здравствуйте! Задайте вопрос своими словами"),
        ("hello", "Hello! Ask me a question in your own words"),
        ("???", "What would you like to know?"),
    ],
)
def test_who_asks_nothing_is_answered_in_a_sentence(shell: Shell, message: str, reply: str) -> None:
    done = Shell(shell.folder).run("ask", message)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(reply)
    assert shell.json("ask", message, exit_code=2)["error"]["code"] == "nothing_asked"


def test_an_answer_for_programs_has_the_names_that_are_promised(shell: Shell) -> None:
    answer = shell.json("ask", QUESTION)
    assert {"question", "answer", "tier", "session_id", "citations"} <= set(answer)
    promised = {
        "text",
        "documentPath",
        "documentTitle",
        "chunkId",
        "page",
        "start",
        "end",
        "quote",
        "verified",
        "support",
    }
    assert all(promised <= set(citation) for citation in answer["citations"])
    assert answer["citations"][0]["text"] == "[Source: Pruning](pruning.md)"
    assert "details" not in answer
    assert shell.json("ask", QUESTION, "--explain")["details"]["searched"] == QUESTION


def test_what_is_not_in_the_base_is_declined_and_that_is_no_error(shell: Shell) -> None:
    done = shell.run("ask", "Which gearbox oil does a tractor need in autumn?")
    said, closest, excerpt = done.stdout.splitlines()
    assert (done.returncode, said) == (0, "I am not sure that the base answers this question.")
    assert closest.startswith("Closest, though it may not answer: ")
    assert excerpt.startswith("  ")
    assert "sourcebook moderate answer 1 ANSWER" in done.stderr
    assert "sourcebook calibrate" not in done.stderr
    assert shell.json("ask", "Which gearbox oil suits a tractor?")["tier"] == "none"
    shown = shell.run("moderate", "show", "1").stdout
    assert f"{closest.replace(', though it may not answer:', ': [1]')}\n{excerpt}\n" in shown


def test_a_question_that_was_decided_is_not_one_without_an_answer(shell: Shell) -> None:
    draft = str(shell.json("ask", "Which gearbox oil suits a tractor?")["draft_id"])
    assert shell.json("moderate", "approve", draft, exit_code=2)["error"]["code"] == "usage"
    shell.run("moderate", "reject", draft)
    error = shell.json("moderate", "approve", draft, exit_code=4)["error"]
    assert (error["code"], "was already rejected by" in error["message"]) == ("already_decided", True)


def test_what_came_closest_is_named_by_its_title(shell: Shell) -> None:
    with Sourcebook(shell.folder / "data" / "knowledge_base.db") as book:
        book.add_text("The bus leaves from the gate at nine.", id="mail/trip.eml", title="School trip")
    done = shell.run("ask", "What is the price of the bus?")
    assert "Closest: School trip · mail/trip.eml\n" in done.stdout


def test_an_explanation_tells_what_was_not_taken(shell: Shell) -> None:
    told = shell.run("ask", QUESTION, "--explain").stdout
    assert f"Searched for: {QUESTION}" in told
    assert "pruning.md: quoted, has all words of the question\n" in told
    assert "not close enough" in told


@pytest.mark.parametrize(("reason", "told"), [("number", "the numbers differ"), ("later", "later")])
def test_an_explanation_tells_in_what_a_curated_question_differs(reason: str, told: str) -> None:
    looked_at = {"id": 3, "distance": 0.1, "taken": False, "reason": reason}
    answer = Answer(QUESTION, "", Tier.NONE, details={"searched": QUESTION, "curated": [looked_at]})
    assert f"  curated answer 3: not taken: {told}\n" in reasons(answer)


def test_an_explanation_names_in_words_only_what_contributed_and_numbers_are_for_programs(
    shell: Shell,
) -> None:
    told = shell.run("ask", QUESTION, "--explain").stdout
    assert "  Enough to answer. Score " in told
    assert re.search(r"^    \+\d\.\d\d  Words of the question in the passage$", told, re.MULTILINE)
    assert "0.00  " not in told
    assert not re.search(r"closeness|similarity|\w_\w", told)
    details = shell.json("ask", QUESTION, "--explain")["details"]
    assert details["judgement"]["numbers"]["only_news"]["share"] == 0
    assert {"closeness", "similarity", "share"} <= set(details["passages"][0])


def test_what_a_model_writes_is_streamed_and_its_doubts_are_shown(shell: Shell) -> None:
    with chatting(
        says("Prune everbearing raspberries in late autumn [1]. ", "Use 12 knives [1]. Smile.")
    ) as server:
        done = shell.run("ask", QUESTION, **chat_with(server.url))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(
        "Prune everbearing raspberries in late autumn [1]. Use 12 knives [2]. Smile.\n"
    )
    assert done.stdout.count("[1] Pruning · pruning.md") == 1
    assert "Unverified: Use 12 knives [2]. (a number is not in the source" in done.stdout
    assert "Unverified: Smile. (it cites no source)" in done.stdout


@contextmanager
def only_readable() -> Generator[None]:
    """Every base that is opened meanwhile is on a disk that can only be read. Who runs the tests may write anywhere."""
    usual = apsw.vfs_names()[0]
    with mounted(ReadOnly()) as disk:
        apsw.set_default_vfs(disk)
        try:
            yield
        finally:
            apsw.set_default_vfs(usual)


def test_a_base_that_can_only_be_read_is_asked_and_searched_and_keeps_nothing(shell: Shell) -> None:
    source = driver.connect(shell.folder / "data" / "knowledge_base.db", busy_timeout=1)
    driver.copy(source, shell.folder / "copy.db")
    source.close()
    with only_readable():
        done = shell.run("ask", QUESTION, "--db", "copy.db")
        declined = shell.run("ask", "Who won the chess match?", "--db", "copy.db")
        found = shell.json("search", QUESTION, "--db", "copy.db")
        said = shell.json("ask", QUESTION, "--db", "copy.db")
        refused = shell.run("terms", "add", "berry", "fruit", "--db", "copy.db")
    assert (done.returncode, declined.returncode, refused.returncode) == (0, 0, 5)
    assert "in late autumn. [1]" in done.stdout
    assert done.stderr == "Note: The base can only be read, so this conversation is not kept.\n"
    assert found["results"]
    assert (said["session_id"], said["tier"]) == (None, "documents")
    assert shell.json("sessions", "list", "--db", "copy.db")["sessions"] == []


def test_a_program_says_itself_whether_an_answer_may_go_unkept(shell: Shell) -> None:
    source = driver.connect(shell.folder / "data" / "knowledge_base.db", busy_timeout=1)
    driver.copy(source, shell.folder / "copy.db")
    source.close()
    with only_readable():
        with Sourcebook(shell.folder / "copy.db") as book, pytest.raises(BaseReadOnly):
            book.ask(QUESTION)
        with Sourcebook(shell.folder / "copy.db", on_read_only=OnReadOnly.ANSWER) as book:
            assert (book.ask(QUESTION).tier, book.ask(QUESTION).session_id) == (Tier.DOCUMENTS, None)


def test_a_word_to_avoid_is_told(shell: Shell) -> None:
    shell.run("terms", "add", "everbearing raspberries", "primocane raspberries")
    with chatting(says("Prune everbearing raspberries in late autumn [1].")) as server:
        done = shell.run("ask", QUESTION, **chat_with(server.url))
        answer = shell.json("ask", QUESTION, exit_code=0, **chat_with(server.url))
    assert "“everbearing raspberries” is kept as “primocane raspberries”" in done.stderr
    assert answer["answer"] == "Prune primocane raspberries in late autumn [1]."


def test_a_session_goes_on_and_an_unknown_one_is_an_error(shell: Shell) -> None:
    first = shell.json("ask", QUESTION)
    second = shell.json("ask", "And why?", "--session", first["session_id"], "--explain")
    assert second["session_id"] == first["session_id"]
    assert second["details"]["searched"] == f"{QUESTION} And why?"
    error = shell.json("ask", QUESTION, "--session", "none", exit_code=3)["error"]
    assert error["code"] == "session_not_found"


# Sessions


def test_sessions_are_listed_shown_renamed_and_removed(shell: Shell) -> None:
    session = shell.json("ask", QUESTION)["session_id"]
    (listed,) = shell.json("sessions", "list")["sessions"]
    assert (listed["id"], listed["title"], listed["message_count"], listed["face"]) == (
        session,
        QUESTION,
        2,
        "cli",
    )
    assert shell.json("sessions", "rename", session, "Малина")["session"]["title"] == "Малина"
    assert "Малина" in shell.run("sessions", "list").stdout
    shown = shell.json("sessions", "show", session)["session"]
    assert [message["role"] for message in shown["messages"]] == ["USER", "ASSISTANT"]
    assert f"> {QUESTION}" in shell.run("sessions", "show", session).stdout
    assert shell.json("sessions", "remove", session) == {"removed": session}
    for command in (["show"], ["remove"], ["export"]):
        error = shell.json("sessions", *command, session, exit_code=3)["error"]
        assert error["code"] == "session_not_found"
    assert shell.json("sessions", "rename", session, "x", exit_code=3)["error"]["code"] == "session_not_found"


def test_a_session_says_what_became_of_its_sources(shell: Shell) -> None:
    session = shell.json("ask", QUESTION)["session_id"]
    assert "source" not in shell.run("sessions", "show", session).stdout
    change(shell, "pruning.md", "Prune them in March.")
    assert "the source has changed" in shell.run("sessions", "show", session).stdout
    shown = shell.json("sessions", "show", session)["session"]
    assert {c["state"] for c in shown["messages"][1]["citations"]} == {"changed"}
    change(shell, "pruning.md", None)
    assert "the source was removed" in shell.run("sessions", "show", session).stdout


def test_a_session_is_exported_as_markdown_and_json(shell: Shell) -> None:
    session = shell.json("ask", QUESTION)["session_id"]
    text = shell.run("sessions", "export", session).stdout
    assert text.startswith(f"# {QUESTION}\n")
    done = shell.run("sessions", "export", session, "talk.md")
    assert (done.returncode, done.stdout) == (0, "")
    assert (shell.folder / "talk.md").read_text("utf-8").strip() == text.strip()
    assert shell.run("sessions", "export", session, "talk.json").returncode == 0
    written = json.loads((shell.folder / "talk.json").read_text("utf-8"))
    assert written == shell.json("sessions", "export", session) == shell.json("sessions", "show", session)
    assert shell.json("sessions", "export", session, "talk.md", exit_code=4)["error"]["code"] == "conflict"
    assert shell.json("sessions", "export", session, "--format", "markdown")["text"] == text


# Curated answers


def added(shell: Shell, *more: str) -> Any:
    return shell.json("kb", "add", "From 4 to 5.", "--category", "soil", "--question", PH, *more)["entry"]


def test_an_answer_that_is_added_says_what_it_is_watched_against_or_that_nothing_is(shell: Shell) -> None:
    quoted = shell.json("ask", PH)["citations"][0]["quote"]
    told = shell.run("kb", "add", quoted, "--category", "soil", "--question", PH)
    assert "  Supported by soil.md: “" in told.stderr
    assert "It comes back for review when that text changes." in told.stderr
    assert shell.json("kb", "list")["entries"][0]["sources"]
    told = shell.run(
        "kb", "add", "We close at noon.", "--category", "shop", "--question", "When do you close?"
    )
    assert "Nothing in the documents supports it, so it cannot be marked stale" in told.stderr
    assert "sourcebook kb remove 2" in told.stderr


def test_a_curated_answer_is_added_given_first_and_removed(shell: Shell) -> None:
    entry = added(shell, "--source", "soil.md")
    assert entry["sources"][0]["quote"].startswith("The pH of the soil for blueberries")
    answer = shell.json("ask", PH)
    assert (answer["tier"], answer["answer"], answer["curated_id"]) == (
        "curated",
        "From 4 to 5.",
        entry["id"],
    )
    assert answer["curated"]["approved_by"] == 1
    shown = shell.run("ask", PH).stdout
    assert f"Curated answer {entry['id']}, approved on 20" in shown
    assert "[1] Soil · soil.md" in shown
    assert PH in shell.run("kb", "list").stdout
    assert shell.json("kb", "remove", str(entry["id"])) == {"removed": entry["id"]}
    assert shell.json("kb", "list") == {"entries": []}
    missing = shell.json("kb", "remove", str(entry["id"]), exit_code=3)["error"]
    assert missing["code"] == "curated_answer_not_found"
    assert shell.json("ask", PH)["tier"] == "documents"


def test_the_approval_is_told_in_the_language_of_the_question(shell: Shell) -> None:
    with Sourcebook(shell.folder / "data" / "knowledge_base.db") as book:
        anna = book.people.create_user(username="anna").id
        for question, answer in (
            ("Когда поливать томаты?", "Утром."),
            ("Quando regar os tomates?", "De manhã."),
        ):
            book.curated.insert(answer, question=question, category="water", approved_by=anna)
    told = shell.run("ask", "Когда поливать томаты?").stdout
    assert "Одобренный ответ 1, одобрен 20" in told
    assert "кем: anna." in told
    assert "Resposta aprovada 2, por anna, em 20" in shell.run("ask", "Quando regar os tomates?").stdout


def test_what_an_expert_alone_says_is_marked_so_and_what_a_document_says_is_not(shell: Shell) -> None:
    mark = "From the expert, not from the documents."
    shell.json("kb", "add", "As sour as pine needles make it.", "--category", "soil", "--question", PH)
    answer = shell.json("ask", PH)
    assert (answer["tier"], answer["expert_only"]) == ("curated", True)
    assert mark in shell.run("ask", PH).stdout
    kept = shell.json("sessions", "show", answer["session_id"])["session"]
    (told,) = [message for message in kept["messages"] if message["tier"]]
    assert told["expert_only"] is True
    assert mark in shell.run("sessions", "export", answer["session_id"]).stdout
    assert shell.json("ask", QUESTION)["expert_only"] is False
    assert mark not in shell.run("ask", QUESTION).stdout


def test_an_outdated_answer_is_told_without_marks_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    entry: dict[str, Any] = {"id": 1, "answer": "From 4 to 5. [1]"}
    say_sources(Answer("q", "From 5 to 6. [1]", Tier.DOCUMENTS, language="en", details={"outdated": entry}))
    assert "It said: “From 4 to 5.”" in capsys.readouterr().out


def test_a_curated_answer_shows_that_its_source_changed(shell: Shell) -> None:
    added(shell, "--source", "soil.md", "--quote", "between 4.0 and 5.0")
    change(shell, "soil.md", "The pH is between 5.0 and 6.0.")
    shown = shell.run("ask", PH).stdout
    assert shown.startswith("The pH is between 5.0 and 6.0.")
    assert (
        "The approved answer 1 is out of date, because a source of it has changed. It said: “From 4 to 5.”"
        in shown
    )
    answer = shell.json("ask", PH)
    assert (answer["tier"], answer["outdated"]["id"]) == ("documents", 1)
    change(shell, "soil.md", "Nothing about that.")
    shown = shell.run("ask", PH).stdout
    assert shown.startswith("This approved answer is out of date (a source has changed: soil.md)")
    assert shell.json("ask", PH)["curated"]["stale"] == "a source has changed: soil.md"


def test_a_quote_has_to_stand_in_a_source(shell: Shell) -> None:
    for wrong in (
        ["--quote", "between 4.0 and 5.0"],
        ["--source", "pruning.md", "--quote", "between 4.0 and 5.0"],
    ):
        error = shell.json("kb", "add", "x", "--category", "k", *wrong, exit_code=2)["error"]
        assert error["hint"]
    assert shell.json("kb", "add", "x", "--category", "k", "--source", "no.md", exit_code=3)["error"]
    assert shell.json("kb", "add", "x", exit_code=2)["error"]
    assert shell.json("kb", "list") == {"entries": []}


# Terms


def test_terms_are_added_changed_listed_and_removed(shell: Shell) -> None:
    shell.json("terms", "add", "sucker", "root shoot", "--language", "en", "--description", "of a raspberry")
    assert shell.json("terms", "add", "Sucker", "shoot")["term"]["preferred_phrase"] == "shoot"
    (term,) = shell.json("terms", "list")["terms"]
    assert (term["term"], term["preferred_phrase"]) == ("Sucker", "shoot")
    assert "shoot" in shell.run("terms", "list").stdout
    assert shell.json("terms", "remove", "SUCKER") == {"removed": "SUCKER"}
    assert shell.json("terms", "remove", "sucker", exit_code=3)["error"]["code"] == "term_not_found"
    assert shell.json("terms", "add", " ", "x", exit_code=2)["error"]["message"]
