"""What the tools take, as models and clients are told it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

LONGEST_TEXT = 8_000
"""Characters of a document in one result."""


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SearchArguments(_Arguments):
    query: str = Field(min_length=1, max_length=2_000, description="Words or a question, in any language.")
    collections: list[str] | None = Field(None, description="The collections to search; usually left out.")
    limit: int = Field(5, ge=1, le=20, description="How many passages to return at most.")


class AskArguments(_Arguments):
    question: str = Field(min_length=1, max_length=2_000, description="A whole question, in any language.")
    collections: list[str] | None = Field(None, description="The collections to ask; usually left out.")


class DocumentArguments(_Arguments):
    document: str = Field(
        min_length=1, max_length=1_000, description="The document_id of a result, or the document's path."
    )
    collection: str | None = Field(None, description="The collection of the result.")
    start: int = Field(0, ge=0, description="The character to begin at: next_start of the result before.")
    length: int = Field(LONGEST_TEXT, ge=1, le=LONGEST_TEXT, description="How many characters to return.")


class PassageArguments(_Arguments):
    passage_id: str = Field(min_length=1, max_length=200, description="The passage_id of a result.")
    collection: str | None = Field(None, description="The collection of the result.")


class TermArguments(_Arguments):
    term: str = Field(min_length=1, max_length=200, description="A word or a phrase.")
