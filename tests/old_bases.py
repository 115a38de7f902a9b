"""Bases of other programs, made from the tables that those describe, and filled with rows of every kind."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import sqlite3
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sourcebook.storage.postgres import driver

if TYPE_CHECKING:
    from pathlib import Path

    from sourcebook.storage.postgres.driver import Connection

CHATS = """
create table documents (id text primary key, file_path text not null, title text, content text not null,
    indexed_at integer not null, chunk_count integer not null);
create table document_chunks (id text primary key, document_id text not null, chunk_index integer not null,
    content text not null, start_index integer not null, end_index integer not null, token_count integer not null,
    embedding text not null, created_at integer not null, foreign key (document_id) references documents(id));
create index idx_chunks_document on document_chunks(document_id);
create index idx_chunks_created on document_chunks(created_at);
create table chat_sessions (id text primary key, title text, created_at integer not null,
    updated_at integer not null);
create index idx_sessions_updated on chat_sessions(updated_at);
create table chat_messages (id text primary key, session_id text not null, role text not null, content text not null,
    citations text, created_at integer not null,
    foreign key (session_id) references chat_sessions(id) on delete cascade);
create index idx_messages_session on chat_messages(session_id);
create index idx_messages_created on chat_messages(created_at);
"""

BOT = """
create extension if not exists vector;
create table if not exists users (id serial primary key, telegram_user_id bigint unique not null, username text,
    first_name text, last_name text, token_balance integer default 0, created_at timestamp default current_timestamp,
    updated_at timestamp default current_timestamp);
create index if not exists idx_users_telegram_id on users(telegram_user_id);
create table if not exists topics (id serial primary key, user_id integer not null, session_id text not null,
    status text default 'open', culture text, created_at timestamp default current_timestamp,
    updated_at timestamp default current_timestamp);
create index if not exists idx_topics_user_status on topics(user_id, status);
create table if not exists messages (id serial primary key, user_id integer not null references users(id),
    direction text not null, text text not null, session_id text not null, topic_id integer references topics(id),
    meta jsonb, created_at timestamp default current_timestamp);
create index if not exists idx_messages_user on messages(user_id);
create index if not exists idx_messages_topic on messages(topic_id);
create table if not exists token_transactions (id serial primary key,
    user_id integer not null references users(id) on delete cascade, amount integer not null,
    operation_type text not null, description text, created_at timestamp default current_timestamp);
create index if not exists idx_token_transactions_user_id on token_transactions(user_id);
create index if not exists idx_token_transactions_created_at on token_transactions(created_at);
create table if not exists knowledge_base (id serial primary key, category text not null, subcategory text,
    question text, answer text not null, source_type text default 'manual', embedding vector(1536) not null,
    is_active boolean default true, created_at timestamp default current_timestamp,
    updated_at timestamp default current_timestamp);
create index if not exists idx_kb_category on knowledge_base(category);
create index if not exists idx_kb_subcategory on knowledge_base(subcategory);
create index if not exists idx_kb_embedding on knowledge_base using hnsw (embedding vector_cosine_ops);
create table if not exists moderation_queue (id serial primary key, user_id integer not null references users(id),
    topic_id integer references topics(id), question text not null, answer text not null, category_guess text,
    status text default 'pending', admin_id integer references users(id),
    kb_id integer references knowledge_base(id), created_at timestamp default current_timestamp,
    updated_at timestamp default current_timestamp);
create index if not exists idx_moderation_status on moderation_queue(status);
create index if not exists idx_moderation_created on moderation_queue(created_at);
create table if not exists documents (id serial primary key, filename text not null, file_path text not null,
    file_hash text unique not null, file_size_bytes integer, category text default 'общая_информация',
    subcategory text not null, uploaded_at timestamp default now(), processing_status text default 'pending',
    processing_error text, total_chunks integer default 0, is_active boolean default true,
    created_at timestamp default now());
create index if not exists idx_documents_subcategory on documents(subcategory);
create index if not exists idx_documents_hash on documents(file_hash);
create index if not exists idx_documents_status on documents(processing_status);
create table if not exists document_chunks (id serial primary key,
    document_id integer not null references documents(id) on delete cascade, chunk_index integer not null,
    chunk_text text not null, chunk_size integer, page_number integer, embedding vector(1536) not null,
    category text default 'общая_информация', subcategory text not null, is_active boolean default true,
    created_at timestamp default now());
create index if not exists idx_chunks_document on document_chunks(document_id);
create index if not exists idx_chunks_subcategory on document_chunks(subcategory);
create index if not exists idx_chunks_embedding on document_chunks using hnsw (embedding vector_cosine_ops)
    with (m = 16, ef_construction = 64);
