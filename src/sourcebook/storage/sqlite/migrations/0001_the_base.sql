-- The whole shape of a base. Times are Unix seconds. Tables that belong to a document carry (collection_id,
-- document_id) in every key, so that the same shape can be spread over servers by document; uniqueness that does not
-- contain the document lives in a table of its own (document_hashes, document_paths, chunk_ids).

create table base_info (
    key text not null,
    value text not null,
    constraint base_info_key primary key (key)
) strict, without rowid;

-- Models and collections: small, read everywhere.

create table models (
    id integer not null,
    name text not null,
    version text not null,
    dimensions integer not null,
    recipe text not null,
    tokenizer_hash text not null,
    created_at integer not null,
    constraint models_key primary key (id),
    constraint models_identity unique (name, version, dimensions, recipe, tokenizer_hash),
    constraint models_dimensions check (dimensions > 0)
) strict;

create table collections (
    id text not null,
    name text not null,
    description text,
    embedding_dimensions integer not null,
    distance_metric text not null,
    active_model_id integer not null,
    settings text not null default '{}',
    created_at integer not null,
    updated_at integer not null,
    constraint collections_key primary key (id),
    constraint collections_model foreign key (active_model_id) references models (id),
    constraint collections_metric check (distance_metric in ('cosine', 'dot', 'euclidean'))
) strict, without rowid;

-- Which sets of vectors a collection has: the active one, and perhaps one being built beside it.
create table collection_models (
    collection_id text not null,
    model_id integer not null,
    status text not null,
    created_at integer not null,
    constraint collection_models_key primary key (collection_id, model_id),
    constraint collection_models_collection foreign key (collection_id) references collections (id) on delete cascade,
    constraint collection_models_model foreign key (model_id) references models (id),
    constraint collection_models_status check (status in ('building', 'complete'))
) strict, without rowid;

-- Kept in the transaction of every write, so that counts and word statistics are right after any crash.
create table collection_counters (
    collection_id text not null,
    document_count integer not null default 0,
    chunk_count integer not null default 0,
    word_rows integer not null default 0,
    word_length integer not null default 0,
    document_word_rows integer not null default 0,
    document_word_length integer not null default 0,
    updated_at integer not null,
    constraint collection_counters_key primary key (collection_id),
    constraint collection_counters_positive check (
        document_count >= 0 and chunk_count >= 0 and word_rows >= 0 and word_length >= 0
        and document_word_rows >= 0 and document_word_length >= 0
    )
) strict, without rowid;

-- Documents and what belongs to them.

create table sources (
    id text not null,
    collection_id text not null,
    kind text not null,
    root text not null,
    options text not null default '{}',
    created_at integer not null,
    scanned_at integer,
    constraint sources_key primary key (id),
    constraint sources_root unique (collection_id, root),
    constraint sources_kind check (kind in ('folder', 'file', 'upload', 'text'))
) strict, without rowid;

create table documents (
    collection_id text not null,
    id text not null,
    file_path text not null,
    filename text not null,
    title text,
    content text not null,
    file_hash text,
    content_hash text,
    file_size_bytes integer,
    mtime integer,
    type text,
    category text,
    category_key text,
    subcategory text,
    subcategory_key text,
    language text,
    metadata text not null default '{}',
    layout text not null default '{}',
    stored_file text,
    processing_status text not null,
    processing_error text,
    is_active integer not null default 1,
    is_bare integer not null default 0,
    tracked_chunks integer,
    chunk_count integer not null default 0,
    owner_id integer,
    uploaded_at integer,
    indexed_at integer not null,
    created_at integer not null,
    updated_at integer not null,
    constraint documents_key primary key (collection_id, id),
    constraint documents_collection foreign key (collection_id) references collections (id),
    constraint documents_status check (
        processing_status in ('pending', 'processing', 'completed', 'failed', 'needs_ocr')
    )
) strict;

create index idx_documents_status on documents (collection_id, processing_status);
create index idx_documents_subcategory on documents (collection_id, subcategory_key);
create index idx_documents_language on documents (collection_id, language);

create table document_hashes (
    collection_id text not null,
    file_hash text not null,
    document_id text not null,
    constraint document_hashes_key primary key (collection_id, file_hash)
) strict, without rowid;

create index idx_document_hashes_document on document_hashes (collection_id, document_id);

-- Every path where a document's bytes lie.
create table document_paths (
    collection_id text not null,
    source_id text not null,
    path text not null,
    document_id text not null,
    subcategory text,
    subcategory_key text,
    mtime integer,
    size integer,
    seen_at integer not null,
    constraint document_paths_key primary key (collection_id, source_id, path)
) strict, without rowid;

