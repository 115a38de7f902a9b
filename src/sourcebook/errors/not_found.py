"""What was named is not there."""

from __future__ import annotations

from sourcebook.errors.error_tree import NotFound


class CollectionNotFound(NotFound):
    """There is no such collection.

    `sourcebook collections list` shows what exists. `sourcebook add PATH --collection NAME` creates one.
    """

    code = "collection_not_found"

    @classmethod
    def named(cls, name: str) -> CollectionNotFound:
        """The error for a name. The first `add` makes the default collection, so a base without it is empty."""
        if name == "default":
            return cls("The base has no documents yet: there is no collection 'default'.")
        return cls(f"There is no collection {name!r}.")


class DocumentNotFound(NotFound):
    """There is no such document.

    `sourcebook documents list` shows what exists.
    """

    code = "document_not_found"


class ChunkNotFound(NotFound):
    """There is no such chunk.

    `update` only changes chunks that exist; use `add` to store new ones. Nothing was changed.
    """

    code = "chunk_not_found"


class PathNotFound(NotFound):
    """There is no such file or folder.

    Check the spelling and the current folder.
    """

    code = "path_not_found"


class FileGone(NotFound):
    """The document's original file is missing or has changed.

    Put the file back, or add it again. The document's text can still be read and searched.
    """

    code = "file_gone"


class SessionNotFound(NotFound):
    """There is no such conversation.

    `sourcebook sessions list` shows yours.
    """

    code = "session_not_found"


class CuratedAnswerNotFound(NotFound):
    """There is no such curated answer.

    `sourcebook kb list` shows what exists.
    """

    code = "curated_answer_not_found"


class WordingNotFound(NotFound):
    """There is no such wording of a curated question.

    `sourcebook kb wordings` shows what exists.
    """

    code = "wording_not_found"


class DraftNotFound(NotFound):
    """There is no such draft.

    `sourcebook moderate list` shows the drafts waiting for review.
    """

    code = "draft_not_found"


class UserNotFound(NotFound):
    """There is no such user.

    `sourcebook users list` shows who is registered.
    """

    code = "user_not_found"


class TopicNotFound(NotFound):
    """There is no such consultation.

    Ask a question to start one.
    """

    code = "topic_not_found"


class TermNotFound(NotFound):
    """There is no such term.

    `sourcebook terms list` shows what exists.
    """

    code = "term_not_found"


class ModelNotFound(NotFound):
    """There is no such model.

    `sourcebook models list` shows the models that can be used.
    """

    code = "model_not_found"


class AccountNotFound(NotFound):
    """There is no such account.

    `sourcebook accounts list` shows what exists.
    """

    code = "account_not_found"


class KeyNotFound(NotFound):
    """There is no such API key.

    `sourcebook keys list` shows what exists.
    """

    code = "key_not_found"


class JobNotFound(NotFound):
    """There is no such job.

    The response to an upload names its jobs; `/api/jobs` lists them.
    """

    code = "job_not_found"
