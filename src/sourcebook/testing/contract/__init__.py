"""The storage contract, as classes of tests.

A storage of one's own keeps the contract if these pass for it. Subclass each class in a test module and give a fixture
`base` that yields a fresh `sourcebook.assembly.OpenBase` for every test; the tests are async and use anyio's plugin.

    class TestVectorStore(VectorStoreContract):
        pass
"""

from sourcebook.testing.contract.accounts import AccountsContract, ApiKeysContract
from sourcebook.testing.contract.chat import CuratedBaseContract, SessionsContract, TerminologyContract
from sourcebook.testing.contract.filters import FilterContract
from sourcebook.testing.contract.fts_store import FtsStoreContract
from sourcebook.testing.contract.index_writer import IndexWriterContract
from sourcebook.testing.contract.jobs import JobsContract
from sourcebook.testing.contract.ledger import LedgerContract
from sourcebook.testing.contract.library import CollectionSettingsContract, DocumentListingContract
from sourcebook.testing.contract.moderation import ModerationContract
from sourcebook.testing.contract.passages import PassageSearchContract
from sourcebook.testing.contract.people import MessagesContract, TopicsContract, UsersContract
from sourcebook.testing.contract.reindexing import ReindexingContract
from sourcebook.testing.contract.sources import SourcesContract
from sourcebook.testing.contract.staleness import StalenessContract
from sourcebook.testing.contract.tracker import DocumentTrackerContract
from sourcebook.testing.contract.vector_store import VectorStoreContract
from sourcebook.testing.contract.wordings import RepeatedDraftsContract, WordingsContract

__all__ = [
    "AccountsContract",
    "ApiKeysContract",
    "CollectionSettingsContract",
    "CuratedBaseContract",
    "DocumentListingContract",
    "DocumentTrackerContract",
    "FilterContract",
    "FtsStoreContract",
    "IndexWriterContract",
    "JobsContract",
    "LedgerContract",
    "MessagesContract",
    "ModerationContract",
    "PassageSearchContract",
    "ReindexingContract",
    "RepeatedDraftsContract",
    "SessionsContract",
    "SourcesContract",
    "StalenessContract",
    "TerminologyContract",
    "TopicsContract",
    "UsersContract",
    "VectorStoreContract",
    "WordingsContract",
]
