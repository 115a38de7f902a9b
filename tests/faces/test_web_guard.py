"""What the page refuses, and what every answer of it carries. No browser is needed to see that."""

from __future__ import annotations

import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from tests.faces.browser_desk import Desk, desk, fill
from tests.faces.test_web_access import PLACES

from sourcebook import Sourcebook


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("guard")
    fill(folder)
    with desk(folder) as made:
        yield made


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **named: Any) -> None:
        return None


def send(at: Desk, place: str, form: dict[str, str] | None = None, **headers: str) -> tuple[int, Any, str]:
    body = None if form is None else urllib.parse.urlencode(form).encode()
    request = urllib.request.Request(at.address + place, body, {"Accept": "text/html", **headers})  # noqa: S310
    try:
        with urllib.request.build_opener(_Stay).open(request) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read().decode()


@pytest.mark.parametrize("place", PLACES)
def test_every_place_forbids_foreign_content_and_has_none_of_its_own_inline(served: Desk, place: str) -> None:
    _, headers, html = send(served, place)
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert re.search(r"<script(?![^>]*\ssrc=)", html) is None
    assert re.search(r"<style|\sstyle=|\son[a-z]+=", html) is None
    assert "//" not in re.sub(
        r"https?://127\.0\.0\.1[:\d]*|http://www\.w3\.org|postgresql://\S+", "", _links(html)
    )


def _links(html: str) -> str:
    return " ".join(re.findall(r"""(?:src|href|action)=["']([^"']*)""", html))


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_another_site_changes_nothing(served: Desk, headers: dict[str, str]) -> None:
    form = {"term": "moss", "preferred": "sphagnum"}
    status, _, _ = send(served, "/terms", form, **headers)
    assert status == 403
    _, _, html = send(served, "/terms")
    assert "sphagnum" not in html


def test_a_form_of_the_page_itself_is_taken(served: Desk) -> None:
    own = {"Origin": served.address, "Sec-Fetch-Site": "same-origin"}
    status, headers, _ = send(served, "/terms", {"term": "peat", "preferred": "bark"}, **own)
    assert (status, headers["Location"]) == (303, "/terms?done=saved")
    with Sourcebook(served.folder / "base.db") as book:
        assert [term.term for term in book.terminology.all()] == ["peat"]


@pytest.mark.parametrize("back", ["//evil.example", "https://evil.example", "/\\evil.example", ""])
def test_a_choice_of_language_leads_nowhere_else(served: Desk, back: str) -> None:
    status, headers, _ = send(served, "/preferences", {"language": "ru", "back": back})
    assert (status, headers["Location"]) == (303, "/ask")
    assert "sourcebook_language=ru" in headers["Set-Cookie"]


def test_a_file_of_the_page_may_be_kept_for_ever(served: Desk) -> None:
    _, _, html = send(served, "/ask")
    style = re.search(r'href="(/static/style\.css\?v=[0-9a-f]+)"', html)
    assert style is not None
    status, headers, _ = send(served, style[1])
    assert status == 200
    assert "immutable" in headers["Cache-Control"]


def test_what_is_not_there_is_a_page_for_people_and_a_problem_for_programs(served: Desk) -> None:
    status, headers, _ = send(served, "/nowhere")
    assert (status, headers.get_content_type()) == (404, "text/html")
    for place in ("/api/nowhere", "/ask/nowhere"):
        status, headers, _ = send(served, place, Accept="*/*")
        assert (status, headers.get_content_type()) == (404, "application/problem+json")
