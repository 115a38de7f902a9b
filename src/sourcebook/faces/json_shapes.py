"""The JSON shapes that every face uses. Programs depend on these keys: add to them, never rename."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast

from sourcebook.faces.answer_notice import answer_notice
from sourcebook.faces.matched_section import matched_section
from sourcebook.model.jobs import JobStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sourcebook.model.chat import Answer, ChatMessage, ChatSession, Citation, Conversation
    from sourcebook.model.curation import CuratedAnswer, CuratedSource, SourceChange, Term, Wording
    from sourcebook.model.documents import Collection, Document, DocumentDetails
    from sourcebook.model.explanation import DocumentPlace
    from sourcebook.model.jobs import Job
    from sourcebook.model.people import ForgetReport, User
    from sourcebook.model.search import RetrievalMode, SearchReport, SearchResult
    from sourcebook.model.token_ledger import TokenTransaction


def found(
    query: str, mode: RetrievalMode, report: SearchReport, place: DocumentPlace | None = None
) -> dict[str, Any]:
    """A search. `weak` says that nothing matches well. `explanation` and `document` are present if requested.

    `matched_section` is the section of a passage where the words stand, `section` the one of the passage.
    """
    document: dict[str, Any] = {
        "query": query,
        "mode": mode.value,
        "results": [
            search_result(result) | {"matched_section": matched_section(result.chunk, query)}
            for result in report.results
        ],
        "warnings": [asdict(warning) for warning in report.warnings],
        "weak": report.is_weak,
    }
    if report.explanation is not None:
        document["explanation"] = asdict(report.explanation)
    if place is not None:
        document["document"] = asdict(place)
    return document


def search_result(result: SearchResult) -> dict[str, Any]:
    chunk, breakdown = result.chunk, result.score_breakdown
    return {
        "chunk_id": chunk.id,
        "document_id": chunk.document_id,
        "document_path": result.document_path,
        "title": result.document_title,
        "page": chunk.page,
        "section": chunk.section,
        "content": chunk.content,
        "start_index": chunk.start_index,
        "end_index": chunk.end_index,
        "score": result.score,
        "score_breakdown": {
            "semantic_score": breakdown.semantic_score,
            "keyword_score": breakdown.keyword_score,
            "rerank_score": breakdown.rerank_score,
        },
        "matched": [
            {
                "chunk_id": match.chunk_id,
                "start_index": match.start_index,
                "end_index": match.end_index,
                "score": match.score,
            }
            for match in result.matched
        ],
        "metadata": dict(chunk.metadata),
        "collection_id": result.collection_id,
        "parent_context": result.parent_context,
    }


def document(document: Document) -> dict[str, Any]:
    """A document without its text."""
    return {
        "id": document.id,
        "file_path": document.file_path,
        "title": document.title,
        "type": document.type,
        "category": document.category,
        "subcategory": document.subcategory,
        "language": document.language,
        "status": document.status.value,
        "processing_error": document.processing_error,
        "is_active": document.is_active,
        "file_hash": document.file_hash,
        "file_size_bytes": document.file_size_bytes,
        "mtime": document.mtime,
        "indexed_at": document.indexed_at,
        "chunk_count": document.chunk_count,
        "metadata": dict(document.metadata),
    }


def document_details(details: DocumentDetails, preview: int) -> dict[str, Any]:
    """A document with its paths, its number of passages, and the beginning of its text."""
    return document(details.document) | {
        "passages": details.passages,
        "paths": [
            {
                "source_id": path.source_id,
                "path": path.path,
                "subcategory": path.subcategory,
                "mtime": path.mtime,
                "size": path.size,
            }
            for path in details.paths
        ],
        "held_by": list(details.held_by),
        "preview": details.document.content[:preview],
    }


def collection(collection: Collection) -> dict[str, Any]:
    return {
        "id": collection.id,
        "name": collection.name,
        "description": collection.description,
        "model": collection.model.name if collection.model else None,
        "embedding_dimensions": collection.embedding_dimensions,
        "distance_metric": collection.distance_metric.value,
        "document_count": collection.document_count,
        "chunk_count": collection.chunk_count,
        "created_at": collection.created_at,
        "updated_at": collection.updated_at,
    }


def answer(answer: Answer, *, with_details: bool = False) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "question": answer.question,
        "answer": answer.answer,
        "notice": answer_notice(answer),
        "tier": answer.tier.value,
        "expert_only": answer.is_expert_only,
        "session_id": answer.session_id,
        "citations": [citation(each) for each in answer.citations],
        "sentences": [
            {
                "start": sentence.start,
                "end": sentence.end,
                "citations": list(sentence.numbers),
                "verified": sentence.verified,
                "support": sentence.support.value,
                "doubts": list(sentence.doubts),
            }
            for sentence in answer.sentences
        ],
        "language": answer.language,
        "message_id": answer.message_id,
        "similar": [
            {"id": each.id, "question": each.question, "score": each.score} for each in answer.similar
        ],
    }
    if answer.curated_id is not None:
        shown["curated_id"] = answer.curated_id
        shown["curated"] = {
            key: answer.details.get(key)
            for key in ("approved_by", "approved_by_name", "approved_at", "stale", "context_changed")
        }
    if answer.details.get("rejected"):
        # The reason is for experts, who find it with the draft.
        rejected = cast("dict[str, Any]", answer.details["rejected"])
        shown["rejected"] = {key: rejected[key] for key in ("draft_id", "at")}
    if answer.details.get("outdated"):
        shown["outdated"] = answer.details["outdated"]
    if "draft_id" in answer.details:
        shown["draft_id"] = answer.details["draft_id"]
    if answer.nearest:
        shown["nearest"] = _quoted(answer.nearest, answer.nearest_excerpts)
        shown["nearest_excerpt"] = answer.nearest_excerpt
    if answer.details.get("filter_warnings"):
        shown["warnings"] = answer.details["filter_warnings"]
    if answer.see_also:
        shown["see_also"] = _quoted(answer.see_also, answer.see_also_excerpts)
    if with_details:
        shown["details"] = dict(answer.details)
    return shown


def _quoted(passages: Sequence[SearchResult], excerpts: Sequence[str | None]) -> list[dict[str, Any]]:
    """Passages that are not cited, each with what it says that may be the answer."""
    return [_near(result) | {"excerpt": said} for result, said in zip(passages, excerpts, strict=True)]


def _near(result: SearchResult) -> dict[str, Any]:
    """The place of a passage and its words."""
    chunk = result.chunk
    return {
        "chunk_id": chunk.id,
        "document_id": chunk.document_id,
        "document_path": result.document_path,
        "title": result.document_title,
        "page": chunk.page,
        "section": chunk.section,
        "content": chunk.content,
        "score": result.score,
        "collection_id": result.collection_id,
    }


def citation(citation: Citation) -> dict[str, Any]:
    return {
        "text": citation.text,
        "documentPath": citation.document_path,
        "documentTitle": citation.document_title,
        "chunkId": citation.chunk_id,
        "page": citation.page,
        "start": citation.start,
        "end": citation.end,
        "quote": citation.quote,
        "verified": citation.verified,
        "support": citation.support.value,
        "number": citation.number,
        "documentId": citation.document_id,
        "state": citation.state.value,
        "doubts": list(citation.doubts),
        "section": citation.section,
        "highlight": [list(span) for span in citation.highlight],
        "also_in": list(citation.also_in),
    }


def session(session: ChatSession) -> dict[str, Any]:
    return {
        "id": session.id,
        "title": session.title,
        "face": session.face,
        "scope": dict(session.scope),
        "created_at": session.created_at,
        "updated_at": session.updated_at,
        "message_count": session.message_count,
    }


def conversation(conversation: Conversation) -> dict[str, Any]:
    """A session with its messages."""
    return session(conversation.session) | {"messages": [message(each) for each in conversation.messages]}


def message(message: ChatMessage) -> dict[str, Any]:
    return {
        "id": message.id,
        "role": message.role.value,
        "content": message.content,
        "tier": message.tier.value if message.tier else None,
        "expert_only": message.is_expert_only,
        "citations": [citation(each) for each in message.citations],
        "created_at": message.created_at,
    }


def curated_answer(entry: CuratedAnswer) -> dict[str, Any]:
    return {
        "id": entry.id,
        "collection_id": entry.collection_id,
        "category": entry.category,
        "subcategory": entry.subcategory,
        "question": entry.question,
        "answer": entry.answer,
        "source_type": entry.source_type.value,
        "language": entry.language,
        "is_active": entry.is_active,
        "revision": entry.revision,
        "stale_since": entry.stale_since,
        "stale_reason": entry.stale_reason,
        "approved_by": entry.approved_by,
        "approved_at": entry.approved_at,
        "sources": [curated_source(source) for source in entry.sources],
        "created_at": entry.created_at,
        "updated_at": entry.updated_at,
        "approved_by_name": entry.approved_by_name,
        "context_changed": entry.has_changed_context,
        "wordings": [wording(each) for each in entry.wordings],
    }


def wording(wording: Wording) -> dict[str, Any]:
    """Another wording of a curated question."""
    return {
        "id": wording.id,
        "entry_id": wording.entry_id,
        "question": wording.question,
        "status": wording.status.value,
        "people": wording.people,
        "is_matched": wording.is_matched,
        "decided_by": wording.decided_by,
        "decided_at": wording.decided_at,
        "created_at": wording.created_at,
    }


def source_change(change: SourceChange) -> dict[str, Any]:
    """A source that is not what it was: the old and the new text, and which words were removed and added."""
    return {
        "document_id": change.document_id,
        "document_path": change.document_path,
        "document_title": change.document_title,
        "state": change.state.value,
        "before": change.before,
        "after": change.after,
        "words": [asdict(run) for run in change.words],
        "context": [asdict(part) for part in change.context],
    }


def curated_source(source: CuratedSource) -> dict[str, Any]:
    return {
        "document_id": source.document_id,
        "document_path": source.document_path,
        "document_title": source.document_title,
        "chunk_id": source.chunk_id,
        "page": source.page,
        "start": source.start,
        "end": source.end,
        "quote": source.quote,
        "state": source.state.value if source.state else None,
        "context": [asdict(part) for part in source.context_changes],
        "section": source.section,
    }


def term(term: Term) -> dict[str, Any]:
    return {
        "id": term.id,
        "term": term.term,
        "preferred_phrase": term.preferred_phrase,
        "description": term.description,
        "language": term.language,
    }


def user(user: User) -> dict[str, Any]:
    return {
        "id": user.id,
        "telegram_user_id": user.telegram_user_id,
        "username": user.username,
        "first_name": user.first_name,
        "last_name": user.last_name,
        "language": user.language,
        "role": user.role.value,
        "token_balance": user.token_balance,
        "is_blocked": user.is_blocked,
        "created_at": user.created_at,
        "updated_at": user.updated_at,
    }


def transaction(transaction: TokenTransaction) -> dict[str, Any]:
    """A row of the ledger."""
    return {
        "id": transaction.id,
        "user_id": transaction.user_id,
        "amount": transaction.amount,
        "operation_type": transaction.operation_type,
        "description": transaction.description,
        "idempotency_key": transaction.idempotency_key,
        "topic_id": transaction.topic_id,
        "admin_id": transaction.admin_id,
        "created_at": transaction.created_at,
    }


def forget_report(report: ForgetReport) -> dict[str, Any]:
    return {
        "user_id": report.user_id,
        "sessions": report.sessions,
        "messages": report.messages,
        "drafts": report.drafts,
        "jobs": report.jobs,
        "transactions_kept": report.transactions_kept,
        "curated_kept": list(report.curated_kept),
    }


def job(job: Job) -> dict[str, Any]:
    """An upload on its way into the base. When it is done, it names its document, or says why there is none."""
    result = job.result or {}
    refused = result.get("error")
    error: Any = refused if refused is not None else job.error and {"code": "error", "message": job.error}
    return {
        "id": job.id,
        "name": str(job.payload.get("path", "")).rpartition("/")[2],
        "collection_id": job.payload.get("collection"),
        "status": JobStatus.FAILED.value if refused is not None else job.status.value,
        "attempts": job.attempts,
        "outcome": result.get("outcome"),
        "document_id": result.get("document_id"),
        "error": error or None,
    }
