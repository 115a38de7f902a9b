"""The settings of a base: where it is, and how it is opened and searched."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from sourcebook.storage.base_address import checked_base, is_server


class StorageFields(BaseModel):
    """Where a base is, and how it is opened and searched."""

    # The classes inherit from each other, and only the last one is used: the others need no validators.
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)

    db: str = Field(
        default="data/knowledge_base.db",
        min_length=1,
        description="The base: a file path (`~` is the home folder), or the address of a PostgreSQL database, "
        "`postgresql://user:password@host/name`.",
    )
    collection: str = Field(
        default="default",
        min_length=1,
        description="The collection to use when a command names none.",
    )
    busy_timeout: float = Field(
        default=30.0,
        gt=0,
        le=3600,
        description="Seconds to wait while another process writes to the base.",
    )
    readers: int = Field(
        default=4,
        ge=1,
        le=64,
        description="How many connections may read at the same time. Only for a base in a file.",
    )
    pool_min: int = Field(
        default=1,
        ge=0,
        le=100,
        description="The smallest number of connections to keep open to a PostgreSQL server.",
    )
    pool_max: int = Field(
        default=5,
        ge=1,
        le=100,
        description="The largest number of connections to open to a PostgreSQL server. When all are busy, requests "
        "queue; one is refused if none is given back for `busy_timeout`.",
    )
    db_direct: str | None = Field(
        default=None,
        min_length=1,
        description="The address of the PostgreSQL server itself, if `db` is that of a pooler that lends a connection "
        "for one transaction, such as PgBouncer. Migrations, index builds and claims on work go there.",
    )
    db_replicas: str = Field(
        default="",
        description="Addresses of read replicas of the PostgreSQL server, separated by spaces. Searches and "
        "conversations are read from those that have caught up.",
    )
    vector_index: Literal["auto", "exact", "hnsw", "hnsw_bits"] = Field(
        default="auto",
        description="How a PostgreSQL server finds vectors: `exact` compares all of them, `hnsw` uses a graph, "
        "`hnsw_bits` uses a graph of their signs, and `auto` chooses by the size of the collection.",
    )
    hnsw_m: int = Field(
        default=16, ge=2, le=100, description="How many neighbours each vector has in an HNSW graph."
    )
    hnsw_ef_construction: int = Field(
        default=64,
        ge=4,
        le=1000,
        description="How many candidates are considered while building an HNSW graph.",
    )
    statement_timeout: float = Field(
        default=300.0,
        gt=0,
        le=86400,
        description="Seconds after which a PostgreSQL server cancels a statement.",
    )

    @field_validator("db")
    @classmethod
    def _with_home(cls, db: str) -> str:
        if not db.startswith("~"):
            return checked_base(db)
        try:
            return str(Path(db).expanduser())
        except RuntimeError:
            # Like a shell: `~name` without such a home folder is an ordinary name.
            return db

    @field_validator("db_direct", "db_replicas")
    @classmethod
    def _of_servers(cls, addresses: str | None) -> str | None:
        if addresses is None:
            return None
        checked = [checked_base(address) for address in addresses.split()]
        if not all(map(is_server, checked)):
            raise ValueError("write addresses of PostgreSQL servers, postgresql://user:password@host/name")
        return " ".join(checked)
