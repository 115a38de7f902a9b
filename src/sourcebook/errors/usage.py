"""What was asked for makes no sense."""

from __future__ import annotations

from sourcebook.errors.error_tree import UsageError


class BadFilter(UsageError):
    """The filter is not valid.

    A key is 1 to 8 names joined by dots, each 1 to 64 letters, digits, `_` or `-`. A value is text, a number,
    a boolean or a date.
    """

    code = "bad_filter"


class AmbiguousName(UsageError):
    """Several documents match this name.

    Give the document's id, or more of its path. `sourcebook documents list` shows both.
    """

    code = "ambiguous_name"


class BadText(UsageError):
    """The text contains characters that no database can store.

    Remove NUL characters and unpaired surrogates, then try again. Nothing was stored.
    """

    code = "bad_text"


class BadMetadata(UsageError):
    """The metadata is not plain JSON.

    Use text, finite numbers, booleans, null, lists and objects with text keys, at most 32 levels deep. Write dates as
    ISO text. Nothing was stored.
    """

    code = "bad_metadata"


class BadVector(UsageError):
    """The vector is not a list of finite numbers.

    Check the embedder: NaN, infinity and empty vectors are never stored. Nothing was stored.
    """

    code = "bad_vector"


class BadSetting(UsageError):
    """A setting has an invalid value.

    `sourcebook config show` lists every setting, its value, and where the value came from.
    """

    code = "bad_setting"


class BadAddress(UsageError):
    """The server's address cannot be read. It is not repeated here, because it may hold a password.

    Write `postgresql://user:password@host:port/name`. In the user and the password, write `/` as `%2F`, `@` as `%40`,
    `:` as `%3A`, `?` as `%3F` and `#` as `%23`. Give a file whose name looks like an address as `./NAME`.
    """

    code = "bad_address"


class BadBundle(UsageError):
    """The folder is not an intact bundle.

    Export it again with `sourcebook export DIR`. Nothing was imported.
    """

    code = "bad_bundle"


class BadPolicy(UsageError):
    """The policy file cannot be used.

    It must be YAML with `entities`, each with a list of `collections`. docs/how-to/ask.md has an example.
    """

    code = "bad_policy"


class AddressRefused(UsageError):
    """The address of the page is not public.

    Pages on this machine and in private networks are fetched only if their host is allowed with `--allow-host`.
    """

    code = "address_refused"


class BadAnswerFile(UsageError):
    """The file is not an approved answer.

    It begins with a block between `---` lines that holds at least `question: …`, and the answer comes below it.
    `sourcebook kb export DIR` writes such files.
    """

    code = "bad_answer_file"


class DuplicateChunkId(UsageError):
    """The same chunk id appears twice in one call.

    Give each chunk its own id. Nothing was stored.
    """

    code = "duplicate_chunk_id"


class NothingToSearchFor(UsageError):
    """The question contains no words to search for.

    Use at least one letter or digit.
    """

    code = "nothing_to_search_for"


class NothingAsked(NothingToSearchFor):
    """The message is a greeting, thanks or an emoji, and asks nothing.

    Ask a question. Nothing was charged, and no expert was called.
    """

    code = "nothing_asked"

    def __init__(
        self, message: str | None = None, *, hint: str | None = None, kind: str = "nothing_asked"
    ) -> None:
        super().__init__(message, hint=hint)
        self.kind = kind


class TooLittleData(UsageError):
    """There is too little data to measure.

    Provide more questions with known outcomes. Nothing was changed.
    """

    code = "too_little_data"
