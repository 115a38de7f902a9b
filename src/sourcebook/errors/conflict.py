"""Somebody or something else got there first."""

from __future__ import annotations

from sourcebook.errors.error_tree import Conflict


class CollectionConflict(Conflict):
    """A collection with this name already exists, with a different vector size or metric.

    Choose another name, or first remove the old collection with `sourcebook collections remove`.
    """

    code = "collection_conflict"


class DocumentChangedMeanwhile(Conflict):
    """The document has changed since it was read.

    Read it again and repeat the change. Nothing was written.
    """

    code = "document_changed_meanwhile"


class TooManyRemovals(Conflict):
    """Most of this folder's files are gone, so nothing was changed.

    Check that the disk is mounted and the path is right. To remove the missing files from the base, add
    `--allow-removals`.
    """

    code = "too_many_removals"


class ActiveModelChanged(Conflict):
    """The collection has switched to another embedding model.

    Embed the document again with the active model. Nothing was written.
    """

    code = "active_model_changed"


class AlreadyDecided(Conflict):
    """This draft has already been decided.

    Nothing was changed. `sourcebook moderate show` shows the decision.
    """

    code = "already_decided"

    def __init__(
        self, message: str | None = None, *, hint: str | None = None, decided_by: str = "", status: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.decided_by = decided_by
        self.status = status


class CuratedAnswerChangedMeanwhile(Conflict):
    """The curated answer has changed since it was read.

    Look at it with `sourcebook kb show`, and repeat the change. Nothing was written.
    """

    code = "curated_answer_changed_meanwhile"


class SupportLost(Conflict):
    """The documents no longer say what this answer says.

    Edit the answer, or approve it all the same with `--force`. `sourcebook moderate show` shows what has changed.
    """

    code = "support_lost"

    def __init__(self, message: str | None = None, *, hint: str | None = None, quote: str = "") -> None:
        super().__init__(message, hint=hint)
        self.quote = quote
        """What is said no more."""


class NotEnoughTokens(Conflict):
    """There are not enough tokens.

    Add some with `sourcebook tokens credit ID AMOUNT`. Nothing was charged.
    """

    code = "not_enough_tokens"

    def __init__(self, message: str = "", *, hint: str = "", balance: int = 0, price: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.balance = balance
        self.price = price


class NoQuestionsLeft(Conflict):
    """This consultation has no questions left.

    Buy more questions, or start a new consultation. Nothing was charged.
    """

    code = "no_questions_left"

    def __init__(self, message: str = "", *, hint: str = "", balance: int = 0, price: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.balance = balance
        self.price = price


class StillAnswering(Conflict):
    """This question, or an earlier one, is still being answered.

    Wait a moment and try again. The question is answered and charged only once.
    """

    code = "still_answering"


class ReindexOverrun(Conflict):
    """Another reindex of this collection was started and replaced this one.

    Let the other one finish, then check `sourcebook collections list`. The collection stayed usable throughout.
    """

    code = "reindex_overrun"


class AccountExists(Conflict):
    """There is already an account with this name, or for this user.

    Choose another name. `sourcebook accounts list` shows what exists.
    """

    code = "account_exists"
