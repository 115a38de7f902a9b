from __future__ import annotations

import pytest

from sourcebook.consult.question.completion import completed, points_back, wordings


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
