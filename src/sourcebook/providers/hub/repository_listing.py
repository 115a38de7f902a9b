"""Asks the model hub, or a mirror of it, what a repository holds. Nothing is asked unless somebody says so.

Of each file the hub tells its size and its hash: SHA-256 for large files, git's own for small ones.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast
from urllib.parse import quote, urlsplit

from sourcebook.errors import DownloadFailed
from sourcebook.providers.hub.connection import asked
from sourcebook.providers.model_server_address import is_readable_url

HUB = "https://huggingface.co"
_LONGEST_LISTING = 20_000_000
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SHA256_DIGITS = 64


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a repository. One of the two hashes is known: of the content, or of it as git keeps it."""

    path: str
    size: int
    sha256: str | None = None
    git_sha1: str | None = None


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository at one commit, which the hub keeps for ever under this name."""

    name: str
    commit: str
    files: Mapping[str, HubFile]


@dataclass(frozen=True, slots=True)
class HubAddress:
    """Where the hub is, and who asks."""

    endpoint: str = HUB
    token: str | None = None

    @classmethod
    def of(cls, environ: Mapping[str, str] | None = None) -> HubAddress:
        """As the environment says, in the words that other programs use too: HF_ENDPOINT, HF_TOKEN."""
        given = os.environ if environ is None else environ
        endpoint = (given.get("HF_ENDPOINT") or HUB).rstrip("/")
        if not is_readable_url(endpoint):
            raise DownloadFailed(
                "HF_ENDPOINT is not an address that can be read.", hint="It is `https://HOST`, or unset it."
            )
        return cls(endpoint, given.get("HF_TOKEN") or None)

    @property
    def shown(self) -> str:
        parts = urlsplit(self.endpoint)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def file_url(self, repo: str, commit: str, path: str) -> str:
        return f"{self.endpoint}/{quote(repo)}/resolve/{quote(commit)}/{quote(path)}"

    @property
    def headers(self) -> dict[str, str]:
        return {"User-Agent": "sourcebook"} | (
            {"Authorization": f"Bearer {self.token}"} if self.token else {}
        )

    def repository(self, repo: str, revision: str = "main") -> Repository:
        """What the repository holds now."""
        url = f"{self.endpoint}/api/models/{quote(repo)}/revision/{quote(revision)}?blobs=true"
        with asked(url, self.headers, shown=self.shown, what=repo) as reply:
            said = reply.read(_LONGEST_LISTING)
        try:
            return _repository(repo, json.loads(said))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise DownloadFailed(
                f"{self.shown} did not say what {repo} holds.",
                hint="Check HF_ENDPOINT: it must be the hub, or a mirror with its API.",
            ) from error

    def with_hash(self, repository: Repository, file: HubFile) -> HubFile:
        """The file with the hash that the hub names where it gives the file: some mirrors name it nowhere else."""
        url = self.file_url(repository.name, repository.commit, file.path)
        with asked(
            url, self.headers, shown=self.shown, what=repository.name, follow=False, method="HEAD"
        ) as reply:
            named = reply.headers.get("x-linked-etag") or reply.headers.get("etag") or ""
        found = named.removeprefix("W/").strip('"').lower()
        if not _HASH.fullmatch(found):
            raise DownloadFailed(
                f"{self.shown} names no hash of {file.path}, so it cannot be checked.",
                hint="Use the hub itself or another mirror (HF_ENDPOINT).",
            )
        is_sha256 = len(found) == _SHA256_DIGITS
        return replace(file, sha256=found) if is_sha256 else replace(file, git_sha1=found)


def _repository(repo: str, said: Any) -> Repository:
    files = (_file(cast("dict[str, Any]", row)) for row in said["siblings"])
    return Repository(repo, str(said["sha"]), {file.path: file for file in files})


def _file(row: dict[str, Any]) -> HubFile:
    large = cast("dict[str, Any]", row.get("lfs") or {})
    size = large.get("size", row.get("size"))
    return HubFile(str(row["rfilename"]), int(size or 0), large.get("sha256"), row.get("blobId"))
