"""Which engines run, and how each is set up. A family is judged by the best of its configurations."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.speed.data import DIMENSIONS
from benchmarks.speed.engine import EngineSpec

OURS = "sourcebook"

VECTORS = (
    EngineSpec(OURS, OURS, "ours:SourcebookVectors"),
    EngineSpec("chroma", "chroma", "chroma:ChromaVectors"),
    EngineSpec("chroma ef 300", "chroma", "chroma:ChromaVectors", {"ef": 300}, shares="chroma"),
    EngineSpec("lancedb flat", "lancedb", "lance:LanceVectors", {"index": "flat"}),
    EngineSpec("lancedb ivf-pq", "lancedb", "lance:LanceVectors", {"index": "ivf-pq", "refine": 10}),
    EngineSpec("lancedb hnsw-sq", "lancedb", "lance:LanceVectors", {"index": "ivf-hnsw-sq"}),
    EngineSpec(
        "lancedb hnsw-sq refined",
        "lancedb",
        "lance:LanceVectors",
        {"index": "ivf-hnsw-sq", "refine": 2},
        shares="lancedb hnsw-sq",
    ),
    EngineSpec(
        "lancedb hnsw-sq ef 150 refined",
        "lancedb",
        "lance:LanceVectors",
        {"index": "ivf-hnsw-sq", "refine": 4, "ef": 150},
        shares="lancedb hnsw-sq",
    ),
    EngineSpec(
        "lancedb hnsw-sq ef 600 refined",
        "lancedb",
        "lance:LanceVectors",
        {"index": "ivf-hnsw-sq", "refine": 8, "ef": 600},
        shares="lancedb hnsw-sq",
    ),
    EngineSpec("sqlite-vec metadata", "sqlite-vec", "sqlite_vec:SqliteVecVectors", {"tag": "metadata"}),
    EngineSpec("sqlite-vec partition", "sqlite-vec", "sqlite_vec:SqliteVecVectors", {"tag": "partition"}),
    EngineSpec("qdrant local", "qdrant local", "qdrant:QdrantLocalVectors"),
    EngineSpec("qdrant edge", "qdrant edge", "qdrant:QdrantEdgeVectors"),
    *(
        EngineSpec(
            f"qdrant edge ef {ef}",
            "qdrant edge",
            "qdrant:QdrantEdgeVectors",
            {"ef": ef},
            shares="qdrant edge",
        )
        for ef in (256, 384, 512, 1024)
    ),
    EngineSpec("milvus lite hnsw", "milvus lite", "milvus:MilvusVectors", {"index": "HNSW"}),
    EngineSpec("milvus lite flat", "milvus lite", "milvus:MilvusVectors", {"index": "BRUTE_FORCE"}),
    EngineSpec("txtai", "txtai", "txtai:TxtaiVectors"),
    EngineSpec(
        "txtai 5,000 candidates", "txtai", "txtai:TxtaiVectors", {"candidates": 5_000}, shares="txtai"
    ),
    EngineSpec("langchain in memory", "langchain", "langchain:LangChainVectors"),
    EngineSpec("llama-index simple", "llama-index", "llama_index:LlamaIndexVectors"),
)

BRIEF_FAMILIES = (OURS, "chroma", "lancedb", "qdrant edge", "sqlite-vec", "tantivy")
LEFT_OUT_OF_BRIEF = ("lancedb flat", "lancedb ivf-pq", "sqlite-vec metadata")
"""What takes tens of times as long as the fastest, or reaches no recall that counts, is left out of a brief run."""

WORDS = (
    EngineSpec(OURS, OURS, "ours:SourcebookWords"),
    EngineSpec("fts5", "fts5", "fts5:Fts5Words"),
    EngineSpec("tantivy", "tantivy", "tantivy:TantivyWords"),
    EngineSpec("lancedb", "lancedb", "lance:LanceWords"),
)

HYBRID = (
    EngineSpec(OURS, OURS, "ours:SourcebookHybrid", {"dimensions": DIMENSIONS}),
    EngineSpec("lancedb flat", "lancedb", "lance:LanceHybrid", {"index": "flat"}),
    EngineSpec("lancedb hnsw-sq", "lancedb", "lance:LanceHybrid", {"index": "ivf-hnsw-sq"}),
    EngineSpec(
        "lancedb hnsw-sq 7 rows",
        "lancedb",
        "lance:LanceHybrid",
        {"index": "ivf-hnsw-sq", "rows": 7},
        shares="lancedb hnsw-sq",
    ),
)

MILLION = (EngineSpec(OURS, OURS, "ours:SourcebookVectors"),)

PACKAGES = (
    "sourcebook",
    "apsw",
    "numpy",
    "simsimd",
    "chromadb",
    "lancedb",
    "langchain-core",
    "llama-index-core",
    "milvus-lite",
    "qdrant-client",
    "qdrant-edge-py",
    "sqlite-vec",
    "tantivy",
    "txtai",
)
"""Whose versions the table names. The JSON has all of them."""


def chosen(specs: Sequence[EngineSpec], families: Sequence[str]) -> list[EngineSpec]:
    """The engines of these families, or all of them."""
    return [spec for spec in specs if not families or spec.family in families]


def families() -> list[str]:
    return sorted({spec.family for spec in (*VECTORS, *WORDS, *HYBRID, *MILLION)})
