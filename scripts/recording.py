"""The terminal recording of the README: `python -m scripts.recording` runs its commands and writes docs/terminal.svg.

The commands are run on a copy of the sample library, and what they print is drawn as it is. The picture needs no font
and no script from elsewhere; it appears command by command, or at once for those who asked for less motion.
"""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "terminal.svg"
WIDTH = 100
TEXT_WIDTH = WIDTH - 2
QUESTION = "How much sulphur lowers the pH of sandy soil?"
COMMANDS = (
    "sourcebook add notes",
    f'sourcebook ask "{QUESTION}"',
    "sourcebook moderate approve 1",
    "sed -i 's/about 20 g/about 35 g/' notes/blueberry/acid-soil.md",
    "sourcebook add notes",
    f'sourcebook ask "{QUESTION}"',
    'sourcebook ask "How do I repair a bicycle tyre?"',
)
SECONDS_PER_COMMAND = 2.5
UNKNOWN_TO_READERS = re.compile(r"^Session [0-9a-f]{32}$")
THEME = TerminalTheme(
    (29, 27, 24),
    (233, 230, 224),
    [
        (29, 27, 24), (226, 142, 126), (126, 201, 154), (226, 190, 120),
        (148, 182, 238), (206, 160, 214), (126, 196, 200), (233, 230, 224),
    ],
)  # fmt: skip
FRAME = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" role="img" aria-label="TITLE" \
xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font: {char_height}px/{line_height}px ui-monospace, "SF Mono", "Cascadia Mono", \
"Noto Sans Mono", "DejaVu Sans Mono", monospace; font-variant-east-asian: full-width; }}
{styles}
@keyframes appear {{ from {{ visibility: hidden }} to {{ visibility: visible }} }}
@media (prefers-reduced-motion: no-preference) {{
MOTION
}}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>\
</clipPath>
{lines}
</defs>
<rect fill="#1d1b18" x="1" y="1" width="{width}" height="{height}" rx="8"/>
<g transform="translate({terminal_x}, 24)" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


@dataclass(frozen=True, slots=True)
class Step:
    """A command and the lines it printed."""

    command: str
    printed: list[Text]

    def lines(self) -> list[Text]:
        return [Text.assemble(("$ ", "green"), (self.command, "bold blue")), *self.printed, Text()]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        shutil.copytree(ROOT / "sample" / "documents", home / "notes")
        steps = [Step(command, run(command, home)) for command in COMMANDS]
    PICTURE.write_text(picture(steps), encoding="utf-8")


def run(command: str, home: Path) -> list[Text]:
    """What a command prints to a terminal. Progress is shown on stderr, which is none, so that only the end stays."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SOURCEBOOK_")}
    environment |= {
        "HOME": str(home),
        "COLUMNS": str(TEXT_WIDTH),
        "TERM": "xterm-256color",
        "PYTHONPATH": str(ROOT / "src"),
    }
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as screen:
        done = subprocess.Popen(  # noqa: S602 - the commands above
            command.replace("sourcebook ", f"{sys.executable} -m sourcebook ", 1),
            shell=True,
            cwd=home,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=subprocess.PIPE,
        )
        os.close(theirs)
        printed = _read(screen.fileno())
        _, told = done.communicate()
    if done.returncode:
        raise SystemExit(f"{command} failed: {told.decode()}")
    text = Text.from_ansi((printed.replace("\r\n", "\n") + told.decode()).rstrip())
    lines = [line for line in text.split() if text and not UNKNOWN_TO_READERS.match(line.plain)]
    return [part for line in lines for part in line.wrap(Console(width=WIDTH, file=StringIO()), TEXT_WIDTH)]


def _read(screen: int) -> str:
    """Everything until the other end of the terminal is closed, which Linux reports as an error."""
    parts: list[bytes] = []
    while True:
        try:
            part = os.read(screen, 65536)
        except OSError:
            break
        if not part:
            break
        parts.append(part)
    return b"".join(parts).decode("utf-8")


def picture(steps: list[Step]) -> str:
    console = Console(record=True, width=WIDTH, file=StringIO(), force_terminal=True)
    moments: list[float] = []
    for number, step in enumerate(steps):
        for line in step.lines():
            console.print(line)
            moments.append(number * SECONDS_PER_COMMAND)
    motion = "\n".join(
        f'[clip-path="url(#terminal-line-{line})"] {{{{ animation: appear 1ms {moment:g}s both }}}}'
        for line, moment in enumerate(moments)
        if moment
    )
    title = "A terminal: documents are added, a question is answered with its source, the answer is approved, its "
    title += "source changes, and the answer says so."
    frame = FRAME.replace("MOTION", motion).replace("TITLE", title)
    return console.export_svg(theme=THEME, code_format=frame, unique_id="terminal")


if __name__ == "__main__":
    main()
