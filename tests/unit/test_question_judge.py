"""Answer or decline: the numbers that decide, what each adds, and what a decline shows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from tests.unit.consulting import PRUNING, QUESTION, UNKNOWN, desk
from tests.unit.judging import FACTS, asked, passage

from sourcebook.consult.evidence.acceptance import Judgement, judged, term_weight, term_weights
from sourcebook.consult.evidence.judge_weights import judge_weights
from sourcebook.consult.evidence.missing.missing_form import SoughtForm
from sourcebook.consult.evidence.missing.missing_names import names_found
from sourcebook.consult.evidence.passages import JudgedPassages
from sourcebook.consult.evidence.question_judge import (
    JUDGED_BY_WORDS,
    QuestionVerdict,
    nearness,
    numbers_of,
    verdict_on,
)
from sourcebook.consult.evidence.weighed_question import WeighedQuestion
from sourcebook.consult.question.asking_part import asking_part
from sourcebook.faces import json_shapes
from sourcebook.model.answer_thresholds import Thresholds, facts_for
from sourcebook.model.asked_collection import WordCounts
from sourcebook.model.chat import BETWEEN_HEADINGS, Declined, Done, Tier


def test_a_verdict_is_the_sum_of_its_shares() -> None:
    verdict = verdict_on(*asked(QUESTION, passage(PRUNING), passage("Water.", document="e")), FACTS)
    assert set(verdict.numbers) == set(judge_weights().question) - {"intercept"}
    assert verdict.score == pytest.approx(
        judge_weights().question["intercept"] + sum(verdict.shares.values())
    )
    told = cast("dict[str, Any]", verdict.as_details())
    assert told["accepted"] is True
    assert told["numbers"]["share"]["value"] == 1.0


@pytest.mark.parametrize(
    ("question", "text", "section", "is_missing"),
    [
        ("How much is a lesson in Tallinn?", "A lesson costs 65 pounds.", "Prices > Bristol", 1.0),
        ("How much is a lesson in Tallinn?", "A lesson costs 65 euros.", "Prices > Tallinn", 0.0),
        ("Сколько стоит урок в Таллине?", "Урок стоит 65 евро. Запись в конторе Таллинна.", None, 0.0),
        ("Сколько стоит урок в Бристоле?", "In Bristol a lesson is 65 pounds.", None, 0.0),
        ("Is a lesson given in December?", "A lesson costs 65 euros.", None, 0.0),
        ("How much is a lesson in Narva?", "A lesson costs 65 euros.", None, 0.0),
        ("How much is a lesson?", "A lesson costs 65 euros.", None, 0.0),
    ],
)
def test_a_price_elsewhere_does_not_answer_for_a_place_that_the_base_knows(
    question: str, text: str, section: str | None, is_missing: float
) -> None:
    weighed, found = asked(question, passage(text, section=section))
    known: dict[str, int] = {}
    for stem in ("tallinn", "таллин", "бристол", "decemb", "lesson", "урок"):
        known[stem] = 3
    there = replace(weighed, counts=WordCounts(known, 1000), languages=("en", "ru"))
    assert numbers_of(there, found)["place_missing"] == is_missing


def test_a_passage_about_something_else_is_declined() -> None:
    assert not verdict_on(
        *asked(QUESTION, passage("Two litres of water.", similarity=0.1)), FACTS
    ).is_accepted
    assert not verdict_on(*asked(QUESTION), FACTS).is_accepted


def test_a_vector_that_is_near_beyond_doubt_is_enough() -> None:
    found = asked(QUESTION, passage("Nothing of the kind.", similarity=0.8))
    assert verdict_on(*found, FACTS).is_sure
    assert not verdict_on(*asked(QUESTION, passage("Nothing of the kind.", similarity=0.7)), FACTS).is_sure


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("What happened in 1993?", 0.0),
        ("What happened in 1995?", 1.0),
        ("How many requests do four cores serve?", 1.0),
        ("Is 8080 the port?", 0.0),
        ("What happened?", 0.0),
    ],
)
def test_a_number_that_the_closest_passage_lacks_speaks_against_an_answer(
    question: str, missing: float
) -> None:
    found = asked(question, passage("It began in 1993.", section="Port 8080"))
    assert numbers_of(*found)["number_missing"] == missing
    assert judge_weights().question["number_missing"] < 0


@pytest.mark.parametrize("text", ["It was split on 19.02.2024.", "Released 2024-02-19.", "The plan of 2024."])
def test_the_year_of_a_date_is_a_number_that_is_said(text: str) -> None:
    assert numbers_of(*asked("What was split in 2024?", passage(text)))["number_missing"] == 0.0


def test_the_number_of_a_version_is_said_with_its_letter_but_not_within_another_number() -> None:
    assert numbers_of(*asked("Tools for Plum 2", passage("Plum v2 has tools.")))["number_missing"] == 0.0
    assert numbers_of(*asked("Tools for Plum 2", passage("Plum v12 has tools.")))["number_missing"] == 1.0


def test_words_decide_where_they_can_whatever_the_language_is_taken_for() -> None:
    assert verdict_on(*asked(QUESTION, passage(PRUNING)), FACTS, is_foreign=True).by == JUDGED_BY_WORDS


def test_in_a_base_of_two_documents_a_word_that_both_hold_still_counts() -> None:
    assert term_weight(2, 2) > 0.7 * term_weight(0, 2)
    assert term_weight(900, 1000) < 0.2 * term_weight(0, 1000)


def test_words_that_people_ask_with_count_little() -> None:
    weights = term_weights("I want to know which tool prunes raspberries", ["en"], {}, 1000)
    assert max(weights["want"], weights["know"], weights["tool"]) < weights["raspberri"] / 2


def test_a_section_counts_as_said_with_its_sentences() -> None:
    weights = term_weights("prune raspberries", ["en"], {}, 1000)
    found = judged(weights, passage("Take old canes out in autumn.", section="Pruning raspberries"), "en")
    assert (found.sentence_share, found.bare_share) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("question", "text", "share"),
    [
        ("Where is the port of Kozmino?", "Kozmino is a port.", 1.0),
        ("Где порт Козьмино и город Находка?", "В Находке есть порт.", 0.5),
        ("What happened to Anna in 1993?", "Anna left in 1994.", 0.5),
        ("how long is it", "Anything.", 1.0),
        ("WHERE IS THE PORT?", "Anything.", 1.0),
    ],
)
def test_names_and_numbers_are_found_in_any_form_but_not_in_another_number(
    question: str, text: str, share: float
) -> None:
    assert names_found(question, text) == share


def test_words_that_the_base_holds_nowhere_speak_against_an_answer_in_a_large_base() -> None:
    weights = term_weights("gearbox oil", ["en"], {}, 1000)
    found = [(passage(PRUNING), Judgement(0.0, 0.0, 0.0, 0.4, -3.0))]
    unknown = [
        numbers_of(WeighedQuestion("gearbox oil", weights, WordCounts({}, rows)), found)["unknown"]
        for rows in (2, 10_000)
    ]
    assert unknown[0] < 0.05 < 0.9 < unknown[1]


def test_without_vectors_or_over_several_collections_the_usual_numbers_stand_in() -> None:
    usual = judge_weights().usual
    words_only = numbers_of(*asked(QUESTION, passage(PRUNING, similarity=None)))
    assert (words_only["similarity"], words_only["score"]) == (usual["similarity"], usual["score"])


def test_an_accepted_question_keeps_its_first_passage_and_leaves_what_is_far_behind() -> None:
    def at(score: float) -> Judgement:
        return Judgement(0.1, 0.0, 0.0, 0.0, score)

    first, closest, far = passage("First."), passage("Closest one."), passage("Far behind it all.")
    found = JudgedPassages(
        [(first, at(-4.0)), (closest, at(2.0)), (far, at(-4.0))], {}, verdict=QuestionVerdict(1.0, 0.0)
    )
    assert found.accepted(1000) == [first, closest]
    assert found.nearest()[:1] == [closest]
    declined = JudgedPassages(found.passages, {}, verdict=QuestionVerdict(-1.0, 0.0))
    assert declined.accepted(1000) == []


def test_a_threshold_of_an_earlier_judge_is_not_used() -> None:
    stored = Thresholds("m", needed=4.0, distance=0.3).as_settings()
    assert facts_for("m", {"thresholds": stored}).acceptance.needed == 4.0
    earlier = {"model": "m", "needed": 4.0, "distance": 0.3}
    facts = facts_for("m", {"thresholds": cast("Any", earlier)})
    assert (facts.acceptance.needed, facts.curation.distance) == (FACTS.needed, 0.3)


@pytest.mark.anyio
async def test_a_decline_shows_what_came_closest_and_why_it_was_not_enough(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        events = await at.ask("Which gearbox oil does a tractor need in autumn?")
        unrelated = await at.book.ask(UNKNOWN)
    assert isinstance(events[-1], Declined)
    answer = events[-1].answer
    assert [near.document_path for near in answer.nearest] == ["pruning"]
    assert (unrelated.tier, unrelated.nearest) == (Tier.NONE, ())
    assert cast("dict[str, Any]", answer.details["judgement"])["accepted"] is False
    near = json_shapes.answer(answer)["nearest"][0]
    assert near["document_path"] == answer.nearest[0].document_path
    assert {"title", "page", "section", "content", "score"} <= set(near)


FIRM = "Welcome to Lumen! We build city bikes. The workshop was founded in Porto in 2009 and moved to a larger hall."


@pytest.mark.parametrize(
    ("question", "text", "is_missing"),
    [
        ("Who founded the Lumen workshop?", FIRM, True),
        ("Who is the head of Lumen?", FIRM, True),
        ("When was the Lumen workshop founded?", FIRM, False),
        ("How many bikes does the Lumen workshop build?", FIRM, True),
        ("Who founded the Lumen workshop?", "The workshop was founded by two friends.", False),
        ("Who founded the Lumen workshop?", "In 2009 Ana Reis founded the workshop.", False),
        ("Who approves returns?", "The warehouse manager approves returns above 500 EUR.", False),
        ("Who is the first aider?", "# First aider\n\nMarta", False),
        ("What was founded?", FIRM, False),
        ("How much is the fee?", "| City | Fee |\n|---|---|\n| Porto | 5 EUR |", False),
        ("How much is delivery?", "# Delivery\n\nIt is done by car. The driver takes 5 EUR.", False),
        ("How much is delivery?", "Delivery is free.", False),
        ("When is the oil changed?", "The oil is changed with a funnel.", True),
        ("When is the oil changed?", "The oil is changed at 8 am.", False),
        ("When is the oil changed?", "The oil is changed from 5 pounds on.", True),
        ("Когда меняют масло?", "Масло меняют воронкой.", True),
        ("Когда меняют масло?", "Масло меняют по вторникам.", False),
        ("Who is the landlord?", "The tenant pays small repairs. The landlord arranges the rest.", True),
        ("Who designed the pool?", "The pool is open from Tuesday to Sunday.", True),
        ("Who designed the pool?", "The pool was designed in May by April Jones.", False),
        ("Who is the landlord?", "The landlord is the parish.", False),
        ("Who is the landlord?", "The landlord of the house is Ana Reis.", False),
        ("Quem dirige a horta?", "A horta comunitária tem 24 canteiros.", True),
        ("Quem dirige a horta?", "A coordenadora dirige a horta.", False),
        ("Как зовут повара?", "Повар готовит кашу.", True),
        ("Как зовут повара?", "Нашего повара зовут Игорь.", False),
    ],
)
def test_who_wants_somebody_when_a_time_and_how_many_a_number(
    question: str, text: str, *, is_missing: bool
) -> None:
    assert numbers_of(*asked(question, passage(text)))["form_missing"] == is_missing


@pytest.mark.parametrize(
    ("question", "text", "is_missing"),
    [
        ("Сколько весит сушилка?", "Сушилка сушит яблоки 8 часов при 60 градусах.", True),
        ("Сколько весит сушилка?", "Сушилка лёгкая. Вес без поддонов 3,5 кг.", False),
        ("How heavy is the kettle?", "| Property | Kettle |\n|---|---|\n| Weight | 1.1 kg |", False),
        ("How heavy is the kettle?", "The kettle holds 1.7 litres.", True),
        ("How long is the cable?", "The cable has five metres.", False),
        ("How long is the cable?", "The cable is black and costs 5 EUR.", True),
        ("How much is the rent?", "The deposit equals two monthly rents.", True),
        ("How much is the deposit?", "The deposit equals two monthly rents.", False),
        ("What is the salary of a team leader?", "A team leader speaks with the team twice a year.", True),
        ("What is the salary of a team leader?", "A team leader earns 3,000 EUR.", False),
        ("Quanto custa o exame?", "O exame é feito em jejum de oito horas.", True),
        ("Quanto custa o exame?", "O exame custa 80 reais.", False),
        ("A que horas é a visita?", "A visita dura oito horas.", True),
        ("A que horas é a visita?", "A visita começa às 14h.", False),
        ("Qual é o telefone da clínica?", "As consultas são marcadas por telefone e custam 180 reais.", True),
        ("Qual é o telefone da clínica?", "Telefone da clínica: 11 5555-0199.", False),
        ("Какой размер взноса?", "Взнос вносится до 1 мая.", True),
        ("Какой размер взноса?", "Взнос — 2000 рублей в год.", False),
        ("Какая площадь участка?", "На участке 6 яблонь.", True),
        ("How old must members be?", "Members must be over 14.", False),
        ("How often is the filter changed?", "The filter is changed with a key.", True),
        ("How often is the filter changed?", "The filter is changed every spring.", False),
        ("How big is the room?", "The room is bright.", True),
        ("Who decides how long a visit is?", "The nurse decides.", False),
        ("What area of the town is quiet?", "The old harbour is quiet.", False),
    ],
)
def test_a_value_is_given_by_its_unit_and_not_by_any_number(
    question: str, text: str, *, is_missing: bool
) -> None:
    assert numbers_of(*asked(question, passage(text)))["form_missing"] == is_missing


@pytest.mark.parametrize(("value", "is_missing"), [("fica entre 4,5 e 5,5", False), ("importa muito", True)])
def test_the_verb_of_a_question_for_a_value_is_not_what_it_is_about(value: str, *, is_missing: bool) -> None:
    """The bush is not nearer to the question than its pH for saying "é"."""
    question = "Qual é o pH do solo para o mirtilo?"
    text = f"O mirtilo é um arbusto que quer o solo ácido.\n\nO pH ideal {value}."
    weights = term_weights(question, ["pt"], {}, 1000)
    assert SoughtForm(question, weights, [passage(text)], "pt").is_missing == is_missing


@pytest.mark.parametrize(
    ("question", "section", "is_named"),
    [
        ("What do I do when a battery catches fire?", "Safety › If a battery burns", True),
        ("What do I do when a battery catches fire?", "If somebody is hurt", False),
        ("What do I do when a battery catches fire?", "Battery types", False),
        ("Which battery catches fire?", "If a battery burns", False),
    ],
)
def test_what_to_do_is_said_under_a_heading_that_names_the_situation(
    question: str, section: str, *, is_named: bool
) -> None:
    found = passage("Leave the room.", section=section.replace(" › ", BETWEEN_HEADINGS))
    assert numbers_of(*asked(question, found))["situation_named"] == is_named


@pytest.mark.anyio
async def test_an_answer_has_nothing_nearest_and_is_in_its_own_language(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        answer = await at.book.ask(QUESTION)
    assert answer.tier is Tier.DOCUMENTS
    assert "nearest" not in json_shapes.answer(answer)
    assert answer.details["other_language"] is None


@pytest.mark.anyio
async def test_an_answer_in_another_language_than_the_question_says_so(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        events = await at.ask("Когда prune everbearing raspberries, in late autumn?", language="ru")
    assert isinstance(events[-1], Done)
    assert events[-1].answer.details["other_language"] == "en"


@pytest.mark.anyio
async def test_a_base_in_both_languages_says_so_too_when_the_quote_is_in_the_other_one(
    tmp_path: Path,
) -> None:
    russian = "Гарантия на раму составляет пять лет. Покупатель обращается в мастерскую с чеком."
    async with desk(tmp_path, notes={"pruning": PRUNING, "warranty": russian}) as at:
        foreign = await at.ask("Когда prune everbearing raspberries, in late autumn?", language="ru")
        own = await at.ask("Какая гарантия на раму?", language="ru")
    assert isinstance(foreign[-1], Done)
    assert foreign[-1].answer.details["other_language"] == "en"
    assert isinstance(own[-1], Done)
    assert own[-1].answer.details["other_language"] is None


@pytest.mark.parametrize(
    ("message", "asking"),
    [
        ("What was the revenue? If data is not available, return 'N/A'.", "What was the revenue?"),
        ("Answer in one word. Who wrote it?", "Who wrote it?"),
        ("Какой размер? Если данных нет, верни «нет».", "Какой размер?"),
        ("Qual é o valor? Por favor, responda em uma palavra.", "Qual é o valor?"),
        ("I have a Ford. How do I change its oil?", "I have a Ford. How do I change its oil?"),
        ("Write a letter.", "Write a letter."),
        ("Should I answer? Return it?", "Should I answer? Return it?"),
        ("", ""),
    ],
)
def test_only_what_asks_is_left_of_a_message(message: str, asking: str) -> None:
    assert asking_part(message) == asking


def test_a_thing_that_nothing_names_is_not_answered_by_what_is_said_about_the_place() -> None:
    museum = passage("The museum is open from ten to five.", title="The museum", similarity=0.5)
    shop = passage("The shop of the museum is open from ten to five.", title="The museum", similarity=0.5)
    missing, named = (
        numbers_of(*asked("Is there a shop in the museum?", found))["thing_missing"]
        for found in (museum, shop)
    )
    assert (missing, named) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("question", "text", "is_missing"),
    [
        ("Can I bring a parrot?", "You may bring a friend.", True),
        ("Can I bring a parrot?", "Pets are not allowed.", False),
        ("Can I bring a pet?", "Parrots are welcome.", False),
        ("Can I bring a parrot?", "Dogs are welcome.", True),
        ("When does the kiosk open?", "The office opens at nine.", True),
        ("When does the reading club start?", "The reading room opens at nine.", True),
        ("When do you open?", "The office opens at nine.", False),
    ],
)
def test_what_may_be_brought_or_visited_must_be_named_or_what_it_is_a_kind_of(
    question: str, text: str, *, is_missing: bool
) -> None:
    weighed, found = asked(question, passage(text))
    numbers = numbers_of(replace(weighed, language="en"), found)
    assert numbers["thing_missing"] == is_missing


def test_a_page_may_be_about_the_thing_by_its_title() -> None:
    page = passage("On Mondays at six, in the hall.", title="Choir practice")
    assert numbers_of(*asked("When does choir practice start?", page))["thing_missing"] == 0


@pytest.mark.parametrize(
    ("question", "text", "is_told"),
    [
        ("When is check-in?", "Check-in is at 3 pm.", True),
        ("When is check-in?", "Check-in is easy.", False),
        ("When is check-in?", "Breakfast is at 8 am.", False),
        ("Why is check-in late?", "Check-in is late.", False),
    ],
)
def test_a_sentence_with_all_words_that_gives_what_is_asked_speaks_for_an_answer(
    question: str, text: str, *, is_told: bool
) -> None:
    assert numbers_of(*asked(question, passage(text)))["plainly_told"] == is_told


def test_a_name_that_the_base_holds_nowhere_counts_however_small_the_base_is() -> None:
    weights = term_weights("How much is delivery to Moscow?", ["en"], {}, 3)
    found = passage("Delivery within the town costs three pounds.")
    for counts, expected in (({"deliveri": 1}, 1.0), ({"moscow": 1}, 0.0), ({"Moscow": 1, "moscow": 2}, 0.0)):
        question = WeighedQuestion(
            "How much is delivery to Moscow?", weights, WordCounts(counts, 3), "en", ["en"]
        )
        assert numbers_of(question, [(found, judged(weights, found, "en"))])["name_unknown"] == expected


def test_in_another_language_a_passage_with_the_names_of_the_question_comes_nearer() -> None:
    question = "Когда открыли мост в Лондоне?"
    london = passage("The bridge in London was opened in 1894.", document="a", similarity=0.3)
    paris = passage("The bridge in Paris was opened in 1900.", document="b", similarity=0.31)
    near = nearness(question, asked(question, london, paris)[1])
    assert near[0] > near[1]


def test_the_first_word_of_a_spanish_question_is_no_name() -> None:
    assert names_found("¿Por qué es conocida la garganta?", "La garganta es conocida.") == 1.0


@pytest.mark.parametrize(
    ("question", "is_titled"),
    [
        ("How do I quit the club?", True),
        ("How do I get a key of the club?", False),
        ("How do I quit Alder Club?", False),
        ("How do I quit?", False),
    ],
)
def test_what_the_title_says_anyway_does_not_tell_that_a_passage_answers(
    question: str, *, is_titled: bool
) -> None:
    found = passage(
        "Every member of the club owes ten hours. A key is at the desk.", title="Rules of the club"
    )
    assert (numbers_of(*asked(question, found))["thing_missing"] > 0) is is_titled


@pytest.mark.parametrize(
    ("text", "is_missing"),
    [
        ("Every adult owes ten hours of club work. Members over 65 are exempt.", True),
        ("The club is 40 years old.", False),
        ("The club was founded in 1911.", False),
    ],
)
def test_how_old_a_thing_is_is_said_of_the_thing(text: str, *, is_missing: bool) -> None:
    numbers = numbers_of(*asked("How old is the club?", passage(text)))
    assert numbers["form_missing"] == is_missing
    assert numbers["plainly_told"] == (not is_missing)


def test_words_that_only_ask_for_a_value_need_not_be_in_the_answer() -> None:
    found = passage("Certificates are good for 12 months.")
    assert numbers_of(*asked("How long do certificates last?", found))["plainly_told"] == 0.0
    found = passage("The dryer: 38 kg.")
    assert numbers_of(*asked("How heavy is the dryer?", found))["plainly_told"] == 1.0
