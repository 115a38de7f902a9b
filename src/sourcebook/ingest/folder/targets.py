"""Finds the source that a given path belongs to, or makes a new one.

The roots of folders never lie inside of each other. What is named inside of a folder that was added before is looked at
as a part of that folder; a folder that is named around others makes them a part of itself. So a file has one owner, who
alone may find it gone.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from sourcebook.errors import PathNotFound
from sourcebook.ingest.add_request import NO_LABELS, Labels
from sourcebook.ingest.fingerprint import source_id
from sourcebook.ingest.folder.file_names import readable
from sourcebook.model.sources import Absorbed, Source, SourceKind
from sourcebook.ports.page_fetcher import PageStamp

if TYPE_CHECKING:
    from sourcebook.ingest.web.crawl import WebRequest
    from sourcebook.model.documents import JsonValue, Metadata


WEB = "web"
"""The root of the source that holds web pages."""


@dataclass(frozen=True, slots=True)
class Options:
    """The labels given for a source, remembered for the next time.

    `labels` belong to the folder or file of the source at their path, '' being all of it. `rules` are those by which
    types were given. `unfinished`: labels or rules changed, and not all documents have theirs yet.
    `archives`: they are opened. `pages` are the stamps of web pages, by their addresses.
    """

    shown: str = ""
    labels: Mapping[str, Labels] = field(default_factory=dict[str, Labels])
    rules: str = ""
    unfinished: bool = False
    archives: bool = False
    pages: Mapping[str, PageStamp] = field(default_factory=dict[str, PageStamp], compare=False)

    @classmethod
    def of(cls, source: Source) -> Options:
        stored = cast("dict[str, dict[str, str]]", source.options.get("labels") or {})
        pages = cast("dict[str, list[str]]", source.options.get("pages") or {})
        return cls(
            shown=source.shown,
            labels={path: Labels(**labels) for path, labels in stored.items()},
            rules=str(source.options.get("rules") or ""),
            unfinished=bool(source.options.get("unfinished")),
            archives=bool(source.options.get("archives")),
            pages={address: PageStamp(*stamp) for address, stamp in pages.items()},
        )

    def as_metadata(self) -> Metadata:
        labels: dict[str, JsonValue] = {
            path: {
                key: value
                for key, value in (("category", own.category), ("subcategory", own.subcategory))
                if value is not None
            }
            for path, own in sorted(self.labels.items())
        }
        said: dict[str, JsonValue] = {"shown": self.shown, "labels": labels, "rules": self.rules}
        if self.archives:
            said["archives"] = True
        if self.pages:
            said["pages"] = {
                address: [stamp.etag, stamp.modified, stamp.file_hash]
                for address, stamp in sorted(self.pages.items())
            }
        return said | ({"unfinished": True} if self.unfinished else {})

    def labels_at(self, path: str) -> Labels:
        """The labels of the innermost place that has some, each by itself."""
        found = NO_LABELS
        for place in sorted(self.labels, key=len, reverse=True):
            if lies_in(path, place):
                found = found.over(self.labels[place])
        return found

    def labelled(self, place: str, given: Labels) -> Options:
        """With these labels for all that lies at a place, whatever was said of parts of it before."""
        if given == NO_LABELS:
            return self
        kept = {
            path: own.without_those_of(given) if lies_in(path, place) else own
            for path, own in self.labels.items()
        }
        labels = kept | {place: given.over(kept.get(place, NO_LABELS))}
        return replace(self, labels={path: own for path, own in labels.items() if own != NO_LABELS})

    def with_part(self, prefix: str, part: Options) -> Options:
        """With the labels of a source that becomes a part of this one."""
        moved = {f"{prefix}{path}".rstrip("/"): own for path, own in part.labels.items()}
        return replace(
            self,
            labels={**moved, **self.labels},
            unfinished=self.unfinished or part.unfinished,
            archives=self.archives or part.archives,
        )


def lies_in(path: str, place: str) -> bool:
    return place == "" or path == place or path.startswith(f"{place}/")


@dataclass(frozen=True, slots=True)
class Named:
    """What somebody named: a folder, or a file by its folder and name. The folder's path has no links in it."""

    given: str
    folder: Path
    file: str | None

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> Named:
        if not os.fspath(path):
            raise PathNotFound("An empty name is not a file or folder.")
        given = Path(path)
        if os.path.isdir(given):  # noqa: PTH112 - which says no, and does not raise, if it may not look
            return cls(given.as_posix(), given.resolve(), None)
        return cls(given.as_posix(), given.absolute().parent.resolve(), given.name)

    @property
    def path(self) -> Path:
        return self.folder / self.file if self.file is not None else self.folder

    @property
    def exists(self) -> bool:
        return os.path.exists(self.path)  # noqa: PTH110 - as above

    def is_inside(self, other: Named) -> bool:
        return other.file is None and self != other and self.path.is_relative_to(other.folder)


@dataclass(frozen=True, slots=True)
class Upload:
    """Bytes that came without a file, and are kept in one beside the base: where, and under which name.

    Title, metadata and labels are what whoever brought them says of them.
    """

    location: str
    stored_file: str
    size: int
    title: str | None = None
    metadata: Metadata = field(default_factory=dict[str, "JsonValue"])
    labels: Labels = NO_LABELS


