"""Short everyday questions to small folders, which say it in other words."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.consulting import desk

from sourcebook.consult.evidence.acceptance import judged, term_weights
from sourcebook.consult.evidence.missing.missing_count import is_count_missing
from sourcebook.consult.evidence.missing.missing_form import SoughtForm, about_the_thing
from sourcebook.consult.evidence.question_judge import numbers_of
from sourcebook.consult.evidence.question_share import held_share
from sourcebook.consult.evidence.weighed_question import WeighedQuestion
from sourcebook.consult.question.asked_for.asked_value import asked_values
from sourcebook.model.asked_collection import WordCounts
from sourcebook.model.chat import Tier
from sourcebook.model.documents import Chunk
from sourcebook.model.search import SearchResult
from sourcebook.text.analysis import distinct_terms
from sourcebook.text.stems import stem_words
from sourcebook.text.vocabulary.word_lists import lines_of


def passage(text: str) -> SearchResult:
    return SearchResult(Chunk("c", "d", text, end_index=len(text)), 2.0)


@pytest.mark.parametrize(
    ("question", "text", "is_missing"),
    [
        ("How many boats does the club own?", "Booking a boat takes 3 days.", True),
        ("How many boats does the club own?", "The club has twelve racing boats.", False),
        ("How many boats does the club own?", "Boats: 12", False),
        ("How many products are there?", "A shop with 1.18M real-world products.", False),
        ("Сколько врачей в клинике?", "Врач работает с 9 до 18.", True),
        ("Сколько врачей в клинике?", "В клинике 14 врачей.", False),
        ("How many days is it open?", "It opens at 9.", False),
        ("How many members does the club have?", "Two members must second an application.", True),
        ("How many members does the club have?", "The club has two members.", False),
        ("Quantos alunos tem o colégio?", "Entre 4 e 5 o aluno vai para a recuperação.", True),
        ("For how many steps was it tuned?", "It was tuned for 4, 000 steps.", False),
        ("How many people can come?", "The hall seats 120.", False),
        ("How many people can come?", "The hall opens at 9.", True),
        ("How many members are there?", "Membership stands at 340.", False),
        ("How many members are there?", "Membership costs 340 euros.", True),
        ("How many of them are there?", "There are 12 boats.", False),
        ("How many of the boats are old?", "The gate shuts at 10.", True),
        ("cuantos socios hay", "La cuota es de 30 euros.", True),
        ("cuantos socios hay", "El club tiene 30 socios.", False),
        ("Сколько книг в библиотеке?", "Библиотека открыта с 9 до 18.", True),
        ("Сколько книг в библиотеке?", "В библиотеке 4000 книг.", False),
        ("Сколько человек поместится?", "Зал вмещает до 120.", False),
        ("Сколько стоит билет?", "Касса открыта с 9 до 18.", False),
    ],
)
def test_how_many_wants_a_number_that_counts_such_things(
    question: str, text: str, *, is_missing: bool
) -> None:
    assert is_count_missing(question, [passage(text)]) == is_missing


def test_a_small_base_needs_less_and_a_larger_one_does_not() -> None:
    def smallness(rows: int) -> float:
        question = WeighedQuestion("prune", {"prune": 1.0}, WordCounts({"prune": 1}, rows))
        found = passage("Prune in autumn.")
        return numbers_of(question, [(found, judged(question.weights, found, "en"))])["small_base"]

    assert smallness(5) > smallness(50) > smallness(100) == smallness(5000) == 0


@pytest.mark.parametrize(
    ("question", "text", "rows", "is_nowhere"),
    [
        ("who founded the workshop", "The workshop is open on Tuesdays.", 6, True),
        ("who founded the workshop", "The workshop was founded by Ines.", 6, False),
        ("who founded the workshop", "The workshop is open on Tuesdays.", 5000, False),
        ("is there a discount for pensioners", "There is a discount of 4 % until May.", 6, True),
        ("do you repair scooters", "A repair stand costs 4 euros.", 6, True),
        ("do you have canoes to rent", "Canoes can be hired.", 6, False),
        ("how much is pulling a tooth", "Removal of a tooth: 40 euros.", 6, False),
        ("when do i get the badge", "Badges are given on day one.", 6, False),
    ],
)
def test_who_and_whether_want_words_that_a_small_base_has(
    question: str, text: str, rows: int, *, is_nowhere: bool
) -> None:
    found = passage(text)
    counts = WordCounts(dict.fromkeys(distinct_terms(text, "en"), 1), rows)
    weights = term_weights(question, ["en"], counts.passages, rows)
    asked = WeighedQuestion(question, weights, counts, "en", ["en"])
    numbers = numbers_of(asked, [(found, judged(weights, found, "en"))])
    assert (numbers["word_nowhere"] > 0) == is_nowhere


@pytest.mark.parametrize(
    ("question", "text", "is_missing"),
    [
        ("mia's phone number", "Mia can be reached on 030 555 0142.", False),
        ("What's Nadia's phone number?", "Owner: Nadia, last edit 2026-10-19_", True),
        ("телефон директора", "Директор — Игорь Пак.\n\nЗапись по телефону 22-14-00.", True),
        ("телефон директора", "Директор — Игорь Пак, телефон 22-14-08.", False),
        ("В каком году родилась Марина Вольская?", "Марина Вольская руководит с 2016 года.", True),
        ("В каком году родилась Марина Вольская?", "Марина Вольская родилась в 1970 году.", False),
        ("When was Ian Murdock born?", "Ian Murdock founded Debian in 1993.", True),
    ],
)
def test_a_phone_is_that_of_the_one_who_is_asked_for_and_a_birth_is_a_birth(
    question: str, text: str, *, is_missing: bool
) -> None:
    language = "en" if question.isascii() else "ru"
    weights = term_weights(question, [language], {}, 10)
    assert SoughtForm(question, weights, [passage(text)], language).is_missing == is_missing


def test_who_is_asked_for_is_all_that_a_question_for_a_phone_is_about() -> None:
    weights = term_weights("mia's phone number", ["en"], {}, 10)
    assert held_share(about_the_thing("mia's phone number", weights, "en"), "Mia", "en") == 1
    assert not asked_values("how do i change a user's phone number")


def test_words_that_people_ask_with_tell_little_in_a_small_base() -> None:
    weights = term_weights("can i row here before nine", ["en"], {}, 10)
    assert max(weights["can"], weights["befor"]) < weights["row"] / 2


@pytest.mark.parametrize(
    ("question", "text", "is_held"),
    [
        ("rent", "Canoes can be hired.", True),
        ("kids", "Juniors pay half.", True),
        ("туалет", "Уборная слева.", True),
        ("piscina", "A quadra abre às 8h.", False),
        ("chairs", "Ann Lee is the president.", False),
        ("book", "Reservations are free.", False),
    ],
)
def test_a_text_may_say_it_in_another_everyday_word(question: str, text: str, *, is_held: bool) -> None:
    language = "ru" if question == "туалет" else "pt" if question == "piscina" else "en"
    weights = term_weights(question, [language], {}, 10)
    assert (held_share(weights, text, language) > 0) == is_held


def test_a_near_word_counts_for_less_than_the_word() -> None:
    weights = term_weights("janitor", ["en"], {}, 10)
    near, same = (held_share(weights, f"The {who} lives here.", "en") for who in ("caretaker", "janitor"))
    assert 0 < near < same == 1


def test_a_word_is_near_another_in_its_own_language_alone() -> None:
    weights = term_weights("rota", ["es"], {}, 10)
    text = "The machine has an avería."
    assert held_share(weights, text, "es") > held_share(weights, text, "en") == 0


@pytest.mark.parametrize("language", ["en", "es", "pt", "ru"])
def test_a_stem_stands_in_two_lines_of_near_words_only_as_the_same_word(language: str) -> None:
    seen: dict[str, tuple[int, set[str]]] = {}
    lines = [line.split() for line in lines_of(f"near_words.{language}.txt")]
    assert lines
    for number, forms in enumerate(lines):
        stems = stem_words(forms, language)
        assert len(set(stems)) > 1, f"nothing is near in {forms}"
        for form, stem in zip(forms, stems, strict=True):
            line, others = seen.setdefault(stem, (number, set()))
            assert line == number or form in others, f"{form} of {forms} has the stem of {others}"
            others.add(form)


_LIBRARY = "The reading room is upstairs. It is open from nine to five. Dogs stay outside."
_OFFICE = "Заявление подают секретарю. Рабочий день длится восемь часов. Обед бывает в час."
_GARDEN_ES = "La biblioteca abre a las nueve. Los perros se quedan fuera. El jardín se cierra de noche."
_GARDEN_PT = "A biblioteca abre às nove. Os cães ficam fora. O jardim fecha à noite."


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Are there chairs?", f"The president of the library association is Ann Lee. {_LIBRARY}"),
        ("What is red?", f"The wifi network is called Boathouse. {_LIBRARY}"),
        ("How much is a book?", f"Reservations are free for members. {_LIBRARY}"),
        (
            "When does the club open?",
            "The course begins on 3 May at nine. It takes ten weeks. Bring a towel.",
        ),
        ("Где выход?", f"Увольнение оформляется за две недели. {_OFFICE}"),
        ("Как получить пропуск?", f"Прогул без причины ведёт к выговору. {_OFFICE}"),
        ("¿Qué servicios hay?", f"El baño está al fondo del pasillo. {_GARDEN_ES}"),
        ("Onde é a parada?", f"O estacionamento na rua fica proibido. {_GARDEN_PT}"),
        ("Quanto é o ordenado?", f"O vencimento do boleto é no dia 10. {_GARDEN_PT}"),
    ],
)
async def test_a_word_with_another_meaning_is_no_answer(tmp_path: Path, question: str, text: str) -> None:
    async with desk(tmp_path, notes={"rowing club": text}) as at:
        answer = await at.book.ask(question)
    assert answer.tier is Tier.NONE, answer.answer


@pytest.mark.anyio
async def test_a_price_need_not_be_called_a_price(tmp_path: Path) -> None:
    async with desk(tmp_path, notes={"Fees": "| Who | Per year |\n|---|---|\n| Family | 420 GBP |\n"}) as at:
        answer = await at.book.ask("what does a family pay")
    assert answer.tier is Tier.DOCUMENTS
    assert "420 GBP" in answer.answer
