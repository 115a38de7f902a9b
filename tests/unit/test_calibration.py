"""Thresholds that fit a base: what they do, which would do better, and that they are used when they are applied."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.unit.consulting import PRUNING, QUESTION, UNKNOWN, desk

from sourcebook import Calibration, JudgedQuestion, QuestionPair, Thresholds
from sourcebook.consult.calibration.calibrator import tried_question
from sourcebook.consult.calibration.decided_questions import questions_from
from sourcebook.consult.calibration.suggestions import (
    TriedPair,
    TriedQuestion,
    best_needed,
    calibrate_pairs,
    calibrate_passages,
)
from sourcebook.consult.evidence.acceptance import Judgement
from sourcebook.consult.evidence.passages import JudgedPassages
from sourcebook.consult.evidence.question_judge import JUDGED_BY_MEANING, JUDGED_BY_WORDS, QuestionVerdict
from sourcebook.errors import CollectionNotFound, TooLittleData
from sourcebook.model.answer_thresholds import facts_for, facts_of
from sourcebook.model.calibration import PassageCalibration, PassageFigures
from sourcebook.model.chat import Citation, Tier
from sourcebook.model.documents import Chunk
from sourcebook.model.moderation import Draft, DraftKind, DraftStatus
from sourcebook.model.search import ScoreBreakdown, SearchResult


def tried(score: float, *, answerable: bool, expected: bool = True, sure: bool = False) -> TriedQuestion:
    return TriedQuestion(answerable, score, is_sure=sure, is_expected=expected)


def questions(high: float, low: float, each: int = 20) -> list[TriedQuestion]:
    """Answerable ones around `high`, others around `low`."""
    spread = [place / 100 for place in range(each)]
    return [
        question
        for step in spread
        for question in (tried(high + step, answerable=True), tried(low + step, answerable=False))
    ]


def test_the_curve_goes_from_answering_everything_to_declining_everything() -> None:
    found = calibrate_passages(questions(4.0, 2.0), needed=3.5)
    first, last = found.curve[0], found.curve[-1]
    assert (first.answered, first.declined) == (1.0, 0.0)
    assert (last.answered, last.declined) == (0.0, 1.0)
    assert 3.5 in {point.needed for point in found.curve}
    assert [point.needed for point in found.curve] == sorted(point.needed for point in found.curve)


def test_a_threshold_between_what_is_answered_and_what_is_not_is_found() -> None:
    found = calibrate_passages(questions(2.0, 1.0), needed=3.5)
    assert (found.before.answered, found.before.declined, found.before.right) == (0.0, 1.0, None)
    assert found.suggested is not None
    assert 1.19 < found.suggested < 2.0
    assert (found.after.answered, found.after.declined, found.after.right) == (1.0, 1.0, 1.0)


def test_a_threshold_that_does_its_work_stays() -> None:
    found = calibrate_passages(questions(4.0, 2.0), needed=3.5)
    assert (found.suggested, found.after) == (None, found.before)
    assert best_needed(questions(4.0, 2.0), 3.5) == 3.5


def test_luck_is_no_suggestion() -> None:
    """Scores that say nothing: whatever threshold fits these questions does not fit those that were left out."""
    noise = [(37 * place) % 101 / 50 for place in range(60)]
    found = calibrate_passages([tried(s, answerable=i % 2 == 0) for i, s in enumerate(noise)], needed=1.0)
    assert found.suggested is None


def test_an_answer_from_another_document_is_not_right() -> None:
    wrong = [tried(4.0, answerable=True, expected=False) for _ in range(10)]
    right = [tried(4.0, answerable=True) for _ in range(10)]
    found = calibrate_passages([*wrong, *right, *(tried(1.0, answerable=False) for _ in range(10))], 3.5)
    assert (found.before.answered, found.before.right) == (1.0, 0.5)


def test_a_vector_that_is_near_beyond_doubt_answers_at_any_threshold() -> None:
    some = [tried(0.0, answerable=True, sure=True) for _ in range(10)]
    some += [tried(1.0, answerable=False) for _ in range(10)]
    assert calibrate_passages(some, 9.0).before.answered == 1.0


@pytest.mark.parametrize(("answerable", "unanswerable"), [(9, 30), (30, 9), (0, 0)])
def test_too_few_questions_are_refused(answerable: int, unanswerable: int) -> None:
    some = [tried(4.0, answerable=True)] * answerable + [tried(1.0, answerable=False)] * unanswerable
    with pytest.raises(TooLittleData, match=f"There are {answerable} .* and {unanswerable} "):
        calibrate_passages(some, 3.5)


def pairs(*distances: tuple[float, bool, bool]) -> list[TriedPair]:
    return [TriedPair(*given) for given in distances for _ in range(10)]


def test_a_distance_that_serves_wrong_answers_is_made_smaller() -> None:
    found = calibrate_pairs(pairs((0.2, True, True), (0.4, True, False)), distance=0.6)
    assert (found.before.precision, found.before.coverage) == (0.5, 1.0)
    assert found.suggested is not None
    assert 0.2 < found.suggested <= 0.4
    assert (found.after.precision, found.after.coverage) == (1.0, 1.0)


def test_a_distance_that_is_too_small_is_made_larger() -> None:
    found = calibrate_pairs(pairs((0.7, True, True), (0.3, False, False)), distance=0.6)
    assert (found.before.precision, found.before.hits) == (None, 0)
    assert found.suggested is not None
    assert found.suggested > 0.7


def test_too_few_pairs_are_refused() -> None:
    with pytest.raises(TooLittleData, match="There are 10 pairs that ask the same and 0 "):
        calibrate_pairs(pairs((0.2, True, True)), 0.6)


def test_thresholds_belong_to_the_model_that_they_were_measured_with() -> None:
    settings = {"thresholds": Thresholds("a-model", needed=1.0).as_settings()}
    assert facts_for("a-model", settings).acceptance.needed == 1.0
    assert facts_for("a-model", settings).curation == facts_of("a-model").curation
    assert facts_for("other", settings) == facts_of("other")
    for broken in (
        {"thresholds": 5},
        {"thresholds": {"needed": 1}},
        {"thresholds": {"model": "a-model", "needed": "x"}},
    ):
        assert facts_for("a-model", broken) == facts_of("a-model")


def asked_often() -> Sequence[JudgedQuestion]:
    yes = [JudgedQuestion(f"y{n}", f"{QUESTION} {n}", {"pruning": 1}, language="en") for n in range(10)]
    no = [JudgedQuestion(f"n{n}", f"{UNKNOWN} {n}", language="en") for n in range(10)]
    return [*yes, *no]


@pytest.mark.anyio
async def test_a_base_is_measured_without_a_trace_and_changed_only_when_told_to(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        told: list[tuple[int, int]] = []
        found = await at.book.calibrate(
            asked_often(), on_asked=lambda done, total: told.append((done, total))
        )
        assert found.passages is not None
        assert (found.passages.answerable, found.passages.unanswerable) == (10, 10)
        assert found.passages.before.declined == 1.0
        assert told[-1] == (20, 20)
        assert found.curated is None
        assert await at.book.sessions() == []
        assert await at.book.stores.library.collection_settings("default") == {}


def test_what_vectors_alone_declined_is_answered_at_no_threshold() -> None:
    chunk = Chunk("c", "d", "Jeans are fine.", end_index=15)
    found = [(SearchResult(chunk, 1.0, ScoreBreakdown(0.4), "d"), Judgement(0.0, 0.0, 0.0, 0.4, -3.0))]

    def tried_with(score: float, *, sure: bool, by: str) -> TriedQuestion:
        verdict = QuestionVerdict(score, 0.2, sure, by)
        return tried_question(
            JudgedQuestion("q", "Какой дресс-код?"), JudgedPassages(found, {}, verdict=verdict)
        )

    assert not tried_with(0.1, sure=False, by=JUDGED_BY_MEANING).is_answered(-0.35)
    assert tried_with(0.3, sure=True, by=JUDGED_BY_MEANING).is_answered(0.5)
    assert tried_with(0.1, sure=False, by=JUDGED_BY_WORDS).is_answered(-0.35)


@pytest.mark.anyio
async def test_applied_thresholds_are_used_and_forgotten_with_the_model(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        (collection,) = await at.book.collections()
        assert collection.model is not None
        figures = PassageFigures(1.0, 1.0, 1.0)
        strict = PassageCalibration(10, 10, 3.5, 99.0, figures, figures)
        assert (await at.book.ask(QUESTION)).tier is Tier.DOCUMENTS
        applied = await at.book.apply_calibration(Calibration("default", collection.model.name, strict))
        assert applied == Thresholds(collection.model.name, needed=99.0)
        assert (await at.book.ask(QUESTION)).tier is Tier.NONE
        kept = await at.book.apply_calibration(Calibration("default", collection.model.name))
        assert kept.needed == 99.0
        await at.book.apply_calibration(Calibration("default", "another model"))
        assert (await at.book.ask(QUESTION)).tier is Tier.DOCUMENTS


@pytest.mark.anyio
async def test_pairs_are_judged_by_words_and_distance(tmp_path: Path) -> None:
    same = [
        QuestionPair(f"How do I prune row {n}?", f"What is the way to prune row {n}?", is_same=True)
        for n in range(10)
    ]
    other = [
        QuestionPair(f"How do I prune row {n}?", f"How do I water row {n}?", is_same=False) for n in range(10)
    ]
    async with desk(tmp_path) as at:
        found = await at.book.calibrate(pairs=[*same, *other])
        assert found.curated is not None
        assert (found.curated.before.precision, found.passages) == (1.0, None)
        with pytest.raises(CollectionNotFound):
            await at.book.calibrate(pairs=same, collection="nowhere")


def test_what_experts_decided_is_a_question_with_its_documents_or_without() -> None:
    cited = Citation(
        1, "", "default", "pruning", "pruning", None, "c", None, 0, 5, PRUNING[:5], verified=True
    )
    drafts = [
        Draft(1, 1, DraftKind.ANSWER, "approved", DraftStatus.APPROVED, citations=(cited,)),
        Draft(2, 1, DraftKind.ANSWER, "rejected", DraftStatus.REJECTED, citations=(cited,)),
        Draft(3, 1, DraftKind.ANSWER, "waits", DraftStatus.PENDING, citations=(cited,)),
        Draft(4, 1, DraftKind.DECLINED, "declined", DraftStatus.APPROVED),
    ]
    found = questions_from(drafts, "default")
    assert [(q.text, dict(q.judgements)) for q in found] == [("approved", {"pruning": 1}), ("rejected", {})]
    assert questions_from(drafts, "other") == []
