"""Subtitles (SRT, VTT): what is said, with the time at which it is said as the place."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sourcebook.errors import DamagedFile
from sourcebook.ingest.parsers.clean_text import cleaned, one_line
from sourcebook.ingest.parsers.parsed_text import ParsedText, Section
from sourcebook.ingest.parsers.text.decoding import decode

PLACE_LENGTH = 600
"""Characters that share a place. A place for every line would cut the text into crumbs."""
PAUSE = 20.0
"""Seconds of silence after which a new place begins."""
_TIME = r"(?:(\d{1,4}):)?([0-5]?\d):([0-5]?\d)(?:[.,](\d{1,3}))?"
_CUE = re.compile(rf"^[^\S\n]*{_TIME}[^\S\n]+-->[^\S\n]+{_TIME}[^\n]*\n?", re.MULTILINE | re.ASCII)
_BLANK = re.compile(r"\n[^\S\n]*\n")
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,200}>|<\d\d:[\d:.]{1,20}>|\{\\[^{}\n]{0,200}\}")
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?[^\S\n]+([^<>\n]{1,200})>")
_ENDS = (".", "!", "?", "…", "»", "”", ")", "♪")


class Cue(NamedTuple):
    """Something that is said, from a second to another."""

    start: float
    end: float
    text: str


def parse_subtitles(data: bytes) -> ParsedText:
    """The lines as a running text; the section of a passage is the time at which it begins."""
    text = decode(data)
    cues = list(_cues(text))
    if not cues:
        raise DamagedFile("The file has no subtitles: no line says from when to when it is shown.")
    return text_of_cues(cues, "text/vtt" if text.lstrip().startswith("WEBVTT") else "application/x-subrip")


def text_of_cues(cues: Iterable[Cue], kind: str) -> ParsedText:
    """Cues as one text: sentences go on over them, and every place of some length has its time."""
    pieces: list[str] = []
    sections: list[Section] = []
    length = here = 0
    last: Cue | None = None
    for cue in cues:
        if not cue.text or (last is not None and cue.text == last.text and cue.start <= last.end + 1):
            continue
        is_apart = last is None or cue.start - last.end > PAUSE
        is_full = here >= PLACE_LENGTH and last is not None and last.text.endswith(_ENDS)
        begins = is_apart or is_full or here >= 2 * PLACE_LENGTH
        gap = "" if last is None else "\n\n" if begins else "\n"
        length += len(gap)
        if begins:
            sections.append(Section(length, moment(cue.start)))
            here = 0
        pieces += (gap, cue.text)
        length += len(cue.text)
        here += len(cue.text)
        last = cue
    return ParsedText("".join(pieces), sections=sections, kind=kind)


def moment(seconds: float) -> str:
    """A time as a player shows it: `01:02:03`."""
    whole = int(seconds)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"


def _cues(text: str) -> Iterator[Cue]:
    times = list(_CUE.finditer(text))
    for index, time in enumerate(times):
        end = times[index + 1].start() if index + 1 < len(times) else len(text)
        body = text[time.end() : end]
        blank = _BLANK.search(f"\n{body}")
        said = body[: max(blank.start() - 1, 0)] if blank else body
        yield Cue(_seconds(time.groups()[:4]), _seconds(time.groups()[4:]), _words(said))


def _seconds(parts: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, fraction = (int(part or 0) for part in parts)
    return hours * 3600 + minutes * 60 + seconds + (fraction / 1000 if fraction else 0)


def _words(said: str) -> str:
    """What can be read of a cue, without its marks; who speaks is kept."""
    named = _VOICE.sub(r"\1: ", said)
    return one_line(cleaned(html.unescape(_TAG.sub("", named))))
