-- name: insert_curated(collection_id, category, category_key, subcategory, subcategory_key, question, answer, source_type, language, draft_id, approved_by, approved_at, now)
insert into knowledge_base (collection_id, category, category_key, subcategory, subcategory_key, question, answer,
    source_type, language, draft_id, approved_by, approved_at, created_at, updated_at)
values (:collection_id, :category, :category_key, :subcategory, :subcategory_key, :question, :answer, :source_type,
    :language, :draft_id, :approved_by, :approved_at, :now, :now)
returning id

-- name: insert_vector_of_curated(knowledge_base_id, model_id, vector)
insert into knowledge_base_vectors (knowledge_base_id, model_id, vector)
values (:knowledge_base_id, :model_id, :vector)

-- name: insert_curated_source(knowledge_base_id, position, collection_id, document_id, chunk_id, document_path, document_title, page, start_index, end_index, quote, file_hash)
insert into knowledge_base_sources (knowledge_base_id, position, collection_id, document_id, chunk_id, document_path,
    document_title, page, start_index, end_index, quote, file_hash)
values (:knowledge_base_id, :position, :collection_id, :document_id, :chunk_id, :document_path, :document_title, :page,
    :start_index, :end_index, :quote, :file_hash)

-- name: curated_vectors(collection_id, model_id, category_key, subcategory_keys)
-- Every active answer with its vector: of a category, or (null) of all; of some subcategories and of none, or of all.
select k.id, k.subcategory_key, v.vector
from knowledge_base k
join knowledge_base_vectors v on v.knowledge_base_id = k.id and v.model_id = :model_id
where k.collection_id = :collection_id and k.is_active = 1
  and (:category_key::text is null or k.category_key = :category_key)
  and (:subcategory_keys::text[] is null or k.subcategory_key is null
       or k.subcategory_key = any (:subcategory_keys::text[]))
order by k.id

-- name: curated_by_ids(ids)
select k.id, k.collection_id, k.category, k.subcategory, k.question, k.answer, k.source_type, k.language, k.is_active,
       k.revision, k.stale_since, k.stale_reason, k.approved_by, k.approved_at, k.created_at, k.updated_at
from unnest(:ids::bigint[]) wanted (value)
join knowledge_base k on k.id = wanted.value
order by k.id

-- name: curated_ids(collection_id)
select id from knowledge_base where :collection_id::text is null or collection_id = :collection_id order by id

-- name: curated_sources(ids)
select s.knowledge_base_id, s.position, s.collection_id, s.document_id, s.chunk_id, s.document_path, s.document_title,
       s.page, s.start_index, s.end_index, s.quote, s.file_hash, s.state
from unnest(:ids::bigint[]) wanted (value)
join knowledge_base_sources s on s.knowledge_base_id = wanted.value
order by s.knowledge_base_id, s.position

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
