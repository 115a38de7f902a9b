"""What a change of the documents means for an approved answer."""

from __future__ import annotations

import pytest

from sourcebook.consult.answer_check.verdicts import CheckedDocument, DocumentTexts, checked
from sourcebook.curate.answer_files import answer_text, file_name, read_answer
from sourcebook.errors import BadAnswerFile
from sourcebook.model.answer_check import AnswerFile, FileSource, Verdict

RETURNS = "You can return any item within 30 days of delivery. Items must be unused."


def verdict(answer: str, quote: str, now: str | None, *, elsewhere: str = "") -> Verdict:
    documents = [CheckedDocument("other.md", elsewhere)] if elsewhere else []
    if now is not None:
        documents.append(CheckedDocument("docs/returns.md", now, raw=now))
    file = AnswerFile("a.md", "How long?", answer, sources=(FileSource("returns.md", quote),))
    return checked(file, DocumentTexts(documents)).verdict


QUOTE = "You can return any item within 30 days of delivery."
ANSWER = "You have 30 days after delivery to send it back."


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        pytest.param(RETURNS, Verdict.CURRENT, id="nothing changed"),
        pytest.param(RETURNS + " Refunds take a week.", Verdict.CURRENT, id="something else was added"),
        pytest.param(RETURNS.replace("30", "14"), Verdict.UNTRUE, id="another number"),
        pytest.param(RETURNS.replace("can return", "cannot return"), Verdict.UNTRUE, id="denied"),
        pytest.param(
            RETURNS.replace("You can return any item", "Any item can be returned"),
            Verdict.REWORDED,
            id="reworded",
        ),
        pytest.param("We sell lamps and chairs.", Verdict.UNANSWERABLE, id="says something else altogether"),
        pytest.param(None, Verdict.UNANSWERABLE, id="the document is gone"),
    ],
)
def test_a_change_of_the_quoted_sentence_decides(now: str | None, expected: Verdict) -> None:
    assert verdict(ANSWER, QUOTE, now) is expected


@pytest.mark.parametrize(
    ("answer", "now"),
    [
        ("You can return any item within 30 days of delivery, or 4 weeks.", RETURNS.replace("30", "14")),
        ("Within 30 days of delivery you can return any item (section 9).", RETURNS.replace("30", "14")),
        (ANSWER, "Returns are accepted for 14 days."),
    ],
    ids=["it says a number of its own", "it names its section", "the source was written anew"],
)
def test_another_number_is_the_reason_whatever_else_the_answer_says(answer: str, now: str) -> None:
    found = checked(
        AnswerFile("a.md", "How long?", answer, sources=(FileSource("returns.md", QUOTE),)),
        DocumentTexts([CheckedDocument("returns.md", now, raw=now)]),
    )
    assert found.verdict.is_failure
    assert found.sentences[0].doubts[0] == "number"


def test_what_the_quotes_never_said_is_no_new_reason() -> None:
    own = "You can return any item within 30 days of delivery, or 4 weeks."
    now = RETURNS.replace("You can return any item", "Any item can be returned")
    assert verdict(own, QUOTE, now) is Verdict.REWORDED


def test_a_quote_that_moved_to_another_document_is_only_a_warning() -> None:
    assert verdict(ANSWER, QUOTE, "Nothing here.", elsewhere=RETURNS) is Verdict.MOVED


def test_an_answer_in_the_experts_own_words_is_judged_by_its_quotes() -> None:
    own = "Паспорт не нужен, достаточно номера."
    quote = "Забрать заказ можно без паспорта, по номеру заказа."
    assert verdict(own, quote, "Забрать заказ можно только с паспортом.") is Verdict.UNTRUE


HOURS = """Open:

| Day | Studio | Shop |
|---|---|---|
| Friday | 9:00 – 18:00 | 11:00 – 17:00 |
| Saturday | 10:00 – 18:00 | 10:00 – 17:00 |
| Sunday | closed | 10:00 – 12:00 |
"""
SATURDAY = "| Saturday | 10:00 – 18:00 | 10:00 – 17:00 |"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("Friday | 9:00", "Friday | 8:00", Verdict.CURRENT),
        ("Saturday | 10:00", "Saturday | 11:00", Verdict.UNTRUE),
        ("Saturday | 10:00 – 18:00 | 10:00 – 17:00", "Saturday | closed | 10:00 – 12:00", Verdict.UNTRUE),
        (f"{SATURDAY}\n", "", Verdict.UNANSWERABLE),
        ("Studio | Shop", "Shop | Studio", Verdict.UNTRUE),
    ],
    ids=[
        "another row",
        "a cell",
        "the cells of the row below",
        "the row is gone",
        "the names of the columns",
    ],
)
def test_a_row_that_is_shown_is_judged_by_itself(old: str, new: str, expected: Verdict) -> None:
    answer = "Day: Saturday · Studio: 10:00 – 18:00 · Shop: 10:00 – 17:00"
    assert verdict(answer, SATURDAY, HOURS.replace(old, new)) is expected


