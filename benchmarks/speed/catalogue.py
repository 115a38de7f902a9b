"""Which engines run, and how each is set up. A family is judged by the best of its configurations."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.speed.data import DIMENSIONS
from benchmarks.speed.engine import EngineSpec

OURS = "sourcebook"

VECTORS = (
    EngineSpec(OURS, OURS, "ours:SourcebookVectors"),
    EngineSpec("chroma", "chroma", "chroma:ChromaVectors"),
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
    EngineSpec("sqlite-vec metadata", "sqlite-vec", "sqlite_vec:SqliteVecVectors", {"tag": "metadata"}),
    EngineSpec("sqlite-vec partition", "sqlite-vec", "sqlite_vec:SqliteVecVectors", {"tag": "partition"}),
    EngineSpec("qdrant local", "qdrant local", "qdrant:QdrantLocalVectors"),
    EngineSpec("qdrant edge", "qdrant edge", "qdrant:QdrantEdgeVectors"),
    EngineSpec(
        "qdrant edge ef 256", "qdrant edge", "qdrant:QdrantEdgeVectors", {"ef": 256}, shares="qdrant edge"
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
