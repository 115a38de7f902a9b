"""An example of every shape for the API's description, made by the very functions that make the responses."""

from __future__ import annotations

from typing import Any

from sourcebook.errors import UnsupportedFile
from sourcebook.faces import draft_json_shapes, json_shapes
from sourcebook.faces.evaluation_json_shapes import AskedSet, as_json
from sourcebook.model.chat import (
    Answer,
    ChatMessage,
    ChatSession,
    Citation,
    Conversation,
    Role,
    Sentence,
    SourceState,
    Tier,
)
from sourcebook.model.curation import CuratedAnswer, CuratedSource, SimilarQuestion, Term
from sourcebook.model.documents import (
    Chunk,
    Collection,
    Document,
    DocumentDetails,
    DocumentPath,
    EmbeddingModel,
)
from sourcebook.model.health import HealthReport
from sourcebook.model.jobs import Job, JobStatus
from sourcebook.model.moderation import Digest, Draft, DraftKind, Gap
from sourcebook.model.people import ForgetReport, User
from sourcebook.model.search import (
    Match,
    RetrievalMode,
    ScoreBreakdown,
    SearchReport,
    SearchResult,
)
from sourcebook.model.token_ledger import OperationType, TokenTransaction
from sourcebook.retrieve.evaluation.evaluate import Evaluation, JudgedQuestion, Outcome

_QUESTION = "When do I prune everbearing raspberries?"
_QUOTE = "Everbearing raspberries are cut to the ground in late autumn."
_PATH, _DOCUMENT, _CHUNK, _SESSION = "raspberry/pruning guide.pdf", "7c4f09", "b1d0", "6f1c2a"
_THEN = 1_794_700_000

_citation = Citation(
    number=1,
    text=f"[Pruning, p. 2]({_PATH})",
    collection_id="default",
    document_id=_DOCUMENT,
    document_path=_PATH,
    document_title="Pruning",
    chunk_id=_CHUNK,
    page=2,
    start=120,
    end=120 + len(_QUOTE),
    quote=_QUOTE,
    verified=True,
    section="Pruning > Autumn",
    highlight=((37, 51),),
)
_result = SearchResult(
    chunk=Chunk(
        _CHUNK, _DOCUMENT, _QUOTE, start_index=120, end_index=181, page=2, section="Pruning > Autumn"
    ),
    score=0.91,
    score_breakdown=ScoreBreakdown(semantic_score=0.83, keyword_score=7.4),
    document_path=_PATH,
    document_title="Pruning",
    matched=(Match("b1d1", 120, 181, 0.88),),
    collection_id="default",
)
_document = Document(
    id=_DOCUMENT,
    content=_QUOTE,
    title="Pruning",
    file_path=_PATH,
    file_hash="9f86d081…",
    file_size_bytes=48_213,
    mtime=_THEN,
    type="document",
    category="raspberry",
    language="en",
    chunk_count=12,
    indexed_at=_THEN,
)
_session = ChatSession(
    _SESSION, _QUESTION, 1, "http", {"collections": ["default"]}, _THEN, _THEN, message_count=2
)
_source = CuratedSource(
    "default", _DOCUMENT, _PATH, _QUOTE, "Pruning", _CHUNK, 2, 120, 181, "9f86d081…", SourceState.CURRENT
)
_entry = CuratedAnswer(
    id=3,
    collection_id="default",
    category="raspberry",
    answer="In late autumn, to the ground [1].",
    question=_QUESTION,
    language="en",
    approved_by=2,
    approved_at=_THEN,
    sources=(_source,),
    created_at=_THEN,
    updated_at=_THEN,
)
_draft = Draft(
    id=17,
    user_id=5,
    kind=DraftKind.DECLINED,
    question="May I prune in spring?",
    language="en",
    category_guess="raspberry",
    collection_id="default",
    session_id=_SESSION,
    created_at=_THEN,
)
_gap = Gap(
    "May I prune in spring?", 3, 2, {"declined": 3}, ("May I prune in spring?",), (_PATH,), "raspberry", "en"
)

