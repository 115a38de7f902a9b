"""Somebody or something else got there first."""

from __future__ import annotations

from sourcebook.errors.branches import Conflict


class CollectionConflict(Conflict):
    """A collection of this name exists with another vector size or metric.

    Choose another name, or remove the old collection first with `sourcebook collections remove`.
    """

    code = "collection_conflict"


class DocumentChangedMeanwhile(Conflict):
    """The document was changed by somebody else since it was read.

    Read it again and repeat the change; nothing was written.
    """

    code = "document_changed_meanwhile"


class TooManyRemovals(Conflict):
    """Most of what the base knows of this folder is gone, so nothing was changed.

    Check that the disk is there and the path is right; `--allow-removals` removes what is gone.
    """

    code = "too_many_removals"


class ActiveModelChanged(Conflict):
    """The collection switched to another embedding model in the meantime.

    Embed the document again with the active model; nothing was written.
    """

    code = "active_model_changed"


class AlreadyDecided(Conflict):
    """Somebody has already decided about this draft.

    Nothing was changed; `sourcebook moderate show` tells what was decided.
    """

    code = "already_decided"

    def __init__(
        self, message: str | None = None, *, hint: str | None = None, decided_by: str = "", status: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.decided_by = decided_by
        self.status = status


class NotEnoughTokens(Conflict):
    """There are not enough tokens for that.

    `sourcebook tokens credit ID AMOUNT` gives some; nothing was taken.
    """

    code = "not_enough_tokens"

    def __init__(self, message: str = "", *, hint: str = "", balance: int = 0, price: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.balance = balance
        self.price = price


class NoQuestionsLeft(Conflict):
    """The questions of this consultation are used up.

    Buy more of them, or begin a new consultation; nothing was taken.
    """

    code = "no_questions_left"

    def __init__(self, message: str = "", *, hint: str = "", balance: int = 0, price: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.balance = balance
        self.price = price


class StillAnswering(Conflict):
    """The question, or one before it, is still being answered.

    Wait a little and ask for it again; it is answered and paid once.
    """

    code = "still_answering"


class ReindexOverrun(Conflict):
    """Another reindex of the same collection was started, and took the place of this one.

    Let the other one end, then look at `sourcebook collections list`; the collection was usable all the time.
    """

    code = "reindex_overrun"
