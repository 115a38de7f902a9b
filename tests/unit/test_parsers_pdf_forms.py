"""Values of a form stand behind their labels, however many there are."""

from __future__ import annotations

import time

from sourcebook.ingest.parsers.pdf.document import parse_pdf
from sourcebook.ingest.parsers.pdf.form_fields import with_values
from sourcebook.ingest.parsers.pdf.lines import Line

LABELS = [[Line(words, 20, 100, baseline, 10)] for words, baseline in (("Name", 700), ("Bed", 650))]


def texts(rows: list[list[Line]]) -> list[str]:
    return [" ".join(line.text for line in row) for row in rows]


def test_values_stand_behind_their_labels_and_in_rows_of_their_own_between_them() -> None:
    values = [
        Line("north", 300, 350, 651, 10),
        Line("Anna", 200, 250, 699, 10),
        Line("since May", 200, 250, 675, 10),
        Line("7", 200, 250, 649, 10),
        Line("✔", 5, 10, 700, 10),
    ]
    assert texts(with_values(LABELS, values)) == ["✔ Name Anna", "since May", "Bed 7 north"]


def test_many_values_are_all_read_in_linear_time() -> None:
    start = time.process_time()
    beside = [Line("v", 200 + place / 20, 201 + place / 20, 700, 10) for place in range(10_000)]
    below = [Line("v", 200, 201, 600 - place / 20, 0.01) for place in range(10_000)]
    for values in (beside, below):
        assert " ".join(texts(with_values(LABELS, values))).split().count("v") == len(values)
    assert time.process_time() - start < 10


def test_lines_that_a_field_has_no_room_for_are_read_in_their_order() -> None:
    lines = [f"w{number}" for number in range(8_000)]
    words = parse_pdf(form("\\n".join(lines))).text.split()
    assert [word for word in words if word != "Name"] == lines


def form(value: str) -> bytes:
    """A page with a label, and with a field behind it that holds the value."""
    font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    drawn = "BT /F 10 Tf 20 700 Td (Name) Tj ET"
    objects = [
        "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[5 0 R]/DA(/F 10 Tf)>>>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R"
        f"/Resources<</Font<</F {font}>>>>/Annots[5 0 R]>>",
        f"<</Length {len(drawn)}>>stream\n{drawn}\nendstream",
        f"<</Type/Annot/Subtype/Widget/FT/Tx/T(f)/V({value})/Rect[200 690 400 710]/F 4/DA(/F 10 Tf)>>",
    ]
    body = "%PDF-1.7\n"
    places: list[int] = []
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"trailer<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{len(body)}\n%%EOF"
    return f"{body}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{end}".encode()