create index idx_document_paths_document on document_paths (collection_id, document_id);

create table chunk_ids (
    collection_id text not null,
    chunk_id text not null,
    document_id text not null,
    constraint chunk_ids_key primary key (collection_id, chunk_id)
) strict, without rowid;

create table document_chunks (
    collection_id text not null,
    document_id text not null,
    id text not null,
    chunk_index integer not null,
    content text not null,
    start_index integer not null,
    end_index integer not null,
    token_count integer not null,
    level text not null,
    parent_id text,
    section text,
    page_number integer,
    metadata text not null default '{}',
    created_at integer not null,
    constraint document_chunks_key primary key (collection_id, document_id, id),
    constraint document_chunks_document foreign key (collection_id, document_id)
        references documents (collection_id, id) on delete cascade,
    constraint document_chunks_level check (level in ('PARENT', 'CHILD'))
) strict;

-- f16 for cosine (normalised), f32 for the other metrics.
create table vectors (
    collection_id text not null,
    document_id text not null,
    chunk_id text not null,
    model_id integer not null,
    vector blob not null,
    constraint vectors_key primary key (collection_id, document_id, chunk_id, model_id),
    constraint vectors_chunk foreign key (collection_id, document_id, chunk_id)
        references document_chunks (collection_id, document_id, id) on delete cascade,
    constraint vectors_model foreign key (model_id) references models (id)
) strict;

-- The stems of a collection. A term that nothing uses any more is removed, so that a deleted text leaves no word behind;
-- its id is never given out again.
create table terms (
    id integer constraint terms_key primary key autoincrement,
    collection_id text not null,
    term text not null,
    chunk_count integer not null,
    document_count integer not null,
    constraint terms_identity unique (collection_id, term),
    constraint terms_positive check (chunk_count >= 0 and document_count >= 0)
) strict;

-- The words of one chunk: ascending term ids (u32, little endian) and how often each occurs (u16).
create table words (
    collection_id text not null,
    document_id text not null,
    chunk_id text not null,
    length integer not null,
    term_ids blob not null,
    frequencies blob not null,
    constraint words_key primary key (collection_id, document_id, chunk_id),
    constraint words_chunk foreign key (collection_id, document_id, chunk_id)
        references document_chunks (collection_id, document_id, id) on delete cascade
) strict;

-- The same for a whole document, its title included.
create table document_words (
    collection_id text not null,
    document_id text not null,
    length integer not null,
    term_ids blob not null,
    frequencies blob not null,
    constraint document_words_key primary key (collection_id, document_id),
    constraint document_words_document foreign key (collection_id, document_id)
        references documents (collection_id, id) on delete cascade
) strict;

-- What happened to which document, in order. Whoever holds something derived catches up from the seq it knows.
create table changes (
    seq integer constraint changes_key primary key autoincrement,
    collection_id text not null,
    document_id text not null
) strict;

create index idx_changes_document on changes (collection_id, document_id);

create table jobs (
    id integer constraint jobs_key primary key autoincrement,
    kind text not null,
    payload text not null,
    status text not null,
    priority integer not null default 0,
    attempts integer not null default 0,
    max_attempts integer not null,
    worker text,
    lease_until integer,
    run_at integer not null,
    unique_key text,
    progress text,
    result text,
    error text,
    owner_id integer,
    created_at integer not null,
    updated_at integer not null,
    finished_at integer,
    constraint jobs_status check (status in ('pending', 'doing', 'done', 'failed'))
) strict;

create unique index idx_jobs_unique on jobs (kind, unique_key)
    where unique_key is not null and status in ('pending', 'doing');
create index idx_jobs_due on jobs (status, run_at, id);

-- People.

create table users (
    id integer not null,
    telegram_user_id integer,
    username text,
    first_name text,
    last_name text,
    language text,
    role text not null default 'user',
    token_balance integer not null default 0,
    is_blocked integer not null default 0,
    forgotten_at integer,
    created_at integer not null,
    updated_at integer not null,
    constraint users_key primary key (id),
    constraint users_telegram unique (telegram_user_id),
    constraint users_role check (role in ('user', 'expert', 'admin')),
    constraint users_balance check (token_balance >= 0)
) strict;

create table accounts (
    id integer not null,
    user_id integer not null,
    login text not null,
    password_hash text not null,
    is_active integer not null default 1,
    last_login_at integer,
    created_at integer not null,
    updated_at integer not null,
    constraint accounts_key primary key (id),
    constraint accounts_login unique (login),
    constraint accounts_user foreign key (user_id) references users (id) on delete cascade
) strict;

