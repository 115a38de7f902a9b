"""What is quoted when there is no chat model: one stretch that stands alone, in clean Markdown."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.quoting import FILLER, excerpts, found, shown

from sourcebook.consult.excerpt.answer_without_model import extract
from sourcebook.consult.excerpt.excerpt_features import Asked
from sourcebook.consult.excerpt.read_texts import read_texts
from sourcebook.consult.excerpt.stretches import LONGEST
from sourcebook.consult.question.asked_for.forms import AskedForms
from sourcebook.model.documents import Chunk
from sourcebook.model.search import SearchResult
from sourcebook.text.analysis import analyse_question


@pytest.mark.parametrize("gap", ["\n", " \n  "])
def test_a_heading_on_the_line_before_is_not_part_of_the_sentence(gap: str) -> None:
    text = f"How much sulphur{gap}Elemental sulphur is turned into acid by the soil."
    assert shown("sulphur soil", text) == "Elemental sulphur is turned into acid by the soil."


@pytest.mark.parametrize(
    "text",
    [
        "Elemental sulphur is turned into acid by the bacteria\nthat live in a warm and moist soil.",
        "The old name of sulphur,\nBrimstone of the Bible, is no name of a soil.",
    ],
)
def test_a_sentence_that_goes_on_after_a_line_break_is_quoted_whole(text: str) -> None:
    assert shown("sulphur soil", text) == " ".join(text.split())


def test_what_leads_into_a_listing_brings_it_along() -> None:
    page = f"{FILLER * 4}\n\nTo make a random secret key use the command:\n\n```console\n$ openssl rand -hex 32\n```\n"
    (one,) = excerpts("Which command makes a random secret key?", found(page))
    assert one.text.endswith("use the command:\n\n```console\n$ openssl rand -hex 32\n```")
    assert [page[one.start + a : one.start + b] for a, b in one.highlight] == [
        "To make a random secret key use the command:",
        "```console\n$ openssl rand -hex 32\n```",
    ]


def test_the_next_sentence_comes_along() -> None:
    page = (
        "* `minimum_size` - Do not compress responses smaller than this size in bytes. Defaults to `500`.\n"
    )
    assert "Defaults to `500`." in shown("What is the minimum_size of responses?", page)


def test_this_and_it_bring_the_sentence_that_they_mean() -> None:
    page = f"{FILLER * 3}\n\nThe project used uvloop. That is what made Sanic so fast.\n\n{FILLER * 3}"
    assert "The project used uvloop. That is what made Sanic so fast." in shown(
        "Why was Sanic so fast?", page
    )


def test_a_sentence_is_quoted_with_its_paragraph_and_not_with_the_next_one() -> None:
    page = f"{FILLER}A ticket costs nine pounds. Children come in free.\n\n{FILLER}"
    (one,) = excerpts("How much is a ticket?", found(page))
    assert one.text == f"{FILLER}A ticket costs nine pounds. Children come in free."
    assert [page[one.start + a : one.start + b] for a, b in one.highlight] == ["A ticket costs nine pounds."]


def test_a_sentence_that_says_enough_is_quoted_without_the_rest_of_its_paragraph() -> None:
    answer = "A season ticket for the botanic garden costs ninety pounds and is valid for twelve months."
    page = f"{FILLER}{answer} {FILLER}"
    assert shown("How much is a season ticket for the botanic garden?", page) == answer


@pytest.mark.parametrize(
    "answer",
    [
        "Without these three things a season ticket for the garden is never sold to anybody at all.",
        "The first is what a season ticket for the botanic garden is sold for at the northern gate.",
    ],
)
def test_what_a_sentence_points_back_to_comes_along(answer: str) -> None:
    page = f"{FILLER}\n\nBring a photo, a form and a pen to one of the two gates. {answer} {FILLER}"
    text = shown("When is a season ticket for the garden sold?", page)
    assert text == f"Bring a photo, a form and a pen to one of the two gates. {answer}"


def test_a_word_with_a_hyphen_points_nowhere() -> None:
    answer = (
        "E-mail is how a season ticket for the botanic garden is ordered by all who live in another town."
    )
    page = f"{FILLER}\n\nBring a photo, a form and a pen to one of the two gates. {answer} {FILLER}"
    assert shown("How is a season ticket for the garden ordered?", page) == answer


@pytest.mark.parametrize(
    "further", ["But it is gone now.", "However, nobody sells it.", "This was long ago."]
)
def test_what_turns_a_sentence_round_comes_along(further: str) -> None:
    page = f"There was an official image of the project.\n\n{further}\n\n{FILLER}"
    assert further in shown("Is there an official image of the project?", page)


RULES = (
    "RULES OF THE GARDENS\n\n3. Order\n\n"
    "3.1. Noise is forbidden from 22 to 8. A mower is noise.\n"
    "3.2. Fires are lit in an iron barrel only. Grass is never burnt in May.\n"
    "3.3. Dogs are walked on a leash. Five hives of bees are the most on a plot.\n\n"
    "4. Buildings\n\n4.1. A house stands three metres from the fence.\n"
)


def test_a_clause_that_answers_is_shown_alone_and_without_a_sign_of_more() -> None:
    assert shown("Where may I walk dogs, and must they be on a leash?", RULES) == (
        "3.3. Dogs are walked on a leash. Five hives of bees are the most on a plot."
    )
    assert shown("In what are fires lit?", RULES) == (
        "3.2. Fires are lit in an iron barrel only. Grass is never burnt in May."
    )


def test_clauses_that_are_shown_together_stand_in_paragraphs_of_their_own() -> None:
    clauses = ["3.1. The barrel and its hoops are painted in May.", "3.2. The lid is painted in June."]
    page = "3. Barrels\n\n" + "\n".join(clauses) + "\n\n4. Fences\n\n4.1. A fence is of wood.\n"
    (one,) = excerpts("When are barrel, hoops and lid painted?", found(page))
    assert one.text == "\n\n".join(clauses)


def test_the_unit_is_highlighted_that_most_probably_answers() -> None:
    (one,) = excerpts("When is noise forbidden, from 22 to 8?", found(RULES))
    quoted = [RULES[one.start + a : one.start + b] for a, b in one.highlight]
    assert quoted == ["3.1. Noise is forbidden from 22 to 8. A mower is noise."]


def test_of_facts_under_their_names_the_one_that_was_asked_for_is_shown() -> None:
    page = "Old Mill\nAddress: Mill Lane 3\nPhone: 020 55 01\nPassword: ipe2024\n"
    assert shown("What is the phone of the mill?", page) == "Phone: 020 55 01"


def test_a_list_that_is_cut_says_so() -> None:
    items = "\n".join(f"* Attribute {n} of the file: {'and so on ' * 6}" for n in range(9))
    text = shown("What attributes does a file have?", f"A file has the following attributes:\n\n{items}")
    assert text.startswith("A file has the following attributes:\n- Attribute 0")
    assert text.endswith("\n- …")


def test_an_excerpt_is_one_stretch_of_the_text_and_not_longer_than_an_answer_may_be() -> None:
    page = f"{FILLER * 5}Sulphur makes a soil sour within a year. {FILLER * 5}"
    (one,) = excerpts("Does sulphur make soil sour?", found(page))
    assert "Sulphur makes a soil sour within a year." in page[one.start : one.end] == one.text
    assert len(one.text) <= LONGEST


def test_of_a_sentence_that_is_too_long_the_clauses_are_quoted_that_answer() -> None:
    page = f"{'the beds were dug over and over again, ' * 12}sulphur was given to the soil, {'and so on, ' * 30}end."
    (one,) = excerpts("What was given to the soil, sulphur?", found(page))
    assert "sulphur was given to the soil" in one.text
    assert (one.text[:2], one.text[-2:]) == ("… ", " …")
    assert len(one.text) <= LONGEST + 4


def test_contents_and_headings_are_found_and_never_quoted() -> None:
    contents = "\n".join(f"1.{n}. Sulphur for the soil of bed {n}" for n in range(1, 9))
    assert shown("sulphur soil", contents) == ""
    assert shown("sulphur soil", "## Sulphur and the soil") == ""
    assert shown("sulphur soil", contents, "Sulphur makes a soil sour.") == "Sulphur makes a soil sour."


def test_the_first_passage_is_not_dropped_lightly() -> None:
    first = found("Sulphur makes soil sour, and nothing else does it as well.", 5.0)
    second = found("Sulphur makes soil sour, said the sour man of the soil.", 1.0)
    (one,) = excerpts("Does sulphur make soil sour?", first, second)
    assert one.text == first.chunk.content


def test_a_passage_in_the_language_of_the_question_goes_first() -> None:
    english = "The option root_path tells the application under which path the proxy serves it to everybody."
    russian = "Параметр root_path сообщает приложению, по какому пути его показывает прокси-сервер всем пользователям."
    (one,) = excerpts("Что делает root_path?", found(english), found(russian), spoken="ru")
    assert one.text == russian


def test_a_second_excerpt_comes_only_with_what_the_first_lacks() -> None:
    levels = "Linux with System V has 7 levels, which are counted from 0."
    default = "The default of Debian is 2 since long ago."
    question = "How many levels has Linux with System V, and which is the default of Debian?"
    copies = excerpts("How many levels has Linux with System V?", found(levels), found(levels))
    both = excerpts(question, found(levels), found(default))
    assert [one.text for one in copies] == [levels]
    assert [one.text for one in both] == [levels, default]


def test_a_definition_comes_from_where_the_term_is_introduced() -> None:
    uses = "Patches go to an upstream, and what one upstream takes goes to each other upstream."
    says = "The upstream is the project that a package was made from."
    (one,) = excerpts("What is an upstream?", found(f"{uses} {FILLER * 4}\n\n{says}"))
    assert says in one.text


def test_passages_that_overlap_are_read_as_one() -> None:
    text = (
        "Several servers speak ASGI, and any of them will do. Some of the servers are:\n\n"
        "* Uvicorn, the usual one\n* Hypercorn\n* Daphne, made for channels\n"
    )
    cut = text.index("* Hypercorn")
    first = Chunk("a", "d", text[:cut], start_index=0, end_index=cut)
    at = text.index("* Uvicorn")
    second = Chunk("b", "d", text[at:], start_index=at, end_index=len(text))
    found_both = [SearchResult(first, 2.0), SearchResult(second, 1.0)]
    (one,) = excerpts("Which servers speak ASGI?", *found_both)
    assert one.text.endswith("- Uvicorn, the usual one\n- Hypercorn\n- Daphne, made for channels")
    assert text[one.start : one.end].endswith("Daphne, made for channels")


def test_passages_of_other_places_are_not_joined() -> None:
    one = Chunk("a", "d", "Sulphur makes soil sour.", start_index=0, end_index=24)
    other = Chunk("b", "d", "Lime makes soil sweet.", start_index=10, end_index=32)
    (shown_one,) = excerpts("sulphur soil", SearchResult(one, 2.0), SearchResult(other, 1.0))
    assert shown_one.text == "Sulphur makes soil sour."


def test_how_many_is_answered_by_a_number_of_these_things() -> None:
    page = (
        "Debian 11 holds programs for several architectures of many kinds.\n\n"
        "Debian comes with many packages and runs on 9 architectures."
    )
    assert shown("On how many architectures does Debian run?", page).endswith("runs on 9 architectures.")


def test_what_only_says_where_to_read_on_is_not_quoted_for_an_answer() -> None:
    page = (
        "To read such files, add `python-dotenv` to the project.\n\n"
        "You can read more about how to read such files in the manual of the project."
    )
    assert "python-dotenv" in shown("What do I need to read such files?", page)


def test_who_and_when_are_both_answered() -> None:
    one = "1.7. The name\n\nAnna and Ian Weber founded the free project."
    other = "The free project was created by Ian Weber in 1993."
    text = shown("Who founded the free project and when?", one, other)
    assert "Anna" in text
    assert "1993" in text


def test_what_a_thing_is_stands_where_it_is_introduced() -> None:
    page = (
        "A fonte é tão antiga que FAPDF não diz nada dela.\n\n"
        "A Fundação de Apoio (FAPDF) é uma entidade pública.\n"
    )
    weights = dict.fromkeys(analyse_question("O que é a FAPDF?", ["pt"]).terms, 1.0)
    (one,) = extract(Asked("O que é a FAPDF?", weights, "pt", "pt"), [found(page)])
    assert one.excerpt.text == "A Fundação de Apoio (FAPDF) é uma entidade pública."


def test_what_is_said_of_the_others_does_not_answer() -> None:
    page = "Roses that do not climb are pruned in March.\n\nClimbing roses are pruned in November.\n"
    (one,) = excerpts("When are climbing roses pruned?", found(page))
    assert [page[one.start + a : one.start + b] for a, b in one.highlight] == [
        "Climbing roses are pruned in November."
    ]


CLAUSES = """# Staff rules

