"""Questions are asked and judged: what counts as found, and what two settings differ in."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from sourcebook.errors import PathNotFound, UsageError
from sourcebook.model.documents import Chunk
from sourcebook.model.search import (
    RerankProvider,
    RetrievalConfig,
    RetrievalMode,
    ScoreBreakdown,
    SearchResult,
)
from sourcebook.retrieve.evaluation.evaluate import (
    Evaluation,
    JudgedQuestion,
    Outcome,
    Replayed,
    SearchSetting,
    differences,
    evaluate,
    replay,
    resolved,
)
from sourcebook.retrieve.evaluation.question_sets import (
    OwnQuestion,
    QuestionRecord,
    is_retrieval_set,
    read_own_questions,
    read_queries,
    read_records,
)

HYBRID = SearchSetting.of("hybrid")


def passage(document: str, text: str = "", similarity: float | None = None) -> SearchResult:
    return SearchResult(
        Chunk(f"{document}:{text}", document, text, 0, 0, len(text)),
        1.0,
        ScoreBreakdown(semantic_score=similarity),
        document_path=f"{document}.md",
    )


class Shelf:
    """Finds what it is told to, and remembers how it was asked."""

    def __init__(self, found: dict[str, Sequence[SearchResult]]) -> None:
        self.found = found
        self.asked: list[tuple[str, RetrievalConfig]] = []

    async def search(self, query: str, config: RetrievalConfig) -> Sequence[SearchResult]:
        self.asked.append((query, config))
        return self.found.get(query, [])


@pytest.mark.anyio
async def test_a_document_stands_where_its_best_passage_stands() -> None:
    shelf = Shelf({"q": [passage("b", "1"), passage("b", "2"), passage("a", "1"), passage("b", "3")]})
    done = await evaluate(shelf.search, [JudgedQuestion("1", "q", {"a": 1})], HYBRID)
    assert done.outcomes[0].documents == ["b", "a"]
    assert done.figures.mrr == 0.5
    assert done.figures.recall == 1.0


@pytest.mark.anyio
async def test_enough_passages_for_the_documents_are_asked_for() -> None:
    shelf = Shelf({})
    await evaluate(shelf.search, [JudgedQuestion("1", "q", {"a": 1})], SearchSetting.of("keyword"), k=7)
    assert {(config.top_k, config.mode) for _, config in shelf.asked} == {(35, RetrievalMode.KEYWORD)}


@pytest.mark.anyio
async def test_a_question_that_finds_nothing_counts_as_nothing() -> None:
    shelf = Shelf({"good": [passage("a")]})
    questions = [JudgedQuestion("1", "good", {"a": 1}), JudgedQuestion("2", "bad", {"a": 1})]
    done = await evaluate(shelf.search, questions, HYBRID)
    assert (done.figures.questions, done.figures.ndcg, done.figures.recall) == (2, 0.5, 0.5)
    assert [outcome.question.id for outcome in done.missed] == ["2"]


@pytest.mark.anyio
async def test_questions_that_should_not_be_answered_are_counted_apart() -> None:
    shelf = Shelf({"near": [passage("a", similarity=0.9)], "far": [passage("a", similarity=0.2)]})
    questions = [JudgedQuestion("1", "near", {"a": 1}), JudgedQuestion("2", "far")]
    done = await evaluate(shelf.search, questions, HYBRID)
    assert (done.figures.questions, done.figures.ndcg) == (1, 1.0)
    assert done.told_apart == 1.0
    assert done.missed == []


@pytest.mark.anyio
async def test_an_answer_counts_in_a_passage_of_the_right_document_alone() -> None:
    found = [passage("b", "In 1905."), passage("a", "Nothing."), passage("a", "It began in 1905.")]
    question = JudgedQuestion("1", "q", {"a": 1}, answers=["in 1905"])
    figures = (await evaluate(Shelf({"q": found}).search, [question], HYBRID)).figures
    assert (figures.answer_at_1, figures.answer_at_3) == (0.0, 1.0)


@pytest.mark.anyio
async def test_without_known_answers_no_share_of_them_is_told() -> None:
    figures = (await evaluate(Shelf({}).search, [JudgedQuestion("1", "q", {"a": 1})], HYBRID)).figures
    assert figures.answer_at_1 is None


@pytest.mark.anyio
async def test_progress_counts_every_question() -> None:
    told: list[tuple[int, int]] = []
    questions = [JudgedQuestion(str(n), "q", {"a": 1}) for n in range(3)]
    await evaluate(Shelf({}).search, questions, HYBRID, on_asked=lambda done, all_: told.append((done, all_)))
    assert told == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.anyio
async def test_no_questions_make_no_figures() -> None:
    figures = (await evaluate(Shelf({}).search, [], HYBRID)).figures
    assert (figures.questions, figures.ndcg, figures.p95_ms) == (0, 0.0, 0.0)


def evaluation(name: str, found: Sequence[Sequence[str]]) -> Evaluation:
    questions = [JudgedQuestion(str(n), f"q{n}", {"a": 1}) for n in range(len(found))]
    return Evaluation(name, 10, [Outcome(q, f, 1.0) for q, f in zip(questions, found, strict=True)])


def test_settings_are_held_against_the_first() -> None:
    good, bad = evaluation("good", [["a"]] * 20), evaluation("bad", [["b"]] * 20)
    (difference,) = differences([good, bad])
    assert (difference.setting, difference.against, difference.ndcg) == ("bad", "good", -1.0)
    assert difference.chance < 0.001
    assert differences([good]) == []


@pytest.mark.parametrize(("name", "mode"), [("keyword", "keyword"), ("semantic+rerank", "semantic")])
def test_a_setting_is_a_mode_with_or_without_a_reranker(name: str, mode: str) -> None:
    config = SearchSetting.of(name, RerankProvider.API).config
    assert config.mode.value == mode
    assert (config.rerank_config is not None) is name.endswith("+rerank")
    if config.rerank_config:
        assert config.rerank_config.provider is RerankProvider.API


@pytest.mark.parametrize("name", ["", "guess", "rerank", "hybrid+"])
def test_another_setting_is_an_error_that_lists_them(name: str) -> None:
    with pytest.raises(UsageError) as error:
        SearchSetting.of(name)
    assert "hybrid+rerank" in (error.value.hint or "")


@pytest.mark.anyio
async def test_a_replay_tells_what_came_and_went_and_moved() -> None:
    class Both:
        async def search(self, query: str, config: RetrievalConfig) -> Sequence[SearchResult]:
            names = "abc" if config.mode is RetrievalMode.KEYWORD else "bad"
            return [passage(name) for name in names]

    (one,) = await replay(Both().search, ["q"], SearchSetting.of("keyword"), HYBRID)
    assert one.overlap == 0.5
    assert one.moved == {"a.md": (1, 2), "b.md": (2, 1), "c.md": (3, None), "d.md": (None, 3)}


def test_a_question_that_nobody_can_answer_is_replayed_alike() -> None:
    nothing = Replayed("q", [], [])
    assert (nothing.overlap, nothing.moved) == (1.0, {})


# The files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    records = [
        {"id": "1", "title": "A", "text": "First."},
        {"id": 2, "title": "", "text": "Second."},
        {"id": "3", "title": "Only a title", "text": " "},
        {"id": "4", "title": " ", "text": ""},
    ]
    with gzip.open(tmp_path / "corpus.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)
    queries = [
        {"id": "q1", "text": "one?", "answers": ["First"]},
        {"id": "q2", "text": "two?"},
        {"id": "q3", "text": "?"},
    ]
    (tmp_path / "queries.jsonl").write_text("".join(json.dumps(q) + "\n" for q in queries), "utf-8")
    (tmp_path / "qrels.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq1\t1\t2\nq2\t2\t1\nq2\t1\t-1\n", "utf-8"
    )
    return tmp_path


def test_a_retrieval_set_is_read(folder: Path) -> None:
    assert is_retrieval_set(folder)
    assert list(read_records(folder)) == [
        QuestionRecord("1", "A", "First."),
        QuestionRecord("2", None, "Second."),
        QuestionRecord("3", "Only a title", "Only a title"),
    ]
    assert read_queries(folder) == [
        JudgedQuestion("q1", "one?", {"1": 2}, ("First",)),
        JudgedQuestion("q2", "two?", {"2": 1, "1": -1}),
    ]


def test_grades_may_stand_behind_a_column_of_zeros(folder: Path) -> None:
    (folder / "qrels.tsv").write_text("q1\t0\t1\t2\n", "utf-8")
    assert [question.judgements for question in read_queries(folder)] == [{"1": 2}]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("qrels.tsv", "q1\t1\t1\nq1 1 1\n"),
        ("queries.jsonl", '{"id": "q1"\n'),
        ("queries.jsonl", '["q1"]\n'),
        ("queries.jsonl", '{"text": "?"}\n'),
    ],
)
def test_a_broken_line_is_an_error_that_names_the_file(folder: Path, name: str, content: str) -> None:
    (folder / name).write_text(content, "utf-8")
    with pytest.raises(UsageError) as error:
        read_queries(folder)
    assert name in error.value.message


def test_a_missing_file_is_named(folder: Path) -> None:
    (folder / "qrels.tsv").unlink()
    with pytest.raises(PathNotFound) as error:
        read_queries(folder)
    assert "qrels.tsv" in error.value.message


@pytest.mark.parametrize(
    "text",
    [
        "question,expected_document,language\nWhen?,a.md | b.md,en\nWhat?,,\n",
        "\ufeffQuestion;Expected document;Lang\nWhen?;a.md|b.md;en\nWhat?;;\n\n",
        "language\tquestion\texpected\nen\tWhen?\ta.md|b.md\n\tWhat?\n",
        '"Вопрос","Документ","Язык"\r\n"When?","a.md|b.md","en"\r\n"What?",""\r\n',
    ],
)
def test_questions_of_ones_own_are_read_as_people_write_them(tmp_path: Path, text: str) -> None:
    path = tmp_path / "questions.csv"
    path.write_text(text, "utf-8", newline="")
    assert read_own_questions(path) == [OwnQuestion("When?", ("a.md", "b.md"), "en"), OwnQuestion("What?")]


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "question,expected_document\n", "question\nwhat\n"])
def test_a_file_without_questions_is_an_error_that_says_what_to_write(tmp_path: Path, text: str) -> None:
    path = tmp_path / "questions.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError) as error:
        read_own_questions(path)
    assert error.value.hint


def test_bytes_that_are_no_text_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "questions.csv"
    path.write_bytes(b"question,expected\n\xff\xfe,\xff\n")
    with pytest.raises(UsageError):
        read_own_questions(path)


@pytest.mark.parametrize(
    "name", ["x1", "docs/sub/Berries.md", "sub/berries.md", "./berries.md", "All berries"]
)
def test_a_document_may_be_named_in_several_ways(name: str) -> None:
    paths = {"x1": "docs/sub/Berries.md", "x2": "docs/blueberries.md"}
    assert resolved([name], paths, {"x1": "All Berries", "x2": "Berries"}) == ({"x1": 1}, [])


def test_a_name_that_means_nothing_is_told() -> None:
    assert resolved(["a.md", "c.md"], {"x": "a.md"}, {}) == ({"x": 1}, ["c.md"])