create table if not exists terminology (id serial primary key, term varchar(255) not null,
    preferred_phrase text not null, description text, created_at timestamp default now());
create index if not exists idx_terminology_term on terminology(term);
"""

BOT_SIZE = 1536
_WORDS = (
    *("клубника", "малина", "голубика", "почва", "полив", "весна", "осень", "обрезка", "удобрение", "лист"),
    *("корень", "посадка", "куст", "ягода", "сорт", "мороз", "укрытие", "навоз", "калий", "азот"),
)


def sentences(seed: int, count: int) -> str:
    rng = random.Random(seed)
    return " ".join(
        " ".join(rng.choices(_WORDS, k=8)).capitalize() + f" признак{seed} и {n}." for n in range(count)
    )


def vector_text(seed: int, size: int) -> str:
    rng = random.Random(seed)
    return "[" + ",".join(f"{rng.uniform(-1, 1):.6f}" for _ in range(size)) + "]"


def pieces(text: str, length: int = 800, overlap: int = 200) -> list[tuple[int, str]]:
    step = length - overlap
    return [(start, text[start : start + length]) for start in range(0, max(1, len(text) - overlap), step)]


def chats(path: Path, documents: int = 6, sessions: int = 20, size: int = 64) -> None:
    """A file with documents and chats; every answer cites a chunk."""
    base = sqlite3.connect(path)
    base.executescript(CHATS)
    chunk_ids: list[tuple[str, str, str]] = []
    for n in range(documents):
        name = f"project/docs/{n}.md" if n % 2 else f"documents/{n}.md"
        # A letter outside the basic plane, so that offsets of UTF-16 and of code points differ behind it.
        text = ("🍓 " if n == 1 else "") + sentences(n, 30)
        cut = pieces(text)
        row = (f"doc-{n}", name, f"Название {n}" if n else None, text, 1_700_000_000 + n, len(cut))
        base.execute("insert into documents values (?, ?, ?, ?, ?, ?)", row)
        for index, (start, piece) in enumerate(cut):
            said = start + (1 if n == 1 and start else 0)
            values = (f"doc-{n}-{index}", f"doc-{n}", index, piece, said, said + len(piece), 100 + index)
            embedding = vector_text(n * 1000 + index, size)
            base.execute(
                "insert into document_chunks values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*values, embedding, 1_700_000_100 + n),
            )
            chunk_ids.append((f"doc-{n}-{index}", name, f"Название {n}"))
    for n in range(sessions):
        times = (1_700_001_000 + n, 1_700_002_000 + n)
        base.execute(
            "insert into chat_sessions values (?, ?, ?, ?)", (f"s-{n}", f"Чат {n}" if n % 3 else None, *times)
        )
        for turn in range(4):
            chunk, place, title = chunk_ids[(n + turn) % len(chunk_ids)]
            cited = [
                {"text": f"[Источник: {title}]({place})", "documentPath": place, "documentTitle": title}
                | {"chunkId": chunk}
            ]
            # Both of one second: only the order of writing tells which came first. Ids sort the other way.
            base.execute(
                "insert into chat_messages values (?, ?, ?, ?, ?, ?)",
                (f"m-{n}-{9 - turn}-b", f"s-{n}", "USER", f"Вопрос {turn}?", None, 1_700_001_000 + turn),
            )
            base.execute(
                "insert into chat_messages values (?, ?, ?, ?, ?, ?)",
                (
                    *(f"m-{n}-{9 - turn}-a", f"s-{n}", "ASSISTANT", f"Ответ {turn}."),
                    json.dumps(cited, ensure_ascii=False),
                    1_700_001_000 + turn,
                ),
            )
    base.commit()
    base.close()


@dataclass
class BotRows:
    """How much a bot's database holds."""

    users: int = 40
    topics: int = 200
    messages: int = 10_000
    answers: int = 500
    drafts: int = 120
    documents: int = 8
    terms: int = 12
    balances: dict[int, int] = field(default_factory=dict[int, int])


def bot(address: str, rows: BotRows | None = None) -> None:
    asyncio.run(_bot(address, rows or BotRows()))


async def _bot(address: str, rows: BotRows) -> None:
    connection = await driver.connect(address, patience=120, settings={})
    try:
        transaction = connection.transaction(isolation="read_committed")
        await transaction.start()
        await connection.execute(BOT)
        await _people(connection, rows)
        await _curation(connection, rows)
        await _documents(connection, rows)
        await transaction.commit()
    finally:
        await connection.close()


