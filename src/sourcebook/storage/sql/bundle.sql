-- name: bundle_document_count(collection_id)
select count(*) as documents from documents where collection_id = :collection_id

-- name: bundle_document_ids(collection_id, after, limit)
-- A page at a time, so that a base of any size is written with little memory.
select id from documents where collection_id = :collection_id and id > :after order by id limit :limit

-- name: bundle_document(collection_id, document_id)
select d.id, d.content, d.title, d.file_path, d.content_hash, d.is_bare, d.tracked_chunks, d.indexed_at, {document_columns}
from documents d where d.collection_id = :collection_id and d.id = :document_id
