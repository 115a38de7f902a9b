"""A key that is limited to some collections reads no words of others, whichever route tells of a draft."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.faces.server_desk import SECRET, SECRET_QUESTION, ServerDesk, server_desk

from sourcebook.curate.told_places import place_cited
from sourcebook.model.chat import Citation
from sourcebook.model.moderation import DraftKind, NewDraft

pytestmark = pytest.mark.anyio

WORDS = "The vault opens with the word marzipan."
VAULT = Citation(2, "", "secret", "vault", "vault", "Vault", "", None, 0, len(WORDS), WORDS, verified=True)


async def asked(desk: ServerDesk) -> int:
    """A question of `default` to which a passage of another collection came closest, and then one of its own."""
    own = (await desk.book.library.documents("default"))[0]
    document = await desk.book.library.get(own.id, collection="default")
    assert document is not None
    nearest = [place("secret", "vault", SECRET, WORDS), place("default", own.id, document.content, None)]
    draft = await desk.book.moderation.call_human(
        "Which word now?", details={"nearest": nearest, "nearest_excerpt": WORDS}
    )
    return draft.id


def place(collection: str, document: str, text: str, quote: str | None) -> dict[str, Any]:
    return {
        "collection_id": collection,
        "document_id": document,
        "document_path": document,
        "title": document,
        "section": None,
        "page": None,
        "start_index": 0,
        "end_index": len(text),
        "excerpt": quote,
        "quote": quote,
        "quote_start": None if quote is None else 0,
    }


async def test_the_nearest_passages_are_those_of_seen_collections_under_their_numbers(tmp_path: Path) -> None:
    async with server_desk(str(tmp_path / "base.db")) as desk, desk.client("bound expert") as client:
        number = await asked(desk)
        listed, one = await client.get("/api/drafts"), await client.get(f"/api/drafts/{number}")
        for found in (listed.json()["drafts"][0], one.json()["draft"]):
            assert [(each["collection_id"], each["number"]) for each in found["nearest"]] == [("default", 2)]
            assert found["nearest_excerpt"] is None
        assert "marzipan" not in listed.text + one.text

        async with desk.client("expert") as whole:
            seen = (await whole.get(f"/api/drafts/{number}")).json()["draft"]
        assert [each["quote"] for each in seen["nearest"]] == [WORDS, None]
        assert seen["nearest_excerpt"] == WORDS


async def test_what_a_search_looked_at_names_nothing_of_an_unseen_collection(tmp_path: Path) -> None:
    async with server_desk(str(tmp_path / "base.db")) as desk, desk.client("bound expert") as client:
        found = await desk.book.ask(SECRET_QUESTION, collection=["default", "secret"])
        passages = found.details["passages"]
        assert isinstance(passages, list)
        assert {"default", "secret"} == {str(p["collection_id"]) for p in passages if isinstance(p, dict)}
        draft = await desk.book.moderation.call_human("Which word now?", details={"passages": passages})
        drafts = [await client.get("/api/drafts"), await client.get(f"/api/drafts/{draft.id}")]
        page = await client.get(f"/inbox/{draft.id}", headers={"Accept": "text/html"})
        gaps = await client.get("/api/gaps")
        for shown in (*drafts, page, gaps):
            assert shown.is_success
            assert "Which word now?" in shown.text
            assert "vault" not in shown.text.lower()
        seen = drafts[1].json()["draft"]["details"]["passages"]
        assert {each["collection_id"] for each in seen} == {"default"}
        assert "What the search looked at" in page.text
        assert gaps.json()["gaps"][0]["near"]
        async with desk.client("expert") as whole:
            assert "vault" in (await whole.get(f"/api/drafts/{draft.id}")).text.lower()


async def test_curated_answers_and_quotes_of_unseen_collections_are_left_out_of_a_draft(
    tmp_path: Path,
) -> None:
    async with server_desk(str(tmp_path / "base.db"), draft_answers="all") as desk:
        (own,) = [d for d in await desk.book.library.documents("default") if d.title == "Soil"]
        quoted = [place_cited(1, place("default", own.id, "", "Blueberries")), VAULT]
        kept = {"id": 7, "question": "Which soil?", "score": 0.9, "collection_id": "default"}
        secret = {"question": "Which marzipan?", "answer": WORDS, "reason": WORDS}
        gone = {**kept, **secret, "collection_id": "secret"}
        for answer, details in (
            (f"Blueberries [1]. {WORDS} [2]", {"similar": [kept, gone], "outdated": gone, "rejected": gone}),
            (
                "Blueberries [1].",
                {"outdated": {**kept, "answer": "Sour."}, "rejected": {**kept, "reason": "no"}},
            ),
        ):
            await desk.book.moderation.add_to_moderation_queue(
                NewDraft(
                    user_id=1,
                    kind=DraftKind.ANSWER,
                    question=f"What of {len(answer)}?",
                    answer=answer,
                    citations=tuple(quoted) if VAULT.quote in answer else (quoted[0],),
                    details=details,  # type: ignore[arg-type]
                    collection_id="default",
                )
            )
        async with desk.client("bound expert") as client:
            listed = await client.get("/api/drafts")
            first, second = (draft["id"] for draft in listed.json()["drafts"])
            one = await client.get(f"/api/drafts/{first}")
            page = await client.get(f"/inbox/{first}", headers={"Accept": "text/html"})
            for shown in (listed, one, page):
                assert "What of" in shown.text
                assert "marzipan" not in shown.text
            draft = one.json()["draft"]
            assert (draft["answer"], draft["rejected"], draft["details"]["outdated"]) == (None, None, None)
            assert [each["question"] for each in draft["resembles"]] == ["Which soil?"]
            seen = (await client.get(f"/api/drafts/{second}")).json()["draft"]
            assert (seen["answer"], seen["rejected"]["reason"]) == ("Blueberries [1].", "no")
            assert seen["details"]["outdated"]["answer"] == "Sour."
            refused = await client.post(f"/api/drafts/{first}/approve", json={"category": "soil"})
            assert refused.status_code == 400, refused.text
            assert "quotes a collection that you may not read" in refused.text
        async with desk.client("expert") as whole:
            assert WORDS in (await whole.get(f"/api/drafts/{first}")).json()["draft"]["answer"]


async def test_the_sources_of_an_entry_are_those_of_seen_collections(tmp_path: Path) -> None:
    async with server_desk(str(tmp_path / "base.db")) as desk, desk.client("bound expert") as client:
        number = await asked(desk)
        async with desk.client("expert") as whole:
            given = await whole.post(
                f"/api/drafts/{number}/answer", json={"answer": "It is sweet.", "sources": [1]}
            )
        entry = given.json()["entry"]
        assert [source["quote"] for source in entry["sources"]] == [WORDS]

        for answer in (
            await client.post(f"/api/drafts/{number}/keep", json={}),
            await client.get(f"/api/drafts/{number}"),
            await client.get("/api/curated"),
            await client.get(f"/api/curated/{entry['id']}"),
            await client.patch(f"/api/curated/{entry['id']}", json={"answer": "It is very sweet."}),
        ):
            assert answer.is_success, answer.text
            assert "It is" in answer.text
            assert "marzipan" not in answer.text


@pytest.mark.parametrize("source", [True, 1.0, None])
async def test_what_is_neither_a_number_nor_a_name_is_no_source(tmp_path: Path, source: Any) -> None:
    async with server_desk(str(tmp_path / "base.db")) as desk, desk.client("expert") as client:
        number = await asked(desk)
        body = {"answer": "It is sweet.", "sources": [source]}
        assert (await client.post(f"/api/drafts/{number}/answer", json=body)).status_code == 422


async def test_why_an_answer_is_stale_names_no_document_of_an_unseen_collection(tmp_path: Path) -> None:
    async with server_desk(str(tmp_path / "base.db")) as desk:
        await desk.book.add_text("The gate opens at nine.", id="gate-file", collection="secret")
        source = await desk.book.curated.source(
            "gate-file", quote="The gate opens at nine.", collection="secret"
        )
        entry = await desk.book.curated.insert(
            "At nine.", category="x", question="When?", collection="default", sources=[source]
        )
        await desk.book.add_text("The gate opens at ten.", id="gate-file", collection="secret")
        (draft,) = await desk.book.moderation.get_pending_moderation_items()
        paths = ("/api/curated", f"/api/curated/{entry.id}", "/api/drafts", f"/api/drafts/{draft.id}")
        async with desk.client("bound expert") as client, desk.client("expert") as whole:
            for path in paths:
                seen, all_of_it = (await client.get(path)).text, (await whole.get(path)).text
                assert ("At nine." in seen, "gate-file" in seen, "gate-file" in all_of_it) == (
                    True,
                    False,
                    True,
                )
            shown = (await client.get(paths[1])).json()["entry"]
            assert shown["stale_reason"] == "a source has changed"
