"""What Markdown marks as bold, on a terminal and off it."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

from sourcebook.faces.cli.terminal.output import Stream, say_with_bold

if TYPE_CHECKING:
    import pytest

TEXT = "Pay **ten euros** for 2**3 hours. [1]"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    shown = Terminal()
    monkeypatch.setattr(sys, "stdout", shown)
    return shown


def test_on_a_terminal_it_is_bold_without_asterisks(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = terminal(monkeypatch)
    say_with_bold(TEXT, [(0, 3)])
    assert shown.getvalue() == "\x1b[1mPay\x1b[0m \x1b[1mten euros\x1b[0m for 2**3 hours. [1]\n"


def test_off_a_terminal_everything_stays(capsys: pytest.CaptureFixture[str]) -> None:
    say_with_bold(TEXT, [(0, 3)])
    with Stream(is_on=True) as stream:
        for letter in TEXT:
            stream.write(letter)
    assert capsys.readouterr().out == f"{TEXT}\n{TEXT}\n"


def test_what_arrives_in_pieces_has_no_asterisks_either(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = terminal(monkeypatch)
    with Stream(is_on=True) as stream:
        for letter in TEXT:
            stream.write(letter)
    assert shown.getvalue() == "Pay ten euros for 2**3 hours. [1]\n"
