-- name: insert_draft(user_id, topic_id, session_id, chat_message_id, of_collection, kind, question, answer, language, citations, details, attachments, category_guess, subcategory_guess, group_key, stale_kb_id, same_as, now)
-- For a person who exists. Of a curated answer that went stale at most one draft waits, and of one answer one is made: only
-- the latest drafts are looked at, as what is done again is done again soon.
insert into moderation_queue (user_id, topic_id, session_id, chat_message_id, collection_id, kind, question, answer,
    language, citations, details, attachments, category_guess, subcategory_guess, group_key, status, stale_kb_id,
    same_as, created_at, updated_at)
select u.id, cast(:topic_id as bigint), cast(:session_id as text), cast(:chat_message_id as text),
    cast(:of_collection as text), cast(:kind as text), cast(:question as text), cast(:answer as text),
    cast(:language as text), cast(:citations as text), cast(:details as text), cast(:attachments as text),
    cast(:category_guess as text), cast(:subcategory_guess as text), cast(:group_key as text), 'pending',
    cast(:stale_kb_id as bigint), cast(:same_as as bigint), cast(:now as bigint), cast(:now as bigint)
from users u
where u.id = :user_id
  and not exists (
    select 1 from (select chat_message_id, kind from moderation_queue order by id desc limit 500) latest
    where latest.chat_message_id = :chat_message_id and latest.kind = :kind)
on conflict do nothing
returning id, user_id, topic_id, session_id, chat_message_id, collection_id, kind, question, answer, language, citations,
       details, attachments, category_guess, subcategory_guess, group_key, status, reason, admin_id, kb_id, stale_kb_id,
       created_at, updated_at, decided_at, same_as, 1 as asked, 1 as people

-- name: draft_of_message(chat_message_id, kind)
select id from (select id, chat_message_id, kind from moderation_queue order by id desc limit 500) latest
where chat_message_id = :chat_message_id and kind = :kind
order by id limit 1

-- name: draft_by_id(draft_id)
select id, user_id, topic_id, session_id, chat_message_id, collection_id, kind, question, answer, language, citations,
       details, attachments, category_guess, subcategory_guess, group_key, status, reason, admin_id, kb_id, stale_kb_id,
       created_at, updated_at, decided_at, same_as,
       (select count(*) from moderation_queue r
        where r.same_as = moderation_queue.id and r.status = moderation_queue.status) + 1 as asked,
       (select count(distinct r.user_id) from moderation_queue r
        where r.id = moderation_queue.id
           or (r.same_as = moderation_queue.id and r.status = moderation_queue.status)) as people
from moderation_queue where id = :draft_id

-- name: pending_drafts(kind, after, of_collection, limit)
-- Oldest first, so that nobody's question waits for ever. What repeats another is counted there.
select id, user_id, topic_id, session_id, chat_message_id, collection_id, kind, question, answer, language, citations,
       details, attachments, category_guess, subcategory_guess, group_key, status, reason, admin_id, kb_id, stale_kb_id,
       created_at, updated_at, decided_at, same_as,
       (select count(*) from moderation_queue r
        where r.same_as = moderation_queue.id and r.status = moderation_queue.status) + 1 as asked,
       (select count(distinct r.user_id) from moderation_queue r
        where r.id = moderation_queue.id
           or (r.same_as = moderation_queue.id and r.status = moderation_queue.status)) as people
from moderation_queue
where status = 'pending' and same_as is null and id > :after and (cast(:kind as text) is null or kind = :kind)
  and (cast(:of_collection as text) is null or collection_id = :of_collection)
order by id limit :limit

-- name: pending_in_group(group_key)
select id, user_id, topic_id, session_id, chat_message_id, collection_id, kind, question, answer, language, citations,
       details, attachments, category_guess, subcategory_guess, group_key, status, reason, admin_id, kb_id, stale_kb_id,
       created_at, updated_at, decided_at, same_as,
       (select count(*) from moderation_queue r
        where r.same_as = moderation_queue.id and r.status = moderation_queue.status) + 1 as asked,
       (select count(distinct r.user_id) from moderation_queue r
        where r.id = moderation_queue.id
           or (r.same_as = moderation_queue.id and r.status = moderation_queue.status)) as people
from moderation_queue where status = 'pending' and same_as is null and group_key = :group_key
order by id

-- name: possible_originals(group_key, kind, answer, of_collection)
-- What waits and may be asked again: of each only what tells whether it is the same.
select id, question, language, details from moderation_queue
where status = 'pending' and same_as is null and group_key = :group_key and kind = :kind and attachments = '[]'
  and (answer = :answer or (answer is null and cast(:answer as text) is null))
  and (collection_id = :of_collection or (collection_id is null and cast(:of_collection as text) is null))
order by id

