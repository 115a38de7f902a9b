"""Where a run was made: commit, machine, versions."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from importlib import metadata
from pathlib import Path
from typing import TypedDict

ROOT = Path(__file__).parents[2]


class MachineFacts(TypedDict):
    cpu: str
    cores: int
    ram_gb: float
    system: str
    python: str


def machine() -> MachineFacts:
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count() or 1,
        "ram_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
    }


def versions() -> dict[str, str]:
    """Every package of this environment."""
    return dict(sorted((d.metadata["Name"].lower(), d.version) for d in metadata.distributions()))


def commit() -> str:
    """The commit, and whether the sources differ from it."""
    head = _git("rev-parse", "HEAD")
    if not head:
        return "unknown"
    return f"{head} with changes" if _git("status", "--porcelain", "--", "src", "benchmarks") else head


def _git(*words: str) -> str:
    git = shutil.which("git")
    if git is None:
        return ""
    done = subprocess.run([git, *words], cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - own words
    return done.stdout.strip() if done.returncode == 0 else ""


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
