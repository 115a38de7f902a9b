from __future__ import annotations

from collections.abc import Sequence

import pytest

from sourcebook.consult.evidence.question_share import emphasised
from sourcebook.consult.question.conversation import completion
from sourcebook.consult.question.conversation.conversation_topic import PastQuestion, topic_of, turns_of
from sourcebook.consult.question.conversation.follow_up_words import points_back
from sourcebook.model.chat import ChatMessage, Role, Tier

CELLO = PastQuestion(
    "How much is a cello per month?", "How much is a cello per month?", "Cello; Hire per month: 38"
)
BASS = PastQuestion(
    "And the double bass?",
    "How much is a cello per month? And the double bass?",
    "Double bass; Hire per month: 55; Weekend: 85",
)


def wordings(question: str, earlier: Sequence[str], language: str) -> list[str]:
    """The wordings after questions of which nothing else is known."""
    return completion.wordings(question, [PastQuestion(each) for each in earlier], language)


def completed(question: str, earlier: Sequence[str], language: str) -> str:
    """The likeliest wording after questions of which nothing else is known."""
    return completion.completed(question, [PastQuestion(each) for each in earlier], language)[0]


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("And when in spring?", "en"),
        ("How deep?", "en"),
        ("Does it need lime?", "en"),
        ("А весной когда?", "ru"),
        ("Сколько?", "ru"),
        ("Чем её подкормить осенью после обрезки?", "ru"),
        ("E no inverno?", "pt"),
        ("Quanto custa isso?", "pt"),
    ],
)
def test_a_question_that_needs_the_one_before_is_known(question: str, language: str) -> None:
    assert points_back(question, language)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("When do I prune everbearing raspberries?", "en"),
        ("What soil do blueberries need?", "en"),
        ("Когда обрезать ремонтантную малину?", "ru"),
        ("Сколько воды нужно взрослому кусту голубики?", "ru"),
        ("Como podar framboesas remontantes no outono?", "pt"),
    ],
)
def test_a_whole_question_stands_for_itself(question: str, language: str) -> None:
    assert not points_back(question, language)


def test_a_follow_up_is_searched_with_the_last_whole_question() -> None:
    earlier = ["When do I prune everbearing raspberries?", "And how low?"]
    assert (
        completed("And in spring?", earlier, "en")
        == "When do I prune everbearing raspberries? And in spring?"
    )
    assert completed("What soil do blueberries need?", earlier, "en") == "What soil do blueberries need?"
    assert completed("And in spring?", [], "en") == "And in spring?"


def test_a_short_question_is_tried_by_itself_first_and_one_that_points_back_is_not() -> None:
    earlier = ["Какая кислотность почвы нужна голубике?"]
    short, pointing = "Чем кормить томаты?", "А весной?"
    assert wordings(short, earlier, "ru") == [short, f"{earlier[0]} {short}"]
    assert wordings(pointing, earlier, "ru") == [f"{earlier[0]} {pointing}"]
    assert wordings(short, [], "ru") == [short]
    assert wordings(earlier[0], [short], "ru") == earlier


def test_asking_whether_there_is_something_points_nowhere() -> None:
    earlier = ["How much is a half plot?"]
    assert wordings("Is there a toilet?", earlier, "en")[0] == "Is there a toilet?"
    assert wordings("How do I get there?", earlier, "en") == ["How much is a half plot? How do I get there?"]


def test_who_writes_in_another_script_begins_anew() -> None:
    assert wordings("Is there a toilet?", ["Можно с детьми?"], "en") == ["Is there a toilet?"]
    assert wordings("А весной?", ["How deep?", "Когда сажать лук?"], "ru") == ["Когда сажать лук? А весной?"]


def test_a_follow_up_without_letters_goes_on_in_any_script() -> None:
    assert completed("2024?", ["Сколько стоит участок?"], "ru") == "Сколько стоит участок? 2024?"
    assert completed("VPN?", ["Как настроить доступ?"], "ru") == "Как настроить доступ? VPN?"


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Where are you?", "en"),
        ("Где вы находитесь?", "ru"),
        ("Onde vocês ficam?", "pt"),
        ("¿Dónde estáis?", "es"),
    ],
)
def test_a_question_about_who_answers_has_no_subject_of_the_conversation(
    question: str, language: str
) -> None:
    assert wordings(question, ["Сколько стоит участок?", "How much is a half plot?"], language) == [question]


def test_who_says_you_may_still_mean_what_was_asked_before() -> None:
    earlier = "Can I hire a canoe?"
    asked = "How much do you charge?"
    assert wordings(asked, [earlier], "en") == [asked, f"{earlier} {asked}"]


def test_what_is_asked_about_there_is_tried_by_itself_last_if_it_says_enough() -> None:
    earlier, asked = "Where can I pitch a tent?", "Is loud music allowed there?"
    assert wordings(asked, [earlier], "en") == [f"{earlier} {asked}", asked]
    assert wordings("Is it allowed there?", [earlier], "en") == [f"{earlier} Is it allowed there?"]


