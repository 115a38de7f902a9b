-- name: insert_curated(collection_id, category, category_key, subcategory, subcategory_key, question, answer, source_type, language, draft_id, approved_by, approved_at, now)
insert into knowledge_base (collection_id, category, category_key, subcategory, subcategory_key, question, answer,
    source_type, language, draft_id, approved_by, approved_at, created_at, updated_at)
values (:collection_id, :category, :category_key, :subcategory, :subcategory_key, :question, :answer, :source_type,
    :language, :draft_id, :approved_by, :approved_at, :now, :now)
returning id

-- name: insert_vector_of_curated(knowledge_base_id, model_id, vector)
insert into knowledge_base_vectors (knowledge_base_id, model_id, vector)
values (:knowledge_base_id, :model_id, :vector)

-- name: insert_curated_source(knowledge_base_id, position, collection_id, document_id, chunk_id, document_path, document_title, page, start_index, end_index, quote, file_hash, section)
insert into knowledge_base_sources (knowledge_base_id, position, collection_id, document_id, chunk_id, document_path,
    document_title, page, start_index, end_index, quote, file_hash, section)
values (:knowledge_base_id, :position, :collection_id, :document_id, :chunk_id, :document_path, :document_title, :page,
    :start_index, :end_index, :quote, :file_hash, :section)

-- name: curated_ids(collection_id)
select id from knowledge_base where cast(:collection_id as text) is null or collection_id = :collection_id order by id

-- name: delete_curated(entry_id)
delete from knowledge_base where id = :entry_id

-- name: renew_curated(entry_id, category, category_key, subcategory, subcategory_key, question, answer, language, approved_by, now)
-- What is approved again is current, whatever it was before.
update knowledge_base
set category = :category, category_key = :category_key, subcategory = :subcategory, subcategory_key = :subcategory_key,
    question = :question, answer = :answer, language = :language, revision = revision + 1, is_active = 1,
    stale_since = null, stale_reason = null, approved_by = :approved_by, approved_at = :now, updated_at = :now
where id = :entry_id

-- name: drop_vectors_of_curated(entry_id)
delete from knowledge_base_vectors where knowledge_base_id = :entry_id

-- name: drop_sources_of_curated(entry_id)
delete from knowledge_base_sources where knowledge_base_id = :entry_id

-- name: wording_of_question(entry_id, question_key)
select w.id, w.knowledge_base_id, w.question, w.status, w.decided_by, w.decided_at, w.created_at,
       (select count(*) from knowledge_base_confirmations c where c.wording_id = w.id) as people
from knowledge_base_wordings w where w.knowledge_base_id = :entry_id and w.question_key = :question_key

-- name: wording_by_id(wording_id)
select w.id, w.knowledge_base_id, w.question, w.status, w.decided_by, w.decided_at, w.created_at,
       (select count(*) from knowledge_base_confirmations c where c.wording_id = w.id) as people
from knowledge_base_wordings w where w.id = :wording_id

-- name: insert_wording(entry_id, question, question_key, status, now)
insert into knowledge_base_wordings (knowledge_base_id, question, question_key, status, created_at)
values (:entry_id, :question, :question_key, :status, :now)
on conflict (knowledge_base_id, question_key) do nothing

-- name: insert_wording_vector(wording_id, model_id, vector)
insert into knowledge_base_wording_vectors (wording_id, model_id, vector)
select w.id, :model_id, :vector from knowledge_base_wordings w where w.id = :wording_id
on conflict (wording_id, model_id) do update set vector = excluded.vector

-- name: insert_confirmation(wording_id, user_id, now)
-- Who confirms twice counts once.
insert into knowledge_base_confirmations (wording_id, user_id, created_at) values (:wording_id, :user_id, :now)
on conflict (wording_id, user_id) do nothing

-- name: confirm_wording(wording_id, enough)
-- What an expert decided stays.
update knowledge_base_wordings set status = 'confirmed'
where id = :wording_id and status = 'proposed'
  and (select count(*) from knowledge_base_confirmations c where c.wording_id = knowledge_base_wordings.id) >= :enough

-- name: decide_wording(wording_id, status, admin_id, now)
update knowledge_base_wordings set status = :status, decided_by = :admin_id, decided_at = :now
where id = :wording_id

-- name: count_open_wordings()
-- What askers confirmed and no expert has looked at.
select count(*) as count from knowledge_base_wordings where status in ('proposed', 'confirmed')

-- name: mark_stale(entry_id, reason, now)
update knowledge_base set stale_since = :now, stale_reason = :reason where id = :entry_id and stale_since is null

-- name: set_stale_reason(entry_id, reason)
-- What is wrong with its sources may change while an answer is stale.
update knowledge_base set stale_reason = :reason where id = :entry_id and stale_since is not null

-- name: clear_stale(entry_id)
-- An answer all of whose sources stand again is what was approved.
update knowledge_base set stale_since = null, stale_reason = null
where id = :entry_id and stale_since is not null
  and not exists (select 1 from knowledge_base_sources s
                  where s.knowledge_base_id = knowledge_base.id and s.state <> 'current')
