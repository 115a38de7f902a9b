-- name: curated_vectors(collection_id, category_key, subcategory_keys)
-- Every active answer with its vector: of a category, or (null) of all; of some subcategories and of none, or of all.
select k.id, k.subcategory_key, v.vector, null as wording
from collections c
join knowledge_base k on k.collection_id = c.id
join knowledge_base_vectors v on v.knowledge_base_id = k.id and v.model_id = c.active_model_id
where c.id = :collection_id and k.is_active = 1
  and (:category_key::text is null or k.category_key = :category_key)
  and (:subcategory_keys::text[] is null or k.subcategory_key is null
       or k.subcategory_key = any (:subcategory_keys::text[]))
order by k.id

-- name: wording_vectors(collection_id, category_key, subcategory_keys)
-- The same for the other wordings that are matched.
select k.id, k.subcategory_key, v.vector, w.question as wording
from collections c
join knowledge_base k on k.collection_id = c.id
join knowledge_base_wordings w on w.knowledge_base_id = k.id and w.status in ('confirmed', 'accepted')
join knowledge_base_wording_vectors v on v.wording_id = w.id and v.model_id = c.active_model_id
where c.id = :collection_id and k.is_active = 1
  and (:category_key::text is null or k.category_key = :category_key)
  and (:subcategory_keys::text[] is null or k.subcategory_key is null
       or k.subcategory_key = any (:subcategory_keys::text[]))
order by w.id

-- name: curated_by_ids(ids)
select k.id, k.collection_id, k.category, k.subcategory, k.question, k.answer, k.source_type, k.language, k.is_active,
       k.revision, k.stale_since, k.stale_reason, k.approved_by, k.approved_at, k.created_at, k.updated_at,
       u.username, u.first_name, u.last_name
from unnest(:ids::bigint[]) wanted (value)
join knowledge_base k on k.id = wanted.value
left join users u on u.id = k.approved_by
order by k.id

-- name: curated_sources(ids)
select s.knowledge_base_id, s.position, s.collection_id, s.document_id, s.chunk_id, s.document_path, s.document_title,
       s.page, s.start_index, s.end_index, s.quote, s.file_hash, s.state, s.context_change,
       s.section
from unnest(:ids::bigint[]) wanted (value)
join knowledge_base_sources s on s.knowledge_base_id = wanted.value
order by s.knowledge_base_id, s.position

-- name: curated_wordings(ids)
select w.id, w.knowledge_base_id, w.question, w.status, w.decided_by, w.decided_at, w.created_at,
       (select count(*) from knowledge_base_confirmations c where c.wording_id = w.id) as people
from unnest(:ids::bigint[]) wanted (value)
join knowledge_base_wordings w on w.knowledge_base_id = wanted.value
order by w.knowledge_base_id, w.id
