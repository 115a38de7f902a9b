"""Build the wheel and the sdist, and try the wheel in an empty environment, outside the repository.

python -m scripts.release          builds into dist/ and checks; publishing is left to you
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
_PATIENCE = 1800.0
_NOT_SHIPPED = ("tests/", "benchmarks/", ".git", ".env")


def main() -> None:
    """Build and check. Exits with an error that names what failed."""
    shutil.rmtree(DIST, ignore_errors=True)
    _run([sys.executable, "-m", "hatchling", "build", "-d", str(DIST)], ROOT)
    wheel = _only("*.whl")
    _only("*.tar.gz")
    _require_contents(wheel)
    with tempfile.TemporaryDirectory() as folder:
        _try_it(wheel, Path(folder))
    print(f"{wheel.name} works in an empty environment.")


def _only(pattern: str) -> Path:
    found = list(DIST.glob(pattern))
    if len(found) != 1:
        raise SystemExit(f"expected one {pattern} in {DIST}, found {len(found)}")
    return found[0]


def _require_contents(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    unwanted = [name for name in names if name.startswith(_NOT_SHIPPED)]
    missing = [
        wanted
        for wanted in ("sourcebook/py.typed", "sourcebook/_sample/", "sourcebook/_manual/")
        if not any(name.startswith(wanted) for name in names)
    ]
    if unwanted or missing:
        raise SystemExit(f"the wheel holds {unwanted[:3]} and lacks {missing}")


def _try_it(wheel: Path, folder: Path) -> None:
    """Install it, and use every face once, outside the repository."""
    environment = folder / "environment"
    venv.create(environment, with_pip=True)
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    _run([str(programs / "python"), "-m", "pip", "install", "--quiet", f"{wheel}[mcp,telegram]"], folder)
    (folder / "note.md").write_text("# Raspberries\n\nPrune raspberries in late autumn.\n", encoding="utf-8")
    sourcebook = str(programs / "sourcebook")
    _run([sourcebook, "demo"], folder)
    _run([sourcebook, "add", "note.md"], folder)
    answer = json.loads(_run([sourcebook, "ask", "When do I prune raspberries?", "--json"], folder))
    if "late autumn" not in answer["answer"] or not answer["citations"]:
        raise SystemExit(f"the installed wheel answered {answer['answer']!r}")
    _run([sourcebook, "doctor"], folder)
    for name, text in (("serve", _SERVE), ("mcp", _MCP), ("bot", _BOT)):
        script = folder / f"try_{name}.py"
        script.write_text(text, encoding="utf-8")
        said = _run([str(programs / "python"), str(script), sourcebook], folder)
        if "late autumn" not in said:
            raise SystemExit(f"`sourcebook {name}` of the installed wheel said {said!r}")
        print(f"sourcebook {name} answers.")


_SERVE = """
import http.client, json, socket, subprocess, sys, time
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
server = subprocess.Popen([sys.argv[1], "serve", "--port", str(port)])
try:
    for _ in range(600):
        try:
            asked = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            body = json.dumps({"question": "When do I prune raspberries?"})
            asked.request("POST", "/api/ask", body, {"Content-Type": "application/json"})
            print(asked.getresponse().read().decode())
            break
        except ConnectionError:
            time.sleep(0.1)
finally:
    server.terminate()
    server.wait()
"""

_MCP = """
import asyncio, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

async def main():
    started = StdioServerParameters(command=sys.argv[1], args=["mcp"], cwd=".")
    async with stdio_client(started) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        print((await session.call_tool("ask", {"question": "When do I prune raspberries?"})).content)

asyncio.run(main())
"""

_BOT = """
import asyncio, os, sys
from sourcebook.testing.telegram import TOKEN, TelegramServer

async def main():
    async with TelegramServer() as telegram:
        settings = {"SOURCEBOOK_TELEGRAM_TOKEN": TOKEN, "SOURCEBOOK_TELEGRAM_API_BASE": telegram.address}
        bot = await asyncio.create_subprocess_exec(sys.argv[1], "bot", env=os.environ | settings)
        anna = telegram.person(77)
        telegram.deliver(anna.says("When do I prune raspberries?"))
        while not telegram.said(anna.id):
            await asyncio.sleep(0.1)
        print(telegram.said(anna.id))
        bot.terminate()
        await bot.wait()

asyncio.run(main())
"""


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(  # noqa: S603 - own words
        command, cwd=folder, capture_output=True, encoding="utf-8", check=False, timeout=_PATIENCE
    )
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
