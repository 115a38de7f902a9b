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
