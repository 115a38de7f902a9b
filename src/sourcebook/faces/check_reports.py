"""A check of answers in the forms that people, programs and continuous integration read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from sourcebook.curate.quoted_rows import shows_row_of, told_quote
from sourcebook.model.answer_check import Verdict

if TYPE_CHECKING:
    from sourcebook.model.answer_check import AnswerCheck, AnswerFinding, SourceFinding

_WORDS = {
    "number": "another number",
    "unit": "another unit",
    "name": "another name",
    "negation": "one says no where the other says yes",
    "turned_around": "another time or direction",
    "exchanged": "two facts have changed places",
    "opposite": "the opposite word",
    "degree": "another degree of must, may, all or some",
    "hedge": "a reservation was lost",
    "words": "it no longer stands there",
    "no_quote": "the quoted words are gone",
}


def as_json(check: AnswerCheck) -> dict[str, Any]:
    """The check as one document. Programs depend on these keys."""
    return {
        "documents": check.documents,
        "checked": len(check.findings),
        "failed": len(check.failures),
        "warned": len(check.warnings),
        "answers": [_as_json(finding) for finding in check.findings],
        "unreadable": [file.as_dict() for file in check.unreadable],
    }


def as_text(check: AnswerCheck) -> str:
    """What a person reads in a terminal: the failures first, each with what changed, then a line that sums up."""
    blocks = [_block(finding) for finding in (*check.failures, *check.warnings)]
    unread = [f"Could not read {_line_of(file.path)}: {_line_of(file.message)}" for file in check.unreadable]
    return "\n\n".join([*blocks, *unread, summary(check)])


def summary(check: AnswerCheck) -> str:
    checked = _count(len(check.findings), "answer")
    against = _count(check.documents, "document")
    if not check.failures and not check.warnings:
        return f"Checked {checked} against {against}: all of them stand."
    failed = f"{len(check.failures)} no longer {_hold(check)}" if check.failures else "none is untrue"
    warned = f", {len(check.warnings)} to look at" if check.warnings else ""
    return f"Checked {checked} against {against}: {failed}{warned}."


def as_junit(check: AnswerCheck) -> str:
    """A JUnit file with one case for each answer."""
    suite = Element(
        "testsuite",
        name="sourcebook check",
        tests=str(len(check.findings)),
        failures=str(len(check.failures)),
    )
    for finding in check.findings:
        case = SubElement(suite, "testcase", classname="answers", name=_printable(finding.name))
        if finding.verdict.is_failure:
            failure = SubElement(
                case, "failure", message=_printable(finding.message), type=finding.verdict.value
            )
            failure.text = _printable(_block(finding))
        elif finding.verdict.is_warning:
            SubElement(case, "system-out").text = _printable(_block(finding))
    indent(suite)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(suite, encoding="unicode")


def as_github(check: AnswerCheck) -> str:
    """GitHub's workflow commands: annotations at the changed lines."""
    lines = [
        f"::{_level(finding)} {_github_place(finding)}title={_property(_title(finding))}::{_data(_details(finding))}"
        for finding in (*check.failures, *check.warnings)
    ]
    return "\n".join([*lines, summary(check)])


def as_gitlab(check: AnswerCheck) -> str:
    """GitLab's code quality report."""
    issues = [
        {
            "description": f"{_title(finding)}. {_details(finding)}",
            "check_name": f"sourcebook:{finding.verdict.value}",
            "fingerprint": hashlib.sha256(
                f"{finding.name}\0{finding.verdict.value}\0{finding.message}".encode()
            ).hexdigest(),
            "severity": "major" if finding.verdict.is_failure else "minor",
            "location": {"path": _path(finding), "lines": {"begin": _line(finding) or 1}},
        }
        for finding in (*check.failures, *check.warnings)
    ]
    return json.dumps(issues, ensure_ascii=False, indent=2)


FORMATS: dict[str, Callable[[AnswerCheck], str]] = {
    "text": as_text,
    "json": lambda check: json.dumps(as_json(check), ensure_ascii=False),
    "junit": as_junit,
    "github": as_github,
    "gitlab": as_gitlab,
}


