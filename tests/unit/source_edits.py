"""Random edits of documents that are quoted, and what each of them does to the quotes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sourcebook.text.sentences import sentence_spans

_DENIALS = {"ru": "не ", "en": "not ", "pt": "não "}
_DOUBTS = {"ru": "Неверно, что ", "en": "It is wrong that ", "pt": "É falso que "}
_OTHERS = {"ru": "Совсем другие слова.", "en": "Quite other words.", "pt": "Palavras muito diferentes."}


@dataclass(frozen=True)
class Edit:
    """A new text, or none if the document goes, and whether the support of the quoted sentence changes with it."""

    name: str
    text: str | None
    is_felt: bool
    is_hidden: bool = False


def quotable(text: str) -> list[tuple[int, int]]:
    """Sentences that somebody may quote: with words and an end."""
    spans = sentence_spans(text)
    return [
        (start, end)
        for start, end in spans
        if end - start > 40 and text[end - 1] in ".!" and text[start] not in "#|-*>"
    ]


def random_edit(chance: random.Random, text: str, span: tuple[int, int], language: str) -> Edit:
    """An edit at random; half of them are felt by the quoted sentence."""
    edits: Sequence[Callable[[random.Random, str, tuple[int, int], str], Edit | None]] = (
        _FELT if chance.random() < 0.5 else _NOT_FELT
    )
    while True:
        made = chance.choice(edits)(chance, text, span, language)
        if made is not None and made.text != text:
            return made


def _within(name: str, text: str, span: tuple[int, int], sentence: str, *, is_felt: bool = True) -> Edit:
    return Edit(name, text[: span[0]] + sentence + text[span[1] :], is_felt)


def _other_number(chance: random.Random, text: str, span: tuple[int, int], language: str) -> Edit | None:
    sentence = text[slice(*span)]
    numbers = list(re.finditer(r"\d+", sentence))
    if not numbers:
        return None
    chosen = chance.choice(numbers)
    changed = (
        f"{sentence[: chosen.start()]}{int(chosen[0]) + 1 + chance.randrange(9)}{sentence[chosen.end() :]}"
    )
    return _within("another number", text, span, changed)


def _denied(chance: random.Random, text: str, span: tuple[int, int], language: str) -> Edit:
    sentence = text[slice(*span)]
    gaps = [match.end() for match in re.finditer(r"\w+ ", sentence)]
    at = chance.choice(gaps)
    return _within("denied", text, span, sentence[:at] + _DENIALS[language] + sentence[at:])


def _doubted(chance: random.Random, text: str, span: tuple[int, int], language: str) -> Edit:
    return _within("doubted", text, span, _DOUBTS[language] + text[slice(*span)])


def _other_word(chance: random.Random, text: str, span: tuple[int, int], language: str) -> Edit:
    sentence = text[slice(*span)]
    found = chance.choice(list(re.finditer(r"[^\W\d_]{4,}", sentence)))
    other = chance.choice(re.findall(r"[^\W\d_]{4,}", text))
    if other == found[0]:
        other = f"{other}x"
    return _within("another word", text, span, sentence[: found.start()] + other + sentence[found.end() :])


def _left_out(chance: random.Random, text: str, span: tuple[int, int], language: str) -> Edit:
    return _within("left out", text, span, "")


def _cut_short(chance: random.Random, text: str, span: tuple[int, int], language: str) -> Edit:
    sentence = text[slice(*span)]
    return _within("cut short", text, span, sentence[: len(sentence) // 2])


def _removed(chance: random.Random, text: str, span: tuple[int, int], language: str) -> Edit:
    return Edit("removed", None, is_felt=True)


def _hidden(chance: random.Random, text: str, span: tuple[int, int], language: str) -> Edit:
    return Edit("hidden", None, is_felt=True, is_hidden=True)


def _other_sentence(chance: random.Random, text: str, span: tuple[int, int], language: str) -> Edit | None:
    others = [other for other in sentence_spans(text) if other != span and text[other[0]] != "#"]
    if not others:
        return None
    start, end = chance.choice(others)
    return Edit("another sentence", f"{text[:start]}{_OTHERS[language]}{text[end:]}", is_felt=False)


def _paragraph_before(chance: random.Random, text: str, span: tuple[int, int], language: str) -> Edit:
    return Edit("a paragraph before", f"{_OTHERS[language]}\n\n{text}", is_felt=False)


def _paragraph_behind(chance: random.Random, text: str, span: tuple[int, int], language: str) -> Edit:
    return Edit("a paragraph behind", f"{text}\n\n{_OTHERS[language]}\n", is_felt=False)


def _sentence_beside(chance: random.Random, text: str, span: tuple[int, int], language: str) -> Edit:
    at = chance.choice(span)
    beside = f"{_OTHERS[language]} " if at == span[0] else f" {_OTHERS[language]}"
    return Edit("a sentence beside", text[:at] + beside + text[at:], is_felt=False)


def _other_lines(chance: random.Random, text: str, span: tuple[int, int], language: str) -> Edit:
    words = text[slice(*span)].split(" ")
    at = chance.randrange(1, len(words))
    return _within(
        "other lines", text, span, " ".join(words[:at]) + "\n" + " ".join(words[at:]), is_felt=False
    )


def _other_marks(chance: random.Random, text: str, span: tuple[int, int], language: str) -> Edit:
    turned = text.translate(str.maketrans({"—": "–", "«": "“", "»": "”", "’": "'"}))
    return Edit("other marks", turned, is_felt=False)


_FELT = (_other_number, _denied, _doubted, _other_word, _left_out, _cut_short, _removed, _hidden)
_NOT_FELT = (
    _other_sentence,
    _other_sentence,
    _paragraph_before,
    _paragraph_behind,
    _sentence_beside,
    _other_lines,
    _other_marks,
)
