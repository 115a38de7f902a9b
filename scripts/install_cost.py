"""What a default install costs: megabytes by package, and how long a first import takes.

python -m scripts.install_cost     of the packages in requirements/base.txt, as they are installed here
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from scripts.licences import pinned

MOST_MB = 300
_SOURCE = Path(__file__).parent.parent / "src"
_IMPORTS = (
    ("import sourcebook", "import sourcebook"),
    ("the client", "from sourcebook import Sourcebook"),
    ("the command line", "from sourcebook.faces.cli.run import run"),
)
_RUNS = 5


def sizes() -> dict[str, int]:
    """Bytes of each package's own files; the product itself is counted from its sources."""
    found = {name: sum(_sizes_of(name)) for name in pinned("base.txt")}
    found["sourcebook"] = sum(path.stat().st_size for path in _SOURCE.rglob("*") if path.is_file())
    return {name: size for name, size in found.items() if size}


def _sizes_of(package: str) -> Iterator[int]:
    try:
        files = metadata.files(package) or []
    except metadata.PackageNotFoundError:
        return  # for another system
    for file in files:
        path = Path(str(file.locate()))
        if path.is_file():
            yield path.stat().st_size


def seconds(statement: str) -> tuple[float, float]:
    """The median of some runs, on the clock and on the processor, without the interpreter's own start."""
    code = f"import time; a, b = time.perf_counter(), time.process_time()\n{statement}\n" + (
        "print(time.perf_counter() - a, time.process_time() - b)"
    )
    found: list[list[float]] = []
    for _ in range(_RUNS):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603 - own words
        found.append([float(word) for word in done.stdout.split()])
    wall, cpu = zip(*found, strict=True)
    return statistics.median(wall), statistics.median(cpu)


def main() -> None:
    found = sizes()
    for name, size in sorted(found.items(), key=lambda item: -item[1])[:12]:
        print(f"{name:36} {size / 1e6:7.1f} MB")
    total = sum(found.values()) / 1e6
    print(f"{'all ' + str(len(found)) + ' packages':36} {total:7.1f} MB (at most {MOST_MB})")
    for name, statement in _IMPORTS:
        wall, cpu = seconds(statement)
        print(f"{name:36} {wall * 1000:7.0f} ms, {cpu * 1000:.0f} ms of CPU time")
    if total > MOST_MB:
        raise SystemExit(f"The default install takes {total:.0f} MB.")


if __name__ == "__main__":
    main()
