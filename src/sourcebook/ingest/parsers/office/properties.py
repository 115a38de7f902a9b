"""What an Office file says about itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sourcebook.ingest.parsers.clean_text import cleaned, one_line

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.xml_element import Element
    from sourcebook.ingest.parsers.zip_and_xml import Package
    from sourcebook.model.documents import JsonValue, Metadata

_CORE = "docProps/core.xml"
_DC = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"
_CP = "{http://schemas.openxmlformats.org/package/2006/metadata/core-properties}"
_SAID = {
    "author": f"{_DC}creator",
    "subject": f"{_DC}subject",
    "keywords": f"{_CP}keywords",
    "date": f"{_TERMS}created",
}
# What programs write there when nobody has given a title.
_NO_TITLE = re.compile(
    r"untitled|без названия|sem título|(?:document|документ|documento) ?\d*|microsoft (?:word|office)\b.*"
    r"|powerpoint presentation|презентация powerpoint|apresentação do powerpoint|(?:слайд|slide|folie|diapositiva) \d+"
    r"|.*\.(?:docx?|pptx?|xlsx?|odt|rtf|dotx?)",
    re.IGNORECASE,
)
_DATE_LENGTH = len("2024-01-31")


def office_properties(package: Package) -> tuple[str | None, Metadata]:
    """Its title, and the rest."""
    core = package.xml_if_there(_CORE)
    if core is None:
        return None, {}
    return title_said_by(core), metadata_of(core, _SAID)


def title_said_by(element: Element) -> str | None:
    """The title that somebody gave a document, and not just a program."""
    title = said_by(element, f"{_DC}title")
    return None if title and _NO_TITLE.fullmatch(title) else title


def said_by(element: Element, tag: str) -> str | None:
    found = element.find(tag)
    return one_line(cleaned(found.text or "")) or None if found is not None else None


def metadata_of(element: Element, tags: dict[str, str]) -> Metadata:
    metadata: dict[str, JsonValue] = {}
    for key, tag in tags.items():
        value = said_by(element, tag)
        if value:
            metadata[key] = value[:_DATE_LENGTH] if key == "date" else value
    return metadata
