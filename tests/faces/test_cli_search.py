"""`sourcebook search` on a real base: what it shows to people, and what to programs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.faces.shell import Here, Shell
from tests.unit.rerank_server import judged, serving

from sourcebook import Collection, EmbeddedChunk, Sourcebook
from sourcebook.model.documents import Chunk

KEY = "canary-of-the-reranker"
JUDGE = {
    "SOURCEBOOK_RERANK_PROVIDER": "api",
    "SOURCEBOOK_RERANK_MODEL": "judge",
    "SOURCEBOOK_RERANK_API_KEY": KEY,
}
NOTES = {
    "raspberries": (
        "Prune everbearing raspberries in late autumn, after the last berries.",
        "малина_ремонтантная",
    ),
    "canes": ("Canes of any raspberry are tied to a wire. Prune what is broken.", "малина_общая"),
    "soil": ("Prune nothing in wet soil. Soil for berries is sour.", None),
    "tomatoes": (
        "Water tomatoes in the morning, at the root, twice a week. Prune side shoots.",
        "томат_общая",
    ),
}


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A base with four notes, a collection of another language, and one of somebody else's vectors."""
    folder = tmp_path_factory.mktemp("search")
    db = folder / "data" / "knowledge_base.db"
    db.parent.mkdir()
    with Sourcebook(db) as book:
        for name, (text, subcategory) in NOTES.items():
            book.add_text(text, id=name, title=name.title(), category="berries", subcategory=subcategory)
        book.add_text("Обрезайте ремонтантную малину поздней осенью.", id="малина", collection="ru")
        book.create_collection(Collection("brought", 3))
        chunk = Chunk("theirs", "their-note", "Prune with somebody else's vectors.")
        book.stores.vectors.add("brought", [EmbeddedChunk(chunk, [1.0, 0.0, 0.0])])
        book.stores.fts.index("brought", [chunk])
    return Here(folder)


def documents(found: Any) -> list[str]:
    return [result["document_id"] for result in found["results"]]


def test_people_see_places_and_passages_and_scores_only_where_they_are_explained(shell: Shell) -> None:
    usual = shell.run("search", "prune raspberries", "--top-k", "1").stdout
    assert usual.splitlines()[0] == "1. Raspberries"
    assert re.search(
        r"together 1\. \(\d\.\d{3}\)", shell.run("search", "prune raspberries", "--explain").stdout
    )


def test_the_filter_that_the_help_gives_as_an_example_lets_something_through(shell: Shell) -> None:
    told = " ".join(shell.run("search", "--help").stdout.split())
    example = re.search(r'For example: "([^"]+)"', told)
    assert example is not None
    assert documents(shell.json("search", "prune raspberries", "--where", example[1]))


def test_a_result_says_which_collection_it_is_from(shell: Shell) -> None:
    found = shell.json("search", "prune raspberries", "--top-k", "1")
    assert set(found) == {"query", "mode", "results", "warnings", "weak"}
    (result,) = found["results"]
    assert (result["collection_id"], result["parent_context"]) == ("default", None)
    assert found["warnings"] == []


def test_several_collections_are_searched_together(shell: Shell) -> None:
    found = shell.json(
        "search",
        "prune raspberries",
        "--collection",
        "default",
        "--collection",
        "ru",
        "--collection",
        "brought",
    )
    assert {result["collection_id"] for result in found["results"]} == {"default", "ru", "brought"}
    assert [result["collection_id"] for result in found["results"][:3]] == ["default", "ru", "brought"]
    assert [(w["code"], w["collection_id"]) for w in found["warnings"]] == [("no_embedder", "brought")]


def test_of_what_does_not_match_well_the_beginnings_of_three_passages_are_shown(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number}.md").write_text(f"# Bed {number}\n\n" + f"Row {number} holds beans. " * 20)
    shell = Here(tmp_path)
    shell.json("add", ".")
    done = shell.run("search", "zzzz qqqq")
    assert done.stderr == "Nothing matches well. These passages came closest:\n"
    assert [line[:2] for line in done.stdout.splitlines() if line[:1].isdigit()] == ["1.", "2.", "3."]
    assert max(map(len, done.stdout.splitlines())) < 170
    assert done.stdout.count("…") == 3
    found = shell.json("search", "zzzz qqqq")
    assert found["weak"]
    assert len(found["results"]) == 5


def test_a_field_that_no_document_has_is_named_with_the_nearest(shell: Shell) -> None:
    done = shell.run("search", "prune", "--where", "subcatgory=x and not colour=red")
    assert "No document has a field `subcatgory`; did you mean `subcategory`?\n" in done.stderr
    assert "No document has a field `colour`.\n" in done.stderr
    assert "Nothing was found." in done.stderr
    (warning,) = shell.json("search", "prune", "--where", "tpye=pdf")["warnings"]
    assert (warning["code"], "`type`" in warning["message"]) == ("unknown_field", True)
    assert shell.json("search", "prune", "--where", "type=pdf")["warnings"] == []


