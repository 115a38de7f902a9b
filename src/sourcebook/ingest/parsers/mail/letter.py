"""A letter: what its header says, its text, and what is attached to it.

Only the oldest and most forgiving part of the standard library is used: the newer one fails on headers as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email import message_from_bytes
from email.header import decode_header
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, cast

from sourcebook.errors import BadFile
from sourcebook.ingest.parsers.clean_text import cleaned, one_line
from sourcebook.ingest.parsers.mail.flowed_text import flowed
from sourcebook.ingest.parsers.text.decoding import decode
from sourcebook.ingest.parsers.text.japanese_mail import decode_japanese_mail, is_japanese_mail
from sourcebook.ingest.parsers.web.html import parse_html
from sourcebook.ingest.parsers.zip_and_xml import reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sourcebook.model.documents import JsonValue, Metadata

MOST_PARTS = 1_000
LONGEST_HEADER = 2_000
_SHORT = 300
_MUCH_MORE = 2
_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_READ = {
    *(name.lower() for name in _HEADERS),
    *("message-id", "references", "in-reply-to"),
    *("content-type", "content-disposition", "content-transfer-encoding"),
}
_ID = re.compile(r"<([^<>\s]{1,300})>")
_REPLY = re.compile(r"(?:(?:re|fwd?|aw|sv|enc|res|ответ|на|отв|пересл)(?:\[\d+\])?\s*:\s*)+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a letter."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Letter:
    """What people read of a letter. `refers_to` are the ids of letters before it, the oldest first."""

    headers: dict[str, str]
    body: str
    attachments: Sequence[Attachment]
    id: str = ""
    refers_to: Sequence[str] = ()
    sent: datetime | None = None
    names: Sequence[str] = field(default=())

    @property
    def subject(self) -> str:
        return self.headers.get("Subject", "")

    @property
    def thread_name(self) -> str:
        return _REPLY.sub("", self.subject).strip() or self.subject

    @property
    def text(self) -> str:
        """The letter as it is printed: header, text, and the names of what is attached."""
        lines = [f"{name}: {value}" for name, value in self.headers.items()]
        if self.names:
            lines.append(f"Attachments: {', '.join(self.names)}")
        return "\n".join(lines) + (f"\n\n{self.body}" if self.body else "")

    @property
    def metadata(self) -> Metadata:
        metadata: dict[str, JsonValue] = {
            key: self.headers[name]
            for key, name in (("author", "From"), ("to", "To"), ("subject", "Subject"))
            if self.headers.get(name)
        }
        if self.sent is not None:
            metadata["date"] = self.sent.date().isoformat()
        return metadata


def read_letter(data: bytes) -> Letter:
    """The letter. The library below was written for whole ones, and fails on others in many ways."""
    with reading("letter"):
        return _read(data)


def _read(data: bytes) -> Letter:
    message = message_from_bytes(data)
    parts = list(_parts(message))
    for part in dict.fromkeys((message, *parts)):
        _read_bare_headers(part)
    files = [part for part in parts if _is_file(part)]
    named = [Attachment(_name(part, number), _bytes(part)) for number, part in enumerate(files, start=1)]
    attachments = [attachment for attachment in named if attachment.data]
    headers = {name: value for name in _HEADERS if (value := _header(message, name))}
    sent = _moment(headers.get("Date", ""))
    if sent is not None:
        headers["Date"] = sent.strftime("%Y-%m-%d %H:%M")
    ids = _ID.findall(_header(message, "Message-ID"))
    before = _ID.findall(f"{_header(message, 'References')} {_header(message, 'In-Reply-To')}")
    return Letter(
        headers,
        _body(parts),
        attachments,
        ids[0] if ids else "",
        before,
        sent,
        [attachment.name for attachment in attachments],
    )


def _parts(message: Message) -> Iterator[Message]:
    """The parts that hold something, not those of letters inside this one."""
    waiting, count = [message], 0
    while waiting and count < MOST_PARTS:
        part = waiting.pop()
        count += 1
        if part.is_multipart() and part.get_content_maintype() == "multipart":
            waiting += reversed(cast("list[Message]", part.get_payload()))
        else:
            yield part


def _is_file(part: Message) -> bool:
    if part.get_content_type() == "message/rfc822":
        return True
    has_name = part.get_filename() is not None
    is_said = _header(part, "Content-Disposition").lower().startswith("attachment")
    return is_said or (has_name and part.get_content_maintype() != "text")


def _body(parts: Sequence[Message]) -> str:
    """What the letter says: its plain text, or what its page shows."""
    texts = [part for part in parts if part.get_content_maintype() == "text" and not _is_file(part)]
    plain = [part for part in texts if part.get_content_subtype() == "plain"]
    pages = [part for part in texts if part.get_content_subtype() == "html"]
    said = "\n\n".join(filter(None, (_plain(part) for part in plain))).strip("\n")
    if len(said) > _SHORT or (said and not pages):
        return said
    shown = "\n\n".join(filter(None, (_page(part) for part in pages))).strip("\n")
    # "See the page for this letter" stands for what the page says.
    return shown if len(shown) > _MUCH_MORE * len(said) else said


def _plain(part: Message) -> str:
    data = _bytes(part)
    text = _decoded(data, part) if data.strip() else ""
    is_flowed = str(_parameter(part, "format")).lower() == "flowed"
    return flowed(text, deletes_space=str(_parameter(part, "delsp")).lower() == "yes") if is_flowed else text


def _parameter(part: Message, name: str) -> object:
    try:
        return part.get_param(name, "")
    except (LookupError, ValueError, TypeError):
        return ""


def _page(part: Message) -> str:
    data = _bytes(part)
    if not data.strip():
        return ""
    charset = _charset(part)
    text = _decoded(data, part) if charset else None
    try:
        return parse_html(text.encode() if text is not None else data).text
    except BadFile:
        return ""


def _decoded(data: bytes, part: Message) -> str:
    try:
        return decode(data, _charset(part)).rstrip()
    except BadFile:
        return ""


def _charset(part: Message) -> str | None:
    try:
        return part.get_content_charset()
    except (LookupError, ValueError, TypeError):
        return None


def _bytes(part: Message) -> bytes:
    if part.get_content_type() == "message/rfc822":
        inner = part.get_payload()
        first = cast("list[object]", inner)[0] if isinstance(inner, list) and inner else None
        return first.as_bytes() if isinstance(first, Message) else b""
    try:
        data = part.get_payload(decode=True)
    except (ValueError, LookupError, AssertionError):
        return b""
    return data if isinstance(data, bytes) else b""


def _name(part: Message, number: int) -> str:
    """The name of a file, without folders; one without a name is called by its number."""
    try:
        said = part.get_filename() or ""
    except (LookupError, ValueError, TypeError):
        said = ""
    name = one_line(cleaned(_shown(said))).replace("\\", "/").rpartition("/")[2].strip(". ")
    if name:
        return name[-120:]
    return f"{number}.eml" if part.get_content_type() == "message/rfc822" else f"{number}"


def _header(message: Message, name: str) -> str:
    try:
        value = message.get(name, "")
    except (LookupError, ValueError, TypeError):
        return ""
    return one_line(cleaned(_shown(str(value))))[:LONGEST_HEADER]


def _read_bare_headers(part: Message) -> None:
    """Put letters into headers that hold them as they are, against the rules: the library gives question marks.

    Only the first header of a name is ever read, and few names are, so the time grows with the headers only.
    """
    firsts: dict[str, str] = {}
    for name, value in part.raw_items():
        if name.lower() in _READ:
            firsts.setdefault(name.lower(), str(value))
    charset = _charset(part)
    for name, said in firsts.items():
        data = said.encode("utf-8", "surrogateescape")
        is_japanese = is_japanese_mail(data)
        if is_japanese or not said.isascii():
            try:
                part.replace_header(name, decode(data, "iso-2022-jp" if is_japanese else charset))
            except (UnicodeError, KeyError, BadFile):
                continue


def _shown(value: str) -> str:
    """A header in readable form: words in it may be encoded each by itself."""
    try:
        pieces = decode_header(value)
    except Exception:
        return value
    shown: list[str] = []
    for piece, charset in cast("list[tuple[bytes | str, str | None]]", pieces):
        shown.append(piece if isinstance(piece, str) else _word(piece, charset))
    text = "".join(shown)
    return text.encode(errors="surrogateescape").decode(errors="replace")


def _word(piece: bytes, charset: str | None) -> str:
    if is_japanese_mail(piece) and (charset or "").lower().startswith("iso-2022-jp"):
        return decode_japanese_mail(piece)
    try:
        return piece.decode(charset or "utf-8", errors="replace")
    except LookupError:
        return piece.decode(errors="replace")


def _moment(value: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
