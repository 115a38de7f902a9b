"""What people want to know: questions whose answer is known, in the ways in which they are asked."""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sourcebook.retrieve.evaluation.question_sets import read_queries, read_records
from sourcebook.text.sentences import sentence_spans

ANSWERED_BY, OUTSIDE = "xquad-ru", "rurag-para-dev"
"""The set whose texts are in the base, and the one whose questions are about other things."""

# How the same is asked in other words, by script. People do more; these are at least not chosen to be easy.
_OTHER_WORDS = (
    (r"^Сколько\b", "Какое количество"),
    (r"^Почему\b", "По какой причине"),
    (r"^Когда\b", "В какое время"),
    (r"^Где\b", "В каком месте"),
    (r"^Кто\b", "Кто именно"),
    (r"^Что такое\b", "Что означает"),
    (r"^Какой\b", "Какой именно"),
    (r"^Какая\b", "Какая именно"),
    (r"^Как\b", "Каким образом"),
)
_CYRILLIC = re.compile("[а-я]")
_CROPS = (
    ("малин", "малина"),
    ("голубик", "голубика"),
    ("клубник", "клубника"),
    ("raspberr", "raspberry"),
    ("blueberr", "blueberry"),
    ("strawberr", "strawberry"),
    ("framboes", "framboesa"),
    ("mirtilo", "mirtilo"),
    ("morang", "morango"),
)
_POLITE = ("Подскажите, пожалуйста, {}", "Скажите, {}", "Здравствуйте! {}", "{} Спасибо!", "а {}")


class Manner(StrEnum):
    """How a question is asked: as at first, politely or carelessly, with other question words, or by another person."""

    EXACT = "exact"
    CARELESS = "careless"
    OTHER_QUESTION_WORDS = "other_question_words"
    PARAPHRASE = "paraphrase"


@dataclass(frozen=True)
class Wish:
    """Something that people want to know. Without documents the base cannot answer it.

    `others` are real ways to ask the same, written by people; where there are none, the script makes some.
    """

    name: str
    question: str
    documents: frozenset[str] = frozenset()
    answers: Sequence[str] = ()
    reply: str = ""
    others: Sequence[str] = ()

    @property
    def is_outside(self) -> bool:
        return not self.documents

    def asked(self, chance: random.Random) -> tuple[str, Manner]:
        """One way to ask it."""
        drawn = chance.random()
        if self.others:
            if drawn < 0.4:
                return self.question, Manner.EXACT
            return chance.choice(self.others), Manner.PARAPHRASE
        if drawn < 0.4:
            return self.question, Manner.EXACT
        if drawn < 0.7 or not _CYRILLIC.search(self.question):
            return _careless(chance, self.question), Manner.CARELESS
        return _other_words(self.question), Manner.OTHER_QUESTION_WORDS


def _careless(chance: random.Random, question: str) -> str:
    small = question[:1].lower() + question[1:]
    if chance.random() < 0.4 or not _CYRILLIC.search(question):
        return question.rstrip("?").lower()
    return chance.choice(_POLITE).format(small)


def _other_words(question: str) -> str:
    for pattern, other in _OTHER_WORDS:
        if re.search(pattern, question):
            return re.sub(pattern, other, question, count=1)
    return f"Хочу узнать: {question[:1].lower()}{question[1:]}"


def of_texts(folder: Path, count: int, chance: random.Random) -> list[Wish]:
    """Questions about the texts of a set; the expert's reply is the sentence that holds the answer."""
    records = {record.id: record for record in read_records(folder)}
    wishes = [
        Wish(
            f"text:{query.id}",
            query.text,
            frozenset(query.judgements),
            tuple(query.answers),
            _sentence_with(records[next(iter(query.judgements))].text, query.answers),
        )
        for query in read_queries(folder)
        if query.answers and query.has_answer
    ]
    return chance.sample(_distinct(wishes), count)


def outside(folder: Path, count: int, chance: random.Random) -> list[Wish]:
    """Questions that no text of the base answers; every second one is for the expert, the others for nobody."""
    chosen = chance.sample(read_queries(folder), count)
    return [
        Wish(
            f"outside:{q.id}", q.text, reply=f"Ответ эксперта: {q.answers[0]}" if n % 2 and q.answers else ""
        )
        for n, q in enumerate(chosen)
    ]


def of_sample(pairs: Path) -> list[Wish]:
    """Questions about the sample library that people have asked in other words too, and their look-alikes.

    Which page answers is not known, only the crop: a right answer cites a folder of it.
    """
    others: dict[str, list[str]] = {}
    for row in _rows(pairs):
        others.setdefault(row["question"], [])
        if row["same"] == "yes":
            others[row["question"]].append(row["other"])
        else:
            others.setdefault(row["other"], [])
    return [
        Wish(f"sample:{n}", question, folders, others=said)
        for n, (question, said) in enumerate(others.items())
        if (folders := _folders(question))
    ]


def _folders(question: str) -> frozenset[str]:
    asked = question.lower()
    return frozenset(folder for word, folder in _CROPS if word in asked)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _sentence_with(text: str, answers: Sequence[str]) -> str:
    for start, end in sentence_spans(text):
        if any(answer in text[start:end] for answer in answers):
            return text[start:end]
    return answers[0]


def _distinct(wishes: Sequence[Wish]) -> list[Wish]:
    return list({wish.question: wish for wish in wishes}.values())
