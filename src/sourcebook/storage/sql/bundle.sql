-- name: bundle_document_count(collection_id)
select count(*) as documents from documents where collection_id = :collection_id

-- name: bundle_document_ids(collection_id, after, limit)
-- A page at a time, so that a base of any size is written with little memory.
select id from documents where collection_id = :collection_id and id > :after order by id limit :limit

-- name: bundle_document(collection_id, document_id)
select id, content, title, file_path, file_hash, content_hash, file_size_bytes, mtime, type, category, subcategory,
       language, metadata, processing_status, processing_error, is_active, is_bare, tracked_chunks, chunk_count, indexed_at
from documents where collection_id = :collection_id and id = :document_id