create table api_keys (
    id integer not null,
    user_id integer not null,
    name text not null,
    prefix text not null,
    key_hash text not null,
    scopes text not null default '[]',
    expires_at integer,
    revoked_at integer,
    last_used_at integer,
    created_at integer not null,
    constraint api_keys_key primary key (id),
    constraint api_keys_hash unique (key_hash),
    constraint api_keys_user foreign key (user_id) references users (id) on delete cascade
) strict;

create table user_collections (
    user_id integer not null,
    collection_id text not null,
    constraint user_collections_key primary key (user_id, collection_id),
    constraint user_collections_user foreign key (user_id) references users (id) on delete cascade
) strict, without rowid;

create table api_key_collections (
    api_key_id integer not null,
    collection_id text not null,
    constraint api_key_collections_key primary key (api_key_id, collection_id),
    constraint api_key_collections_api_key foreign key (api_key_id) references api_keys (id) on delete cascade
) strict, without rowid;

-- Conversations.

create table chat_sessions (
    id text not null,
    title text,
    user_id integer not null,
    face text not null,
    channel_key text,
    scope text not null default '{}',
    created_at integer not null,
    updated_at integer not null,
    constraint chat_sessions_key primary key (id),
    constraint chat_sessions_user foreign key (user_id) references users (id)
) strict, without rowid;

create index idx_sessions_updated on chat_sessions (user_id, updated_at);

create table chat_messages (
    id text not null,
    session_id text not null,
    position integer not null,
    role text not null,
    content text not null,
    citations text,
    tier text,
    details text not null default '{}',
    created_at integer not null,
    constraint chat_messages_key primary key (id),
    constraint chat_messages_position unique (session_id, position),
    constraint chat_messages_session foreign key (session_id) references chat_sessions (id) on delete cascade,
    constraint chat_messages_role check (role in ('USER', 'ASSISTANT')),
    constraint chat_messages_tier check (tier in ('curated', 'documents', 'model', 'none'))
) strict, without rowid;

create index idx_messages_created on chat_messages (created_at);

-- A consultation around one session. `channel_key` names the place (a chat and its thread); one is open there per user.
create table topics (
    id integer not null,
    user_id integer not null,
    session_id text not null,
    channel_key text not null,
    status text not null,
    culture text,
    category text,
    follow_ups_left integer not null default 0,
    created_at integer not null,
    updated_at integer not null,
    closed_at integer,
    constraint topics_key primary key (id),
    constraint topics_user foreign key (user_id) references users (id),
    constraint topics_session foreign key (session_id) references chat_sessions (id) on delete cascade,
    constraint topics_status check (status in ('open', 'closed')),
    constraint topics_follow_ups check (follow_ups_left >= 0)
) strict;

create unique index idx_topics_open on topics (user_id, channel_key) where status = 'open';
create index idx_topics_user_status on topics (user_id, status);
create index idx_topics_session on topics (session_id);

-- What passed between a person and a face. The words themselves are in chat_messages when they belong to a session's
-- history, and here only when they do not.
create table messages (
    id integer constraint messages_key primary key autoincrement,
    user_id integer not null,
    direction text not null,
    text text,
    session_id text,
    topic_id integer,
    chat_message_id text,
    external_id text,
    meta text,
    created_at integer not null,
    constraint messages_user foreign key (user_id) references users (id),
    constraint messages_session foreign key (session_id) references chat_sessions (id) on delete cascade,
    constraint messages_topic foreign key (topic_id) references topics (id) on delete cascade,
    constraint messages_chat_message foreign key (chat_message_id) references chat_messages (id) on delete cascade,
    constraint messages_direction check (direction in ('incoming', 'outgoing')),
    constraint messages_one_text check ((text is null) <> (chat_message_id is null)),
    constraint messages_external unique (external_id)
) strict;

create index idx_messages_user on messages (user_id);
create index idx_messages_topic on messages (topic_id);
create index idx_messages_session on messages (session_id);
create index idx_messages_chat_message on messages (chat_message_id);

-- Tokens.

create table reservations (
    id integer not null,
    user_id integer not null,
    amount integer not null,
    operation_type text not null,
    status text not null,
    idempotency_key text not null,
    topic_id integer,
    expires_at integer not null,
    created_at integer not null,
    updated_at integer not null,
    constraint reservations_key primary key (id),
    constraint reservations_idempotency unique (idempotency_key),
    constraint reservations_user foreign key (user_id) references users (id),
    constraint reservations_status check (status in ('held', 'settled', 'refunded')),
    constraint reservations_amount check (amount > 0)
) strict;

create index idx_reservations_expiry on reservations (status, expires_at);

