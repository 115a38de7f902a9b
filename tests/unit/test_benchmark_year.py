"""The simulated year: what it asks, and how it judges."""

from __future__ import annotations

import random
from pathlib import Path

from benchmarks.year.cases import Manner, Wish, of_sample
from benchmarks.year.expert import is_right
from benchmarks.year.report import span
from benchmarks.year.run import Asked

from sourcebook.model.chat import Tier

QUESTION = "Сколько очков уступила защита?"


def test_a_wish_is_asked_in_several_ways_and_keeps_its_words() -> None:
    wish = Wish("text:1", QUESTION, frozenset({"p0"}), ("308",))
    asked = {wish.asked(random.Random(seed)) for seed in range(60)}
    assert {manner for _, manner in asked} == {Manner.EXACT, Manner.CARELESS, Manner.OTHER_QUESTION_WORDS}
    assert all("очков уступила защита" in question for question, _ in asked)


def test_the_pairs_of_the_sample_give_paraphrases_and_look_alikes() -> None:
    wishes = of_sample(Path(__file__).parents[2] / "sample" / "question_pairs.csv")
    assert any(wish.others for wish in wishes)
    assert any(not wish.others for wish in wishes)
    assert len({wish.question for wish in wishes}) == len(wishes)


def test_an_answer_is_judged_by_its_words_or_by_the_crop() -> None:
    text = Wish("text:1", QUESTION, frozenset({"p0"}), ("308",))
    assert is_right("Защита уступила 308 очков. [1]", [], [], text)
    assert not is_right("Защита уступила 24 очка. [1]", ["p0"], [], text)
    crop = Wish("sample:1", "Когда обрезать малину?", frozenset({"малина"}))
    assert is_right("x", [], ["документы/малина_летняя/обрезка.md"], crop)
    assert not is_right("x", [], ["документы/голубика_общая/почва.md"], crop)


def test_figures_count_repeats_and_what_was_ready() -> None:
    def asked(tier: Tier, *, right: bool = True, repeat: bool = False, ready: bool = False) -> Asked:
        return Asked(1, "text:1", QUESTION, Manner.EXACT, tier, right, repeat, not repeat, ready)

    figures = span(
        [
            asked(Tier.DOCUMENTS),
            asked(Tier.CURATED, repeat=True, ready=True),
            asked(Tier.CURATED, right=False, repeat=True, ready=False),
            asked(Tier.NONE, repeat=True, ready=True),
        ]
    )
    assert (figures["questions"], figures["repeats"], figures["repeats_curatable"]) == (4, 3, 2)
    assert (figures["repeats_curated"], figures["curatable_curated"], figures["precision"]) == (
        0.6667,
        0.5,
        0.5,
    )
    assert (figures["curated"], figures["documents"], figures["declined"], figures["wrong"]) == (
        0.5,
        0.25,
        0.25,
        0.25,
    )