RESULT = json_shapes.search_result(_result)
SEARCH = json_shapes.found(_QUESTION, RetrievalMode.HYBRID, SearchReport((_result,)))
ANSWER = json_shapes.answer(
    Answer(
        _QUESTION,
        f"{_QUOTE} [1]",
        Tier.DOCUMENTS,
        _SESSION,
        (_citation,),
        (Sentence(0, len(_QUOTE), (1,), verified=True),),
        "en",
        "0c9d…",
        similar=(SimilarQuestion(3, "When are raspberries pruned?", 0.83),),
    ),
    with_details=True,
)
DOCUMENT = json_shapes.document(_document)
DOCUMENT_DETAILS = json_shapes.document_details(
    DocumentDetails(_document, (DocumentPath("a2", _PATH, None, _THEN, 48_213),), 4, ("/srv/library",)), 500
)
JOB = json_shapes.job(
    Job(
        41,
        "uploads",
        {"path": "9f86d081/pruning.pdf", "collection": "default"},
        JobStatus.DONE,
        attempts=1,
        result={"outcome": "written", "document_id": _DOCUMENT},
    )
)
FAILED = {"name": "setup.exe", **UnsupportedFile("The file is a program for Windows.").as_dict()}
SESSION = json_shapes.session(_session)
CONVERSATION = json_shapes.conversation(
    Conversation(
        _session,
        (
            ChatMessage("0c9c…", _SESSION, 0, Role.USER, _QUESTION, created_at=_THEN),
            ChatMessage(
                "0c9d…", _SESSION, 1, Role.ASSISTANT, _QUOTE, (_citation,), Tier.DOCUMENTS, created_at=_THEN
            ),
        ),
    )
)
CURATED = json_shapes.curated_answer(_entry)
DRAFT = draft_json_shapes.draft(_draft)
DRAFT_DETAILS = draft_json_shapes.draft_with_details(_draft, (), None)
GAP = draft_json_shapes.gap(_gap)
DIGEST = draft_json_shapes.digest(
    Digest(
        _THEN - 604_800, _THEN, 40, {"documents": 30, "none": 6}, {"approved": 4}, 3, (), (_gap,), 12, 20, 9
    )
)
TERM = json_shapes.term(Term(1, "kill", "remove", "of plants", "en"))
USER = json_shapes.user(User(2, username="anna", token_balance=5, created_at=_THEN, updated_at=_THEN))
TRANSACTION = json_shapes.transaction(
    TokenTransaction(
        8, 2, 5, OperationType.ADMIN_CREDIT, "credit:2026-11", "November", admin_id=1, created_at=_THEN
    )
)
FORGOTTEN = json_shapes.forget_report(ForgetReport(2, 3, 12, 1, 0, 4))
COLLECTION = json_shapes.collection(
    Collection(
        "default",
        512,
        "default",
        model=EmbeddingModel("use-multilingual", 512),
        document_count=40,
        chunk_count=900,
        created_at=_THEN,
        updated_at=_THEN,
    )
)
SIGNED_IN = {"name": "ada", "role": "reader", "collections": None}
ME = {
    "user_id": 1,
    "name": "local",
    "role": "admin",
    "collections": None,
    "signed_in_with": "local",
    "token_balance": 0,
    "csrf_token": None,
}
HEALTH = HealthReport({"sourcebook": "1.0", "sqlite": "3.51.3"}, {"documents": 40}).as_dict()
EVALUATION = as_json(
    AskedSet(
        "request",
        40,
        (
            Evaluation(
                "hybrid", 10, (Outcome(JudgedQuestion("1", _QUESTION, {_DOCUMENT: 1}), (_DOCUMENT,), 6.1),)
            ),
        ),
    ),
    None,
)

_EVENTS = (
    'event: searching\ndata: {"question": "When do I prune everbearing raspberries?"}\n\n'
    'event: passages\ndata: {"results": [ … ]}\n\n'
    'event: token\ndata: {"text": "Everbearing raspberries "}\n\n'
    'event: citation\ndata: {"number": 1, … }\n\n'
    'event: done\ndata: {"question": … , "answer": … , "tier": "documents", … }\n\n'
)

Responses = dict[int | str, dict[str, Any]]


def shown(example: Any, *, status: int = 200, events: bool = False, cached: bool = False) -> Responses:
    """The description of a JSON response with its example."""
    content: dict[str, Any] = {"application/json": {"schema": {"type": "object"}, "example": example}}
    if events:
        content["text/event-stream"] = {"schema": {"type": "string"}, "example": _EVENTS}
    described: Responses = {status: {"description": "So it looks.", "content": content}}
    return described | _NOT_MODIFIED if cached else described


def text(kind: str, description: str) -> Responses:
    """The description of a response that is no JSON."""
    return {200: {"description": description, "content": {kind: {"schema": {"type": "string"}}}}}


def kept(kind: str, description: str) -> Responses:
    """The description of a response that is no JSON and that a client may keep."""
    return text(kind, description) | _NOT_MODIFIED


_NOT_MODIFIED: Responses = {304: {"description": "What you have, by its `ETag`, is still right."}}