create table token_transactions (
    id integer constraint token_transactions_key primary key autoincrement,
    user_id integer not null,
    amount integer not null,
    operation_type text not null,
    description text,
    idempotency_key text not null,
    reservation_id integer,
    topic_id integer,
    admin_id integer,
    created_at integer not null,
    constraint token_transactions_idempotency unique (idempotency_key),
    constraint token_transactions_user foreign key (user_id) references users (id),
    constraint token_transactions_reservation foreign key (reservation_id) references reservations (id),
    constraint token_transactions_amount check (amount <> 0)
) strict;

create index idx_token_transactions_user_id on token_transactions (user_id);
create index idx_token_transactions_created_at on token_transactions (created_at);

-- Curated answers and the way to them.

create table knowledge_base (
    id integer not null,
    collection_id text not null,
    category text not null,
    category_key text not null,
    subcategory text,
    subcategory_key text,
    question text,
    answer text not null,
    source_type text not null default 'manual',
    language text,
    is_active integer not null default 1,
    revision integer not null default 1,
    stale_since integer,
    stale_reason text,
    draft_id integer,
    approved_by integer,
    approved_at integer,
    created_at integer not null,
    updated_at integer not null,
    constraint knowledge_base_key primary key (id),
    constraint knowledge_base_draft unique (draft_id),
    constraint knowledge_base_approver foreign key (approved_by) references users (id),
    constraint knowledge_base_source_type check (source_type in ('manual', 'faq', 'admin_qa'))
) strict;

create index idx_kb_category on knowledge_base (collection_id, category_key);
create index idx_kb_subcategory on knowledge_base (collection_id, subcategory_key);

create table knowledge_base_vectors (
    knowledge_base_id integer not null,
    model_id integer not null,
    vector blob not null,
    constraint knowledge_base_vectors_key primary key (knowledge_base_id, model_id),
    constraint knowledge_base_vectors_entry foreign key (knowledge_base_id)
        references knowledge_base (id) on delete cascade,
    constraint knowledge_base_vectors_model foreign key (model_id) references models (id)
) strict;

-- What a curated answer stands on: the place, the words quoted there, and the hash of the document at that time.
create table knowledge_base_sources (
    knowledge_base_id integer not null,
    position integer not null,
    collection_id text not null,
    document_id text not null,
    chunk_id text,
    document_path text not null,
    document_title text,
    page integer,
    start_index integer,
    end_index integer,
    quote text not null,
    file_hash text,
    state text not null default 'current',
    constraint knowledge_base_sources_key primary key (knowledge_base_id, position),
    constraint knowledge_base_sources_entry foreign key (knowledge_base_id)
        references knowledge_base (id) on delete cascade,
    constraint knowledge_base_sources_state check (state in ('current', 'changed', 'removed'))
) strict;

create index idx_kb_sources_document on knowledge_base_sources (collection_id, document_id);

create table moderation_queue (
    id integer not null,
    user_id integer not null,
    topic_id integer,
    session_id text,
    chat_message_id text,
    collection_id text,
    kind text not null,
    question text not null,
    answer text,
    language text,
    citations text not null default '[]',
    details text not null default '{}',
    attachments text not null default '[]',
    category_guess text,
    subcategory_guess text,
    group_key text,
    status text not null,
    reason text,
    admin_id integer,
    kb_id integer,
    stale_kb_id integer,
    created_at integer not null,
    updated_at integer not null,
    decided_at integer,
    constraint moderation_queue_key primary key (id),
    constraint moderation_queue_user foreign key (user_id) references users (id),
    constraint moderation_queue_topic foreign key (topic_id) references topics (id) on delete set null,
    constraint moderation_queue_admin foreign key (admin_id) references users (id),
    constraint moderation_queue_entry foreign key (kb_id) references knowledge_base (id) on delete set null,
    constraint moderation_queue_stale_entry foreign key (stale_kb_id)
        references knowledge_base (id) on delete cascade,
    constraint moderation_queue_kind check (kind in ('answer', 'declined', 'stale')),
    constraint moderation_queue_status check (status in ('pending', 'approved', 'rejected', 'cancelled'))
) strict;

create index idx_moderation_status on moderation_queue (status, created_at, id);
create index idx_moderation_created on moderation_queue (created_at);
create unique index idx_moderation_one_stale on moderation_queue (stale_kb_id)
    where kind = 'stale' and status = 'pending';

create table terminology (
    id integer not null,
    term text not null,
    term_key text not null,
    preferred_phrase text not null,
    description text,
    language text,
    created_at integer not null,
    constraint terminology_key primary key (id),
    constraint terminology_term unique (term_key)
) strict;

-- The person at the keyboard of a base without accounts.
insert into users (id, username, role, created_at, updated_at) values (1, 'local', 'admin', 0, 0);
