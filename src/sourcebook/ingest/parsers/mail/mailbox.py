"""Mail: a letter (EML), and a box of them (MBOX) by its threads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from sourcebook.errors import BadFile, DamagedFile
from sourcebook.ingest.parsers.mail.letter import Attachment, Letter, read_letter
from sourcebook.ingest.parsers.page_progress import page_read
from sourcebook.ingest.parsers.parsed_text import ParsedText
from sourcebook.ingest.parsers.sections import LONGEST_NAME, PARAGRAPH, Heading, sections_of

MOST_LETTERS = 100_000
_FROM = re.compile(rb"^From \S+.*\d{4}\b.*\n|^From [^\n]*\n(?=[\w-]+:)", re.MULTILINE)
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


def parse_eml(data: bytes) -> ParsedText:
    """The letter as it is printed. What is attached is only named: it is a document of its own."""
    letter = read_letter(data)
    if not letter.headers:
        raise DamagedFile("The file has no header of a letter.")
    return ParsedText(letter.text, letter.subject or None, letter.metadata, kind="message/rfc822")


def parse_mbox(data: bytes) -> ParsedText:
    """The letters of a box, thread by thread, each a section by its sender and date."""
    letters = [letter for letter in _letters(data) if letter.headers]
    if not letters:
        raise DamagedFile("The file has no letters.")
    pieces: list[str] = []
    headings: list[Heading] = []
    length = 0
    for thread in _threads(letters):
        for number, letter in enumerate(thread):
            if number == 0:
                headings.append(Heading(length, 1, letter.thread_name[:LONGEST_NAME]))
            sent = letter.sent.date().isoformat() if letter.sent else ""
            name = ", ".join(filter(None, (letter.headers.get("From", ""), sent)))
            headings.append(Heading(length, 2, name[:LONGEST_NAME]))
            pieces.append(letter.text)
            length += len(letter.text) + len(PARAGRAPH)
    return ParsedText(PARAGRAPH.join(pieces), sections=sections_of(headings), kind="application/mbox")


def attachments_of_letter(data: bytes) -> Iterator[Attachment]:
    yield from read_letter(data).attachments


def attachments_of_box(data: bytes) -> Iterator[Attachment]:
    """What is attached to the letters, each under the number of its letter in the box."""
    for number, letter in enumerate(_letters(data), start=1):
        for attachment in letter.attachments:
            yield Attachment(f"{number}/{attachment.name}", attachment.data)


def _letters(data: bytes) -> Iterator[Letter]:
    starts = [found.span() for found in _FROM.finditer(data) if _begins(data, found.start())]
    for index, (_, start) in enumerate(starts[:MOST_LETTERS]):
        end = starts[index + 1][0] if index + 1 < len(starts) else len(data)
        try:
            yield read_letter(_QUOTED_FROM.sub(rb"\1", data[start:end]))
        except BadFile:
            continue
        page_read(index + 1, len(starts))


def _begins(data: bytes, at: int) -> bool:
    """Whether a line stands at the beginning, or after an empty one."""
    return at == 0 or data[max(at - 2, 0) : at] == b"\n\n" or data[max(at - 4, 0) : at] == b"\r\n\r\n"


def _threads(letters: Sequence[Letter]) -> list[list[Letter]]:
    """Letters that answer each other, in the order of time; threads by their first letter."""
    first_of: dict[str, str] = {}
    threads: dict[str, list[Letter]] = {}
    for number, letter in enumerate(sorted(letters, key=_when)):
        known = next((first_of[other] for other in letter.refers_to if other in first_of), None)
        first = known or (letter.refers_to[0] if letter.refers_to else letter.id or f"#{number}")
        threads.setdefault(first, []).append(letter)
        for name in filter(None, (letter.id, *letter.refers_to)):
            first_of.setdefault(name, first)
    return list(threads.values())


def _when(letter: Letter) -> datetime:
    return letter.sent or _LONG_AGO
