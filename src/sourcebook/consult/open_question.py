"""A question that is being answered, with all that is known about it so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sourcebook.consult.curated.rejected_answers import RejectedAnswers, rejected_details
from sourcebook.consult.question.asking_part import asking_part

if TYPE_CHECKING:
    from sourcebook.consult.answer.terminology import TermIndex
    from sourcebook.consult.question.inquiry import Inquiry
    from sourcebook.model.chat import ChatMessage
    from sourcebook.model.curation import CuratedAnswer, SimilarQuestion
    from sourcebook.model.documents import JsonValue
    from sourcebook.model.moderation import Draft
    from sourcebook.retrieve.question_context import QuestionContext


@dataclass(slots=True)
class OpenQuestion:
    """What is known about a question while it is being answered."""

    inquiry: Inquiry
    context: QuestionContext
    language: str | None
    history: Sequence[ChatMessage]
    terms: TermIndex
    wordings: Sequence[str]
    """The wordings to search for, in the order to try them."""
    details: dict[str, JsonValue] = field(default_factory=dict[str, "JsonValue"])
    similar: Sequence[SimilarQuestion] = ()
    outdated: CuratedAnswer | None = None
    """The approved answer, if one of its sources has changed."""
    rejected: RejectedAnswers = field(default_factory=RejectedAnswers)

    def is_rejected(self, draft: Draft | None) -> bool:
        """Whether an expert rejected this answer. The draft is noted in the details."""
        self.details["rejected"] = None if draft is None else rejected_details(draft)
        return draft is not None

    @property
    def asked(self) -> str:
        """What is asked, without the instructions around it."""
        return asking_part(self.inquiry.question.strip())

    def search_with(self, wording: str) -> str:
        """The text to search for: the question in this wording, with expansions by the terminology."""
        expansions = self.terms.expansions(wording)
        self.details |= {"searched": wording, "expansions": list(expansions)}
        return " ".join([wording, *expansions])