def test_a_field_of_the_metadata_is_known_and_is_what_was_meant(tmp_path: Path) -> None:
    shell = Here(tmp_path)
    with Sourcebook(tmp_path / "data" / "knowledge_base.db") as book:
        book.add_text("Prune in autumn.", id="a", metadata={"author": {"name": "Ann"}})
    done = shell.run("search", "prune", "--where", "autor.name=Ann")
    assert "No document has a field `autor.name`; did you mean `author`?" in done.stderr
    assert shell.json("search", "prune", "--where", "author.name=Bob")["warnings"] == []
    done = shell.run("ask", "When to prune?", "--where", "autor=Ann")
    assert "Note: No document has a field `autor`; did you mean `author`?\n" in done.stderr
    assert (
        shell.json("ask", "When to prune?", "--where", "autor=Ann")["warnings"][0]["code"] == "unknown_field"
    )
    assert "warnings" not in shell.json("ask", "When to prune?", "--where", "author.name=Ann")


def test_a_value_that_a_named_field_never_has_is_told(shell: Shell) -> None:
    done = shell.run("search", "prune", "--where", "mtime>yesterday and page=two and title=2024")
    assert (
        "Note: `mtime` is a time, and 'yesterday' is not one. Write a date such as 2024-01-31.\n"
        in done.stderr
    )
    assert "Note: `page` is a number, and 'two' is not one.\n" in done.stderr
    assert 'Note: `title` is text. Put the value in quotes: title="2024".\n' in done.stderr
    ends = ("2024-01-01 and 2024-02-30", "2024-02-30 and 2024-03-01")
    for where in (f"mtime between {each}" for each in ends):
        assert "'2024-02-30' is not one" in shell.run("search", "prune", "--where", where).stderr
    for where in (
        "mtime<2001-01-01",
        "mtime in (2001-01-01, soon)",
        "mtime between 2001-01-01 and 2001-02-01",
    ):
        assert "Note: `" not in shell.run("search", "prune", "--where", where).stderr


def test_a_question_with_a_mistaken_filter_is_none_for_an_expert(tmp_path: Path) -> None:
    (tmp_path / "garden.md").write_text("# Garden\n\nPrune raspberries in late autumn.\n")
    shell = Here(tmp_path)
    shell.json("add", ".")
    assert shell.json("search", "prune", "--where", "mtime>2001-01-01")["results"]
    for mistaken in ("tpye=note", "mtime>yesterday"):
        asked = shell.json("ask", "When to prune raspberries?", "--where", mistaken)
        assert (asked["tier"], len(asked["warnings"]), "draft_id" in asked) == ("none", 1, False)
    assert "draft_id" in shell.json("ask", "When to prune raspberries?", "--where", "type=pdf")
    assert len(shell.json("moderate", "list")["drafts"]) == 1


def test_a_warning_is_told_beside_the_results(shell: Shell) -> None:
    done = shell.run("search", "prune", "--collection", "brought")
    assert done.returncode == 0
    assert "somebody else's vectors" in done.stdout
    assert done.stderr.startswith("Note: The collection 'brought' was searched by words alone.")


def test_meaning_alone_cannot_search_vectors_that_nobody_here_can_make(shell: Shell) -> None:
    error = shell.json("search", "prune", "--collection", "brought", "--mode", "semantic", exit_code=6)[
        "error"
    ]
    assert error["code"] == "no_embedder"


def test_without_an_embedder_words_are_searched_and_the_rest_is_told(shell: Shell) -> None:
    found = shell.json("search", "raspberries", SOURCEBOOK_EMBEDDER="none")
    assert documents(found)[0] == "raspberries"
    assert [warning["code"] for warning in found["warnings"]] == ["no_embedder"]


@pytest.mark.parametrize(("question", "mode"), [("", "hybrid"), ("?!", "keyword"), ("(((", "semantic")])
def test_a_question_without_words_is_refused_as_ask_refuses_it(
    shell: Shell, question: str, mode: str
) -> None:
    done = shell.run("search", "--mode", mode, "--", question)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no words to search for" in done.stderr
    assert shell.run("ask", "--", question).returncode == 2


@pytest.mark.parametrize("top_k", ["0", "1000000000"])
def test_a_number_of_results_that_makes_no_sense_is_a_usage_error(shell: Shell, top_k: str) -> None:
    assert shell.json("search", "prune", "--top-k", top_k, exit_code=2)["error"]["message"]


