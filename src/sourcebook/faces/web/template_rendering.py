"""Templates, the texts of the page, and the headers that every answer of the page has."""

from __future__ import annotations

import hashlib
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from sourcebook.faces.http.auth.security_headers import PAGE_HEADERS
from sourcebook.faces.web import dates_and_numbers, safe_html
from sourcebook.locale import LANGUAGES, NAMES, Texts, page_texts

if TYPE_CHECKING:
    from fastapi import Request

HERE = Path(__file__).parent
STATIC = HERE / "static"
LANGUAGE_COOKIE, THEME_COOKIE = "sourcebook_language", "sourcebook_theme"
THEMES = ("auto", "light", "dark")
HEADERS = PAGE_HEADERS


def render(template: str, texts: Texts, /, **context: Any) -> str:
    """A template, filled in, with every text of it escaped."""
    return (
        _environment()
        .get_template(template)
        .render(t=partial(_said, texts), texts=texts, language=texts.language, **_helpers(texts), **context)
    )


def language_of(request: Request) -> str:
    """The language that was chosen, or else the one that the browser prefers and the page speaks."""
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    if chosen in LANGUAGES:
        return chosen
    wanted: list[tuple[float, str]] = []
    for part in request.headers.get("accept-language", "").split(",")[:20]:
        name, _, weight = part.partition(";q=")
        code = name.strip().partition("-")[0].lower()
        if code in LANGUAGES:
            wanted.append((_weight(weight), code))
    return max(wanted, key=lambda each: each[0])[1] if wanted else LANGUAGES[0]


def theme_of(request: Request) -> str:
    chosen = request.cookies.get(THEME_COOKIE, "auto")
    return chosen if chosen in THEMES else "auto"


def texts_of(request: Request) -> Texts:
    return page_texts(language_of(request))


def _weight(text: str) -> float:
    try:
        return float(text or 1)
    except ValueError:
        return 0.0


def _said(texts: Texts, key: str, **values: object) -> str:
    return texts(key, **values)


def _helpers(texts: Texts) -> dict[str, Any]:
    return {
        "moment": partial(dates_and_numbers.moment, texts),
        "day": partial(dates_and_numbers.day, texts),
        "number": partial(dates_and_numbers.number, texts),
        "size": partial(dates_and_numbers.size, texts),
    }


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    shared: dict[str, Any] = {"asset": asset, "languages": NAMES, "themes": THEMES, "icon": icon}
    cast("dict[str, Any]", made.globals).update(shared)
    made.filters["markdown"] = safe_html.plain
    made.filters["codes"] = safe_html.with_codes
    return made


@cache
def asset(name: str) -> str:
    """The address of a file of the page. It changes with the file, so that browsers may keep it for ever."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:10]
    return f"/static/{name}?v={digest}"


@cache
def icon(name: str) -> Markup:
    """A drawing of our own, in the colour of the text around it."""
    return Markup((HERE / "templates" / "icons" / f"{name}.svg").read_text("utf-8").strip())  # noqa: S704
