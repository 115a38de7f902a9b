"""Of tables, lists and sheets, the row that was asked for is quoted."""

from __future__ import annotations

from tests.unit.quoting import excerpts, found, shown

from sourcebook.consult.support.support_check import check_support


def test_a_table_without_its_lines_is_not_quoted_for_its_head() -> None:
    table = "pH now Sandy soil sulphur, g\n5.5 20 60\n6.0 40 120\n6.5 60 180"
    assert shown("sulphur soil", table) == ""
    assert (
        shown("sulphur soil", f"{table}\n\nSandy soil takes 20 g of sulphur.")
        == "Sandy soil takes 20 g of sulphur."
    )


def test_a_row_is_quoted_with_the_names_of_its_columns() -> None:
    table = "service port secure port\nwww (http) 80 https 443\nimap2 143 imaps 993\nldap 389 ldaps 636"
    text = shown("On which port does imaps run?", f"Use encryption.\n\n{table}")
    assert text.startswith("- service port secure port\n")
    assert "- imap2 143 imaps 993" in text


def test_of_a_table_only_the_row_that_answers_is_shown_with_the_names_of_its_columns() -> None:
    rows = "| London | 180 GBP |\n| Berlin | 140 EUR |\n| Lisbon | 110 EUR |"
    page = f"| City | Hotel per night |\n|---|---|\n{rows}\n"
    for city, price in {"London": "180 GBP", "Lisbon": "110 EUR"}.items():
        (one,) = excerpts(f"How much is a hotel in {city}?", found(page))
        assert one.text == f"City: {city} · Hotel per night: {price}"
        quoted = page[one.start : one.end]
        assert quoted.startswith("| City | Hotel per night |"), "what is shown is in the quote"
        assert [quoted[a:b] for a, b in one.highlight] == [f"| {city} | {price} |"]
        assert check_support(one.text, quoted, "en").is_verified


def test_a_row_that_cannot_be_told_from_its_header_is_shown_as_it_stands() -> None:
    page = "Contacts of the mill.\n\n| Name | Anna Weber |\n| Role | miller |\n"
    assert "Name: Role" not in shown("What is the role of Anna Weber at the mill?", page)


def test_a_table_without_a_ruler_has_a_header_if_numbers_stand_below_it() -> None:
    page = "Fees of the club.\n\n| Member | Fee per year |\n| Adult | 50 EUR |\n| Junior | 20 EUR |\n"
    assert shown("What is the fee per year of a junior?", page) == "Member: Junior · Fee per year: 20 EUR"


def test_who_asks_for_several_gets_the_whole_table() -> None:
    page = "| City | Country |\n|---|---|\n| London | England |\n| Leeds | England |\n"
    text = shown("Which cities in England are there?", page)
    assert "London" in text
    assert "Leeds" in text


LIMITS = (
    "Business trips are booked by the office. Receipts must be handed in within 30 days of the trip.\n\n"
    "| City | Hotel limit per night |\n|---|---|\n| Warsaw | 110 EUR |\n| Berlin | 140 EUR |\n"
)


def test_a_table_is_quoted_whole_where_the_question_names_no_row() -> None:
    whole = "- City: Warsaw · Hotel limit per night: 110 EUR\n- City: Berlin · Hotel limit per night: 140 EUR"
    assert shown("What is the hotel limit for business trips?", LIMITS).endswith(whole)


def test_of_a_column_only_the_row_is_shown_that_the_question_names() -> None:
    assert (
        shown("What is the hotel limit in Berlin?", LIMITS) == "City: Berlin · Hotel limit per night: 140 EUR"
    )


def test_one_item_of_a_list_is_shown_without_its_bullet() -> None:
    page = "- Chains are replaced after 3000 km.\n- Brake pads are checked at every service.\n"
    assert shown("When are chains replaced?", page) == "Chains are replaced after 3000 km."


def test_a_line_of_a_spreadsheet_is_shown_whole_and_alone() -> None:
    page = "Item: kettle\nPrice: 12 €\nStock: 4 pcs.\n\nItem: pan\nPrice: 9 €\nStock: 7 pcs.\n"
    assert shown("What is the price of a pan?", page) == "Item: pan · Price: 9 € · Stock: 7 pcs."


def test_rows_of_a_table_without_the_column_that_is_asked_for_do_not_come_along() -> None:
    hire = "Instrument: Cello full size; Hire per month EUR: 38; Weekend rate EUR: 60"
    parts = "Article: Cello endpin stop; Price EUR: 11; Supplier: Artino"
    page = f"{hire}\n\nInstrument: Violin; Hire per month EUR: 19; Weekend rate EUR: 30\n\n{parts}\n"
    told = shown("how much is a cello per month?", page)
    assert "38" in told
    assert "endpin" not in told


def test_where_not_all_rows_fit_those_that_answer_best_are_shown_in_their_order() -> None:
    day = "on working days, by name and date of birth"
    unsaid = ["in the morning", "in the evening", "at home", "by telephone", "on a Saturday"]
    rows = [f"| Visit to the physician {kind} | ask at the desk | {day} |" for kind in unsaid]
    rows += [f"| Visit to the physician at night | 57 pounds | {day} |"]
    rows += [f"| Visit to the physician after an operation | 66 pounds | {day} |"]
    table = "\n".join(["| Service | Price | Booking |", "|---|---|---|", *rows])
    text = shown("How much is a visit to the physician?", table)
    assert 0 < text.index("57 pounds") < text.index("66 pounds")
    assert text.endswith("…")
