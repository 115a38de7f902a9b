"""What the command line does to text before a person sees it."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.errors import (
    AuthError,
    BadFilter,
    BaseBusy,
    CollectionNotFound,
    DocumentChangedMeanwhile,
    NoEmbedder,
    SourcebookError,
)
from sourcebook.faces import logs
from sourcebook.faces.cli.exit_codes import exit_code
from sourcebook.faces.cli.terminal.answer_text import say_sources
from sourcebook.faces.cli.terminal.output import as_json_text, printable
from sourcebook.model.chat import Answer, SourceState, Tier
from sourcebook.settings import Settings
from sourcebook.testing.contract.chat import citation

if TYPE_CHECKING:
    from sourcebook.model.documents import JsonValue

ADDRESS = "postgresql://bot:hunter-two@server/garden"


def test_a_document_cannot_steer_the_terminal() -> None:
    assert (
        printable("safe\x1b[2J\x1b]0;title\x07 \u202etxt.exe\r\n\tline\x9b31m")
        == "safe[2J]0;title txt.exe\n\tline31m"
    )


HIDDEN = "\x9b\x7f\x85\u061c\u200b\u202e\u2028\u2066\ufeff\U000e0041\U000e0100"


def test_what_nobody_sees_is_not_shown() -> None:
    assert printable(f"a{HIDDEN}b") == "ab"
    assert printable("نمی\u200cخواهم 👩\u200d🌾") == "نمی\u200cخواهم 👩\u200d🌾"


def test_in_json_it_is_there_and_harmless(stream: StringIO, log: logging.Logger) -> None:
    document = {f"k{HIDDEN}": [f"малина{HIDDEN}\x1b\n", {"é": "\U000e0041"}]}
    written = as_json_text(document)
    assert json.loads(written) == document
    assert "малина" in written
    assert not set(written) & {*HIDDEN, "\x1b"}
    log.handlers[0].setFormatter(logs.formatter(Settings(log_format="json")))
    log.warning("%s", HIDDEN)
    assert json.loads(stream.getvalue())["message"] == HIDDEN
    assert not set(stream.getvalue()) & {*HIDDEN}


@given(st.text())
def test_any_text_comes_back_from_json(text: str) -> None:
    assert json.loads(as_json_text({"text": text})) == {"text": text}


@given(st.text())
def test_letters_of_every_script_survive(text: str) -> None:
    shown = printable(text)
    assert [letter for letter in text if letter.isalnum()] == [letter for letter in shown if letter.isalnum()]
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (SourcebookError(), 1),
        (BadFilter(), 2),
        (CollectionNotFound(), 3),
        (DocumentChangedMeanwhile(), 4),
        (BaseBusy(), 5),
        (NoEmbedder(), 6),
        (AuthError(), 7),
    ],
)
def test_each_branch_of_the_error_tree_has_its_exit_code(error: SourcebookError, code: int) -> None:
    assert exit_code(error) == code


@pytest.fixture
def stream() -> StringIO:
    return StringIO()


@pytest.fixture
def log(stream: StringIO) -> logging.Logger:
    """A logger of its own, so that the handlers of the test run are left alone."""
    logger = logging.Logger("test")
    logger.addHandler(logging.StreamHandler(stream))
    return logger


def test_a_log_line_for_programs_is_json_without_passwords(stream: StringIO, log: logging.Logger) -> None:
    log.handlers[0].setFormatter(logs.formatter(Settings(log_format="json")))
    try:
        raise OSError(f"cannot reach {ADDRESS}")
    except OSError:
        log.exception("no connection to %s", ADDRESS)
    entry = json.loads(stream.getvalue())
    assert (entry["level"], entry["logger"]) == ("error", "test")
    assert "OSError" in entry["exception"]
    assert "hunter-two" not in stream.getvalue()


def test_a_log_line_for_people_is_text_without_passwords(stream: StringIO, log: logging.Logger) -> None:
    log.handlers[0].setFormatter(logs.formatter(Settings()))
    log.warning("no connection to %s", ADDRESS)
    assert stream.getvalue().endswith("WARNING test: no connection to postgresql://bot:***@server/garden\n")


@pytest.mark.parametrize(
    ("state", "details", "said"),
    [
        (SourceState.CHANGED, {}, "A source has changed since this answer was approved."),
        (
            SourceState.CHANGED,
            {"stale": "a source has changed: soil.md"},
            "Stale: a source has changed: soil.md.",
        ),
        (SourceState.CURRENT, {"context_changed": True}, "The text around a source"),
    ],
)
def test_an_approved_answer_says_what_has_changed_since(
    capsys: pytest.CaptureFixture[str], state: SourceState, details: dict[str, JsonValue], said: str
) -> None:
    cited = replace(citation(), state=state)
    say_sources(Answer("?", "Acid. [1]", Tier.CURATED, citations=[cited], language="en", details=details))
    assert said in capsys.readouterr().out.replace("\n", " ")