@dataclass(frozen=True, slots=True)
class Target:
    """A part of a source that is to be looked at: a folder of it ('' is all), some files, uploads or web pages."""

    source: Source
    root: Path
    folder: str | None
    files: tuple[str, ...] = ()
    uploads: Mapping[str, Upload] = field(default_factory=dict[str, "Upload"])
    absorbed: tuple[Absorbed, ...] = ()
    is_missing: bool = False
    web: WebRequest | None = None

    @property
    def places(self) -> tuple[str, ...]:
        """Where the labels that are given belong."""
        if self.folder is not None:
            return (readable(self.folder),)
        return (*map(readable, self.files), *self.uploads)

    @property
    def is_whole(self) -> bool:
        return self.folder == ""

    def labels_at(self, path: str) -> Labels:
        """The labels that were given for a file, now or earlier."""
        upload = self.uploads.get(path)
        return upload.labels if upload is not None else Options.of(self.source).labels_at(path)

    def covers(self, path: str) -> bool:
        return any(lies_in(path, place) for place in self.places)

    @property
    def name(self) -> str:
        """For people."""
        if self.web is not None:
            return ", ".join(self.web.addresses)
        return str(self.root / self.places[0]) if self.places[0] else str(self.root)


def find_targets(named: Sequence[Named], sources: Sequence[Source], collection_id: str) -> list[Target]:
    """What is to be looked at. A name that leads nowhere and that no source knows is an error."""
    distinct = list(dict.fromkeys(named))
    outermost = [
        one for one in distinct if not (one.exists and any(one.is_inside(other) for other in distinct))
    ]
    folders = [_folder_target(one, sources, collection_id) for one in outermost if one.file is None]
    files: dict[str, Target] = {}
    for target in (_file_target(one, sources, collection_id) for one in outermost if one.file is not None):
        before = files.get(target.source.id)
        merged = target if before is None else replace(before, files=(*before.files, *target.files))
        files[target.source.id] = merged
    return [*folders, *files.values()]


def web_target(request: WebRequest, sources: Iterable[Source], collection_id: str) -> Target:
    """The pages, which all belong to one source; their addresses are their paths."""
    new = Source(source_id(collection_id, WEB), SourceKind.FILE, WEB, Options().as_metadata())
    known = next((source for source in sources if source.id == new.id), new)
    return Target(known, Path(WEB), None, tuple(request.addresses), web=request)


def _folder_target(named: Named, sources: Iterable[Source], collection_id: str) -> Target:
    owner = _owner(named.folder, sources)
    if owner is not None:
        return Target(owner, Path(owner.root), _inner(named.folder, owner))
    present = [s for s in sources if _is_below(s, named.folder)]
    same = next((s for s in present if Path(s.root) == named.folder), None)
    source = same or _new_source(named.given, named.folder, collection_id)
    absorbed = tuple(Absorbed(s.id, _inner(Path(s.root), source) + "/") for s in present if s is not same)
    options = Options.of(source)
    for inner in absorbed:
        part = next(s for s in present if s.id == inner.source_id)
        options = options.with_part(inner.prefix, Options.of(part))
    grown = replace(source, kind=SourceKind.FOLDER, options=options.as_metadata())
    return Target(grown, named.folder, "", absorbed=absorbed)


def _file_target(named: Named, sources: Sequence[Source], collection_id: str) -> Target:
    assert named.file is not None  # noqa: S101 - the caller chose those
    owner = _owner(named.path, sources)
    if owner is not None:
        root, inner = Path(owner.root), _inner(named.path, owner)
        if named.exists:
            return Target(owner, root, None, (inner,))
        # Perhaps it was a folder.
        return Target(owner, root, inner, is_missing=True)
    same = next((s for s in sources if s.kind is SourceKind.FILE and Path(s.root) == named.folder), None)
    if not named.exists and same is None:
        raise PathNotFound(f"There is no file or folder {named.given!r}.")
    given = Path(named.given).parent.as_posix()
    source = same or replace(_new_source(given, named.folder, collection_id), kind=SourceKind.FILE)
    return Target(source, named.folder, None, (named.file,), is_missing=not named.exists)


def _owner(path: Path, sources: Iterable[Source]) -> Source | None:
    """The folder that was added and holds this path, if there is one."""
    folders = (s for s in sources if s.kind is SourceKind.FOLDER)
    return next((s for s in folders if path.is_relative_to(s.root)), None)


def _is_below(source: Source, folder: Path) -> bool:
    kinds = (SourceKind.FOLDER, SourceKind.FILE)
    return source.kind in kinds and Path(source.root).is_relative_to(folder)


def _inner(path: Path, source: Source) -> str:
    inner = path.relative_to(source.root).as_posix()
    return "" if inner == "." else inner


def _new_source(shown: str, folder: Path, collection_id: str) -> Source:
    root = readable(folder.as_posix())
    return Source(
        source_id(collection_id, folder.as_posix()),
        SourceKind.FOLDER,
        root,
        Options(readable(shown)).as_metadata(),
    )
