"""What was named is not there."""

from __future__ import annotations

from sourcebook.errors.branches import NotFound


class CollectionNotFound(NotFound):
    """There is no such collection.

    `sourcebook collections list` shows the ones that exist; `sourcebook add PATH` makes `default`.
    """

    code = "collection_not_found"


class DocumentNotFound(NotFound):
    """There is no such document.

    `sourcebook documents list` shows the ones that exist.
    """

    code = "document_not_found"


class ChunkNotFound(NotFound):
    """There is no such chunk.

    Use `add` to store a chunk that may be new; `update` changes only what exists. Nothing was changed.
    """

    code = "chunk_not_found"


class PathNotFound(NotFound):
    """There is no such file or folder.

    Check the spelling and the current folder.
    """

    code = "path_not_found"


class FileGone(NotFound):
    """The file of the document is not at hand any more, or is another one now.

    Put the file back, or add it again; its text can be read and searched without it.
    """

    code = "file_gone"


class SessionNotFound(NotFound):
    """There is no such conversation.

    `sourcebook sessions list` shows yours.
    """

    code = "session_not_found"


class CuratedAnswerNotFound(NotFound):
    """There is no such curated answer.

    `sourcebook kb list` shows the ones that exist.
    """

    code = "curated_answer_not_found"


class DraftNotFound(NotFound):
    """There is no such draft.

    `sourcebook moderate list` shows those that wait.
    """

    code = "draft_not_found"


class UserNotFound(NotFound):
    """There is no such person.

    `sourcebook users list` shows the ones that are known.
    """

    code = "user_not_found"


class TopicNotFound(NotFound):
    """There is no such consultation.

    Ask a question to begin one.
    """

    code = "topic_not_found"


class TermNotFound(NotFound):
    """There is no such term.

    `sourcebook terms list` shows the ones that exist.
    """

    code = "term_not_found"
