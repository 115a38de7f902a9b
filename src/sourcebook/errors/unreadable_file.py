"""A file cannot be read, with the reason."""

from __future__ import annotations

from typing import ClassVar

from sourcebook.errors.error_tree import UsageError


class BadFile(UsageError):
    """The file cannot be read.

    Open it in the program that made it to check that it is intact, then add it again. Other files are not affected.
    """

    code = "bad_file"


class UnreadableFile(BadFile):
    """The file cannot be opened.

    Check its permissions, or the address. The base keeps what it has of it, and every `add` tries it again.
    """

    code = "unreadable"


class UnsupportedFile(BadFile):
    """This kind of file is not supported.

    `docs/reference/formats.md` lists what is read. Save it as one of these, for example as PDF or DOCX.
    `--archives` opens archives.
    """

    code = "unsupported_file"


class EmptyFile(BadFile):
    """The file contains no text.

    If it should have some, save or copy it once more, then add it again. Otherwise nothing is missing.
    """

    code = "empty_file"


class EncryptedFile(BadFile):
    """The file is protected by a password.

    Save it without the password and add it again.
    """

    code = "encrypted_file"


class DamagedFile(BadFile):
    """The file is damaged or incomplete.

    Open it in the program that made it, save it, and add it again.
    """

    code = "damaged_file"


class FileOverLimit(BadFile):
    """Reading the file takes too much memory or time.

    Split it into smaller files; if it is larger than `max_file_mb`, you can also raise that.
    """

    code = "file_over_limit"
    MALICIOUS: ClassVar[str] = (
        "A file that exceeds such a limit is probably malicious. If you trust it, split it into smaller files."
    )
    """The hint where a file unpacks to, or nests, more than a document does."""


class ParserDied(BadFile):
    """The process reading the file crashed.

    The file is probably damaged or malicious. If you trust it, save it again in the program that made it, and add it.
    """

    code = "parser_died"


class NeedsOcr(BadFile):
    """The file contains scanned pages and no text.

    Install tesseract and `pip install "sourcebook[ocr]"`, then add it again. Or add a version with a text layer.
    """

    code = "needs_ocr"


class NeedsTranscription(BadFile):
    """The file is an audio or video recording.

    Set `transcription_model` (and `transcription_base_url` for your own server), then add it again. Or add subtitles.
    """

    code = "needs_transcription"
