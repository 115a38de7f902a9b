"""What people plug in or leave unplugged: an embedder of the wrong shape, a broken address, a closed stream."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.faces.shell import Here, clean_environment

from sourcebook import AsyncSourcebook, Settings
from sourcebook.errors import BadProviderAnswer, BadSetting
from sourcebook.model.documents import EmbeddingModel
from sourcebook.providers.model_server_address import Address
from sourcebook.testing.fakes import FakeEmbedder, ScriptedChatModel

if TYPE_CHECKING:
    from sourcebook.ports.providers import TextRole

TEXT = "Prune everbearing raspberries in late autumn, after the last berries."
OTHER = "Blueberries want sour soil, and much water in a dry summer. "


class OwnEmbedder:
    """An embedder as somebody writes one in an afternoon."""

    def __init__(self, make: Callable[[Sequence[str]], Any], model: object = None) -> None:
        self.make = make
        self.model: Any = model or EmbeddingModel("own", 4)

    async def embed(self, texts: Sequence[str], role: TextRole) -> Any:
        return self.make(texts)


WRONG: dict[str, Callable[[Sequence[str]], Any]] = {
    "too short": lambda texts: np.ones((len(texts), 3)),
    "too long": lambda texts: np.ones((len(texts), 5)),
    "of two lengths": lambda texts: [[1.0] * (4 - number % 2) for number in range(len(texts) + 1)][
        : len(texts)
    ],
    "too few": lambda texts: np.ones((len(texts) - 1, 4)),
    "too many": lambda texts: np.ones((len(texts) + 1, 4)),
    "NaN": lambda texts: np.full((len(texts), 4), math.nan),
    "infinite": lambda texts: np.full((len(texts), 4), math.inf),
    "none": lambda texts: None,
    "words": lambda texts: ["vector"] * len(texts),
    "a number": lambda texts: 1.0,
    "flat": lambda texts: np.ones(len(texts)),
    "a set": lambda texts: {1.0, 2.0},
    "empty": lambda texts: [],
}


@pytest.mark.anyio
@pytest.mark.parametrize("make", WRONG.values(), ids=WRONG.keys())
async def test_vectors_of_the_wrong_shape_are_an_error_of_ours(tmp_path: Path, make: Any) -> None:
    async with AsyncSourcebook(tmp_path / "base.db", embedder=OwnEmbedder(make)) as book:
        with pytest.raises(BadProviderAnswer, match="own"):
            await book.add_text(f"{TEXT}\n\n{OTHER * 20}", id="pruning")
        assert await book.documents() == []


@pytest.mark.anyio
@pytest.mark.parametrize("make", WRONG.values(), ids=WRONG.keys())
async def test_so_is_the_vector_of_a_question(tmp_path: Path, make: Any) -> None:
    embedder = OwnEmbedder(lambda texts: np.ones((len(texts), 4)))
    async with AsyncSourcebook(tmp_path / "base.db", embedder=embedder) as book:
        await book.add_text(TEXT, id="pruning")
        embedder.make = make
        with pytest.raises(BadProviderAnswer, match="own"):
            await book.reindex()
        found = await book.search("raspberries")  # by its words
        assert [result.chunk.document_id for result in found] == ["pruning"]


@pytest.mark.anyio
async def test_lists_of_numbers_are_right_vectors(tmp_path: Path) -> None:
    embedder = OwnEmbedder(lambda texts: [[1, 0, 0, 2.5]] * len(texts))
    async with AsyncSourcebook(tmp_path / "base.db", embedder=embedder) as book:
        await book.add_text(TEXT, id="pruning")
        assert len(await book.search("raspberries")) == 1


@pytest.mark.anyio
async def test_an_embedder_without_a_model_is_an_error_of_ours(tmp_path: Path) -> None:
    embedder = OwnEmbedder(lambda texts: np.ones((len(texts), 4)), model="own")
    async with AsyncSourcebook(tmp_path / "base.db", embedder=embedder) as book:
        with pytest.raises(BadProviderAnswer, match="does not say what its model is"):
            await book.add_text(TEXT, id="pruning")


BROKEN = [
    "http://[::1",
    "http://",
    "http://a b/v1",
    "http://h:99999/v1",
    "http://h:x/v1",
    "http://u:SECRET/PW@h/v1",
    "http://\x00",
]


@pytest.mark.parametrize("url", BROKEN)
def test_a_broken_address_of_a_model_is_an_error_about_a_setting(tmp_path: Path, url: str) -> None:
    for name in ("CHAT", "EMBEDDER", "RERANK"):
        if "\x00" in url:
            with pytest.raises(ValueError, match=f"{name.lower()}_base_url"):
                Settings.model_validate({f"{name.lower()}_base_url": url})
            continue
        done = Here(tmp_path).run("collections", "list", **{f"SOURCEBOOK_{name}_BASE_URL": url})
        assert done.returncode == 2
        assert f"SOURCEBOOK_{name}_BASE_URL" in done.stderr
        assert "SECRET" not in done.stderr
    with pytest.raises(BadSetting) as caught:
        Address(url)
    assert "SECRET" not in str(caught.value.as_dict())


@pytest.mark.parametrize(
    "url",
    [
        "https://api.openai.com/v1",
        "http://127.0.0.1:8080/v1",
        "http://[::1]:80/v1",
        "http://u:p%2Fw@llm.local",
        "http://my_box:1/",
    ],
)
def test_a_good_address_is_taken(url: str) -> None:
    assert Settings(chat_base_url=url, embedder_base_url=url).chat_base_url == url
    assert Address(url).base_url == url


@pytest.mark.parametrize("words", [["doctor"], ["--json", "doctor"], ["--version"], ["collections", "list"]])
def test_a_closed_stdout_is_told_in_one_line(tmp_path: Path, words: list[str]) -> None:
    subprocess_run(tmp_path, "add", "--name", "a.md", "-", stdin=TEXT)
    done = subprocess_run(tmp_path, *words, closed=">&-")
    assert (done.returncode, done.stdout) == (1, "")
    told = [line for line in done.stderr.splitlines() if "Error" in line or "Traceback" in line]
    assert told == ["Error: The output could not be written: standard output is closed."]


def test_with_stderr_closed_stdout_holds_the_data_and_nothing_else(tmp_path: Path) -> None:
    subprocess_run(tmp_path, "add", "--name", "a.md", "-", stdin=TEXT)
    done = subprocess_run(tmp_path, "doctor", closed="2>&-")
    assert (done.returncode, done.stdout) == (0, "The base is in order.\n")


def test_with_everything_closed_a_document_is_added_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(TEXT, "utf-8")
    subprocess_run(tmp_path, "add", "a.md", closed="<&- >&- 2>&-")
    shown = subprocess_run(tmp_path, "doctor")
    assert shown.stdout == "The base is in order.\n"
    assert "1 document," in shown.stderr


def subprocess_run(
    folder: Path, *words: str, closed: str = "", stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", f'exec "$0" -m sourcebook "$@" {closed}', sys.executable, *words],
        cwd=folder,
        env=clean_environment(),
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        timeout=200,
        check=False,
    )


@pytest.mark.anyio
async def test_letters_that_no_database_keeps_are_cleaned_in_questions_and_answers(tmp_path: Path) -> None:
    said = ScriptedChatModel(
        "Prune everbearing raspb", "erries \ud83c", "\udf47\x00in late autumn [1].\udc00"
    )
    async with AsyncSourcebook(tmp_path / "base.db", embedder=FakeEmbedder(), chat_model=said) as book:
        await book.add_text(TEXT, id="pruning")
        answer = await book.ask("When do I prune everbearing\x00 raspberries?\udcff")
        assert "raspberries 🍇�in late autumn [1].�" in answer.answer
        assert answer.session_id is not None
        stored = await book.session(answer.session_id)
        assert stored.messages[0].content == "When do I prune everbearing� raspberries?�"
        assert stored.messages[1].content == answer.answer