-- name: rejected_answers(of_collection, limit)
select id, user_id, topic_id, session_id, chat_message_id, collection_id, kind, question, answer, language, citations,
       details, attachments, category_guess, subcategory_guess, group_key, status, reason, admin_id, kb_id, stale_kb_id,
       created_at, updated_at, decided_at, same_as, 1 as asked, 1 as people
from moderation_queue
where status = 'rejected' and kind = 'answer' and same_as is null and collection_id = :of_collection
order by id desc limit :limit

-- name: answer_before_approval(entry_id)
-- The answer from documents that an approved answer was made of.
select id, user_id, topic_id, session_id, chat_message_id, collection_id, kind, question, answer, language, citations,
       details, attachments, category_guess, subcategory_guess, group_key, status, reason, admin_id, kb_id, stale_kb_id,
       created_at, updated_at, decided_at, same_as, 1 as asked, 1 as people
from moderation_queue
where id = (select draft_id from knowledge_base where id = :entry_id) and kind = 'answer'

-- name: pending_repeats(draft_id)
-- A draft and what repeats it, as far as they wait.
select id, user_id, topic_id, session_id, chat_message_id, collection_id, kind, question, answer, language, citations,
       details, attachments, category_guess, subcategory_guess, group_key, status, reason, admin_id, kb_id, stale_kb_id,
       created_at, updated_at, decided_at, same_as,
       (select count(*) from moderation_queue r
        where r.same_as = moderation_queue.id and r.status = moderation_queue.status) + 1 as asked,
       (select count(distinct r.user_id) from moderation_queue r
        where r.id = moderation_queue.id
           or (r.same_as = moderation_queue.id and r.status = moderation_queue.status)) as people
from moderation_queue where status = 'pending' and (id = :draft_id or same_as = :draft_id)
order by id

-- name: set_original(draft_id, original)
update moderation_queue set same_as = :original where same_as = :draft_id and status = 'pending'

-- name: become_original(draft_id)
update moderation_queue set same_as = null where id = :draft_id

-- name: drafts_of_user(user_id, status)
select id, user_id, topic_id, session_id, chat_message_id, collection_id, kind, question, answer, language, citations,
       details, attachments, category_guess, subcategory_guess, group_key, status, reason, admin_id, kb_id, stale_kb_id,
       created_at, updated_at, decided_at, same_as,
       (select count(*) from moderation_queue r
        where r.same_as = moderation_queue.id and r.status = moderation_queue.status) + 1 as asked,
       (select count(distinct r.user_id) from moderation_queue r
        where r.id = moderation_queue.id
           or (r.same_as = moderation_queue.id and r.status = moderation_queue.status)) as people
from moderation_queue where user_id = :user_id and kind <> 'stale' and (cast(:status as text) is null or status = :status)
order by id desc limit 200

-- name: pending_counts()
select kind, count(*) as count from moderation_queue where status = 'pending' and same_as is null group by kind

-- name: recently_asked(of_collection, limit)
select question, language, group_key from moderation_queue
where group_key is not null and (cast(:of_collection as text) is null or collection_id = :of_collection)
order by id desc limit :limit

-- name: known_categories(of_collection)
-- From one subcategory to the next by the index, with one document of each, and some of those without: a plain `distinct`
-- would walk over every document.
with recursive kinds (key) as (
    select min(subcategory_key) from documents where collection_id = :of_collection
    union all
    select (select min(subcategory_key) from documents
            where collection_id = :of_collection and subcategory_key > kinds.key)
    from kinds where kinds.key is not null
)
select d.category, d.subcategory
from kinds
join documents d on d.collection_id = :of_collection
    and d.id = (select min(other.id) from documents other
                where other.collection_id = :of_collection and other.subcategory_key = kinds.key)
where d.category is not null
union
select general.category, general.subcategory
from (select category, subcategory from documents
      where collection_id = :of_collection and subcategory_key is null limit 200) general
where general.category is not null
union
select category, subcategory from knowledge_base where collection_id = :of_collection and is_active = 1
order by 1, 2

-- name: decide_draft(draft_id, status, admin_id, reason, answer, now)
-- The number of rows decides who was first.
update moderation_queue
set status = :status, admin_id = :admin_id, reason = :reason, answer = coalesce(cast(:answer as text), answer),
    decided_at = :now, updated_at = :now
where id = :draft_id and status = 'pending'

-- name: set_draft_citations(draft_id, citations)
update moderation_queue set citations = :citations where id = :draft_id

-- name: link_draft(draft_id, kb_id)
update moderation_queue set kb_id = :kb_id where id = :draft_id

-- name: change_proposal(draft_id, question, answer, citations, details, category_guess, subcategory_guess, now)
update moderation_queue
set question = :question, answer = :answer, citations = :citations, details = :details,
    category_guess = :category_guess, subcategory_guess = :subcategory_guess, updated_at = :now
where id = :draft_id and status = 'pending'