## 2. Visitors
2.1. Visitors sign the book at the gate.
2.2. A visitor badge is valid for one day; it is returned at the gate.
2.3. Photographs are allowed in the yard:
- not in the halls;
- not of people without their consent.
"""


@pytest.mark.parametrize(
    ("question", "clause"),
    [
        ("How long is a visitor badge valid?", "2.2. A visitor badge is valid for one day"),
        ("Where do visitors sign the book?", "2.1. Visitors sign the book at the gate."),
    ],
)
def test_a_clause_of_a_regulation_is_quoted_by_itself_and_is_no_line_of_contents(
    question: str, clause: str
) -> None:
    text = shown(question, CLAUSES)
    assert text.startswith(clause)
    assert "\n" not in text


def test_a_clause_brings_the_whole_list_that_it_announces() -> None:
    text = shown("Where are photographs allowed?", CLAUSES)
    assert text.endswith("in the yard:\n- not in the halls;\n- not of people without their consent.")


def test_what_stands_below_a_table_of_contents_is_quoted_and_the_table_is_not() -> None:
    contents = (
        "1.1. Safety\n1.2. Mounting\n2.1. Cleaning the filter\n2.2. Storage in winter\n2.3. Spare parts"
    )
    page = f"{contents}\n\nRinse the filter every week with cold water."
    assert shown("How is the filter cleaned?", page) == "Rinse the filter every week with cold water."
    assert shown("How is the filter cleaned?", contents) == ""


def test_another_passage_does_not_stand_in_for_one_that_cannot_be_quoted() -> None:
    contents = "1.1. Safety\n1.2. Mounting the pump\n2.1. Cleaning\n2.2. Storage in winter\n2.3. Spare parts"
    other = "The pump room is closed on Sundays."
    assert shown("How do I mount the pump in winter?", contents, other) == ""
    near = "Mount the pump on a flat wall, in winter only indoors."
    assert shown("How do I mount the pump in winter?", contents, near) == near


def test_the_title_above_clauses_is_no_answer() -> None:
    lease = "3. End of the lease\n3.1 Either side may end it with three months' notice, in writing."
    text = shown("How can the lease be ended?", lease)
    assert "three months' notice" in text
    assert text != "3. End of the lease"


def test_another_part_of_the_section_that_was_found_first_may_answer() -> None:
    told = "A dependency is called only once in a request, and what it gives is kept in the cache for others."
    wanted = "To get a dependency called anew, and not kept in the cache, set `use_cache=False`."
    question = "How is a dependency called anew, not kept in the cache?"

    first = found(told, 5.0, section="Dependencies")
    second = found(wanted, 1.5, section="Dependencies")
    assert excerpts(question, first, second)[0].text == wanted


def test_who_asks_for_several_things_gets_the_list_that_is_announced() -> None:
    told = "The renewal of the certificates of a proxy, with its programs, its keys, and its names, serves the app."
    listed = "Some programs that can serve as a proxy are:\n\n* Traefik\n* Caddy\n* Nginx"
    assert (
        "Caddy" in excerpts("Which programs can serve as a proxy?", found(told, 7.5), found(listed))[0].text
    )


def test_what_is_said_to_be_the_opposite_is_not_quoted_for_the_thing_itself() -> None:
    given = "If the revision of the file is not 1, give the option `-sa`."
    text = f"{given} The opposite option `-sd` leaves out the source file."
    assert shown("Which option adds the source file?", text).startswith(given)


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("Где есть банк?", "Напротив вокзала есть банк.", "Позади вокзала есть банк."),
        ("Сколько стоит билет?", "Обратный билет стоит 50 рублей.", "Детский билет стоит 50 рублей."),
        ("Which proxy is there?", "The reverse proxy is Nginx.", "The second proxy is Caddy."),
    ],
)
def test_what_only_begins_like_an_opposite_is_worth_as_much(question: str, answer: str, other: str) -> None:
    assert excerpts(question, found(answer, 2.0), found(other, 1.9))[0].text == answer


def test_a_line_that_repeats_the_title_is_no_answer() -> None:
    title = "The governing bodies of the club"
    told = "The club is governed by the assembly, the board and the president."
    menu = found(f"- {title}\n- Where the club meets", 2.0, section=title)
    (one,) = excerpts("Which governing bodies has the club?", menu, found(told, 1.0, section=title))
    assert one.text == told


@pytest.mark.parametrize("turn", ["Nevertheless", "However", "Even so"])
def test_what_holds_all_the_same_comes_along(turn: str) -> None:
    text = f"Usually you cannot select text with the mouse. {turn}, holding Shift does it."
    assert "Shift" in shown("How do I select text with the mouse?", text)


def test_beside_the_word_itself_another_that_is_as_good_elsewhere_does_not_do() -> None:
    rules = (
        "1. Study leave. Employees get one day off for an examination, up to six days per year.\n\n"
        "2. Illness. Tell your manager before half past nine in the morning.\n\n"
        "3. Annual leave. Every employee has 26 days of paid annual leave.\n"
    )
    question = "How many days of annual leave are there?"
    assert "26 days" in shown(question, rules)
    assert "six days" not in shown(question, rules)


LETTER = (
    "From: Olga Hart <hart@school.example>\nTo: Parents of Year 4 <year4@school.example>\nDate: 2026-04-27 15:40\n"
    "Subject: Year 4 trip to the marsh\n\nDear parents,\n\nBoth classes of Year 4 visit the marsh in May.\n"
)


def test_the_lines_above_a_letter_are_quoted_only_for_who_asks_for_them() -> None:
    letter = replace(found(LETTER), document_path="trip.eml")
    (about,) = excerpts("How many classes of Year 4 visit the marsh?", letter)
    assert "Subject:" not in about.text
    assert "Both classes of Year 4 visit the marsh in May." in about.text
    (sent,) = excerpts("Who sent the letter to the parents of Year 4?", letter)
    assert "To: Parents of Year 4" in sent.text


def test_facts_in_a_letter_are_no_header() -> None:
    page = LETTER + "\nDate: Thursday 21 May\nPlace: the salt marsh\n"
    (one,) = excerpts("Is the date Thursday 21 May?", replace(found(page), document_path="trip.eml"))
    assert "Date: Thursday 21 May" in one.text


def test_the_no_that_answers_is_not_cut_off() -> None:
    page = "May I sell what I harvest?\n\nNo. Vegetables are for your own kitchen, cabbages too."
    assert "No. Vegetables" in shown("can i sell my cabbages", page)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Slugs: lay a board on the ground at night and collect them in the morning.", 0.0),
        ("Leeks: collect them in the morning.", 1.0),
        ("Collect it in the morning.", 1.0),
    ],
)
def test_who_asks_when_is_told_no_time_of_another_thing(said: str, told: float) -> None:
    asked = Asked("When do I collect leeks?", {"collect": 1.0, "leek": 1.0}, "en", "en")
    (text,) = read_texts(asked, AskedForms(asked.question), [found(said)])
    assert text.features.of(0)["time_told"] == told


def test_nothing_is_quoted_of_nothing() -> None:
    assert extract(Asked("When are leeks sown?", {"leek": 1.0, "sown": 1.0}, "en", "en"), []) == []
