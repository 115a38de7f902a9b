"""The composition root: the one room that knows every class. Heavy ones are imported when they are needed."""

from sourcebook.assembly.chat_models import make_chat_model
from sourcebook.assembly.consult import (
    make_answer_export,
    make_answer_import,
    make_answerable,
    make_calibrator,
    make_consultation,
    make_entries,
    make_folder_check,
    make_help_retrieval,
    make_manual,
)
from sourcebook.assembly.curate import make_moderation
from sourcebook.assembly.embedders import Embedders, make_embedder, make_embedder_for
from sourcebook.assembly.ingest import (
    files_of,
    make_claims,
    make_ingest,
    make_ingest_of_texts,
    make_parsers,
    make_pictures,
    make_stored_files,
    make_uploads,
    own_files,
)
from sourcebook.assembly.maintenance import examine_unopened, make_backups, make_reindex, rebuild_if_damaged
from sourcebook.assembly.model_comparison import compare_models
from sourcebook.assembly.model_health import missing_models
from sourcebook.assembly.model_store import make_model_store, model_listings
from sourcebook.assembly.open_base import (
    OpenBase,
    SystemClock,
    open_base,
    open_postgres,
    open_sqlite,
    require_postgres,
)
from sourcebook.assembly.people import (
    make_accounts,
    make_keys,
    make_passwords,
    make_people,
    make_reception,
)
from sourcebook.assembly.retrieve import Rerankers, make_absences, make_reranker, make_retriever
from sourcebook.assembly.stores import make_stores
from sourcebook.assembly.transfer import copy_base, copy_end, import_old_base, is_old_base, make_bundles

__all__ = [
    "Embedders",
    "OpenBase",
    "Rerankers",
    "SystemClock",
    "compare_models",
    "copy_base",
    "copy_end",
    "examine_unopened",
    "files_of",
    "import_old_base",
    "is_old_base",
    "make_absences",
    "make_accounts",
    "make_answer_export",
    "make_answer_import",
    "make_answerable",
    "make_backups",
    "make_bundles",
    "make_calibrator",
    "make_chat_model",
    "make_claims",
    "make_consultation",
    "make_embedder",
    "make_embedder_for",
    "make_entries",
    "make_folder_check",
    "make_help_retrieval",
    "make_ingest",
    "make_ingest_of_texts",
    "make_keys",
    "make_manual",
    "make_model_store",
    "make_moderation",
    "make_parsers",
    "make_passwords",
    "make_people",
    "make_pictures",
    "make_reception",
    "make_reindex",
    "make_reranker",
    "make_retriever",
    "make_stored_files",
    "make_stores",
    "make_uploads",
    "missing_models",
    "model_listings",
    "open_base",
    "open_postgres",
    "open_sqlite",
    "own_files",
    "rebuild_if_damaged",
    "require_postgres",
]
