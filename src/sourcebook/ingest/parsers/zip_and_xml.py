"""Formats that are a ZIP with XML inside: opened with limits, and without anything that leads out of the file."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from importlib import import_module
from posixpath import dirname, normpath
from typing import IO, TYPE_CHECKING, Any, cast

from sourcebook.errors import BadFile, DamagedFile, EncryptedFile, FileOverLimit

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.xml_element import Element

# The library has no types.
_etree: Any = import_module("lxml.etree")
MOST_ENTRIES = 10_000
MOST_BYTES = 400 * 1024 * 1024
"""What all parts may hold when they are unpacked. No office program makes anything near either limit."""
_ENCRYPTED = 0x1
_LIMITS_OF_XML = ("resource limit", "excessive depth", "amplification", "huge input", "too long")
# Entities are not expanded, and no other file is ever opened, neither here nor elsewhere.
_SAFE: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}
_STRICT = b"http://purl.oclc.org/ooxml/"
_STRICT_NAME = re.compile(re.escape(_STRICT) + rb"(\w+)/")
_USUAL_NAME = rb"http://schemas.openxmlformats.org/\1/2006/"
_HEAD = 8192
"""All names stand in the first element of a part."""
_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"


@contextmanager
def reading(kind: str) -> Generator[None]:
    """Whatever goes wrong in here is the fault of the file, and is said so: `kind` is what it should have been."""
    try:
        yield
    except (BadFile, MemoryError):
        raise
    except RecursionError:
        raise FileOverLimit(
            "The file is nested more deeply than a real document.", hint=FileOverLimit.MALICIOUS
        ) from None
    except Exception as error:
        # The libraries below were written for whole files, and answer broken ones with whatever breaks first.
        message = str(error).lower()
        if "memory" in message:
            raise MemoryError from None
        if any(words in message for words in _LIMITS_OF_XML):
            raise FileOverLimit(
                "The file is nested more deeply, or has longer values, than a real document.",
                hint=FileOverLimit.MALICIOUS,
            ) from None
        raise DamagedFile(f"The file is not an intact {kind}.") from None


class Package:
    """An open ZIP whose parts are read by name."""

    def __init__(self, data: bytes, kind: str) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OverflowError, NotImplementedError) as error:
            raise DamagedFile(f"The file is not an intact {kind}: {error}.") from None
        entries = self._zip.infolist()
        if any(entry.flag_bits & _ENCRYPTED for entry in entries):
            raise EncryptedFile
        if len(entries) > MOST_ENTRIES or sum(entry.file_size for entry in entries) > MOST_BYTES:
            raise FileOverLimit(
                "The file unpacks to more than a document may contain.", hint=FileOverLimit.MALICIOUS
            )
        self.names = frozenset(entry.filename for entry in entries)

    def read(self, name: str) -> bytes:
        return self._zip.read(name)

    def open(self, name: str) -> IO[bytes]:
        return self._zip.open(name)

    def main_part(self, usual: str) -> str:
        """The part of an Office file that holds or lists all others; some programs call it `document2.xml`."""
        found = [part for kind, part in self.relations("").values() if kind == "officeDocument"]
        return found[0] if found and found[0] in self.names else usual

    def xml(self, name: str) -> Element:
        return xml_of(_in_usual_names(self.read(name)))

    def xml_if_there(self, name: str) -> Element | None:
        return self.xml(name) if name in self.names else None

    def xml_if_intact(self, name: str) -> Element | None:
        """A part that the text can do without: None if it is not there or cannot be read."""
        try:
            with reading("part"):
                return self.xml_if_there(name)
        except BadFile:
            return None

    def elements(self, name: str, tag: str) -> Iterator[Element]:
        """The elements of a part, one after the other; each is forgotten before the next, however long the part is."""
        with self._in_usual_names(name) as stream:
            found: Iterator[tuple[str, Any]] = _etree.iterparse(stream, events=("end",), tag=tag, **_SAFE)
            for _, element in found:
                yield element
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]

    def _in_usual_names(self, name: str) -> IO[bytes]:
        with self.open(name) as stream:
            is_strict = _STRICT in stream.read(_HEAD)
        return io.BytesIO(_in_usual_names(self.read(name))) if is_strict else self.open(name)

    def relations(self, part: str) -> dict[str, tuple[str, str]]:
        """What a part of an Office file refers to inside the file: by its id, the kind and the part."""
        folder, _, name = part.rpartition("/")
        root = self.xml_if_there(f"{folder}/_rels/{name}.rels" if folder else f"_rels/{name}.rels")
        found: dict[str, tuple[str, str]] = {}
        for relation in root.iter(_RELATION) if root is not None else ():
            target = relation.get("Target", "")
            if relation.get("TargetMode", "") != "External":
                inner = target.lstrip("/") if target.startswith("/") else joined(dirname(part), target)
                kind = relation.get("Type", "").rpartition("/")[2]
                found[relation.get("Id", "")] = (kind, inner)
        return found


def joined(folder: str, target: str) -> str:
    """The name of a part that another one refers to; it never leaves the package."""
    return normpath(f"{folder}/{target}" if folder else target).lstrip("./")


def _in_usual_names(data: bytes) -> bytes:
    """A part of an Office file with the names that most have; files saved as "strict" have others for the same."""
    return _STRICT_NAME.sub(_USUAL_NAME, data) if _STRICT in data[:_HEAD] else data


def xml_of(data: bytes) -> Element:
    return cast("Element", _etree.fromstring(data, _etree.XMLParser(**_SAFE)))
