"""The licences of the pinned packages, as they state them themselves: all must be ones that we may build on.

python -m scripts.licences         prints a table, and fails on a licence that is not on the list
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parent.parent
PINS = ROOT / "requirements"
ALLOWED = re.compile(
    r"0BSD|AFL|Academic Free|Apache|BSD|CC0|CNRI-Python|ISC|LGPL|MIT|MPL|Mozilla|PSF|Python Software Foundation"
    r"|Public Domain|Unlicense|Zlib",
    re.IGNORECASE,
)
# Without an L or an A before it: the LGPL lets others link, the others reach further than we want.
REFUSED = re.compile(r"\bA?GPL|\bSSPL|\bBUSL|Commons Clause|Affero|\bGNU General", re.IGNORECASE)
STATED = {
    "apsw": "any OSI-approved licence",  # as its author puts it
}
"""What a person has read where a package's own metadata says nothing that a program understands."""


@dataclass(frozen=True, slots=True)
class Licence:
    package: str
    says: str

    @property
    def is_allowed(self) -> bool:
        """Of several to choose from, one that is allowed is enough."""
        if self.package in STATED:
            return True
        offered = re.split(r"\bOR\b", self.says)
        return any(ALLOWED.search(each) and not REFUSED.search(each) for each in offered)


def pinned(*files: str) -> list[str]:
    """The names of the packages that these files of `requirements` pin."""
    texts = [(PINS / name).read_text("utf-8") for name in files]
    found = [name for text in texts for name in re.findall(r"^([\w.-]+)==", text, re.MULTILINE)]
    return sorted(set(found))


def licences(packages: list[str]) -> Iterator[Licence]:
    """What each says that is installed here. Others are for another system."""
    for package in packages:
        try:
            about = metadata.metadata(package)
        except metadata.PackageNotFoundError:
            continue
        yield Licence(package, STATED.get(package) or _said(about))


def _said(about: metadata.PackageMetadata) -> str:
    classified = [
        line.rpartition(" :: ")[2]
        for line in about.get_all("Classifier") or []
        if line.startswith("License :: ") and not line.endswith("OSI Approved")
    ]
    free: list[str] = about.get_all("License") or []
    expressions: list[str] = about.get_all("License-Expression") or []
    first = free[0].strip().splitlines()[:1] if free else []
    return (expressions or (classified and [", ".join(classified)]) or first or ["says nothing"])[0]


def main() -> None:
    found = list(licences(pinned("base.txt", "dev.txt")))
    for each in found:
        print(f"{each.package:36} {each.says}")
    if refused := [each for each in found if not each.is_allowed]:
        raise SystemExit("Not on the list: " + "; ".join(f"{each.package}: {each.says}" for each in refused))
    print(f"{len(found)} packages, all with licences on the list.")


if __name__ == "__main__":
    main()