def test_a_subcategory_comes_before_the_general_entries(shell: Shell) -> None:
    found = shell.json("search", "prune", "--subcategory", "Малина ремонтантная")
    assert documents(found)[0] == "raspberries"
    assert sorted(documents(found)) == ["canes", "raspberries", "soil"]
    assert documents(shell.json("search", "prune", "--category", "vegetables")) == []
    narrowed = shell.json("search", "prune", "--category", "Berries", "--where", "title=Soil")
    assert documents(narrowed) == ["soil"]


def test_children_can_be_shown_instead_of_passages(shell: Shell) -> None:
    found = shell.json("search", "prune raspberries", "--level", "child", "--top-k", "1")
    assert found["results"][0]["parent_context"].startswith("Prune everbearing raspberries")
    assert "late autumn" in shell.run("search", "prune raspberries", "--level", "child").stdout


# Explanations


def test_an_explanation_is_part_of_the_document(shell: Shell) -> None:
    found = shell.json("search", "prune raspberries", "--explain", "--where", "category=berries")
    explanation = found["explanation"]
    assert [entry["chunk_id"] for entry in explanation["results"]] == [
        r["chunk_id"] for r in found["results"]
    ]
    first = explanation["results"][0]
    assert (first["rank"], first["semantic"]["rank"], first["keyword"]["rank"]) == (1, 1, 1)
    (collection,) = explanation["collections"]
    assert collection["filter"] == 'category = "berries"'
    semantic, keyword = collection["arms"]
    assert (semantic["arm"], keyword["arm"]) == ("semantic", "keyword")
    assert semantic["plan"]["method"] == "exact"
    assert keyword["plan"]["allowed"] == 4
    assert {"stage", "milliseconds", "collection_id"} == set(explanation["stages"][0])


def test_an_explanation_for_people_tells_ranks_and_times(shell: Shell) -> None:
    done = shell.run("search", "prune raspberries", "--explain", "--top-k", "1")
    assert "↳ meaning: 1. (" in done.stdout
    assert "How the search was done:" in done.stdout
    assert "rows match the filter" in done.stdout
    assert " ms" in done.stdout


def test_a_named_document_is_explained(shell: Shell) -> None:
    asked = ("search", "prune raspberries", "--top-k", "1", "--explain-document")
    assert shell.json(*asked, "raspberries")["document"]["rank"] == 1
    place = shell.json(*asked, "tomatoes")["document"]
    assert (place["rank"], [reason["code"] for reason in place["reasons"]]) == (None, ["below_the_cut"])
    told = shell.run(*asked, "tomatoes").stdout
    assert "tomatoes is not among the results:" in told
    assert shell.json(*asked, "nowhere.md")["document"]["reasons"][0]["code"] == "unknown_document"


# Reranking


def test_a_reranker_that_is_not_set_up_is_told(shell: Shell) -> None:
    error = shell.json("search", "prune", "--rerank", exit_code=6, SOURCEBOOK_RERANK_PROVIDER="api")["error"]
    assert error["code"] == "provider_missing"
    assert "rerank_base_url" in error["hint"]


def test_a_server_reranks_the_results(shell: Shell) -> None:
    variables = dict(JUDGE)
    asked = ("search", "prune", "--rerank", "--explain")
    with serving(judged((2, 0.9), (0, 0.5))) as server:
        plain = shell.json("search", "prune")
        found = shell.json(*asked, exit_code=0, **variables, SOURCEBOOK_RERANK_BASE_URL=server.url)
    before = documents(plain)
    assert documents(found) == [before[2], before[0], before[1], before[3]]
    assert found["results"][0]["score_breakdown"]["rerank_score"] == 0.9
    moved = found["explanation"]["results"][0]
    assert (moved["rank_before_rerank"], moved["rank"]) == (3, 1)
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_a_server_that_answers_nonsense_is_an_error_or_a_warning_by_setting(shell: Shell) -> None:
    variables = dict(JUDGE)
    with serving(judged((9, 0.9))) as server:
        variables["SOURCEBOOK_RERANK_BASE_URL"] = server.url
        error = shell.json("search", "prune", "--rerank", exit_code=6, **variables)["error"]
        assert error["code"] == "bad_provider_answer"
        variables["SOURCEBOOK_RERANK_ON_FAILURE"] = "fused"
        found = shell.json("search", "prune", "--rerank", exit_code=0, **variables)
    assert documents(found) == documents(shell.json("search", "prune"))
    assert [warning["code"] for warning in found["warnings"]] == ["reranker_failed"]


def test_the_key_of_the_reranker_is_shown_nowhere(shell: Shell) -> None:
    variables = JUDGE | {"SOURCEBOOK_RERANK_BASE_URL": "http://127.0.0.1:9/v1"}
    for arguments in (
        ["config", "show"],
        ["config", "show", "--json"],
        ["search", "x", "--rerank"],
        ["search", "x", "--rerank", "--json", "--log-level", "debug"],
    ):
        done = shell.run(*arguments, **variables)
        assert KEY not in done.stdout + done.stderr
