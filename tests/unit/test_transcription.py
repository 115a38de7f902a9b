"""Recordings become text on a server that speaks like OpenAI's."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from sourcebook import RetrievalConfig, RetrievalMode, Settings, Sourcebook
from sourcebook.testing.fakes import FakeEmbedder

SOUND = b"ID3\x04\x00\x00" + bytes(200)
PIECES = [
    {"id": 0, "start": 0.0, "end": 4.0, "text": " Welcome to the garden."},
    {"id": 1, "start": 75.5, "end": 80.0, "text": " Prune the quince in March."},
]


@contextmanager
def transcribing(status: int, answer: object) -> Generator[tuple[str, list[bytes]]]:
    asked: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.rfile.read(int(self.headers["Content-Length"])))
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def settings_for(folder: Path, url: str | None) -> Settings:
    model = None if url is None else "whisper-1"
    db = str(folder / "base.db")
    return Settings(db=db, embedder="none", transcription_model=model, transcription_base_url=url)


def test_what_is_said_is_found_with_its_time(tmp_path: Path) -> None:
    (tmp_path / "talk.mp3").write_bytes(SOUND)
    answer = {"task": "transcribe", "language": "en", "duration": 80.0, "text": "…", "segments": PIECES}
    with transcribing(200, answer) as (url, asked):
        settings = settings_for(tmp_path, url)
        with Sourcebook(settings=settings, embedder=FakeEmbedder()) as book:
            assert book.add(tmp_path / "talk.mp3").added == 1
            (found,) = book.search("quince", RetrievalConfig(mode=RetrievalMode.KEYWORD))
    assert "Prune the quince in March." in found.chunk.content
    assert {section for section in (found.chunk.section,) if section} <= {"00:00:00", "00:01:15"}
    assert SOUND in asked[0]
    assert b"whisper-1" in asked[0]


@pytest.mark.parametrize(
    ("status", "answer"), [(401, {"error": {"message": "no"}}), (200, {"segments": [{"start": "x"}]})]
)
def test_a_server_that_fails_is_not_the_fault_of_the_file(
    tmp_path: Path, status: int, answer: object
) -> None:
    (tmp_path / "talk.mp3").write_bytes(SOUND)
    with transcribing(status, answer) as (url, _):
        settings = settings_for(tmp_path, url)
        with Sourcebook(settings=settings, embedder=FakeEmbedder()) as book:
            report = book.add(tmp_path / "talk.mp3")
            assert (report.added, len(report.failed)) == (0, 1)
            assert book.documents() == []


def test_without_a_model_a_recording_says_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "talk.mp3").write_bytes(SOUND)
    with Sourcebook(settings=settings_for(tmp_path, None), embedder=FakeEmbedder()) as book:
        report = book.add(tmp_path / "talk.mp3")
    assert [failure.code for failure in report.failed] == ["needs_transcription"]