async def _people(connection: Connection, rows: BotRows) -> None:
    rng = random.Random(7)
    await connection.executemany(
        "insert into users (telegram_user_id, username, first_name, last_name, token_balance) "
        "values ($1, $2, $3, $4, $5)",
        [
            (10_000 + n, f"user{n}" if n % 3 else None, f"Имя {n}", f"Фамилия {n}" if n % 2 else None, n % 7)
            for n in range(rows.users)
        ],
    )
    await connection.executemany(
        "insert into topics (user_id, session_id, status, culture, created_at) "
        "values ($1, $2, $3, $4, timestamp '2025-01-01' + $5 * interval '1 minute')",
        [
            (
                1 + n % rows.users,
                f"chat:{n % rows.users}",
                # Two are open in one place for some, as nothing there forbids.
                "open" if n >= rows.topics - rows.users - 5 else "closed",
                f"малина {n % 4}" if n % 4 else None,
                n,
            )
            for n in range(rows.topics)
        ],
    )
    await connection.executemany(
        "insert into messages (user_id, direction, text, session_id, topic_id, meta, created_at) "
        "values ($1, $2, $3, $4, $5, $6, timestamp '2025-01-02' + $7 * interval '1.5 second')",
        [
            (
                1 + (n % rows.topics) % rows.users,
                "incoming" if (n // rows.topics) % 2 == 0 else "outgoing",
                f"Сообщение {n}: {_WORDS[n % len(_WORDS)]}",
                f"chat:{(n % rows.topics) % rows.users}",
                None if n % 50 == 0 else 1 + n % rows.topics,
                json.dumps({"n": n, "вид": "текст"}, ensure_ascii=False) if n % 5 == 0 else None,
                n,
            )
            for n in range(rows.messages)
        ],
    )
    await connection.executemany(
        "insert into token_transactions (user_id, amount, operation_type, description) values ($1, $2, $3, $4)",
        [
            (
                1 + n % rows.users,
                rng.choice((-1, 5)),
                rng.choice(("admin_credit", "new_topic", "buy_questions")),
                f"операция {n}" if n % 2 else None,
            )
            for n in range(rows.users * 3)
        ],
    )


async def _curation(connection: Connection, rows: BotRows) -> None:
    await connection.executemany(
        "insert into knowledge_base (category, subcategory, question, answer, source_type, embedding, is_active) "
        "values ($1, $2, $3, $4, $5, ($6::text)::vector, $7)",
        [
            (
                ("питание растений", "Посадка и Уход")[n % 2],
                f"малина ремонтантная {n % 3}" if n % 3 else None,
                f"Когда обрезать сорт {n}?" if n % 10 else None,
                f"Ответ {n}: {sentences(n, 1)}",
                ("manual", "faq", "admin_qa")[n % 3],
                vector_text(n, BOT_SIZE),
                n % 20 != 0,
            )
            for n in range(rows.answers)
        ],
    )
    statuses = ("pending", "approved", "rejected")
    await connection.executemany(
        "insert into moderation_queue (user_id, topic_id, question, answer, category_guess, status, admin_id, kb_id) "
        "values ($1, $2, $3, $4, $5, $6, $7, $8)",
        [
            (
                *(
                    1 + n % rows.users,
                    1 + n % rows.topics if n % 4 else None,
                    f"Вопрос {n}?",
                    f"Черновик {n}",
                ),
                *("питание растений" if n % 2 else None, statuses[n % 3]),
                *(1 if n % 3 else None, 1 + n if n % 3 == 1 else None),
            )
            for n in range(rows.drafts)
        ],
    )
    await connection.executemany(
        "insert into terminology (term, preferred_phrase, description) values ($1, $2, $3)",
        [(f"термин {n}", f"фраза {n}", "пояснение" if n % 2 else None) for n in range(rows.terms)],
    )


async def _documents(connection: Connection, rows: BotRows) -> None:
    for n in range(rows.documents):
        text = sentences(100 + n, 25)
        failed = n == rows.documents - 1
        cut = [] if failed else pieces(text)
        number = await connection.fetchval(
            "insert into documents (filename, file_path, file_hash, file_size_bytes, subcategory, "
            "processing_status, processing_error, total_chunks, is_active) "
            "values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id",
            *(f"{n}.pdf", f"data/documents/малина_общая/{n}.pdf", hashlib.sha256(text.encode()).hexdigest()),
            *(len(text), "малина_общая", "failed" if failed else "completed", "no text" if failed else None),
            *(len(cut), n != 2),
        )
        await connection.executemany(
            "insert into document_chunks (document_id, chunk_index, chunk_text, chunk_size, page_number, embedding, "
            "subcategory) values ($1, $2, $3, $4, $5, ($6::text)::vector, $7)",
            [
                (
                    number,
                    i,
                    piece,
                    len(piece),
                    1 + i // 2,
                    vector_text(9000 + n * 100 + i, BOT_SIZE),
                    "малина_общая",
                )
                for i, (_, piece) in enumerate(cut)
            ],
        )
