"""Documents over HTTP: uploaded, listed, read, shown, hidden and removed. B05, B06: hostile files and names."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tests.conftest import BACKENDS
from tests.faces.http_server import NOTES, Served, events_of, served_on
from tests.faults.hostile_files import pdf


@pytest.fixture(scope="module", params=BACKENDS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    yield from served_on(request, tmp_path_factory, max_file_mb=0.5, http_upload_mb=1.0)


def stored(server: Served) -> list[Path]:
    folder = Path(server.settings.files or f"{server.settings.db}.files")
    return [path for path in folder.rglob("*") if path.is_file()]


def test_files_become_documents_and_jobs_say_so(server: Served) -> None:
    done = server.upload(
        {"roses.md": b"# Roses\n\nRoses are cut in March.", "tulips.txt": b"Tulips are planted in October."},
        category="flowers",
    )
    assert [(job["name"], job["status"], job["outcome"]) for job in done["jobs"]] == [
        ("roses.md", "done", "written"),
        ("tulips.txt", "done", "written"),
    ]
    document = server.get(f"/api/documents/{done['jobs'][0]['document_id']}")["document"]
    assert (document["title"], document["category"], document["status"]) == ("Roses", "flowers", "completed")
    assert document["preview"].startswith("# Roses")
    listed = server.get("/api/jobs", params={"limit": 1})
    assert (listed["jobs"][0]["name"], bool(listed["next"])) == ("tulips.txt", True)
    rest = server.get("/api/jobs", params={"cursor": listed["next"]})
    assert (rest["jobs"][0]["name"], rest["next"]) == ("roses.md", None)
    found = server.post("/api/search", {"query": "when are roses cut", "mode": "keyword"})
    assert found["results"][0]["document_id"] == document["id"]


def test_the_same_file_again_is_the_same_document_and_a_new_version_replaces_it(server: Served) -> None:
    first = server.upload({"a.txt": b"Leeks are sown in spring."})["jobs"][0]
    again = server.upload({"a.txt": b"Leeks are sown in spring."})["jobs"][0]
    assert (again["outcome"], again["document_id"]) == ("unchanged", first["document_id"])
    one = server.upload({"b.txt": b"Peas are sown in March."}, id="peas")["jobs"][0]
    other = server.upload({"b.txt": b"Peas are sown in April."}, id="peas")["jobs"][0]
    assert (other["outcome"], other["document_id"]) == ("written", one["document_id"])
    assert server.client.get(f"/api/documents/{one['document_id']}/text").text == "Peas are sown in April."


def test_an_upload_is_followed_until_it_is_done(server: Served) -> None:
    sent = server.client.post("/api/documents", files=[("files", ("follow.md", b"# Follow\n\nFollow me."))])
    number = sent.json()["jobs"][0]["id"]
    with server.client.stream("GET", f"/api/jobs/{number}/events") as response:
        events = list(events_of(response.iter_lines()))
    assert {name for name, _ in events} == {"job"}
    assert (events[-1][1]["id"], events[-1][1]["status"]) == (number, "done")


def test_a_list_comes_in_parts_and_by_what_is_asked_for(server: Served) -> None:
    everything = [document["id"] for document in server.get("/api/documents")["documents"]]
    parts: list[str] = []
    cursor = None
    while True:
        part = server.get("/api/documents", params={"limit": 2, **({"cursor": cursor} if cursor else {})})
        assert len(part["documents"]) <= 2
        parts += [document["id"] for document in part["documents"]]
        cursor = part["next"]
        if cursor is None:
            break
    assert parts == everything
    assert len(parts) > 4
    by_text = server.get("/api/documents", params={"text": "WATER"})["documents"]
    assert [document["title"] for document in by_text] == ["Water"]
    garden = server.get("/api/documents", params={"category": "Garden", "status": "completed"})["documents"]
    assert {document["title"] for document in garden} == {name.title() for name in NOTES}
    assert not server.get("/api/documents", params={"language": "pt"})["documents"]


@pytest.mark.parametrize("cursor", ["", "x", "W10", "WyJhIl0", "WzEsMl0", "bnVsbA", "é", "A" * 3000])
def test_a_cursor_that_we_did_not_make_is_refused(server: Served, cursor: str) -> None:
    response = server.client.get("/api/documents", params={"cursor": cursor})
    assert (response.status_code, response.json()["code"]) == (400, "usage")


def test_a_text_is_read_whole_or_in_part_and_not_sent_twice(server: Served) -> None:
    (found,) = server.get("/api/documents", params={"text": "soil"})["documents"]
    path = f"/api/documents/{found['id']}/text"
    whole = server.client.get(path)
    assert whole.text == NOTES["soil"]
    assert server.client.get(path, params={"start": 12, "end": 16}).text == NOTES["soil"][12:16]
    again = server.client.get(path, headers={"If-None-Match": whole.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    shown = server.client.get(f"/api/documents/{found['id']}")
    known = {"If-None-Match": shown.headers["etag"]}
    assert server.client.get(f"/api/documents/{found['id']}", headers=known).status_code == 304
    server.post(f"/api/documents/{found['id']}/hide")
    assert server.client.get(f"/api/documents/{found['id']}", headers=known).status_code == 200
    server.post(f"/api/documents/{found['id']}/unhide")


def test_a_page_is_shown_with_the_quote_marked(server: Served) -> None:
    text = "Raspberries are pruned in autumn. The canes are cut at ground level."
    document_id = server.upload({"canes.pdf": pdf("", text)})["jobs"][0]["document_id"]
    path = f"/api/documents/{document_id}/pages/2"
    plain = server.client.get(path)
    assert (plain.status_code, plain.headers["content-type"]) == (200, "image/png")
    assert yellow(plain.content) == 0
    read = server.client.get(f"/api/documents/{document_id}/text").text
    start = read.index("The canes")
    marked = server.client.get(path, params={"start": start, "end": len(read)})
    assert yellow(marked.content) > 1000
    whole = server.client.get(path, params={"start": 0, "end": len(read)})
    assert yellow(whole.content) > 1.5 * yellow(marked.content)
    (result,) = server.post("/api/search", {"query": "canes", "mode": "keyword"})["results"]
    passage = server.client.get(path, params={"chunk": result["chunk_id"]})
    assert yellow(passage.content) == yellow(whole.content)
    kept = server.client.get(path, headers={"If-None-Match": plain.headers["etag"]})
    assert kept.status_code == 304
    for asked, status in (({"start": 3}, 400), ({"chunk": "nowhere"}, 404)):
        assert server.client.get(path, params=asked).status_code == status
    assert server.client.get(f"/api/documents/{document_id}/pages/9").status_code == 400


def yellow(png: bytes) -> int:
    """How many dots are paper seen through a yellow pen."""
    picture = Image.open(io.BytesIO(png), formats=["PNG"]).convert("RGB")
    dots = np.frombuffer(picture.tobytes(), np.uint8).reshape(-1, 3)
    return int(((dots[:, 0] > 200) & (dots[:, 1] > 200) & (dots[:, 2] < 150)).sum())


def test_a_hidden_document_is_not_found_and_a_removed_one_is_gone(server: Served) -> None:
    document_id = server.upload({"kale.txt": b"Kale endures frost."})["jobs"][0]["document_id"]
    query = {"query": "kale frost", "mode": "keyword"}

    def finds() -> bool:
        return document_id in [r["document_id"] for r in server.post("/api/search", query)["results"]]

    assert finds()
    assert not server.post(f"/api/documents/{document_id}/hide")["document"]["is_active"]
    assert not finds()
    hidden = server.get("/api/documents", params={"active": False})["documents"]
    assert [document["id"] for document in hidden] == [document_id]
    assert server.post(f"/api/documents/{document_id}/unhide")["document"]["is_active"]
    assert finds()
    before = len(stored(server))
    removed = server.client.delete(f"/api/documents/{document_id}")
    assert removed.json() == {"removed": document_id, "held_by": []}
    assert not finds()
    assert len(stored(server)) == before - 1
    for path in ("", "/text", "/pages/1"):
        assert server.client.get(f"/api/documents/{document_id}{path}").status_code == 404
    assert server.client.delete(f"/api/documents/{document_id}").status_code == 404


@pytest.mark.parametrize(
    ("name", "data", "status", "code"),
    [
        ("report.pdf", b"MZ\x90\x00" + b"\x00" * 100, 415, "unsupported_file"),
        ("notes.txt", b"\x7fELF" + b"\x00" * 100, 415, "unsupported_file"),
        ("nothing", b"", 400, "empty_file"),
        ("space.md", b" \n\n ", 400, "empty_file"),
        ("large.txt", b"a" * 500_001, 413, "file_over_limit"),
    ],
)
def test_a_file_is_judged_by_its_bytes_and_leaves_nothing_behind(
    server: Served, name: str, data: bytes, status: int, code: str
) -> None:
    before = stored(server)
    response = server.client.post(
        "/api/documents", files=[("files", (name, data, "application/pdf"))], data={"category": "x"}
    )
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert stored(server) == before


def test_a_good_file_is_taken_whatever_it_is_called(server: Served) -> None:
    done = server.upload(
        {"page.pdf": b"<!doctype html><title>T</title><p>Chives like lime.</p>", "noname": b"Dill."}
    )
    assert [job["status"] for job in done["jobs"]] == ["done", "done"]
    mixed = server.upload({"ok.txt": b"Sage is dried.", "bad.so": b"\x7fELF\x00\x00"})
    assert ([job["name"] for job in mixed["jobs"]], [f["name"] for f in mixed["failed"]]) == (
        ["ok.txt"],
        ["bad.so"],
    )
    assert mixed["failed"][0]["code"] == "unsupported_file"


def test_a_broken_file_is_a_failed_job_with_its_reason(server: Served) -> None:
    (job,) = server.upload({"broken.pdf": pdf("hello")[:200]})["jobs"]
    assert (job["status"], job["error"]["code"]) == ("failed", "damaged_file")
    failed = server.get("/api/documents", params={"status": "failed"})["documents"]
    assert [document["processing_error"] for document in failed] == [
        f"damaged_file: {job['error']['message']}"
    ]


def test_a_broken_file_that_comes_again_is_still_a_failure(server: Served) -> None:
    broken = pdf("hello again")[:200]
    (first,) = server.upload({"torn.pdf": broken})["jobs"]
    for name in ("torn.pdf", "torn-too.pdf"):
        (again,) = server.upload({name: broken})["jobs"]
        assert (again["status"], again["error"]["code"]) == ("failed", "damaged_file")
        assert again["error"]["message"].endswith(first["error"]["message"])


@pytest.mark.parametrize(
    "name",
    [
        "../../outside.txt",
        "/etc/outside.txt",
        "C:\\outside.txt",
        "CON.txt",
        "-rf.txt",
        "<img src=x onerror=alert(1)>.txt",
        "a\u202etxt.exe.txt",
        "я" * 200 + ".txt",
        "..",
    ],
)
def test_a_name_is_never_a_path(server: Served, name: str) -> None:
    folder = Path(server.settings.files or f"{server.settings.db}.files")
    data = f"A file whose name is number {hash(name)}.".encode()
    (job,) = server.upload({name: data})["jobs"]
    assert job["status"] == "done"
    place = re.compile(r"(?:[\w-]+/)?[a-z2-7]{2}/[a-z2-7]{32}")
    assert all(place.fullmatch(str(path.relative_to(folder))) for path in stored(server))
    assert not (folder.parent.parent / "outside.txt").exists()
    assert server.client.get(f"/api/documents/{job['document_id']}/text").content == data


def test_an_upload_is_a_form_with_files(server: Served) -> None:
    for sent in (
        server.client.post("/api/documents", json={"files": ["x"]}),
        server.client.post("/api/documents", data={"files": "x"}, files=[("other", ("a.txt", b"x"))]),
        server.client.post(
            "/api/documents", files=[("files", (n, n.encode())) for n in ("a", "b")], data={"id": "one"}
        ),
        server.client.post("/api/documents", headers={"Content-Type": "multipart/form-data"}, content=b"x"),
    ):
        assert sent.status_code == 400
        assert sent.headers["content-type"] == "application/problem+json"


def test_a_request_that_is_too_large_is_refused_before_it_is_read(server: Served) -> None:
    form = "Content-Type: multipart/form-data; boundary=b"
    declared = server.raw(f"POST /api/documents HTTP/1.1\n{form}\nContent-Length: 100000000")
    assert declared.startswith("HTTP/1.1 413 ")
    assert '"code":"too_large"' in declared
    body = server.client.post("/api/ask", json={"question": "x" * 1_000_001})
    assert (body.status_code, body.json()["code"]) == (413, "too_large")


def test_a_body_of_unknown_length_is_read_only_up_to_the_limit(server: Served) -> None:
    pieces = iter([b"186A0\r\n" + b"x" * 100_000 + b"\r\n"] * 1000)
    head = "POST /api/search HTTP/1.1\nContent-Type: application/json\nTransfer-Encoding: chunked"
    server.raw(head, pieces)
    assert next(pieces, None) is not None, "a hundred megabytes were read"
