"""Every backend keeps the storage contract."""

from __future__ import annotations

from sourcebook.testing import contract


class TestVectorStore(contract.VectorStoreContract):
    pass


class TestFtsStore(contract.FtsStoreContract):
    pass


class TestPassageSearch(contract.PassageSearchContract):
    pass


class TestDocumentTracker(contract.DocumentTrackerContract):
    pass


class TestIndexWriter(contract.IndexWriterContract):
    pass


class TestSources(contract.SourcesContract):
    pass


class TestJobs(contract.JobsContract):
    pass


class TestReindexing(contract.ReindexingContract):
    pass


class TestFilters(contract.FilterContract):
    pass


class TestCollectionSettings(contract.CollectionSettingsContract):
    pass


class TestDocumentListing(contract.DocumentListingContract):
    pass


class TestSessions(contract.SessionsContract):
    pass


class TestCuratedBase(contract.CuratedBaseContract):
    pass


class TestModeration(contract.ModerationContract):
    pass


class TestWordings(contract.WordingsContract):
    pass


class TestRepeatedDrafts(contract.RepeatedDraftsContract):
    pass


class TestStaleness(contract.StalenessContract):
    pass


class TestTerminology(contract.TerminologyContract):
    pass
