"""Why an answer is what it is: in words, and with bars that tell near from far."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from sourcebook.consult.evidence.judge_weights import judge_weights
from sourcebook.consult.question.same_question import QuestionDifference
from sourcebook.faces.cli.terminal.answer_reasons import reasons
from sourcebook.faces.web.why_view import why_view
from sourcebook.locale import LANGUAGES, page_texts
from sourcebook.model.chat import Answer, Citation, Tier

if TYPE_CHECKING:
    from sourcebook.model.documents import JsonValue

_NO_NUMBERS = {
    *("intercept", "needed", "needed_of_one", "needed_more", "names_bonus", "usual_gap", "usual_names_met")
}


def names_weighed() -> set[str]:
    weights = judge_weights()
    return {*weights.question, *weights.across} - _NO_NUMBERS


def judged(shares: dict[str, float]) -> str:
    """What the terminal says of a judgement to which each of these adds so much."""
    numbers: dict[str, JsonValue] = {name: {"share": share, "value": 1.0} for name, share in shares.items()}
    score = sum(shares.values())
    told: dict[str, JsonValue] = {
        "accepted": True,
        "sure": False,
        "by": "words",
        "score": score,
        "needed": 0.0,
    }
    return reasons(Answer("q", "a", Tier.DOCUMENTS, details={"judgement": {**told, "numbers": numbers}}))


def test_whatever_is_weighed_has_words_in_the_terminal_and_what_adds_nothing_is_left_out() -> None:
    weighed = names_weighed()
    said = judged(dict.fromkeys(weighed, 1.0))
    assert [name for name in weighed if re.search(rf"\+1\.00  (?:judged_)?{name}\b", said)] == []
    assert said.count("+1.00  ") == len(weighed)
    few = judged({"share": 0.4, "unknown": -0.001})
    assert "+0.40  " in few
    assert "-0.00" not in few


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_is_weighed_has_words(language: str) -> None:
    weighed = names_weighed()
    reasons = {"far", *(each.value for each in QuestionDifference)}
    wanted = {f"judged_{name}" for name in weighed} | {f"differs_{name}" for name in reasons}
    assert wanted - set(page_texts(language).entries) == set()


def test_a_passage_that_is_far_has_a_shorter_bar_also_when_none_is_near() -> None:
    rows = [
        {"title": "t", "document_path": "p", "closeness": each, "taken": False} for each in (-0.5, -2.2, -4.3)
    ]
    near, far, farthest = (each.width for each in why_view(page_texts("en"), {"passages": rows}).passages)
    assert 50 > near > far > farthest >= 2


@pytest.mark.parametrize(
    ("details", "said"),
    [
        ({"judgement": {"accepted": True}, "left_to_model": False}, "why_enough"),
        ({"judgement": {"accepted": False}, "left_to_model": True}, "why_left_to_model"),
        ({"judgement": {"accepted": False}}, "why_not_enough"),
    ],
)
def test_it_says_whether_the_base_or_a_model_decided(details: dict[str, Any], said: str) -> None:
    view = why_view(page_texts("en"), details)
    assert view.verdict == said
    assert page_texts("en")(view.verdict)


def test_the_lines_add_up_to_the_score_and_begin_where_every_question_starts() -> None:
    numbers = {"share": {"value": 0.5, "share": 2.25}, "gap": {"value": 0.1, "share": -0.75}}
    judgement = {"accepted": True, "score": -0.001, "needed": -0.35, "numbers": numbers}
    view = why_view(page_texts("en"), {"judgement": judgement})
    assert view.shares[0].name == "Where every question starts"
    assert sum(each.share for each in view.shares) == pytest.approx(-0.001)
    assert str(view.score) == "0.0"


@pytest.mark.parametrize(("model", "said"), [(None, "quoted"), ("some-model", "cited")])
def test_it_says_which_passages_the_answer_stands_on(model: str | None, said: str) -> None:
    rows = [
        {"chunk_id": name, "title": name, "document_path": "p", "closeness": 1.0, "taken": name != "c"}
        for name in "abc"
    ]
    cited = Citation(
        number=1,
        text="",
        collection_id="default",
        document_id="d",
        document_path="p",
        document_title=None,
        chunk_id="b",
        page=None,
        start=0,
        end=1,
        quote="x",
        verified=True,
    )
    texts = page_texts("en")
    view = why_view(texts, {"passages": rows, "model": model}, [cited])
    assert [texts(each.part) for each in view.passages] == ["read, not quoted", said, "not used"]