def _as_json(finding: AnswerFinding) -> dict[str, Any]:
    return {
        "file": finding.name,
        "question": finding.question,
        "verdict": finding.verdict.value,
        "message": finding.message,
        "sources": [
            {
                "path": source.path,
                "line": source.line,
                "verdict": source.verdict.value,
                "quote": source.quote,
                "now": source.now,
                "found_in": source.found_in,
            }
            for source in finding.sources
        ],
        "sentences": [
            {"text": sentence.text, "doubts": list(sentence.doubts), "now": sentence.now}
            for sentence in finding.sentences
        ],
    }


def _block(finding: AnswerFinding) -> str:
    return "\n".join([f"{finding.verdict.value.upper()}  {_line_of(finding.name)}", *_lines(finding)])


def _lines(finding: AnswerFinding) -> Iterator[str]:
    if finding.question:
        yield f"  Question: {_line_of(finding.question)}"
    yield f"  {_beginning(finding.message)}"
    for sentence in finding.sentences:
        yield f"  The answer says: {_line_of(sentence.text)}"
        yield f"    Why not: {_line_of('; '.join(_WORDS.get(doubt, doubt) for doubt in sentence.doubts))}."
    for source in finding.sources:
        if source.verdict not in (Verdict.CURRENT, Verdict.MOVED):
            yield f"  {_beginning(_where(source))}"
            said = "\n".join(sentence.text for sentence in finding.sentences)
            yield f"    was: {_line_of(told_quote(source.quote, said))}"
            yield f"    now: {_line_of(_now(finding, source)) if source.now else '(nothing like it)'}"


def _now(finding: AnswerFinding, source: SourceFinding) -> str:
    """What a source says now: a row as the sentence that it contradicts shows it, with the names of its columns."""
    shown = [each.now for each in finding.sentences if each.now and shows_row_of(each.now, source.now or "")]
    return shown[0] if shown else told_quote(source.now or "")


def _where(source: SourceFinding) -> str:
    place = source.found_in or source.path
    return f"{place}:{source.line}" if source.line else place


def _title(finding: AnswerFinding) -> str:
    said = {
        Verdict.UNTRUE: "An approved answer is no longer true",
        Verdict.UNANSWERABLE: "An approved answer has lost its source",
        Verdict.INVALID: "This is not an answer file",
        Verdict.MOVED: "The source of an approved answer has moved",
        Verdict.REWORDED: "The source of an approved answer was reworded",
        Verdict.UNCHECKED: "An approved answer names no source",
    }
    return said.get(finding.verdict, finding.verdict.value)


def _details(finding: AnswerFinding) -> str:
    return "\n".join([finding.name, *(line.strip() for line in _lines(finding))])


def _level(finding: AnswerFinding) -> str:
    return "error" if finding.verdict.is_failure else "warning"


def _changed_source(finding: AnswerFinding) -> SourceFinding | None:
    return next((each for each in finding.sources if each.verdict is not Verdict.CURRENT), None)


def _path(finding: AnswerFinding) -> str:
    """The changed document, if it still lies there; else the answer's own file."""
    source = _changed_source(finding)
    if source is None or source.now is None:
        return finding.name
    return source.found_in or source.path


def _line(finding: AnswerFinding) -> int | None:
    source = _changed_source(finding)
    return source.line if source is not None and source.now is not None else None


def _github_place(finding: AnswerFinding) -> str:
    line = _line(finding)
    return f"file={_property(_path(finding))},{f'line={line},' if line else ''}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _line_of(text: str) -> str:
    return " ".join(text.split())


def _beginning(text: str) -> str:
    """A text at the beginning of a line, where a runner would take two colons for a command to itself."""
    line = _line_of(text)
    return f"./{line}" if line.startswith("::") else line


def _printable(text: str) -> str:
    """Without the characters that XML cannot hold."""
    return "".join(letter for letter in text if letter in "\t\n" or letter.isprintable())


def _hold(check: AnswerCheck) -> str:
    return "holds" if len(check.failures) == 1 else "hold"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
