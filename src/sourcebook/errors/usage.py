"""What was asked for makes no sense, or a file cannot be read."""

from __future__ import annotations

from sourcebook.errors.branches import UsageError


class BadFilter(UsageError):
    """The filter cannot be understood.

    Keys are 1 to 8 names separated by dots, each of 1 to 64 letters, digits, `_` or `-`; values are text, numbers,
    booleans or dates.
    """

    code = "bad_filter"


class AmbiguousName(UsageError):
    """Several documents are called so.

    Give the id of the one that is meant, or more of its path; `sourcebook documents list` shows both.
    """

    code = "ambiguous_name"


class BadText(UsageError):
    """The text holds characters that no database can store.

    Remove NUL characters and unpaired surrogates, then try again; nothing was stored.
    """

    code = "bad_text"


class BadMetadata(UsageError):
    """The metadata is not plain JSON.

    Use text, finite numbers, booleans, null, lists and objects with text keys, at most 32 levels deep; write dates as
    ISO text. Nothing was stored.
    """

    code = "bad_metadata"


class BadVector(UsageError):
    """The vector is not a list of finite numbers.

    Check the embedder: NaN, infinity and empty vectors never enter a base. Nothing was stored.
    """

    code = "bad_vector"


class BadSetting(UsageError):
    """A setting has a value that it cannot have.

    `sourcebook config show` lists every setting with its value and where it came from.
    """

    code = "bad_setting"


class BadBundle(UsageError):
    """The folder is not an intact bundle.

    Export it again with `sourcebook export DIR`; nothing was imported.
    """

    code = "bad_bundle"


class BadPolicy(UsageError):
    """The policy file cannot be used.

    It is YAML with `entities`, each with a list of `collections`; docs/how-to/ask.md shows one.
    """

    code = "bad_policy"


class BadFile(UsageError):
    """The file cannot be read.

    Open it in its own program to see whether it is intact, then add it again; other files are not concerned.
    """

    code = "bad_file"


class UnsupportedFile(BadFile):
    """The file is of a kind that is not read.

    Files of text, Markdown, HTML, PDF, DOCX, CSV, JSON and source code are; save it as one of these.
    """

    code = "unsupported_file"


class EmptyFile(BadFile):
    """The file holds no text.

    Add it again when something is in it.
    """

    code = "empty_file"


class EncryptedFile(BadFile):
    """The file is protected by a password.

    Save it without one and add it again.
    """

    code = "encrypted_file"


class DamagedFile(BadFile):
    """The file is damaged or incomplete.

    Open it in its own program, save it anew, and add it again.
    """

    code = "damaged_file"


class FileOverLimit(BadFile):
    """Reading the file takes more memory or time than a file may take.

    Split it into smaller files; a small file that takes this much is probably made to do harm.
    """

    code = "file_over_limit"


class ParserDied(BadFile):
    """The process that read the file died.

    The file is probably damaged, or made to do harm; save it anew in its own program and add it again.
    """

    code = "parser_died"


class NeedsOcr(BadFile):
    """The file holds pictures of pages and no text.

    Install tesseract and `pip install "sourcebook[ocr]"`, then add it again; or add a file with a text layer.
    """

    code = "needs_ocr"


class DuplicateChunkId(UsageError):
    """The same chunk id appears twice in one call.

    Give each chunk its own id; nothing was stored.
    """

    code = "duplicate_chunk_id"


class NothingToSearchFor(UsageError):
    """The question holds no words to search for.

    Use at least one letter or digit.
    """

    code = "nothing_to_search_for"


class TooLittleData(UsageError):
    """There is too little to measure by.

    Give more questions whose right outcome is known; nothing was changed.
    """

    code = "too_little_data"
