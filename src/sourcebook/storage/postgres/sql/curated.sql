-- name: curated_vectors(collection_id, category_key, subcategory_keys)
-- Every active answer with its vector: of a category, or (null) of all; of some subcategories and of none, or of all.
select k.id, k.subcategory_key, v.vector
from collections c
join knowledge_base k on k.collection_id = c.id
join knowledge_base_vectors v on v.knowledge_base_id = k.id and v.model_id = c.active_model_id
where c.id = :collection_id and k.is_active = 1
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

-- name: curated_sources(ids)
select s.knowledge_base_id, s.position, s.collection_id, s.document_id, s.chunk_id, s.document_path, s.document_title,
       s.page, s.start_index, s.end_index, s.quote, s.file_hash, s.state
from unnest(:ids::bigint[]) wanted (value)
join knowledge_base_sources s on s.knowledge_base_id = wanted.value
order by s.knowledge_base_id, s.position
