"""Plans are right: carried out on a small model of a base, they make it hold exactly what was found."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from sourcebook.ingest.folder.plan import Known, Plan, diff
from sourcebook.model.documents import DocumentStatus
from sourcebook.model.sources import DocumentState, PathState, Refused

PATHS = st.sampled_from(["a", "b", "c", "d", "e/f", "e/g"])
BYTES = st.sampled_from(["h1", "h2", "h3", "h4", "h5"])
BAD = "h5"
"""The bytes that no parser can read."""
FOLDER = st.dictionaries(PATHS, BYTES, max_size=6)


@dataclass
class Model:
    """A base as simple as can be: which document lies at which path, and what each document holds."""

    lies_at: dict[str, str] = field(default_factory=dict[str, str])
    documents: dict[str, DocumentState] = field(default_factory=dict[str, DocumentState])
    elsewhere: dict[str, str] = field(default_factory=dict[str, str])
    """Paths of another source."""
    embedded: list[str] = field(default_factory=list[str])
    number: int = 0

    def known(self, found: dict[str, str]) -> Known:
        here = set(self.lies_at.values())
        own = {d: s for d, s in self.documents.items() if d in here}
        owners = {s.file_hash: d for d, s in self.documents.items() if s.file_hash in found.values()}
        return Known(
            {path: PathState(path, d, 1, 1, 1) for path, d in self.lies_at.items()},
            own,
            {str(h): d for h, d in owners.items() if d not in here},
            frozenset(self.elsewhere.values()),
        )

    def carry_out(self, plan: Plan) -> None:
        for document_id in plan.accepted:
            state = self.documents[document_id]
            self.documents[document_id] = state._replace(refused=None, status=DocumentStatus.COMPLETED)
        for move in plan.moves:
            if self.lies_at.get(move.old) == move.document_id:
                del self.lies_at[move.old]
        self.lies_at |= {move.new: move.document_id for move in plan.moves}
        self.lies_at |= {another.path: another.document_id for another in plan.another}
        self._drop_the_homeless()
        for indexing in plan.indexings:
            before = indexing.document
            document_id = before.id if before else f"d{self.number}"
            self.number += 1
            self.documents[document_id] = self._read(document_id, indexing.file_hash, before)
            self.lies_at |= dict.fromkeys(indexing.paths, document_id)
            self._drop_the_homeless()
        for path in plan.gone:
            del self.lies_at[path]
        self._drop_the_homeless()

    def _read(self, document_id: str, file_hash: str, before: DocumentState | None) -> DocumentState:
        if file_hash != BAD:
            self.embedded.append(file_hash)
            return DocumentState(document_id, file_hash)
        refused = Refused(file_hash, "1")
        kept = before.file_hash if before and before.file_hash not in (None, BAD) else file_hash
        return DocumentState(document_id, kept, DocumentStatus.FAILED, refused)

    def _drop_the_homeless(self) -> None:
        homes = {*self.lies_at.values(), *self.elsewhere.values()}
        self.documents = {d: s for d, s in self.documents.items() if d in homes}

    def holds(self, path: str) -> str | None:
        state = self.documents[self.lies_at[path]]
        return state.refused.file_hash if state.refused else state.file_hash


def followed(folders: list[dict[str, str]], elsewhere: dict[str, str] | None = None) -> Model:
    model = Model()
    for path, file_hash in (elsewhere or {}).items():
        model.number += 1
        document_id = next(
            (d for d, s in model.documents.items() if s.file_hash == file_hash), f"x{model.number}"
        )
        model.documents[document_id] = DocumentState(document_id, file_hash)
        model.elsewhere[path] = document_id
    for folder in folders:
        model.carry_out(diff(model.known(folder), folder))
    return model


OTHERS = st.dictionaries(PATHS, st.sampled_from(["h1", "h2"]), max_size=3)


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(FOLDER, min_size=1, max_size=5), OTHERS)
def test_after_any_number_of_plans_the_base_holds_what_was_found_last(
    folders: list[dict[str, str]], elsewhere: dict[str, str]
) -> None:
    model = followed(folders, elsewhere)
    assert model.lies_at.keys() == folders[-1].keys()
    assert {path: model.holds(path) for path in model.lies_at} == folders[-1]
    for path, document_id in model.elsewhere.items():
        assert model.documents[document_id].file_hash == elsewhere[path]


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(FOLDER, min_size=1, max_size=5), OTHERS)
def test_no_bytes_are_held_by_two_documents(folders: list[dict[str, str]], elsewhere: dict[str, str]) -> None:
    model = followed(folders, elsewhere)
    hashes = [state.file_hash for state in model.documents.values()]
    assert len(hashes) == len(set(hashes))


@settings(max_examples=examples(150), deadline=None)
@given(FOLDER, FOLDER, OTHERS)
def test_only_bytes_that_no_document_held_are_embedded_and_each_once(
    before: dict[str, str], after: dict[str, str], elsewhere: dict[str, str]
) -> None:
    model = followed([before], elsewhere)
    held = {state.file_hash for state in model.documents.values()}
    model.embedded.clear()
    model.carry_out(diff(model.known(after), after))
    assert sorted(model.embedded) == sorted(set(after.values()) - held - {BAD})


@settings(max_examples=examples(100), deadline=None)
@given(FOLDER, OTHERS)
def test_what_did_not_change_needs_nothing(folder: dict[str, str], elsewhere: dict[str, str]) -> None:
    model = followed([folder], elsewhere)
    assert diff(model.known(folder), folder) == Plan(unchanged=tuple(sorted(folder)))


@settings(max_examples=examples(100), deadline=None)
@given(
    st.dictionaries(PATHS, BYTES, min_size=1, max_size=6), st.permutations(["a", "b", "c", "d", "e/f", "e/g"])
)
def test_files_that_only_change_their_places_keep_their_documents(
    folder: dict[str, str], places: list[str]
) -> None:
    model = followed([folder])
    renamed = dict(zip(places, folder.values(), strict=False))
    holders = {s.file_hash: d for d, s in model.documents.items()}
    plan = diff(model.known(renamed), renamed)
    assert not plan.indexings
    assert not plan.gone
    model.carry_out(plan)
    assert {s.file_hash: d for d, s in model.documents.items()} == holders


@settings(max_examples=examples(100), deadline=None)
@given(FOLDER, FOLDER)
def test_every_path_has_one_fate(before: dict[str, str], after: dict[str, str]) -> None:
    model = followed([before])
    plan = diff(model.known(after), after)
    fates = [
        *plan.unchanged,
        *(move.new for move in plan.moves),
        *(another.path for another in plan.another),
        *(path for indexing in plan.indexings for path in indexing.paths),
    ]
    assert sorted(fates) == sorted(after)
    left = {move.old for move in plan.moves}
    assert set(plan.gone) == before.keys() - after.keys() - left


def test_what_could_not_be_read_is_read_again_only_if_asked() -> None:
    model = followed([{"a": BAD, "b": "h1"}])
    folder = {"a": BAD, "b": "h1"}
    failed = model.lies_at["a"]
    assert not diff(model.known(folder), folder).indexings
    (again,) = diff(model.known(folder), folder, [failed]).indexings
    assert (again.paths, again.document and again.document.id) == (["a"], failed)


def test_a_refused_version_leaves_the_text_and_is_taken_back_when_the_file_is() -> None:
    model = followed([{"a": "h1"}, {"a": BAD}])
    (state,) = model.documents.values()
    assert (state.file_hash, state.refused) == ("h1", Refused(BAD, "1"))
    plan = diff(model.known({"a": "h1"}), {"a": "h1"})
    assert plan == Plan(unchanged=("a",), accepted=(state.id,))
