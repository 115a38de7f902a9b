"""Short plain questions, with the real embedder: what the text says of another subject is no answer."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack

import pytest

from sourcebook import Settings, Sourcebook, Tier

TEXTS = {
    "boats": (
        "# Rowing club\n\nThe boathouse opens at 7 am. A locker costs 15 pounds a season.\n\n"
        "You may bring a thermos flask into the boats. Life jackets can be borrowed from the rack.\n\n"
        "Beginners are coached by Helen Marsh. Dogs stay on the lawn.\n\n"
        "The password of the gate is a secret that is told to members only.\n"
    ),
    "garden": (
        "# Ботанический сад\n\nС фотоаппаратом можно, штатив нужно согласовать. Коляску можно взять у входа.\n\n"
        "Оранжерея открывается в 10 часов. Лекции о кактусах ведёт Павел Орлов.\n\n"
        "Вход для школьников бесплатный. Домашним животным вход закрыт.\n"
    ),
    "bakery": (
        "# Padaria da Praça\n\nO forno abre às 6h. Pode pagar com vale de refeição.\n\n"
        "Os cursos de pão são dados pelo mestre Rui Sá. O café é gratuito para quem compra um bolo.\n"
    ),
    "theatre": (
        "# Teatro del Puerto\n\nLa taquilla abre a las 17 horas. Se puede entrar con paraguas.\n\n"
        "El ensayo es el lunes a las 20 horas. Aparcar cuesta 50 céntimos por hora.\n"
    ),
}


Books = dict[str, Sourcebook]


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> Generator[Books]:
    """A base for each text, under its name."""
    folder = tmp_path_factory.mktemp("subjects")
    with ExitStack() as opened:
        found: Books = {}
        for name, text in TEXTS.items():
            settings = Settings(db=str(folder / f"{name}.db"), chat_model="none")
            found[name] = opened.enter_context(Sourcebook(settings=settings))
            found[name].add_text(text, id=name, title=text.splitlines()[0].removeprefix("# "))
        yield found


@pytest.mark.parametrize(
    ("base", "question", "said"),
    [
        ("boats", "When does the boathouse open?", "7 am"),
        ("boats", "Can I borrow a life jacket?", "can be borrowed"),
        ("boats", "Can I bring my dog?", "Dogs stay on the lawn"),
        ("boats", "Who coaches beginners?", "Helen Marsh"),
        ("garden", "Можно ли с фотоаппаратом?", "С фотоаппаратом можно"),
        ("garden", "Когда открывается оранжерея?", "в 10 часов"),
        ("garden", "Кто ведёт лекции?", "Орлов"),
        ("bakery", "Posso pagar com vale de refeição?", "vale de refeição"),
        ("bakery", "Quando abre o forno?", "6h"),
        ("theatre", "¿Puedo entrar con paraguas?", "paraguas"),
        ("theatre", "¿Cuándo es el ensayo?", "lunes"),
        ("theatre", "¿Cuánto cuesta aparcar?", "50 céntimos"),
    ],
)
def test_what_the_text_says_of_the_thing_is_quoted(books: Books, base: str, question: str, said: str) -> None:
    answer = books[base].ask(question)
    assert answer.tier is Tier.DOCUMENTS
    assert said in answer.answer


@pytest.mark.parametrize(
    ("base", "question"),
    [
        ("boats", "When does the canteen open?"),
        ("boats", "Can I borrow an umbrella?"),
        ("boats", "Can I bring a guitar?"),
        ("boats", "Who coaches juniors?"),
        ("boats", "Who is the secretary?"),
        ("garden", "Можно ли с самокатом?"),
        ("garden", "Можно взять бинокль?"),
        ("garden", "Когда открывается кафе?"),
        ("garden", "Кто ведёт экскурсии?"),
        ("bakery", "Posso pagar com cheque?"),
        ("bakery", "Quando abre a esplanada?"),
        ("bakery", "O estacionamento é gratuito?"),
        ("theatre", "¿Puedo entrar con bicicleta?"),
        ("theatre", "¿Cuándo es el estreno?"),
        ("theatre", "¿Se puede fumar?"),
    ],
)
def test_what_it_says_of_another_is_not(books: Books, base: str, question: str) -> None:
    assert books[base].ask(question).tier is Tier.NONE


@pytest.mark.parametrize(
    ("base", "first", "next_one"),
    [
        ("boats", "How much is a locker?", "Where are you?"),
        ("garden", "Кто ведёт лекции о кактусах?", "Где вы находитесь?"),
        ("bakery", "Quem dá os cursos de pão?", "Onde vocês ficam?"),
    ],
)
def test_where_the_house_is_is_not_told_by_what_was_asked_before(
    books: Books, base: str, first: str, next_one: str
) -> None:
    book = books[base]
    begun = book.ask(first)
    assert begun.tier is Tier.DOCUMENTS
    assert book.ask(next_one, session=begun.session_id).tier is Tier.NONE


def test_what_is_there_may_stand_in_another_document_than_what_was_asked_before(books: Books) -> None:
    book = books["boats"]
    begun = book.ask("How much is a locker?")
    book.add_text("# Quiet hours\n\nLoud music may play until 9 pm.\n", id="quiet", title="Quiet hours")
    followed = book.ask("How late may loud music play there?", session=begun.session_id)
    assert "until 9 pm" in followed.answer
