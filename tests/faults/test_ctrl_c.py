"""Ctrl-C during an `add` is heard at once, and ends it whatever is being waited for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Event, Thread

import pytest
from tests.faces.shell import clean_environment
from tests.faults.servers import SIZE, Exchange, serving

from sourcebook.providers.running_calls import RunningCalls

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are sent as on POSIX")

TEXT = "# Raspberries\n\nPrune everbearing raspberries in late autumn, after the last berries.\n"
PATIENCE = 200


def test_a_batch_at_an_embedder_that_does_not_answer_is_not_waited_for(tmp_path: Path) -> None:
    asked, ended = Event(), Event()

    def never(exchange: Exchange) -> None:
        asked.set()
        ended.wait(PATIENCE)

    (tmp_path / "a.md").write_text(TEXT, "utf-8")
    with serving(never) as server:
        process = subprocess.Popen(
            [sys.executable, "-m", "sourcebook", "add", "a.md"],
            cwd=tmp_path,
            env=clean_environment()
            | {
                "SOURCEBOOK_EMBEDDER": "openai:berry",
                "SOURCEBOOK_EMBEDDER_BASE_URL": server.url,
                "SOURCEBOOK_EMBEDDER_DIMENSIONS": str(SIZE),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        try:
            assert asked.wait(PATIENCE)
            process.send_signal(signal.SIGINT)
            sent = time.monotonic()
            assert process.stderr is not None
            assert process.stderr.readline() == "\n"
            assert process.stderr.readline().startswith("Stopping:")
            out, err = process.communicate(timeout=PATIENCE)
            assert not ended.is_set()
            assert time.monotonic() - sent < PATIENCE / 2
        finally:
            ended.set()
            process.kill()
    assert process.returncode == 130
    assert out.startswith("0 added")
    assert "Interrupted" in err


def test_a_process_that_ends_waits_for_native_code_that_computes() -> None:
    calls, may_end, order = RunningCalls(), Event(), list[str]()
    begun = Event()

    def compute() -> None:
        with calls.one():
            begun.set()
            may_end.wait(PATIENCE)
            order.append("computed")

    def end() -> None:
        calls.finish()
        order.append("ended")

    threads = [Thread(target=compute), Thread(target=end)]
    threads[0].start()
    assert begun.wait(PATIENCE)
    threads[1].start()
    may_end.set()
    for thread in threads:
        thread.join(PATIENCE)
    assert order == ["computed", "ended"]
    with pytest.raises(RuntimeError), calls.one():
        pass
