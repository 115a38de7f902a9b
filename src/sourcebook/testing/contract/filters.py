"""What every storage makes of a filter: exactly what `retrieve.filters.matches` says."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import date
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sourcebook.errors import BadFilter
from sourcebook.model.documents import EmbeddedChunk
from sourcebook.model.search import And, Between, Equals, GreaterThan, In, LessThan, MetadataFilter, Not, Or
from sourcebook.retrieve.filters.filter_meaning import FilterRecord, check, matches
from sourcebook.retrieve.filters.where_language import parse_where
from sourcebook.testing.contract.material import MODEL, between, chunk, make_collection, prepared, unit

if TYPE_CHECKING:
    from sourcebook.assembly import OpenBase
    from sourcebook.model.documents import Metadata, PreparedDocument

_COLLECTIONS = count()

_TEXTS = st.sampled_from(
    ["", "a", "b", "Ёжик", "ежик", "Летняя  Малина", "летняя_малина", "2024-01-01", "10", "'--\""]
)
_NUMBERS = st.one_of(
    st.integers(-2, 3),
    st.sampled_from([0.5, 1.0, -0.0, 2.5, 2**53 + 1, 2**63 - 1, -(2**63), 2**64, 1e300, float(2**53)]),
)
_SCALARS = st.one_of(_TEXTS, _NUMBERS, st.booleans())
_VALUES = st.recursive(
    st.one_of(_SCALARS, st.none()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2)
    ),
    max_leaves=4,
)
_KEYS = ["a", "b", "ключ-1", "category", "subcategory", "type", "page"]
_SCOPES = ["chunk", "document"]
"""Names that mean a scope at the beginning of a key, and that metadata may have all the same."""
_METADATA = st.dictionaries(st.sampled_from([*_KEYS, *_SCOPES]), _VALUES, max_size=4)
_FIELDS = st.sampled_from(
    [
        *_KEYS,
        *_SCOPES,
        *("a.b", "a.a.b", "chunk.a", "document.a", "document.category", "chunk.document.a"),
        *("chunk.chunk.a", "document.document.a", "document.chunk.b", "chunk.a.b", "document.b"),
        *("language", "title", "section", "document_path", "mtime"),
    ]
)
_ORDERED = st.one_of(_TEXTS, _NUMBERS)


@dataclass(frozen=True, slots=True)
class _Record:
    """A document of one passage with all that a filter can see."""

    chunk_metadata: Metadata
    document_metadata: Metadata
    text: str | None
    number: int | None

    def prepared(self, id: str) -> PreparedDocument:
        made = prepared(id, [f"berry {id}"], language=self.text or "en", metadata=self.document_metadata)
        [passage, *_] = made.chunks
        marked = replace(passage.chunk, metadata=self.chunk_metadata, page=self.number, section=self.text)
        document = replace(
            made.document,
            type=self.text,
            category=self.text,
            subcategory=self.text,
            title=self.text,
            mtime=self.number,
        )
        return replace(made, document=document, chunks=[EmbeddedChunk(marked, unit(0))])

    def seen(self, id: str) -> FilterRecord:
        columns: dict[str, str | int | None] = dict.fromkeys(
            ("type", "category", "subcategory", "title", "section"), self.text
        )
        columns |= {"language": self.text or "en", "document_path": f"{id}.txt"}
        columns |= {"mtime": self.number, "page": self.number}
        return FilterRecord(self.chunk_metadata, self.document_metadata, columns)


_RECORDS = st.lists(
    st.builds(
        _Record, _METADATA, _METADATA, st.one_of(st.none(), _TEXTS), st.one_of(st.none(), st.integers(-1, 3))
    ),
    min_size=1,
    max_size=6,
)
_LEAVES = st.one_of(
    st.builds(Equals, _FIELDS, _SCALARS),
    st.builds(In, _FIELDS, st.lists(_SCALARS, max_size=4)),
    st.builds(GreaterThan, _FIELDS, _ORDERED),
    st.builds(LessThan, _FIELDS, _ORDERED),
    st.builds(Between, _FIELDS, _TEXTS, _TEXTS),
    st.builds(Between, _FIELDS, _NUMBERS, _NUMBERS),
)
FILTERS: st.SearchStrategy[MetadataFilter] = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.builds(And, st.lists(inner, max_size=3)),
        st.builds(Or, st.lists(inner, max_size=3)),
        st.builds(Not, inner),
    ),
    max_leaves=6,
)


@pytest.mark.anyio
class FilterContract:
    @settings(
        max_examples=100,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
    @given(records=_RECORDS, filters=st.lists(FILTERS, min_size=4, max_size=10))
    async def test_a_filter_means_the_same_everywhere(
        self, base: OpenBase, records: list[_Record], filters: list[MetadataFilter]
    ) -> None:
        collection = f"c{next(_COLLECTIONS)}"
        await make_collection(base, collection, model=MODEL)
        for number, record in enumerate(records):
            await base.stores.writer.replace_document(collection, record.prepared(f"d{number}"))
        for tree in filters:
            checked = check(tree)
            wanted = [f"d{i}" for i, record in enumerate(records) if matches(checked, record.seen(f"d{i}"))]
            near = await base.stores.vectors.search_semantic(collection, unit(0), 100, tree)
            assert sorted(r.chunk.document_id for r in near) == wanted, tree
            said = await base.stores.fts.search(collection, "berry", 100, tree)
            assert sorted(r.chunk_id.partition(":")[0] for r in said) == wanted, tree

    async def test_metadata_that_is_called_like_a_scope_stays_in_its_place(self, base: OpenBase) -> None:
        await make_collection(base, model=MODEL)
        scopes: Metadata = {"chunk": {"a": 1, "x": 1}, "document": {"a": 1, "x": 1}}
        same: Metadata = {"a": 2}
        for name, own, above in (("own", scopes, {}), ("above", {}, scopes), ("both", same, same)):
            record = _Record(own, above, None, None)
            await base.stores.writer.replace_document("c", record.prepared(name))

        async def found(key: str, value: int) -> list[str]:
            near = await base.stores.vectors.search_semantic("c", unit(0), 9, Equals(key, value))
            said = await base.stores.fts.search("c", "berry", 9, Equals(key, value))
            assert {r.chunk.id for r in near} == {r.chunk_id for r in said}
            return sorted(r.chunk.document_id for r in near)

        assert await found("chunk.a", 1) == await found("document.a", 1) == await found("chunk.x", 1) == []
        assert await found("chunk.a", 2) == await found("document.a", 2) == ["both"]
        assert await found("chunk.chunk.a", 1) == await found("chunk.document.x", 1) == ["own"]
        assert await found("document.chunk.a", 1) == await found("document.document.x", 1) == ["above"]

    @pytest.mark.parametrize("share", [0.5, 0.1, 0.01, 0.001])
    async def test_top_k_is_complete_under_every_filter(self, base: OpenBase, share: float) -> None:
        await make_collection(base)
        total, wanted = 2000, int(2000 * share)
        # Those that match are the farthest: a search that looks only at the nearest would miss them.
        near, far = between(0, 1, 0.1), between(0, 1, 0.9)
        await base.stores.vectors.add(
            "c",
            [
                chunk(f"k{i:04}", far if i < wanted else near, metadata={"in": i < wanted})
                for i in range(total)
            ],
        )
        for top_k in {1, min(10, wanted), wanted}:
            found = await base.stores.vectors.search_semantic("c", unit(0), top_k, Equals("in", True))
            assert len(found) == top_k
            assert all(r.chunk.metadata["in"] for r in found)

    async def test_dates_are_compared_as_iso_text(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.vectors.add(
            "c", [chunk(f"k{year}", metadata={"date": f"{year}-06-01"}) for year in (2023, 2024, 2025)]
        )
        found = await base.stores.vectors.search_semantic(
            "c", unit(0), 5, GreaterThan("date", date(2024, 1, 1))
        )
        assert [r.chunk.id for r in found] == ["k2024", "k2025"]

    @pytest.mark.parametrize(
        ("where", "wanted"),
        [
            ("mtime>2024-01-31", "later text"),
            ("mtime>=2024-01-31", "evening later text"),
            ("mtime<2024-01-31", "morning"),
            ("mtime<=2024-01-31", "evening morning"),
            ("mtime=2024-01-31", "evening"),
            ("mtime!=2024-01-31", "later morning text"),
            ("mtime between 2024-01-01 and 2024-01-31", "evening morning"),
            ("mtime in (2024-01-01, 2030-05-05)", "morning text"),
            ("mtime>2024-01-31T23:59:58", "evening later text"),
            ("mtime>2024-02-01T00:59:59+01:00", "later text"),
            ("mtime<1706745600", "evening morning"),
            ("mtime>yesterday", ""),
            ("document.mtime>2020-01-01", "text"),
        ],
    )
    async def test_a_date_compares_with_the_time_of_a_file(
        self, base: OpenBase, where: str, wanted: str
    ) -> None:
        await make_collection(base, model=MODEL)
        times = {"morning": 1704067200, "evening": 1706745599, "later": 1706745600, "text": 0}
        for name, mtime in times.items():
            made = _Record({}, {"mtime": "2030-05-05"} if name == "text" else {}, None, None).prepared(name)
            await base.stores.writer.replace_document(
                "c", replace(made, document=replace(made.document, mtime=mtime))
            )
        tree = parse_where(where)
        near = await base.stores.vectors.search_semantic("c", unit(0), 9, tree)
        said = await base.stores.fts.search("c", "berry", 9, tree)
        assert sorted(r.chunk.document_id for r in near) == wanted.split()
        assert {r.chunk.id for r in near} == {r.chunk_id for r in said}

    async def test_a_very_wide_filter_is_answered(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.vectors.add("c", [chunk("k", metadata={"n": 900})])
        wide: MetadataFilter = Or([Equals("n", number) for number in range(950)])
        assert len(await base.stores.vectors.search_semantic("c", unit(0), 5, wide)) == 1
        many = In("n", list(range(100_000)))
        assert len(await base.stores.vectors.search_semantic("c", unit(0), 5, many)) == 1

    async def test_a_deep_filter_is_answered(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.vectors.add("c", [chunk("k", metadata={"n": 1})])
        deep: MetadataFilter = Equals("n", 1)
        for _ in range(20):
            deep = Or([And([Not(Not(deep))][:1])]) if isinstance(deep, Equals) else Not(And([deep]))
        assert len(await base.stores.vectors.search_semantic("c", unit(0), 5, deep)) == 0
        assert len(await base.stores.vectors.search_semantic("c", unit(0), 5, Not(deep))) == 1

    @pytest.mark.parametrize(
        "bad",
        [
            Equals("a') or 1=1 --", 1),
            Equals("", 1),
            Equals("a..b", 1),
            Equals("x" * 65, 1),
            Equals(".".join("abcdefghi"), 1),
            Equals("a", math.nan),
            GreaterThan("a", True),
            Between("a", 1, "b"),
            Equals("a", "\x00"),
            "a = 1",
        ],
        ids=str,
    )
    async def test_what_makes_no_sense_is_refused(self, base: OpenBase, bad: Any) -> None:
        await make_collection(base)
        with pytest.raises(BadFilter):
            await base.stores.vectors.search_semantic("c", unit(0), 1, bad)
        with pytest.raises(BadFilter):
            await base.stores.fts.search("c", "berry", 1, bad)