def test_a_row_of_another_table_has_the_names_of_that_one() -> None:
    answer = "- Day: Saturday · Shop: 10:00 – 17:00 [1]\n- Tag: Samstag · Laden: 10:00 – 17:00 [2]"
    german = "Offen:\n\n| Tag | Laden |\n|---|---|\n| Samstag | 10:00 – 17:00 |\n"
    sources = (FileSource("hours.md", SATURDAY), FileSource("zeiten.md", "| Samstag | 10:00 – 17:00 |"))
    file = AnswerFile("a.md", "Q?", answer, sources=sources)
    texts = {"hours.md": HOURS, "zeiten.md": german}
    documents = DocumentTexts([CheckedDocument(path, text, raw=text) for path, text in texts.items()])
    assert checked(file, documents).verdict is Verdict.CURRENT


def test_an_answer_without_sources_is_said_to_be_unchecked() -> None:
    assert checked(AnswerFile("a.md", "Q?", "A."), DocumentTexts([])).verdict is Verdict.UNCHECKED


def test_a_finding_names_the_line_and_what_stands_there_now() -> None:
    now = "# Returns\n\nYou can return any item within 14 days of delivery.\n"
    document = CheckedDocument("returns.md", now, raw=now)
    file = AnswerFile("a.md", "Q?", ANSWER, sources=(FileSource("returns.md", QUOTE),))
    found = checked(file, DocumentTexts([document]))
    assert (found.sources[0].line, found.sources[0].now) == (
        3,
        "You can return any item within 14 days of delivery.",
    )
    assert found.sentences[0].doubts == ("number",)


def test_a_file_is_read_as_it_was_written() -> None:
    answer = AnswerFile(
        "a.md",
        "Нужен ли паспорт: да или нет?",
        "Нет.\n\n- без паспорта\n- по номеру",
        also=("Пустят без паспорта?",),
        category="склад",
        subcategory="выдача",
        language="ru",
        sources=(FileSource("a b/ru.md", "- «Без паспорта»: по номеру\nзаказа # 5"),),
        approved_at=1_763_000_000,
    )
    assert read_answer(answer_text(answer), "a.md") == answer


@pytest.mark.parametrize("written", ["2025-11-13", "2025-11-13T00:00:00Z", "'2025-11-13 02:00:00+02:00'"])
def test_the_time_of_an_approval_is_a_date_or_a_time_with_its_offset(written: str) -> None:
    read = read_answer(f"---\nquestion: q\napproved: {written}\n---\nx", "a.md")
    assert read.approved_at == 1_762_992_000


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("just text", "no block"),
        ("---\ncategory: x\n---\nanswer", "no `question`"),
        ("---\nquestion: q\n---\n", "no answer"),
        ("---\nquestion: [a\n---\nx", "not valid YAML"),
        ("---\nquestion: 2024-99-99\n---\nx", "not valid YAML"),
        (f"---\nquestion: {10_000 * '['}\n---\nx", "not valid YAML"),
        ("---\nquestion: q\nsource: x\n---\nx", "unknown key 'source'"),
        ("---\nquestion: q\nsources:\n- path: a.md\n---\nx", "needs a `path` and a `quote`"),
        ("---\nquestion: q\nalso: what\n---\nx", "list of texts"),
        ("---\nquestion: q\napproved: yesterday\n---\nx", "`approved` must be a date"),
        ("---\n- a\n---\nx", "no `question"),
    ],
)
def test_a_file_that_is_no_answer_says_what_is_wrong(text: str, told: str) -> None:
    with pytest.raises(BadAnswerFile, match=r"a\.md") as error:
        read_answer(text, "a.md")
    assert told in error.value.message


def test_file_names_are_words_of_the_question_and_never_meet() -> None:
    assert file_name("How long, exactly?", ()) == "how-long-exactly.md"
    assert file_name("How long exactly", ["how-long-exactly.md"]) == "how-long-exactly-2.md"
    assert file_name("???", ()) == "answer.md"
    assert len(file_name("слово " * 40, ())) < 70
