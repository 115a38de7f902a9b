-- name: import_document_times(collection_id, document_id, uploaded_at, indexed_at, created_at)
update documents set uploaded_at = :uploaded_at, indexed_at = :indexed_at, created_at = :created_at
where collection_id = :collection_id and id = :document_id

-- name: import_highest_numbers()
-- Behind these come the rows that are imported, so that nothing has two numbers.
select (select coalesce(max(id), 0) from topics) as topics,
       (select coalesce(max(id), 0) from messages) as messages,
       (select coalesce(max(id), 0) from token_transactions) as token_transactions,
       (select coalesce(max(id), 0) from knowledge_base) as knowledge_base,
       (select coalesce(max(id), 0) from moderation_queue) as moderation_queue

-- name: import_known_users()
select id, telegram_user_id from users

-- name: import_open_topics()
select user_id, channel_key from topics where status = 'open'

-- name: import_session_of_topic(topic_id)
select t.session_id, (select count(*) from chat_messages m where m.session_id = t.session_id) as messages
from topics t where t.id = :topic_id

-- name: import_chat_counts()
select (select count(*) from chat_sessions) as sessions, (select count(*) from chat_messages) as messages

-- name: import_ledger_sums(prefix)
-- What was imported before of one base, by user.
select user_id, cast(sum(amount) as bigint) as amount from token_transactions
where substr(idempotency_key, 1, length(cast(:prefix as text))) = :prefix group by user_id

-- name: import_user(user_id, telegram_user_id, username, first_name, last_name, created_at, updated_at)
insert into users (id, telegram_user_id, username, first_name, last_name, created_at, updated_at)
values (:user_id, :telegram_user_id, :username, :first_name, :last_name, :created_at, :updated_at)

-- name: import_balance(user_id, amount)
update users set token_balance = token_balance + :amount where id = :user_id

-- name: import_session(session_id, title, user_id, face, channel_key, created_at, updated_at)
insert into chat_sessions (id, title, user_id, face, channel_key, created_at, updated_at)
values (:session_id, :title, :user_id, :face, :channel_key, :created_at, :updated_at)
on conflict (id) do nothing

-- name: import_title(session_id, title)
update chat_sessions set title = :title where id = :session_id and title is null

-- name: import_chat_message(message_id, session_id, position, role, content, citations, created_at)
-- A message that is there already, or whose place in the conversation is taken, is left as it is.
insert into chat_messages (id, session_id, position, role, content, citations, created_at)
values (:message_id, :session_id, :position, :role, :content, :citations, :created_at)
on conflict do nothing

-- name: import_topic(topic_id, user_id, session_id, channel_key, status, culture, created_at, updated_at, closed_at)
insert into topics (id, user_id, session_id, channel_key, status, culture, created_at, updated_at, closed_at)
values (:topic_id, :user_id, :session_id, :channel_key, :status, :culture, :created_at, :updated_at, :closed_at)

-- name: import_message(message_id, user_id, direction, text, session_id, topic_id, chat_message_id, meta, created_at)
insert into messages (id, user_id, direction, text, session_id, topic_id, chat_message_id, meta, created_at)
values (:message_id, :user_id, :direction, :text, :session_id, :topic_id, :chat_message_id, :meta, :created_at)

-- name: import_transaction(transaction_id, user_id, amount, operation_type, description, idempotency_key, created_at)
insert into token_transactions (id, user_id, amount, operation_type, description, idempotency_key, created_at)
values (:transaction_id, :user_id, :amount, :operation_type, :description, :idempotency_key, :created_at)

-- name: import_correction(user_id, amount, operation_type, description, idempotency_key, created_at)
insert into token_transactions (user_id, amount, operation_type, description, idempotency_key, created_at)
values (:user_id, :amount, :operation_type, :description, :idempotency_key, :created_at)

-- name: import_curated(entry_id, collection_id, category, category_key, subcategory, subcategory_key, question, answer, source_type, language, is_active, created_at, updated_at)
insert into knowledge_base (id, collection_id, category, category_key, subcategory, subcategory_key, question, answer,
    source_type, language, is_active, created_at, updated_at)
values (:entry_id, :collection_id, :category, :category_key, :subcategory, :subcategory_key, :question, :answer,
    :source_type, :language, :is_active, :created_at, :updated_at)

-- name: import_approval(entry_id, draft_id, approved_by, approved_at)
-- The first draft that became an answer is the one that it came from.
update knowledge_base set draft_id = :draft_id, approved_by = :approved_by, approved_at = :approved_at
where id = :entry_id and draft_id is null

-- name: import_draft(draft_id, user_id, topic_id, collection_id, question, answer, language, category_guess, status, admin_id, kb_id, created_at, updated_at, decided_at)
insert into moderation_queue (id, user_id, topic_id, session_id, collection_id, kind, question, answer, language,
    category_guess, status, admin_id, kb_id, created_at, updated_at, decided_at)
values (:draft_id, :user_id, :topic_id, (select t.session_id from topics t where t.id = cast(:topic_id as bigint)),
    :collection_id, 'answer', :question, :answer, :language, :category_guess, :status, :admin_id, :kb_id, :created_at, :updated_at,
    :decided_at)

-- name: import_term(term, term_key, preferred_phrase, description, created_at)
insert into terminology (term, term_key, preferred_phrase, description, created_at)
values (:term, :term_key, :preferred_phrase, :description, :created_at)
on conflict (term_key) do nothing

-- name: import_close_topic(topic_id, closed_at)
update topics set status = 'closed', closed_at = :closed_at, updated_at = :closed_at
where id = :topic_id and status = 'open'

-- name: import_decide_draft(draft_id, status, admin_id, kb_id, updated_at, decided_at)
update moderation_queue
set status = :status, admin_id = :admin_id, kb_id = :kb_id, updated_at = :updated_at, decided_at = :decided_at
where id = :draft_id and status = 'pending'

-- name: import_renew_curated(entry_id, category, category_key, subcategory, subcategory_key, question, answer, language, is_active, updated_at)
-- A new revision: what was found stale in the one before says nothing of it.
update knowledge_base
set category = :category, category_key = :category_key, subcategory = :subcategory, subcategory_key = :subcategory_key,
    question = :question, answer = :answer, language = :language, is_active = :is_active, revision = revision + 1,
    stale_since = null, stale_reason = null, updated_at = :updated_at
where id = :entry_id