-- name: pending_stale_draft(entry_id)
-- With why its answer is stale now, which the draft repeats.
select q.id, q.details, k.stale_reason
from moderation_queue q join knowledge_base k on k.id = q.stale_kb_id
where q.stale_kb_id = :entry_id and q.kind = 'stale' and q.status = 'pending'

-- name: set_draft_details(draft_id, details)
update moderation_queue set details = :details where id = :draft_id

-- name: decider(user_id)
select username, first_name, last_name, role, is_blocked from users where id = :user_id

-- name: channel_of_topic(topic_id)
select channel_key from topics where id = :topic_id

-- name: sources_of_entry(entry_id)
select s.knowledge_base_id, s.position, s.collection_id, s.document_id, s.document_path, s.quote, s.file_hash,
       s.state
from knowledge_base_sources s where s.knowledge_base_id = :entry_id order by s.position

-- name: set_source_state(knowledge_base_id, position, state)
update knowledge_base_sources set state = :state where knowledge_base_id = :knowledge_base_id and position = :position

-- name: set_source_hash(knowledge_base_id, position, file_hash)
update knowledge_base_sources set file_hash = :file_hash
where knowledge_base_id = :knowledge_base_id and position = :position

-- name: set_source_context(knowledge_base_id, position, context_change)
update knowledge_base_sources set context_change = :context_change
where knowledge_base_id = :knowledge_base_id and position = :position

-- name: stale_without_draft()
select k.id from knowledge_base k
where k.stale_since is not null and k.is_active = 1
  and not exists (select 1 from moderation_queue q
                  where q.stale_kb_id = k.id and q.kind = 'stale' and q.status = 'pending')
order by k.id

-- name: lose_sources_in(lost)
-- A collection is going: whoever quotes it from elsewhere loses a source.
update knowledge_base_sources set state = 'removed' where collection_id = :lost

-- name: answers_that_lost(of_collection)
-- Those that have lost a source: in this collection, or anywhere.
select distinct knowledge_base_id from knowledge_base_sources
where state = 'removed' and (cast(:of_collection as text) is null or collection_id = :of_collection)
order by knowledge_base_id

-- name: retire_curated(entry_id, now)
update knowledge_base set is_active = 0, updated_at = :now where id = :entry_id

-- name: troubled_drafts(since, limit)
select id, user_id, topic_id, session_id, chat_message_id, collection_id, kind, question, answer, language, citations,
       details, attachments, category_guess, subcategory_guess, group_key, status, reason, admin_id, kb_id, stale_kb_id,
       created_at, updated_at, decided_at, same_as,
       (select count(*) from moderation_queue r
        where r.same_as = moderation_queue.id and r.status = moderation_queue.status) + 1 as asked,
       (select count(distinct r.user_id) from moderation_queue r
        where r.id = moderation_queue.id
           or (r.same_as = moderation_queue.id and r.status = moderation_queue.status)) as people
from moderation_queue
where kind <> 'stale' and status in ('pending', 'rejected') and created_at >= :since
order by id desc limit :limit

-- name: decided_drafts(since, limit)
select id, user_id, topic_id, session_id, chat_message_id, collection_id, kind, question, answer, language, citations,
       details, attachments, category_guess, subcategory_guess, group_key, status, reason, admin_id, kb_id, stale_kb_id,
       created_at, updated_at, decided_at, same_as,
       (select count(*) from moderation_queue r
        where r.same_as = moderation_queue.id and r.status = moderation_queue.status) + 1 as asked,
       (select count(distinct r.user_id) from moderation_queue r
        where r.id = moderation_queue.id
           or (r.same_as = moderation_queue.id and r.status = moderation_queue.status)) as people
from moderation_queue
where kind <> 'stale' and status in ('approved', 'rejected') and created_at >= :since
order by id limit :limit

-- name: tiers_between(since, until)
-- What the documents answered later follows another answer: its question was counted when it was asked.
select m.tier, count(*) as count from chat_messages m
where m.role = 'ASSISTANT' and m.tier is not null and m.created_at >= :since and m.created_at < :until
  and not exists (select 1 from chat_messages p where p.session_id = m.session_id
                  and p.position = m.position - 1 and p.role = 'ASSISTANT')
group by m.tier

-- name: people_between(since, until)
select count(distinct s.user_id) as people from chat_messages m join chat_sessions s on s.id = m.session_id
where m.role = 'USER' and m.created_at >= :since and m.created_at < :until

-- name: decisions_between(since, until)
select status, count(*) as count from moderation_queue
where decided_at >= :since and decided_at < :until group by status

-- name: tokens_between(since, until)
select operation_type, cast(sum(amount) as bigint) as amount from token_transactions
where created_at >= :since and created_at < :until group by operation_type

-- name: became_stale_between(since, until)
select id from knowledge_base where stale_since >= :since and stale_since < :until and is_active = 1 order by id