def test_a_follow_up_that_was_answered_about_another_thing_makes_that_the_subject() -> None:
    full = "How much is a double bass per month?"
    assert completion.wordings("And for a week?", [CELLO, BASS], "en") == [f"{full} And for a week?"]
    crown = PastQuestion("цена винира", "цена винира", "Винир; Цена: 12500")
    guard = PastQuestion(
        "а каппа спортивная?", "цена винира а каппа спортивная?", "Каппа спортивная; Цена: 3700"
    )
    assert completion.wordings("а срок?", [crown, guard], "ru") == ["цена каппа спортивная а срок?"]
    visit = PastQuestion(
        "quanto custa a visita Clássica?", "quanto custa a visita Clássica?", "Clássica · Preço: 15"
    )
    other = PastQuestion(
        "e a Reserva?", "quanto custa a visita Clássica? e a Reserva?", "Reserva · Preço: 28"
    )
    wanted = "quanto custa a visita Reserva? e aos domingos?"
    assert completion.wordings("e aos domingos?", [visit, other], "pt") == [wanted]


def test_what_a_follow_up_adds_is_kept_with_the_question_and_may_be_left_out() -> None:
    both = PastQuestion(
        "And to Spain?", "How much is delivery to Portugal? And to Spain?", "Portugal 7, Spain 19 euro."
    )
    first = "How much is delivery to Portugal?"
    earlier = [PastQuestion(first, first, "Portugal 7, Spain 19 euro."), both]
    assert completion.wordings("And when does it arrive?", earlier, "en") == [
        f"{first} And to Spain? And when does it arrive?",
        f"{first} And when does it arrive?",
    ]
    assert completion.wordings("And to France?", earlier, "en") == [f"{first} And to France?"]


def test_what_was_declined_changes_no_topic() -> None:
    assert completion.wordings("And for a week?", [CELLO, PastQuestion("And the tuba?")], "en") == [
        "How much is a cello per month? And for a week?"
    ]
    short = PastQuestion("Who is the chairman?")
    assert topic_of([CELLO, short], "en") == topic_of([CELLO], "en")


def test_a_follow_up_that_asks_of_the_same_thing_leaves_the_topic_as_it_is() -> None:
    asked = PastQuestion(
        "And how heavy is that?", "How much is a cello per month? And how heavy is that?", "3 kg, cello"
    )
    assert topic_of([CELLO, asked], "en") == topic_of([CELLO], "en")


def test_a_short_question_that_was_answered_by_itself_is_what_a_pronoun_points_to() -> None:
    short = PastQuestion("Who do I complain to?", "Who do I complain to?", "Write to Ms O'Hara.")
    assert completion.wordings("How fast does she reply?", [CELLO, short], "en") == [
        "Who do I complain to? How fast does she reply?"
    ]
    empty = PastQuestion("Until when?", "Until when?", "Until four.")
    assert topic_of([CELLO, empty], "en") == topic_of([CELLO], "en")


@pytest.mark.parametrize(
    ("first", "question", "language", "wanted"),
    [
        ("quanto custa a visita Clássica?", "quanto tempo dura?", "pt", "visita Clássica quanto tempo dura?"),
        ("quanto custa a visita?", "a que horas começa?", "pt", "visita a que horas começa?"),
        ("Когда едет курьер в Гусев?", "во сколько?", "ru", "едет курьер в Гусев во сколько?"),
        ("Do you buy used instruments?", "on which day?", "en", "buy used instruments on which day?"),
    ],
)
def test_a_question_without_a_subject_is_searched_with_that_of_the_topic_only(
    first: str, question: str, language: str, wanted: str
) -> None:
    assert wordings(question, [first], language) == [wanted]


def test_the_words_of_a_follow_up_count_by_what_they_name() -> None:
    weights = {"harp": 1.0, "cello": 1.0, "last": 1.0, "deep": 1.0}
    assert emphasised(weights, "And the harp?", "en")["harp"] == 3.0
    assert emphasised(weights, "How deep?", "en")["deep"] == 2.0
    assert emphasised(weights, "How long does it last?", "en") == weights


def test_when_you_open_is_tried_by_itself() -> None:
    assert wordings("What time do you start?", [CELLO.question], "en")[0] == "What time do you start?"


def test_the_turns_of_a_conversation_say_what_was_answered() -> None:
    def said(role: Role, text: str, tier: Tier | None = None, **details: str) -> ChatMessage:
        return ChatMessage("", "", 0, role, text, tier=tier, details=details)

    history = [
        said(Role.USER, "A?"),
        said(Role.ASSISTANT, "Yes.", Tier.DOCUMENTS, searched="A?"),
        said(Role.USER, "B?"),
        said(Role.ASSISTANT, "Nothing.", Tier.NONE, searched="A? B?"),
        said(Role.ASSISTANT, "An expert replies."),
        said(Role.USER, "C?"),
    ]
    assert turns_of(history) == [PastQuestion("A?", "A?", "Yes."), PastQuestion("B?"), PastQuestion("C?")]
