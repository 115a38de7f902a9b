from __future__ import annotations

from sourcebook.text.layout.sheet_rows import question_and_answer, rows_of_sheets, rows_of_tables

TABLE = "| Question | Answer |\n|---|---|\n| Which bar \\| pipe? |  Use `a \\| b`. |\n| Empty? | |\n"


def test_cells_between_bars_are_found_where_they_stand() -> None:
    rows = rows_of_tables(TABLE)
    cells = [[(cell.name, TABLE[cell.start : cell.end]) for cell in row] for row in rows.values()]
    assert cells == [
        [("Question", "Which bar \\| pipe?"), ("Answer", "Use `a \\| b`.")],
        [("Question", "Empty?")],
    ]
    assert [question_and_answer(row) is not None for row in rows.values()] == [True, False]


def test_a_row_may_end_in_an_escaped_bar() -> None:
    table = "| Question | Answer |\n|---|---|\n| Which sign? | It is \\|\n"
    (row,) = rows_of_tables(table).values()
    assert [table[cell.start : cell.end] for cell in row] == ["Which sign?", "It is \\"]


def test_the_answer_to_a_quiz_is_not_its_first_choice() -> None:
    quiz = "Question: Who sows?; A: the mayor; B: the farmer; Answer: the farmer"
    (row,) = rows_of_sheets(quiz, [(0, len(quiz))]).values()
    found = question_and_answer(row)
    assert found is not None
    assert [quiz[cell.start : cell.end] for cell in found] == ["Who sows?", "the farmer"]


def test_prose_with_semicolons_is_no_row_of_a_sheet() -> None:
    prose = "Mon: open; Tue: shut. Ring twice.\n\nNote: it rains; so: stay in."
    spans = [(0, prose.index("\n")), (prose.index("Note"), len(prose))]
    assert rows_of_sheets(prose, spans) == {}
    sheet = prose.replace("Note: it rains; so", "Mon: shut; Tue")
    assert list(rows_of_sheets(sheet, [(0, sheet.index("\n")), (sheet.index("\n") + 2, len(sheet))])) == [
        0,
        35,
    ]
    assert rows_of_sheets("", []) == {}
