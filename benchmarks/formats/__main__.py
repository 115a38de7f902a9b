"""`python -m benchmarks.formats`: what is read of a file, beside what other programs read of it.

LibreOffice and pandoc make files of every format of texts and tables of the sample, then export the text of each file
themselves (pdftotext that of a PDF). Of the words of such an export: how many are read here, and how many in its order.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple

from benchmarks.speed.machine import ROOT, commit
from benchmarks.speed.report import table
from sourcebook.ingest.parsers.parse import parse

RESULTS = ROOT / "benchmarks" / "results"
SAMPLE = ROOT / "sample" / "documents"
PROGRAMS = ("soffice", "pandoc", "pdftotext")
TEXTS = ("strawberry/planting.md", "голубика_общая/почва_и_полив.md", "mirtilo/solo_e_poda.md")
TABLES = ("../questions.csv", "ягоды_общая/календарь_работ.csv", "frutas_vermelhas/calendario.csv")
BY_PANDOC = ("docx", "odt", "rtf", "epub", "html", "pptx")
SLIDES, SHEETS = ("pptx", "odp"), ("xlsx", "ods")
AIM = 0.99
# Separated by commas, in quotation marks, in UTF-8: https://help.libreoffice.org/latest/en-US/text/shared/guide/csv_params.html
_CSV = "44,34,76,1"
_TEXT = "txt:Text (encoded):UTF8"


class Compared(NamedTuple):
    """The words of another program's export: how many there are, and how many are read here."""

    format: str
    file: str
    words: int
    found: int
    in_order: int
    missing: list[str]


class Programs:
    """Makes files and exports their texts, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def files(self) -> dict[str, list[Path]]:
        """Three files of each format, by their ending."""
        made = {
            ending: [self._by_pandoc(number, ending) for number in range(len(TEXTS))] for ending in BY_PANDOC
        }
        made["pdf"] = self._by_office(made["odt"], "pdf")
        made["odp"] = self._by_office(made["pptx"], "odp")
        copies = [self._folder / f"table-{number}.csv" for number in range(len(TABLES))]
        for source, copy in zip(TABLES, copies, strict=True):
            shutil.copy(SAMPLE / source, copy)
        return made | {ending: self._by_office(copies, ending, f"--infilter=CSV:{_CSV}") for ending in SHEETS}

    def exported(self, ending: str, files: Sequence[Path]) -> list[str]:
        """The texts of files of one format, as another program reads them."""
        if ending in ("epub", "html"):
            return [_output("pandoc", "--to=plain", "--wrap=none", str(file)) for file in files]
        if ending in SLIDES:
            files = self._by_office(files, "pdf")
        if ending in ("pdf", *SLIDES):
            # In their places, so that a row of a table is one line here too.
            return [_output("pdftotext", "-layout", "-enc", "UTF-8", str(file), "-") for file in files]
        form = f"csv:Text - txt - csv (StarCalc):{_CSV}" if ending in SHEETS else _TEXT
        return [text.read_text("utf-8-sig") for text in self._by_office(files, form)]

    def _by_pandoc(self, number: int, ending: str) -> Path:
        made = self._folder / f"text-{number}.{ending}"
        options = (
            "--from=gfm-yaml_metadata_block",
            "--standalone",
            "--metadata=title:Berries",
            "--slide-level=2",
        )
        _output("pandoc", *options, str(SAMPLE / TEXTS[number]), "--output", str(made))
        return made

    def _by_office(self, sources: Sequence[Path], form: str, *options: str) -> list[Path]:
        place = Path(tempfile.mkdtemp(dir=self._folder))
        profile = f"-env:UserInstallation={(self._folder / 'profile').as_uri()}"
        command = ("soffice", profile, "--headless", *options, "--convert-to", form, "--outdir", str(place))
        _output(*command, *map(str, sources))
        return sorted(place.iterdir())


def _output(*command: str) -> str:
    done = subprocess.run(command, check=True, capture_output=True, timeout=300)  # noqa: S603 - named above
    return done.stdout.decode()


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def compared(file: Path, exported: str) -> Compared:
    """Page numbers of a PDF are no text here; a header of a sheet is told with each row, and not once above them."""
    ending = file.suffix.removeprefix(".")
    own_text = parse(file.read_bytes(), file.name).text
    if ending in SHEETS:
        exported = exported.partition("\n")[2]
    if ending in ("pdf", *SLIDES):
        exported = re.sub(r"^\s*\d+\s*$", "", exported, flags=re.MULTILINE)
    theirs, own = words_of(exported), words_of(own_text)
    lost = Counter(theirs) - Counter(own)
    matcher = SequenceMatcher(None, theirs, own, autojunk=False)
    in_order = sum(block.size for block in matcher.get_matching_blocks())
    return Compared(ending, file.name, len(theirs), len(theirs) - lost.total(), in_order, sorted(lost))


def as_markdown(found: Sequence[Compared], date: str, programs: Sequence[str]) -> str:
    rows: list[tuple[str, ...]] = []
    for ending in dict.fromkeys(one.format for one in found):
        some = [one for one in found if one.format == ending]
        words = sum(one.words for one in some)
        shares = (sum(one.found for one in some) / words, sum(one.in_order for one in some) / words)
        least = min(one.found / one.words for one in some)
        lost = ", ".join(sorted({word for one in some for word in one.missing})[:8]) or "–"
        rows.append(
            (ending, str(len(some)), str(words), *(f"{share:.2%}" for share in (*shares, least)), lost)
        )
    return "\n\n".join(
        [
            f"# Read beside other programs, {date}",
            f"Commit {commit()}; {'; '.join(programs)}.",
            (__doc__ or "").split("\n\n", 1)[1].strip().replace("\n", " "),
            table(
                ("format", "files", "words", "read", "in the same order", "the least of a file", "not read"),
                rows,
            ),
        ]
    )


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.formats", description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args(words)
    absent = [name for name in PROGRAMS if shutil.which(name) is None]
    if absent:
        print(f"Install {', '.join(absent)} first (LibreOffice, pandoc, poppler-utils).", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="sourcebook-formats-") as place:
        programs = Programs(Path(place))
        found = [
            compared(file, text)
            for ending, files in programs.files().items()
            for file, text in zip(files, programs.exported(ending, files), strict=True)
        ]
    versions = [_output(name, "--version").splitlines()[0] for name in ("soffice", "pandoc")]
    date = datetime.now(UTC).date().isoformat()
    path = given.out / f"formats-{date}.md"
    path.write_text(as_markdown(found, date, versions) + "\n", "utf-8")
    rows = [one._asdict() for one in found]
    path.with_suffix(".json").write_text(json.dumps(rows, ensure_ascii=False, indent=2) + "\n", "utf-8")
    print(path)
    return 1 if any(one.found < AIM * one.words for one in found) else 0


if __name__ == "__main__":
    raise SystemExit(main())
