-- name: chunk_ids_of_document(collection_id, document_id)
select id from document_chunks where collection_id = :collection_id and document_id = :document_id

-- name: insert_chunk_id(collection_id, chunk_id, document_id)
insert into chunk_ids (collection_id, chunk_id, document_id) values (:collection_id, :chunk_id, :document_id)

-- name: delete_chunk(collection_id, document_id, chunk_id)
delete from document_chunks
where collection_id = :collection_id and document_id = :document_id and id = :chunk_id

-- name: delete_chunk_id(collection_id, chunk_id)
delete from chunk_ids where collection_id = :collection_id and chunk_id = :chunk_id
