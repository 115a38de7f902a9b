-- name: bundle_document_count(collection_id)
select count(*) as documents from documents where collection_id = :collection_id

-- name: bundle_document_ids(collection_id, after, limit)
-- A page at a time, so that a base of any size is written with little memory.
select id from documents where collection_id = :collection_id and id > :after order by id limit :limit

-- name: bundle_document(collection_id, document_id)
select id, content, title, file_path, file_hash, content_hash, file_size_bytes, mtime, type, category, subcategory,
       language, metadata, processing_status, processing_error, is_active, is_bare, tracked_chunks, chunk_count, indexed_at
from documents where collection_id = :collection_id and id = :document_id

-- name: bundle_chunks(collection_id, document_id, model_id)
select c.id, c.document_id, c.chunk_index, c.content, c.start_index, c.end_index, c.token_count, c.level, c.parent_id,
       c.section, c.page_number, c.metadata, c.created_at, coalesce(halfvec_send(v.vector), vector_send(v.wide_vector)) as packed_vector,
       exists (select 1 from words w
               where w.collection_id = c.collection_id and w.document_id = c.document_id and w.chunk_id = c.id) as has_words
from document_chunks c
left join vectors v on v.collection_id = c.collection_id and v.document_id = c.document_id and v.chunk_id = c.id
    and v.model_id = :model_id
where c.collection_id = :collection_id and c.document_id = :document_id
order by c.chunk_index, c.id
