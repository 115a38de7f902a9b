"""Data goes to stdout, everything else to stderr; plain text unless that is a terminal."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from io import StringIO
from itertools import groupby
from typing import TYPE_CHECKING, Any, Self, TextIO, cast

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sourcebook.faces.cli.terminal.text_layout import Cut, fitting_columns, shortened, wrapped
from sourcebook.text.hidden_characters import escaped_in_json, without_hidden
from sourcebook.text.secret_masks import without_secrets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sourcebook.errors import SourcebookError

_LONGEST_WHOLE = 40
"""The longest word, in cells, that a table keeps whole: an id fits, a path need not."""


_STRONG = re.compile(r"(?<![\w*])\*\*(?=[^\s*])([^*\n]*[^\s*])\*\*(?![\w*])")
"""What Markdown shows in bold. In `2**3` nothing is."""
_AROUND_STRONG = re.compile(r"(?<![\w*])\*\*(?=[^\s*])|(?<=[^\s*])\*\*(?![\w*])")
_WORDS = re.compile(r".*\s", re.DOTALL)


class OutputLost(Exception):
    """stdout cannot be written to, for example because its disk is full."""


def printable(text: str) -> str:
    """The text without characters that control a terminal. Documents are untrusted."""
    return without_hidden(text)


def say(text: str) -> None:
    """Print a line of data to stdout."""
    with _stdout() as stream:
        _print(_Console(file=stream, highlight=False, soft_wrap=True), text)


def say_with_bold(text: str, bold: Sequence[tuple[int, int]]) -> None:
    """Print data to stdout with some spans of it in bold, where a terminal shows them.

    There, what stands between `**` and `**` is bold, too, without these marks.
    """
    with _stdout() as stream:
        console = _Console(file=stream, highlight=False, soft_wrap=True)
        marks = list(_STRONG.finditer(text)) if console.is_terminal else []
        spans = [*bold, *(mark.span(1) for mark in marks)]
        left_out = {
            at
            for mark in marks
            for at in (*range(mark.start(), mark.start(1)), *range(mark.end(1), mark.end()))
        }
        is_bold = [any(start <= at < end for start, end in spans) for at in range(len(text))]
        said = Text()
        kept = (at for at in range(len(text)) if at not in left_out)
        for style, places in groupby(kept, key=is_bold.__getitem__):
            said.append(printable("".join(text[at] for at in places)), style="bold" if style else "")
        console.print(said)


def tell(text: str) -> None:
    """Print a line about progress or problems to stderr."""
    _print(stderr(), text)


class Stream:
    """Data that arrives in pieces, printed at once."""

    def __init__(self, *, is_on: bool) -> None:
        self._is_on = is_on
        self.has_written = False
        self._held = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def write(self, text: str) -> None:
        if self._is_on and text:
            self.has_written = True
            with _stdout() as stream:
                stream.write(printable(self._without_marks(text, stream)))
                stream.flush()

    def _without_marks(self, text: str, stream: TextIO) -> str:
        """A terminal gets whole words, without the `**` around them; everything else gets what was written."""
        if not stream.isatty():
            return text
        words = _WORDS.match(self._held + text)
        whole = words[0] if words else ""
        self._held = (self._held + text)[len(whole) :]
        return _AROUND_STRONG.sub("", whole)

    def end(self) -> None:
        """Finish the line. Nothing more may be written."""
        if self._is_on and self.has_written:
            with _stdout() as stream:
                stream.write(printable(_AROUND_STRONG.sub("", self._held)) + "\n")
            self._is_on = False


def say_json(document: Mapping[str, Any]) -> None:
    with _stdout() as stream:
        stream.write(as_json_text(document))


def as_json_text(document: Mapping[str, Any]) -> str:
    return escaped_in_json(json.dumps(document, ensure_ascii=False, indent=2)) + "\n"


def say_rows(
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    cuts: Mapping[str, Cut] | None = None,
    spare: Sequence[str] = (),
) -> None:
    """A table: aligned on a terminal, separated by tabs elsewhere.

    With `cuts`, each row is one line of the terminal: those columns are shortened, and if that would leave too little
    of them, the columns that can be spared are left out, one after the other.
    """
    cells = [[_cell(value) for value in row] for row in rows]
    with _stdout() as stream:
        console = _Console(file=stream, highlight=False, soft_wrap=True)
        if not console.is_terminal:
            for row in [list(columns), *cells]:
                stream.write("\t".join(row) + "\n")
        elif cuts:
            _draw_lines(console, [list(columns), *cells], cuts, spare)
        else:
            _draw(console, columns, cells)


def _draw(console: Console, columns: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, column in enumerate(columns):
        is_whole = all(" " not in row[number] and cell_len(row[number]) <= _LONGEST_WHOLE for row in cells)
        table.add_column(column, overflow="fold", no_wrap=is_whole)
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)


def _draw_lines(
    console: Console, rows: Sequence[Sequence[str]], cuts: Mapping[str, Cut], spare: Sequence[str]
) -> None:
    at = {name: number for number, name in enumerate(rows[0])}
    ends = {at[name]: cut for name, cut in cuts.items()}
    widths = fitting_columns(rows, ends, [at[name] for name in spare], console.width)
    for number, row in enumerate(rows):
        short = (shortened(row[i], width, ends.get(i, Cut.END)) for i, width in widths.items())
        padded = (cell + " " * (w - cell_len(cell)) for cell, w in zip(short, widths.values(), strict=True))
        console.print(Text("  ".join(padded).rstrip(), style="" if number else "bold"))


def say_error(error: SourcebookError, *, as_json: bool) -> None:
    """What went wrong. A path that is named in it may be an address that somebody mistyped, with its password."""
    usual = error.usual_texts()
    # A text of our own holds no secret, and the mask would garble how an address is written.
    shown = {key: text if text in usual else without_secrets(text) for key, text in error.as_dict().items()}
    if as_json:
        say_json({"error": shown})
        return
    tell(f"Error: {shown['message']}")
    if shown["hint"]:
        tell(shown["hint"])


def flush() -> None:
    """Nothing was written to a stdout that is closed, or that was an error already."""
    if cast("TextIO | None", sys.stdout) is not None:
        with _stdout() as stream:
            stream.flush()


def leave_stdout() -> None:
    """Nobody reads our output any more: discard the rest, so that Python exits quietly."""
    if cast("TextIO | None", sys.stdout) is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def stderr() -> Console:
    # Without a file, rich would write to stdout, where only data belongs.
    return Console(file=sys.stderr or StringIO(), highlight=False, soft_wrap=True)


def _print(console: Console, text: str) -> None:
    plain = printable(text)
    console.print(Text(wrapped(plain, console.width) if console.is_terminal else plain))


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """A reader that leaves early is not an error, but rich would exit with one."""
        raise


@contextmanager
def _stdout() -> Generator[TextIO]:
    if cast("TextIO | None", sys.stdout) is None:  # It was closed before the command began.
        raise OutputLost("The output could not be written: standard output is closed.")
    try:
        yield sys.stdout
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputLost(f"The output could not be written: {error.strerror or error}.") from error


def _cell(value: object) -> str:
    return "" if value is None else " ".join(printable(str(value)).split())
